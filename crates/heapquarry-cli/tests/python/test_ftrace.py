"""Ftrace text: every column against the oracle, in each form that it comes in."""

import base64
import gzip
import subprocess
import sys
import zlib

import oracle_ftrace as oracle
import pytest
from conftest import CORPUS, ROOT, arrow_table, assert_same, codes, convert, extra_files, heapquarry, read_rows, read_table, short_name
from test_tables import load_views

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
    assert "repaired" not in heapquarry("info", CORPUS / "ftrace" / "odd.ftrace").stdout


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
    assert codes(folder) == {"unknown_document": 1}
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
