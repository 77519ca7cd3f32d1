"""nn.Embedding + nn.Embedding on one thread of the CPU, beside our kernel.

Answers each JSON line, {"dim": C, "contextLength": T, "blocks": MiB of the answer}, with
{"gigabytesPerSecond": the median over its runs}.
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
        tokens = torch.nn.Embedding(TABLE_FLOATS // dim, dim)
        places = torch.nn.Embedding(length, dim)
        ids = torch.randint(TABLE_FLOATS // dim, (batch, length))  # [B, T]
        steps = torch.arange(length)  # [T]
        took = []
        for _ in range(RUNS):
            start = time.perf_counter()
            sums = tokens(ids) + places(steps)  # [B, T, C]
            took.append(time.perf_counter() - start)
        speed = sums.numel() * 4 / statistics.median(took) / 1e9
        print(json.dumps({"gigabytesPerSecond": speed}), flush=True)
