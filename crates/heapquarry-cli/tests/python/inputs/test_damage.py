"""Damage that can be worked around: the row it leaves in import_log, and the rows of data that remain.

Each case changes one place of a small snapshot and says which codes must come, how often, and which cells are then
other than in the unchanged file. Everything that a case does not name must be as before.
"""

from dataclasses import dataclass, field

import pytest
from conftest import CORPUS, codes, convert, heapquarry, read_rows, read_tables
from documented import documented_severities

SECTIONS = {
    "snapshot": '{"meta":{"node_fields":["type","name","id","self_size","edge_count","trace_node_id","detachedness"],'
    '"node_types":[["hidden","array","string","object","code","closure","regexp","number","native","synthetic",'
    '"concatenated string","sliced string","symbol","bigint"],"string","number","number","number","number","number"],'
    '"edge_fields":["type","name_or_index","to_node"],'
    '"edge_types":[["context","element","property","internal","hidden","shortcut","weak"],"string_or_number","node"],'
    '"trace_function_info_fields":["function_id","name","script_name","script_id","line","column"],'
    '"trace_node_fields":["id","function_info_index","count","size","children"],'
    '"sample_fields":["timestamp_us","last_assigned_id"],'
    '"location_fields":["object_index","script_id","line","column"]},'
    '"node_count":4,"edge_count":4,"trace_function_count":2}',
    "nodes": "[9,1,1,0,2,0,0\n,3,2,3,16,1,0,0\n,2,3,5,24,0,0,0\n,8,2,7,32,1,2,1\n]",
    "edges": "[1,1,7\n,5,4,14\n,2,5,14\n,4,9,21\n]",
    "trace_function_infos": "[0,2,1,0,0,0\n,11,3,4,6,7,8\n]",
    "trace_tree": "[1,0,0,0,[2,1,3,48,[]]]",
    "samples": "[0,5\n,100,7\n]",
    "locations": "[7,1,2,3\n]",
    "strings": '["<dummy>","","Foo","text","short","prop"]',
}


def document(**changed):
    """The small snapshot with other texts for some sections, or without those that are None."""
    return "{" + ",\n".join(f'"{key}":{text}' for key, text in (SECTIONS | changed).items() if text is not None) + "}"


@dataclass
class Case:
    text: str | bytes
    codes: dict
    # (table, row, column): value
    cells: dict = field(default_factory=dict)
    # table: the number of rows, where it is not as before; those are then the first ones
    rows: dict = field(default_factory=dict)
    # tables that are not compared
    skip: tuple = ()
    # what totals then are
    status: str | None = None


NODES, EDGES, STRINGS, TREE = "js_heap_nodes", "js_heap_edges", "js_heap_string", "js_heap_trace_node"
LOCATIONS, SAMPLES, FUNCTIONS, FILES = (
    "js_heap_location",
    "js_heap_sample",
    "js_heap_trace_function_info",
    "js_heap_files",
)
HUGE = "9" * 400


def node(old, new):
    return document(nodes=SECTIONS["nodes"].replace(old, new, 1))


def edge(old, new):
    return document(edges=SECTIONS["edges"].replace(old, new, 1))


def header(old, new):
    assert old in SECTIONS["snapshot"]
    return document(snapshot=SECTIONS["snapshot"].replace(old, new, 1))


def strings(*texts):
    return document(strings="[" + ",".join(texts) + "]")


def string(text):
    """Another last string, which is the name of edge 2."""
    return strings('"<dummy>"', '""', '"Foo"', '"text"', '"short"', text)


def named(text):
    return {(STRINGS, 5, "string"): text, (EDGES, 2, "name"): text}


