"""A PyTorch loop over a dataset of the service beside the same loop over a local memmap of its ids.

python memmap_loop.py URL TOKENS WORKERS BATCHES ROUNDS; prints {"ours": samples a second by rounds, "local": of the memmap}
"""

import itertools
import json
import sys
import tempfile
import time
from pathlib import Path

import numpy
import torch
from torch.utils.data import DataLoader, Dataset as TorchDataset

sys.path.insert(0, str(Path(__file__).parents[3] / "clients/python/src"))
from inlet_client import Dataset, Inlet  # noqa: E402

url, tokens, workers, batches, rounds = sys.argv[1], *map(int, sys.argv[2:])
T, ROWS, SEED = 1024, 16, 5
ids = numpy.random.default_rng(1).integers(0, 50_257, tokens, dtype="<u2")
with Inlet(url) as inlet:
    dataset = inlet.upload_dataset([ids.tobytes()], type="bin", dtype="uint16")["id"]
loader = Dataset(url, dataset).batches(T, ROWS, shuffle="index", seed=SEED, drop_last=True, torch=True)
batches = min(batches, len(loader))
order = Dataset(url, dataset).batches(
    T, ROWS, shuffle="index", seed=SEED, drop_last=True, outputs="window_starts", num_batches=1024
)
starts = numpy.concatenate([batch["window_starts"] for batch in itertools.islice(order, batches)])


class Memmap(TorchDataset):
    """What people do with nanoGPT's train.bin, in the service's order."""

    def __init__(self, path):
        self.path = path

    def __len__(self):
        return batches

    def __getitem__(self, i):
        data = numpy.memmap(self.path, "<u2", "r")
        rows = starts[i * ROWS : (i + 1) * ROWS]
        inputs = torch.stack([torch.from_numpy(data[s : s + T].astype("<i8")) for s in rows])
        targets = torch.stack([torch.from_numpy(data[s + 1 : s + T + 1].astype("<i8")) for s in rows])
        return {"input_ids": inputs, "target_ids": targets}


def epoch(of):
    """Samples a second, and a number that depends on every id, as a loss does."""
    began, check = time.perf_counter(), 0
    whole = DataLoader(of, batch_size=None, num_workers=workers, prefetch_factor=4 if workers else None)
    for batch in itertools.islice(whole, batches):
        check = (check * 31 + int((batch["input_ids"] * 3 + batch["target_ids"]).sum())) % (1 << 61)
    return batches * ROWS / (time.perf_counter() - began), check


with tempfile.NamedTemporaryFile(suffix=".bin") as file:
    ids.tofile(file)
    file.flush()
    local, ours = [], []
    for _ in range(rounds):
        speed, expected = epoch(Memmap(file.name))
        local.append(speed)
        loader.load_state_dict({"epoch": 0, "batch": 0})
        speed, found = epoch(loader)
        ours.append(speed)
        if found != expected:
            sys.exit("FAILED: the batches are not those of the memmap")
print(json.dumps({"ours": ours, "local": local}))
