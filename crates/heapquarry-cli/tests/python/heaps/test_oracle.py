"""The oracle against what is known about the recordings without it, and the hand-made files against their script."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import CORPUS, short_name
from oracles import heap as oracle

INVENTED_COUNTS = {"hermes-zero-counts.heapsnapshot", "v8-functions-undercounted.heaptimeline"}


def test_counts_agree_with_the_header(recording):
    s, header = recording.snapshot, recording.snapshot.value["snapshot"]
    nodes, edges = recording.expected["js_heap_nodes"], recording.expected["js_heap_edges"]
    if recording.path.name not in INVENTED_COUNTS:
        assert (nodes.num_rows, edges.num_rows) == (header["node_count"], header["edge_count"])
    assert edges["from_node_id"].null_count == 0
    assert edges["to_node_id"].null_count == 0
    assert sum(s.records("nodes", "node_fields")["edge_count"]) == edges.num_rows
    assert len(set(nodes["id"].to_pylist())) == nodes.num_rows


def test_names_are_there_unless_the_edge_has_a_number(recording):
    edges = recording.expected["js_heap_edges"]
    for type, name in zip(edges["type"].to_pylist(), edges["name"].to_pylist()):
        assert (name is None) == (type in recording.snapshot.numbered_edge_types)
    assert recording.expected["js_heap_nodes"]["name"].null_count == 0


def golden():
    extra = os.environ.get("HEAPQUARRY_EXTRA_DATA")
    return sorted((Path(extra) / "v8" / "golden").glob("*.json")) if extra else []


@pytest.mark.parametrize("path", golden(), ids=short_name)
def test_sums_agree_with_devtools(path):
    """DevTools' own totals of the same recording."""
    known = json.loads(path.read_text())
    folder = path.parent.parent
    (source,) = [p for p in folder.rglob("*.heapsnapshot*") if p.name.split(".")[0] == path.stem]
    files = oracle.tables(oracle.Snapshot.parse(oracle.read_bytes(source)), source)["js_heap_files"]
    assert known["node_count"] == files["node_count"][0]
    assert known["edge_count"] == files["edge_count"][0]
    # DevTools counts the native memory outside the heap too.
    assert known["static"]["totalSize"] == files["self_size"][0] + (files["extra_native_bytes"][0] or 0)


def test_trace_rows():
    rows = oracle.trace_rows("[1,0,0,0,[2,1,0,0,[3,2,5,60\n,[]\n,4,2,2,32,[]],5,2,0,0,[]]]")
    assert rows == [
        ([1, 0, 0, 0], -1, 0),
        ([2, 1, 0, 0], 1, 1),
        ([3, 2, 5, 60], 2, 2),
        ([4, 2, 2, 32], 2, 2),
        ([5, 2, 0, 0], 1, 1),
    ]


def test_handmade_files_are_what_their_script_writes(tmp_path):
    script = CORPUS / "generate" / "handmade.py"
    subprocess.run([sys.executable, script, tmp_path], check=True)
    written = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    assert written == {p.name: p.read_bytes() for p in (CORPUS / "handmade").iterdir()}
