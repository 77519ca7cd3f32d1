"""Makes a folder of a random model: config.json in one of its dialects, weights as one file or as shards."""

import json
import pathlib
import random

import safetensors.torch
import torch
from transformers import (AutoConfig, AutoModel, AutoModelForCausalLM, AutoModelForImageTextToText, AutoModelForMaskedLM,
                          AutoModelForPreTraining, AutoModelForQuestionAnswering, AutoModelForSeq2SeqLM,
                          AutoModelForSequenceClassification, AutoModelForTextEncoding, AutoModelForTokenClassification)

from families import small

DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
HEADS = [AutoModelForSeq2SeqLM, AutoModelForCausalLM, AutoModelForMaskedLM, AutoModelForImageTextToText]
RARE = [AutoModelForPreTraining, AutoModelForSequenceClassification, AutoModelForTokenClassification,
        AutoModelForQuestionAnswering, AutoModelForTextEncoding]


def make(family, number, into):
    """Writes the folder and says what was chosen."""
    r = random.Random(f"{family} {number}")
    torch.manual_seed(r.getrandbits(32))
    chosen = {"dtype": r.choice(list(DTYPES)), "head": r.random() < 0.5, "sharded": r.random() < 0.3}
    config = AutoConfig.for_model(family, **small(family, r), tie_word_embeddings=r.random() < 0.5)
    model = with_head(config, r) if chosen["head"] else None
    if model is None:
        model = AutoModel.from_config(config)
    chosen["head"] = type(model).__name__
    fill(model, r)
    path = pathlib.Path(into) / f"{family}-{number}"
    model.to(DTYPES[chosen["dtype"]]).save_pretrained(path, **({"max_shard_size": "4KB"} if chosen["sharded"] else {}))
    single = path / "model.safetensors"
    if single.exists() and r.random() < 0.2:
        chosen["old names"] = rename(single)
    chosen["tied"] = config.tie_word_embeddings
    chosen["dialect"] = rewrite(path / "config.json", family, config, r)
    return path, chosen


def with_head(config, r):
    for auto in [*r.sample(RARE, len(RARE)), *HEADS] if r.random() < 0.5 else HEADS:
        if type(config) in auto._model_mapping.keys():
            return auto.from_config(config)
    return None


@torch.no_grad()
def fill(model, r):
    """Every parameter of the first layer has values that show: biases too, and rows of pads."""
    for name, parameter in model.named_parameters():
        if parameter.numel() > 4_000_000:
            continue
        norm = "norm" in name.lower() and name.endswith("weight")
        parameter.normal_(1 if norm else 0, 0.2 if norm else r.choice([0.02, 1, 3]))


def rename(file):
    """LayerNorm's weight and bias as the first checkpoints of BERT call them."""
    tensors = safetensors.torch.load_file(file)
    old = {name: name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
           for name in tensors}
    safetensors.torch.save_file({old[name]: tensor for name, tensor in tensors.items()}, file, {"format": "pt"})
    return any(new != name for name, new in old.items())


# Fields whose absence is tried: those of the first layer, where they equal the class's default.
DROPPED = ["layer_norm_eps", "layer_norm_epsilon", "norm_eps", "type_vocab_size", "scale_embedding", "embedding_multiplier",
           "position_biased_input", "relative_attention", "max_relative_positions", "position_buckets", "word_embed_proj_dim",
           "embedding_size", "rope_parameters", "relative_attention_num_buckets", "relative_attention_max_distance",
           "pad_token_id", "alibi", "clamp_len", "tie_word_embeddings", "partial_rotary_factor", "norm_bias", "layer_types",
           "head_dim", "num_key_value_heads"]


def rewrite(file, family, config, r):
    """config.json as older and other writers have it."""
    whole = json.loads(file.read_text())
    inner = whole.get("text_config", whole)
    text_default = type(config.get_text_config() if "text_config" in whole else config)().to_dict()
    done = []
    other = r.choice(list(DTYPES)) if r.random() < 0.2 else None  # not what the tensors have: they are cast
    dtype_style = r.choice(["dtype", "torch_dtype", "none"])
    for part in ({id(whole): whole, id(inner): inner}).values():
        dtype = part.pop("dtype", None)
        if dtype is not None and dtype_style != "none":
            part[dtype_style] = other or dtype
    done += [dtype_style, other]
    for name in [*DROPPED, *inner]:
        likely = 0.5 if name in DROPPED else 0.02
        if name in inner and name not in ("model_type", "eos_token_id") and r.random() < likely:
            if inner[name] is None or (name in text_default and inner[name] == text_default[name]):
                del inner[name]
                done.append("-" + name)
    rope = inner.get("rope_parameters")
    if rope and "rope_theta" in rope and r.random() < 0.5:
        del inner["rope_parameters"]
        inner["rope_theta"] = rope.pop("rope_theta")
        if "partial_rotary_factor" in rope:
            old = "rotary_pct" if family == "gpt_neox" else "partial_rotary_factor"
            inner[old] = rope.pop("partial_rotary_factor")
        kind = rope.pop("rope_type")
        inner["rope_scaling"] = None if kind == "default" else {r.choice(["type", "rope_type"]): kind, **rope}
        done.append("rope_theta")
    if r.random() < 0.3 and "QuestionAnswering" not in str(whole.get("architectures")):
        whole.pop("architectures", None)
        whole.pop("transformers_version", None)
    file.write_text(json.dumps(whole, indent=1))
    return done
