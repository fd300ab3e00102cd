"""Compares the pairs of files that tests/other_readers.rs writes, as the readers that are installed see them.

usage: python other_readers.py DIR [--modern READER,...]

Of each pair all values must be equal; where a reader cannot read what the parquet crate writes today, to those that
pyarrow sees. Besides, pyarrow's view of our statistics is held against the parquet crate's
rows, and filters on each column, which go by the statistics, must give the rows that they give on rows in memory.
Files below DIR/modern are for the readers named with --modern only. One line for each check: its name, the version,
and how many pairs were equal, skipped and different, with tabs between them. The last column of a reader that cannot
be run says why.
"""

import argparse
import glob
import importlib
import os
import shutil
import sys

OPERATORS = {"==": "=", "<": "<", ">=": ">="}


def arrow(path):
    """The rows as pyarrow sees them, text without dictionaries."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.ParquetFile(path).read()
    table.validate(full=True)
    plain = lambda t: pa.string() if pa.types.is_dictionary(t) else t
    return table.cast(pa.schema([pa.field(f.name, plain(f.type), f.nullable) for f in table.schema]))


def probes(table):
    """For each column that has one, a value from the middle of the table."""
    for name in table.column_names:
        column = table.column(name).drop_null()
        if len(column):
            yield name, column[len(column) // 2].as_py()


def pyarrow(ours, theirs):
    return arrow(ours).equals(arrow(theirs))


def pyarrow_statistics(ours, theirs):
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    metadata, rows, start = pq.ParquetFile(ours).metadata, arrow(theirs), 0
    if metadata.num_rows != len(rows):
        return False
    for g in range(metadata.num_row_groups):
        group = metadata.row_group(g)
        for c in range(metadata.num_columns):
            said, column = group.column(c).statistics, rows.column(c).slice(start, group.num_rows)
            if not group.column(c).has_offset_index or said is None or not said.has_null_count or said.null_count != column.null_count:
                return False
            if not said.has_min_max:
                # Only text may have none, where a bound would be long.
                numbers = said.physical_type != "BYTE_ARRAY" and column.null_count < len(column)
                if numbers:
                    return False
            elif said.physical_type == "BYTE_ARRAY":
                texts = [text.encode() for text in pc.unique(column).drop_null().to_pylist()]
                if (said.min.encode(), said.max.encode()) != (min(texts), max(texts)):
                    return False
            elif {"min": said.min, "max": said.max} != pc.min_max(column).as_py():
                return False
        start += group.num_rows
    return start == len(rows)


def pyarrow_filters(ours, theirs):
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    rows = arrow(theirs)
    compare = {"==": pc.equal, "<": pc.less, ">=": pc.greater_equal}
    for name, value in probes(rows):
        for op in OPERATORS:
            kept = pq.read_table(ours, columns=[name], filters=[(name, op, value)]).column(0)
            expected = rows.column(name).filter(compare[op](rows.column(name), value))
            if not kept.cast(expected.type).equals(expected):
                return False
    return True


def duckdb(ours, theirs):
    import duckdb

    connection = duckdb.connect()
    read = lambda path: connection.sql(f"SELECT * FROM read_parquet('{path}')").to_arrow_table()
    return read(ours).equals(read(theirs))


def duckdb_filters(ours, theirs):
    import duckdb

    connection = duckdb.connect()
    # Rows in memory know nothing of the file's statistics.
    connection.execute(f"CREATE TABLE theirs AS SELECT * FROM read_parquet('{theirs}')")
    # Numbers of rows could be right by chance, a sum over the rows themselves hardly.
    rows = lambda source, where: connection.execute(
        f"SELECT count(*), sum(hash(t)) FROM {source} t WHERE {where[0]}", where[1:]
    ).fetchall()
    for name, value in probes(arrow(theirs)):
        for where in [(f'"{name}" {op} ?', value) for op in OPERATORS.values()] + [(f'"{name}" IS NULL',)]:
            found = rows(f"read_parquet('{ours}')", where)
            if found == rows("theirs", where):
                continue
            # DuckDB 1.4 takes all rows of a row group for null where only most of them are, in both files.
            own_fault = duckdb.__version__.startswith("1.4.") and "IS NULL" in where[0]
            if not own_fault or found != rows(f"read_parquet('{theirs}')", where):
                return False
    return True


def polars(ours, theirs):
    import polars as pl

    # Polars 1.0 to 1.30 refuse columns of floating-point numbers as the parquet crate declares them.
    frame = pl.read_parquet(ours).with_columns(pl.col(pl.Categorical).cast(pl.String))
    return frame.equals(pl.from_arrow(arrow(theirs)))


def pandas(ours, theirs):
    import pandas as pd

    def read(path):
        frame = pd.read_parquet(path)
        for name in frame.select_dtypes("category"):
            frame[name] = frame[name].astype(object)
        return frame

    return read(ours).equals(read(theirs))


SPARK = []


def spark():
    """The session, which takes seconds to make."""
    from pyspark.sql import SparkSession

    if not SPARK:
        # Only the JVM's simple compiler: the optimising one takes more time than it saves in such a short run.
        os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        builder = builder.config("spark.ui.showConsoleProgress", "false")
        # Whatever the machine's name means elsewhere.
        for name in "spark.driver.host", "spark.driver.bindAddress":
            builder = builder.config(name, "127.0.0.1")
        SPARK.append(builder.getOrCreate())
        SPARK[0].sparkContext.setLogLevel("OFF")
    return SPARK[0]


def pyspark(ours, theirs):
    import pyarrow as pa

    frame = spark().read.parquet(ours)
    # Spark 3 has `toArrow` under no public name.
    rows = frame.toArrow() if hasattr(frame, "toArrow") else pa.Table.from_batches(frame._collect_as_arrow())
    plain = lambda table: table.replace_schema_metadata().cast(pa.schema([(f.name, f.type) for f in table.schema]))
    return plain(rows).equals(plain(arrow(theirs)))


def pyspark_filters(ours, theirs):
    import pyarrow.compute as pc

    # Each filter is a job of a tenth of a second: those tables that have columns of every kind. Of larger files Spark
    # passes over pages by their index.
    table, size = os.path.basename(ours).split(".")[:2]
    if size not in ("3000", "140000") or table not in ("js_heap_nodes", "js_heap_edges", "trace_event", "counter", "slice"):
        return None
    rows, frame = arrow(theirs), spark().read.parquet(ours)
    for name, value in probes(rows):
        if frame.where(frame[name] >= value).count() != pc.sum(pc.greater_equal(rows.column(name), value)).as_py():
            return False
    return True


CHECKS = [
    pyarrow,
    pyarrow_statistics,
    pyarrow_filters,
    duckdb,
    duckdb_filters,
    polars,
    pandas,
    pyspark,
    pyspark_filters,
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dir")
    parser.add_argument("--modern", default="")
    parser.add_argument("--readers", required=True)
    args = parser.parse_args()
    pairs = sorted(glob.glob(f"{args.dir}/**/*.ours", recursive=True))
    for check in CHECKS:
        reader = check.__name__.split("_")[0]
        if reader not in args.readers.split(","):
            continue
        version = importlib.import_module(reader).__version__
        if reader == "pyspark" and not shutil.which("java"):
            print(check.__name__, version, 0, 0, 0, "no java", sep="\t", flush=True)
            continue
        equal, skipped, different = 0, 0, []
        for ours in pairs:
            modern = f"{os.sep}modern{os.sep}" in ours
            if modern and reader not in args.modern.split(","):
                skipped += 1
                continue
            try:
                result = check(ours, ours.removesuffix("ours") + "theirs")
            except Exception as error:
                different.append(f"{ours}: {type(error).__name__}: {str(error)[:300]}")
                continue
            skipped += result is None
            equal += result is True
            different += [f"{ours} differs"] if result is False else []
        note = " | ".join(" ".join(text.split()) for text in different[:3])
        print(check.__name__, version, equal, skipped, len(different), note, sep="\t", flush=True)


main()
# Everything is printed. Old versions of the readers leave threads behind, which abort the process when their modules
# are taken down on a busy machine.
sys.stdout.flush()
os._exit(0)
