"""orjson, then pyarrow to Parquet: nodes, edges and strings as they stand; neither owners of edges nor names."""

import sys

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq

file, out = sys.argv[1:]
with open(file, "rb") as data:
    heap = orjson.loads(data.read())
meta = heap["snapshot"]["meta"]
for section, fields in ("nodes", meta["node_fields"]), ("edges", meta["edge_fields"]):
    table = np.array(heap[section], dtype=np.int64).reshape(-1, len(fields))
    columns = {field: table[:, i] for i, field in enumerate(fields)}
    pq.write_table(pa.table(columns), f"{out}-{section}.parquet", compression="zstd", compression_level=1)
strings = pa.table({"string": heap["strings"]})
pq.write_table(strings, f"{out}-strings.parquet", compression="zstd", compression_level=1)
