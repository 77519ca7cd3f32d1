"""Files tokenized by `inlet run` in tasks of Spark. A task that Spark repeats, or runs twice (speculation), gives the same
outputs once.

    pip install pyspark pandas pyarrow && python examples/spark_run.py OUT FILE…
"""

import json
import subprocess
import sys

import pandas as pd
from pyspark.sql import SparkSession

INLET = ["inlet"]
FLAGS = ["--document-end", "endoftext", "--threads", "1"]
COLUMNS = "input string, state string, output string, tokens long, error string"


def main(out, files):
    def tokenize(parts):
        for part in parts:
            done = subprocess.run([*INLET, "run", *part["path"], out, *FLAGS], stdout=subprocess.PIPE, text=True)
            if done.returncode not in (0, 3):  # 3: some files failed, and their lines say so
                raise RuntimeError(f"inlet run ended with {done.returncode}")
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            yield pd.DataFrame(lines).reindex(columns=["input", "state", "output", "tokens", "error"])

    spark = SparkSession.builder.appName("inlet").getOrCreate()
    paths = spark.createDataFrame([(path,) for path in files], "path string").repartition(len(files))
    paths.mapInPandas(tokenize, COLUMNS).show(len(files), truncate=False)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
