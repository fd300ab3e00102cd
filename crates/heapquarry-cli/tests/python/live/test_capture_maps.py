"""`capture` stores the source maps of a program's scripts beside its files. The program is what esbuild makes of a shop
that leaks; each test runs a copy of it."""

import base64
import contextlib
import json
import os
import re
import shutil
import subprocess
import threading

import pyarrow.parquet as pq
import pytest
from conftest import CORPUS, heapquarry

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(not NODE, reason="there is no node")

# It runs the bundle, which would take snapshots, and stays.
PROGRAM = """
globalThis.gc = () => {};
require('v8').writeHeapSnapshot = () => {};
require(process.argv[1]);
setInterval(() => { for (let n = 0; n < 1000; n++) globalThis.shop.handle(1); }, 1);
console.log('ready');
"""


@contextlib.contextmanager
def running(script):
    """The port of a Node that has run a script."""
    args = [NODE, "--inspect=0", "-e", PROGRAM, script, script.parent]
    process = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        port = re.search(r"ws://[^/]*:(\d+)/", process.stderr.readline())[1]
        threading.Thread(target=process.stderr.read, daemon=True).start()
        assert process.stdout.readline() == "ready\n"
        yield port
    finally:
        process.kill()
        process.wait()


def bundle(folder, map_url=None):
    """A copy of the bundle, whose comment names this address of its map, and of its map."""
    folder.mkdir()
    text = (CORPUS / "names" / "leak.js").read_text()
    shutil.copy(CORPUS / "names" / "leak.js.map", folder)
    # Nothing else holds the shop and its code once the script has run.
    text = text.replace("\n//#", ";globalThis.shop=u;\n//#", 1)
    (folder / "leak.js").write_text(text.replace("leak.js.map", map_url or "leak.js.map"))
    return folder / "leak.js"


def classes(path, *args, **options):
    answer = json.loads(heapquarry("summary", "-q", path, "--json", "--top", "1000", *args, **options).stdout)
    originals = {row["original"]["name"] for row in answer["classes"]["rows"] if "original" in row}
    return originals, [caveat["text"] for caveat in answer["caveats"] if "map" in caveat["text"]]


KNOWN = {"Session", "SessionStore", "Shop"}


def data_url():
    return "data:application/json;base64," + base64.b64encode((CORPUS / "names" / "leak.js.map").read_bytes()).decode()


@pytest.mark.parametrize("map_url", [None, "data:"])
def test_maps_are_stored_and_used(tmp_path, map_url):
    script = bundle(tmp_path / "dist", map_url and data_url())
    files = ["a.heapsnapshot.zst", "b-1.heapsnapshot", "b-2.heapsnapshot", "c.cpuprofile"]
    with running(script) as port:
        told = heapquarry("capture", port, "--raw", tmp_path / files[0]).stderr
        assert "the source maps of 1 script are stored beside it" in told
        heapquarry("capture", port, "-q", "--raw", tmp_path / "b.heapsnapshot", "--count", "2")
        # How often the program is sampled depends on the machine.
        for seconds in (0.5, 2, 8, 32):
            heapquarry("capture", port, "-q", "--kind", "cpu", "--for", f"{seconds}s", "--raw", tmp_path / files[3], "--force")
            heapquarry("convert", "-q", tmp_path / files[3], "-o", tmp_path / "t", "--force")
            if "handle" in pq.read_table(tmp_path / "t" / "js_cpu_profiler_node.parquet")["original_name"].to_pylist():
                break
        # Where there is no file, nothing is stored, but the tables have what the maps tell.
        for seconds in (0.5, 2, 8, 32):
            args = ["--kind", "cpu", "--for", f"{seconds}s", "-o", tmp_path / "tables", "--force"]
            told = heapquarry("capture", port, *args).stderr
            assert "the source maps of 1 script are used" in told and "stored beside" not in told
            names = pq.read_table(tmp_path / "tables" / "js_cpu_profiler_node.parquet")["original_name"].to_pylist()
            if "handle" in names:
                break
        # Tables of a heap have the names of sources if it is analysed, a page has them in any case.
        told = heapquarry("capture", port, "-o", tmp_path / "plain.tables").stderr
        assert "of 1 script are not used" in told
        told = heapquarry("capture", port, "-o", tmp_path / "heap.tables", "--analyze").stderr
        assert "the source maps of 1 script are used" in told
        told = heapquarry("capture", port, "--then", "report", cwd=tmp_path).stderr
        assert "the source maps of 1 script are used" in told
        heapquarry("capture", port, "--raw", tmp_path / "x", "--analyze", expect=2)
        assert not (tmp_path / "x").exists()
    # The build is gone.
    shutil.rmtree(tmp_path / "dist")
    for name in files:
        beside = tmp_path / f"{name}.maps.json"
        stored = json.loads(beside.read_text())
        assert [one["script"] for one in stored["source_maps"]] == [script.as_uri()]
        assert json.loads(stored["source_maps"][0]["map"])["sources"] == ["../generate/leak.js"]
        assert oct(beside.stat().st_mode & 0o777) == "0o600"
    assert not (tmp_path / "tables.maps.json").exists()
    assert "handle" in names
    for name, least in [("plain", set()), ("heap", KNOWN)]:
        found = pq.read_table(tmp_path / f"{name}.tables" / "js_heap_location.parquet")["original_name"].to_pylist()
        assert least <= set(found) and (least or set(found) == {None}), name
        log = pq.read_table(tmp_path / f"{name}.tables" / "import_log.parquet").to_pylist()
        told = [row["message"] for row in log if row["code"] == "source_map"]
        assert told == ([] if least else ["js_heap_location has no names of sources, as the heap is not analysed"]), told
    assert "SessionStore [n]" in (tmp_path / "capture.html").read_text()
    for name in files[:3]:
        found, caveats = classes(tmp_path / name)
        assert KNOWN <= found and not caveats
    text = heapquarry("leaks", "-q", tmp_path / files[1], tmp_path / files[2]).stdout
    assert "no source map" not in text
    # Tables and queries, which are kept without them.
    sql = "SELECT DISTINCT original_name FROM js_heap_location WHERE original_name = 'SessionStore'"
    (tmp_path / "plain").mkdir()
    plain = shutil.copy(tmp_path / files[1], tmp_path / "plain")
    env = {**os.environ, "HEAPQUARRY_CACHE_DIR": str(tmp_path / "cache")}
    entries = lambda: len(list((tmp_path / "cache").glob("*/entry.json")))
    for path, rows, kept in [(tmp_path / files[1], 1, 1), (plain, 0, 2), (tmp_path / files[1], 1, 2)]:
        found = heapquarry("query", "-q", path, sql, "--format", "csv", "--analyze", env=env).stdout
        assert len(found.split()) == 1 + rows, path
        # The maps are part of what was converted.
        assert entries() == kept, path
    beside = tmp_path / f"{files[1]}.maps.json"
    beside.write_text(beside.read_text().replace("class SessionStore", "class AnotherName_"))
    assert len(heapquarry("query", "-q", tmp_path / files[1], sql, "--format", "csv", "--analyze", env=env).stdout.split()) == 1
    # Tables have the names and lines of the source.
    source = (CORPUS / "generate" / "leak.js").read_text().split("\n")
    starts = {"Session": "  constructor(user)", "SessionStore": "  constructor() {", "handle": "  handle(", "price": "  price("}
    for name, table, least in [(files[2], "js_heap_location", starts.keys()), (files[3], "js_cpu_profiler_node", {"handle"})]:
        heapquarry("convert", "-q", tmp_path / name, "-o", tmp_path / "t", "--analyze", "--force")
        rows = pq.read_table(tmp_path / "t" / f"{table}.parquet").to_pylist()
        rows = [row for row in rows if (row["original_source"] or "").endswith("generate/leak.js")]
        found = {row["original_name"]: source[row["original_line"]] for row in rows if row["original_name"] in starts}
        assert all(line.startswith(starts[known]) for known, line in found.items()) and least <= found.keys(), found
    # Another capture under the same name has nothing to do with them.
    shutil.copy(CORPUS / "node22.heapsnapshot.gz", tmp_path / files[0])
    assert classes(tmp_path / files[0]) == (set(), [])


