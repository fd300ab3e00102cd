"""DuckDB's read_json, then Parquet: the arrays of a heap or of a profile, one value a row; or the events of a trace."""

import os
import sys

import duckdb

file, out = sys.argv[1:]
FRAME = "STRUCT(functionName VARCHAR, scriptId VARCHAR, url VARCHAR, lineNumber BIGINT, columnNumber BIGINT)"
COLUMNS = {
    ".cpuprofile": {
        "nodes": f"STRUCT(id BIGINT, callFrame {FRAME}, hitCount BIGINT, children BIGINT[])[]",
        "samples": "BIGINT[]",
        "timeDeltas": "BIGINT[]",
    },
    # The tree has no type, as it has no depth.
    ".heapprofile": {"samples": "STRUCT(size BIGINT, nodeId BIGINT, ordinal BIGINT)[]", "head": "JSON"},
}
HEAP = {"nodes": "UINTEGER[]", "edges": "UINTEGER[]", "strings": "VARCHAR[]"}

# Those that PyTorch writes; any other member would be lost.
EVENT = {
    "ph": "VARCHAR", "name": "VARCHAR", "cat": "VARCHAR", "pid": "JSON", "tid": "JSON", "ts": "DECIMAL(20, 3)", "dur": "DECIMAL(20, 3)",
    "id": "JSON", "bp": "VARCHAR", "args": "JSON",
}  # fmt: skip


def trace(db, file):
    with open(file, "rb") as begin:
        is_array = begin.read(64).lstrip().startswith(b"[")
    if is_array:
        events = f"SELECT * FROM read_json(?, format = 'array', columns = {EVENT})"
    else:
        event = "STRUCT(" + ", ".join(f'"{name}" {type}' for name, type in EVENT.items()) + ")[]"
        size = min(os.path.getsize(file) + 1, 2**32 - 1)
        columns = {"traceEvents": event}
        events = f"SELECT unnest(traceEvents, recursive := true) FROM read_json(?, columns = {columns}, maximum_object_size = {size})"
    db.execute(f"COPY ({events}) TO '{out}.parquet' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)", [file])


if file.endswith(".json"):
    trace(duckdb.connect(), file)
    sys.exit()

columns = COLUMNS.get(os.path.splitext(file)[1], HEAP)
db = duckdb.connect()
largest = min(os.path.getsize(file) + 1, 2**32 - 1)
db.execute(
    f"CREATE TABLE document AS FROM read_json(?, columns = {columns}, maximum_object_size = {largest})", [file]
)
for name, type in columns.items():
    value = f"unnest({name})" if type.endswith("[]") else name
    query = f"SELECT {value} AS value FROM document"
    db.execute(f"COPY ({query}) TO '{out}-{name}.parquet' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)")
