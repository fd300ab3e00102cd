"""What is concluded from the events of traces: tables, views, and the queries of docs/traces.md."""

import json
import re

import duckdb
import pytest
from conftest import ROOT, codes, convert, load_views, read_rows

EVENT = {"pid": 1, "tid": 2, "cat": "c", "name": "a"}


def made(folder, *events, **members):
    """The tables of a trace of these events."""
    trace = folder / "trace.json"
    trace.write_text(json.dumps({"traceEvents": [EVENT | event for event in events]} | members))
    return convert(trace, folder / "out")


def rows(folder, table, *columns):
    return [tuple(row[column] for column in columns) for row in read_rows(folder, table)]


def database(folder):
    db = duckdb.connect()
    load_views(db, folder)
    return db


def test_slices_of_all_kinds(tmp_path):
    out = made(
        tmp_path,
        {"ph": "B", "ts": 1, "tts": 1, "args": {"x": 1}, "sf": 7},
        {"ph": "X", "ts": 2, "dur": 3, "tts": 5, "tdur": 2, "name": "b", "ticount": 10, "tidelta": 4},
        {"ph": "E", "ts": 9.001, "tts": 4, "args": {"y": 1}},
        {"ph": "X", "ts": 20, "dur": 10}, {"ph": "X", "ts": 25, "dur": 10, "name": "late"},
        {"ph": "B", "ts": 50}, {"ph": "X", "ts": 60, "name": "no dur"},
    )
    columns = ("id", "ts", "dur", "depth", "parent_id", "self_dur", "ending", "is_overlapping", "end_event_index")
    assert rows(out, "slice", *columns) == [
        (0, 1000, 8001, 0, None, 5001, "matched", 0, 2),
        (1, 2000, 3000, 1, 0, 3000, "complete", 0, None),
        (3, 20000, 10000, 0, None, 10000, "complete", 0, None),
        (4, 25000, 10000, 0, None, 10000, "complete", 1, None),
        (5, 50000, -1, 0, None, None, "open", 0, None),
        (6, 60000, -1, 1, 5, None, "unknown", 0, None),
    ]
    columns = ("thread_ts", "thread_dur", "thread_instruction_count", "thread_instruction_delta", "stack_id")
    assert rows(out, "slice", *columns)[:2] == [(1000, 3000, None, None, "7"), (5000, 2000, 10, 4, None)]
    assert {"overlapping_slice": 1, "unclosed_slice": 1, "slice_without_duration": 1}.items() <= codes(out).items()


def test_operations_steps_and_what_does_not_match(tmp_path):
    out = made(
        tmp_path,
        {"ph": "b", "ts": 1, "id": 1}, {"ph": "n", "ts": 2, "id": "1", "name": "i"}, {"ph": "e", "ts": 4, "id": 1},
        {"ph": "S", "ts": 5, "id": "0x1"}, {"ph": "T", "ts": 6, "id": "0x1", "args": {"step": "s"}},
        {"ph": "F", "ts": 9, "id": "0x1"}, {"ph": "e", "ts": 10, "id": 1, "name": "lost"},
    )
    assert rows(out, "async_slice", "id", "ts", "dur", "name", "depth", "parent_id", "ending") == [
        (0, 1000, 3000, "a", 0, None, "matched"),
        (1, 2000, 0, "i", 1, 0, "instant"),
        (3, 5000, 4000, "a", 0, None, "matched"),
        (4, 6000, 3000, "s", 1, 3, "step"),
        (6, 1000, 9000, "lost", 0, None, "no_begin"),
    ]
    assert codes(out)["unmatched_end"] == 1


def test_arguments_of_beginning_and_end_are_merged(tmp_path):
    out = made(
        tmp_path,
        {"ph": "B", "ts": 1, "args": {"x": 1, "y": {"z": 1, "v": 2}}}, {"ph": "E", "ts": 2, "args": {"y": {"z": 3}, "w": 4}},
        {"ph": "b", "ts": 1, "id": 1, "args": {"x": 5}}, {"ph": "e", "ts": 2, "id": 1, "args": {"x": 6}},
    )
    found = database(out).sql("SELECT slice_id, key, int_value FROM slice_args ORDER BY ALL").fetchall()
    assert found == [(0, "args.w", 4), (0, "args.x", 1), (0, "args.y.z", 3), (2, "args.x", 6)]


def test_threads_are_told_apart_by_any_number_or_text(tmp_path):
    out = made(
        tmp_path,
        {"ph": "X", "ts": 1, "dur": 1, "pid": -1, "tid": 2**40},
        {"ph": "X", "ts": 1, "dur": 1, "pid": "Spans", "tid": "stream 7"},
        {"ph": "X", "ts": 1, "dur": 1, "pid": 5, "tid": 0}, {"ph": "X", "ts": 1, "dur": 1, "pid": 5, "tid": 5},
        {"ph": "M", "name": "thread_name", "pid": 5, "tid": 5, "args": {"name": "main"}},
        {"ph": "M", "name": "process_labels", "pid": 5, "tid": 0, "args": {"labels": "a page"}},
    )
    assert rows(out, "thread", "utid", "tid", "tid_text", "name", "upid", "is_main_thread") == [
        (0, 2**40, None, None, 0, 0), (1, None, "stream 7", None, 1, None),
        (2, 0, None, None, 2, 0), (3, 5, None, "main", 2, 1),
    ]
    assert rows(out, "process", "pid", "pid_text", "labels") == [(-1, None, None), (None, "Spans", None), (5, None, "a page")]


