"""A Parquet file of row groups of hundreds of megabytes, from JSON lines: large_parquet.py LINES OUT GIGABYTES"""

import os
import sys

import pyarrow
import pyarrow.json
import pyarrow.parquet

lines, out, size = sys.argv[1], sys.argv[2], float(sys.argv[3]) * 1e9
table = pyarrow.json.read_json(lines)
groups = pyarrow.concat_tables([table] * max(1, min(150, int(size / table.nbytes))))
with pyarrow.parquet.ParquetWriter(out, table.schema, use_dictionary=False) as writer:
    while not os.path.exists(out) or os.path.getsize(out) < size:
        writer.write_table(groups)
metadata = pyarrow.parquet.read_metadata(out)
print(f"{out}: {metadata.num_row_groups} row groups, the first of {metadata.row_group(0).total_byte_size} bytes")
