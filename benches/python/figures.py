"""Figures of the Python package, for docs/python.md.

    pip install target/wheels/heapquarry-*.whl duckdb polars      # after `cargo xtask wheel`
    python benches/python/figures.py BIG.heapsnapshot

Each figure is the best of three runs, each in a process of its own. Peak memory is that of the process.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

RUNS = 3
QUERY = "SELECT type, count(*), sum(self_size) FROM js_heap_nodes GROUP BY 1 ORDER BY 3 DESC"

PROGRAMS = {
    "sql, the first time": "f.sql(QUERY)",
    "sql, again": "f.sql(QUERY)",
    "two columns of nodes to Polars": "import polars as pl; pl.from_arrow(f.table('js_heap_nodes', columns=['id', 'self_size']))",
    "two columns of nodes, streamed": "import pyarrow as pa\nfor batch in pa.RecordBatchReader.from_stream(f.table('js_heap_nodes', columns=['id', 'self_size'])): pass",
    "all edges, streamed": "import pyarrow as pa\nfor batch in pa.RecordBatchReader.from_stream(f.table('js_heap_edges')): pass",
    "all edges, `batches`": "for batch in f.table('js_heap_edges').batches(): pass",
}

RUN = """
import json, resource, sys, time
QUERY = {query!r}
import heapquarry as hq
import duckdb
start = time.perf_counter()
f = hq.open({path!r}{options})
{program}
seconds = time.perf_counter() - start
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]))
"""


def python(path, program, options, cache):
    code = RUN.format(query=QUERY, path=path, program=program, options=options)
    env = {**os.environ, "XDG_CACHE_HOME": cache}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def command(*words):
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "heapquarry", *words], stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, words
    return time.perf_counter() - start, usage.ru_maxrss


def main():
    path = os.path.abspath(sys.argv[1])
    rows = {}
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as folder:
        for run in range(RUNS):
            out, cache = os.path.join(folder, f"out{run}"), os.path.join(folder, f"cache{run}")
            rows.setdefault("command: `convert`", []).append(command("convert", path, "-o", out))
            subprocess.run(["rm", "-r", out])
            rows.setdefault("command: `convert --names id`", []).append(command("convert", path, "-o", out, "--names", "id"))
            subprocess.run(["rm", "-r", out])
            for name, program in PROGRAMS.items():
                options = "" if "sql" in name else ", names='id'"
                rows.setdefault(name, []).append(python(path, program, options, cache))
            subprocess.run(["rm", "-rf", cache])
    print("| | seconds | peak memory |\n| --- | --- | --- |")
    for name, runs in rows.items():
        seconds, memory = min(runs)
        print(f"| {name} | {seconds:.2f} | {memory / 1000:,.0f} MB |")


main()
