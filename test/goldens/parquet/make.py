"""The Parquet files of this folder, all of the same documents: make.py, with pyarrow 26."""

import json

import pyarrow as pa
import pyarrow.parquet as pq

TEXTS = ["Hello, world!", "", "Grüße aus Köln", "🦙 llama", "a\nb\r\nc", "same", "same", "x" * 3000] + [
    f"document {i} of a corpus, with some words {i * 7919 % 1000}" for i in range(60)
]
IDS = [[15496, 11, 995, 0], [], [0], [50256] * 3, list(range(500))] + [[i, 2 * i, 3 * i] for i in range(40)]
SMALL = {"write_batch_size": 4, "data_page_size": 256}


def texts(name, kind=pa.string(), nullable=True, **options):
    schema = pa.schema([pa.field("id", pa.int64()), pa.field("text", kind, nullable)])
    table = pa.table({"id": range(len(TEXTS)), "text": [t if kind != pa.binary() else t.encode() for t in TEXTS]}, schema)
    pq.write_table(table, f"text-{name}.parquet", **options)


def ids(name, kind, **options):
    schema = pa.schema([pa.field("input_ids", kind, options.pop("nullable", True))])
    pq.write_table(pa.table({"input_ids": IDS}, schema), f"ids-{name}.parquet", **options)


for codec in ["none", "snappy", "gzip", "brotli", "zstd", "lz4"]:
    texts(codec, compression=codec, row_group_size=25)
texts("required", nullable=False, use_dictionary=False)
texts("pages", **SMALL, use_dictionary=False)
texts("pages-v2", **SMALL, data_page_version="2.0", use_dictionary=False, compression="zstd")
texts("dictionary-v2", **SMALL, data_page_version="2.0")
texts("delta-length", use_dictionary=False, column_encoding={"text": "DELTA_LENGTH_BYTE_ARRAY", "id": "PLAIN"})
texts("delta", use_dictionary=False, column_encoding={"text": "DELTA_BYTE_ARRAY", "id": "PLAIN"})
texts("binary", kind=pa.binary())
texts("large", kind=pa.large_string(), write_page_index=True)
ids("int32", pa.list_(pa.int32()))
ids("int64", pa.large_list(pa.int64()), row_group_size=7)
ids("uint16", pa.list_(pa.field("item", pa.uint16(), False)), nullable=False, compression="zstd")
ids("pages", pa.list_(pa.int32()), **SMALL, use_dictionary=False)
ids("pages-v2", pa.list_(pa.uint32()), **SMALL, data_page_version="2.0")
ids("delta", pa.list_(pa.int32()), use_dictionary=False, column_encoding={"input_ids.list.element": "DELTA_BINARY_PACKED"})

BAD = {
    "null-text": {"text": ["a", None, "b"]},
    "null-ids": {"input_ids": [[1], None]},
    "null-id": {"input_ids": [[1], [2, None, 3]]},
    "negative-id": {"input_ids": [[1], [2, -3]]},
    "large-id": {"input_ids": [[1], [2], [3, 50257]]},
    "wide-id": {"input_ids": [[2**40]]},
    "not-utf8": {"text": [b"a", b"\xff"]},
    "numbers": {"text": [1, 2]},
    "nested": {"input_ids": [[[1]]]},
    "floats": {"input_ids": [[0.5]]},
    "no-column": {"url": ["a"], "content": ["b"]},
    "labels": {"input_ids": [[1, 2]], "labels": [[2, 3]]},
}
pq.write_table(pa.table({"text": pa.array([], pa.string())}), "no-rows.parquet")
for name, columns in BAD.items():
    pq.write_table(pa.table(columns), f"bad-{name}.parquet")

with open("documents.json", "w") as file:
    json.dump({"texts": TEXTS, "ids": IDS}, file, ensure_ascii=False)
