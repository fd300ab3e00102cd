"""`summary`, `why`, `diff` and `check` on heaps of real programs that are run here, on terminals, and as tables."""

import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import termios
import unicodedata
import xml.etree.ElementTree as ET
from pathlib import Path

import duckdb
import pytest
from conftest import CORPUS, ROOT, binary, heapquarry

NODE = shutil.which("node")
CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ["chromium", "chromium-headless-shell", "google-chrome", "chrome"])), None
)

PROGRAM = """
const v8 = require('v8');
class Session {
  constructor(i) {
    this.user = `user ${i}`;
    this.data = new Array(50).fill(i);
  }
}
const cache = new Map();
let requests = 0;
function request() {
  const session = new Session(requests++);
  if (process.argv[3] === 'leak') cache.set(session.user, session);
  return session.data.length;
}
for (let round = 1; round <= 3; round++) {
  for (let i = 0; i < 100; i++) request();
  v8.writeHeapSnapshot(`${process.argv[2]}-${round}.heapsnapshot`);
}
"""

BUDGET = """
[noise]
bytes = "50 kB"
count = 50

[total]
retained = "+1%"

[class.Session]
count = ["1000", "+20"]

[class."*"]
retained = "+10%"
"""


@pytest.fixture(scope="module")
def leak(tmp_path_factory):
    """Snapshots of a program that leaks sessions (`bad-N`), and of the same one that does not (`good-N`)."""
    if not NODE:
        pytest.skip("there is no node")
    folder = tmp_path_factory.mktemp("leak")
    (folder / "program.js").write_text(PROGRAM)
    (folder / "heap.toml").write_text(BUDGET)
    for name, mode in [("bad", "leak"), ("good", "none")]:
        subprocess.run([NODE, "program.js", name, mode], cwd=folder, check=True, timeout=120, capture_output=True)
    return folder


def snapshots(name, count=3):
    return [f"{name}-{i}.heapsnapshot" for i in range(1, count + 1)]


def test_a_planted_leak_is_named_with_its_count(leak):
    report = json.loads(heapquarry("diff", *snapshots("bad"), "--json", cwd=leak).stdout)
    session = next(c for c in report["classes"]["rows"] if c["class_name"] == "Session")
    assert (session["added_count"], session["removed_count"], session["count_delta"]) == (200, 0, 200)
    assert session["size_delta"] > 0 and session["retained_size"] > 3 * session["size_delta"]
    suspects = {s["class_name"]: s for s in report["suspects"]["rows"]}
    assert suspects["Session"]["counts"] == [100, 200, 300]
    # What retains most of the growth is the map and what holds it.
    assert "Map" in {o["class_name"] for o in report["objects"]["rows"][:5]}

    # The engine's own classes come last, and people see them only if they ask.
    engine = [c["is_engine"] for c in report["classes"]["rows"]]
    assert engine == sorted(engine) and report["engine"]["class_count"] == sum(engine)
    [finding] = report["findings"]
    assert finding["leaked"] == "Session" and finding["counts"] == [100, 200, 300]
    depths = {o["class_name"]: o["depth"] for o in reversed(report["objects"]["rows"])}
    assert depths["Map"] > depths["system / Context"]
    all_classes = heapquarry("diff", *snapshots("bad"), "--top", "100", "--engine", cwd=leak).stdout
    folded = heapquarry("diff", *snapshots("bad"), "--top", "100", cwd=leak).stdout
    assert "Classes of the engine" in folded and "Classes of the engine" not in all_classes
    listed, few = (text.split("\nClasses\n")[1].split("\n\n")[0].splitlines()[1:] for text in (all_classes, folded))
    assert len(listed) == len(engine) and len(few) == len(engine) - sum(engine)

    good = json.loads(heapquarry("diff", *snapshots("good"), "--json", cwd=leak).stdout)
    assert good["findings"] == []
    assert "Session" not in {s["class_name"] for s in good["suspects"]["rows"]}

    # Ids of one process are those of the same objects, of two they are not, and that is said.
    assert report["caveats"] == good["caveats"] == []
    mixed = json.loads(heapquarry("diff", "good-1.heapsnapshot", "bad-1.heapsnapshot", "--json", cwd=leak).stdout)
    assert "they are of different processes" in mixed["caveats"][0]["text"]

    why = json.loads(heapquarry("why", "bad-3.heapsnapshot", "--class", "Session", "--json", cwd=leak).stdout)
    edges = {step["edge"] for o in why["objects"] for p in o["paths"] for step in p["steps"]}
    assert "cache" in edges
    [group] = why["groups"]["rows"]
    assert (group["count"], group["way"]) == (300, "variable cache[] of program.js")
    new = ["why", "bad-3.heapsnapshot", "--class", "Sess*", "--new-since", "bad-1.heapsnapshot", "--json"]
    assert json.loads(heapquarry(*new, cwd=leak).stdout)["groups"]["rows"][0]["count"] == 200


