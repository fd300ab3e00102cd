"""Queries of Perfetto's own documentation, as they stand there, against Perfetto's trace processor itself."""

import json

import duckdb
import pytest
from conftest import convert, heapquarry, load_views
from test_perfetto import event, perfetto, query, tables

# ------------------------------------------------------------------------- what they are asked of

APP = {"pid": 1, "tid": 1}
EVENTS = [
    event("M", 0, "process_name", pid=1, tid=1, args={"name": "com.example.myapp"}),
    event("M", 0, "thread_name", pid=1, tid=1, args={"name": "main"}),
    event("M", 0, "thread_name", pid=1, tid=5, args={"name": "worker"}),
    event("M", 0, "process_name", pid=2, tid=2, args={"name": "system_server"}),
    event("M", 0, "thread_name", pid=2, tid=7, args={"name": "OomAdjuster"}),
    event("X", 1, "measure", dur=9, **APP, args={"n": 3, "text": "a", "list": [1, {"deep": True}]}),
    event("X", 2, "interesting_slice", dur=5, **APP, args={"n": 4, "half": 0.5}),
    event("X", 3, "sys_read", dur=1, **APP),
    event("B", 20, "an interesting_slice", **APP), event("E", 29, "an interesting_slice", **APP),
    event("X", 4, "measure", dur=2, pid=1, tid=5), event("X", 5, "sys_write", dur=1, pid=1, tid=5),
    event("X", 10, "setProcessGroup a to 1", dur=1, pid=2, tid=7), event("X", 12, "setProcessGroup b to 5", dur=1, pid=2, tid=7),
    event("X", 20, "setProcessGroup a to 0", dur=1, pid=2, tid=7),
    event("X", 40, "Chroeographer#doFrame", dur=2000, **APP), event("X", 3000, "Chroeographer#doFrame", dur=16, **APP),
    event("C", 1, "mem.swap", pid=1, args={"": 900}), event("C", 2, "mem.swap", pid=1, args={"": 2048}),
    event("C", 3, "mem.rss", pid=2, args={"": 1024}), event("C", 4, "Outstanding Network Requests", pid=1, args={"": 2}),
    event("i", 6, "mem.lmk", pid=1, tid=1, s="p"), event("i", 7, "mem.lmk", pid=2, tid=2, s="p"), event("i", 8, "tick", **APP),
    event("b", 1, "GET", pid=1, tid=1, id="1"), event("b", 2, "connect", pid=1, tid=1, id="1"),
    event("e", 4, "connect", pid=1, tid=1, id="1"), event("e", 9, "GET", pid=1, tid=1, id="1"),
    event("s", 2, "f", id=1, **APP), event("f", 4.5, "f", id=1, bp="e", pid=1, tid=5),
]  # fmt: skip

SWITCH = "sched_switch: prev_comm={} prev_pid={} prev_prio=120 prev_state={} ==> next_comm={} next_pid={} next_prio=120"
# At times that are exact in binary: the processor reads them as doubles.
LINES = [
    ("swapper", 0, 1.0, SWITCH.format("swapper/0", 0, "R", "ui", 10)),
    ("ui", 10, 1.125, "sched_waking: comm=net pid=11 prio=120 target_cpu=000"),
    ("ui", 10, 1.25, SWITCH.format("ui", 10, "S", "net", 11)),
    ("net", 11, 1.375, "sched_waking: comm=ui pid=10 prio=120 target_cpu=000"),
    ("net", 11, 1.5, "tracing_mark_write: C|9|mem.swap|2048"),
    ("net", 11, 1.625, "tracing_mark_write: C|9|Outstanding Network Requests|2"),
    ("net", 11, 1.75, SWITCH.format("net", 11, "D", "ui", 10)),
    ("ui", 10, 2.0, SWITCH.format("ui", 10, "S", "net", 11)),
]

# ------------------------------------------------------------------------- the queries

