"""Position schemes that follow from config.json: the service's tensors beside those of transformers' own modules.

positions.py FOLDER
"""

import json
import random
import shutil
import sys

import torch
import transformers
from transformers import AutoConfig, AutoModel

import boundary
from families import SMALL, small
from service import Service

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()
torch.set_num_threads(1)
LENGTH = 45
NESTED = {"gemma3_text", "gemma3", "olmo3", "modernbert"}  # another rope for each type of layer
ROPE = [family for family in SMALL if family not in {
    "gpt2", "gpt_bigcode", "openai-gpt", "gpt_neo", "mpt", "xlnet", "ctrl", "bloom", "opt", "xglm", "t5", "mt5", "umt5",
    "bart", "mbart", "bert", "roberta", "xlm-roberta", "camembert", "mpnet", "distilbert", "electra", "albert", "deberta",
    "deberta-v2"}]
UNSCALED = {"gptj", "codegen"}


def scaling(kind, r):
    """`rope_scaling` of older files; some fields are left to their defaults."""
    some = lambda **fields: {name: value for name, value in fields.items() if r.random() < 0.5}
    factor = r.choice([2.0, 4.0, 3.5])
    if kind == "llama3":
        return {"factor": factor, "low_freq_factor": 1.0, "high_freq_factor": 4.0, **some(original_max_position_embeddings=16)}
    if kind == "yarn":
        return {"factor": factor, **some(original_max_position_embeddings=16), **some(beta_fast=20.0, beta_slow=2.0),
                **some(truncate=False), **r.choice([{}, {"mscale": 0.7, "mscale_all_dim": 0.9}, {"attention_factor": 1.3}])}
    return {} if kind == "default" else {"factor": factor}


def make(family, kind, into, r):
    """A folder with weights of one block, and a config.json as people write it."""
    arguments = small(family, r)
    text = arguments.get("text_config", arguments)
    text.pop("alibi", None)
    config = AutoConfig.for_model(family, **arguments)
    path = into / f"{family}-{kind}"
    AutoModel.from_config(config).save_pretrained(path)
    whole = json.loads((path / "config.json").read_text())
    inner = whole.get("text_config", whole)
    if family not in UNSCALED and kind != "saved":
        rope = inner.pop("rope_parameters", None) or {}
        theta = r.choice([None, 10000.0, 500000.0, 1234.5])
        fields = {"rope_type": kind, **scaling(kind, r)}
        share = (rope.get("full_attention") or rope).get("partial_rotary_factor")
        style = "old" if family in NESTED else r.choice(["old", "new"])
        if style == "old":
            if kind != "default":
                inner["rope_scaling"] = {("rope_type" if family in NESTED or r.random() < 0.5 else "type"): kind, **scaling(kind, r)}
            if theta:
                inner["global_rope_theta" if family == "modernbert" else "rope_theta"] = theta
            if share and r.random() < 0.5:
                inner["rotary_pct" if family == "gpt_neox" else "partial_rotary_factor"] = r.choice([share, 0.5])
        else:
            if theta:
                fields["rope_theta"] = theta
            if share and r.random() < 0.5:
                fields["partial_rotary_factor"] = share
            inner["rope_parameters"] = fields
    (path / "config.json").write_text(json.dumps(whole, indent=1))
    return path


@torch.no_grad()
def own_tables(model, family):
    """cos and sin [T, R/2] as the model makes them."""
    positions = torch.arange(LENGTH).unsqueeze(0)
    where = boundary.text_model(model)
    if family in UNSCALED:
        attention = where.h[0].attn
        buffer = attention.embed_positions if family == "gptj" else attention.embed_positions
        sin, cos = torch.split(buffer[:LENGTH], buffer.shape[-1] // 2, dim=-1)
        return [cos], [sin]
    rotary = next(module for name, module in where.named_modules() if name.endswith("rotary_emb"))
    extra = {"layer_type": "full_attention"} if getattr(rotary, "layer_types", None) else {}
    made = rotary(torch.zeros(1, LENGTH, 4), positions, **extra)
    if torch.is_tensor(made):  # complex: LLaMA 4, DeepSeek V2
        return [made.real[0]], [made.imag[0]]
    return tuple([each[0][:, :each.shape[-1] // 2], each[0][:, ::2], each[0]] for each in made)


def off(found, wanted):
    """Units in the last place, above the size of an angle's own error."""
    unit = torch.maximum(torch.nextafter(wanted.abs(), torch.tensor(torch.inf)) - wanted.abs(), torch.tensor(2.0**-24))
    return ((found - wanted).abs() / unit).max().item()


def closest(found, forms):
    return min((off(found, each) for each in forms if each.shape == found.shape), default=float("inf"))


def main(folder):
    import pathlib
    into = pathlib.Path(folder)
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    made, wrong, right, worst = [], 0, 0, {}
    for family in ROPE:
        for kind in ["saved"] if family in UNSCALED else ["saved", "default", "linear", "dynamic", "llama3", "yarn"]:
            try:
                made.append((family, kind, make(family, kind, into, random.Random(f"{family} {kind}"))))
            except Exception as error:
                print(f"{family} {kind}: could not be made: {type(error).__name__} {str(error)[:200]}")
    with Service(into) as service:
        for family, kind, path in made:
            config = json.loads((path / "config.json").read_text())
            inner = config.get("text_config", config)
            told = {name: inner[name] for name in ("rope_parameters", "rope_scaling", "rope_theta", "max_position_embeddings",
                                                    "head_dim") if name in inner}
            try:
                cos, sin = own_tables(boundary.load(path).float(), family)
            except Exception as error:
                print(f"{family} {kind}: transformers itself: {type(error).__name__} {str(error)[:150]} {told}")
                continue
            try:
                answer = service.positions(path.name, context_length=LENGTH)
                answer = {name: tensor[:len(cos[0])] for name, tensor in answer.items()}
                away = max(closest(answer["cos"], cos), closest(answer["sin"], sin))
            except Exception as error:
                away = f"{type(error).__name__} {str(error)[:200]}"
            if isinstance(away, str) or away > 4:
                wrong += 1
                print(f"{family} {kind}: {away} {told}", flush=True)
            else:
                right += 1
            if not isinstance(away, str):
                worst[kind] = max(worst.get(kind, 0), away)
    print(f"rope: {right} equal, {wrong} wrong; units in the last place: {worst}")
    return wrong


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
