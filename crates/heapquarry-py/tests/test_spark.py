"""The data source of Spark, with executors that are processes of their own."""

import json
import os
import shutil
import zipfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from conftest import CORPUS, command

import heapquarry as hq
from heapquarry.spark import HeapquarryDataSource

INPUTS = ["node22.heapsnapshot.gz", "handmade/bun.heapsnapshot", "handmade/v8-timeline.heaptimeline"]
PROFILE = "profiles/current.cpuprofile"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in [*INPUTS, PROFILE]:
        shutil.copy(CORPUS / name, tmp_path)
    return tmp_path


def expected(path: Path, table: str) -> list[tuple]:
    """The rows of a file as the library has them."""
    rows = hq.open(path)[table].to_pyarrow().to_pylist()
    return [(*row.values(), str(path)) for row in rows]


@pytest.mark.parametrize("table", ["source", "js_heap_files", "js_heap_statistics", "js_heap_class", "js_cpu_profiler_node"])
def test_rows_are_those_of_the_library(spark, folder: Path, table: str):
    frame = spark.read.format("heapquarry").option("table", table).load(str(folder))
    files = [path for path in folder.iterdir() if table in hq.open(path).tables]
    rows = [row for path in files for row in expected(path, table)]
    assert rows and Counter(map(tuple, frame.collect())) == Counter(rows)
    assert frame.columns[-1] == "source" or table == "source"


# Of each format, and of several producers.
MIXED = [
    "handmade/bun.heapsnapshot",
    "handmade/v8-2026-scopes.heapsnapshot",
    "handmade/hermes-zero-counts.heapsnapshot",
    "handmade/julia-1.11.heapsnapshot",
    "handmade/ark-7.0.heapsnapshot",
    "handmade/v8-timeline.heaptimeline",
    "jsc/debugging.json",
    "profiles/current.cpuprofile",
    "profiles/current.heapprofile",
    "profiles/beacon.selfprofile.json",
    "pprof/go-heap.pb",
    "traces/node26.trace.json.gz",
    "ftrace/odd.ftrace",
]


def comparable(rows: list[dict]) -> Counter:
    """Rows whatever their order, and times whatever their zone."""
    return Counter(json.dumps(row, sort_keys=True, default=lambda v: v.timestamp() if hasattr(v, "timestamp") else repr(v)) for row in rows)


def rows_without_spark(table: str, folder: Path) -> list[dict]:
    """What the data source reads in this process."""
    source = HeapquarryDataSource({"table": table, "path": str(folder)})
    reader = source.reader(source.schema())
    return [row for part in reader.partitions() for batch in reader.read(part) for row in batch.to_pylist()]


def test_each_table_of_a_mixed_folder_has_the_rows_of_the_command(spark, tmp_path: Path):
    mixed, written, types, largest = tmp_path / "mixed", {}, {}, {}
    mixed.mkdir()
    for name in MIXED:
        shutil.copy(CORPUS / name, mixed)
    for path in mixed.iterdir():
        out = tmp_path / f"{path.name}.tables"
        done = command("convert", "-q", "--analyze", path, "-o", out)
        assert done.returncode == 0, done.stderr
        tables = {file.stem: pq.read_table(file) for file in out.glob("*.parquet")}
        largest[path] = max(tables, key=lambda name: len(tables[name]))
        for name, table in tables.items():
            written.setdefault(name, []).extend({**row, "source": str(path)} for row in table.to_pylist())
            used = {str(kind) for kind, column in zip(table.schema.types, table.columns) if column.null_count < len(column)}
            types[name] = types.get(name, set()) | used
    assert len(written) > 40 and sum(map(bool, written.values())) > 30

    for table, rows in written.items():
        assert comparable(rows_without_spark(table, mixed)) == comparable(rows), table

    # A table takes Spark seconds. It reads the largest one of each file, and tables with types that these do not have.
    chosen = sorted(set(largest.values()))
    for table in written:
        if types[table] - set.union(*(types[name] for name in chosen)):
            chosen.append(table)

    def read(table: str) -> Counter:
        frame = spark.read.format("heapquarry").option("table", table).load(str(mixed))
        return comparable(frame.toArrow().to_pylist())

    with ThreadPoolExecutor(4) as pool:
        for table, found in zip(chosen, pool.map(read, chosen)):
            assert found == comparable(written[table]), table


