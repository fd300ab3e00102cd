"""Heap snapshots of JavaScriptCore: every column against the oracle, of files made by hand and of a real Bun."""

import gzip
import importlib.util
import json
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import (
    ARROW_TYPES, CORPUS, arrow_table, assert_same, codes, convert, heapquarry, read_rows, read_table,
)  # fmt: skip
from oracles import jsc as oracle

MADE = ("version1.json", "version2.json", "inspector.json", "debugging.json", "edges-first.json", "odd.json")
RECORDED = ("1.json", "3.json", "debugging-1.json")
HEAP_TABLES = {
    "js_heap_location", "js_heap_sample", "js_heap_trace_function_info", "js_heap_trace_node", "js_heap_scope",
    "js_heap_scope_context_var", "js_heap_scope_use",
}  # fmt: skip
# Bun of the newest version known when this was written.
BUN = "1.4.5"


@pytest.fixture(scope="session")
def recorded(tmp_path_factory):
    """Snapshots of a real Bun."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64") or not shutil.which("npm"):
        pytest.skip("needs npm, and a Bun for Linux on x86-64")
    folder, package = tmp_path_factory.mktemp("bun"), "@oven/bun-linux-x64-baseline"
    install = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
    subprocess.run([*install, f"{package}@{BUN}"], cwd=folder, check=True, timeout=300)
    bun = folder / "node_modules" / package / "bin" / "bun"
    subprocess.run([bun, Path(__file__).parent / "record_bun.mjs", folder], check=True, timeout=60)
    yield folder
    shutil.rmtree(folder / "node_modules")


@pytest.fixture(params=MADE + tuple(f"bun-{name}" for name in RECORDED))
def path(request):
    if request.param in MADE:
        return CORPUS / "jsc" / request.param
    return request.getfixturevalue("recorded") / request.param.removeprefix("bun-")


def assert_rows(folder, path, name=None):
    made = oracle.tables(path.read_bytes(), name or path.name)
    for table, columns in made.items():
        assert_same(read_table(folder, table), arrow_table(columns, oracle.TABLES[table]), table)
    return made


@pytest.mark.parametrize("flags", [[], ["--threads", "1", "--read-window", "3"], ["--row-group-rows", "5"]], ids=str)
def test_rows(path, tmp_path, flags):
    folder = convert(path, tmp_path / "t", *flags)
    assert_rows(folder, path)
    (source,) = read_rows(folder, "source")
    is_odd = path.name == "odd.json"
    assert (source["format"], source["producer"]) == ("jscsnapshot", "jsc")
    assert source["status"] == ("repaired" if is_odd else "complete")
    expected = {
        "duplicate_id": 1, "duplicate_section": 1, "edge_without_owner": 1, "lone_surrogate": 1, "not_a_number": 1,
        "number_form": 1, "partial_record": 1, "string_out_of_range": 2, "type_out_of_range": 1, "unknown_field": 1,
        "unknown_node": 2, "unknown_section": 1, "value_out_of_range": 2,
    }  # fmt: skip
    assert codes(folder) == (expected if is_odd else {})
    for table in HEAP_TABLES:
        assert not read_rows(folder, table)


def test_names_as_numbers(path, tmp_path):
    folder = convert(path, tmp_path / "t", "--names", "id")
    for table, columns in oracle.tables(path.read_bytes(), path.name).items():
        if "name" in columns:
            columns["name"] = [None] * len(columns["name"])
        assert_same(read_table(folder, table), arrow_table(columns, oracle.TABLES[table]), table)


def test_dominators_and_retained_sizes(path, tmp_path):
    folder = convert(path, tmp_path / "t", "--analyze")
    assert_rows(folder, path)
    expected = oracle.analysis(path.read_bytes())
    assert_same(read_table(folder, "js_heap_analysis"), arrow_table(expected, oracle.ANALYSIS), "js_heap_analysis")
    # The text of strings is not in the file, so none is known to be another one's duplicate.
    assert not read_rows(folder, "js_heap_duplicate_string")
    # From the tables, the same.
    direct, stored = (heapquarry("summary", source, "--format", "json").stdout for source in (path, folder))
    assert json.loads(direct)["classes"]["rows"] and json.loads(direct)["retainers"] == json.loads(stored)["retainers"]


def test_the_corpus_is_what_the_script_makes(tmp_path):
    subprocess.run([sys.executable, CORPUS / "generate" / "jsc.py", tmp_path], check=True)
    assert {p.name for p in (CORPUS / "jsc").iterdir()} == set(MADE)
    for name in MADE:
        assert (tmp_path / name).read_bytes() == (CORPUS / "jsc" / name).read_bytes()


def test_packed_and_piped(tmp_path):
    path = CORPUS / "jsc" / "inspector.json"
    packed = tmp_path / "a.json.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert_rows(convert(packed, tmp_path / "packed"), path, "a.json")
    with path.open("rb") as file:
        piped = convert("-", tmp_path / "piped", stdin=file)
    assert [row["node_count"] for row in read_rows(piped, "js_heap_files")] == [24]


def test_truncated_anywhere(tmp_path):
    """The rows that are there stay; the end that is missing is said."""
    path = CORPUS / "jsc" / "inspector.json"
    data = path.read_bytes()
    whole = oracle.tables(data, path.name)
    ids, last = set(whole["js_heap_nodes"]["id"]), (0, 0)
    for end in range(60, len(data) - 1, 41):
        cut = tmp_path / "cut.json"
        cut.write_bytes(data[:end])
        folder = convert(cut, tmp_path / f"t{end}")
        assert read_rows(folder, "source")[0]["status"] == "truncated", end
        assert codes(folder)["truncated"] == 1, end
        nodes, edges = read_rows(folder, "js_heap_nodes"), read_rows(folder, "js_heap_edges")
        assert {row["id"] for row in nodes} <= ids and nodes[0]["id"] == 0
        now = (len(nodes), len(edges))
        assert now >= last
        last = now
    assert last == (24, 32)
    failed = heapquarry("convert", cut, "-o", tmp_path / "strict", "--strict", expect=2)
    assert "truncated" in failed.stderr


# -------------------------------------------------------------------------------- every command


def test_commands(recorded, tmp_path):
    first, last = recorded / "1.json", recorded / "3.json"
    info = heapquarry("info", first).stdout
    assert "jscsnapshot, jsc" in info and "nodes: " in info
    summary = json.loads(heapquarry("summary", first, "--format", "json").stdout)
    assert "Session" in json.dumps(summary)
    why = heapquarry("why", first, "--class", "Session").stdout
    assert "sessions" in why
    session = next(
        row["id"] for row in read_rows(convert(last, tmp_path / "t", "--analyze"), "js_heap_analysis")
        if row["class_name"] == "Session"
    )  # fmt: skip
    assert "Session" in heapquarry("show", last, "--node", f"@{session}").stdout
    diff = heapquarry("diff", first, last).stdout
    assert "Session" in diff and "+800" in diff
    # Bun gives objects new ids in each snapshot for the inspector.
    leaks = heapquarry("leaks", *(recorded / f"{n}.json" for n in (1, 2, 3))).stdout
    assert "object ids in common: they are of different processes" in " ".join(leaks.split())
    leaks = heapquarry("leaks", *(recorded / f"debugging-{n}.json" for n in (1, 2, 3))).stdout
    assert "Array Shop.sessions holds 800 more Session" in leaks
    budget = tmp_path / "budget.toml"
    for most, expect in ((100, 0), (99, 1)):
        budget.write_text(f"[class.Session]\ncount = {most}\n")
        heapquarry("check", first, "--budget", budget, expect=expect)
    heapquarry("report", first, "-o", tmp_path / "page.html")
    assert "Session" in (tmp_path / "page.html").read_text()
    sql = "SELECT count(*) AS n FROM js_heap_nodes WHERE name = 'Session'"
    assert "100" in heapquarry("query", first, sql).stdout
    refused = heapquarry("redact", first, tmp_path / "copy.json", expect=2)
    assert "jscsnapshot cannot be redacted" in refused.stderr


def test_leaks_of_an_engine_that_keeps_ids(tmp_path):
    """The Web Inspector's snapshots of one page have the same ids: those of the corpus, with a list that grows."""
    spec = importlib.util.spec_from_file_location("generate_jsc", CORPUS / "generate" / "jsc.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    paths = [tmp_path / f"{n}.json" for n in (1, 2, 3)]
    for path, sessions in zip(paths, (100, 300, 500)):
        heap = made.program()
        for n in range(sessions):
            id = 2000 + 2 * n
            heap.node(id, 48, "Session", made.OBJECT)
            heap.node(id + 1, 1000, "string")
            heap.index(7, 10 + n, id)
            heap.property(id, "text", id + 1)
        path.write_text(json.dumps(heap.members(3, "Inspector")))
    found = heapquarry("leaks", *paths).stdout
    assert "Array" in found and "holds 400 more Session" in found
    assert "sessions" in found


def test_a_heap_that_does_not_fit_is_refused(tmp_path):
    """The file does not say how many nodes it has: the estimate is near."""
    nodes = [value for id in range(20_000) for value in (id, 16, 1, 0)]
    edges = [value for id in range(20_000) for end in range(3) for value in (id, (7 * id + end) % 20_000, 2, end)]
    heap = {"version": 2, "nodes": nodes, "nodeClassNames": ["<root>", "Object"], "edges": edges, "edgeTypes": ["Internal", "Property", "Index"], "edgeNames": []}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(heap))
    failed = heapquarry("summary", path, "--memory", "1MB", expect=2)
    told = [int(number.replace(",", "")) for number in re.findall(r"([\d,]+) (?:nodes|edges)", failed.stderr)]
    assert len(told) == 2 and 0.9 < told[0] / 20_000 < 1.1 and 0.9 < told[1] / 60_000 < 1.1
    heapquarry("summary", path, "--memory", "40MB")


