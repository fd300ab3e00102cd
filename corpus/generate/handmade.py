#!/usr/bin/env python3
"""Writes corpus/handmade/: tiny snapshots in the layouts whose producers are not at hand.

usage: python3 corpus/generate/handmade.py [OUT_DIR]

Nothing here was recorded. Each function below writes one file the way that one producer writes it: its
fields, its type lists, its order of sections, its blanks and its escapes. The heap in it is invented.
"""

import json
import sys
from pathlib import Path

V8_NODE_TYPES = [
    "hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic",
    "concatenated string", "sliced string", "symbol", "bigint", "object shape", "wasm object",
]  # fmt: skip
V8_EDGE_TYPES = ["context", "element", "property", "internal", "hidden", "shortcut", "weak"]
ARK_NODE_TYPES = V8_NODE_TYPES[:11] + ["slicedstring", "symbol", "bigint"]
TRACE_FUNCTION_FIELDS = ["function_id", "name", "script_name", "script_id", "line", "column"]
TRACE_NODE_FIELDS = ["id", "function_info_index", "count", "size", "children"]
SAMPLE_FIELDS = ["timestamp_us", "last_assigned_id"]
LOCATION_FIELDS = ["object_index", "script_id", "line", "column"]


class Heap:
    """Nodes, edges and strings, numbered the way every producer numbers them."""

    def __init__(
        self, node_types, edge_types=V8_EDGE_TYPES, strings=("<dummy>", ""), number_edges=("element", "hidden")
    ):
        self.node_types, self.edge_types = node_types, edge_types
        self.strings = list(strings)
        self.number_edges = number_edges
        self.nodes = []  # dicts by field name, and the list of edges

    def string(self, text):
        if text not in self.strings:
            self.strings.append(text)
        return self.strings.index(text)

    def node(self, type, name, id, self_size=0, **fields):
        """Adds a node; `type` may be a number that the enumeration does not name."""
        type = self.node_types.index(type) if isinstance(type, str) else type
        self.nodes.append(
            {
                "type": type,
                "name": self.string(name),
                "id": id,
                "self_size": self_size,
                "trace_node_id": 0,
                "detachedness": 0,
            }
            | fields
            | {"edges": []}
        )
        return len(self.nodes) - 1

    def edge(self, source, type, name, target):
        """Adds an edge; where `name` is text it is put into the string table."""
        type = self.edge_types.index(type) if isinstance(type, str) else type
        name = self.string(name) if isinstance(name, str) else name
        self.nodes[source]["edges"].append({"type": type, "name_or_index": name, "to": target})

    def node_records(self, fields):
        return [[len(n["edges"]) if f == "edge_count" else n[f] for f in fields] for n in self.nodes]

    def edge_records(self, node_fields, fields=("type", "name_or_index", "to_node")):
        width = len(node_fields)
        edges = [e | {"to_node": e["to"] * width} for n in self.nodes for e in n["edges"]]
        return [[e[f] for f in fields] for e in edges]


def invented(node_types, edge_types=V8_EDGE_TYPES, **options):
    """A root, the GC roots, a global object, and a few things that hang there."""
    heap = Heap(node_types, edge_types, **options)
    root = heap.node("synthetic", "", 1)
    gc_roots = heap.node("synthetic", "(GC roots)", 3)
    window = heap.node("object", "Window / example", 5, 40)
    array = heap.node("object", "Array", 7, 16)
    text = heap.node("string", 'text with "quotes" and a \\', 9, 48)
    function = heap.node("closure", "handler", 11, 32)
    code = heap.node("code", "(handler code)", 13, 120)
    number = heap.node("number", "heap number", 15, 12)
    system = heap.node("hidden", "system / Map", 17, 80)
    native = heap.node("native", "HTMLDivElement", 18, 200)
    for source, type, name, target in [
        (root, "element", 1, gc_roots),
        (root, "shortcut", "2", window),
        (gc_roots, "element", 1, window),
        (gc_roots, "element", 2, system),
        (window, "property", "list", array),
        (window, "property", "text", text),
        (window, "internal", "map", system),
        (array, "element", 0, number),
        (array, "element", 1, array),
        (function, "context", "captured", array),
        (function, "internal", "code", code),
        (function, "hidden", 3, system),
        (native, "weak", "5 / wrapper", function),
        (window, "property", "on\tclick\n漢字é", function),
        (window, "property", "", native),
    ]:
        heap.edge(source, type, name, target)
    return heap