def test_maps_that_are_given_come_first(tmp_path):
    script = bundle(tmp_path / "dist")
    raw = tmp_path / "a.heapsnapshot"
    with running(script) as port:
        heapquarry("capture", port, "-q", "--raw", raw)
    given = tmp_path / "given"
    given.mkdir()
    text = (CORPUS / "names" / "leak.js.map").read_text()
    (given / "leak.js.map").write_text(text.replace("class SessionStore", "class AnotherName_"))
    assert "AnotherName_" in classes(raw, "--source-map", given)[0]
    # What is beside and cannot be read is said.
    (tmp_path / "a.heapsnapshot.maps.json").write_text("{")
    found, [caveat] = classes(raw)
    assert not found and "source maps are not used" in caveat and "remove it" in caveat


def test_nothing_is_fetched_and_nothing_of_redacted_captures_is_stored(tmp_path):
    far, near = bundle(tmp_path / "far", "https://example.org/leak.js.map"), bundle(tmp_path / "near")
    with running(far) as port:
        told = heapquarry("capture", port, "--raw", tmp_path / "far.heapsnapshot").stderr
        assert "source maps of 1 script are not on this machine" in told
    with running(near) as port:
        heapquarry("capture", port, "-q", "--redact", "names", "--raw", tmp_path / "redacted.heapsnapshot")
        heapquarry("capture", port, "-q", "--raw", tmp_path / "a.heapsnapshot")
        # What is there is not replaced, and then nothing happens to the target.
        (tmp_path / "b.heapsnapshot.maps.json").touch()
        heapquarry("capture", port, "-q", "--raw", tmp_path / "b.heapsnapshot", expect=2)
        assert not (tmp_path / "b.heapsnapshot").exists()
        heapquarry("capture", port, "-q", "--raw", tmp_path / "b.heapsnapshot", "--force")
    (near.parent / "leak.js.map").write_text("{")
    with running(near) as port:
        told = heapquarry("capture", port, "--raw", tmp_path / "broken.heapsnapshot").stderr
        assert "cannot be stored" in told
    beside = {path.name for path in tmp_path.glob("*.maps.json")}
    assert beside == {"a.heapsnapshot.maps.json", "b.heapsnapshot.maps.json"}
    # What is redacted later has no names of sources either.
    for redact, expected in [([], {"SessionStore"}), (["--redact", "values"], set()), (["--redact", "full"], set())]:
        heapquarry("convert", "-q", tmp_path / "a.heapsnapshot", "-o", tmp_path / "t", "--force", "--analyze", *redact)
        names = pq.read_table(tmp_path / "t" / "js_heap_location.parquet")["original_name"].to_pylist()
        assert {"SessionStore"} & set(names) == expected, redact
    heapquarry("redact", "-q", tmp_path / "a.heapsnapshot", tmp_path / "r.heapsnapshot")
    assert not (tmp_path / "r.heapsnapshot.maps.json").exists()
