"""An epoch of a million windows under `shuffle=index` beside index_order.py: python compare_index.py URL [WINDOWS]"""

import sys

import numpy

from batches import Service
from index_order import round_keys, window_at

url = sys.argv[1]
windows = int(sys.argv[2]) if len(sys.argv) > 2 else 10**6
ROWS, SEED, EPOCH = 1000, -(2**62) + 12345, 7

service = Service(url)
ids = numpy.arange(windows + 1, dtype="<u4")  # a window of one token is its own number
dataset = service.upload(ids.tobytes(), "application/octet-stream", dtype="uint32")["id"]
recipe = {"context_length": 1, "batch_size": ROWS, "shuffle": "index", "seed": SEED, "epoch": EPOCH}
assert service.plan(dataset, **recipe)["num_windows"] == windows
served = []
for first in range(0, -(-windows // ROWS), 100):
    served += service.batch(dataset, first, ("input_ids",), num_batches=100, **recipe)["input_ids"][:, 0].tolist()
keys = round_keys(SEED, EPOCH)
own = [window_at(g, windows, keys) for g in range(windows)]
if served != own:
    sys.exit(f"FAILED: the order differs first at {next(i for i, pair in enumerate(zip(served, own)) if pair[0] != pair[1])}")
assert len(set(own)) == windows
print(f"shuffle=index: the order of {windows:,} windows is the same")
