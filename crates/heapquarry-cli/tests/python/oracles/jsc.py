"""What the tables must hold for a heap snapshot of JavaScriptCore, in plain Python.

Written from the comments of HeapSnapshotBuilder.cpp and from the description of the tables, not from the Rust code: the
file is one JSON value, a table is a dict of columns, a column is a list. Dominators are those of WebKit's own
HeapSnapshot.js: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm".
"""

import json
import re
from collections import defaultdict

from oracles import heap

# What is compared; all other columns of a heap are null.
TABLES = {
    table: heap.TABLES[table]
    for table in ("js_heap_files", "js_heap_info", "js_heap_nodes", "js_heap_edges", "js_heap_string")
}
# The part of js_heap_analysis that the graph alone determines.
ANALYSIS = {
    "node_index": "int64", "id": "int64", "distance": "int32", "shallow_size": "int64", "retained_size": "int64",
    "dominator_id": "int64",
}  # fmt: skip

NODE_TYPES = ["synthetic", "object", "closure", "string", "symbol", "native", "code", "hidden"]
EDGE_TYPES = {"Internal": "internal", "Property": "property", "Index": "element", "Variable": "context"}
FUNCTIONS = {"Function", "JSAsyncFunction", "JSGeneratorFunction", "JSAsyncGeneratorFunction"}
INTERNAL, ELEMENT = 1, 4


class First(dict):
    """An object of which the first of several members with the same name counts."""

    def __init__(self, pairs):
        super().__init__(reversed(pairs))


def whole(value, limit=1 << 63):
    """A number of the file; nothing where it has none that fits."""
    fits = isinstance(value, (int, float)) and not isinstance(value, bool) and value == int(value)
    return int(value) if fits and 0 <= value < limit else None


class Snapshot:
    def __init__(self, data):
        value = json.loads(data, object_pairs_hook=First)
        strings = lambda name: [re.sub("[\ud800-\udfff]", "\ufffd", s) for s in value.get(name, [])]  # noqa: E731
        self.classes, self.names, self.labels = map(strings, ["nodeClassNames", "edgeNames", "labels"])
        self.strings = self.classes + self.names + self.labels
        self.edge_types = [EDGE_TYPES.get(name, name) for name in value["edgeTypes"]]
        flat = value["nodes"]
        self.width = 7 if len(flat) > 5 and isinstance(flat[5], str) else 4
        records = [flat[i : i + self.width] for i in range(0, len(flat) - self.width + 1, self.width)]
        # The last value is the id in the tables: the address of the cell, if there is one.
        records = [
            (*map(whole, r[:4]), *((r[4], int(r[5], 16)) if self.width == 7 else (0, whole(r[0])))) for r in records
        ]
        if records and all(record[0] != 0 for record in records):
            records.append((0, 0, None, 0, 0, 0))
        # By id, in the order of the file if several have the same; those without one last.
        self.nodes = sorted(records, key=lambda record: 1 << 64 if record[0] is None else record[0])
        first = {}
        for node, record in enumerate(self.nodes):
            if record[0] is not None:
                first.setdefault(record[0], node)
        flat = value["edges"]
        edges = [flat[i : i + 4] for i in range(0, len(flat) - 3, 4)]
        ends = [(first.get(source), first.get(target), kind, data) for source, target, kind, data in edges]
        # By owner, in the order of the file; those without an owner last.
        self.edges = sorted(ends, key=lambda edge: len(self.nodes) if edge[0] is None else edge[0])

    def type_of(self, node):
        id, _, class_index, flags, *_ = self.nodes[node]
        known = class_index is not None and class_index < len(self.classes)
        name = self.classes[class_index] if known else ""
        if node == 0 and id == 0 or name == "<root>":
            return "synthetic"
        if name in ("string", "symbol"):
            return name
        if name in FUNCTIONS:
            return "closure"
        if flags & ELEMENT:
            return "native"
        if not flags & INTERNAL:
            return "object"
        return "code" if name.endswith(("Executable", "CodeBlock")) else "hidden"

    def name_of(self, node):
        """The index of its name in the string table."""
        _, _, class_index, _, label, _ = self.nodes[node]
        type = self.type_of(node)
        if type == "closure" and label:
            return len(self.classes) + len(self.names) + label
        known = class_index is not None and class_index < len(self.classes)
        return class_index if known and type != "string" else None

    def data_of(self, edge):
        """The type of an edge, and its index or that of its name in the string table."""
        _, _, kind, data = edge
        if kind >= len(self.edge_types):
            return str(kind), None
        type = self.edge_types[kind]
        if type == "internal":
            return type, None
        if type == "element":
            return type, whole(data, (1 << 32) - 1)
        return type, len(self.classes) + data if data < len(self.names) else None


