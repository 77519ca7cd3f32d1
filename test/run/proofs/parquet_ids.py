"""Of the Parquet files of a folder, columns `id` and `input_ids`: the SHA-256 of all ids as uint16, in the order of
`id`, which is that of a merged dataset's tokens.bin; and how many documents and tokens there are."""

import hashlib
import json
import sys

import numpy as np
import pyarrow.compute as pc
import pyarrow.dataset as ds

table = ds.dataset(sys.argv[1], format="parquet").to_table(columns=["id", "input_ids"])
rows = table.take(pc.sort_indices(table, sort_keys=[("id", "ascending")]))["input_ids"]
digest = hashlib.sha256()
for chunk in rows.chunks:
    digest.update(chunk.flatten().to_numpy().astype("<u2").tobytes())
tokens = sum(len(chunk.flatten()) for chunk in rows.chunks)
print(json.dumps({"sha256": digest.hexdigest(), "documents": table.num_rows, "tokens": tokens}))
