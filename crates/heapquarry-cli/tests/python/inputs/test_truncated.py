"""A file cut anywhere gives every whole record before the cut."""

import gzip
import re

import pytest
from conftest import CORPUS, codes, convert, heapquarry, read_rows, read_tables

TIMELINE = CORPUS / "handmade" / "v8-timeline.heaptimeline"
DATA = TIMELINE.read_bytes()
END_OF_HEADER = DATA.index(b',\n"nodes"')
STEP = max(1, len(DATA) // 60)
RECORD_FIELDS = {"nodes": 7, "edges": 3, "trace_function_infos": 6, "samples": 2, "locations": 4}
TABLES = {
    "nodes": "js_heap_nodes",
    "edges": "js_heap_edges",
    "trace_function_infos": "js_heap_trace_function_info",
    "samples": "js_heap_sample",
    "locations": "js_heap_location",
}
# What a row says about other sections; those may be cut.
NAMES = {"name", "script_name"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return {
        name: t.to_pylist()
        for name, t in read_tables(convert(TIMELINE, tmp_path_factory.mktemp("whole") / "t")).items()
    }


def whole_records(cut, section):
    """Records before the cut: a number is whole only if something follows it."""
    start = cut.find(b'"%s":[' % section.encode())
    if start < 0:
        return 0
    body = cut[start:].partition(b"[")[2].partition(b"]")[0]
    numbers = re.findall(rb"\d+(?=[,\n\]])", body + (b"]" if b"]" in cut[start:] else b""))
    return len(numbers) // RECORD_FIELDS[section]


def whole_strings(cut):
    start = cut.find(b'"strings":[')
    return len(re.findall(rb'"(?:[^"\\]|\\.)*"', cut[start + 11 :])) if start >= 0 else 0


@pytest.mark.parametrize("at", range(END_OF_HEADER + 1, len(DATA) - 1, STEP))
def test_cut_behind_the_header(tmp_path, whole, at):
    cut = DATA[:at]
    source = tmp_path / "cut.heaptimeline"
    source.write_bytes(cut)
    folder = convert(source, tmp_path / "t")
    rows = {name: t.to_pylist() for name, t in read_tables(folder).items()}
    assert rows["source"][0]["status"] == "truncated"
    assert "truncated" in codes(folder)

    strings = whole_strings(cut)
    assert rows["js_heap_string"] == whole["js_heap_string"][:strings]
    for section, table in TABLES.items():
        count = whole_records(cut, section)
        assert len(rows[table]) == count, table
        for have, want in zip(rows[table], whole[table]):
            for column, value in want.items():
                if column in NAMES and value is not None:
                    number = want[
                        "script_name_id"
                        if column == "script_name"
                        else "name_or_index"
                        if table == "js_heap_edges"
                        else "name_id"
                    ]
                    value = value if number < strings else None
                elif column == "to_node_id" and value is not None:
                    ids = [row["id"] for row in rows["js_heap_nodes"]]
                    value = value if value in ids else None
                assert have[column] == value, f"{table}.{column}"

    trace = rows["js_heap_trace_node"]
    assert [r["id"] for r in trace] == [r["id"] for r in whole["js_heap_trace_node"][: len(trace)]]
    if b'"samples"' in cut:
        assert trace == whole["js_heap_trace_node"]
    (files,) = rows["js_heap_files"]
    assert files["node_count"] == len(rows["js_heap_nodes"])
    assert files["edge_count"] == len(rows["js_heap_edges"])
    assert files["declared_node_count"] == whole["js_heap_files"][0]["declared_node_count"]
    heapquarry("convert", source, "-o", tmp_path / "strict", "--strict", expect=2)


@pytest.mark.parametrize("at", range(1, END_OF_HEADER, END_OF_HEADER // 12))
def test_cut_in_the_header(tmp_path, at):
    source = tmp_path / "cut.heaptimeline"
    source.write_bytes(DATA[:at])
    failed = heapquarry("convert", source, "-o", tmp_path / "t", expect=2)
    assert "cut.heaptimeline" in failed.stderr
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize("names", ["text", "id"])
@pytest.mark.parametrize("percent", range(5, 100, 5))
def test_cut_recording(tmp_path, percent, names):
    """The same for a real recording, plain and packed: never an error, never more rows than there were."""
    data = gzip.decompress((CORPUS / "node12-insession.heaptimeline.gz").read_bytes())
    cut = data[: len(data) * percent // 100]
    source = tmp_path / "cut"
    source.write_bytes(cut)
    rows = read_rows(convert(source, tmp_path / "t", "--names", names), "js_heap_files")[0]
    assert rows["node_count"] == whole_count(cut, b"nodes", 6)
    assert rows["edge_count"] == whole_count(cut, b"edges", 3)


def whole_count(cut, section, fields):
    start = cut.find(b'"%s":[' % section)
    if start < 0:
        return 0
    body, end, _ = cut[start:].partition(b"[")[2].partition(b"]")
    return (body.count(b",") + (1 if end or body.endswith(b"\n") else 0)) // fields


@pytest.mark.parametrize("percent", range(10, 100, 15))
def test_cut_gzip(tmp_path, percent):
    packed = (CORPUS / "node12-insession.heaptimeline.gz").read_bytes()
    source = tmp_path / "cut.gz"
    source.write_bytes(packed[: len(packed) * percent // 100])
    folder = convert(source, tmp_path / "t")
    assert read_rows(folder, "source")[0]["status"] == "truncated"
    assert "compressed_damaged" in codes(folder)
    assert read_rows(folder, "js_heap_files")[0]["node_count"] > 0


def test_corrupt_gzip(tmp_path):
    """A wrong checksum at the very end: everything is there, and the damage is told."""
    packed = bytearray((CORPUS / "node12-insession.heaptimeline.gz").read_bytes())
    packed[-8] ^= 0xFF
    source = tmp_path / "corrupt.gz"
    source.write_bytes(packed)
    folder = convert(source, tmp_path / "t")
    assert "compressed_damaged" in codes(folder)
    assert read_rows(folder, "js_heap_files")[0]["string_count"] > 0