GROUPS = """
SELECT
  ts,
  dur,
  SUBSTR(name, INSTR(name, ' ') + 1, INSTR(name, ' to ') - INSTR(name, ' ') - 1) as process_name,
  SUBSTR(name, INSTR(name, ' to ') + 4) AS group_id
FROM thread_slice
WHERE process_name = 'system_server'
AND thread_name = 'OomAdjuster'
AND name LIKE 'setProcessGroup %';
"""
GROUP_NAMES = """
DROP VIEW IF EXISTS setProcessGroup;
CREATE VIEW setProcessGroup AS
SELECT
  ts,
  dur,
  SUBSTR(name, INSTR(name, ' ') + 1, INSTR(name, ' to ') - INSTR(name, ' ') - 1) as process_name,
  LEAD(ts) OVER (PARTITION BY SUBSTR(name, INSTR(name, ' ') + 1, INSTR(name, ' to ') - INSTR(name, ' ') - 1) ORDER BY ts) AS next_ts,
  -- Resolve SchedPolicy
  CASE SUBSTR(name, INSTR(name, ' to ') + 4)
    WHEN '-1' THEN 'SP_DEFAULT'
    WHEN '0' THEN 'SP_BACKGROUND'
    WHEN '1' THEN 'SP_FOREGROUND'
    WHEN '5' THEN 'SP_TOP_APP'
    ELSE SUBSTR(name, INSTR(name, ' to ') + 4)
  END AS group_name
FROM thread_slice
WHERE process_name = 'system_server'
AND thread_name = 'OomAdjuster'
AND name LIKE 'setProcessGroup %';

SELECT
  ts,
  dur,
  process_name,
  group_name,
  next_ts,
  IIF(
    next_ts IS NOT NULL,
    -- Duration is from ts to next_ts
    next_ts - ts,
    -- Duration is from ts to the last timestamp seen in this trace
    (SELECT MAX(ts + dur) FROM slice) - ts
  ) AS dur_until_next
FROM setProcessGroup;
"""
# By page, below docs/.
OF_TRACES = {
    "analysis/perfetto-sql-getting-started.md": [
        "SELECT ts, dur, name FROM slice LIMIT 10;",
        """SELECT utid
        FROM slice
        JOIN thread_track ON thread_track.id = slice.track_id
        WHERE slice.name = 'measure'""",
        """SELECT tid, name
        FROM thread
        WHERE utid = 10""",
        """SELECT thread.name AS thread_name
        FROM slice
        JOIN thread_track ON slice.track_id = thread_track.id
        JOIN thread USING(utid)
        WHERE slice.name = 'measure'
        GROUP BY thread_name""",
        """SELECT thread_name, process_name, name, ts, dur
        FROM thread_or_process_slice;""",
    ],
    "quickstart/trace-analysis.md": ["SELECT ts, dur, name FROM slice", "SELECT ts, value FROM counter"],
    "analysis/trace-processor-python.md": [
        "SELECT name FROM slice",
        "SELECT ts, name FROM slice",
        "SELECT ts, value FROM counter WHERE track_id=50",
        "select * from slice",
    ],
    "analysis/batch-trace-processor.md": ["select count(1) from slice"],
    "analysis/metrics.md": [
        """CREATE VIEW choreographer_slices AS
        SELECT *
        FROM slice
        WHERE slice.name = 'Chroeographer#doFrame';

        CREATE VIEW long_choreographer_slices AS
        SELECT *
        FROM choreographer_slices
        WHERE dur > 1e6;

        SELECT ts, dur FROM long_choreographer_slices""",
    ],
    "data-sources/atrace.md": [
        """select s.ts, t.name as thread_name, t.tid, s.name as slice_name, s.dur
        from slice as s left join thread_track as trk on s.track_id = trk.id
        left join thread as t on trk.utid = t.utid""",
        """select ts, p.name as process_name, p.pid, t.name as counter_name, c.value
        from counter as c left join process_counter_track as t on c.track_id = t.id
        left join process as p on t.upid = p.upid""",
    ],
    "data-sources/memory-counters.md": [
        """select c.ts, c.value, t.name as counter_name, p.name as proc_name, p.pid
        from counter as c left join process_counter_track as t on c.track_id = t.id
        left join process as p using (upid)
        where t.name like 'mem.%'""",
        "select c.ts, t.name, c.value / 1024 as value_kb from counters as c left join counter_track as t on c.track_id = t.id",
        """SELECT ts, process.name, process.pid
        FROM instant
        JOIN process_track ON instant.track_id = process_track.id
        JOIN process USING (upid)
        WHERE instant.name = 'mem.lmk'""",
    ],
    "data-sources/syscalls.md": [
        """select ts, dur, t.name as thread, s.name, depth from slices as s
        left join thread_track as tt on s.track_id = tt.id
        left join thread as t on tt.utid = t.utid
        where s.name like 'sys_%'""",
    ],
    "getting-started/converting.md": [
        """SELECT slice_out.name AS source_slice, slice_in.name AS dest_slice
        FROM flow
        JOIN slice AS slice_out ON flow.slice_out = slice_out.id
        JOIN slice AS slice_in ON flow.slice_in = slice_in.id;""",
    ],
    "getting-started/android-trace-analysis.md": [
        """SELECT *
        FROM slice
        WHERE name GLOB '*interesting_slice*'
        LIMIT 10;""",
        """SELECT
          s.id AS id,
          s.ts AS ts,
          s.track_id AS track_id,
          s.slice_id AS slice_id,
          s.dur AS dur,
          s.name AS slice,
          p.name AS process,
          t.name AS thread
        FROM slice s
        JOIN thread_track tt ON s.track_id = tt.id
        JOIN thread t on tt.utid = t.utid
        JOIN process p on t.upid = p.upid
        WHERE s.name LIKE '%interesting_slice%'
        -- Only look for slices in your app's process
        AND p.name = 'com.example.myapp'
        -- Only look for slices on your app's main thread
        AND t.is_main_thread
        ORDER BY dur DESC;""",
        GROUPS,
        GROUP_NAMES,
    ],
}  # fmt: skip
OF_FTRACE = {
    "analysis/perfetto-sql-getting-started.md": [
        """SELECT upid
        FROM counter
        JOIN process_counter_track ON process_counter_track.id = counter.track_id
        WHERE process_counter_track.name = 'mem.swap' AND value > 1000""",
    ],
    "getting-started/converting.md": [
        """SELECT ts, value FROM counter
        JOIN track ON counter.track_id = track.id
        WHERE track.name = 'Outstanding Network Requests';""",
    ],
    "quickstart/trace-analysis.md": ["SELECT ts, dur, cpu, utid FROM sched"],
    "data-sources/cpu-scheduling.md": [
        """select ts, dur, cpu, end_state, priority, process.name, thread.name
        from sched_slice left join thread using(utid) left join process using(upid)""",
        "select * from sched_slice limit 1",
    ],
    "analysis/metrics.md": [
        """CREATE VIEW top_five_processes_by_cpu AS
        SELECT
          process.name as process_name,
          CAST(SUM(sched.dur) / 1e6 as INT64) as cpu_time_ms,
          COUNT(DISTINCT utid) as num_threads
        FROM sched
        INNER JOIN thread USING(utid)
        INNER JOIN process USING(upid)
        GROUP BY process.name
        ORDER BY cpu_time_ms DESC
        LIMIT 5;

        SELECT * FROM top_five_processes_by_cpu""",
    ],
    "analysis/common-queries.md": [
        """SELECT
          waker_process.name AS process_name,
          waker.name AS thread_name,
          SUM((
            SELECT dur FROM sched
            WHERE
              sched.ts > wakee_runnable.ts AND
              sched.utid = wakee_runnable.utid
            ORDER BY ts
            LIMIT 1
          )) AS scheduled_dur
        FROM thread AS waker
        JOIN process AS waker_process USING (upid)
        JOIN thread_state AS wakee_runnable ON waker.utid = wakee_runnable.waker_utid
        WHERE waker.utid != 0
        GROUP BY 1, 2
        ORDER BY 3 desc""",
    ],
}
# Numbers that are others by design, rows that are any of several, and a cast that rounds here and truncates there: only
# the count of their rows is compared.
COUNTED = ["LIMIT 10", "limit 1", "select *", "SELECT utid\n", "SELECT upid\n", "INT64"]
# They ask for a number that is another one here.
RUN = ["utid = 10", "track_id=50"]
# Columns that hold numbers of rows.
NUMBERS = {"id", "track_id", "slice_id", "utid"}
INCLUDE = "INCLUDE PERFETTO MODULE slices.with_context; "


