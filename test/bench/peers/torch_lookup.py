"""The same lookups in PyTorch, on the CPU: nn.Embedding + nn.Embedding.

Reads one JSON line, {"vocab": V, "positions": P, "size": [B, T, C]}, and writes one,
{"version": "2.15.0", "milliseconds": 1.5}: the median of the runs, on one thread or on all of PyTorch's, whichever
is faster. Needs torch (pip install torch).
"""

import json
import statistics
import sys
import time

import torch


def median_milliseconds(work, runs):
    for _ in range(3):
        work()
    took = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        took.append((time.perf_counter() - start) * 1000)
    return statistics.median(took)


def lookup(vocab, positions, batch, length, dim):
    tokens = torch.nn.Embedding(vocab, dim)
    places = torch.nn.Embedding(positions, dim)
    ids = torch.randint(vocab, (batch, length))  # [B, T]
    steps = torch.arange(length)  # [T]
    return lambda: tokens(ids) + places(steps)  # [B, T, C]


request = json.loads(sys.stdin.readline())
batch, length, dim = request["size"]
medians = []
with torch.no_grad():
    work = lookup(request["vocab"], request["positions"], batch, length, dim)
    for threads in {1, torch.get_num_threads()}:
        torch.set_num_threads(threads)
        medians.append(median_milliseconds(work, 15 if batch * length * dim > 1 << 22 else 60))
print(json.dumps({"version": torch.__version__, "milliseconds": min(medians)}))
