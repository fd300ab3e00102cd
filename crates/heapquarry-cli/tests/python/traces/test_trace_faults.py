"""What Perfetto's importer of JSON gets wrong or drops, each with the right result. Seen in its versions 52 to 58."""

import json

import pytest
from conftest import CORPUS, convert, extra_files, load_views, read_rows

X = '{"ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"name":"a"}'
SLICES = "SELECT ts, dur FROM slice ORDER BY id"
NAMES = "SELECT name FROM trace_event ORDER BY event_index"


def x(member):
    """A complete event with that member, which takes the place of one that it has."""
    key = member.split(":")[0]
    return X.replace('"dur":2', member) if key == '"dur"' else X.replace("}", f",{member}}}")


def array(*events):
    return f"[{','.join(events)}]"


def whole(*events):
    return f'{{"traceEvents":{array(*events)}}}'


def trace(*events):
    return json.dumps({"traceEvents": [{"pid": 1, "tid": 1, "name": "a", "cat": "c"} | event for event in events]})


CASES = {
    "a counter that is NaN hangs it": (
        '[{"ph":"C","ts":1,"pid":1,"name":"c","args":{"x":NaN,"y":1}},' + X + "]",
        "SELECT isnan(value), int_value FROM counter ORDER BY id", [(True, None), (False, 1)],
    ),
    "NaN in an event ends the import": (array(x('"x":NaN'), X), SLICES, [(1000, 2000)] * 2),
    "NaN in the name of a thread hangs it": (
        '[{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":NaN}},' + X + "]", SLICES, [(1000, 2000)],
    ),
    "a bad dur takes all later events along, in an array": (
        array(x('"dur":null'), x('"dur":{}'), X),
        SLICES, [(1000, -1), (1000, -1), (1000, 2000)],
    ),
    "and the whole file, in an object": (
        whole(x('"dur":"x"'), X), SLICES, [(1000, -1), (1000, 2000)],
    ),
    "an object that is cut gives no tables": (whole(X, X, '{"ph":"X","ts"').removesuffix("]}"), SLICES, [(1000, 2000)] * 2),
    "an object that is cut behind its events": (whole(X).removesuffix("}") + ',"otherData":{"a', SLICES, [(1000, 2000)]),
    "escapes stay as they are": (whole(r'{"name":"\u00e4\n"}', r'{"name":"\u00e4\""}'), NAMES, [("ä\n",), ('ä"',)]),
    "a surrogate pair ends the import": (whole(r'{"name":"\ud83d\ude00"}', r'{"name":"\ud83d!"}', '{"name":"b"}'), NAMES, [("😀",), ("\ufffd!",), ("b",)]),
    "times since 1970 are up to 128 ns off": (
        trace({"ph": "X", "dur": 0.001}).replace('"ph"', '"ts":1700000000123456.789,"ph"'),
        SLICES, [(1700000000123456789, 1)],
    ),
    "numbers of threads above 32 bits are 0": (
        trace(*({"ph": "X", "ts": 1, "dur": 1, "pid": p, "tid": t} for p, t in [(2**32, 2**33), (2**33, 2**63 - 1), (-1, -2), (1, 0), (1, 1)])),
        "SELECT p.pid, t.tid FROM thread t JOIN process p USING (file_id, upid) ORDER BY utid",
        [(2**32, 2**33), (2**33, 2**63 - 1), (-1, -2), (1, 0), (1, 1)],
    ),
    "names of threads become numbers that others may have": (
        trace({"ph": "X", "ts": 1, "dur": 1, "pid": "Spans", "tid": "main"}),
        "SELECT pid_text, tid_text FROM thread JOIN process USING (file_id, upid)", [("Spans", "main")],
    ),
    "whole numbers of more than 64 bits are garbage": (
        trace({"ph": "X", "ts": 1, "dur": 1, "args": {"x": 12345678901234567890}}),
        "SELECT string_value FROM args", [("12345678901234567890",)],
    ),
    "null, {} and [] vanish from arguments": (
        trace({"ph": "X", "ts": 1, "dur": 1, "args": {"a": None, "b": {}, "c": []}}),
        "SELECT key, value_type, string_value FROM args", [("args.a", "null", None), ("args.b", "json", "{}"), ("args.c", "json", "[]")],
    ),
    "hexadecimal numbers without quotes end the import": (array(x('"id":0x100'), X), SLICES, [(1000, 2000)] * 2),
    "events that are null or scalars end the import": (array(X, "null", "7", X), SLICES, [(1000, 2000)] * 2),
    "systemTraceEvents that is an object ends the import": (
        whole(X).removesuffix("}") + ',"systemTraceEvents":{"name":"ETW","content":[]}}',
        "SELECT s.ts, m.name FROM slice s, trace_metadata m ORDER BY m.name LIMIT 1", [(1000, "systemTraceEvents.content")],
    ),
    "events before time 0 are dropped": (trace({"ph": "X", "ts": -5, "dur": 1}), SLICES, [(-5000, 1000)]),
    "complete events that overlap are dropped": (
        trace({"ph": "X", "ts": 1, "dur": 10}, {"ph": "X", "ts": 5, "dur": 10}),
        "SELECT ts, dur, is_overlapping FROM slice ORDER BY id", [(1000, 10000, 0), (5000, 10000, 1)],
    ),
    "ids 1 and \"1\" differ, and fractions are refused": (
        trace({"ph": "b", "ts": 1, "id": 1}, {"ph": "e", "ts": 2, "id": "1"}, {"ph": "b", "ts": 3, "id": 1.5}, {"ph": "e", "ts": 5, "id": 1.5}),
        "SELECT dur FROM async_slice ORDER BY id", [(1000,), (2000,)],
    ),
    "scopes of ids are ignored": (
        trace(*({"ph": ph, "ts": ts, "id": 1, "scope": s} for ph, ts, s in [("b", 1, "x"), ("b", 2, "y"), ("e", 5, "x"), ("e", 9, "y")])),
        "SELECT dur, depth FROM async_slice ORDER BY id", [(4000, 0), (7000, 0)],
    ),
    "the legacy form of operations is dropped": (
        trace(*({"ph": ph, "ts": ts, "id": 1, "args": {"step": "s"}} for ph, ts in [("S", 1), ("T", 2), ("F", 4)])),
        "SELECT name, dur FROM async_slice ORDER BY id", [("a", 3000), ("s", 2000)],
    ),
    "objects are dropped": (
        trace({"ph": "N", "ts": 1, "id": 1}, {"ph": "O", "ts": 2, "id": 1, "args": {"snapshot": {}}}, {"ph": "D", "ts": 3, "id": 1}),
        "SELECT created_ts, destroyed_ts, snapshot_count FROM object", [(1000, 3000, 1)],
    ),
    "contexts are dropped": (trace({"ph": "(", "ts": 1, "id": 1}, {"ph": ")", "ts": 3, "id": 1}), "SELECT ts, dur FROM context", [(1000, 2000)]),
    "links of ids are dropped": (trace({"ph": "=", "ts": 1, "id": 1, "args": {"linked_id": 2}}), "SELECT link_ref, linked_ref FROM id_link", [("1", "2")]),
    "clock synchronisations are dropped": (
        trace({"ph": "c", "ts": 1, "args": {"sync_id": "x"}}), "SELECT ts, sync_id FROM clock_sync", [(1000, "x")],
    ),
    "memory dumps are dropped": (
        trace({"ph": "v", "ts": 1, "id": 1, "args": {"dumps": {"process_totals": {"resident_set_bytes": "1f"}}}}),
        "SELECT resident_set_bytes FROM memory_dump", [(31,)],
    ),
    "stacks and samples are dropped": (
        json.dumps({"traceEvents": [{"ph": "X", "ts": 1, "dur": 1, "pid": 1, "tid": 1, "name": "a", "sf": 2, "esf": 1}],
                    "stackFrames": {"1": {"name": "f"}, "2": {"name": "g", "parent": 1}}, "samples": [{"ts": 5, "sf": 2, "tid": 1}]}),
        "SELECT stack_id, end_stack_id, x.ts, f.name, f.parent_id FROM slice s, trace_sample x "
        "JOIN stack_frame f ON f.frame_id = x.stack_frame_id",
        [("2", "1", 5000, "g", "1")],
    ),
    "samples are dropped that are no V8 profile's": (trace({"ph": "P", "ts": 1}), "SELECT ph, ts FROM instant", [("P", 1000)]),
    "colours, labels and what is not known are dropped": (
        trace({"ph": "X", "ts": 1, "dur": 1, "cname": "good", "new": [1]}, {"ph": "M", "name": "process_labels", "args": {"labels": "l"}}),
        "SELECT extra, labels FROM trace_event, process WHERE event_index = 0", [('{"cname":"good","new":[1]}', "l")],
    ),
    "an empty array is no trace": ("[]", "SELECT count(*) FROM trace_event", [(0,)]),
    "a byte order mark is not read": ("\ufeff" + array(X), SLICES, [(1000, 2000)]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_perfetto_gets_wrong(name, tmp_path, database):
    text, sql, expected = CASES[name]
    path = tmp_path / "trace.json"
    path.write_text(text)
    load_views(database, convert(path, tmp_path / "t"))
    assert database.sql(sql).fetchall() == expected


@pytest.mark.parametrize("text", ["[]", " [ ]\n", "[", "[{}]", "[,]", '{"traceEvents":[]}', '{"traceEvents":['])
def test_empty_traces(text, tmp_path):
    path = tmp_path / "trace.json"
    path.write_text(text)
    folder = convert(path, tmp_path / "t")
    assert [row["format"] for row in read_rows(folder, "source")] == ["trace"]
    assert read_rows(folder, "trace_event") == read_rows(folder, "slice") == []


@pytest.mark.parametrize(
    "path, format",
    [("profiles/node18.cpuprofile", "cpuprofile"), ("node18.heapsnapshot.gz", "heapsnapshot"), ("profiles/chromium.selfprofile.json", "selfprofile")],
)
def test_what_is_no_trace_is_not_opened_as_an_empty_one(path, format, tmp_path):
    folder = convert(CORPUS / path, tmp_path / "t")
    assert {row["format"] for row in read_rows(folder, "source")} == {format}
    assert not (folder / "trace_event.parquet").exists()


@pytest.mark.parametrize("path", extra_files("trace", "ns_resolution*.gz"), ids=lambda path: path.name)
def test_no_slice_of_a_recording_is_dropped(path, tmp_path):
    """Of its 45,422 slices and instants Perfetto v52 drops 774, which overlap others."""
    folder = convert(path, tmp_path / "t")
    complete = sum(row["ph"] == "X" for row in read_rows(folder, "trace_event"))
    assert len(read_rows(folder, "slice")) == complete == 45_420