@pytest.fixture(scope="module")
def traces(tmp_path_factory):
    folder = tmp_path_factory.mktemp("perfetto")
    json_trace, ftrace = folder / "trace.json", folder / "trace.ftrace"
    json_trace.write_text(json.dumps({"traceEvents": EVENTS}))
    lines = [f"{name:>8}-{tid:<5} ({9 if tid else '-----':>5}) [000] d..2 {at:.6f}: {what}" for name, tid, at, what in LINES]
    ftrace.write_text("\n".join(["# tracer: nop", "#", *lines]) + "\n")
    return {path: tables(path, folder / f"{path.suffix[1:]}.tables") for path in (json_trace, ftrace)}


def asked(queries):
    return [pytest.param(sql, id=f"{page} {n}") for page, of_page in queries.items() for n, sql in enumerate(of_page, 1)]


def same(traces, suffix, sql):
    [(trace, db)] = [(path, db) for path, db in traces.items() if path.suffix == suffix]
    db.execute("SET search_path = 'perfetto,main'")
    *before, last = [part for part in sql.strip().rstrip(";").split(";\n") if part.strip()]
    for statement in before:
        db.execute(statement)
    found = db.sql(last)
    keep = [at for at, name in enumerate(found.columns) if name not in NUMBERS]
    found = sorted(plain(row, keep) for row in found.fetchall())
    if any(word in sql for word in RUN):
        return
    [expected] = perfetto(trace, INCLUDE + sql)
    assert expected and len(found) == len(expected), "a query that finds nothing shows nothing"
    if not any(word in sql for word in COUNTED):
        assert found == sorted(plain(row, keep) for row in expected)


