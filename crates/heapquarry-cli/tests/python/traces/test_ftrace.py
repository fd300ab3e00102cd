"""Ftrace text: every column against the oracle, in each form that it comes in."""

import base64
import gzip
import json
import re
import subprocess
import sys
import zlib
from decimal import Decimal

import duckdb
import pytest
from conftest import CORPUS, ROOT, arrow_table, assert_same, codes, convert, extra_files, heapquarry, load_views, read_rows, read_table, short_name
from oracles import ftrace as oracle

TEXTS = sorted((CORPUS / "ftrace").glob("*.ftrace")) + extra_files("trace", "android_systrace.txt")


PAGES = [p for p in extra_files("trace", "*.html") if b"linuxPerfData = \"\\\n" in p.read_bytes()]


def check(folder, lines):
    columns, unknown = oracle.rows(lines)
    table = read_table(folder, "ftrace_event")
    assert_same(table, arrow_table(columns, oracle.TABLES["ftrace_event"]), "ftrace_event")
    for name, expected in oracle.derived(columns).items():
        assert_same(read_table(folder, name), arrow_table(expected, oracle.TABLES[name]), name)
    logged = [row["byte_offset"] for row in read_rows(folder, "import_log") if row["code"] == "unknown_line"]
    assert logged == unknown
    assert table.num_rows > 0


@pytest.mark.parametrize("path", TEXTS, ids=short_name)
@pytest.mark.parametrize("flags", [[], ["--threads", "1", "--read-window", "7"], ["--row-group-rows", "5"]], ids=str)
def test_rows(path, tmp_path, flags):
    folder = convert(path, tmp_path / "t", *flags)
    check(folder, oracle.lines(path.read_bytes()))
    (source,) = read_rows(folder, "source")
    status = "repaired" if path.name == "odd.ftrace" else "complete"
    assert (source["format"], source["status"], source["byte_size"]) == ("ftrace", status, path.stat().st_size)


def test_what_is_logged(tmp_path):
    folder = convert(CORPUS / "ftrace" / "odd.ftrace", tmp_path / "t")
    assert codes(folder) == {"unknown_line": 2, "events_lost": 2, "invalid_utf8": 1}
    assert read_rows(folder, "trace_metadata") == [{"file_id": 0, "name": "tracer", "key_type": "string", "int_value": None, "str_value": "function", "byte_offset": 8}]
    assert "repaired" not in heapquarry("info", CORPUS / "ftrace" / "odd.ftrace").stdout


def test_header(tmp_path):
    rows = read_rows(convert(CORPUS / "ftrace" / "script.ftrace", tmp_path / "t"), "trace_metadata")
    found = [(row["name"], row["int_value"], row["str_value"]) for row in rows]
    assert found == [("tracer", None, "nop"), ("entries-in-buffer", 400, None), ("entries-written", 417, None), ("#P", 2, None)]


def test_the_generator_writes_the_same_bytes(tmp_path):
    subprocess.run([sys.executable, ROOT / "corpus" / "generate" / "ftrace.py", tmp_path], check=True)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert made == {path.name: path.read_bytes() for path in (CORPUS / "ftrace").iterdir()}


# -------------------------------------------------------------------------------- what the text comes in

TEXT = (CORPUS / "ftrace" / "tgid.ftrace").read_bytes()
OTHER = (CORPUS / "ftrace" / "legacy.ftrace").read_bytes()
SCRIPT = (CORPUS / "ftrace" / "script.ftrace").read_bytes()


def page(*bodies):
    return b"<!DOCTYPE html>\n<html><head><title>Android System Trace</title>\n<script>onLoad();</script>\n" + b"\n".join(bodies) + b"</html>\n"


def old(script):
    return b"<script>\n  'use strict';\n  var linuxPerfData = \"\\\n" + script + b"\";\n</script>"


def new(text):
    return b'<script class="trace-data" type="application/text">\n' + text + b"</script>"


def viewer(data):
    return b'<script id="viewer-data" type="text/plain">\n' + base64.encodebytes(data) + b"</script>"


ONE = {
    "new page": (page(new(TEXT)), b"\n" + TEXT),
    "old page": (page(old(SCRIPT)), SCRIPT),
    "trace2html": (page(viewer(TEXT)), TEXT),
    "trace2html, gzip": (page(viewer(gzip.compress(TEXT))), TEXT),
    "trace2html as it is": (page(b'<script id="viewer-data">' + TEXT + b"</script>"), TEXT),
    "page in gzip": (gzip.compress(page(new(TEXT))), b"\n" + TEXT),
    "atrace": (b"capturing trace... done\nTRACE:\n" + TEXT, TEXT),
    "atrace -z": (b"TRACE:\n" + zlib.compress(TEXT), TEXT),
    "atrace -z with its talk": (b"capturing trace... done\nTRACE:\n" + zlib.compress(TEXT), TEXT),
    "byte order mark": (b"\xef\xbb\xbf" + TEXT, b"\xef\xbb\xbf" + TEXT),
}