CARTS = """
const bus = new (require('node:events'))().setMaxListeners(0);
class Cart {
    watch() { bus.on('price', () => this.total); }
}
for (let i = 0; i < 300; i++) new Cart().watch();
global.carts = bus;
require('v8').writeHeapSnapshot(process.argv[2]);
"""


def test_why_names_who_holds_the_function_that_holds_by_this(tmp_path):
    (tmp_path / "cart.js").write_text(CARTS)
    subprocess.run([NODE, "cart.js", "cart.heapsnapshot"], cwd=tmp_path, check=True)
    why = ["why", "cart.heapsnapshot", "--class", "Cart"]
    [group] = json.loads(heapquarry(*why, "--json", cwd=tmp_path).stdout)["objects"]
    held = group["object"]
    assert held["way"] == "variable this of watch (cart.js)"
    assert held["function_way"] == "globalThis.carts._events.price[]"
    text = heapquarry(*why, cwd=tmp_path).stdout
    assert "\n300 Cart by globalThis.carts._events.price[], through variable this of watch (cart.js)\n" in text


def test_a_budget_tells_a_leak_from_none(leak):
    check = ["--budget", "heap.toml", "--baseline"]
    bad = heapquarry("check", "bad-3.heapsnapshot", *check, "bad-1.heapsnapshot", "--json", cwd=leak, expect=1)
    checks = json.loads(bad.stdout)["checks"]
    exceeded = {(f["name"], c["quantity"]) for c in checks if c["outcome"] == "exceeded" for f in c["findings"]}
    assert ("Session", "count") in exceeded and ("", "retained") in exceeded
    heapquarry("check", "good-3.heapsnapshot", *check, "good-1.heapsnapshot", cwd=leak)
    # Of different runs of the program: ids do not match, counts and sizes do.
    heapquarry("check", "bad-3.heapsnapshot", *check, "good-3.heapsnapshot", cwd=leak, expect=1)
    heapquarry("check", "good-3.heapsnapshot", *check, "bad-3.heapsnapshot", cwd=leak)
    # Without a baseline only the one absolute limit can be held.
    alone = heapquarry("check", "bad-3.heapsnapshot", "--budget", "heap.toml", "--json", cwd=leak)
    outcomes = [c["outcome"] for c in json.loads(alone.stdout)["checks"]]
    assert sorted(outcomes) == ["passed", "skipped", "skipped", "skipped"]
    for limit, code in [("retained>+1%", 1), ("class[Session].count>+199", 1), ("class[Session].count>+200", 0)]:
        heapquarry("diff", *snapshots("bad"), "--fail-on", limit, cwd=leak, expect=code)


def test_junit_counts_what_failed(leak):
    args = ["bad-3.heapsnapshot", "--budget", "heap.toml", "--baseline", "bad-1.heapsnapshot", "--format", "junit"]
    suites = ET.fromstring(heapquarry("check", *args, cwd=leak, expect=1).stdout)
    suite = suites.find("testsuite")
    cases = suite.findall("testcase")
    assert len(cases) == int(suite.get("tests")) == 4
    assert len(suite.findall("testcase/failure")) == int(suite.get("failures")) == int(suites.get("failures"))
    assert any("class Session: count is 300" in f.get("message") for f in suite.iter("failure"))


def test_tables_of_a_comparison_say_what_the_report_says(leak):
    args = [*snapshots("bad"), "-o", "diff.tables", "--json", "--top", "1000000"]
    report = json.loads(heapquarry("diff", *args, cwd=leak).stdout)

    def query(table, sql):
        return duckdb.sql(f"SELECT {sql} FROM '{leak}/diff.tables/js_heap_diff_{table}.parquet'").fetchall()

    columns = ["class_key", "added_count", "removed_count", "added_size", "removed_size", "count_delta", "size_delta"]
    columns += ["base_retained_size", "retained_size"]
    assert sorted(query("class", ", ".join(columns))) == sorted(tuple(c[k] for k in columns) for c in report["classes"]["rows"])
    columns = ["id", "class_name", "retained_size", "retained_delta"]
    assert sorted(query("object", ", ".join(columns))) == sorted(tuple(o[k] for k in columns) for o in report["objects"]["rows"])
    assert query("snapshot", "file_id, path") == list(enumerate(snapshots("bad")))
    sessions = query("series", "file_id, count, suspected")
    assert {(0, 100, 1), (1, 200, 1), (2, 300, 1)} <= set(sessions)
    heapquarry("diff", *args, cwd=leak, expect=2)
    heapquarry("diff", *args, "--force", cwd=leak)