def plain(row, keep):
    """Values as text, numbers as numbers: both engines print them in their own ways."""

    def one(value):
        try:
            return f"{float(value):.6f}"
        except (TypeError, ValueError):
            return str(value)

    return [one(row[at]) for at in keep]


def test_they_are_many():
    assert sum(len(of_page) for queries in (OF_TRACES, OF_FTRACE) for of_page in queries.values()) >= 25


@pytest.mark.parametrize("sql", asked(OF_TRACES))
def test_queries_of_traces(traces, sql):
    same(traces, ".json", sql)


@pytest.mark.parametrize("sql", asked(OF_FTRACE))
def test_queries_of_schedulers(traces, sql):
    same(traces, ".ftrace", sql)


# ------------------------------------------------------------------------- functions

ARGUMENTS = ["n", "text", "half", "list[0]", "list[1].deep", "none"]


def test_functions(traces):
    """Arguments of a function may be named as columns are in its definition."""
    named = ", ".join(f"EXTRACT_ARG(arg_set_id, 'args.{name}')" for name in ARGUMENTS)
    same(traces, ".json", f"SELECT name, ts, {named} FROM slice")
    same(traces, ".json", "SELECT name FROM slice WHERE extract_arg(arg_set_id, 'args.text') = 'a'")
    same(traces, ".json", "SELECT s.name, a.name, a.depth FROM slice s LEFT JOIN ancestor_slice(s.id) a ON a.depth = 0")
    same(traces, ".json", "SELECT s.name, a.name FROM slice s, ancestor_slice(slice_id) a")
    same(traces, ".json", "SELECT s.name, (SELECT count(*) FROM descendant_slice(s.id)) FROM slice s")
    db = next(db for path, db in traces.items() if path.suffix == ".json")
    pairs = query(db, "SELECT a.id, b.id FROM slice a, slice b WHERE slice_is_ancestor(a.id, b.id) ORDER BY ALL")
    assert pairs == query(db, "SELECT a.id, b.id FROM slice b, ancestor_slice(b.id) a ORDER BY ALL") != []
    same(traces, ".json", "SELECT name, PERCENTILE(dur, 50) FROM thread_slice WHERE dur > 0 GROUP BY name")


