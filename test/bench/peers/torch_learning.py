"""One optimizer step of an nn.Embedding in PyTorch, on one thread: its backward, and the optimizer's.

Started with JSON, {"type": …, "sparse": true, "vocab": V, "dim": C, "shape": [B, T]}. Then one JSON line in, {"runs": n},
one out: milliseconds of backward, and of step with zero_grad, the medians of n.
"""

import json
import statistics
import sys
import time

import torch

CLASSES = {"sgd": "SGD", "adagrad": "Adagrad", "sparse_adam": "SparseAdam", "adamw": "AdamW"}
asked = json.loads(sys.argv[1])
torch.set_num_threads(1)
torch.manual_seed(123)
layer = torch.nn.Embedding(asked["vocab"], asked["dim"], sparse=asked["sparse"])
options = {} if asked["sparse"] else {"foreach": False, "fused": False}
optimizer = getattr(torch.optim, CLASSES[asked["type"]])(layer.parameters(), lr=0.01, **options)
gradient = torch.randn(*asked["shape"], asked["dim"])


def once():
    ids = torch.randint(asked["vocab"], asked["shape"])
    out = layer(ids)
    start = time.perf_counter()
    out.backward(gradient)
    middle = time.perf_counter()
    optimizer.step()
    optimizer.zero_grad()
    return (middle - start) * 1000, (time.perf_counter() - middle) * 1000


print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    times = [once() for _ in range(json.loads(line)["runs"])]
    backward, step = (statistics.median(each) for each in zip(*times))
    print(json.dumps({"backward": backward, "step": step}), flush=True)
