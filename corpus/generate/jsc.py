#!/usr/bin/env python3
"""Writes the hand-made heap snapshots of JavaScriptCore of corpus/jsc/: the same bytes every time.

usage: python3 corpus/generate/jsc.py [FOLDER]

Nothing here was recorded. The forms are those of JavaScriptCore's HeapSnapshotBuilder.cpp: versions 1 and 2 without a
type, version 3 for the inspector, and version 3 for debugging the collector.
"""

import json
import sys
from pathlib import Path

INTERNAL, OBJECT, ELEMENT = 1, 2, 4
EDGE_TYPES = ["Internal", "Property", "Index", "Variable"]


class Heap:
    """A heap whose nodes have ids, and are written in any order."""

    def __init__(self):
        self.nodes, self.edges, self.classes, self.names = [], [], ["<root>"], []
        self.labels, self.roots = [""], []

    def place(self, texts, text):
        if text not in texts:
            texts.append(text)
        return texts.index(text)

    def node(self, id, size, name, flags=0, label="", wrapped=0):
        self.nodes.append((id, size, self.place(self.classes, name), flags, self.place(self.labels, label), wrapped))

    def internal(self, source, *targets):
        self.edges += [(source, target, 0, 0) for target in targets]

    def property(self, source, name, target):
        self.edges.append((source, target, 1, self.place(self.names, name)))

    def index(self, source, index, target):
        self.edges.append((source, target, 2, index))

    def variable(self, source, name, target):
        self.edges.append((source, target, 3, self.place(self.names, name)))

    def members(self, version, type=None):
        """The members, in the engine's order: edges by the ids of their owners, nodes as they come."""
        out = {"version": version}
        if type:
            out["type"] = type
        debugging = type == "GCDebugging"
        out["nodes"] = nodes = []
        for id, size, name, flags, label, wrapped in self.nodes:
            nodes += [id, size, name, flags]
            if debugging:
                nodes += [label, hex(0x3FF06190000 + 16 * id) if id else "0x0", hex(wrapped)]
        out["nodeClassNames"] = self.classes
        out["edges"] = [value for edge in sorted(self.edges, key=lambda edge: edge[0]) for value in edge]
        out["edgeTypes"] = EDGE_TYPES
        out["edgeNames"] = self.names
        if debugging:
            out["roots"] = [value for root in self.roots for value in root]
            out["labels"] = self.labels
        return out


def program():
    """A global object with a class, an array, a closure with variables, a cycle that nothing holds, and the engine's
    own cells: structures, tables, code. Ids follow no order, as addresses do not."""
    heap = Heap()
    heap.node(0, 0, "<root>")
    heap.node(12, 2400, "GlobalObject", label="main")
    heap.node(90, 48, "Session", OBJECT)
    heap.node(7, 24, "Array")
    heap.node(91, 48, "Session", OBJECT)
    heap.node(3, 32, "Function", label="makeSession")
    heap.node(4, 32, "JSAsyncFunction")
    heap.node(45, 64, "JSLexicalEnvironment")
    heap.node(5, 96, "FunctionExecutable", INTERNAL)
    heap.node(6, 512, "UnlinkedFunctionCodeBlock", INTERNAL)
    heap.node(20, 112, "Structure", INTERNAL)
    heap.node(21, 256, "PropertyTable", INTERNAL)
    heap.node(22, 112, "Structure", INTERNAL)
    heap.node(33, 40, "string")
    heap.node(34, 20, "string")
    heap.node(35, 16, "symbol", INTERNAL)
    heap.node(60, 80, "HTMLDivElement", ELEMENT, wrapped=0x7F0012345678)
    heap.node(61, 16, "Object", OBJECT)
    # A cycle without a holder, and a node that only such a node holds.
    heap.node(70, 16, "Object", OBJECT)
    heap.node(71, 16, "Object", OBJECT)
    heap.node(72, 128, "Array")
    # What the contents of a Map look like: nothing in the file leads to them.
    heap.node(80, 48, "Entry", OBJECT)
    heap.node(81, 200, "Object", OBJECT)
    heap.node(1000000, 8, 'Quoted "class"\n\u00e9\U0001f600')
    heap.internal(0, 12, 33, 4, 20)
    heap.internal(12, 20, 3)
    heap.property(12, "sessions", 7)
    heap.property(12, "makeSession", 3)
    heap.property(12, "document", 60)
    heap.property(12, "name with \"quotes\" and \u00e9", 1000000)
    heap.index(7, 0, 90)
    heap.index(7, 4294967294, 91)
    heap.internal(90, 22)
    heap.property(90, "user", 61)
    heap.property(90, "name", 33)
    heap.internal(91, 22)
    heap.property(91, "user", 61)
    heap.property(91, "peer", 90)
    heap.internal(3, 5, 45)
    heap.internal(4, 5)
    heap.variable(45, "count", 34)
    heap.variable(45, "sessions", 7)
    heap.internal(5, 6)
    heap.internal(20, 21)
    heap.internal(21, 35)
    heap.internal(22, 22)
    heap.internal(60, 60)
    heap.property(70, "next", 71)
    heap.property(71, "next", 70)
    heap.internal(71, 72)
    heap.property(80, "value", 81)
    heap.roots = [(12, 1, 0), (4, 0, 1)]
    return heap


def odd():
    """What no engine writes: edges in any order and of any type, ids that are missing, twice there or not numbers."""
    return """{"version": 9, "type": "Inspector", "title": {"unknown": [1, "]"]},
 "nodes": [
  5, 40, 1, 0,
  2, 30, 2, 2,
  5, 41, 1, 0,
  8, 18446744073709551615, 3, 0,
  9, 12.0, 99, 0,
  11, "x", 1, 1,
  5000000000, 4294967296, 1, 0,
  7, 16, 4, 255
 ], "nodes": [1, 1, 1, 1],
 "nodeClassNames": ["<root>", "Object", "Session", "Array", "string"],
 "edges": [
  8, 5, 2, 0,
  2, 7, 1, 0,
  0, 2, 0, 0,
  8, 9, 2, 4294967295,
  2, 404, 1, 1,
  405, 5, 1, 1,
  0, 8, 0, 17,
  5, 11, 9, 3,
  2, 8, 1, 2,
  5, 5000000000, 3, 1,
  5, 11
 ],
 "edgeTypes": ["Internal", "Property", "Index", "Variable"],
 "edgeNames": ["a", "b\\u0000\\ud83d"]}
"""


def files():
    heap = program()
    compact = {"separators": (",", ":"), "ensure_ascii": False}
    yield "version1.json", json.dumps(heap.members(1), **compact)
    yield "version2.json", json.dumps(heap.members(2), indent=1)
    yield "inspector.json", json.dumps(heap.members(3, "Inspector"), **compact)
    yield "debugging.json", json.dumps(heap.members(3, "GCDebugging"), **compact)
    # In another order of the members: edges first.
    members = heap.members(3, "Inspector")
    order = ["version", "type", "edgeNames", "edges", "edgeTypes", "nodes", "nodeClassNames"]
    yield "edges-first.json", json.dumps({name: members[name] for name in order}, **compact)
    yield "odd.json", odd()


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "jsc"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