CASES = {
    # -- the document
    "nothing": Case(document(), {}),
    "trailing blanks": Case(document() + " \r\n\t\n", {}),
    "trailing text": Case(document() + "\nextra", {"trailing_data": 1}),
    "another document of no known format": Case(document() + '[{"a":1}]', {"second_document": 1}, status="truncated"),
    "trailing NUL bytes": Case(document() + "\0" * 100, {"trailing_data": 1}),
    "byte order mark": Case("\ufeff" + document(), {"byte_order_mark": 1}),
    "unknown section": Case(document().replace('"edges"', '"more":{"strings":[[["]"]]]},"edges"', 1), {"unknown_section": 1}),
    "unknown section, a million brackets deep": Case(
        document().replace('"edges"', '"more":' + "[" * 1_000_000 + "]" * 1_000_000 + ',"edges"', 1), {"unknown_section": 1}
    ),
    "unknown section, a million braces deep": Case(
        document().replace('"edges"', '"more":' + '{"a":' * 1_000_000 + "1" + "}" * 1_000_000 + ',"edges"', 1), {"unknown_section": 1}
    ),
    "duplicate strings": Case(document()[:-1] + ',"strings":["other"]}', {"duplicate_section": 1}),
    "duplicate nodes": Case(document().replace('"edges"', '"nodes":[1,2,3],"edges"', 1), {"duplicate_section": 1}),
    "garbage between sections": Case(
        document().replace('"edges"', '@@@,"edges"', 1), {"malformed": 1},
        # strings stand at the end and are looked for from there
        {(FILES, 0, "edge_count"): 0, ("source", 0, "format"): "heapsnapshot"},
        {EDGES: 0, FUNCTIONS: 0, TREE: 0, SAMPLES: 0, LOCATIONS: 0}, status="truncated",
    ),
    "no strings": Case(
        document(strings=None), {"missing_section": 1},
        {(NODES, i, "name"): None for i in range(4)} | {(EDGES, i, "name"): None for i in range(4)}
        | {(FUNCTIONS, i, c): None for i in range(2) for c in ["name", "script_name"]} | {(FILES, 0, "string_count"): 0},
        {STRINGS: 0}, status="repaired",
    ),
    "no edges": Case(document(edges=None), {"missing_section": 1, "edges_missing": 1}, {(FILES, 0, "edge_count"): 0}, {EDGES: 0}, status="repaired"),
    "no nodes": Case(
        document(nodes=None),
        {"missing_section": 1, "nodes_missing": 1, "edge_without_owner": 4, "to_node_out_of_range": 4, "location_out_of_range": 1},
        {(EDGES, i, c): None for i in range(4) for c in ["from_node_id", "to_node_id"]}
        | {(LOCATIONS, 0, c): None for c in ["node_index", "node_id"]}
        | {(FILES, 0, "node_count"): 0, (FILES, 0, "self_size"): 0},
        {NODES: 0}, status="repaired",
    ),
    "no trace sections": Case(
        document(trace_function_infos=None, trace_tree=None, samples=None, locations=None), {"trace_function_count_mismatch": 1},
        {("source", 0, "format"): "heapsnapshot"}, {FUNCTIONS: 0, TREE: 0, SAMPLES: 0, LOCATIONS: 0},
    ),

    # -- counts
    "too many nodes declared": Case(
        header('"node_count":4', '"node_count":4000000000'), {"nodes_missing": 1},
        {(FILES, 0, "declared_node_count"): 4_000_000_000, ("js_heap_info", -3, "int_value"): 4_000_000_000},
    ),
    "counts of zero": Case(
        header('"node_count":4,"edge_count":4,"trace_function_count":2', '"node_count":0,"edge_count":0,"trace_function_count":0'),
        {"node_count_mismatch": 1, "edge_count_mismatch": 1, "trace_function_count_mismatch": 1},
        {(FILES, 0, "declared_node_count"): 0, (FILES, 0, "declared_edge_count"): 0}
        | {("js_heap_info", i, "int_value"): 0 for i in [-3, -2, -1]},
    ),
    "nodes, two fields too many": Case(node("\n]", ",9,1\n]"), {"partial_record": 1}),
    # It is unknown which field is missing, so none of the nodes is kept.
    "nodes, one field missing": Case(
        node(",2,1\n]", ",2\n]"),
        {"records_lost": 1, "owners_unknown": 1, "nodes_missing": 1, "to_node_out_of_range": 4, "location_out_of_range": 1},
        {(EDGES, i, c): None for i in range(4) for c in ["from_node_id", "to_node_id"]}
        | {(LOCATIONS, 0, c): None for c in ["node_index", "node_id"]}
        | {(FILES, 0, "node_count"): 0, (FILES, 0, "self_size"): 0},
        {NODES: 0}, status="repaired",
    ),
    "edges, one field too many": Case(edge("\n]", ",9\n]"), {"partial_record": 1}),
    "locations, one field too many": Case(document(locations="[7,1,2,3,7]"), {"partial_record": 1}),
    "samples, one field too many": Case(document(samples="[0,5,100,7,200]"), {"partial_record": 1}),
    "edge counts too small": Case(
        node("3,2,3,16,1", "3,2,3,16,0"), {"owners_unknown": 1},
        {(NODES, 1, "edge_count"): 0} | {(EDGES, i, "from_node_id"): None for i in range(4)},
    ),
    "edge counts too large": Case(
        node("3,2,3,16,1", "3,2,3,16,5"), {"edges_missing": 1, "owners_unknown": 1}, {(NODES, 1, "edge_count"): 5} | {(EDGES, i, "from_node_id"): None for i in range(4)}
    ),
    "edge count of two billion": Case(
        node("3,2,3,16,1", "3,2,3,16,2000000000"), {"edges_missing": 1, "owners_unknown": 1},
        {(NODES, 1, "edge_count"): 2_000_000_000} | {(EDGES, i, "from_node_id"): None for i in range(4)},
    ),
    "edge count below zero": Case(
        node("3,2,3,16,1", "3,2,3,16,-1"), {"negative_number": 1, "owners_unknown": 1},
        {(NODES, 1, "edge_count"): -1} | {(EDGES, i, "from_node_id"): None for i in range(4)},
    ),

    # -- references
    "to_node out of range": Case(edge("2,5,14", "2,5,28"), {"to_node_out_of_range": 1}, {(EDGES, 2, "to_node_id"): None}),
    "to_node far out of range": Case(edge("2,5,14", "2,5,70000000000000"), {"to_node_out_of_range": 1}, {(EDGES, 2, "to_node_id"): None}),
    "to_node unaligned": Case(edge("2,5,14", "2,5,15"), {"to_node_unaligned": 1}, {(EDGES, 2, "to_node_id"): None}),
    "location out of range": Case(
        document(locations="[28,1,2,3]"), {"location_out_of_range": 1}, {(LOCATIONS, 0, "node_index"): None, (LOCATIONS, 0, "node_id"): None}
    ),
    "location unaligned": Case(
        document(locations="[8,1,2,3]"), {"location_out_of_range": 1}, {(LOCATIONS, 0, "node_index"): None, (LOCATIONS, 0, "node_id"): None}
    ),
    "name of a node out of range": Case(
        node("3,2,3,16", "3,6,3,16"), {"string_out_of_range": 1}, {(NODES, 1, "name"): None, (NODES, 1, "name_id"): 6}
    ),
    "name of an edge out of range": Case(
        edge("2,5,14", "2,4000000000,14"), {"string_out_of_range": 1}, {(EDGES, 2, "name"): None, (EDGES, 2, "name_or_index"): 4_000_000_000}
    ),
    "name of a function out of range": Case(
        document(trace_function_infos="[0,2,1,0,0,0,11,3,44,6,7,8]"), {"string_out_of_range": 1},
        {(FUNCTIONS, 1, "script_name"): None, (FUNCTIONS, 1, "script_name_id"): 44},
    ),
    "index of an element, whatever it is": Case(edge("1,1,7", "1,4000000000,7"), {}, {(EDGES, 0, "name_or_index"): 4_000_000_000}),
    "type of a node out of range": Case(node("3,2,3,16", "14,2,3,16"), {"type_out_of_range": 1}, {(NODES, 1, "type"): "14"}),
    "type of an edge out of range": Case(edge("2,5,14", "70000,5,14"), {"type_out_of_range": 1}, {(EDGES, 2, "type"): "70000"}),

    # -- numbers
    "400 digits": Case(node("3,2,3,16", f"3,2,{HUGE},16"), {"value_out_of_range": 1},
        {(NODES, 1, "id"): None, (EDGES, 0, "to_node_id"): None, (EDGES, 2, "from_node_id"): None, (LOCATIONS, 0, "node_id"): None}),
    "400 digits as size": Case(node("3,2,3,16", f"3,2,3,{HUGE}"), {"value_out_of_range": 1}, {(NODES, 1, "self_size"): None, (FILES, 0, "self_size"): 56}),
    "the largest size": Case(
        node("3,2,3,16", "3,2,3,9223372036854775000"), {},
        {(NODES, 1, "self_size"): 9_223_372_036_854_775_000, (FILES, 0, "self_size"): 9_223_372_036_854_775_056},
    ),
    "one more than the largest": Case(
        node("3,2,3,16", "3,2,3,9223372036854775808"), {"value_out_of_range": 1}, {(NODES, 1, "self_size"): None, (FILES, 0, "self_size"): 56}
    ),
    "a large trace_node_id": Case(node("32,1,2,1", "32,1,2147483648,1"), {"value_out_of_range": 1}, {(NODES, 3, "trace_node_id"): None}),
    "negative id": Case(
        node("3,2,3,16", "3,2,-3,16"), {"negative_number": 1},
        {(NODES, 1, "id"): -3, (EDGES, 0, "to_node_id"): -3, (EDGES, 2, "from_node_id"): -3, (LOCATIONS, 0, "node_id"): -3},
    ),
    "negative size": Case(
        node("3,2,3,16", "3,2,3,-16"), {"negative_number": 1}, {(NODES, 1, "self_size"): -16, (FILES, 0, "self_size"): 40}
    ),
    "5.0": Case(node("3,2,3,16", "3,2,3,16.0"), {"number_form": 1}),
    "1.6e1": Case(node("3,2,3,16", "3,2,3,1.6e1"), {"number_form": 1}),
    "160E-1": Case(node("3,2,3,16", "3,2,3,160E-1"), {"number_form": 1}),
    "1.5": Case(node("3,2,3,16", "3,2,3,1.5"), {"not_an_integer": 1}, {(NODES, 1, "self_size"): None, (FILES, 0, "self_size"): 56}),
    "leading zeros": Case(node("3,2,3,16", "3,2,3,0016"), {}),
    "NaN": Case(node("3,2,3,16", "3,2,3,NaN"), {"not_a_number": 1}, {(NODES, 1, "self_size"): None, (FILES, 0, "self_size"): 56}),
    "null": Case(node("3,2,3,16", "3,2,3,null"), {"not_a_number": 1}, {(NODES, 1, "self_size"): None, (FILES, 0, "self_size"): 56}),
    "a number as text": Case(node("3,2,3,16", '3,2,3,"1,6"'), {"not_a_number": 1}, {(NODES, 1, "self_size"): None, (FILES, 0, "self_size"): 56}),
    "brackets for a number": Case(node("3,2,3,16", "3,2,3,[1,6]"), {"not_a_number": 1}, {(NODES, 1, "self_size"): None, (FILES, 0, "self_size"): 56}),
    "nothing for a number": Case(node("3,2,3,16", "3,2,3,"), {"not_a_number": 1}, {(NODES, 1, "self_size"): None, (FILES, 0, "self_size"): 56}),
    "NaN in an edge": Case(edge("2,5,14", "2,5,NaN"), {"not_a_number": 1}, {(EDGES, 2, "to_node_id"): None}),
    "1.5 in a sample": Case(document(samples="[0,5,1.5,7]"), {"not_an_integer": 1}, {(SAMPLES, 1, "timestamp_us"): None}),
    "negative line": Case(document(locations="[7,1,-1,3]"), {"negative_number": 1}, {(LOCATIONS, 0, "line_number"): -1}),
    "many of a kind": Case(
        document(samples="[" + ",".join(["NaN,1"] * 1000) + "]"), {"not_a_number": 1000}, skip=(SAMPLES,), status="repaired"
    ),

    # -- strings
    "lone surrogate": Case(string(r'"a\ud83db"'), {"lone_surrogate": 1}, named("a\ufffdb")),
    "two lone surrogates": Case(string(r'"\ude00\ud83d"'), {"lone_surrogate": 2}, named("\ufffd\ufffd")),
    "unknown escape": Case(string(r'"a\qb"'), {"bad_escape": 1}, named("aqb")),
    "broken \\u": Case(string(r'"a\u12x4b"'), {"bad_escape": 1}, skip=(STRINGS, EDGES), status="repaired"),
    "invalid UTF-8": Case(string('"a@b"').encode().replace(b"a@b", b"a\xff\xc3b"), {"invalid_utf8": 1}, named("a\ufffd\ufffdb")),
    "raw control characters": Case(string('"a\n\t\1b"'), {}, named("a\n\t\1b")),
    "stray quote": Case(string('"a"b"'), {"stray_quote": 1}, named('a"b')),
    "a number among strings": Case(string("12"), {"not_a_string": 1}, named("12")),
    "null among strings": Case(string("null"), {"not_a_string": 1}, named("null")),
    "an array among strings": Case(string('["a","b"]'), {"not_a_string": 1}, named('["a","b"]')),
    "a string of 65 MiB": Case(string('"' + "x" * (65 << 20) + '"'), {"string_too_long": 1}, named("x" * (64 << 20))),

    # -- the trace tree
    "trace tree, not an array of children": Case(document(trace_tree="[1,0,0,0,[2,1,3,48,7]]"), {"bad_nesting": 2}),
    "trace tree, too few numbers": Case(
        document(trace_tree="[1,0,0,0,[2,1,[]]]"), {"bad_nesting": 1}, {(TREE, 1, "count"): None, (TREE, 1, "size"): None}
    ),
    "trace tree, a million deep": Case(
        document(trace_tree="[1,0,0,0," + "[2,1,3,48," * 1_000_000 + "[]" + "]" * 1_000_001), {}, skip=(TREE,)
    ),

    # -- the header
    "a field that nobody knows": Case(
        header('"detachedness"]', '"colour"]'), {"unknown_field": 1}, {(NODES, i, "detachedness"): None for i in range(4)}
    ),
    "no trace_node_id": Case(
        header('"edge_count","trace_node_id"', '"edge_count","colour"'), {"unknown_field": 1}, {(NODES, i, "trace_node_id"): None for i in range(4)}
    ),
    "no id": Case(
        header('"id","self_size"', '"colour","self_size"'), {"unknown_field": 1, "missing_field": 1},
        {(NODES, i, "id"): None for i in range(4)} | {(EDGES, i, c): None for i in range(4) for c in ["from_node_id", "to_node_id"]}
        | {(LOCATIONS, 0, "node_id"): None},
    ),
    "no counts": Case(
        header(',"node_count":4,"edge_count":4,"trace_function_count":2', ""), {},
        {(FILES, 0, "declared_node_count"): None, (FILES, 0, "declared_edge_count"): None}
        | {("js_heap_info", i, "int_value"): None for i in [-3, -2, -1]},
    ),
}  # fmt: skip
DATA_LOSS = {code for code, severity in documented_severities().items() if severity != "info"}


