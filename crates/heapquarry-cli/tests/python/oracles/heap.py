"""What every table must hold for a heap snapshot, in plain Python.

Written from the description of the format and of the tables, not from the Rust code, and meant to be
obvious rather than fast: the file is one JSON value, a table is a dict of columns, a column is a list.
It knows what a whole file means; the rows that damage leaves are written out in the tests of damage.
"""

import gzip
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

# Columns and types, as docs/schema.md has them: `int32`, `int64`, `text`, or `label` for a dictionary of text.
TABLES = {
    "source": {
        "file_id": "int32", "path": "text", "document_index": "int32", "name": "text", "format": "label",
        "producer": "text", "byte_size": "int64", "status": "label", "digest": "text",
    },
    "import_log": {
        "file_id": "int32", "byte_offset": "int64", "severity": "label", "code": "label", "message": "text",
        "excerpt": "text", "occurrences": "int64",
    },
    "js_heap_files": {
        "file_id": "int32", "file_name": "text", "start_time_ns": "int64", "end_time_ns": "int64",
        "self_size": "int64", "node_count": "int64", "edge_count": "int64", "string_count": "int64",
        "declared_node_count": "int64", "declared_edge_count": "int64", "extra_native_bytes": "int64",
        "node_field_count": "int32", "root_node_index": "int64",
    },
    "js_heap_info": {
        "file_id": "int32", "key": "text", "type": "int32", "int_value": "int64", "str_value": "text",
        "ordinal": "int32",
    },
    "js_heap_nodes": {
        "file_id": "int32", "node_index": "int64", "type": "label", "name": "text", "name_id": "int32",
        "id": "int64", "self_size": "int64", "edge_count": "int32", "trace_node_id": "int32",
        "detachedness": "int32", "native_size": "int64",
    },
    "js_heap_edges": {
        "file_id": "int32", "edge_index": "int64", "type": "label", "name": "text", "name_or_index": "int64",
        "from_node_id": "int64", "to_node_id": "int64",
    },
    "js_heap_string": {"file_id": "int32", "string_index": "int32", "string": "text"},
    "js_heap_location": {
        "file_id": "int32", "node_index": "int64", "node_id": "int64", "script_id": "int32",
        "line_number": "int32", "column_number": "int32", "script_node_index": "int64",
        "script_name": "text", "original_name": "text", "original_source": "text", "original_line": "int32",
        "original_column": "int32",
    },
    "js_heap_sample": {"file_id": "int32", "timestamp_us": "int64", "last_assigned_id": "int64"},
    "js_heap_trace_function_info": {
        "file_id": "int32", "function_index": "int32", "function_id": "int64", "name": "text",
        "script_name": "text", "script_id": "int32", "line_number": "int32", "column_number": "int32",
        "name_id": "int32", "script_name_id": "int32", "original_name": "text", "original_source": "text",
        "original_line": "int32", "original_column": "int32",
    },
    "js_heap_trace_node": {
        "file_id": "int32", "id": "int64", "function_info_index": "int32", "count": "int64", "size": "int64",
        "parent_id": "int64", "depth": "int32",
    },
    "js_heap_scope": {
        "file_id": "int32", "scope_index": "int64", "script_node_index": "int64", "scope_id": "int32",
        "depth": "int32", "context_var_count": "int32", "use_count": "int32",
    },
    "js_heap_scope_context_var": {
        "file_id": "int32", "context_var_index": "int64", "scope_index": "int64", "slot_index": "int32",
        "name": "text", "name_id": "int32",
    },
    "js_heap_scope_use": {
        "file_id": "int32", "use_index": "int64", "scope_index": "int64", "declaring_scope_id": "int32",
        "slot_index": "int32",
    },
}  # fmt: skip

# What neither a snapshot nor this oracle can tell: `digest`, and the rows of import_log (their codes it can).
NOT_PREDICTED = {"source": ["digest"]}