def test_counters_keep_numbers_exactly_and_nan(tmp_path):
    trace = tmp_path / "trace.json"
    trace.write_text('[{"ph":"C","ts":1,"pid":1,"name":"c","args":{"x":9007199254740993,"y":NaN}}]')
    out = convert(trace, tmp_path / "out")
    [(int_value, value), (none, nan)] = rows(out, "counter", "int_value", "value")
    assert (int_value, value, none) == (9007199254740993, 9007199254740992.0, None)
    assert nan != nan


def test_objects_contexts_clocks_and_links(tmp_path):
    out = made(
        tmp_path,
        {"ph": "N", "ts": 1, "id": "0x1"},
        {"ph": "O", "ts": 2, "id": "0x1", "name": "sub", "args": {"snapshot": {"base_type": "a", "v": 7}}},
        {"ph": "(", "ts": 3, "id": "0x1"}, {"ph": "D", "ts": 5, "id": "0x1"},
        {"ph": "c", "ts": 6, "args": {"sync_id": "s", "issue_ts": 4}},
        {"ph": "=", "ts": 7, "id": 1, "args": {"linked_id": 2}},
        {"ph": "X", "ts": 4, "dur": 1, "args": {"owner": {"id_ref": "0x1"}}},
    )
    assert rows(out, "object", "type_name", "object_ref", "created_ts", "destroyed_ts", "snapshot_count") == [("a", "0x1", 1000, 5000, 1)]
    assert rows(out, "object_snapshot", "id", "object_id", "type_name", "base_type") == [(1, 0, "sub", "a")]
    assert rows(out, "context", "ts", "dur", "context_ref", "end_event_index") == [(3000, 2000, "0x1", 3)]
    assert rows(out, "clock_sync", "ts", "sync_id", "issue_ts") == [(6000, "s", 4000)]
    assert rows(out, "id_link", "link_ref", "linked_ref") == [("1", "2")]
    db = database(out)
    assert db.sql("SELECT json_extract(snapshot, '$.v')::INT FROM object_state").fetchall() == [(7,)]
    assert db.sql("SELECT event_index, object_id FROM object_reference").fetchall() == [(6, 0)]


def test_all_that_was_said_of_a_thread_is_kept_with_its_time(tmp_path):
    out = made(
        tmp_path,
        {"ph": "M", "ts": 1, "name": "thread_name", "args": {"name": "old"}}, {"ph": "X", "ts": 2, "dur": 1},
        {"ph": "M", "ts": 9, "name": "thread_name", "args": {"name": "new"}},
        {"ph": "M", "ts": 9, "tid": "x", "name": "num_cpus", "args": {"number": 8}},
    )
    assert rows(out, "thread", "name") == [("new",)]
    said = database(out).sql("SELECT ts, kind, utid, string_value, int_value FROM metadata_history ORDER BY event_index")
    assert said.fetchall() == [
        (1000, "thread_name", 0, "old", None), (9000, "thread_name", 0, "new", None), (9000, "num_cpus", None, None, 8),
    ]


@pytest.mark.parametrize("threads", [1, 3])
def test_pieces_make_no_difference(tmp_path, threads):
    events = [{"ph": ph, "ts": ts, "id": ts % 5, "name": f"n{ts % 7}"} for ts in range(500) for ph in "BbECXsfe"]
    whole = made(tmp_path, *events)
    cut = convert(tmp_path / "trace.json", tmp_path / "cut", "--threads", threads, "--row-group-rows", 64)
    for table in ("slice", "async_slice", "flow", "thread", "track", "counter"):
        assert read_rows(cut, table) == read_rows(whole, table), table


# Those of ftrace text are tried in test_ftrace.
QUERIES = re.findall(r"```sql\n(.*?)```", (ROOT / "docs" / "traces.md").read_text().split("## Ftrace text")[0], re.S)


def test_the_queries_of_the_documentation_run(tmp_path):
    launch = {"name": "launch", "cat": "cuda_runtime"}
    out = made(
        tmp_path,
        {"ph": "X", "ts": 1, "dur": 20_000, "args": {"path": "a.ts", "frame": "A1"}}, {"ph": "X", "ts": 2, "dur": 5} | launch,
        {"ph": "s", "ts": 3, "id": 1, "name": "f"}, {"ph": "X", "ts": 9, "dur": 5, "tid": 7, "cat": "kernel", "name": "k"},
        {"ph": "f", "ts": 10, "id": 1, "name": "f", "tid": 7, "bp": "e"}, {"ph": "b", "ts": 1, "id": 1}, {"ph": "e", "ts": 2, "id": 1},
        {"ph": "C", "ts": 1, "args": {"x": 1}}, {"ph": "M", "ts": 0, "name": "thread_name", "args": {"name": "CrRendererMain"}},
        {"ph": "M", "ts": 0, "name": "thread_name", "tid": 9, "args": {"name": "Critical Path"}}, {"ph": "X", "ts": 1, "dur": 1, "tid": 9},
        {"ph": "P", "ts": 5, "id": "0x1", "name": "Profile", "args": {"data": {"startTime": 5}}},
        {"ph": "P", "ts": 50, "id": "0x1", "name": "ProfileChunk", "tid": 8, "args": {"data": {"cpuProfile": {
            "nodes": [{"id": 1, "callFrame": {"functionName": "f", "scriptId": 1}}], "samples": [1, 1]}, "timeDeltas": [1, 2]}}},
        *({"ph": "v", "ts": 60, "id": "0x2", "pid": pid, "args": {"dumps": {
            "allocators": {"malloc": {"guid": f"{pid}", "attrs": {"size": {"type": "scalar", "units": "bytes", "value": "1f"}}}},
            "allocators_graph": [{"source": "1", "target": "7", "type": "ownership", "importance": 1}]}}} for pid in (1, 7)),
    )
    db = database(out)
    assert len(QUERIES) > 9
    for sql in QUERIES:
        assert db.sql(sql).fetchall(), sql
