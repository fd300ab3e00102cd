"""`convert --analyze`: against DevTools' own engine on snapshots of now, and the questions of docs/analysis.md."""

import json
import os
import re
import shutil
import subprocess

import browser
import pyarrow.parquet as pq
import pytest
from conftest import CORPUS, ROOT, all_recordings, convert, heapquarry, load_views, short_name
from oracles import heap as oracle

# A little of everything that the rules speak of, and a leak.
PROGRAM = """
const v8 = require('v8');
class Leaky { constructor(i) { this.list = [i, i + 1]; this.text = 'leak ' + i + ' '.repeat(40); } }
const kept = { weak: new WeakMap(), keys: [], cache: new Map(), points: [], text: '' };
for (let i = 0; i < 300; ++i) {
    const key = { id: i };
    kept.keys.push(key);
    kept.weak.set(key, { value: i, back: key });
    kept.cache.set('key' + i, new Set([i, key, () => i]));
    kept.points.push({ x: i, y: i * 0.5 }, { y: i, x: i }, { 'a,b': i }, { [i]: 1, [Symbol('s')]: 2, [Symbol('t')]: 3 });
    kept.text += 'piece of text ' + i;
}
kept.buffer = new Float64Array(1000);
kept.regexp = /a(b)c/g; kept.regexp.exec('abc');
global.kept = kept;
v8.writeHeapSnapshot(process.argv[1]);
global.leak = Array.from({ length: 100 }, (_, i) => new Leaky(i));
v8.writeHeapSnapshot(process.argv[2]);
"""


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory):
    """Two snapshots of one process, the second with a leak."""
    node = shutil.which("node")
    if not node:
        pytest.skip("no node")
    folder = tmp_path_factory.mktemp("now")
    paths = [folder / "before.heapsnapshot", folder / "after.heapsnapshot"]
    subprocess.run([node, "-e", PROGRAM, *paths], check=True)
    return paths


# What listeners, the console, a detached tree and the variables of functions keep alive, and a frame of its own.
PAGE = """<!doctype html><div id="here">text</div><iframe srcdoc="<p>frame</p>"></iframe><script>
class Kept { constructor(what) { this.what = what; this.list = Array.from({ length: 50 }, (_, i) => ({ what, i })); } }
const listened = new Kept('listener');
document.body.addEventListener('click', () => listened.list.length);
document.body.addEventListener('keydown', { handleEvent() { return this; }, own: new Kept('object') });
(() => {
    const read = new Kept('read'), unread = new Kept('unread');
    globalThis.reader = () => read;
    globalThis.dropped = (() => unread).name;
})();
globalThis.tree = document.createElement('section');
tree.append(document.createElement('p'));
tree.firstChild.kept = new Kept('detached');
console.log(new Kept('console'));
globalThis.fromFrame = document.querySelector('iframe').contentWindow.Array.from([1, 2, 3], i => ({ i }));
</script>"""


@pytest.fixture(scope="module")
def page_snapshot(tmp_path_factory):
    """A snapshot of a page, taken while the console is on."""
    if not browser.CHROMIUM:
        pytest.skip("no Chromium")
    folder = tmp_path_factory.mktemp("page")
    (folder / "page.html").write_text(PAGE)
    path = folder / "page.heapsnapshot"
    with browser.Browser() as page:
        page.open(folder / "page.html")
        page.snapshot(path)
    return path


@pytest.fixture(scope="module")
def head_engine():
    """Runs corpus/generate/devtools_head.mjs, which installs the newest engine with npm."""
    if not shutil.which("npm") and not os.environ.get("CHROME_DEVTOOLS_MCP"):
        pytest.skip("no npm")
    script = CORPUS / "generate" / "devtools_head.mjs"

    def run(path):
        done = subprocess.run(["node", "--max-old-space-size=4096", script, path], capture_output=True, text=True)
        if done.returncode and "npm install" in done.stderr:
            pytest.skip("npm cannot install chrome-devtools-mcp")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def same_as_head(path, expected, tables):
    """Compares all that the newest engine knows; returns how many nodes are so, by column."""
    actual = pq.read_table(tables / "js_heap_analysis.parquet")
    counts = {}
    for name, values in expected["columns"].items():
        column = actual[name].to_pylist()
        assert len(column) == len(values) > 10_000
        differing = [i for i, (a, e) in enumerate(zip(column, values)) if a != e]
        assert not differing, f"{name}: {len(differing)} nodes, the first: {differing[0]}"
        counts[name] = len([value for value in values if value])
    sizes = expected["native_contexts"]
    rows = pq.read_table(tables / "js_heap_native_context.parquet").to_pylist()
    found = [(row["kind"], row["id"], row["shallow_size"], row["retained_size"]) for row in rows]
    contexts = [("context", c["nodeId"], c["attributedSize"], c["retainedSize"]) for c in sizes["nativeContexts"]]
    assert found == [*contexts, ("shared", None, sizes["sharedSize"], None), ("none", None, sizes["noAttributionSize"], None)]
    assert sum(row["count"] for row in rows) == actual.num_rows
    unread = pq.read_table(tables / "js_heap_context_variable.parquet").to_pylist()
    found = [(r["context_id"], r["name"], r["value_id"], r["value_retained_size"]) for r in unread if r["basis"] == "scopes"]
    contexts = [context for scope in expected["contexts"]["scopes"] for context in scope["contexts"]]
    assert sorted(found) == sorted(
        (c["contextNodeId"], f["name"], f["valueNodeId"], f["retainedSize"]) for c in contexts for f in c["deadFields"]
    )
    return counts | {"unread": len(found)}


