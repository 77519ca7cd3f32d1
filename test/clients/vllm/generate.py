"""Prompt embeds pass vLLM's checks, and `generate` from them gives the text that it gives from ids.

generate.py FOLDER
"""

import sys

import torch

from models import make
from safe_load import safe_load_prompt_embeds
from service import Service

TEXTS = ["Hello, world! This is the first layer.", "one two three", "Zwölf Boxkämpfer jagen Viktor."]


@torch.no_grad()
def main(folder):
    wrong = 0
    models = make(folder)
    with Service(folder) as service:
        for name, model in models.items():
            ask = lambda **body: service.json("/v1/prompt-embeds", {"model": name, "text": TEXTS, **body})
            answer = ask(target="transformers")
            same = True
            for text, file, shape in zip(TEXTS, answer["prompt_embeds"], answer["shape"]):
                rows = safe_load_prompt_embeds(file, model.config, model.dtype)
                tokens = service.json("/v1/tokenize",
                                      {"model": name, "text": text, "add_special_tokens": True})["tokens"]
                ids = torch.tensor([[token["id"] for token in tokens]])
                plain = {"max_new_tokens": 24, "do_sample": False, "pad_token_id": 1, "eos_token_id": None}
                from_ids = model.generate(ids, attention_mask=torch.ones_like(ids), **plain)[:, ids.shape[1]:]
                from_rows = model.generate(inputs_embeds=rows[None], attention_mask=torch.ones_like(ids), **plain)
                same &= shape == list(rows.shape) == [ids.shape[1], rows.shape[1]] and torch.equal(from_ids, from_rows)
            numbers = ask(target="sglang")["input_embeds"]
            plain_rows = model.get_input_embeddings().weight[ids[0]]
            to_sglang = torch.equal(torch.tensor(numbers[-1]).to(model.dtype), plain_rows)
            for_vllm = ask()["prompt_embeds"] == answer["prompt_embeds"]
            wrong += not (same and to_sglang and for_vllm)
            print(f"{name:10} {str(model.dtype):15} {'the same text' if same else 'another text'} as from ids; "
                  f"vllm's {'the same' if for_vllm else 'other'} files; "
                  f"sglang's rows {'plain' if to_sglang else 'other'}")
    return wrong


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
