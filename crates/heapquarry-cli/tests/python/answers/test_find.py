"""`heapquarry find` against searches of the converted tables."""

import json
import re

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from conftest import CORPUS, convert, heapquarry, read_table, short_name

HEAPS = [
    CORPUS / "chromium.heapsnapshot.gz",
    CORPUS / "handmade/strings-of-every-kind.heapsnapshot",
    CORPUS / "handmade/ark-7.0.heapsnapshot",
    CORPUS / "handmade/bun.heapsnapshot",
    CORPUS / "jsc/version2.json",
]
PROFILE = CORPUS / "profiles/current.cpuprofile"
TRACE = CORPUS / "traces/node26.trace.json.gz"
ALL = 10**6
STRINGS = {"string", "concatenated string", "sliced string", "slicedstring"}
PLACEHOLDERS = {"(concatenated string)", "(sliced string)"}


def find(path, *args, expect=0):
    done = heapquarry("find", "-q", path, "--json", "--top", ALL, *args, expect=expect)
    return json.loads(done.stdout)


class Heap:
    """The nodes of a heap, from its tables."""

    def __init__(self, path, folder):
        self.path = path
        tables = convert(path, folder / "t", "--analyze", "-q")
        nodes = read_table(tables, "js_heap_nodes").select(["node_index", "type", "name"]).to_pylist()
        analysed = ["id", "class_name", "distance", "shallow_size", "retained_size"]
        analysed = read_table(tables, "js_heap_analysis").select(analysed).to_pylist()
        self.nodes = [{**node, **row} for node, row in zip(nodes, analysed)]
        edges = read_table(tables, "js_heap_edges")
        is_half = pc.and_(pc.equal(edges["type"], "internal"), pc.is_in(edges["name"], pa.array(["first", "second"])))
        by_id = {node["id"]: node for node in reversed(self.nodes)}
        self.halves = {}
        for edge in edges.filter(is_half).to_pylist():
            halves = self.halves.setdefault(edge["from_node_id"], {})
            halves.setdefault(edge["name"], by_id[edge["to_node_id"]])

    def is_string(self, node):
        return node["type"] in STRINGS and not self.is_flat(node)

    def text(self, node):
        """What is known of it, and whether that is all."""
        parts, work, units, whole = [], [node], 0, True
        while work and units < 1024:
            at = work.pop()
            of = self.halves_of(at)
            if of:
                work += [of.get("second", self.nodes[0]), of.get("first", self.nodes[0])]
                continue
            name = at["name"] or ""
            whole = whole and at["name"] is not None and (at["type"] == "string" or name not in PLACEHOLDERS)
            parts.append(name)
            units += len(name.encode("utf-16-le", "surrogatepass")) // 2
        # V8 writes 1,024 units of a string, others all of it.
        is_cut = units >= 1024 if node["type"] == "concatenated string" else units == 1024
        return "".join(parts), whole and not is_cut

    def is_flat(self, node):
        """Whether one half is empty: such a string is its other half."""
        return any(half["node_index"] != 0 and self.text(half) == ("", True) for half in self.halves_of(node).values())

    def halves_of(self, node):
        return self.halves.get(node["id"], {}) if node["type"] == "concatenated string" else {}

    def program(self):
        return [node for node in self.nodes if node["type"] not in ("synthetic", "hidden", "code")]


@pytest.fixture(scope="module", params=HEAPS, ids=short_name)
def heap(request, tmp_path_factory):
    return Heap(request.param, tmp_path_factory.mktemp("find"))


def assert_found(answer, nodes, size="retained_size"):
    """That these nodes are listed, the largest first, of equal ones the first in the file."""
    found = answer["objects"]
    expected = sorted(nodes, key=lambda node: (-node[size], node["node_index"]))
    assert found["total"] == len(expected)
    assert answer["shallow_size"] == sum(node["shallow_size"] for node in expected)
    columns = ["id", "class_name", "distance", "shallow_size", "retained_size"]
    assert [[row[c] for c in columns] for row in found["rows"]] == [[node[c] for c in columns] for node in expected]


def fits(pattern, name):
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name or "", re.DOTALL) is not None


def test_all_objects_of_the_program(heap):
    assert_found(find(heap.path), heap.program())
    assert_found(find(heap.path, "--sort", "own"), heap.program(), "shallow_size")