@pytest.mark.parametrize("view", ["thread_slice", "process_slice", "thread_or_process_slice", "thread", "process"])
def test_views_have_the_columns_of_perfetto(traces, view):
    """Those of v58, which has no `type`, and file_id, which no other tool has."""
    [(trace, db)] = [(path, db) for path, db in traces.items() if path.suffix == ".json"]
    names = "SELECT name FROM pragma_table_info('{}')"
    [theirs] = perfetto(trace, INCLUDE + names.format(view))
    ours = db.sql(f"FROM perfetto.{view}").columns
    left_out = {"type", "machine_id"}
    left_out |= {"is_idle"} if view == "thread" else set()
    if view == "process":
        left_out |= {"parent_upid", "uid", "android_appid", "android_user_id", "cmdline", "arg_set_id"}
    assert {name for (name,) in theirs} - set(ours) <= left_out
    assert ours[-1] == "file_id"


def test_threads_whose_ids_are_text_are_named_by_them(tmp_path):
    trace = tmp_path / "trace.json"
    trace.write_text(json.dumps([event("X", 1, "a", dur=1, pid="app", tid="render"), event("X", 1, "b", dur=1)]))
    db = tables(trace, tmp_path / "out")
    rows = query(db, "SELECT name, thread_name, process_name FROM perfetto.thread_slice ORDER BY name")
    assert rows == [("a", "render", "app"), ("b", None, None)]


def test_arguments_of_several_traces_are_asked_for_by_file(tmp_path):
    for name, value in (("a", 1), ("b", 2)):
        (tmp_path / f"{name}.json").write_text(json.dumps([event("X", 1, name, dur=1, args={"x": value})]))
    heapquarry("convert", tmp_path / "a.json", tmp_path / "b.json", "-o", tmp_path / "both")
    db = duckdb.connect()
    load_views(db, tmp_path / "both")
    named = "SELECT name, perfetto.extract_arg(arg_set_id, 'args.x', of_file := s.file_id) FROM slice s ORDER BY name"
    assert query(db, named) == [("a", "1"), ("b", "2")]
    with pytest.raises(duckdb.Error, match="several traces have these arguments"):
        db.sql("SELECT perfetto.extract_arg(arg_set_id, 'args.x') FROM slice").fetchall()


def test_functions_are_made_in_any_schema(tmp_path):
    trace = tmp_path / "trace.json"
    trace.write_text(json.dumps([event("X", 1, "a", dur=1, args={"x": 1})]))
    out = convert(trace, tmp_path / "out")
    db = duckdb.connect()
    db.execute(heapquarry("views", out, "--schema", "a b").stdout)
    assert query(db, """SELECT "a b_perfetto".extract_arg(arg_set_id, 'args.x') FROM "a b_perfetto".slice""") == [("1",)]
    described = heapquarry("schema", "perfetto.extract_arg").stdout
    assert described.startswith("perfetto.extract_arg(arg_set, arg_key, of_file := NULL) (function)\n")
