"""Inputs and tables in object storage, where the module is built with it; a clear error where it is not."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import CORPUS, ROOT

import heapquarry as hq
from heapquarry import _native
from heapquarry.errors import OutputError
from heapquarry.inputs import files

HEAP = CORPUS / "handmade/bun.heapsnapshot"
OTHERS = [CORPUS / "handmade/v8-timeline.heaptimeline", CORPUS / "profiles/current.cpuprofile"]


def is_built_with_it() -> bool:
    try:
        return _native.Destination("s3://heaps") is not None
    except OutputError:
        return False


with_it = pytest.mark.skipif(not is_built_with_it(), reason="the module is built without object storage")


@pytest.mark.skipif(is_built_with_it(), reason="the module is built with object storage")
def test_without_it_errors_say_so():
    for work, error in [
        (lambda: files("s3://heaps/in/"), hq.InputError),
        (lambda: hq.open("s3://heaps/a.heapsnapshot").documents, hq.InputError),
        (lambda: _native.Destination("s3://heaps/out"), OutputError),
    ]:
        with pytest.raises(error, match="built without object storage"):
            work()


@pytest.fixture
def heaps(tmp_path: Path, monkeypatch):
    """The folder of a bucket."""
    monkeypatch.syspath_prepend(str(ROOT / "benches/fleet"))
    from server import Server

    server = Server(tmp_path / "s3", latency=0)
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
    bucket = tmp_path / "s3/heaps"
    for path in [HEAP, *OTHERS]:
        (bucket / "in/v1").mkdir(parents=True, exist_ok=True)
        shutil.copy(path, bucket / "in/v1")
    yield bucket
    server.close()


# What a driver does in a session of its own: executors have its environment.
DRIVER = """
import json, os, pyspark, sys
from pathlib import Path
from pyspark.sql import SparkSession
from heapquarry.inputs import files
from heapquarry.spark import HeapquarryDataSource, convert
os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
os.environ["PYSPARK_PYTHON"] = sys.executable
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
spark.dataSource.register(HeapquarryDataSource)
addresses = ["s3a://heaps/in", "s3://heaps/in/", "s3a://heaps/in/*.heapsnapshot", "s3://heaps/in/v1/bun.heapsnapshot"]
nodes = spark.read.format("heapquarry").option("table", "js_heap_nodes")
rows = [convert(spark, "s3://heaps/in/", "s3://heaps/out/")]
# As an attempt leaves it that is killed before its manifest.
killed = Path(sys.argv[1], "out/source/source=killed-1/part-0.parquet")
killed.parent.mkdir()
killed.touch()
rows.append(convert(spark, "s3://heaps/in/", "s3://heaps/out"))
try:
    convert(spark, "s3://heaps/in/", "s3://heaps/out", analyze=True)
except Exception as error:
    refused = str(error)
print(json.dumps({
    "files": {address: files(address) for address in addresses},
    "sources": sorted(row[0] for row in nodes.load(addresses[0]).select("source").distinct().collect()),
    "rows": rows,
    "refused": refused,
}))
"""


@with_it
@pytest.mark.skipif(shutil.which("java") is None, reason="there is no java")
def test_spark_reads_and_writes_objects(heaps: Path, tmp_path: Path):
    done = subprocess.run([sys.executable, "-c", DRIVER, str(heaps)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    names = sorted(path.name for path in [HEAP, *OTHERS])
    assert found["files"] == {
        "s3a://heaps/in": [f"s3a://heaps/in/v1/{name}" for name in names],
        "s3://heaps/in/": [f"s3://heaps/in/v1/{name}" for name in names],
        "s3a://heaps/in/*.heapsnapshot": [f"s3a://heaps/in/v1/{HEAP.name}"],
        "s3://heaps/in/v1/bun.heapsnapshot": ["s3://heaps/in/v1/bun.heapsnapshot"],
    }
    assert found["sources"] == [f"s3a://heaps/in/v1/{name}" for name in names if "profile" not in name]
    assert [{row["status"] for row in rows} for rows in found["rows"]] == [{"done"}, {"before"}]
    assert "it was begun with analyze false; use the same options" in found["refused"]
    written = {str(path.relative_to(heaps / "out")) for path in (heaps / "out").rglob("*") if path.is_file()}
    expected = {"_batch.json"}
    for row in found["rows"][0]:
        made = tmp_path / row["source"]
        hq.convert(heaps / row["input"].removeprefix("s3://heaps/"), made)
        tables = json.loads((made / "_manifest.json").read_text())["tables"]
        expected |= {f"_done/{row['source']}.json"}
        expected |= {f"{table['table']}/source={row['source']}/part-0.parquet" for table in tables}
        for table in (table for table in tables if table["table"] != "source"):
            object = heaps / "out" / table["table"] / f"source={row['source']}" / "part-0.parquet"
            assert object.read_bytes() == (made / table["file"]).read_bytes(), object
    assert written == expected
