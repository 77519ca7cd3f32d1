"""Trains a tiny GPT on chats, on a CPU in a minute, and lets it answer: it stops by itself, since ends of turns are trained.

chats_train.py URL MODEL CHATS.jsonl    MODEL: a folder of the service with a tokenizer and a chat template
"""

import sys
from itertools import chain, islice, repeat

import torch
from inlet_client import Dataset, Inlet
from torch import nn
from torch.nn import functional as F

URL, MODEL, CHATS = sys.argv[1:4]
T, B, C, H, STEPS = 96, 8, 64, 4, 150
torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.qkv, self.out = nn.LayerNorm(C), nn.Linear(C, 3 * C), nn.Linear(C, C)
        self.mlp = nn.Sequential(nn.LayerNorm(C), nn.Linear(C, 4 * C), nn.GELU(), nn.Linear(4 * C, C))

    def forward(self, x, mask):
        heads = [part.unflatten(2, (H, -1)).transpose(1, 2) for part in self.qkv(self.norm1(x)).chunk(3, dim=2)]
        seen = F.scaled_dot_product_attention(*heads, attn_mask=mask)  # [B, H, T, C / H]
        x = x + self.out(seen.transpose(1, 2).flatten(2))
        return x + self.mlp(x)


class GPT(nn.Module):
    def __init__(self, vocab_size):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocab_size, C), nn.Embedding(T, C)
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.head = nn.Sequential(nn.LayerNorm(C), nn.Linear(C, vocab_size, bias=False))

    def forward(self, input_ids, position_ids, segment_ids):
        # Several chats share a window: a token sees those before it in its own chat alone.
        mask = (segment_ids[:, None, :, None] == segment_ids[:, None, None, :]).tril()  # [B, 1, T, T]
        x = self.wte(input_ids) + self.wpe(position_ids)
        for block in self.blocks:
            x = block(x, mask)
        return self.head(x)


with Inlet(URL) as inlet:
    made = inlet.upload_dataset(CHATS, model=MODEL, progress=True)
    print(made["num_documents"], "chats,", made["chats"]["num_target_tokens"], "trained tokens")
    outputs = ["input_ids", "position_ids", "segment_ids", "target_ids"]
    recipe = {"packing": "best_fit", "shuffle": True, "seed": 1, "pad_token_id": 0, "outputs": outputs}
    batches = Dataset(URL, made["id"]).batches(T, B, torch=True, **recipe)
    model = GPT(inlet.model(MODEL)["vocab_size"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for step, batch in enumerate(islice(chain.from_iterable(repeat(batches)), STEPS)):  # each pass is the next epoch
        logits = model(batch["input_ids"], batch["position_ids"], batch["segment_ids"])  # [B, T, V]
        loss = F.cross_entropy(logits.flatten(0, 1), batch["target_ids"].flatten(), reduction="sum")  # not of -100
        loss = loss / batch["num_target_tokens"]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 50 == 0 or step == STEPS - 1:
            print(f"step {step}: loss {loss.item():.3f}")

    first = inlet.dataset_document(made["id"], 0)
    stop = max(zip(first["loss_mask"], range(T), first["input_ids"]))[2]  # the last trained token: the end of a turn
    for question in ["What is the capital of Japan?", "Where is Lima?"]:
        ids = inlet.render_chat([{"role": "user", "content": question}], model=MODEL)["token_ids"]
        answer = []
        while not answer or (answer[-1] != stop and len(ids) + len(answer) < T):
            now = torch.tensor([ids + answer])
            places = torch.arange(now.shape[1])[None]
            answer.append(int(model(now, places, torch.zeros_like(now))[0, -1].argmax()))
        ended = "stopped" if answer[-1] == stop else "did not stop"
        print(f"{question} {inlet.detokenize(answer[:-1], model=MODEL)['text']} [{ended}]")
