"""Tables of a batch in Delta Lake and Iceberg: the same rows, no file written anew, each once."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import CORPUS, command
from deltalake import DeltaTable
from pyiceberg.catalog.sql import SqlCatalog

from heapquarry import lake

LABEL = "1.0 ä/b"


def batch(folder: Path, *inputs: str, label: str = LABEL) -> None:
    """Each input in a run of its own, which writes a pack."""
    for name in inputs:
        (folder / "list").write_text(f"{CORPUS / name}\n")
        words = ["convert", "--batch", folder / "list", "-o", folder / "out", "--label", f"release={label}"]
        done = command(*words, "--keep", "js_heap_nodes,js_heap_files")
        assert done.returncode == 0, done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    batch(tmp_path, "node22.heapsnapshot.gz", "handmade/bun.heapsnapshot")
    return tmp_path


def expected(out: Path, table: str = "js_heap_nodes") -> list[tuple]:
    files = f"read_parquet('{out}/{table}/**/*.parquet', hive_partitioning = true, union_by_name = true)"
    return duckdb.sql(f"SELECT source, release, count(*), sum(self_size) FROM {files} GROUP BY ALL ORDER BY ALL").fetchall()


def rows(table: pa.Table) -> list[tuple]:
    query = "SELECT source, release, count(*), sum(self_size) FROM t GROUP BY ALL ORDER BY ALL"
    return duckdb.sql(query.replace("FROM t", "FROM given"), connection=_with(table)).fetchall()


def _with(table: pa.Table) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.register("given", table)
    return connection


def delta(out: Path) -> SimpleNamespace:
    path = str(out / "js_heap_nodes")
    return SimpleNamespace(
        register=lambda: lake.register(out, tables=["js_heap_nodes"])["js_heap_nodes"],
        read=lambda: DeltaTable(path).to_pyarrow_table(),
        files=lambda: DeltaTable(path).file_uris(),
        bounds=lambda: pa.table(DeltaTable(path).get_add_actions(flatten=True))["max.node_index"].to_pylist(),
    )


def iceberg(out: Path) -> SimpleNamespace:
    home = out.parent / "iceberg"
    home.mkdir(exist_ok=True)
    catalog = SqlCatalog("test", uri=f"sqlite:///{home}/catalog.db", warehouse=f"file://{home}")
    how = {"tables": ["js_heap_nodes"], "table_format": "iceberg", "catalog": catalog}
    table = lambda: catalog.load_table("heapquarry.js_heap_nodes")  # noqa: E731
    metrics = lambda: table().inspect.files()["readable_metrics"].to_pylist()  # noqa: E731
    return SimpleNamespace(
        register=lambda: lake.register(out, **how)["js_heap_nodes"],
        read=lambda: table().scan().to_arrow(),
        files=lambda: table().inspect.files()["file_path"].to_pylist(),
        bounds=lambda: [file["node_index"]["upper_bound"] for file in metrics()],
        table=table,
    )


@pytest.mark.parametrize("form", [delta, iceberg])
def test_a_lake_has_the_rows_of_the_files_and_each_file_once(form, folder: Path):
    out = folder / "out"
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")}
    table = form(out)
    assert (table.register(), table.register()) == (2, 0)
    assert rows(table.read()) == expected(out)
    assert {row[1] for row in rows(table.read())} == {LABEL}
    # Bounds are those of the footers.
    files = (out / "js_heap_nodes").rglob("part-0.parquet")
    assert sorted(table.bounds()) == sorted(pq.ParquetFile(file).metadata.num_rows - 1 for file in files)
    batch(folder, "node18.heapsnapshot.gz", label="2")
    assert (table.register(), table.register()) == (1, 0)
    assert rows(table.read()) == expected(out)
    parquet = {path for path in out.rglob("*.parquet") if "_delta_log" not in str(path)}
    assert all(path.stat().st_mtime_ns == time for path, time in before.items()) and len(parquet) == len(before) + 5


@pytest.mark.parametrize("form", [delta, iceberg])
def test_files_of_an_older_version_have_fewer_columns(form, folder: Path):
    out = folder / "out"
    [old] = (out / "js_heap_nodes").rglob("source=pack.00001/part-0.parquet")
    columns = pq.read_schema(old).names
    pq.write_table(pq.ParquetFile(old).read(columns=columns[:-1]), old)
    [newer] = (out / "_done").rglob("pack.00000.json")
    shutil.move(newer, folder / "pack.00000.json")
    table = form(out)
    assert table.register() == 1
    assert columns[-1] not in table.read().column_names
    shutil.move(folder / "pack.00000.json", newer)
    assert table.register() == 1
    assert rows(table.read()) == expected(out)
    read = table.read()
    old_rows = read.filter(pa.compute.equal(read["source"], "pack.00001"))
    assert old_rows[columns[-1]].null_count == len(old_rows) > 0


def test_polars_and_duckdb_read_what_delta_names(folder: Path):
    out = folder / "out"
    delta(out).register()
    frame = pl.scan_delta(str(out / "js_heap_nodes")).select(pl.len(), pl.col("self_size").sum()).collect()
    files = DeltaTable(str(out / "js_heap_nodes")).file_uris()
    query = "SELECT count(*), sum(self_size) FROM read_parquet($files)"
    assert frame.row(0) == duckdb.connect().execute(query, {"files": files}).fetchone()


def test_polars_reads_what_iceberg_names(folder: Path):
    out = folder / "out"
    table = iceberg(out)
    table.register()
    for reader in ("native", "pyiceberg"):
        frame = pl.scan_iceberg(table.table(), reader_override=reader).group_by("source", "release")
        found = frame.agg(pl.len(), pl.col("self_size").sum()).sort("source").collect()
        assert found.rows() == expected(out), reader


@pytest.mark.parametrize("form", [delta, iceberg])
def test_spark_reads_what_a_lake_names(form, spark, folder: Path):
    """Its readers of Delta and Iceberg are no packages of Python: it reads the files that the lake names."""
    out = folder / "out"
    table = form(out)
    table.register()
    frame = spark.read.option("basePath", str(out / "js_heap_nodes")).parquet(*table.files())
    found = frame.groupBy("source", "release").agg({"*": "count", "self_size": "sum"}).orderBy("source")
    names = ("source", "release", "count(1)", "sum(self_size)")
    assert [tuple(row[name] for name in names) for row in found.collect()] == expected(out)


def test_what_is_not_complete_is_left_out(folder: Path):
    out = folder / "out"
    [manifest] = (out / "_done").rglob("pack.00001.json")
    manifest.unlink()
    assert delta(out).register() == 1
    with pytest.raises(ValueError, match="has no manifest"):
        lake.register(folder)
    flat = folder / "flat"
    assert command("convert", CORPUS / "handmade/bun.heapsnapshot", "-o", flat).returncode == 0
    with pytest.raises(ValueError, match="not in the hive layout"):
        lake.register(flat)
    assert json.loads((flat / "_manifest.json").read_text())["tables"]
    with pytest.raises(ValueError, match="'delta' or 'iceberg'"):
        lake.register(out, table_format="hudi")
    with pytest.raises(ValueError, match="it is an address; register a local folder"):
        lake.register("s3://bucket/fleet")
    with pytest.raises(ValueError, match="needs a catalog"):
        lake.register(out, table_format="iceberg")