PAGE = """<!doctype html>
<div id="shown"></div>
<script>
  const panels = [];
  (() => {
    const tree = document.createElement('section');
    tree.innerHTML = '<ul><li>one</li><li>two</li></ul>';
    document.getElementById('shown').append(tree);
    tree.remove();
    panels.push(tree);
  })();
</script>
"""


@pytest.mark.skipif(not (NODE and CHROMIUM), reason="there is no node or no Chromium")
def test_a_detached_tree_is_found_and_so_is_the_variable_that_holds_it(tmp_path):
    (tmp_path / "page.html").write_text(PAGE)
    script = CORPUS / "generate" / "chromium.mjs"
    subprocess.run([NODE, script, CHROMIUM, "page.heapsnapshot", "page.html"], cwd=tmp_path, check=True, timeout=120)
    summary = json.loads(heapquarry("summary", "page.heapsnapshot", "--json", cwd=tmp_path).stdout)
    detached = {row["class_name"]: row["count"] for row in summary["detached"]["rows"]}
    assert (detached["Detached <section>"], detached["Detached <ul>"], detached["Detached <li>"]) == (1, 1, 2)
    assert summary["totals"]["detached_count"] >= 4

    why = heapquarry("why", "page.heapsnapshot", "--class", "Detached <section>", "--json", cwd=tmp_path)
    path = json.loads(why.stdout)["objects"][0]["paths"][0]["steps"]
    assert [step["edge"] for step in path][:2] == ["[0]", "panels"], path
    assert path[0]["class_name"] == "Array" and path[1]["edge_type"] == "context"

    (tmp_path / "dom.toml").write_text("[total]\ndetached_count = 0\n")
    heapquarry("check", "page.heapsnapshot", "--budget", "dom.toml", cwd=tmp_path, expect=1)


# -------------------------------------------------------------------------------- DevTools' own numbers

GOLDEN = sorted((Path(os.environ["HEAPQUARRY_EXTRA_DATA"]) / "v8/golden").glob("*.json")) if (
    "HEAPQUARRY_EXTRA_DATA" in os.environ
) else []


def snapshot_of(golden, name):
    return next((golden.parents[1]).rglob(name))


@pytest.mark.parametrize(("heap", "nodes", "objects", "keeper"), [
    # Node marks objects of C++ as detached.
    ("leak/3.heapsnapshot.gz", 0, 19, "detached C++ objects"),
    ("chromium.heapsnapshot.gz", 25, 15, "detached DOM nodes and C++ objects"),
    ("node26.heapsnapshot.gz", 0, 0, "detached DOM nodes"),
])  # fmt: skip
def test_objects_of_cpp_are_no_dom_nodes(heap, nodes, objects, keeper):
    report = json.loads(heapquarry("summary", CORPUS / heap, "--json").stdout)
    totals, kept = report["totals"], report["kept"][0]
    assert (totals["detached_count"], totals["detached_wrapper_count"]) == (nodes, objects)
    assert kept["by"] == keeper and kept["count"] >= nodes + objects
    assert f"\n  {keeper} " in heapquarry("summary", CORPUS / heap).stdout


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda path: path.stem)
def test_numbers_are_those_of_devtools(golden):
    """`HEAPQUARRY_EXTRA_DATA/v8/golden` holds what the DevTools engine computes of snapshots beside it."""
    expected = json.loads(golden.read_text())
    snapshot = snapshot_of(golden, expected["file"])
    summary = json.loads(heapquarry("summary", snapshot, "--json").stdout)
    largest = json.loads(heapquarry("summary", snapshot, "--json", "--top", "60").stdout)["retainers"]["rows"]
    assert summary["totals"]["node_count"] == expected["node_count"]
    assert summary["totals"]["size"] == expected["statistics"]["total"]
    assert summary["totals"]["class_count"] == expected["aggregate_count"]
    sizes = {row["category"]: row["size"] for row in summary["statistics"]}
    heap, native = expected["statistics"]["v8heap"], expected["statistics"]["native"]
    # DevTools counts typed arrays twice: here the sizes add up to the total.
    assert sizes["native"] + sizes["typed_arrays"] == native["total"] and sizes["typed_arrays"] == native["typedArrays"]
    assert sum(sizes.values()) == summary["totals"]["size"]
    for name, ours in [("code", "code"), ("strings", "strings"), ("jsArrays", "js_arrays"), ("system", "system")]:
        assert sizes[ours] == heap[name], name
    classes = {row["class_key"]: row for row in summary["classes"]["rows"]}
    for row in expected["aggregates"]:
        ours = classes[row["key"]]
        assert (ours["class_name"], ours["count"], ours["distance"]) == (row["name"], row["count"], row["distance"])
        assert (ours["shallow_size"], ours["retained_size"]) == (row["self"], row["maxRet"])
    retained = {row["id"]: row for row in expected["top_retained"]}
    found = [row for row in largest if row["id"] in retained]
    for row in found:
        theirs = retained[row["id"]]
        assert (row["retained_size"], row["distance"]) == (theirs["retained"], theirs["distance"])
        assert row["class_name"] == theirs["class"]
    assert found

    if "diff_against" in expected:
        base = snapshot_of(golden, expected["diff_against"])
        report = json.loads(heapquarry("diff", base, snapshot, "--json").stdout)
        assert report["caveats"] == []
        theirs = {
            row["key"]: (row["added"], row["removed"], row["added_size"], row["removed_size"], row["count_delta"])
            for row in expected["diff"]
        }
        columns = ["added_count", "removed_count", "added_size", "removed_size", "count_delta"]
        assert {row["class_key"]: tuple(row[c] for c in columns) for row in report["classes"]["rows"]} == theirs