def test_columns_and_aggregates(spark, folder: Path):
    heaps = [str(folder / Path(name).name) for name in INPUTS]
    read = spark.read.format("heapquarry").option("table", "js_heap_nodes")
    some = read.option("columns", "self_size,type").load(heaps)
    assert some.columns == ["self_size", "type", "source"]
    found = {row["source"]: row["size"] for row in some.groupBy("source").agg({"self_size": "sum"}).toDF("source", "size").collect()}
    sums = {path: sum(hq.open(path).table("js_heap_nodes", ["self_size"]).to_pyarrow()["self_size"].to_pylist()) for path in heaps}
    assert found == sums
    assert read.load(heaps).count() == sum(len(hq.open(path)["js_heap_nodes"].to_pyarrow()) for path in heaps)
    only = read.load(str(folder / "bun.*"))
    assert {row["source"] for row in only.select("source").distinct().collect()} == {str(folder / "bun.heapsnapshot")}


def test_each_document_of_a_container_can_be_a_partition(spark, folder: Path):
    heap = folder / Path(INPUTS[1]).name
    with zipfile.ZipFile(folder / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number, path in enumerate([heap, folder / Path(PROFILE).name, heap]):
            archive.write(path, f"{number}-{path.name}")
    (folder / "broken.heapsnapshot").write_text("{}")
    files = sorted(path for path in folder.iterdir() if path.suffix != ".zip" and path.name != "broken.heapsnapshot")
    documents = [folder / f"all.zip#{number}" for number in range(3)]
    read = spark.read.format("heapquarry").option("documents", "true").option("ignoreCorruptFiles", "true")
    for table in ["js_heap_nodes", "js_cpu_profiler_node", "js_heap_files"]:
        frame = read.option("table", table).load(str(folder))
        # The broken file is a partition too, without rows.
        assert frame.rdd.getNumPartitions() == len(files) + len(documents) + 1
        parts = [path for path in [*files, *documents] if table in hq.open(path).tables]
        rows = [row for path in parts for row in expected(path, table)]
        assert any("#2" in row[-1] for row in rows) or table == "js_cpu_profiler_node"
        assert Counter(map(tuple, frame.collect())) == Counter(rows)


def test_errors_say_what_is_wrong(spark, folder: Path):
    with pytest.raises(Exception, match="needs the option `table`"):
        spark.read.format("heapquarry").load(str(folder)).collect()
    (folder / "broken.heapsnapshot").write_text("no heap")
    with pytest.raises(Exception, match="broken.heapsnapshot"):
        spark.read.format("heapquarry").option("table", "js_heap_nodes").load(str(folder)).count()


def test_files_that_cannot_be_read_are_left_out_on_request(spark, folder: Path):
    read = spark.read.format("heapquarry").option("table", "js_heap_nodes")
    whole = read.load(str(folder)).count()
    (folder / "broken.heapsnapshot").write_text("no heap")
    assert read.option("ignoreCorruptFiles", "true").load(str(folder)).count() == whole


def test_a_stream_takes_up_new_files_once(spark, tmp_path: Path):
    inputs, out, checkpoint = (tmp_path / name for name in ("in", "out", "checkpoint"))
    inputs.mkdir()

    def more(*names: str, age: int = 0) -> None:
        for name in names:
            part = tmp_path / name
            shutil.copy(CORPUS / "handmade/bun.heapsnapshot", part)
            time = part.stat().st_mtime - age
            os.utime(part, (time, time))
            part.rename(inputs / name)

    def run() -> list[int]:
        """Runs the query until nothing is left. Returns how many rows each batch had."""
        stream = spark.readStream.format("heapquarry").option("table", "js_heap_nodes").option("maxFilesPerTrigger", "2")
        frame = stream.load(str(inputs))
        query = frame.writeStream.format("parquet").option("checkpointLocation", str(checkpoint))
        query = query.trigger(availableNow=True).start(str(out))
        assert query.awaitTermination(300)
        return [progress["numInputRows"] for progress in query.recentProgress if progress["numInputRows"]]

    rows = len(hq.open(CORPUS / "handmade/bun.heapsnapshot")["js_heap_nodes"].to_pyarrow())
    more("c", "a", "b")
    assert run() == [2 * rows, rows]
    assert run() == []
    # Before the others by its name, and before them by its time.
    more("0")
    more("1", age=3600)
    assert run() == [2 * rows]
    found = Counter(row["source"] for row in spark.read.parquet(str(out)).select("source").collect())
    assert found == {str(inputs / name): rows for name in "abc01"}
