"""What the tests share: the corpus, the command, and a cache of their own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import heapquarry as hq

ROOT = Path(__file__).resolve().parents[3]
CORPUS = ROOT / "corpus"
SNAPSHOT = CORPUS / "node22.heapsnapshot.gz"


SPARK = "test_lake.py", "test_spark.py", "test_spark_convert.py"
"""Tests with a cluster of Spark, which one process of pytest runs: to start another one takes longer than most tests."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    from xdist.scheduler import LoadFileScheduling

    class OneCluster(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return "spark" if file.endswith(SPARK) else file

    return OneCluster(config, log)


def corpus() -> list[Path]:
    """Every input of the corpus."""
    asides = {"generate", "golden", "devtools", "names", "process"}
    files = (p for p in CORPUS.rglob("*") if p.is_file() and p.name not in ("README.md", ".gitattributes"))
    found = sorted(p for p in files if p.relative_to(CORPUS).parts[0] not in asides)
    assert len(found) > 50
    return found


def command(*args: object, **options: object) -> "subprocess.CompletedProcess[str]":
    """Runs the command that is built in Rust."""
    binary = os.environ.get("HEAPQUARRY_BIN", str(ROOT / "target" / "debug" / "heapquarry"))
    words = [binary, *map(str, args)]
    return subprocess.run(words, capture_output=True, text=True, timeout=300, **options)


@pytest.fixture(autouse=True, scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    os.environ["HEAPQUARRY_CACHE_DIR"] = str(folder)
    return folder


@pytest.fixture
def snapshot() -> "hq.File":
    return hq.open(SNAPSHOT)


@pytest.fixture(scope="session")
def spark():
    """A session with two executors, which are processes of their own."""
    if shutil.which("java") is None:
        pytest.skip("there is no java")
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
