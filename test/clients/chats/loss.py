"""The loss of a small GPT on batches of chats of the service, under `tags`, beside that on trl's collator's batches of the same
chats: the same float32 to its last bit.

    python loss.py URL MODELS
"""
import json
import pathlib
import sys
import urllib.parse
import urllib.request

import torch
from drawn_chats import CHATS
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
from trl.trainer.sft_trainer import DataCollatorForLanguageModeling

URL, MODELS = sys.argv[1], pathlib.Path(sys.argv[2])
MODEL, T, B = "trl.qwen2_5_vl_training", 512, 4
FIELDS = ("input_ids", "attention_mask", "labels")
CHATS = [chat for chat in CHATS if not any("train" in message for message in chat["messages"])]


def ask(path, body=None):
    request = urllib.request.Request(URL + path, body, {"content-type": "application/x-ndjson"} if body else {})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def example(tokenizer, chat):
    """A row of trl's dataset, as its `tokenize_fn` and `build_labels` make it."""
    told = {"return_dict": True, "return_assistant_tokens_mask": True, "tools": chat.get("tools")}
    made = tokenizer.apply_chat_template(chat["messages"], **told)
    labels = [i if trained else -100 for i, trained in zip(made["input_ids"], made["assistant_masks"])]
    return {"input_ids": made["input_ids"], "labels": labels}


def main():
    tokenizer = PreTrainedTokenizerFast.from_pretrained(MODELS / MODEL)
    collate = DataCollatorForLanguageModeling(pad_token_id=tokenizer.pad_token_id, pad_to_multiple_of=T)
    torch.manual_seed(123)
    sizes = {"n_positions": T, "n_embd": 32, "n_layer": 2, "n_head": 2}
    model = GPT2LMHeadModel(GPT2Config(vocab_size=len(tokenizer), **sizes)).eval()

    lines = "\n".join(map(json.dumps, CHATS)).encode()
    dataset = ask(f"/v1/datasets?model={MODEL}&mask=tags", lines)["id"]
    recipe = {"context_length": T, "batch_size": B, "tail": "pad", "outputs": ",".join(FIELDS)}
    batches = 0
    for first in range(0, len(CHATS), B):
        rows = [example(tokenizer, chat) for chat in CHATS[first : first + B]]
        if len(rows) < B:
            break
        theirs = collate(rows)
        given = ask(f"/v1/datasets/{dataset}/batches/{first // B}?{urllib.parse.urlencode(recipe)}")
        ours = {name: torch.tensor(given["outputs"][name]["data"]) for name in FIELDS}
        for name in ("input_ids", "attention_mask"):
            assert torch.equal(ours[name].long(), theirs[name]), name
        targets = int((theirs["labels"][:, 1:] != -100).sum())
        assert given["num_target_tokens"] == targets, (given["num_target_tokens"], targets)
        with torch.no_grad():
            losses = [
                model(**{name: batch[name].long() for name in FIELDS}, num_items_in_batch=targets).loss
                for batch in (ours, theirs)
            ]
        assert losses[0].dtype == torch.float32 and torch.equal(*losses), losses
        batches += 1
    print(f"{batches} batches: the loss on Inlet's batch is that on trl's, bit for bit; the last is {losses[0]:.6f}")


main()