SECTIONS = {
    "snapshot", "nodes", "edges", "trace_function_infos", "trace_tree", "samples", "locations", "scopes",
    "scope_context_vars", "scope_uses", "strings",
}  # fmt: skip
V8_FIRST_TYPES = [
    "hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic",
]  # fmt: skip
LIMITS = {"int32": 2**31, "int64": 2**63}
# Lines and columns from here on are negative numbers without their sign.
WRAPPED = 2**32 - 2**24


def read_bytes(path):
    """The bytes of the document in a file."""
    data = Path(path).read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def split_trace_tree(text):
    """The text without its trace tree, which may be nested deeper than the json module goes, and the tree's text."""
    found = re.search(r'"trace_tree"\s*:\s*(\[[][\d,\s-]*\])', text)
    if not found:
        return text, "[]"
    return text[: found.start(1)] + "[]" + text[found.end(1) :], found.group(1)


def trace_rows(tree):
    """Rows (record, parent record's id, depth) of the nested arrays `[id, …, [children]]`, parents first."""
    rows, parents, record = [], [], []
    depth = -1
    for token in re.findall(r"[][]|-?\d+", tree):
        if token == "[":
            if record:  # the numbers before a list of children are a whole record
                rows.append((record, parents[-1], depth))
                parents.append(record[0])
            else:
                parents.append(-1)
            record, depth = [], depth + 1
        elif token == "]":
            parents.pop()
            depth -= 1
        else:
            record.append(int(token))
    return rows


def replace_surrogates(text):
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def fit(value, type):
    """The value, or nothing where it does not fit its column."""
    if type == "place":
        return value - 2**32 if value is not None and WRAPPED <= value < 2**32 else fit(value, "int32")
    return value if value is not None and -LIMITS[type] <= value < LIMITS[type] else None


def document_name(path):
    """The name of the document in a file: without the ending of the packing."""
    name = Path(path).name
    return name.removesuffix(".gz").removesuffix(".zst")


@dataclass
class Snapshot:
    """A snapshot as its file has it."""

    value: dict
    tree: list
    byte_size: int
    has_byte_order_mark: bool
    meta: dict = field(init=False)

    def __post_init__(self):
        self.meta = self.value["snapshot"]["meta"]
        self.strings = [replace_surrogates(s) for s in self.value.get("strings", [])]

    @classmethod
    def parse(cls, data):
        mark = data.startswith(b"\xef\xbb\xbf")
        text, tree = split_trace_tree(data.decode("utf-8-sig", errors="replace"))
        return cls(json.loads(text, strict=False), trace_rows(tree), len(data), mark)

    def records(self, section, fields_key):
        """The section's numbers as one list for each field of its records, by name."""
        names = self.meta.get(fields_key, [])
        values = self.value.get(section, [])
        return {name: values[i :: len(names)] for i, name in enumerate(names)}

    def record_count(self, section, fields_key):
        fields = self.meta.get(fields_key, [])
        return len(self.value.get(section, [])) // len(fields) if fields else 0

    def enumeration(self, fields_key, types_key):
        """The names of the types, which stand at the place of the field `type`, and all other entries."""
        entries = self.meta[types_key]
        place = self.meta[fields_key].index("type")
        return entries[place], entries[:place] + entries[place + 1 :]

    @property
    def node_types(self):
        return self.enumeration("node_fields", "node_types")[0]

    @property
    def edge_types(self):
        return self.enumeration("edge_fields", "edge_types")[0]

    @property
    def is_ark(self):
        return "native_size" in self.meta["node_fields"] or "slicedstring" in self.node_types

    @property
    def numbered_edge_types(self):
        """The edge types that carry an index instead of a name."""
        if not self.is_ark:
            return {"element", "hidden"}
        return {"element"} if "native_size" in self.meta["node_fields"] else set()

    @property
    def producer(self):
        if self.is_ark:
            return "ark"
        if any(t.startswith("jl_") for t in self.node_types):
            return "julia"
        return "v8" if self.node_types[: len(V8_FIRST_TYPES)] == V8_FIRST_TYPES else None

    def text(self, index):
        return self.strings[index] if 0 <= index < len(self.strings) else None


