"""A small GPT gives a document of a packed batch the logits that it gives it alone: python isolation.py URL"""

import random
import sys

import numpy
import torch
from torch import nn

from batches import Service

T, ROWS, VOCAB, WIDTH, HEADS, LAYERS = 64, 8, 500, 32, 4, 3
OUTPUTS = ("input_ids", "position_ids", "cu_seq_lens", "segment_ids")
torch.manual_seed(0)
torch.set_default_dtype(torch.float64)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.after = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x, allowed):
        q, k, v = (part.unflatten(-1, (HEADS, -1)).transpose(0, 1) for part in self.qkv(self.before(x)).chunk(3, -1))
        attended = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
        x = x + self.out(attended.transpose(0, 1).flatten(1))
        return x + self.mlp(self.after(x))


class Gpt(nn.Module):
    """All slots of a batch as one sequence, as FlashAttention's varlen functions take them."""

    def __init__(self):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(VOCAB, WIDTH), nn.Embedding(T, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.head = nn.Linear(WIDTH, VOCAB)

    def forward(self, ids, positions, allowed):
        x = self.tokens(ids) + self.positions(positions)
        for block in self.blocks:
            x = block(x, allowed)
        return self.head(x)


def causal(count):
    return torch.ones(count, count, dtype=torch.bool).tril()


def block_diagonal(cu_seq_lens):
    """Who may look at whom: tokens of the same segment, at or before their own place."""
    segment = torch.searchsorted(cu_seq_lens[1:].contiguous(), torch.arange(int(cu_seq_lens[-1])), right=True)
    return causal(len(segment)) & (segment[:, None] == segment[None, :])


service = Service(sys.argv[1])
draw = random.Random(5)
documents = [[draw.randrange(1, VOCAB) for _ in range(draw.randrange(0, T - 1))] + [0] for _ in range(200)]
ids = numpy.array([i for document in documents for i in document], "<u2")
dataset = service.upload(ids.tobytes(), "application/octet-stream", dtype="uint16", separator_id=0)["id"]
recipe = {"context_length": T, "batch_size": ROWS, "packing": "best_fit", "pad_token_id": 0, "shuffle": "index", "seed": 2}
plan = service.plan(dataset, **recipe)
model = Gpt().eval()
found, worst, leaking = [], 0.0, 0.0
with torch.no_grad():
    for i in range(plan["num_batches"]):
        batch = {name: torch.from_numpy(a.copy()).long() for name, a in service.batch(dataset, i, OUTPUTS, **recipe).items()}
        flat, positions = batch["input_ids"].flatten(), batch["position_ids"].flatten()
        cu = batch["cu_seq_lens"]
        packed = model(flat, positions, block_diagonal(cu))
        mixed = model(flat, positions, causal(len(flat)))
        for begin, end in zip(cu[:-1].tolist(), cu[1:].tolist()):
            if batch["segment_ids"].flatten()[begin] < 0:
                continue  # pads
            alone = model(flat[begin:end], torch.arange(end - begin), causal(end - begin))
            worst = max(worst, (packed[begin:end] - alone).abs().max().item())
            leaking = max(leaking, (mixed[begin:end] - alone).abs().max().item())
            found.append(flat[begin:end].tolist())
if sorted(found) != sorted(documents):
    sys.exit(f"FAILED: {len(found)} segments are not the {len(documents)} documents")
print(f"{len(found)} documents in {plan['num_windows']} windows, fill {plan['fill']:.3f}: logits differ by {worst:.1e}")
print(f"without the segments' mask they differ by {leaking:.1e}")
if worst > 1e-12 or leaking < 1e-3:
    sys.exit("FAILED: the segments are not apart")