# -------------------------------------------------------------------------------- terminals


def on_a_terminal(columns, *args, errors=False, **env):
    """What the command prints on a terminal of that width; with errors, also what it prints besides."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm"} | env
    child = subprocess.Popen([binary(), *map(str, args)], stdout=slave, stderr=slave if errors else subprocess.DEVNULL, env=env)
    os.close(slave)
    printed = b""
    while True:
        try:
            chunk = os.read(master, 1 << 16)
        except OSError:  # Linux: the other end is closed
            break
        if not chunk:
            break
        printed += chunk
    os.close(master)
    assert child.wait(timeout=60) == 0
    return printed.decode().replace("\r\n", "\n")


def width(line):
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line
    )


@pytest.mark.parametrize("columns", [60, 80, 120, 200])
def test_tables_fit_the_terminal(columns):
    snapshot = CORPUS / "chromium.heapsnapshot.gz"
    text = on_a_terminal(columns, "summary", snapshot)
    assert "\x1b[1m" in text
    plain = re.sub(r"\x1b\[\d*m", "", text)
    assert "\x1b" not in plain and "Classes by retained size" in plain
    assert max(map(width, plain.splitlines())) <= columns


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colours_can_be_had_off(env):
    assert "\x1b" not in on_a_terminal(80, "summary", CORPUS / "chromium.heapsnapshot.gz", **env)


def test_a_closed_pipe_is_no_failure():
    command = f"'{binary()}' summary --json '{CORPUS}/chromium.heapsnapshot.gz' | head -c 20; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=60, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, b"")


UNITS = {"B": 1, "kB": 10**3, "MB": 10**6}


def test_progress_never_exceeds_the_size(tmp_path):
    """Some bytes are read twice, and one document follows another."""
    inputs = [CORPUS / "leak" / f"{n}.heapsnapshot.gz" for n in (3, 1)] + [CORPUS / "traces" / "tsc.trace.json.gz"]
    printed = on_a_terminal(120, "convert", *inputs, "-o", tmp_path / "out", errors=True)
    drawn = re.findall(r"([\d.]+) (k?M?B)/([\d.]+) (k?M?B)", printed)
    assert drawn and all(float(n) * UNITS[a] <= float(of) * UNITS[b] for n, a, of, b in drawn), drawn


def test_the_growth_that_counts_is_shown_at_80_columns():
    before, after = (CORPUS / "leak" / f"{n}.heapsnapshot.gz" for n in (1, 2))
    lines = on_a_terminal(80, "diff", before, after, NO_COLOR="1").splitlines()
    assert all(width(line) <= 80 for line in lines)
    for title in ("Classes", "Objects that retain more"):
        assert lines[lines.index(title) + 1].endswith("Retained delta"), lines
