"""Arrow answers of a running service beside its npy answers: arrow.py URL ROUNDS TOKENS"""

import io
import json
import statistics
import sys
import time
from urllib.request import Request, urlopen

import duckdb
import numpy
import pandas
import polars
import pyarrow

ARROW = "application/vnd.apache.arrow.stream"


def ask(url, body, accept):
    request = Request(f"{url}/v1/input-embeddings", json.dumps(body).encode(),
                      {"Content-Type": "application/json", "Accept": accept})
    with urlopen(request, timeout=300) as answer:
        return answer.read()


def array_of(column, shape):
    """A column's numbers, through all of its lists, without a copy."""
    values = column
    for _ in shape[1:]:
        values = values.flatten()
    return values.to_numpy(zero_copy_only=True).reshape(shape)


def same_bits(url):
    outputs = ["input_ids", "input_embeddings", "token_embeddings", "window_starts"]
    for dtype in ["float32", "float16"]:
        for ids_dtype in ["int32", "int64"]:
            body = {"input_ids": list(range(3000)), "context_length": 16, "stride": 5, "dtype": dtype, "ids_dtype": ids_dtype}
            stream = ask(url, {**body, "outputs": outputs}, ARROW)
            batch = pyarrow.ipc.open_stream(stream).read_next_batch()
            batch.validate(full=True)
            for name in outputs:
                npy = numpy.load(io.BytesIO(ask(url, {**body, "outputs": [name]}, "application/x-npy")))
                array = array_of(batch.column(name), npy.shape)
                assert array.dtype == npy.dtype and array.tobytes() == npy.tobytes(), (name, dtype, ids_dtype)
                assert batch.column(name).buffers()[-1].address % 8 == 0
    print("pyarrow: the bits of npy, validated,", batch.schema.metadata)


def opened(url):
    body = {"input_ids": list(range(1000)), "context_length": 8, "outputs": ["input_ids", "input_embeddings"]}
    stream = ask(url, body, ARROW)
    windows = pyarrow.ipc.open_stream(stream).read_all()
    npy = numpy.load(io.BytesIO(ask(url, {**body, "outputs": ["input_embeddings"]}, "application/x-npy")))
    ids = numpy.load(io.BytesIO(ask(url, {**body, "outputs": ["input_ids"]}, "application/x-npy")))
    frame = polars.read_ipc_stream(io.BytesIO(stream))
    assert frame["input_embeddings"].to_numpy().tobytes() == npy.tobytes()
    print("polars:", frame.schema)
    frame = windows.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and numpy.stack(frame["input_ids"]).tobytes() == ids.tobytes()
    print("pandas:", list(frame.dtypes.items()))
    first = duckdb.sql("select input_ids[1] as first, input_embeddings[8][1] as last from windows").fetchnumpy()
    assert (first["first"] == ids[:, 0]).all() and (first["last"] == npy[:, 7, 0]).all()
    print("DuckDB:", duckdb.sql("select input_ids, input_embeddings from windows").types)


def speed(url, rounds, tokens):
    body = {"input_ids": [i % 50_000 for i in range(tokens)], "context_length": 100, "outputs": ["input_embeddings"]}
    seconds = {ARROW: [], "application/x-npy": []}
    for turn in range(rounds + 1):
        for accept, of in seconds.items():
            begun = time.perf_counter()
            size = len(ask(url, body, accept))
            if turn > 0:
                of.append(time.perf_counter() - begun)
    rates = {accept: size / statistics.median(of) / 1e6 for accept, of in seconds.items()}
    ratio = rates[ARROW] / rates["application/x-npy"]
    print(f"{size / 1e6:.0f} MB an answer: Arrow {rates[ARROW]:.0f} MB/s, npy {rates['application/x-npy']:.0f} MB/s, {ratio:.2f}")
    assert ratio >= 0.8


if __name__ == "__main__":
    url, rounds, tokens = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    same_bits(url)
    opened(url)
    speed(url, rounds, tokens)
