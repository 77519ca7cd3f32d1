"""Rows of two tables, added in float32, on one thread of the CPU, beside our kernel.

Answers each JSON line, {"dim": C, "contextLength": T, "blocks": MiB of the answer, "dtype": of the tables}, with
{"gigabytesPerSecond": the median over its runs}. `.float()` of float32 is the tensor itself.
"""

import json
import statistics
import sys
import time

import torch

TABLE_FLOATS = 50257 * 256
RUNS = 15

torch.set_num_threads(1)
print("{}", flush=True)
with torch.no_grad():
    for line in sys.stdin:
        size = json.loads(line)
        dim, length = size["dim"], size["contextLength"]
        batch = size["blocks"] * 2**20 // (4 * dim * length)
        dtype = getattr(torch, size["dtype"])
        tokens = torch.nn.Embedding(TABLE_FLOATS // dim, dim, dtype=dtype)
        places = torch.nn.Embedding(length, dim, dtype=dtype)
        ids = torch.randint(TABLE_FLOATS // dim, (batch, length))  # [B, T]
        steps = torch.arange(length)  # [T]
        took = []
        for _ in range(RUNS):
            start = time.perf_counter()
            sums = tokens(ids).float() + places(steps).float()  # [B, T, C]
            took.append(time.perf_counter() - start)
        speed = sums.numel() * 4 / statistics.median(took) / 1e9
        print(json.dumps({"gigabytesPerSecond": speed}), flush=True)
