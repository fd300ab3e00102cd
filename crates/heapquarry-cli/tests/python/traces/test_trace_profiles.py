"""CPU profiles in traces: every column of every table against the oracle, and what is odd about them."""

import json

import pytest
from conftest import CORPUS, arrow_table, assert_same, codes, convert, extra_files, heapquarry, load_views, query, read_rows, read_table, short_name
from oracles import cpu as oracle_cpu
from oracles import trace as oracle_trace

TRACES = [CORPUS / "traces" / "chromium.trace.json.gz"] + [
    path
    for path in extra_files("trace", "*.json")
    if path.name in ("cpu-profiler-m86.trace.json", "Chrome-116-Trace-20230603T221323.json", "Chrome-65-simple-timeline.json")
]


def events_of(path):
    document = json.loads(oracle_trace.read(path))
    return document["traceEvents"] if isinstance(document, dict) else document


def check(events, folder):
    profiles = oracle_cpu.in_trace(events)
    assert profiles
    rows = {name: read_table(folder, name) for name in oracle_cpu.TABLES}
    documents = read_rows(folder, "source")
    assert [(d["file_id"], d["format"]) for d in documents] == [(0, "trace")] + [
        (i + 1, "cpuprofile") for i in range(len(profiles))
    ]
    for file_id, (name, profile, origin) in enumerate(profiles, 1):
        assert documents[file_id]["name"] == name
        made = oracle_cpu.tables(profile, name, file_id, origin)
        info = made["js_cpu_profiler_info"]
        info["key"] = [key.rstrip("\0") for key in info["key"]]
        for table, columns in made.items():
            mine = rows[table].filter(rows[table]["file_id"].to_numpy() == file_id)
            assert_same(mine, arrow_table(columns, oracle_cpu.TABLES[table]), f"{table} of {name}")


@pytest.mark.parametrize("path", TRACES, ids=short_name)
@pytest.mark.parametrize("flags", [[], ["--threads", "1", "--row-group-rows", "50", "--read-window", "100"]], ids=str)
def test_rows(path, tmp_path, flags):
    check(events_of(path), convert(path, tmp_path / "t", *flags))


def node(id, parent=None, **frame):
    return {"id": id, "callFrame": {"functionName": f"f{id}", "scriptId": 1, **frame}} | (
        {"parent": parent} if parent else {}
    )


def head(ts, id="0x1", pid=1, tid=10, **data):
    args = {"data": {"startTime": ts + 5, **data}}
    return {"name": "Profile", "ph": "P", "ts": ts, "pid": pid, "tid": tid, "id": id, "args": args}


def chunk(ts, nodes=(), samples=(), id="0x1", pid=1, **data):
    profile = {"nodes": list(nodes)} if nodes else {}
    profile |= {"samples": list(samples)} if samples else {}
    args = {"data": {"cpuProfile": profile, **data}} | {}
    return {"name": "ProfileChunk", "ph": "P", "ts": ts, "pid": pid, "tid": 99, "id": id, "args": args}


FIRST = chunk(200, [node(1), node(2, 1, codeType="JS")], [1, 2, 2], timeDeltas=[10, 20, 30])
SECOND = chunk(300, [node(3, 2)], [3, 1], timeDeltas=[5, -2], lines=[7, 8], columns=[1, 2], source="Inspector")
END = chunk(400, endTime=1105)


@pytest.mark.parametrize(
    "events, expected_codes",
    [
        # Lines of the second chunk belong to its samples.
        ([head(100), FIRST, SECOND, END], {"unsorted_samples": 1}),
        # The order in the file means nothing.
        ([END, SECOND, FIRST, head(100)], {"unsorted_samples": 1}),
        ([head(250), FIRST, SECOND], {"early_profile_chunk": 1, "unsorted_samples": 1}),
        ([FIRST, SECOND], {"profile_without_start": 1, "unsorted_samples": 1}),
        # Two processes, one id.
        ([head(100), head(101, pid=2, tid="main"), FIRST, {**FIRST, "pid": 2}], {}),
        # Another one of the same id later on; ids that are numbers, and none.
        ([head(100), FIRST, head(250), {**FIRST, "ts": 260}], {}),
        ([head(100, id=None), {**FIRST, "id": None}, END], {"profile_without_start": 1}),
        # Chrome 141 without arguments.
        ([head(100), {**FIRST, "args": {}}, SECOND, END], {"empty_profile_chunk": 1, "unknown_node": 2, "unsorted_samples": 1}),
        # What only looks like one.
        ([head(100), FIRST, {"name": "Profile", "ph": "X", "ts": 1, "dur": 1, "pid": 1, "tid": 10, "id": "0x1"}], {}),
    ],
)
def test_odd_ones(tmp_path, events, expected_codes):
    path = tmp_path / "trace.json"
    events = [{key: value for key, value in e.items() if value is not None} for e in events]
    path.write_text(json.dumps(events))
    folder = convert(path, tmp_path / "t")
    told = codes(folder)
    # Of the trace itself.
    told.pop("slice_without_duration", None)
    assert told == expected_codes
    if "unknown_node" not in expected_codes:
        check(events, folder)


def test_one_event_as_before_chrome_66(tmp_path):
    profile = {"nodes": [node(1), node(2, 1)], "samples": [1, 2], "startTime": 50, "endTime": 90, "timeDeltas": [5, 6]}
    events = [{"name": "CpuProfile", "ph": "I", "ts": 99, "pid": 1, "tid": 10, "args": {"data": {"cpuProfile": profile}}}]
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"traceEvents": events}))
    check(events, convert(path, tmp_path / "t"))


def test_questions_on_the_profile_of_a_trace(tmp_path):
    folder = convert(CORPUS / "traces" / "chromium.trace.json.gz", tmp_path / "t")
    assert "fibonacci" in heapquarry("summary", f"{folder}#1").stdout
    stacks = heapquarry("export", f"{folder}#1", "--to", "collapsed").stdout.splitlines()
    profile = oracle_cpu.in_trace(events_of(CORPUS / "traces" / "chromium.trace.json.gz"))[0][1]
    # To the last sample's end, which is not known.
    assert sum(int(line.rpartition(" ")[2]) for line in stacks) == sum(profile["timeDeltas"][1:])


def test_views(tmp_path, database):
    folder = convert(CORPUS / "traces" / "chromium.trace.json.gz", tmp_path / "t")
    load_views(database, folder)
    threads = query(database, "SELECT DISTINCT thread_name, process_name FROM trace_cpu_profile").to_pylist()
    assert threads == [{"thread_name": "CrRendererMain", "process_name": "Renderer"}]
    # The time of a sample is that of the trace: all are within the life of the thread.
    inside = query(
        database,
        "SELECT count(*) AS samples, count(*) FILTER (s.ts BETWEEN t.start_ts AND t.end_ts) AS inside "
        "FROM trace_cpu_sample s JOIN thread t ON t.file_id = s.trace_file_id AND t.utid = s.utid",
    ).to_pylist()[0]
    assert inside["samples"] > 50 and inside["samples"] == inside["inside"]
    names = query(database, "SELECT e.name, s.function_name FROM event_stack s JOIN trace_event e "
                  "ON e.file_id = s.trace_file_id AND e.event_index = s.event_index ORDER BY 1").to_pylist()  # fmt: skip
    assert {"name": "begin", "function_name": "fibonacci"} in names or len(names) == 2, names
