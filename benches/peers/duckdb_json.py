"""DuckDB's read_json, then Parquet: nodes, edges and strings, one value a row."""

import os
import sys

import duckdb

file, out = sys.argv[1:]
db = duckdb.connect()
largest = min(os.path.getsize(file) + 1, 2**32 - 1)
columns = {"nodes": "UINTEGER[]", "edges": "UINTEGER[]", "strings": "VARCHAR[]"}
db.execute(
    f"CREATE TABLE heap AS FROM read_json(?, columns = {columns}, maximum_object_size = {largest})", [file]
)
for section in columns:
    query = f"SELECT unnest({section}) AS value FROM heap"
    db.execute(f"COPY ({query}) TO '{out}-{section}.parquet' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)")