@pytest.mark.parametrize("name", ["node8", "node20-internals", "node26", "chromium"])
def test_recordings_are_as_the_newest_devtools_says(name, head_engine, tmp_path):
    path = CORPUS / f"{name}.heapsnapshot.gz"
    counts = same_as_head(path, head_engine(path), convert(path, tmp_path / "t", "--analyze"))
    if name == "chromium":
        assert counts["retained_by_detached"] and counts["retained_by_contexts"] and counts["unread"]


def test_a_page_is_as_the_newest_devtools_says(page_snapshot, head_engine, tmp_path):
    tables = convert(page_snapshot, tmp_path / "t", "--analyze")
    counts = same_as_head(page_snapshot, head_engine(page_snapshot), tables)
    # Chromium 148 writes no scopes yet, which say what functions read; 156 does.
    has_scopes = "scopes" in json.loads(page_snapshot.read_text(encoding="utf-8"))
    assert bool(counts.pop("unread")) is has_scopes
    assert all(counts.values()), counts
    unread = pq.read_table(tables / "js_heap_context_variable.parquet").to_pylist()
    own = {row["name"] for row in unread if row["basis"] == "scopes"}
    assert ("unread" in own) is has_scopes and "read" not in own
    assert len(pq.read_table(tables / "js_heap_native_context.parquet")) > 3


@pytest.mark.parametrize("path", all_recordings(), ids=short_name)
def test_roots_and_reachability_are_as_the_oracle_says(path, tmp_path):
    tables = convert(path, tmp_path / "t", "--analyze")
    snapshot = oracle.Snapshot.parse(oracle.read_bytes(path))
    reached, on_stack = oracle.reachability(snapshot)
    rows = pq.read_table(tables / "js_heap_analysis.parquet", columns=["is_unreachable", "is_stack_root"]).to_pydict()
    assert rows["is_unreachable"] == [int(node not in reached) for node in range(len(rows["is_unreachable"]))]
    unread = pq.read_table(tables / "js_heap_context_variable.parquet").to_pylist()
    if not snapshot.records("scopes", "scope_fields").get("scope_id"):
        found = [(row["context_index"], row["name"], row["value_index"]) for row in unread]
        assert found == oracle.unread_variables(snapshot)
        assert {row["basis"] for row in unread} <= {"closures"}
    assert rows["is_stack_root"] == [int(node in on_stack) for node in range(len(rows["is_stack_root"]))]


@pytest.mark.parametrize("name", ["node22", "node26", "chromium"])
def test_the_summary_names_unread_variables(name, tmp_path):
    path = CORPUS / f"{name}.heapsnapshot.gz"
    unread = pq.read_table(convert(path, tmp_path / "t", "--analyze") / "js_heap_context_variable.parquet").to_pylist()
    unread.sort(key=lambda row: -row["value_retained_size"])
    names = {"name": "name", "context_id": "context_id", "value_id": "value_id", "retained_size": "value_retained_size"}
    shown = json.loads(heapquarry("summary", path, "--json", "--top", "5").stdout)["unread_variables"]["rows"]
    assert [[row[name] for name in names] for row in shown] == [[row[n] for n in names.values()] for row in unread[:5]]
    assert bool(shown) == bool(unread) and all(row["context_name"] for row in shown)


@pytest.fixture(scope="module")
def engine(snapshots):
    """Runs corpus/generate/devtools.mjs, which installs the engine with npm."""
    if not shutil.which("npm") and not os.environ.get("HEAP_SNAPSHOT_TOOLKIT"):
        pytest.skip("no npm")
    script = CORPUS / "generate" / "devtools.mjs"

    def run(*args):
        done = subprocess.run(["node", "--max-old-space-size=4096", script, *args], capture_output=True, text=True)
        if done.returncode and "npm install" in done.stderr:
            pytest.skip("npm cannot install heap-snapshot-toolkit")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.mark.parametrize("which", [0, 1], ids=["before", "after"])
