"""Compares the pairs of files that tests/other_readers.rs writes, as several readers see them.

usage: python other_readers.py DIR
Readers that are not installed are left out.
"""

import glob
import importlib
import sys


def pyarrow_equal(ours, theirs):
    import pyarrow as pa
    import pyarrow.parquet as pq

    def plain(path):
        table = pq.ParquetFile(path).read()
        fields = [
            pa.field(f.name, pa.string() if pa.types.is_dictionary(f.type) else f.type, f.nullable)
            for f in table.schema
        ]
        return table.cast(pa.schema(fields))

    schemas = [pq.read_schema(path).remove_metadata() for path in (ours, theirs)]
    assert schemas[0].equals(schemas[1]), schemas
    return plain(ours).equals(plain(theirs))


def pyarrow_statistics_hold(ours, theirs):
    """Filters by bounds give the same rows in both files."""
    import pyarrow.parquet as pq

    schema = pq.read_schema(ours)
    for name in schema.names[1:]:
        column = pq.read_table(theirs, columns=[name]).column(0)
        values = [v for v in column.slice(len(column) // 2, 1).to_pylist() if v is not None]
        for value in values:
            for op in ("==", "<", ">="):
                a, b = (
                    pq.read_table(p, columns=[name], filters=[(name, op, value)]).num_rows
                    for p in (ours, theirs)
                )
                if a != b:
                    return False
    return True


def duckdb_equal(ours, theirs):
    import duckdb

    connection = duckdb.connect()
    select = "SELECT * FROM read_parquet('{}', binary_as_string=false)"
    for a, b in ((ours, theirs), (theirs, ours)):
        left = connection.execute(
            f"SELECT count(*) FROM ({select.format(a)} EXCEPT ALL {select.format(b)})"
        ).fetchone()[0]
        if left:
            return False
    return True


def polars_equal(ours, theirs):
    import polars as pl

    strings = lambda frame: frame.with_columns(pl.col(pl.Categorical).cast(pl.String))
    return strings(pl.read_parquet(ours)).equals(strings(pl.read_parquet(theirs)))


def pandas_equal(ours, theirs):
    import pandas as pd

    a, b = pd.read_parquet(ours), pd.read_parquet(theirs)
    for frame in (a, b):
        for name in frame.select_dtypes("category"):
            frame[name] = frame[name].astype(object)
    return a.equals(b)


CHECKS = {
    "pyarrow": [pyarrow_equal, pyarrow_statistics_hold],
    "duckdb": [duckdb_equal],
    "polars": [polars_equal],
    "pandas": [pandas_equal],
}

failed = 0
for module, checks in CHECKS.items():
    try:
        version = importlib.import_module(module).__version__
    except ImportError:
        continue
    for check in checks:
        pairs = sorted(glob.glob(f"{sys.argv[1]}/**/*.ours", recursive=True))
        bad = []
        for ours in pairs:
            try:
                equal = check(ours, ours.removesuffix("ours") + "theirs")
            except Exception as error:  # a reader that refuses a file
                equal = False
                print(f"{module} {version}: {ours}: {type(error).__name__}: {str(error)[:200]}")
            if not equal:
                bad.append(ours)
        print(f"{module} {version} {check.__name__}: {len(pairs) - len(bad)} of {len(pairs)}", *bad[:5])
        failed += len(bad)
sys.exit(failed > 0)