def label(number, enumeration):
    return enumeration[number] if 0 <= number < len(enumeration) else str(number)


def absent(count):
    return [None] * count


def node_table(s):
    columns = s.records("nodes", "node_fields")
    count = s.record_count("nodes", "node_fields")
    rest = {
        f: columns.get(f, absent(count))
        for f in ["id", "self_size", "edge_count", "trace_node_id", "detachedness", "native_size"]
    }
    return {
        "node_index": list(range(count)),
        "type": [label(t, s.node_types) for t in columns["type"]],
        "name": [s.text(n) for n in columns["name"]],
        "name_id": columns["name"],
        **rest,
    }


def edge_ends(s):
    """For each edge the node that owns it and the node it points to, as positions; None where there is none."""
    width = len(s.meta["node_fields"])
    node_count = s.record_count("nodes", "node_fields")
    owners = []
    for node, edge_count in enumerate(s.records("nodes", "node_fields").get("edge_count", [])):
        owners += [node] * edge_count
    raw = s.records("edges", "edge_fields")["to_node"]
    targets = [to // width if to % width == 0 and 0 <= to // width < node_count else None for to in raw]
    owners += absent(len(targets) - len(owners))
    return owners[: len(targets)], targets


def edge_table(s):
    columns = s.records("edges", "edge_fields")
    types = [label(t, s.edge_types) for t in columns["type"]]
    owners, targets = edge_ends(s)
    ids = s.records("nodes", "node_fields")["id"]
    numbered = s.numbered_edge_types
    return {
        "edge_index": list(range(len(types))),
        "type": types,
        "name": [None if t in numbered else s.text(n) for t, n in zip(types, columns["name_or_index"])],
        "name_or_index": columns["name_or_index"],
        "from_node_id": [None if n is None else ids[n] for n in owners],
        "to_node_id": [None if n is None else ids[n] for n in targets],
    }


def location_table(s):
    columns = s.records("locations", "location_fields")
    count = s.record_count("locations", "location_fields")
    width = len(s.meta["node_fields"])
    ids = s.records("nodes", "node_fields")["id"]

    def node(raw):
        return raw // width if raw is not None and raw % width == 0 and 0 <= raw // width < len(ids) else None

    nodes = [node(raw) for raw in columns.get("object_index", absent(count))]
    return {
        "node_index": nodes,
        "node_id": [None if n is None else ids[n] for n in nodes],
        "script_id": columns.get("script_id", absent(count)),
        "line_number": [fit(v, "place") for v in columns.get("line", absent(count))],
        "column_number": [fit(v, "place") for v in columns.get("column", absent(count))],
        "script_node_index": [node(raw) for raw in columns.get("script_object_index", absent(count))],
        # Only an analysis knows, and source maps.
        "script_name": absent(count),
        "original_name": absent(count),
        "original_source": absent(count),
        "original_line": absent(count),
        "original_column": absent(count),
    }


def script_names(s):
    """The script of each closure, and what scripts are called by their numbers: as an analysis has it."""
    nodes, edges = s.records("nodes", "node_fields"), s.records("edges", "edge_fields")
    _, targets = edge_ends(s)
    types = [label(t, s.node_types) for t in nodes["type"]]
    internal = s.edge_types.index("internal") if "internal" in s.edge_types else None
    starts = [0]
    for count in nodes["edge_count"]:
        starts.append(starts[-1] + count)

    def follow(node, *names):
        for edge in range(starts[node], starts[node + 1]):
            if edges["type"][edge] == internal and s.text(edges["name_or_index"][edge]) in names:
                return targets[edge]
        return None

    def script(closure):
        shared = follow(closure, "shared")
        node = None if shared is None else follow(shared, "script", "script_or_debug_info")
        name = "" if node is None else (s.text(nodes["name"][node]) or "").removeprefix("system / Script / ")
        return None if not name or name.startswith("system / ") else name

    def unbound(closure):
        target = follow(closure, "bound_function")
        if target is None or types[target] != "closure":
            return closure, 0
        closure, binds = unbound(target)
        return closure, binds + 1

    locations = location_table(s)
    ids = {n: script_id for n, script_id in zip(locations["node_index"], locations["script_id"])}
    closures = [n for n, t in enumerate(types) if t == "closure"]
    by_id = {}
    for node in closures:
        if node in ids and script(node) is not None:
            by_id.setdefault(ids[node], script(node))
    names, scripts = absent(len(types)), absent(len(types))
    for node in closures:
        target, binds = unbound(node)
        name = s.text(nodes["name"][target]) or ("(anonymous)" if binds else None)
        names[node] = None if name is None else "bound " * binds + name
        scripts[node] = script(target) or by_id.get(ids.get(target))
    return names, scripts, by_id


def reachability(s):
    """The nodes that strong references lead to from the root, and those that the stack refers to."""
    nodes, edges = s.records("nodes", "node_fields"), s.records("edges", "edge_fields")
    types = [label(t, s.edge_types) for t in edges["type"]]
    strong = [(a, b) for a, b, t in zip(*edge_ends(s), types) if t != "weak" and a is not None and b is not None]
    is_stack = [s.text(n) == "(Stack roots)" and label(t, s.node_types) == "synthetic" for n, t in zip(nodes["name"], nodes["type"])]
    below = {}
    for owner, target in strong:
        below.setdefault(owner, []).append(target)
    root = s.value["snapshot"].get("root_index", 0) // len(s.meta["node_fields"])
    reached, left = {root}, [root]
    while left:
        for node in below.get(left.pop(), []):
            if node not in reached:
                reached.add(node)
                left.append(node)
    return reached, {target for owner, target in strong if is_stack[owner]}


def unread_variables(s):
    """The variables of contexts that nothing leads to: context, name and value of each."""
    nodes, edges = s.records("nodes", "node_fields"), s.records("edges", "edge_fields")
    types = [label(t, s.edge_types) for t in edges["type"]]
    owned = {}
    for edge, (owner, target) in enumerate(zip(*edge_ends(s))):
        if owner is not None and target is not None:
            owned.setdefault(owner, []).append((types[edge], edges["name_or_index"][edge], target))

    def follow(node, name):
        return next((t for kind, n, t in owned.get(node, []) if kind == "internal" and s.text(n) == name), None)

    contexts = {n for n, name in enumerate(nodes["name"]) if re.match("system / Context($| / )", s.text(name) or "")}
    live = set()
    for node in set(owned) - contexts:
        at = follow(node, "context")
        while at in contexts and at not in live:
            live.add(at)
            at = follow(at, "previous")
    return [(c, s.text(n), t) for c in sorted(contexts - live) for kind, n, t in owned.get(c, []) if kind == "context"]


def node_of(s, raw):
    """The position of the node that a raw reference means."""
    width, count = len(s.meta["node_fields"]), s.record_count("nodes", "node_fields")
    return raw // width if raw % width == 0 and 0 <= raw // width < count else None


def scope_table(s):
    columns = s.records("scopes", "scope_fields")
    get = lambda name: columns.get(name, [])  # noqa: E731
    return {
        "scope_index": list(range(len(get("scope_id")))),
        "script_node_index": [node_of(s, raw) for raw in get("script_node_index")],
        "scope_id": get("scope_id"),
        "depth": get("depth"),
        "context_var_count": get("scope_context_vars_count"),
        "use_count": get("scope_uses_count"),
    }


def scope_owners(s, count_field):
    """The scope of each record that scopes own, and the position of the record among those of its scope."""
    counts = s.records("scopes", "scope_fields").get(count_field, [])
    return [(scope, nth) for scope, count in enumerate(counts) for nth in range(count)]


def scope_variable_table(s):
    names = s.records("scope_context_vars", "scope_context_var_fields").get("name", [])
    owners = scope_owners(s, "scope_context_vars_count")
    return {
        "context_var_index": list(range(len(names))),
        "scope_index": [scope for scope, _ in owners],
        "slot_index": [nth for _, nth in owners],
        "name": [s.text(n) for n in names],
        "name_id": names,
    }


def scope_use_table(s):
    columns = s.records("scope_uses", "scope_use_fields")
    declaring = columns.get("declaring_scope_id", [])
    return {
        "use_index": list(range(len(declaring))),
        "scope_index": [scope for scope, _ in scope_owners(s, "scope_uses_count")],
        "declaring_scope_id": declaring,
        "slot_index": columns.get("slot_index", []),
    }


def sample_table(s):
    columns = s.records("samples", "sample_fields")
    return {f: columns.get(f, []) for f in ["timestamp_us", "last_assigned_id"]}


def function_table(s):
    columns = s.records("trace_function_infos", "trace_function_info_fields")
    get = lambda name: columns.get(name, [])  # noqa: E731
    return {
        "function_index": list(range(len(get("name")))),
        "function_id": get("function_id"),
        "name": [s.text(n) for n in get("name")],
        "script_name": [s.text(n) for n in get("script_name")],
        "script_id": get("script_id"),
        "line_number": [fit(v, "place") for v in get("line")],
        "column_number": [fit(v, "place") for v in get("column")],
        "name_id": get("name"),
        "script_name_id": get("script_name"),
        # Only source maps tell them.
        **{f"original_{name}": absent(len(get("name"))) for name in ["name", "source", "line", "column"]},
    }


def trace_table(s):
    names = [f for f in s.meta.get("trace_node_fields", []) if f != "children"]
    table = {name: [record[i] for record, _, _ in s.tree] for i, name in enumerate(names)}
    wanted = {name: table.get(name, []) for name in ["id", "function_info_index", "count", "size"]}
    return wanted | {"parent_id": [parent for _, parent, _ in s.tree], "depth": [depth for _, _, depth in s.tree]}


def info_table(s):
    rows = []
    for key, fields_key in [("node_types", "node_fields"), ("edge_types", "edge_fields")]:
        names, others = s.enumeration(fields_key, key)
        rows += [(key, 0, -1, name, i) for i, name in enumerate(names)]
        rows += [(key, 1, -1, name, i) for i, name in enumerate(others)]
    for key in ["node_count", "edge_count", "trace_function_count"]:
        rows.append((key, 0, s.value["snapshot"].get(key), "", 0))
    return dict(zip(["key", "type", "int_value", "str_value", "ordinal"], map(list, zip(*rows))))


def files_table(s, name):
    header = s.value["snapshot"]
    sizes = s.records("nodes", "node_fields").get("self_size", [])
    return {
        "file_name": [name],
        "start_time_ns": [None],
        "end_time_ns": [None],
        "self_size": [sum(sizes)],
        "node_count": [s.record_count("nodes", "node_fields")],
        "edge_count": [s.record_count("edges", "edge_fields")],
        "string_count": [len(s.strings)],
        "declared_node_count": [header.get("node_count")],
        "declared_edge_count": [header.get("edge_count")],
        "extra_native_bytes": [header.get("extra_native_bytes")],
        "node_field_count": [len(s.meta["node_fields"])],
        "root_node_index": [header.get("root_index", 0) // len(s.meta["node_fields"])],
    }


def source_table(s, path, name):
    return {
        "path": [str(path)],
        "document_index": [0],
        "name": [name],
        "format": ["heaptimeline" if s.value.get("samples") else "heapsnapshot"],
        "producer": [s.producer],
        "byte_size": [s.byte_size],
        "status": ["repaired" if loses_data(codes(s)) else "complete"],
    }


DATA_LOSS = {"value_out_of_range", "invalid_utf8", "missing_section", "nodes_missing", "edges_missing"}
KNOWN_FIELDS = {
    "node_fields": {"type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness", "native_size"},
    "edge_fields": {"type", "name_or_index", "to_node"},
    "trace_function_info_fields": {"function_id", "name", "script_name", "script_id", "line", "column"},
    "trace_node_fields": {"id", "function_info_index", "count", "size", "children"},
    "sample_fields": {"timestamp_us", "last_assigned_id"},
    "location_fields": {"object_index", "script_id", "script_object_index", "line", "column"},
    "scope_fields": {"script_node_index", "scope_id", "depth", "scope_context_vars_count", "scope_uses_count"},
    "scope_context_var_fields": {"name"},
    "scope_use_fields": {"declaring_scope_id", "slot_index"},
}
# The numbers that become columns as they are.
NUMBERS = [
    ("nodes", "node_fields", {
        "name": "int32", "id": "int64", "self_size": "int64", "edge_count": "int32", "trace_node_id": "int32",
        "detachedness": "int32", "native_size": "int64",
    }),
    ("edges", "edge_fields", {"name_or_index": "int64"}),
    ("locations", "location_fields", {"script_id": "int32", "line": "place", "column": "place"}),
    ("samples", "sample_fields", {"timestamp_us": "int64", "last_assigned_id": "int64"}),
    ("trace_function_infos", "trace_function_info_fields", {
        "function_id": "int64", "name": "int32", "script_name": "int32", "script_id": "int32", "line": "place", "column": "place",
    }),
    ("scopes", "scope_fields", {"scope_id": "int32", "depth": "int32", "scope_context_vars_count": "int32", "scope_uses_count": "int32"}),
    ("scope_context_vars", "scope_context_var_fields", {"name": "int32"}),
    ("scope_uses", "scope_use_fields", {"declaring_scope_id": "int32", "slot_index": "int32"}),
]  # fmt: skip


def loses_data(counts):
    return any(code in DATA_LOSS for code in counts)


def codes(s):
    """The codes that import_log must have for a file that is whole, and how often each."""
    counts = Counter()
    header = s.value["snapshot"]
    counts["byte_order_mark"] += s.has_byte_order_mark
    counts["unknown_section"] += sum(key not in SECTIONS for key in s.value)
    counts["unknown_field"] += sum(len(set(s.meta.get(key, [])) - known) for key, known in KNOWN_FIELDS.items())
    for key, actual in [
        ("node_count", s.record_count("nodes", "node_fields")),
        ("edge_count", s.record_count("edges", "edge_fields")),
        ("trace_function_count", s.record_count("trace_function_infos", "trace_function_info_fields")),
    ]:
        fewer = {"node_count": "nodes_missing", "edge_count": "edges_missing"}.get(key, f"{key}_mismatch")
        code = fewer if header.get(key, 0) > actual else f"{key}_mismatch"
        counts[code] += key in header and header[key] != actual
    counts["type_out_of_range"] += sum(t >= len(s.node_types) for t in s.records("nodes", "node_fields")["type"])
    counts["type_out_of_range"] += sum(t >= len(s.edge_types) for t in s.records("edges", "edge_fields")["type"])
    for section, fields_key, types in NUMBERS:
        columns = s.records(section, fields_key)
        places = [v for f, type in types.items() if type == "place" for v in columns.get(f, [])]
        counts["wrapped_number"] += sum(WRAPPED <= v < 2**32 for v in places)
        unset = sum(v == 2**64 - 1 for v in columns.get("name_or_index", []))
        counts["not_set"] += unset
        counts["value_out_of_range"] += -unset + sum(
            fit(v, type) is None for f, type in types.items() for v in columns.get(f, [])
        )
    counts["lone_surrogate"] += sum(len(re.findall("[\ud800-\udfff]", text)) for text in s.value["strings"])
    return +counts


def tables(s, path, file_id=0, names="text"):
    """Every table of one document, except import_log."""
    name = document_name(path)
    made = {
        "source": source_table(s, path, name),
        "js_heap_files": files_table(s, name),
        "js_heap_info": info_table(s),
        "js_heap_nodes": node_table(s),
        "js_heap_edges": edge_table(s),
        "js_heap_string": {"string_index": list(range(len(s.strings))), "string": s.strings},
        "js_heap_location": location_table(s),
        "js_heap_sample": sample_table(s),
        "js_heap_trace_function_info": function_table(s),
        "js_heap_trace_node": trace_table(s),
        "js_heap_scope": scope_table(s),
        "js_heap_scope_context_var": scope_variable_table(s),
        "js_heap_scope_use": scope_use_table(s),
    }
    for table, columns in made.items():
        count = len(next(iter(columns.values())))
        columns["file_id"] = [file_id] * count
        for column, values in columns.items():
            assert len(values) == count, f"{table}.{column}: {len(values)} values, not {count}"
            type = TABLES[table][column]
            if type in LIMITS:
                columns[column] = [fit(v, type) for v in values]
    if names == "id":
        for table, columns in [
            ("js_heap_nodes", ["name"]),
            ("js_heap_edges", ["name"]),
            ("js_heap_trace_function_info", ["name", "script_name"]),
            ("js_heap_scope_context_var", ["name"]),
        ]:
            for column in columns:
                made[table][column] = absent(len(made[table]["file_id"]))
    return {
        table: {c: made[table][c] for c in TABLES[table] if c not in NOT_PREDICTED.get(table, [])} for table in made
    }


# -------------------------------------------------------------------------------- TraceStreamer


def tracestreamer(s, path, file_id=0):
    """TraceStreamer's own tables: raw numbers of the file wherever it has numbers."""
    nodes, edges = s.records("nodes", "node_fields"), s.records("edges", "edge_fields")
    node_count, edge_count = len(nodes["type"]), len(edges["type"])
    owners, targets = edge_ends(s)
    functions = s.records("trace_function_infos", "trace_function_info_fields")
    locations = s.records("locations", "location_fields")
    samples = s.records("samples", "sample_fields")
    info, trace = info_table(s), trace_table(s)
    made = {
        "js_heap_files": {"id": [file_id], "file_name": [document_name(path)], "start_time": [None], "end_time": [None], "self_size": [sum(nodes["self_size"])]},
        "js_heap_info": {c: info[c] for c in ["key", "type", "int_value", "str_value"]},
        "js_heap_nodes": {
            "node_index": list(range(node_count)),
            **{c: nodes.get(c, absent(node_count)) for c in ["type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness"]},
        },
        "js_heap_edges": {
            "edge_index": list(range(edge_count)),
            **{c: edges[c] for c in ["type", "name_or_index", "to_node"]},
            "from_node_id": [None if n is None else nodes["id"][n] for n in owners],
            "to_node_id": [None if n is None else nodes["id"][n] for n in targets],
        },
        "js_heap_string": {"file_index": list(range(len(s.strings))), "string": s.strings},
        "js_heap_location": {c: locations.get(c, []) for c in ["object_index", "script_id", "line", "column"]},
        "js_heap_sample": {c: samples.get(c, []) for c in ["timestamp_us", "last_assigned_id"]},
        "js_heap_trace_function_info": {
            "function_index": list(range(len(functions.get("name", [])))),
            **{c: functions.get(c, []) for c in ["function_id", "name", "script_name", "script_id", "line", "column"]},
        },
        "js_heap_trace_node": {c: trace[c] for c in ["id", "function_info_index", "count", "size", "parent_id"]},
    }  # fmt: skip
    for table, columns in made.items():
        if table != "js_heap_files":
            count = len(next(iter(columns.values())))
            columns = {"file_id": [file_id] * count, **columns}
        made[table] = {
            column: [fit(v, limit(table, column)) if isinstance(v, int) else v for v in columns[column]]
            for column in columns
        }
    return made


def limit(table, column):
    """TraceStreamer's columns are as wide as ours of the same meaning; where ours are narrow, larger numbers are lost."""
    if column in ("line", "column"):
        return "place"
    ours = {"name": "name_id", "script_name": "script_name_id", "line": "line_number", "column": "column_number"}.get(
        column, column
    )
    type = TABLES[table].get(ours, "int64")
    return type if type in LIMITS else "int64"
