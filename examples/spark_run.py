"""Files tokenized by `inlet run` in tasks of Spark. A task that Spark repeats, or runs twice (speculation), gives the same
outputs once.

    pip install pyspark pyarrow && python examples/spark_run.py OUT FILE…
"""

import json
import subprocess
import sys

import pyarrow as pa
from pyspark.sql import SparkSession

INLET = ["inlet"]
FLAGS = ["--document-end", "endoftext", "--threads", "1", "--quiet"]
COLUMNS = "input string, state string, output string, tokens long, error string"
SCHEMA = [(name, pa.int64() if type == "long" else pa.string()) for name, type in map(str.split, COLUMNS.split(", "))]


def main(out, files):
    def tokenize(parts):
        for part in parts:
            paths = part["path"].to_pylist()
            done = subprocess.run([*INLET, "run", *paths, out, *FLAGS], stdout=subprocess.PIPE, text=True)
            if done.returncode not in (0, 3):  # 3: some files failed, and their lines say so
                raise RuntimeError(f"inlet run ended with {done.returncode}")
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            yield pa.RecordBatch.from_pylist(lines, pa.schema(SCHEMA))

    spark = SparkSession.builder.appName("inlet").getOrCreate()
    paths = spark.createDataFrame([(path,) for path in files], "path string").repartition(len(files))
    paths.mapInArrow(tokenize, COLUMNS).show(len(files), truncate=False)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