def test_every_node_is_as_devtools_says(snapshots, engine, tmp_path, which):
    tables = convert(snapshots[which], tmp_path / "t", "--analyze")
    actual = pq.read_table(tables / "js_heap_analysis.parquet")
    for name, expected in engine("--columns", snapshots[which]).items():
        column = actual[name].to_pylist()
        assert len(column) == len(expected) > 10_000
        differing = [i for i, (a, e) in enumerate(zip(column, expected)) if a != e]
        assert not differing, f"{name}: {len(differing)} nodes, the first: {differing[0]}"


@pytest.mark.parametrize("level", ["values", "names", "full"])
def test_devtools_reads_redacted_copies(snapshots, engine, tmp_path, level):
    """As the original: distances, sizes and dominators; at `values` also its classes."""
    copy = tmp_path / "copy.heapsnapshot"
    heapquarry("redact", snapshots[1], copy, "--level", level)
    original, copied = engine("--columns", snapshots[1]), engine("--columns", copy)
    assert sorted(original) == sorted(copied)
    for name in original.keys() - ({"class_name"} if level == "full" else set()):
        assert copied[name] == original[name], name
    if level == "values":
        original, copied = (engine(path, path)["aggregates"] for path in (snapshots[1], copy))
        assert copied == original


def test_classes_and_statistics_are_as_devtools_says(snapshots, engine, tmp_path):
    tables = convert(snapshots[1], tmp_path / "t", "--analyze")
    expected = engine(snapshots[1], snapshots[0])
    classes = {row["class_key"]: row for row in pq.read_table(tables / "js_heap_class.parquet").to_pylist()}
    assert len(classes) == expected["aggregate_count"]
    for row in expected["aggregates"]:
        found = classes[row["key"]]
        assert [found[c] for c in ("class_name", "count", "distance", "shallow_size", "retained_size")] == [
            row[c] for c in ("name", "count", "distance", "self", "maxRet")
        ]
    statistics = {r["category"]: r["size"] for r in pq.read_table(tables / "js_heap_statistics.parquet").to_pylist()}
    heap, native = expected["statistics"]["v8heap"], expected["statistics"]["native"]
    assert statistics == {
        "total": expected["statistics"]["total"], "native": native["total"], "typed_arrays": native["typedArrays"],
        "v8_heap": heap["total"], "code": heap["code"], "strings": heap["strings"], "js_arrays": heap["jsArrays"],
        "system": heap["system"],
    }
    strings = pq.read_table(tables / "js_heap_duplicate_string.parquet").to_pylist()
    # DevTools also counts cut texts and placeholders that only look alike.
    assert 0 < sum(s["count"] for s in strings) <= expected["duplicated_strings"]["count"]
    assert 0 < sum(s["size"] for s in strings) <= expected["duplicated_strings"]["self"]


@pytest.fixture(scope="module")
def questions():
    """The SQL of docs/analysis.md, by its first line."""
    blocks = re.findall(r"^```sql\n(.*?)^```", (ROOT / "docs" / "analysis.md").read_text(), re.S | re.M)
    assert len(blocks) >= 9
    return {block.splitlines()[0].removeprefix("-- "): block for block in blocks}


def ask(questions, database, beginning):
    (sql,) = [sql for title, sql in questions.items() if title.startswith(beginning)]
    answer = database.execute(sql)
    names = [column[0] for column in answer.description]
    return [dict(zip(names, row)) for row in answer.fetchall()]


def test_the_questions_of_the_page_have_answers(snapshots, questions, database, tmp_path):
    load_views(database, convert(snapshots[0], tmp_path / "t", snapshots[1], "--analyze"))
    answers = {title: database.execute(sql).fetchall() for title, sql in questions.items()}
    empty = [title for title, rows in answers.items() if not rows and not title.startswith("detached")]
    assert not empty

    (leaky,) = [row for row in ask(questions, database, "what grew") if row["class_name"] == "Leaky"]
    assert leaky["added"] == 100

    path = ask(questions, database, "the shortest path")
    assert [row["distance"] for row in path] == list(range(path[0]["distance"], 0, -1))
    assert all(row["edge_type"] for row in path[1:])

    largest = ask(questions, database, "the biggest retainers")
    assert [row["retained_size"] for row in largest] == sorted((r["retained_size"] for r in largest), reverse=True)
    assert all(row["retained_size"] >= row["shallow_size"] for row in largest)

    strings = ask(questions, database, "strings by content")
    assert all(row["count"] > 0 and "e" in row["string"] for row in strings)