@pytest.mark.parametrize("case", ONE)
def test_containers(case, tmp_path):
    packed, text = ONE[case]
    path = tmp_path / "x.html"
    path.write_bytes(packed)
    folder = convert(path, tmp_path / "t")
    lines = [(at, line.removeprefix(b"\xef\xbb\xbf")) for at, line in oracle.lines(text)]
    lines[0] = (3 * (case == "byte order mark"), lines[0][1])
    check(folder, lines)
    (source,) = read_rows(folder, "source")
    assert (source["format"], source["status"]) == ("ftrace", "complete")


def test_a_page_of_several(tmp_path):
    """Dumps of processes, which no table is for, are logged."""
    path = tmp_path / "x.html"
    path.write_bytes(page(new(b"PROCESS DUMP\nUSER PID\n"), new(TEXT), new(OTHER)))
    folder = convert(path, tmp_path / "t")
    first, second, whole = read_rows(folder, "source")
    assert (first["name"], second["name"], whole["name"]) == ("x#1", "x#2", "x.html")
    assert [s["format"] for s in (first, second, whole)] == ["ftrace", "ftrace", "html"]
    assert codes(folder)["unknown_document"] == 1
    rows = read_table(folder, "ftrace_event").num_rows
    assert rows == sum(len(oracle.rows(oracle.lines(text))[0]["ts"]) for text in (TEXT, OTHER))


def test_damaged_pages(tmp_path):
    path = tmp_path / "x.html"
    path.write_bytes(page(viewer(gzip.compress(TEXT)[:-2000])))
    folder = convert(path, tmp_path / "t")
    (source,) = read_rows(folder, "source")
    assert source["status"] == "truncated" and "compressed_damaged" in codes(folder)
    assert 0 < read_table(folder, "ftrace_event").num_rows < 490
    path.write_bytes(page())
    assert "a page of HTML" in heapquarry("convert", path, "-o", tmp_path / "u", expect=2).stderr


@pytest.mark.parametrize("path", PAGES, ids=short_name)
def test_recorded_pages(path, tmp_path):
    folder = convert(path, tmp_path / "t")
    script = path.read_bytes().split(b"linuxPerfData = \"\\\n", 1)[1].split(b"\";\n", 1)[0]
    check(folder, oracle.lines(script))


# -------------------------------------------------------------------------------- in a trace


SPAN = {"ph": "X", "ts": 50_260_000_000, "dur": 1e9, "pid": 124, "tid": 340, "name": "around"}


def in_trace(path, text, *events):
    """A trace with that text in it, and the offset of its first line."""
    trace = json.dumps({"systemTraceEvents": text, "traceEvents": events, "otherData": {"a": 1}}, ensure_ascii=False)
    path.write_text(trace)
    return trace.encode().index(b'"systemTraceEvents": "') + len('"systemTraceEvents": "')


@pytest.mark.parametrize("flags", [[], ["--threads", "1", "--read-window", "7"], ["--row-group-rows", "5"]], ids=str)
def test_text_in_a_trace(tmp_path, flags):
    """Its rows are those of the text alone, with the ids behind those of the trace's events; threads are the trace's."""
    # A synchronisation with another clock is one second later.
    text = TEXT.decode().replace("parent_ts=50260.", "parent_ts=50261.")
    (tmp_path / "alone.ftrace").write_text(text)
    alone = convert(tmp_path / "alone.ftrace", tmp_path / "alone")
    sync = re.search(r" (\d+\.\d+): tracing_mark_write: trace_event_clock_sync: parent_ts=(\S+)", text)
    shift = int((Decimal(sync[2]) - Decimal(sync[1])) * 10**9)
    name = {"ph": "M", "name": "thread_name", "pid": 124, "tid": 340, "args": {"name": "given"}}
    at = in_trace(tmp_path / "t.json", text, SPAN, SPAN | {"ph": "i"}, name)
    folder = convert(tmp_path / "t.json", tmp_path / "t", *flags)
    db, other = database_of(folder), database_of(alone)
    rows = "SELECT event_index, ts, cpu, comm, tid, tgid, flags, name, args FROM ftrace_event ORDER BY ALL"
    assert db.sql(rows).fetchall() == [(i + 3, ts + shift, *rest) for i, ts, *rest in other.sql(rows).fetchall()]
    raw = (tmp_path / "t.json").read_bytes()
    offsets = [row["byte_offset"] for row in read_rows(folder, "ftrace_event")]
    assert offsets[0] > at and all(raw[o - 2 : o] == b"\\n" for o in offsets)
    for table, columns in {
        "sched": "s.ts - {shift}, s.dur, cpu, end_state, priority",
        "thread_state": "s.ts - {shift}, s.dur, cpu, state, io_wait, blocked_function",
        "slice": "s.id - {first}, s.ts - {shift}, s.dur, s.name, category, end_event_index - {first}, ending",
        "async_slice": "s.id - {first}, s.ts - {shift}, s.dur, s.name, category, ending, end_event_index - {first}",
        "instant": "s.id - {first}, s.ts - {shift}, s.name",
    }.items():
        own = "WHERE s.id >= {first}" if table in ("slice", "instant") else ""
        sql = f"SELECT {columns}, t.tid, p.pid FROM {table} s JOIN thread t USING (utid) JOIN process p ON p.upid = t.upid {own} ORDER BY ALL"
        expected = other.sql(sql.format(shift=0, first=0)).fetchall()
        assert expected and db.sql(sql.format(shift=shift, first=3)).fetchall() == expected, table
    counters = "SELECT s.ts - {}, value, k.name, k.type, pid FROM counter s JOIN track k ON k.id = track_id JOIN process USING (upid) ORDER BY ALL"
    assert db.sql(counters.format(shift)).fetchall() == other.sql(counters.format(0)).fetchall()
    assert db.sql("SELECT name FROM thread WHERE tid = 340").fetchall() == [("given",)]
    names = [row["name"] for row in read_rows(folder, "trace_metadata")]
    assert names == ["otherData.a", *(f"systemTraceEvents.{name}" for name in ("tracer", "entries-in-buffer", "entries-written", "#P"))]
    (source,) = read_rows(folder, "source")
    assert (source["format"], source["status"]) == ("trace", "complete")