def test_a_heap_without_nodes(tmp_path):
    """`report` panicked."""
    meta = {"node_fields": ["type", "name", "id", "self_size", "edge_count"], "node_types": [["object"]],
            "edge_fields": ["type", "name_or_index", "to_node"], "edge_types": [["property"]]}  # fmt: skip
    v8, jsc = tmp_path / "a.heapsnapshot", tmp_path / "a.json"
    v8.write_text(json.dumps({"snapshot": {"meta": meta}, "nodes": [], "edges": [], "strings": []}))
    jsc.write_text('{"version":3,"type":"Inspector","nodes":[0,0,')
    for path in (v8, jsc):
        convert(path, tmp_path / f"{path.name}.tables", "--analyze")
        for args in (["summary", path], ["diff", path, path], ["info", path], ["report", path, "-o", tmp_path / "p.html"]):
            heapquarry(*args)


def test_the_same_process_in_the_form_of_v8(recorded, tmp_path):
    """Both builders see the same objects."""
    count = lambda folder: sum(row["class_name"] == "Session" for row in read_rows(folder, "js_heap_analysis"))  # noqa: E731
    own = convert(recorded / "3.json", tmp_path / "own", "--analyze")
    assert count(own) == 900
    assert {row["producer"] for row in read_rows(own, "source")} == {"jsc"}
    v8 = convert(recorded / "v8.heapsnapshot", tmp_path / "v8", "--analyze")
    assert count(v8) >= 900


def test_the_oracle_covers_the_columns(schema):
    told = {t["name"]: [c["name"] for c in t["columns"]] for t in schema["tables"]}
    for table, columns in oracle.TABLES.items():
        assert told[table] == list(columns)
        assert set(columns.values()) <= set(ARROW_TYPES)