def check_names(path, tables):
    """Function and script names, as the oracle finds them; how many nodes and locations have one."""
    snapshot = oracle.Snapshot.parse(oracle.read_bytes(path))
    names, scripts, by_id = oracle.script_names(snapshot)
    analysis = pq.read_table(tables / "js_heap_analysis.parquet", columns=["function_name", "script_name"])
    assert analysis["function_name"].to_pylist() == names
    assert analysis["script_name"].to_pylist() == scripts
    locations = pq.read_table(tables / "js_heap_location.parquet").to_pydict()
    assert locations["script_name"] == [by_id.get(script_id) for script_id in locations["script_id"]]
    return [len([x for x in column if x is not None]) for column in (names, scripts, locations["script_name"])]


@pytest.mark.parametrize("path", all_recordings(), ids=short_name)
def test_functions_and_scripts_have_their_names(path, tmp_path):
    tables = convert(path, tmp_path / "t", "--analyze", "--row-group-rows", "500")
    named, written, located = check_names(path, tables)
    # Everything else in that table is as it is without the analysis, which comes by another way.
    whole, plain = (
        pq.ParquetFile(directory / "js_heap_location.parquet")
        for directory in (tables, convert(path, tmp_path / "plain", "--row-group-rows", "500"))
    )
    assert whole.num_row_groups == plain.num_row_groups
    assert whole.read().drop_columns(["script_name"]) == plain.read().drop_columns(["script_name"])
    if path.parent != CORPUS / "handmade":
        assert named > 500 and written > 0
    if path.parent == CORPUS and "node8" not in path.name:
        assert located > 10


def test_functions_of_now_have_their_names(snapshots, tmp_path):
    path = tmp_path / "app.js"
    path.write_text(FUNCTIONS)
    subprocess.run(["node", path, tmp_path / "now.heapsnapshot"], check=True)
    tables = convert(tmp_path / "now.heapsnapshot", tmp_path / "t", "--analyze")
    named, written, located = check_names(tmp_path / "now.heapsnapshot", tables)
    assert min(named, written, located) > 1_000
    own = pq.read_table(tables / "js_heap_analysis.parquet").to_pylist()
    own = {row["function_name"] for row in own if row["script_name"] == str(path)}
    assert {"kept", "arrow", "Made", "bound kept", "bound bound kept"} <= own


# Functions that can be told apart by their names.
FUNCTIONS = """
function kept() {}
const arrow = () => kept;
class Made { constructor() { this.text = 'made'; } }
global.all = [kept, arrow, new Made(), kept.bind(1), kept.bind(1).bind(2), () => arrow];
require('v8').writeHeapSnapshot(process.argv[2]);
"""


def test_names_of_scripts_need_the_analysis(tmp_path):
    path = CORPUS / "node26.heapsnapshot.gz"
    only = ["--tables", "js_heap_location"]
    for at, (args, is_named) in enumerate([([], False), (["--analyze"], True), (only, False), ([*only, "--analyze"], True)]):
        tables = convert(path, tmp_path / str(at), *args)
        names = pq.read_table(tables / "js_heap_location.parquet")["script_name"]
        assert (names.null_count < len(names)) == is_named, args
    tables = convert(path, tmp_path / "column", "--columns", "js_heap_location.script_name", "--analyze")
    table = pq.read_table(tables / "js_heap_location.parquet")
    assert table.column_names == ["script_name"] and table["script_name"] == names


def test_detached_nodes_are_found(questions, database, tmp_path):
    load_views(database, convert(CORPUS / "chromium.heapsnapshot.gz", tmp_path / "t", "--analyze"))
    rows = ask(questions, database, "detached DOM nodes")
    assert rows and all(row["class_name"].startswith("Detached ") for row in rows)


def test_tables_of_the_analysis_are_as_declared(schema, tmp_path):
    tables = convert(CORPUS / "node22.heapsnapshot.gz", tmp_path / "t", "--analyze", "--layout", "hive", "--names", "id")
    declared = {table["name"]: table["columns"] for table in schema["tables"]}
    for name in ("js_heap_analysis", "js_heap_class", "js_heap_statistics", "js_heap_duplicate_string", "js_heap_native_context", "js_heap_context_variable", "js_heap_package"):
        (path,) = (tables / name).rglob("*.parquet")
        read = pq.read_table(path)
        assert read.num_rows > 0
        assert read.column_names == [column["name"] for column in declared[name]]
        for column in declared[name]:
            assert column["nullable"] or read[column["name"]].null_count == 0
    nodes = pq.read_table(next((tables / "js_heap_nodes").rglob("*.parquet")))
    assert nodes["id"] == pq.read_table(next((tables / "js_heap_analysis").rglob("*.parquet")))["id"]


def test_analysis_is_in_the_help():
    assert "--analyze" in heapquarry("convert", "--help").stdout
