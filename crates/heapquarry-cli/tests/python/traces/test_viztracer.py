"""A program that VizTracer traces: its calls are slices that nest as the calls did."""

import subprocess
import sys
from collections import Counter

from conftest import codes, convert, read_rows

PROGRAM = """
import sys, viztracer

def fibonacci(n):
    return 1 if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

with viztracer.VizTracer(output_file=sys.argv[1], verbose=0) as tracer:
    fibonacci(12)
    tracer.log_instant("done", args={"of": 12})
    tracer.log_var("total", 233)
"""


def calls(n, depth=0):
    """How often the function is called at each depth."""
    if n < 2:
        return Counter({depth: 1})
    return Counter({depth: 1}) + calls(n - 1, depth + 1) + calls(n - 2, depth + 1)


def test_calls_nest(tmp_path):
    path = tmp_path / "trace.json"
    subprocess.run([sys.executable, "-c", PROGRAM, path], check=True)
    folder = convert(path, tmp_path / "out")
    (source,) = read_rows(folder, "source")
    assert (source["producer"], source["status"]) == ("viztracer", "complete")
    slices = [row for row in read_rows(folder, "slice") if row["name"].startswith("fibonacci")]
    assert Counter(row["depth"] for row in slices) == calls(12)
    depths = {row["id"]: row["depth"] for row in slices}
    assert all(depths[row["parent_id"]] == row["depth"] - 1 for row in slices if row["depth"])
    assert {row["is_overlapping"] for row in slices} == {0} and "overlapping_slice" not in codes(folder)
    assert "done" in {row["name"] for row in read_rows(folder, "instant")}
    (thread,) = read_rows(folder, "thread")
    (process,) = read_rows(folder, "process")
    assert (thread["name"], thread["is_main_thread"], process["name"]) == ("MainThread", 1, "MainProcess")
