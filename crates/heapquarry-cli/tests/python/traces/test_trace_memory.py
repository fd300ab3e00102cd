"""Memory dumps in traces: every row against a plain reading of the same JSON."""

import json

import pytest
from conftest import convert, load_views, query, read_rows


def scalar(value, units="bytes"):
    return {"type": "scalar", "units": units, "value": value}


DETAILED = {
    "level_of_detail": "detailed",
    "process_totals": {
        "resident_set_bytes": "7f1000", "peak_resident_set_bytes": "800000", "private_footprint_bytes": "10000000000",
        "is_peak_rss_resetable": True, "odd": "ffffffffffffffff",
    },
    "process_mmaps": {
        "vm_regions": [
            {"sa": "7f00a000", "sz": "1000", "pf": 5, "mf": "/lib/läb.so", "id": "ABC", "ts": "5f", "df": "lib.sym",
             "bs": {"pc": "1", "pd": "2", "sc": "3", "sd": "4", "pss": "5", "sw": "6"}},
            {"sa": "ffffffffff600000", "sz": "1000", "bs": {}},
        ]
    },
    "allocators": {
        "v8": {"guid": "a1", "attrs": {"size": scalar("1a2b"), "object_count": scalar("3", "objects")}},
        "v8/main/heap \"x\"": {"guid": "a2", "flags": 1, "attrs": {"size": scalar("fff"), "state": {"type": "string", "units": "", "value": "12"}}},
        "empty": {},
        "global/1": {"guid": "b1", "attrs": {"size": scalar("ffffffffffffffff"), "n": {"value": 7}}},
    },
    "allocators_graph": [
        {"source": "a1", "target": "b9", "type": "ownership", "importance": 2},
        {"source": "a1", "target": "a2", "type": "retention"},
    ],
    "heaps_v2": {"maps": {}},
}  # fmt: skip


def dump(ph, ts, dumps, pid=1, id="0xd1", name="periodic_interval"):
    return {"ph": ph, "ts": ts, "pid": pid, "tid": -1, "id": id, "cat": "memory-infra", "name": name, "args": {"dumps": dumps}}


EVENTS = [
    {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "Browser"}},
    dump("v", 10, DETAILED),
    # The rest of the same process, and another one, which owns what the first one has.
    dump("v", 11, {"allocators": {"later": {"guid": "b9", "attrs": {"size": scalar("10")}}}}),
    dump("v", 12, {"level_of_detail": "light", "process_totals": {"resident_set_bytes": "1"}}, pid="gpu"),
    dump("V", 13, {"level_of_detail": "light", "allocators": {"global/2": {"guid": "c1", "attrs": {"size": scalar("2")}}}}),
    # What makes no sense is kept in trace_event only.
    dump("v", 14, {"allocators": [1], "process_mmaps": 3, "process_totals": "x", "allocators_graph": {}}, id="0xd2"),
    {"ph": "v", "pid": 1, "ts": 15},
    dump("v", 16, {"allocators": {"a": 1, "b": {"attrs": [], "guid": 5}}, "allocators_graph": [1, {}], "process_mmaps": {"vm_regions": [7]}}),
]  # fmt: skip


def of(value, kind=dict):
    return value if isinstance(value, kind) else kind()


def hexadecimal(value):
    """A size, or the bits of an address."""
    if isinstance(value, (bool, int)):
        return int(value)
    return int(value, 16) if isinstance(value, str) else None


def int64(value):
    return value if value is not None and value < 2**63 else None


def expected(events):
    rows = {name: [] for name in ["dump", "allocator", "attribute", "edge", "region"]}
    for index, e in enumerate(events):
        if e["ph"] not in "vV":
            continue
        dumps = of(of(e.get("args")).get("dumps"))
        totals, nodes = of(dumps.get("process_totals")), of(dumps.get("allocators"))
        edges, regions = of(dumps.get("allocators_graph"), list), of(of(dumps.get("process_mmaps")).get("vm_regions"), list)
        number = isinstance(e["pid"], int)
        size = lambda name: int64(hexadecimal(totals.get(name)))
        rows["dump"].append((
            index, e["ts"] * 1000, e.get("id"), e["ph"], e["pid"] if number else None, None if number else e["pid"],
            e.get("name"), dumps.get("level_of_detail"), size("resident_set_bytes"), size("peak_resident_set_bytes"),
            size("private_footprint_bytes"), len(nodes), len(edges), len(regions),
        ))  # fmt: skip

        def attribute(node, name, attr):
            value = attr.get("value")
            exact = None if attr.get("type") == "string" else int64(hexadecimal(value))
            rows["attribute"].append(
                (index, node, name, attr.get("type"), attr.get("units"), exact, value if exact is None else None)
            )
            return exact

        for name, value in totals.items():
            attribute(None, name, {"value": value})
        for number, (path, node) in enumerate(nodes.items()):
            node = of(node)
            values = {name: attribute(number, name, attr) for name, attr in of(node.get("attrs")).items()}
            guid = node.get("guid")
            rows["allocator"].append((
                index, number, path, path.split("/")[-1], path.count("/"), None if guid is None else str(guid),
                node.get("flags"), values.get("size"), values.get("object_count"),
            ))  # fmt: skip
        for number, edge in enumerate(map(of, edges)):
            names = ["source", "target", "type", "importance"]
            rows["edge"].append((index, number, *(edge.get(name) for name in names)))
        for number, region in enumerate(map(of, regions)):
            address = hexadecimal(region.get("sa"))
            address = address - 2**64 if address is not None and address >= 2**63 else address
            stats = of(region.get("bs"))
            rows["region"].append((
                index, number, address, hexadecimal(region.get("sz")), region.get("pf"),
                *(region.get(name) for name in ["mf", "id", "ts", "df"]),
                *(hexadecimal(stats.get(name)) for name in ["pc", "pd", "sc", "sd", "pss", "sw"]),
            ))  # fmt: skip
    return rows


@pytest.mark.parametrize("flags", [[], ["--threads", "1", "--read-window", "3", "--row-group-rows", "1"]], ids=str)
def test_rows(tmp_path, flags):
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"traceEvents": EVENTS}))
    folder = convert(path, tmp_path / "t", *flags)
    for name, rows in expected(EVENTS).items():
        found = read_rows(folder, f"memory_{name}")
        assert [tuple(row.values())[1:] for row in found] == rows, name
        assert all(row["file_id"] == 0 for row in found)
    # They are events like any other.
    assert len(read_rows(folder, "trace_event")) == len(EVENTS)


def test_views(tmp_path, database):
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(EVENTS))
    load_views(database, convert(path, tmp_path / "t"))
    edges = query(database, "SELECT source_path, target_path, target_size_bytes FROM memory_snapshot_edge ORDER BY event_index, edge_index")
    assert edges.to_pylist()[:2] == [
        {"source_path": "v8", "target_path": "later", "target_size_bytes": 16},
        {"source_path": "v8", "target_path": "v8/main/heap \"x\"", "target_size_bytes": 4095},
    ]
    nodes = query(
        database,
        "SELECT path, allocator, parent_path, process_name FROM memory_snapshot_node WHERE dump_id = '0xd1' AND depth = 2",
    )
    assert nodes.to_pylist() == [
        {"path": "v8/main/heap \"x\"", "allocator": "v8", "parent_path": "v8/main", "process_name": "Browser"}
    ]
