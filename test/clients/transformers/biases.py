"""Biases and learned tensors of attention: ALiBi of BLOOM, MPT and Falcon, T5's bias, XLNet's sinusoids and vectors.

biases.py FOLDER
"""

import pathlib
import random
import shutil
import sys

import torch
import transformers
from transformers.models.bloom.modeling_bloom import build_alibi_tensor as bloom_alibi
from transformers.models.falcon.modeling_falcon import build_alibi_tensor as falcon_alibi
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor as mpt_alibi

import boundary
from folders import fill
from families import small
from service import Service

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()
LENGTH = 23
ALIBI = {"bloom": "n_head", "mpt": "n_heads", "falcon": "num_attention_heads"}


def make(family, number, into):
    r = random.Random(f"{family} {number}")
    torch.manual_seed(number)
    arguments = small(family, r)
    if family in ALIBI:
        heads = r.choice([1, 2, 3, 4, 5, 6, 8])
        width = "d_model" if family == "mpt" else "hidden_size"
        arguments = {**arguments, ALIBI[family]: heads, width: 4 * heads, **({"alibi": True} if family == "falcon" else {})}
    config = transformers.AutoConfig.for_model(family, **arguments)
    model = transformers.AutoModel.from_config(config)
    fill(model, r)
    path = into / f"{family}-{number}"
    model.save_pretrained(path)
    return path


@torch.no_grad()
def compare(family, model, answer):
    config = model.config
    heads = config.num_attention_heads
    mask = torch.ones(1, LENGTH, dtype=torch.int64)
    if family == "bloom":
        return (answer["position_bias"] - bloom_alibi(mask, heads, torch.float32).view(heads, 1, LENGTH)).abs().max().item()
    if family == "falcon":  # made in bfloat16: slopes and products are rounded
        wanted = falcon_alibi(mask, heads, torch.float32).view(heads, 1, LENGTH)
        away = (answer["position_bias"] - wanted).abs() / wanted.abs().clamp_min(1e-9)
        return 0 if away.max().item() <= 2.0**-7 else away.max().item()
    if family == "mpt":  # as seen from the last query
        return (answer["position_bias"][:, -1] - mpt_alibi(heads, LENGTH).view(heads, LENGTH)).abs().max().item()
    if family in ("t5", "mt5", "umt5"):
        bias = model.encoder.block[0].layer[0].SelfAttention.compute_bias(LENGTH, LENGTH)[0]
        return (answer["position_bias"] - bias).abs().max().item()
    wanted = model.relative_positional_encoding(LENGTH, LENGTH, 1)[1:LENGTH + 1, 0]  # of T … 1 − T: T − 1 … 0
    attention = model.layer[0].rel_attn
    vectors = max((answer["content_bias"] - attention.r_w_bias).abs().max().item(),
                  (answer["position_bias_vector"] - attention.r_r_bias).abs().max().item())
    sinusoids = (answer["relative_position_embeddings"][-LENGTH:] - wanted[-LENGTH:]).abs().max().item() if \
        answer["relative_position_embeddings"].shape[0] == LENGTH else "length"
    return vectors or (sinusoids if sinusoids > 4e-6 else 0)


def main(folder):
    into = pathlib.Path(folder)
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    made = [(family, make(family, number, into)) for family in [*ALIBI, "t5", "mt5", "umt5", "xlnet"] for number in range(5)]
    wrong = 0
    with Service(into) as service:
        for family, path in made:
            try:
                away = compare(family, boundary.load(path), service.positions(path.name, context_length=LENGTH))
            except Exception as error:
                away = f"{type(error).__name__} {str(error)[:300]}"
            if away:
                wrong += 1
                print(f"{path.name}: {away}", flush=True)
    print(f"biases: {len(made)} folders, {wrong} wrong")
    return wrong


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
