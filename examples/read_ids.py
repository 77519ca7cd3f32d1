"""A dataset of `inlet run` or `inlet merge` as an Arrow table, a row a document, over the files as they lie: DuckDB and
polars ask it where it is.

    pip install numpy pyarrow duckdb polars && python examples/read_ids.py OUT/datasets/ds_…
"""

import json
import sys
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa


def table(folder):
    folder = Path(folder)
    card = json.loads((folder / "dataset.json").read_text())
    ids = np.memmap(folder / "tokens.bin", card["dtype"], "r")
    starts = np.memmap(folder / "documents.bin", "int64", "r")  # and the end of the last one
    columns = {"input_ids": ids}
    if (folder / "mask.bin").exists():  # of chats: a bit a token, the lowest first
        bits = np.fromfile(folder / "mask.bin", "uint8")
        columns["loss_mask"] = np.unpackbits(bits, count=len(ids), bitorder="little")
    lists = {name: pa.LargeListArray.from_arrays(pa.array(starts), pa.array(each)) for name, each in columns.items()}
    return pa.table(lists)


if __name__ == "__main__":
    corpus = table(sys.argv[1])
    print(duckdb.sql("select count(*) documents, sum(len(input_ids)) tokens, max(len(input_ids)) longest from corpus"))
    print(pl.from_arrow(corpus).select(pl.col("input_ids").list.len().alias("tokens")).describe())