def v8_meta(
    node_fields, node_types, extra_types=None, edge_types=V8_EDGE_TYPES, location_fields=LOCATION_FIELDS, **more
):
    extra = len(node_fields) - 1 if extra_types is None else extra_types
    meta = {
        "node_fields": node_fields,
        "node_types": [node_types, "string"] + ["number"] * (extra - 1),
        "edge_fields": ["type", "name_or_index", "to_node"],
        "edge_types": [edge_types, "string_or_number", "node"],
        "trace_function_info_fields": TRACE_FUNCTION_FIELDS,
        "trace_node_fields": TRACE_NODE_FIELDS,
        "sample_fields": SAMPLE_FIELDS,
    }
    if location_fields:
        meta["location_fields"] = location_fields
    return meta | more


# -------------------------------------------------------------------------------- how strings are escaped


def escape_v8(text):
    """V8: everything beyond ASCII as one `\\uXXXX` of its low 16 bits, so an astral character is lost."""
    short = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}
    return (
        '"'
        + "".join(short.get(c) or (chr(c) if 32 <= c < 128 else f"\\u{c & 0xFFFF:04X}") for c in map(ord, text))
        + '"'
    )


def escape_hermes(text):
    """Hermes: surrogate pairs in lower case, and the slash too."""
    return json.dumps(text).replace("/", "\\/")


def escape_raw(text):
    """Bun and others: UTF-8 as it is."""
    return json.dumps(text, ensure_ascii=False)


def escape_ark4(text):
    """Ark up to 4.0: UTF-8 as it is; what would need an escape is a backtick."""
    return '"' + "".join("`" if c in '"\\' or c < " " else c for c in text) + '"'


# -------------------------------------------------------------------------------- how sections are laid out