def tables(data, name):
    s = Snapshot(data)
    ids = [record[-1] for record in s.nodes]
    owned = defaultdict(int)
    for source, *_ in s.edges:
        owned[source] += 1
    types, edge_data = [s.type_of(n) for n in range(len(ids))], [s.data_of(edge) for edge in s.edges]
    name_ids = [s.name_of(n) for n in range(len(ids))]
    text = lambda index: None if index is None else s.strings[index]  # noqa: E731
    node = lambda index: None if index is None else ids[index]  # noqa: E731
    infos = [("node_types", n, t) for n, t in enumerate(NODE_TYPES)]
    infos += [("edge_types", n, t) for n, t in enumerate(s.edge_types)]
    none = [None] * len(ids)
    made = {
        "js_heap_files": {
            "file_name": [name], "start_time_ns": [None], "end_time_ns": [None],
            "self_size": [sum(record[1] or 0 for record in s.nodes)], "node_count": [len(ids)],
            "edge_count": [len(s.edges)], "string_count": [len(s.strings)], "declared_node_count": [None],
            "declared_edge_count": [None], "extra_native_bytes": [None], "node_field_count": [s.width],
            "root_node_index": [0],
        },
        "js_heap_info": {
            "key": [key for key, _, _ in infos], "type": [0] * len(infos), "int_value": [-1] * len(infos),
            "str_value": [text for _, _, text in infos], "ordinal": [n for _, n, _ in infos],
        },
        "js_heap_nodes": {
            "node_index": list(range(len(ids))), "type": types, "name": [text(n) for n in name_ids],
            "name_id": name_ids, "id": ids, "self_size": [record[1] for record in s.nodes],
            "edge_count": [owned[n] for n in range(len(ids))], "trace_node_id": none, "detachedness": none,
            "native_size": none,
        },
        "js_heap_edges": {
            "edge_index": list(range(len(s.edges))), "type": [type for type, _ in edge_data],
            "name": [text(n) if type in ("property", "context") else None for type, n in edge_data],
            "name_or_index": [n for _, n in edge_data], "from_node_id": [node(edge[0]) for edge in s.edges],
            "to_node_id": [node(edge[1]) for edge in s.edges],
        },
        "js_heap_string": {"string_index": list(range(len(s.strings))), "string": s.strings},
    }  # fmt: skip
    return {table: {"file_id": [0] * len(next(iter(columns.values()))), **columns} for table, columns in made.items()}


# -------------------------------------------------------------------------------- analysis


def analysis(data):
    """The columns of ANALYSIS."""
    s = Snapshot(data)
    count = len(s.nodes)
    below = [[] for _ in range(count)]
    for source, target, *_ in s.edges:
        if source is not None and target is not None:
            below[source].append(target)
    sizes = shallow_sizes(s, below)
    dominators, in_tree = dominator_tree(below)
    retained = list(sizes)
    for node in in_tree:  # the root last
        if node:
            retained[dominators[node]] += retained[node]
    retained[0] += sum(sizes[node] for node in set(range(count)) - set(in_tree))
    return {
        "node_index": list(range(count)), "id": [record[-1] for record in s.nodes], "distance": distances(below),
        "shallow_size": sizes, "retained_size": retained,
        "dominator_id": [s.nodes[dominators[node]][-1] for node in range(count)],
    }  # fmt: skip


def distances(below):
    """Edges from what the root refers to, which has distance 1."""
    found, level, distance = {}, list(below[0]), 1
    while level:
        level = [node for node in level if found.setdefault(node, distance) == distance]
        level, distance = {target for node in level for target in below[node] if target not in found}, distance + 1
    found[0] = 100_000_000
    return [found.get(node, -5) for node in range(len(below))]


def shallow_sizes(s, below):
    """The engine's own cells count for the only other node that leads to them through such cells."""
    hidden = [s.type_of(node) == "hidden" for node in range(len(s.nodes))]
    owners = defaultdict(set)
    for owner in range(len(s.nodes)):
        left = [] if hidden[owner] else [target for target in below[owner] if hidden[target]]
        seen = set()
        while left:
            node = left.pop()
            if node not in seen:
                seen.add(node)
                owners[node].add(owner)
                left += [target for target in below[node] if hidden[target]]
    sizes = [record[1] or 0 for record in s.nodes]
    for node, of in owners.items():
        (owner,) = of if len(of) == 1 else [0]
        if owner and s.type_of(owner) != "synthetic":
            sizes[owner] += sizes[node]
            sizes[node] = 0
    return sizes


def dominator_tree(below):
    """The immediate dominator of each node, and all nodes of the tree in postorder.

    What nothing leads to counts as held by the root. What is still left, cycles and the nodes below them, has the root
    as dominator and is not part of the tree."""
    reached = set(postorder(below, [0]))
    held = {target for node in set(range(len(below))) - reached for target in below[node] if target != node}
    starts = [0] + [node for node in range(len(below)) if node not in reached and node not in held]
    order = postorder(below, starts)
    order = [node for node in order if node != 0] + [0]
    number = {node: at for at, node in enumerate(order)}
    above = defaultdict(list)
    for node in order:
        for target in below[node]:
            above[target].append(node)
    for start in starts[1:]:
        above[start].append(0)
    dominator = {0: 0}
    changed = True
    while changed:
        changed = False
        for node in reversed(order[:-1]):
            known = [other for other in above[node] if other in dominator]
            if not known:
                continue
            new = known[0]
            for other in known[1:]:
                while new != other:
                    while number[new] < number[other]:
                        new = dominator[new]
                    while number[other] < number[new]:
                        other = dominator[other]
            if dominator.get(node) != new:
                dominator[node], changed = new, True
    return [dominator.get(node, 0) for node in range(len(below))], order


def postorder(below, starts):
    seen, order = set(), []
    for start in starts:
        if start in seen:
            continue
        seen.add(start)
        stack = [(start, iter(below[start]))]
        while stack:
            node, targets = stack[-1]
            target = next((target for target in targets if target not in seen), None)
            if target is None:
                order.append(node)
                stack.pop()
            else:
                seen.add(target)
                stack.append((target, iter(below[target])))
    return order
