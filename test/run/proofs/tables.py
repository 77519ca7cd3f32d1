"""Tables of inlet run beside its files without tables: tables.py FOLDER, which has ids.parquet, ids.arrow, ids.bin (uint16),
tensors.parquet, tensors.arrow, and for each of their columns COLUMN.npy."""

import pathlib
import sys

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pyarrow.parquet as parquet


def stream_of(path):
    return pyarrow.ipc.open_stream(pyarrow.memory_map(str(path))).read_all()


def numbers(column):
    """A column's numbers, through all of its lists."""
    values = column.combine_chunks() if isinstance(column, pyarrow.ChunkedArray) else column
    while hasattr(values, "flatten") and pyarrow.types.is_nested(values.type):
        values = values.flatten()
    return values.to_numpy(zero_copy_only=False)


def check_ids(folder):
    expected = numpy.fromfile(folder / "ids.bin", "<u2")
    tables = {"parquet": parquet.read_table(folder / "ids.parquet"), "arrow": stream_of(folder / "ids.arrow")}
    for name, table in tables.items():
        table.validate(full=True)
        assert numpy.array_equal(numbers(table["input_ids"]), expected), name
        print(f"ids.{name}: {table.num_rows} rows, {len(expected)} ids as in .bin, {table.schema.field(0).type}")
    lengths = [numpy.diff(table["input_ids"].combine_chunks().offsets) for table in tables.values()]
    assert numpy.array_equal(*lengths)


def check_tensors(folder):
    tables = {"parquet": parquet.read_table(folder / "tensors.parquet"), "arrow": stream_of(folder / "tensors.arrow")}
    for name, table in tables.items():
        table.validate(full=True)
        for column in table.column_names:
            expected = numpy.load(folder / f"{column}.npy")
            assert len(table) == len(expected), (name, column)
            assert numbers(table[column]).tobytes() == expected.tobytes(), (name, column)
        print(f"tensors.{name}: the bits of npy, {dict(zip(table.schema.names, table.schema.types))}")
    assert tables["parquet"].schema.types == tables["arrow"].schema.types


def check_readers(folder):
    first = numpy.load(folder / "input_embeddings.npy", mmap_mode="r")
    rows = parquet.read_metadata(folder / "ids.parquet").num_rows
    frame = polars.read_parquet(folder / "tensors.parquet")
    assert frame["input_embeddings"][0].to_numpy().tobytes() == first[0].tobytes()
    assert len(polars.read_parquet(folder / "ids.parquet")) == len(polars.read_ipc_stream(folder / "ids.arrow")) == rows
    print("polars:", frame.schema)
    frame = pandas.read_parquet(folder / "ids.parquet")
    assert len(frame) == rows
    print("pandas:", dict(frame.dtypes), len(frame))
    count = duckdb.sql(f"select count(*), sum(len(input_ids)) from '{folder}/ids.parquet'").fetchall()[0]
    assert count[0] == rows
    value = duckdb.sql(f"select input_embeddings[2][3] from '{folder}/tensors.parquet' limit 1").fetchall()[0][0]
    assert value == first[0, 1, 2], value
    print("DuckDB:", count, duckdb.sql(f"from '{folder}/tensors.parquet'").types)


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    check_ids(folder)
    check_tensors(folder)
    check_readers(folder)
