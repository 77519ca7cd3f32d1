"""Logits from the service's `inputs_embeds` beside those from ids: the same numbers.

logits.py FOLDER
"""

import pathlib
import random
import shutil
import sys

import torch
import transformers
from transformers import AutoConfig, AutoModelForCausalLM

from families import small
from folders import fill
from service import Service

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()
OPT_350M = {"vocab_size": 131, "hidden_size": 24, "num_attention_heads": 2, "num_hidden_layers": 2, "ffn_dim": 8,
            "max_position_embeddings": 40, "word_embed_proj_dim": 12, "do_layer_norm_before": False, "pad_token_id": 1}
MODELS = {
    "gpt2": (torch.float32, lambda r: small("gpt2", r)),
    "llama": (torch.float32, lambda r: small("llama", r)),
    "gemma": (torch.bfloat16, lambda r: small("gemma", r)),
    "granite": (torch.float32, lambda r: {**small("granite", r), "embedding_multiplier": 12.0}),
    "opt": (torch.float32, lambda r: OPT_350M),
}


@torch.no_grad()
def main(folder):
    into = pathlib.Path(folder)
    shutil.rmtree(into, ignore_errors=True)
    models, wrong = {}, 0
    for family, (dtype, arguments) in MODELS.items():
        r = random.Random(family)
        torch.manual_seed(1)
        model = AutoModelForCausalLM.from_config(AutoConfig.for_model(family, **arguments(r)), attn_implementation="eager")
        fill(model, r)
        models[family] = model.to(dtype).eval()
        model.save_pretrained(into / family)
    with Service(into) as service:
        for family, model in models.items():
            ids = torch.randint(3, model.config.vocab_size, (2, 11))
            dtype = str(model.dtype).removeprefix("torch.")
            answer = service.embed(model=family, input_ids=ids.tolist(), dtype=dtype, outputs=["inputs_embeds"])
            ours = model(inputs_embeds=answer["inputs_embeds"]).logits
            same = torch.equal(ours, model(input_ids=ids).logits)
            wrong += not same
            print(f"{family:8} {dtype:9} inputs_embeds {list(answer['inputs_embeds'].shape)}: "
                  f"{'the same logits' if same else 'other logits'}")
    return wrong


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
