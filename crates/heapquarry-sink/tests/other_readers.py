"""Compares the pairs of files that tests/other_readers.rs writes, as several readers see them.

usage: python other_readers.py DIR
Readers that are not installed are left out. A pair of which a reader refuses the parquet crate's own file is
skipped.
"""

import glob
import importlib
import sys


def pyarrow(path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.ParquetFile(path).read()
    table.validate(full=True)
    plain = lambda t: pa.string() if pa.types.is_dictionary(t) else t
    fields = [pa.field(f.name, plain(f.type), f.nullable) for f in table.schema]
    return table.cast(pa.schema(fields)), [str(f) for f in table.schema]


def pyarrow_filters(path):
    """Numbers of rows by filters, which go by the statistics."""
    import pyarrow.parquet as pq

    counts = []
    for name in pq.read_schema(path).names[1:]:
        column = pq.read_table(path, columns=[name]).column(0)
        for value in column.slice(len(column) // 2, 1).to_pylist():
            for op in ("==", "<", ">=") if value is not None else ():
                filters = [(name, op, value)]
                counts.append(pq.read_table(path, columns=[name], filters=filters).num_rows)
    return counts


def duckdb(path):
    import duckdb

    connection = duckdb.connect()
    return connection.sql(f"SELECT * FROM read_parquet('{path}')").to_arrow_table()


def polars(path):
    import polars as pl

    return pl.read_parquet(path).with_columns(pl.col(pl.Categorical).cast(pl.String))


def pandas(path):
    import pandas as pd

    frame = pd.read_parquet(path)
    for name in frame.select_dtypes("category"):
        frame[name] = frame[name].astype(object)
    return frame


failed = 0
for module, read in {
    "pyarrow": pyarrow,
    "pyarrow ": pyarrow_filters,
    "duckdb": duckdb,
    "polars": polars,
    "pandas": pandas,
}.items():
    try:
        version = importlib.import_module(module.strip()).__version__
    except ImportError:
        continue
    equal, skipped, bad = 0, 0, []
    for ours in sorted(glob.glob(f"{sys.argv[1]}/**/*.ours", recursive=True)):
        try:
            theirs = read(ours.removesuffix("ours") + "theirs")
        except Exception:
            skipped += 1
            continue
        try:
            rows = read(ours)
            same = rows.equals(theirs) if hasattr(rows, "equals") else rows == theirs
            bad += [] if same else [f"{ours} differs"]
            equal += same
        except Exception as error:
            bad.append(f"{ours}: {type(error).__name__}: {str(error)[:200]}")
    print(f"{read.__name__} {version}: {equal} equal, {skipped} skipped, {len(bad)} wrong")
    print(*bad[:10], sep="\n", end="\n" if bad else "")
    failed += len(bad)
sys.exit(failed > 0)
