"""What the tables must hold for a sampling heap profile, in plain Python. See cpu.py."""

from oracles.cpu import ORIGINALS, flatten, originals

TABLES = {
    "js_heap_sampling_files": {
        "file_id": "int32", "file_name": "text", "node_count": "int64", "sample_count": "int64", "self_size": "int64",
        "sample_size": "int64",
    },
    "js_heap_sampling_node": {
        "file_id": "int32", "node_id": "int64", "function_name": "text", "script_id": "text", "url": "text",
        "line_number": "int32", "column_number": "int32", "self_size": "int64", "parent_id": "int64", "depth": "int32",
        "total_size": "int64", "parent_index": "int64", "node_index": "int64", **ORIGINALS,
    },
    "js_heap_sampling_sample": {"file_id": "int32", "ordinal": "int64", "node_id": "int64", "size": "int64"},
}  # fmt: skip


def tables(profile, name, file_id=0):
    flat = flatten(profile["head"])
    nodes, parents = [node for node, _ in flat], [parent for _, parent in flat]
    ids = [node.get("id", i + 1) for i, node in enumerate(nodes)]
    samples = profile.get("samples", [])
    totals, depths = [node["selfSize"] for node in nodes], []
    for i in range(len(nodes) - 1, 0, -1):
        totals[parents[i]] += totals[i]
    for parent in parents:
        depths.append(0 if parent < 0 else depths[parent] + 1)
    frames = [node["callFrame"] for node in nodes]
    made = {
        "js_heap_sampling_files": {
            "file_name": [name], "node_count": [len(nodes)], "sample_count": [len(samples)],
            "self_size": [sum(node["selfSize"] for node in nodes)], "sample_size": [sum(s["size"] for s in samples)],
        },
        "js_heap_sampling_node": {
            "node_id": ids, "function_name": [f["functionName"] for f in frames],
            "script_id": [f["scriptId"] for f in frames], "url": [f["url"] for f in frames],
            "line_number": [f["lineNumber"] for f in frames], "column_number": [f["columnNumber"] for f in frames],
            "self_size": [node["selfSize"] for node in nodes],
            "parent_id": [-1 if p < 0 else ids[p] for p in parents], "depth": depths, "total_size": totals,
            "parent_index": parents, "node_index": list(range(len(nodes))), **originals(len(nodes)),
        },
        "js_heap_sampling_sample": {
            "ordinal": [s["ordinal"] for s in samples], "node_id": [s["nodeId"] for s in samples],
            "size": [s["size"] for s in samples],
        },
    }  # fmt: skip
    for columns in made.values():
        columns["file_id"] = [file_id] * len(next(iter(columns.values())))
    return made
