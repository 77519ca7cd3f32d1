"""A column of texts tokenized by a service, in tasks of Spark: JSON lines in, Parquet with `input_ids` out, all other
columns as they were. A task that Spark repeats, or runs twice (speculation), has the same ids; its files count once.

    npx inlet serve & pip install pyspark pyarrow dist/inlet_client-*.whl    # clients/python
    python examples/spark_service.py http://localhost:8000 OUT FILE…
"""

import sys

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession

ENCODING, END = "gpt2", 50256  # END: what --document-end endoftext appends
DOCUMENTS = 1024  # of a request


def main(url, out, files):
    def tokenize(batches):
        from inlet_client import Inlet

        with Inlet(url, retries=10) as inlet:
            for batch in batches:
                answer = inlet.tokenize(batch["text"].to_pylist(), encoding=ENCODING)
                starts = answer["document_starts"]
                ids = np.insert(answer["input_ids"], starts[1:], END)
                lists = pa.ListArray.from_arrays(starts + np.arange(len(starts), dtype="i4"), ids)
                yield batch.drop_columns(["text"]).append_column("input_ids", lists)

    spark = SparkSession.builder.appName("inlet").getOrCreate()
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", DOCUMENTS)
    texts = spark.read.json(files)
    kept = [f"{field.name} {field.dataType.simpleString()}" for field in texts.drop("text").schema]
    texts.mapInArrow(tokenize, ", ".join([*kept, "input_ids array<int>"])).write.parquet(out)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
