"""Measures Spark: one executor against two, each with a core, on 40 copies of a file of 50 MB.

python spark.py FILE [COPIES]

Needs the packages heapquarry and pyspark, and Java. FILE may be a small snapshot that `fleet.joined` has made larger.
Each cluster first reads all copies five times: meanwhile the JVMs compile Spark's own code, which takes up to 2 s of CPU
time. The best of five further runs counts.
"""

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import pyspark
from heapquarry.spark import HeapquarryDataSource, convert
from pyspark.sql import SparkSession

RUNS = 5


def cluster(executors):
    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local-cluster[{executors},1,1024]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    spark.dataSource.register(HeapquarryDataSource)
    while len(spark.sparkContext._jsc.sc().statusTracker().getExecutorInfos()) < executors + 1:
        time.sleep(0.2)
    return spark


def best(work):
    found = []
    for _ in range(2 * RUNS):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found[RUNS:])


def main(file, copies="40"):
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder) / "in"
        inputs.mkdir()
        first = inputs / "0.heapsnapshot"
        shutil.copy(file, first)
        for number in range(1, int(copies)):
            os.link(first, inputs / f"{number}.heapsnapshot")
        seconds = {}
        for executors in (1, 2):
            spark = cluster(executors)
            out = str(Path(folder) / "out")

            def added_up():
                # A new query each time: Spark keeps what an earlier one has shuffled.
                nodes = spark.read.format("heapquarry").option("table", "js_heap_nodes").load(str(inputs))
                nodes.selectExpr("sum(self_size)").collect()

            def converted():
                rows = convert(spark, str(inputs), out)
                assert all(row["status"] == "done" for row in rows), rows
                shutil.rmtree(out)

            for name, work in (("sum of sizes", added_up), ("convert", converted)):
                seconds[name, executors] = best(work)
            spark.stop()
        for name in ("sum of sizes", "convert"):
            one, two = seconds[name, 1], seconds[name, 2]
            print(f"{name}: {one:.2f} s on one executor, {two:.2f} s on two: {one / two:.2f} times as fast")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