@pytest.mark.parametrize("patterns", [["Object"], ["*"], ["A*", "S*n"], ["system / *"], ["(string)", "no such class"]], ids=str)
def test_classes_and_names(heap, patterns):
    def is_any(name):
        return any(fits(pattern, name) for pattern in patterns)

    of_class = [node for node in heap.nodes if is_any(node["class_name"])]
    assert_found(find(heap.path, *(f"--class={pattern}" for pattern in patterns)), of_class)
    named = [node for node in heap.nodes if is_any(node["class_name"]) or is_any(node["name"])]
    assert_found(find(heap.path, *(f"--name={pattern}" for pattern in patterns)), named)


@pytest.mark.parametrize("size", [1, 1000, 10**9])
def test_sizes(heap, size):
    for sort, column in ("retained", "retained_size"), ("own", "shallow_size"):
        large = [node for node in heap.program() if node[column] >= size]
        assert_found(find(heap.path, f"--min-size={size}", f"--sort={sort}"), large, column)


def test_ids(heap):
    some = heap.nodes[:: max(len(heap.nodes) // 5, 1)]
    ids = {node["id"] for node in some}
    expected = [node for node in heap.nodes if node["id"] in ids]
    assert_found(find(heap.path, *(f"--node=@{id}" for id in ids), "--node=-7"), expected)


def test_detached_nodes(heap):
    found = {is_it: find(heap.path, f"--detached={str(is_it).lower()}")["objects"] for is_it in (True, False)}
    assert found[True] == find(heap.path, "--detached")["objects"]
    assert found[True]["total"] + found[False]["total"] == len(heap.program())
    totals = json.loads(heapquarry("summary", heap.path, "--json").stdout)["totals"]
    assert found[True]["total"] == totals["detached_count"]


@pytest.mark.parametrize("args", [("--text", "e"), ("--text", ""), ("--regex", "^[a-z]{3,9}$"), ("--regex", "(?i)ERR|\\d{2}")], ids=str)
def test_texts(heap, args):
    def fits(text):
        return args[1] in text if args[0] == "--text" else re.search(args[1], text) is not None

    texts = [(node, *heap.text(node)) for node in heap.program() if heap.is_string(node)]
    answer = find(heap.path, *args)
    assert_found(answer, [node for node, text, _ in texts if fits(text)])
    unknown = sum(not fits(text) and not whole for _, text, whole in texts)
    said = [caveat["text"] for caveat in answer["caveats"] if "does not have all of the text" in caveat["text"]]
    assert [int(re.search(r"of (\d+) string", text)[1]) for text in said] == ([unknown] if unknown else [])


def test_equal_strings_are_one(heap):
    groups = {}
    for node in filter(heap.is_string, heap.program()):
        text, whole = heap.text(node)
        # As for duplicates: cut strings of one size are taken as equal, and nothing is known of others.
        is_cut = not whole and node["type"] != "concatenated string" and text not in PLACEHOLDERS and text
        key = 0 if whole else node["shallow_size"] if is_cut else ("one", node["node_index"])
        groups.setdefault((text, whole, key), []).append(node)
    answer = find(heap.path, "--strings")
    expected = []
    for (text, whole, _), nodes in groups.items():
        largest = min(nodes, key=lambda node: (-node["retained_size"], node["node_index"]))
        sums = [sum(node[size] for node in nodes) for size in ("shallow_size", "retained_size")]
        expected.append((-sums[1], largest["node_index"], text, whole, len(nodes), *sums, largest["id"]))
    columns = ["string", "is_whole", "count", "shallow_size", "retained_size", "id"]
    rows = [tuple(row[column] for column in columns) for row in answer["strings"]["rows"]]
    assert rows == [row[2:] for row in sorted(expected)]
    assert answer["strings"]["total"] == len(rows)
    for minimum in 100, 10**9:
        few = find(heap.path, "--strings", f"--min-size={minimum}")["strings"]["rows"]
        assert [row["string"] for row in few] == [row[0] for row in rows if row[4] >= minimum]


def test_pages_are_all_of_it(heap):
    whole = find(heap.path)["objects"]["rows"][:50]
    pages = []
    for offset in range(0, 50, 20):
        page = json.loads(heapquarry("find", heap.path, "--json", "--offset", offset, "--top", 20).stdout)["objects"]
        assert page.get("offset", 0) == offset
        pages += page["rows"]
    assert [row["id"] for row in pages[:50]] == [row["id"] for row in whole]
    assert find(heap.path, "--offset", ALL)["objects"]["rows"] == []
    assert "nothing on this page" in heapquarry("find", heap.path, "--offset", ALL).stdout


def test_owners_and_paths_are_those_of_why():
    path = CORPUS / "leak/3.heapsnapshot.gz"
    [store] = find(path, "--class", "SessionStore")["objects"]["rows"]
    assert store["way"] == "variable shop.store of leak.js" and store["owner"]["class_name"] == "Shop"
    for row in find(path, "--class", "Session")["objects"]["rows"][:5]:
        why = json.loads(heapquarry("why", path, "--node", row["id"], "--json").stdout)["objects"][0]
        assert row["way"] == why["object"]["way"]
        assert row["owner"]["id"] in [step["id"] for step in why["paths"][0]["steps"]]


def test_new_objects():
    base, path = (CORPUS / f"leak/{number}.heapsnapshot.gz" for number in (2, 3))
    old = {row["id"] for row in find(base, "--name", "*")["objects"]["rows"]}
    new = find(path, "--new-since", base)["objects"]["rows"]
    assert {row["id"] for row in new} == {row["id"] for row in find(path)["objects"]["rows"]} - old
    other = find(path, "--new-since", CORPUS / "node22.heapsnapshot.gz", "--class", "Session")
    assert any(caveat["kind"] == "mismatch" for caveat in other["caveats"]) and other["objects"]["total"] > 0


def names(row):
    return [row["function_name"], row["url"]]


@pytest.mark.parametrize("sort", ["own", "retained"])
def test_functions(sort):
    summary = json.loads(heapquarry("summary", PROFILE, "--json", "--top", ALL).stdout)
    rows = summary["functions" if sort == "own" else "functions_by_total"]["rows"]
    for args, is_it in [
        ([], lambda name: True),
        (["--name", "*a*"], lambda name: "a" in name),
        (["--text", "o"], lambda name: "o" in name),
        (["--regex", "^[A-Z(]"], lambda name: re.search("^[A-Z(]", name)),
    ]:
        found = find(PROFILE, "--sort", sort, *args)["functions"]
        expected = [row for row in rows if any(is_it(name) for name in names(row))]
        assert found == {"total": len(expected), "rows": expected}, args
    page = json.loads(heapquarry("find", PROFILE, "--json", "--sort", sort, "--top", 2, "--offset", 1).stdout)
    assert page["functions"] == {"total": len(rows), "offset": 1, "rows": rows[1:3]}


@pytest.mark.parametrize("sort", ["own", "retained"])
def test_slices(sort):
    summary = json.loads(heapquarry("summary", TRACE, "--json", "--top", ALL).stdout)
    rows = summary["slices" if sort == "own" else "slices_by_total"]["rows"]
    for args, is_it in [([], lambda name: True), (["--name", "V8*"], lambda name: name.startswith("V8")), (["--text", "GC"], lambda name: "GC" in name)]:
        found = find(TRACE, "--sort", sort, *args)["slices"]
        expected = [row for row in rows if is_it(row["name"] or "")]
        assert found == {"total": len(expected), "rows": expected}, args


OF_HEAPS = ["--class=A", "--node=1", "--min-size=1", "--detached", "--new-since=x", "--strings"]


@pytest.mark.parametrize("args", OF_HEAPS)
@pytest.mark.parametrize("path", [PROFILE, TRACE], ids=short_name)
def test_what_only_heaps_have(path, args):
    error = heapquarry("find", path, args, expect=2).stderr
    assert error.startswith("error: ") and error.count("\n") == 1 and "heap" in error


@pytest.mark.parametrize(
    "args, says",
    [
        (["--regex", "("], "invalid regular expression: unclosed group"),
        (["--regex", "a{9999}{9999}"], "invalid regular expression: "),
        (["--regex", "\\p{Nonsense}"], "invalid regular expression: "),
        (["--min-size", "much"], "--min-size"),
        (["--sort", "name"], "--sort"),
        (["--node", "x"], "--node"),
        (["--detached=maybe"], "--detached"),
    ],
    ids=str,
)
def test_questions_that_are_none(args, says):
    for path in HEAPS[0], PROFILE, TRACE:
        done = heapquarry("find", path, *args, expect=2)
        assert says in done.stderr and done.stdout == ""
