"""Writes learning_steps.json: SHA-256 of a [50257, 256] table after 200 steps of each of torch.optim's optimizers.

python learning_steps.py [STEPS]. Needs torch 2.15 and an x86-64 processor with FMA. Gradients come from a formula that
test/first-layer/learning/goldens.ts has too: 256 token rows a step, of which many are the same.
"""

import os

os.environ["MKL_VML_DEBUG_CPU_TYPE"] = "3"  # MKL's AVX2 kernels, whose square root is IEEE's
import hashlib
import json
import sys

import numpy as np
import torch

V, C, N = 50257, 256, 256
STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 200
OPTIMIZERS = [
    {"type": "sgd", "lr": 0.1},
    {"type": "adagrad", "lr": 0.1},
    {"type": "sparse_adam", "lr": 0.01},
    {"type": "adam", "lr": 0.01},
    {"type": "adamw", "lr": 0.01},
]
CLASSES = {"sgd": "SGD", "adagrad": "Adagrad", "sparse_adam": "SparseAdam", "adam": "Adam", "adamw": "AdamW"}


def formula(n, salt):
    mask = np.uint64(0xFFFFFFFF)
    h = (np.arange(n, dtype=np.uint64) * np.uint64(2654435761) + np.uint64(salt)) & mask
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        h = (h ^ h >> np.uint64(shift)) * np.uint64(factor) & mask
    h ^= h >> np.uint64(16)
    exponent = -23 - (h & np.uint64(7)).astype(int)
    return np.ldexp((h >> np.uint64(8)).astype(np.float64) - 2.0**23, exponent).astype(np.float32)


def ids_of(step):
    i = np.arange(N // 2, dtype=np.int64)
    return np.concatenate([(i * 7919 + step * 104729 + salt) % mod for mod, salt in ((V, 1), (97, 2))])


def run(optimizer):
    torch.manual_seed(123)
    weight = torch.nn.Embedding(V, C).weight
    options = {k: v for k, v in optimizer.items() if k != "type"}
    is_sparse = optimizer["type"] == "sparse_adam"
    if not is_sparse:
        options.update(foreach=False, fused=False)
    opt = getattr(torch.optim, CLASSES[optimizer["type"]])([weight], **options)
    for step in range(1, STEPS + 1):
        ids = torch.from_numpy(ids_of(step))
        g = torch.from_numpy(formula(N * C, 1_000_003 * step).reshape(N, C))
        if is_sparse:  # duplicates in the order of the dense backward
            rows, places = torch.unique(ids, return_inverse=True)
            sums = torch.ops.aten.embedding_dense_backward(g, places, len(rows), -1, False)
            sparse = dict(is_coalesced=True, check_invariants=False)
            weight.grad = torch.sparse_coo_tensor(rows[None], sums, weight.shape, **sparse)
        else:
            weight.grad = torch.ops.aten.embedding_dense_backward(g, ids, V, -1, False)
        opt.step()
    return hashlib.sha256(weight.detach().numpy().tobytes()).hexdigest()


torch.set_num_threads(1)
cases = [{"optimizer": optimizer, "sha256": run(optimizer)} for optimizer in OPTIMIZERS]
made_by = f"torch {torch.__version__}, MKL_VML_DEBUG_CPU_TYPE=3, 1 thread, single-tensor optimizers"
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "learning_steps.json")
with open(path, "w") as file:
    json.dump({"made_by": made_by, "steps": STEPS, "cases": cases}, file, indent=1)
    file.write("\n")