def dense(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def one_line(records):
    """V8 from 13.6 on."""
    return "[" + ",".join(str(v) for r in records for v in r) + "]"


def line_each(records):
    """V8 before 13.6: a newline ends each record, the next begins with a comma."""
    return "[" + ",".join(",".join(map(str, r)) + "\n" for r in records) + "]"


def string_lines(strings, escape):
    return "[" + ",\n".join(map(escape, strings)) + "]"


def document(sections, between=",\n", after_colon="", end="}"):
    return "{" + between.join(f'"{key}":{after_colon}{text}' for key, text in sections) + end


def header(meta, node_count, edge_count, **more):
    return dense({"meta": meta, "node_count": node_count, "edge_count": edge_count} | more)


def v8_document(
    heap,
    node_fields,
    meta,
    records=line_each,
    escape=escape_v8,
    counts=None,
    locations=(),
    header_more=None,
    before_strings=(),
    **trace,
):
    nodes, edges = heap.node_records(node_fields), heap.edge_records(node_fields)
    functions = trace.get("functions", [])
    node_count, edge_count = counts or (len(nodes), len(edges))
    sections = [
        ("snapshot", header(meta, node_count, edge_count, trace_function_count=len(functions), **(header_more or {}))),
        ("nodes", records(nodes)),
        ("edges", records(edges)),
        ("trace_function_infos", records(functions)),
        ("trace_tree", trace.get("tree", "[]")),
        ("samples", records(trace.get("samples", []))),
    ]
    if "location_fields" in meta:
        sections.append(("locations", records(locations)))
    sections += [*before_strings, ("strings", string_lines(heap.strings, escape))]
    return document(sections)


SIX = ["type", "name", "id", "self_size", "edge_count", "trace_node_id"]
SEVEN = [*SIX, "detachedness"]
SIX_NEW = ["type", "name", "id", "self_size", "edge_count", "detachedness"]
EIGHT = [*SEVEN, "native_size"]

FILES = {}


def file(name):
    def register(function):
        FILES[name] = function
        return function

    return register


# -------------------------------------------------------------------------------- V8


@file("v8-2012-five-fields.heapsnapshot")
def v8_2012():
    fields = ["type", "name", "id", "self_size", "edge_count"]
    heap = invented(V8_NODE_TYPES[:10])
    meta = {
        "node_fields": fields,
        "node_types": [V8_NODE_TYPES[:10], "string", "number", "number", "number", "number"],
        "edge_fields": ["type", "name_or_index", "to_node"],
        "edge_types": [V8_EDGE_TYPES, "string_or_number", "node"],
    }
    nodes, edges = heap.node_records(fields), heap.edge_records(fields)
    snapshot = {"title": "Snapshot 1", "uid": 1, "meta": meta, "node_count": len(nodes), "edge_count": len(edges)}
    return document(
        [
            ("snapshot", dense(snapshot)),
            ("nodes", line_each(nodes)),
            ("edges", line_each(edges)),
            ("strings", string_lines(heap.strings, escape_v8)),
        ]
    )


@file("v8-types-beyond-enum.heapsnapshot")
def v8_types_beyond_enum():
    """As V8 6.x, which uses type 12 (symbol) without declaring it; here an edge type too."""
    heap = invented(V8_NODE_TYPES[:12])
    for i in range(3):
        symbol = heap.node(12, "symbol", 21 + 2 * i, 24)
        heap.edge(2, "property", f"<symbol {i}>", symbol)
    heap.node(4000000000, "far beyond", 27, 8)
    heap.edge(2, 7, "an edge type beyond the enumeration", symbol)
    return v8_document(heap, SIX, v8_meta(SIX, V8_NODE_TYPES[:12], location_fields=None))


@file("v8-node-types-too-long.heapsnapshot")
def v8_node_types_too_long():
    """As V8 13.6: six fields, seven entries in node_types."""
    heap = invented(V8_NODE_TYPES[:15])
    return v8_document(heap, SIX_NEW, v8_meta(SIX_NEW, V8_NODE_TYPES[:15], extra_types=6), records=one_line)


@file("v8-node-types-too-short.heapsnapshot")
def v8_node_types_too_short():
    heap = invented(V8_NODE_TYPES[:14])
    return v8_document(heap, SEVEN, v8_meta(SEVEN, V8_NODE_TYPES[:14], extra_types=2))


@file("v8-extra-native-bytes.heapsnapshot")
def v8_extra_native_bytes():
    """As Chrome of 2024/25: six fields, newlines, native memory beyond 4 GiB; and a self size beyond 4 GiB."""
    heap = invented(V8_NODE_TYPES[:15])
    heap.edge(
        2, "property", "big", heap.node("native", "system / JSArrayBufferData", 22, 5_000_000_000, detachedness=1)
    )
    heap.edge(2, "property", "detached", heap.node("native", "Detached <div>", 24, 100, detachedness=2))
    meta = v8_meta(SIX_NEW, V8_NODE_TYPES[:15], extra_types=6)
    return v8_document(heap, SIX_NEW, meta, header_more={"extra_native_bytes": 6_442_450_944})


@file("v8-2026-scopes.heapsnapshot")
def v8_2026():
    """As V8 of 2026: the script's node in locations, and three more sections before the strings."""
    heap = invented(V8_NODE_TYPES[:15])
    script = heap.node("code", "system / Script / https://example.test/a.js", 19, 100)
    width = len(SIX_NEW)
    meta = v8_meta(
        SIX_NEW,
        V8_NODE_TYPES[:15],
        location_fields=["object_index", "script_id", "script_object_index", "line", "column"],
        scope_fields=["script_node_index", "scope_id", "depth", "scope_context_vars_count", "scope_uses_count"],
        scope_context_var_fields=["name"],
        scope_use_fields=["declaring_scope_id", "slot_index"],
    )
    scopes = [[script * width, -2, 0, 2, 1], [script * width, 7, 1, 0, 1]]
    more = [
        ("scopes", one_line(scopes)),
        ("scope_context_vars", one_line([[heap.string("captured")], [heap.string("list")]])),
        ("scope_uses", one_line([[-2, 1], [7, 0]])),
    ]
    locations = [[5 * width, 12, script * width, 3, 17], [3 * width, 12, script * width, 0, 0]]
    return v8_document(
        heap,
        SIX_NEW,
        meta,
        records=one_line,
        locations=locations,
        before_strings=more,
        header_more={"extra_native_bytes": 0},
    )


@file("v8-timeline.heaptimeline")
def v8_timeline():
    heap = invented(V8_NODE_TYPES[:15])
    fields = ["type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness"]
    heap.nodes[3]["trace_node_id"] = 4
    heap.nodes[7]["trace_node_id"] = 3
    functions = [
        [0, heap.string("(root)"), heap.string(""), 0, 0, 0],
        [11, heap.string("main"), heap.string("https://example.test/a.js"), 12, 1, 1],
        [13, heap.string("leak"), heap.string("https://example.test/a.js"), 12, 20, 5],
    ]
    tree = "[1,0,0,0,[2,1,0,0,[3,2,5,60\n,[]\n,4,2,2,32,[]],5,2,0,0,[]]]"
    samples = [[0, 7], [200100, 9], [400300, 9], [9000000000, 18]]
    locations = [[5 * len(fields), 12, 19, 4]]
    meta = v8_meta(fields, V8_NODE_TYPES[:15])
    return v8_document(heap, fields, meta, functions=functions, tree=tree, samples=samples, locations=locations)


@file("v8-functions-undercounted.heaptimeline")
def v8_functions_undercounted():
    """A recording session inside the process: more functions, nodes and edges than the header declares."""
    text = v8_timeline()
    count = len(invented(V8_NODE_TYPES[:15]).nodes)
    return text.replace('"trace_function_count":3', '"trace_function_count":1').replace(
        f'"node_count":{count}', f'"node_count":{count - 1}'
    )


@file("v8-deep-trace-tree.heaptimeline")
def v8_deep_trace_tree():
    """A recursion 5,000 calls deep."""
    heap = invented(V8_NODE_TYPES[:15])
    functions = [[0, heap.string("(root)"), 1, 0, 0, 0], [11, heap.string("recurse"), heap.string("r.js"), 2, 7, 3]]
    depth = 5000
    tree = (
        "[1,0,0,0,[" + "".join(f"{i},1,{i % 3},{i % 3 * 16},[" for i in range(2, depth + 2)) + "]" * (depth + 1) + "]"
    )
    return v8_document(
        heap,
        SEVEN,
        v8_meta(SEVEN, V8_NODE_TYPES[:15]),
        records=one_line,
        functions=functions,
        tree=tree,
        samples=[[0, 99]],
    )


@file("unknown-sections.heapsnapshot")
def unknown_sections():
    """Sections that nobody knows, with the known keys inside and in disguise."""
    heap = invented(V8_NODE_TYPES[:14])
    text = v8_document(heap, SEVEN, v8_meta(SEVEN, V8_NODE_TYPES[:14]))
    first = '"annotations":{"strings":["not these"],"nodes":[1,2,3],"inner":[[{"strings":"]}"}],[]],"n":-1.5e3,"t":true,"z":null},'
    second = '"\\"strings\\"":["nor these"],"comment":"\\"edges\\":[1,2,3],\\"strings\\":[\\"no\\"]","flag":false,"nothing":null,"number":12,"edges2":[],\n'
    inside = '"custom":{"node_count":99,"meta":{"node_fields":["wrong"]},"strings":["x"]},'
    text = text.replace('"nodes":[', first + '"nodes":[', 1).replace('"edges":[', second + '"edges":[', 1)
    return text.replace('{"snapshot":{', '{"snapshot":{' + inside, 1)


@file("fields-reordered.heapsnapshot")
def fields_reordered():
    """Another order of the fields, and fields that nobody knows, in every kind of record."""
    node_fields = ["id", "colour", "edge_count", "name", "self_size", "type"]
    edge_fields = ["to_node", "weight", "name_or_index", "type"]
    heap = invented(V8_NODE_TYPES[:14])
    for i, node in enumerate(heap.nodes):
        node["colour"] = i * 1000
        for edge in node["edges"]:
            edge["weight"] = -i
    nodes, edges = heap.node_records(node_fields), heap.edge_records(node_fields, edge_fields)
    meta = v8_meta(node_fields, V8_NODE_TYPES[:14]) | {
        "node_types": ["number", "number", "number", "string", "number", V8_NODE_TYPES[:14]],
        "edge_fields": edge_fields,
        "edge_types": ["node", "number", "string_or_number", V8_EDGE_TYPES],
        "sample_fields": ["last_assigned_id", "count", "timestamp_us"],
        "location_fields": ["column", "line", "script_id", "object_index"],
        "trace_function_info_fields": ["column", "line", "extra", "script_id", "script_name", "name", "function_id"],
    }
    functions = [[0, 0, 5, 0, 1, heap.string("(root)"), 0], [4, 3, 5, 12, heap.string("a.js"), heap.string("main"), 11]]
    return document(
        [
            ("snapshot", header(meta, len(nodes), len(edges), trace_function_count=2)),
            ("nodes", line_each(nodes)),
            ("edges", line_each(edges)),
            ("trace_function_infos", line_each(functions)),
            ("trace_tree", "[1,0,0,0,[2,1,3,48,[]]]"),
            ("samples", line_each([[9, 2, 0], [18, 1, 1000]])),
            ("locations", line_each([[17, 3, 12, 5 * 6]])),
            ("strings", string_lines(heap.strings, escape_v8)),
        ]
    )


# -------------------------------------------------------------------------------- other engines


def speaking_strings(heap):
    heap.edge(
        2,
        "property",
        "emoji \U0001f600 and / slash",
        heap.node("string", "\U0001f600\U0001f468\u200d\U0001f469 é 漢 \u2028 \x7f \x01", 31, 20),
    )


@file("hermes-zero-counts.heapsnapshot")
def hermes():
    """Older Hermes: counts of zero, correct surrogate pairs in lower case, `\\/`, no <dummy>."""
    heap = invented(V8_NODE_TYPES[:14], strings=("",))
    speaking_strings(heap)
    meta = v8_meta(SEVEN, V8_NODE_TYPES[:14])
    text = v8_document(
        heap, SEVEN, meta, records=one_line, escape=escape_hermes, counts=(0, 0), locations=[[35, 1, 4, 9]]
    )
    return text.replace(",\n", ",")


@file("bun.heapsnapshot")
def bun():
    """Bun: strings as raw UTF-8, a blank in one section, a newline at the end."""
    heap = invented(V8_NODE_TYPES[:14], strings=("",))
    speaking_strings(heap)
    nodes, edges = heap.node_records(SEVEN), heap.edge_records(SEVEN)
    meta = v8_meta(SEVEN, V8_NODE_TYPES[:14])
    return (
        '{"snapshot":' + header(meta, len(nodes), len(edges), trace_function_count=0) + ",\n"
        '"nodes":' + one_line(nodes) + ",\n"
        '"edges":' + one_line(edges) + ",\n"
        '"trace_function_infos":[],\n"trace_tree": [],\n"samples":[],\n"locations":[],\n'
        '"strings":[\n' + ",\n".join(map(escape_raw, heap.strings)) + "\n]\n}\n"
    )  # fmt: skip


JULIA_NODE_TYPES = [
    "synthetic",
    "jl_task_t",
    "jl_module_t",
    "jl_array_t",
    "object",
    "String",
    "jl_datatype_t",
    "jl_svec_t",
]
JULIA_EDGE_TYPES = ["internal", "hidden", "property", "element"]


def julia_heap():
    heap = Heap(JULIA_NODE_TYPES, JULIA_EDGE_TYPES, strings=("",))
    root = heap.node("synthetic", "", 0)
    task = heap.node("jl_task_t", "Task", 139_972_144_214_288, 400)
    main = heap.node("jl_module_t", "Main", 140_737_488_355_327, 2_000)
    array = heap.node("jl_array_t", "Vector{Any}", 139_972_144_999_999, 5_368_709_120)
    text = heap.node("String", 'a "text" über Λ\n', 2**47 - 8, 40)
    datatype = heap.node("jl_datatype_t", "Foo{T} where T", 2**47, 120)
    heap.edge(root, "internal", "root", task)
    heap.edge(root, "internal", "main", main)
    heap.edge(task, "hidden", 18_446_744_073_709_551_615, array)
    heap.edge(main, "property", "list", array)
    heap.edge(main, "property", "Foo", datatype)
    heap.edge(array, "element", 18_446_744_073_709_551_615, text)
    heap.edge(array, "element", 1, text)
    heap.edge(datatype, "hidden", 8, main)
    return heap


def julia_preamble(heap, nodes, edges, more):
    types = ",".join(f'"{t}"' for t in heap.node_types)
    edge_types = ",".join(f'"{t}"' for t in heap.edge_types)
    return (
        '{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count","trace_node_id","detachedness"],'
        f'"node_types":[[{types}],"string", "number", "number", "number", "number", "number"],'
        '"edge_fields":["type","name_or_index","to_node"],'
        f'"edge_types":[[{edge_types}],"string_or_number","from_node"]{more}}},\n'
        f'"node_count":{len(nodes)},"edge_count":{len(edges)}'
    )


@file("julia-2022.heapsnapshot")
def julia_2022():
    heap = julia_heap()
    nodes, edges = heap.node_records(SEVEN), heap.edge_records(SEVEN)
    return (
        julia_preamble(heap, nodes, edges, "") + "},\n"
        '"nodes":[' + ",".join("\n" + ",".join(map(str, r)) for r in nodes) + "],\n"
        '"edges":[' + ",".join("\n" + ",".join(map(str, r)) for r in edges) + "],\n"
        '"strings":[' + ",\n".join(map(escape_raw, heap.strings)) + "]}"
    )  # fmt: skip


@file("julia-1.11.heapsnapshot")
def julia_1_11():
    """Assembled from the streamed parts: the trace sections and the locations stand before the nodes."""
    heap = julia_heap()
    nodes, edges = heap.node_records(SEVEN), heap.edge_records(SEVEN)
    more = (
        ',"trace_function_info_fields":["function_id","name","script_name","script_id","line","column"],'
        '"trace_node_fields":["id","function_info_index","count","size","children"],'
        '"sample_fields":["timestamp_us","last_assigned_id"],'
        '"location_fields":["object_index","script_id","line","column"]'
    )
    return (
        julia_preamble(heap, nodes, edges, more) + ',"trace_function_count":0},\n'
        '"trace_function_infos":[],"trace_tree":[],"samples":[],"locations":[],\n'
        '"nodes":[\n' + ",\n".join(",".join(map(str, r)) for r in nodes) + '],"edges":['
        + ",".join("\n" + ",".join(map(str, r)) + "\n" for r in edges) + "],\n"
        '"strings":[\n' + ",\n".join(map(escape_raw, heap.strings)) + "]\n}"
    )  # fmt: skip


def ark(fields, node_types, edge_types, extra_types, escape, number_edges, wide, extra=()):
    """ArkTS: a newline after each record, samples with blanks; `number_edges` carry a number, all others a name."""
    heap = Heap(node_types, edge_types, strings=("<dummy>", "", "GC roots"))
    base = 2**33 if wide else 0
    ids = iter(range(base + 3, base + 99, 2))
    root = heap.node("synthetic", "SyntheticRoot", 1, native_size=0)
    roots = heap.node("synthetic", "GC roots", next(ids), native_size=0)
    object = heap.node("object", "JSObject", next(ids), 64, native_size=4096)
    array = heap.node("array", "TaggedArray", next(ids), 40, native_size=0)
    text = heap.node("string", 'ein "Text"\t漢字 \\ é', next(ids), 30, native_size=0)
    sliced = heap.node("slicedstring", "Text", next(ids), 24, native_size=0)
    joined = heap.node("concatenated string", "Text漢字", next(ids), 24, native_size=0)
    bigint = heap.node("bigint", "BigInt", next(ids), 32, native_size=0)
    function = heap.node(
        "closure", "onPageShow(line:12)[pages/Index.ets]", next(ids), 88, native_size=5_000_000_000 if wide else 16
    )

    def named(source, type, name, target):
        if type not in number_edges:
            name = str(name)
        heap.edge(source, type, name, target)

    named(root, "shortcut", "-subroot-", roots)
    named(roots, "element", 0, object)
    named(object, "property", "text", text)
    named(object, "property", "hàndler", function)
    named(array, "element", 0, text)
    named(array, "element", 7, bigint)
    named(sliced, "internal", "parent", text)
    named(joined, "internal", "first", sliced)
    named(joined, "hidden", "4", text)
    named(function, "context", "this", object)
    named(function, "weak", "weak", array)
    for type, target in extra:
        named(object, "property", f"a {type}", heap.node(type, f"ArkUI {type}", next(ids), 72, native_size=512))
        if target:
            named(object, target, f"to {target}", len(heap.nodes) - 1)
    nodes, edges = heap.node_records(fields), heap.edge_records(fields)
    meta = v8_meta(fields, node_types, extra_types=extra_types, edge_types=edge_types)
    functions = [
        [0, heap.string("(root)"), heap.string(""), 0, 0, 0],
        [5, heap.string("onPageShow"), heap.string("pages/Index.ets"), 3, 12, 9],
    ]
    first_id = nodes[1][2]
    return document([
        ("snapshot", header(meta, len(nodes), len(edges), trace_function_count=len(functions))),
        ("nodes", line_each(nodes)),
        ("edges", line_each(edges)),
        ("trace_function_infos", line_each(functions)),
        ("trace_tree", "[1,0,0,0,[2,1,3,120,[]]]"),
        ("samples", "[" + ", ".join(f"{t}, {i}\n" for t, i in [(0, first_id), (200631, first_id + 2), (400990, first_id + 20)]) + "]"),
        ("locations", "[]"),
        ("strings", string_lines(heap.strings, escape)),
    ])  # fmt: skip


@file("ark-4.0.heapsnapshot")
def ark_4_0():
    return ark(SEVEN, ARK_NODE_TYPES, V8_EDGE_TYPES, 6, escape_ark4, (), wide=False)


@file("ark-5.0.heapsnapshot")
def ark_5_0():
    return ark(EIGHT, ARK_NODE_TYPES, V8_EDGE_TYPES, 6, escape_v8, ("element",), wide=True)


@file("ark-6.0.heapsnapshot")
def ark_6_0():
    return ark(
        EIGHT, [*ARK_NODE_TYPES, "framework"], V8_EDGE_TYPES, 6, escape_v8, ("element",), True, [("framework", None)]
    )


@file("ark-7.0.heapsnapshot")
def ark_7_0():
    node_types = [*ARK_NODE_TYPES, "class", "framework", "handle"]
    edge_types = [*V8_EDGE_TYPES, "native", "native_string", "xref"]
    extra = [("class", "native"), ("framework", "native_string"), ("handle", "xref")]
    return ark(EIGHT, node_types, edge_types, 6, escape_v8, ("element",), True, extra)


# -------------------------------------------------------------------------------- order, blanks, strings, emptiness


@file("sections-reversed.heapsnapshot")
def sections_reversed():
    value = json.loads(v8_timeline())
    return document([(key, dense(value[key])) for key in reversed(value)])


@file("strings-first.heapsnapshot")
def strings_first():
    value = json.loads(v8_timeline())
    return document(
        [
            (key, dense(value[key]))
            for key in [
                "strings",
                "locations",
                "edges",
                "snapshot",
                "nodes",
                "samples",
                "trace_tree",
                "trace_function_infos",
            ]
        ]
    )


@file("pretty-printed.heapsnapshot")
def pretty_printed():
    return json.dumps(json.loads(v8_timeline()), indent="\t", ensure_ascii=False).replace("\n", "\r\n") + "\r\n"


@file("blanks-everywhere.heapsnapshot")
def blanks_everywhere():
    value = json.loads(v8_timeline())
    text = json.dumps(value, separators=(" \n,\t ", " \r\n: "))
    for bracket in "[]{}":
        text = text.replace(bracket, f" {bracket}\n")
    return " \n" + text + "\n \n"


@file("byte-order-mark.heapsnapshot")
def byte_order_mark():
    return "\ufeff" + v8_document(invented(V8_NODE_TYPES[:14]), SEVEN, v8_meta(SEVEN, V8_NODE_TYPES[:14]))


@file("empty.heapsnapshot")
def empty():
    heap = Heap(V8_NODE_TYPES[:15], strings=("<dummy>",))
    return v8_document(heap, SEVEN, v8_meta(SEVEN, V8_NODE_TYPES[:15]))


@file("root-last.heapsnapshot")
def root_last():
    heap = invented(V8_NODE_TYPES[:14])
    order = [*range(1, len(heap.nodes)), 0]
    place = {old: new for new, old in enumerate(order)}
    heap.nodes = [heap.nodes[i] for i in order]
    for node in heap.nodes:
        for edge in node["edges"]:
            edge["to"] = place[edge["to"]]
    last = (len(heap.nodes) - 1) * len(SEVEN)
    return v8_document(heap, SEVEN, v8_meta(SEVEN, V8_NODE_TYPES[:14]), header_more={"root_index": last})


@file("strings-of-every-kind.heapsnapshot")
def strings_of_every_kind():
    """Every escape of JSON in both cases of hexadecimal, surrogates whole and broken, raw UTF-8 of every length."""
    heap = Heap(V8_NODE_TYPES[:14])
    root = heap.node("synthetic", "", 1)
    texts = [
        r'"\"\\\/\b\f\n\r\t"', r'"\u0000\u0001\u001F\u001f\u007F"', r'"\u00E9\u00e9\u6F22\u6f22\uFFFF\uFEFF"',
        r'"\uD83D\uDE00 \ud83d\ude00 \uDBFF\uDFFF"', r'"\ud83d"', r'"\ude00"', r'"\ud83d\ud83d\ude00"', r'"\ude00\ud83d"',
        r'"\ud83dx\ude00"', r'"\ud83d\n"', r'"\ud83d\u0041"', r'"\uD800\uDBFF"', r'"\\ud83d\\ude00"', r'"\\\\\""', r'"\\"',
        '"é漢😀\U0010ffff"', '"\u2028\u2029\u0085\ufeff"', '"\x7f"', '"],[{},:"', '"' + "a" * 15 + r'\"' + '"', '"' + "a" * 16 + r'\"' + '"',
        '"' + "a" * 31 + r'\n' + '"', '"' + "a" * 32 + r'\n' + '"', '"' + "a" * 63 + r'\\' + '"', '"' + "漢" * 1000 + '"',
        '"' + r"\u6f22" * 3000 + '"', '"' + "x" * 100_000 + '"', '" "', '"<dummy>"', '"0"', '"null"',
    ]  # fmt: skip
    width = len(SEVEN)
    for i in range(len(texts)):
        child = heap.node("string", "", 3 + 2 * i, 16)
        heap.nodes[child]["name"] = 2 + i
        heap.edge(root, "property", 2 + i, child)
    nodes, edges = heap.node_records(SEVEN), heap.edge_records(SEVEN)
    return document([
        ("snapshot", header(v8_meta(SEVEN, V8_NODE_TYPES[:14]), len(nodes), len(edges), trace_function_count=0)),
        ("nodes", line_each(nodes)),
        ("edges", line_each(edges)),
        ("trace_function_infos", "[]"), ("trace_tree", "[]"), ("samples", "[]"),
        ("locations", line_each([[width * 3, 1, 2, 3]])),
        ("strings", "[" + ",\n".join(['"<dummy>"', '""', *texts]) + "]"),
    ])  # fmt: skip


@file("raw-control-characters.heapsnapshot")
def raw_control_characters():
    """Writers that escape nothing below 0x20 (llnode)."""
    heap = invented(V8_NODE_TYPES[:14])
    text = v8_document(heap, SEVEN, v8_meta(SEVEN, V8_NODE_TYPES[:14]))
    return text.replace("on\\tclick\\n", "on\tclick\n\x01\x1f\0")


def main():
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "handmade"
    out.mkdir(parents=True, exist_ok=True)
    for name, make in FILES.items():
        (out / name).write_bytes(make().encode("utf-8"))


if __name__ == "__main__":
    main()
