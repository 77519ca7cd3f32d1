"""A column of texts tokenized by a service, in batches of Ray Data: JSON lines in, Parquet with `input_ids` out, all other
columns as they were. Ray repeats a batch whose worker is lost; the same batch has the same ids.

    npx inlet serve & pip install "ray[data]" dist/inlet_client-*.whl    # clients/python
    python examples/ray_service.py http://localhost:8000 OUT FILE…
"""

import sys

import numpy as np
import pyarrow as pa
import ray

ENCODING, END = "gpt2", 50256  # END: what --document-end endoftext appends


class Tokenize:
    """One for each worker: it keeps its connection."""

    def __init__(self, url):
        from inlet_client import Inlet

        self.inlet = Inlet(url, retries=10)

    def __call__(self, batch):
        answer = self.inlet.tokenize(batch["text"].to_pylist(), encoding=ENCODING)
        starts = answer["document_starts"]
        ids = np.insert(answer["input_ids"], starts[1:], END)
        lists = pa.ListArray.from_arrays(starts + np.arange(len(starts), dtype="i4"), ids)
        return batch.drop_columns(["text"]).append_column("input_ids", lists)


if __name__ == "__main__":
    url, out, *files = sys.argv[1:]
    texts = ray.data.read_json(files, lines=True)
    workers = {"compute": ray.data.ActorPoolStrategy(size=2), "fn_constructor_args": [url]}
    # They wait for the service: with a core for each, none may be left for those that read and write.
    ids = texts.map_batches(Tokenize, batch_size=1024, batch_format="pyarrow", num_cpus=0.1, **workers)
    ids.write_parquet(out)