def test_clocks_are_aligned_by_name(tmp_path):
    """What the trace's recorder issued is noted by the kernel's."""
    text = "# tracer: nop\n x-7 [000] 5.000001: tracing_mark_write: trace_event_clock_sync: name=abc\n x-7 [000] 5.000002: print: I|7|tick\n"
    sync = {"ph": "c", "ts": 100, "pid": 1, "tid": 1, "name": "clock_sync", "args": {"sync_id": "abc", "issue_ts": 90}}
    in_trace(tmp_path / "t.json", text, sync)
    for flags in ([], ["--tables", "ftrace_event"]):
        folder = convert(tmp_path / "t.json", tmp_path / f"t{len(flags)}", *flags)
        assert [row["ts"] for row in read_rows(folder, "ftrace_event")] == [90_000, 91_000]


def test_other_text_is_kept(tmp_path):
    in_trace(tmp_path / "t.json", "Windows: what else", SPAN)
    folder = convert(tmp_path / "t.json", tmp_path / "t")
    values = {row["name"]: row["str_value"] for row in read_rows(folder, "trace_metadata")}
    assert values["systemTraceEvents"] == "Windows: what else"
    assert not (folder / "ftrace_event.parquet").exists()


def test_cut_within_the_text(tmp_path):
    path = tmp_path / "t.json"
    at = in_trace(path, TEXT.decode(), SPAN)
    path.write_bytes(path.read_bytes()[: at + 20_000])
    folder = convert(path, tmp_path / "t")
    assert 50 < read_table(folder, "ftrace_event").num_rows < 250
    (source,) = read_rows(folder, "source")
    assert source["status"] == "truncated" and codes(folder)["truncated"] > 0


def database_of(folder):
    db = duckdb.connect()
    load_views(db, folder)
    return db


def test_views_of_the_schedule(tmp_path, database):
    """Times that CPUs ran threads are times that threads ran."""
    load_views(database, convert(CORPUS / "ftrace" / "tgid.ftrace", tmp_path / "t"))
    ran = "SELECT utid, sum(dur) FROM {} WHERE dur > 0 AND tid > 0 {} GROUP BY 1 ORDER BY 1"
    by_cpu = database.sql(ran.format("sched", "")).fetchall()
    assert by_cpu == database.sql(ran.format("thread_state", "AND state = 'Running'")).fetchall()
    names = database.sql("SELECT DISTINCT thread.name, process.name FROM sched JOIN thread USING (file_id, utid) JOIN process USING (file_id, upid)")
    assert set(names.fetchall()) >= {("RenderThread", "GC - slice [2]"), ("swapper", "swapper"), ("surfaceflinger", "surfaceflinger")}


def test_recipes(tmp_path, database):
    """Those of docs/traces.md give rows."""
    load_views(database, convert(CORPUS / "ftrace" / "tgid.ftrace", tmp_path / "t"))
    section = (ROOT / "docs" / "traces.md").read_text().split("## Ftrace text", 1)[1].split("\n## ", 1)[0]
    recipes = [block.split("```", 1)[0] for block in section.split("```sql")[1:]]
    assert len(recipes) == 3
    for recipe in recipes:
        assert database.sql(recipe).fetchall(), recipe
