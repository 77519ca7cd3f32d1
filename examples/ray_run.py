"""Files tokenized by `inlet run` in tasks of Ray Data, one shard a task. Ray runs a task again when a node is lost: what
the first attempt has finished is kept.

    pip install "ray[data]" && python examples/ray_run.py OUT FILE…
"""

import json
import subprocess
import sys

import ray

INLET = ["inlet"]
FLAGS = ["--document-end", "endoftext", "--threads", "1", "--quiet"]


def tokenize(batch, out):
    done = subprocess.run([*INLET, "run", *batch["item"], out, *FLAGS], stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 3):  # 3: some files failed, and their lines say so
        raise RuntimeError(f"inlet run ended with {done.returncode}")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {name: [line.get(name) for line in lines] for name in ("input", "state", "output", "tokens", "error")}


if __name__ == "__main__":
    out, *files = sys.argv[1:]
    shards = ray.data.from_items(files).map_batches(
        tokenize, batch_size=1, num_cpus=1, fn_kwargs={"out": out}
    )
    for line in shards.take_all():
        print(line)