def rows_of(tmp_path, text, *flags):
    source = tmp_path / "in"
    source.write_bytes(text if isinstance(text, bytes) else text.encode())
    folder = convert(source, tmp_path / "t", *flags)
    return folder, {name: t.to_pylist() for name, t in read_tables(folder).items()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return rows_of(tmp_path_factory.mktemp("whole"), document())[1]


@pytest.mark.parametrize("name", CASES)
def test_damage(tmp_path, whole, name):
    case = CASES[name]
    folder, rows = rows_of(tmp_path, case.text)
    assert codes(folder) == case.codes

    loses = bool(DATA_LOSS & set(case.codes))
    assert rows["source"][0]["status"] == (case.status or ("repaired" if loses else "complete"))
    for row in rows["import_log"]:
        assert row["severity"] == documented_severities()[row["code"]]
        assert row["message"]

    for table in set(rows) - {"source", "import_log", *case.skip}:
        cells = {(row, column): value for (t, row, column), value in case.cells.items() if t == table}
        expected = [dict(row) for row in whole[table][: case.rows.get(table)]]
        for (row, column), value in cells.items():
            if -len(expected) <= row < len(expected):
                expected[row][column] = value
        if table == FILES:
            expected[0]["file_name"] = rows[table][0]["file_name"]
        assert rows[table] == expected, table


def test_totals_of_damaged_sections(tmp_path):
    _, rows = rows_of(tmp_path, CASES["many of a kind"].text)
    log = rows["import_log"]
    assert [row["occurrences"] for row in log] == [1] * 100 + [900]
    offsets = [row["byte_offset"] for row in log[:100]]
    assert offsets == sorted(offsets)
    assert {row["timestamp_us"] for row in rows[SAMPLES]} == {None}
    assert [row["last_assigned_id"] for row in rows[SAMPLES]] == [1] * 1000


def test_trace_tree_a_million_deep(tmp_path):
    _, rows = rows_of(tmp_path, CASES["trace tree, a million deep"].text)
    assert [row["depth"] for row in rows[TREE]] == list(range(1_000_001))


@pytest.mark.parametrize("name", ["NaN", "another document of no known format", "no strings", "edge counts too small"])
def test_strict(tmp_path, name):
    source = tmp_path / "in"
    source.write_text(CASES[name].text)
    heapquarry("convert", source, "-o", tmp_path / "t", "--strict", expect=2)


def test_what_is_told_by_an_id_of_several_nodes(tmp_path):
    """Each edge once, the object by its id with a word, and nothing that grows from a file to itself."""
    source = tmp_path / "a.heapsnapshot"
    # Three objects of one class and id, of which the second one holds a string and with it retains more.
    nodes = "[9,1,1,0,3,0,0\n,3,2,5,10,0,0,0\n,3,2,5,10,1,0,0\n,3,2,5,10,0,0,0\n,2,3,7,32,0,0,0\n]"
    source.write_text(document(nodes=nodes, edges="[1,1,7\n,1,2,14\n,1,3,21\n,2,5,28\n]", locations="[]"))
    assert "duplicate_id" in codes(convert(source, tmp_path / "t"))
    count = heapquarry("query", "-q", source, "SELECT count(*) AS n, count(DISTINCT edge_index) AS d FROM heap_edge", "--format", "csv")
    assert count.stdout == "n,d\n4,4\n"
    for verb in ("show", "why"):
        assert "3 nodes have the id 5" in heapquarry(verb, "-q", source, "--node", "@5").stdout
    found = heapquarry("diff", "-q", source, source).stdout
    assert "no object retains more" in found or "Foo" not in found.split("Objects that retain more")[1], found


def test_strict_passes_what_loses_nothing(tmp_path):
    for i, name in enumerate(["nothing", "5.0", "counts of zero", "byte order mark", "unknown section"]):
        source = tmp_path / f"in{i}"
        source.write_text(CASES[name].text)
        heapquarry("convert", source, "-o", tmp_path / f"t{i}", "--strict")


def test_names_are_not_looked_up_with_names_id(tmp_path):
    """So a name out of range is no damage."""
    for name in ["name of a node out of range", "name of an edge out of range"]:
        (tmp_path / name).mkdir()
        folder, _ = rows_of(tmp_path / name, CASES[name].text, "--names", "id")
        assert codes(folder) == {}


def test_offsets_point_at_the_damage(tmp_path):
    text = CASES["NaN"].text
    folder, _ = rows_of(tmp_path, text)
    (row,) = read_rows(folder, "import_log")
    assert row["byte_offset"] == text.index("NaN")
    assert "NaN" in row["excerpt"]


@pytest.mark.parametrize(
    "flags", [["--row-group-rows", "1"], ["--threads", "5", "--row-group-rows", "2"]], ids=" ".join
)
@pytest.mark.parametrize("name", ["NaN", "many of a kind", "edge counts too small", "no nodes", "400 digits"])
def test_damage_does_not_depend_on_tasks(tmp_path, name, flags):
    results = []
    for i, more in enumerate([[], flags]):
        (tmp_path / str(i)).mkdir()
        results.append(rows_of(tmp_path / str(i), CASES[name].text, *more)[1])
        results[i]["source"][0]["path"] = results[i]["js_heap_files"][0]["file_name"] = ""
    assert results[0] == results[1]


def test_stderr_says_how_many(tmp_path):
    source = tmp_path / "in"
    source.write_text(CASES["NaN"].text)
    done = heapquarry("convert", source, "-o", tmp_path / "t")
    assert "import_log" in done.stderr


def test_a_message_of_the_protocol_with_the_start_of_a_snapshot(tmp_path):
    """It must not pass for a whole one: the file is read for what it is, and its only document is cut and has no rows."""
    source = tmp_path / "in"
    source.write_text('{"method":"HeapProfiler.addHeapSnapshotChunk","params":{"chunk":"{\\"snapshot\\":{}}"}}')
    done = heapquarry("convert", source, "-o", tmp_path / "t")
    assert "truncated: 1 defect, see import_log" in done.stdout + done.stderr
    (status,) = {row["status"] for row in read_rows(tmp_path / "t", "source") if row["format"] == "heapsnapshot"}
    assert (status, read_rows(tmp_path / "t", "js_heap_nodes")) == ("truncated", [])


def test_a_real_recording_with_bytes_overwritten(tmp_path):
    """Noise anywhere behind the header: an answer, whatever it is, and never a crash."""
    data = bytearray((CORPUS / "handmade" / "v8-timeline.heaptimeline").read_bytes())
    start = data.index(b'"nodes"')
    for i in range(start, len(data), 29):
        noisy = bytes(data[:i]) + bytes([(i * 7) % 256, (i * 13) % 256]) + bytes(data[i + 2 :])
        source = tmp_path / "in"
        source.write_bytes(noisy)
        convert(source, tmp_path / f"t{i}")
