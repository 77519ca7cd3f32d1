"""Small seeded models in folders, with a tokenizer where one is needed."""

import pathlib
import random
import shutil

import torch
import transformers
from transformers import AutoConfig, AutoModelForCausalLM

from families import small
from folders import fill

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()
TOKENIZERS = pathlib.Path(__file__).parents[2] / "goldens" / "tokenizers"
OPT_350M = {"vocab_size": 1300, "hidden_size": 24, "num_attention_heads": 2, "num_hidden_layers": 2, "ffn_dim": 8,
            "max_position_embeddings": 80, "word_embed_proj_dim": 12, "do_layer_norm_before": False, "pad_token_id": 1}


def wide(family, r):
    sizes = small(family, r)
    sizes["vocab_size"] = 1300
    for name in ("max_position_embeddings", "n_positions"):
        if name in sizes:
            sizes[name] = 256
    return sizes


MODELS = {
    "gpt2": (torch.float32, "gpt2.json", lambda r: {**wide("gpt2", r), "n_positions": 256}),
    "llama": (torch.float32, "roberta.json", lambda r: wide("llama", r)),
    "llama-f16": (torch.float16, "roberta.json", lambda r: wide("llama", r)),
    "gemma": (torch.bfloat16, "sentencepiece-bpe.json", lambda r: wide("gemma", r)),
    "opt-350m": (torch.float32, "gpt2.json", lambda r: {**OPT_350M, "max_position_embeddings": 256}),
}


def make(folder):
    """Writes each folder anew; returns the models by name."""
    into = pathlib.Path(folder)
    shutil.rmtree(into, ignore_errors=True)
    made = {}
    for name, (dtype, tokenizer, arguments) in MODELS.items():
        r = random.Random(name)
        torch.manual_seed(1)
        family = {"llama-f16": "llama", "opt-350m": "opt"}.get(name, name)
        config = AutoConfig.for_model(family, **arguments(r))
        model = AutoModelForCausalLM.from_config(config, attn_implementation="eager")
        fill(model, r)
        made[name] = model.to(dtype).eval()
        model.save_pretrained(into / name)
        shutil.copy(TOKENIZERS / tokenizer, into / name / "tokenizer.json")
    return made
