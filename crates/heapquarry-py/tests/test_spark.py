"""The data source and the conversion of Spark, with executors that are processes of their own."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from conftest import CORPUS

import heapquarry as hq

pytestmark = pytest.mark.skipif(shutil.which("java") is None, reason="there is no java")

INPUTS = ["node22.heapsnapshot.gz", "handmade/bun.heapsnapshot", "handmade/v8-timeline.heaptimeline"]
PROFILE = "profiles/current.cpuprofile"


@pytest.fixture(scope="module")
def spark():
    import pyspark
    from pyspark.sql import SparkSession

    # Executors use this interpreter, and the package that it finds.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    path = os.pathsep.join(filter(None, sys.path))
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("heapquarry")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "1g",
        "spark.executorEnv.PYTHONPATH": path,
        "spark.sql.shuffle.partitions": "2",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    from heapquarry.spark import HeapquarryDataSource

    session.dataSource.register(HeapquarryDataSource)
    yield session
    session.stop()


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


def files(out: Path) -> dict[str, bytes]:
    """All tables. Below `_work` a worker of an executor that was killed may still be writing."""
    found = {path.relative_to(out): path for path in out.rglob("*.parquet") if not path.name.startswith(".")}
    return {str(name): path.read_bytes() for name, path in found.items() if name.parts[0] != "_work"}


def test_executors_convert_each_input_once(spark, folder: Path):
    from heapquarry.spark import convert

    (folder / "broken.heapsnapshot").write_text("no heap")
    out = folder.parent / f"{folder.name}.out"
    rows = convert(spark, str(folder), out)
    assert [row["status"] for row in rows].count("done") == 4
    [failed] = [row for row in rows if row["status"] == "failed"]
    assert failed["input"].endswith("broken.heapsnapshot") and "unknown format" in failed["error"]
    for row in rows:
        if row["status"] == "done":
            alone = folder / "alone"
            hq.convert(row["input"], alone, force=True)
            for table in json.loads((alone / "_manifest.json").read_text())["tables"]:
                file = out / table["table"] / f"source={row['source']}" / "part-0.parquet"
                assert file.read_bytes() == (alone / table["file"]).read_bytes(), file
            shutil.rmtree(alone)
    assert not (out / "_work").exists()
    before = files(out)
    again = convert(spark, str(folder), out)
    assert Counter(row["status"] for row in again) == {"before": 4, "failed": 1}
    assert files(out) == before
    assert {path.stem for path in (out / "_done").iterdir()} == {row["source"] for row in rows if row["status"] == "done"}
    # As one table, by Spark itself.
    assert spark.read.parquet(str(out / "js_heap_nodes")).select("source").distinct().count() == 3


def executors() -> list[int]:
    found = subprocess.run(["pgrep", "-f", "CoarseGrainedExecutorBackend"], capture_output=True, text=True).stdout
    mine = {os.getpid()}
    parents = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            parents[int(pid)] = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
    grew = True
    while grew:
        more = {pid for pid, parent in parents.items() if parent in mine} - mine
        grew = bool(more)
        mine |= more
    return [int(pid) for pid in found.split() if int(pid) in mine]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds the executors in /proc")
def test_an_executor_that_dies_changes_nothing(spark, folder: Path):
    from heapquarry.spark import convert

    many = folder / "many"
    many.mkdir()
    for number in range(24):
        shutil.copy(CORPUS / "node22.heapsnapshot.gz", many / f"heap{number}.heapsnapshot.gz")
    whole = folder.parent / f"{folder.name}.whole"
    assert all(row["status"] == "done" for row in convert(spark, str(many), whole))
    out = folder.parent / f"{folder.name}.killed"
    killed = subprocess.Popen(
        [sys.executable, "-c", _KILL, str(out / "_done"), *map(str, executors()[:1])]
    )
    rows = convert(spark, str(many), out)
    assert killed.wait(60) == 0, "an executor was killed"
    assert {row["status"] for row in rows} <= {"done", "before"}
    assert files(out) == files(whole)


# Kills an executor once some inputs are done.
_KILL = """
import os, signal, sys, time
done, victim = sys.argv[1], int(sys.argv[2])
for _ in range(3000):
    if os.path.isdir(done) and len(os.listdir(done)) >= 3:
        os.kill(victim, signal.SIGKILL)
        sys.exit(0)
    time.sleep(0.01)
sys.exit(1)
"""
