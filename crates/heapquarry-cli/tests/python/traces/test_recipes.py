"""The recipes of docs/traces.md: what they say of recorded and generated traces is what Python finds in the events."""

import gzip
import json
import re
import subprocess
from collections import Counter, defaultdict

import duckdb
import pytest
from conftest import CORPUS, ROOT, heapquarry, load_views

PAGE = (ROOT / "docs" / "traces.md").read_text().split("## Ftrace text")[0]
# By what stands before them.
RECIPES = {title: sql for title, sql in re.findall(r"([^\n]+:)\n\n```sql\n(.*?)```", PAGE, re.S)}


def recipe(words):
    [found] = [sql for title, sql in RECIPES.items() if words in title]
    # All rows, so that equal ones at the cut do not matter.
    return re.sub(r" LIMIT \d+", "", found)


def tables(tmp_path, *traces):
    heapquarry("convert", *traces, "-o", tmp_path / "out")
    db = duckdb.connect()
    load_views(db, tmp_path / "out")
    return db


def events(path):
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path)
    with opened as file:
        trace = json.load(file)
    return trace["traceEvents"] if isinstance(trace, dict) else trace


def nanos(event, key="dur"):
    return round(event[key] * 1000)


def slices(found):
    """Complete events and beginnings with their ends, as (event, start, dur); sound traces only."""
    stacks = defaultdict(list)
    for event in sorted((e for e in found if e["ph"] in "BEX"), key=lambda e: nanos(e, "ts")):
        if event["ph"] == "X":
            yield event, nanos(event, "ts"), nanos(event)
        elif event["ph"] == "B":
            stacks[event["pid"], event["tid"]].append(event)
        elif stack := stacks[event["pid"], event["tid"]]:
            begin = stack.pop()
            yield begin, nanos(begin, "ts"), nanos(event, "ts") - nanos(begin, "ts")


def self_times(found):
    """The same, with the part of it that no other covers."""
    by_thread = defaultdict(list)
    for event, start, dur in slices(found):
        by_thread[event["pid"], event["tid"]].append((start, -dur, event))
    for own in by_thread.values():
        rows, stack = [], []
        for start, dur, event in sorted(own, key=lambda row: row[:2]):
            while stack and stack[-1][1] <= start:
                stack.pop()
            row = [event, start - dur, -dur, -dur]
            if stack:
                stack[-1][3] += dur
            rows.append(row)
            stack.append(row)
        yield from ((event, dur, own) for event, _, dur, own in rows)


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranks")
    for rank, size in enumerate((200_000, 300_000)):
        script = ROOT / "benches" / "peers" / "kineto.mjs"
        subprocess.run(["node", script, folder / f"rank{rank}.json", str(size)], check=True)
    return sorted(folder.iterdir())


def test_longest_slices(tmp_path):
    path = CORPUS / "traces" / "chromium.trace.json.gz"
    found = events(path)
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in found if e["name"] == "thread_name"}
    processes = {e["pid"]: e["args"]["name"] for e in found if e["name"] == "process_name"}
    expected = [(e["name"], dur / 1e6, names.get((e["pid"], e["tid"])), processes.get(e["pid"])) for e, _, dur in slices(found)]
    rows = [row for row in tables(tmp_path, path).sql(recipe("The longest slices")).fetchall() if row[1] >= 0]
    assert Counter(rows) == Counter(expected)
    assert [row[1] for row in rows] == sorted((row[1] for row in rows), reverse=True)


@pytest.mark.parametrize("name", ["tsc", "node26", "chromium"])
def test_hot_spots(name, tmp_path):
    path = CORPUS / "traces" / f"{name}.trace.json.gz"
    expected = defaultdict(lambda: [0, 0, 0])
    for event, dur, own in self_times(events(path)):
        for at, value in enumerate((1, own, dur)):
            expected[event["name"]][at] += value
    rows = tables(tmp_path, path).sql(recipe("Where the time went")).fetchall()
    assert {name: [count, round(own * 1e6), round(total * 1e6)] for name, count, own, total in rows} == expected


def test_types_of_tsc(tmp_path):
    path = CORPUS / "traces" / "tsc.trace.json.gz"
    expected = Counter()
    for event, _, own in self_times(events(path)):
        if "path" in event.get("args", {}):
            expected[event["name"], event["args"]["path"]] += own
    rows = tables(tmp_path, path).sql(recipe("types that `tsc`")).fetchall()
    assert {(name, file): round(ms * 1e6) for name, file, ms in rows} == dict(expected) and rows


def test_kernels_by_rank(ranks, tmp_path):
    expected = {}
    for rank in ranks:
        for event in events(rank):
            if event.get("cat") == "kernel":
                count, time = expected.get((rank.name, event["name"]), (0, 0))
                expected[rank.name, event["name"]] = count + 1, time + nanos(event)
    rows = tables(tmp_path, *ranks).sql(recipe("GPU kernels by rank")).fetchall()
    assert {(rank, name): (count, round(ms * 1e6)) for rank, name, count, ms in rows} == expected
    assert len({rank for rank, *_ in rows}) == 2


def test_launches_of_kernels(tmp_path):
    """Kernels of a stream come one after the other, launches before them."""
    path, found, expected = tmp_path / "rank.json", [], []
    for number in range(50):
        call, kernel, start = f"call{number % 3}", f"kernel{number % 7}", 100 * number + 37 + number % 11
        found += [
            {"ph": "X", "cat": "cuda_runtime", "name": call, "pid": 1, "tid": 1, "ts": 100 * number, "dur": 20},
            {"ph": "s", "cat": "ac2g", "name": "ac2g", "id": number, "pid": 1, "tid": 1, "ts": 100 * number},
            {"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7, "ts": start, "dur": 50},
            {"ph": "f", "cat": "ac2g", "name": "ac2g", "id": number, "pid": 0, "tid": 7, "ts": start, "bp": "e"},
        ]
        expected.append((call, kernel, start - 100 * number))
    path.write_text(json.dumps({"traceEvents": found[::-1]}))
    rows = tables(tmp_path, path).sql(recipe("back to the call")).fetchall()
    assert Counter(rows) == Counter(expected)
    assert [row[2] for row in rows] == sorted((row[2] for row in rows), reverse=True)


def test_critical_path_of_bazel(tmp_path):
    path = tmp_path / "bazel.profile.json"
    names = [{"name": "thread_name", "ph": "M", "pid": 1, "tid": tid, "args": {"name": name}} for tid, name in ((0, "Critical Path"), (28, "Main Thread"))]
    actions = [
        {"name": f"action 'Compiling {file}'", "cat": "critical path component", "ph": "X", "ts": ts, "dur": dur, "pid": 1, "tid": 0, "args": {"tid": 28}}
        for file, ts, dur in (("b.cc", 5_000_000, 2_500_000), ("a.cc", 0, 4_000_000))
    ]
    other = {"name": "buildTargets", "ph": "X", "ts": 0, "dur": 9_000_000, "pid": 1, "tid": 28}
    path.write_text(json.dumps({"otherData": {"bazel_version": "release 9.0.0"}, "traceEvents": [*names, *actions, other]}))
    rows = tables(tmp_path, path).sql(recipe("critical path")).fetchall()
    assert rows == [("action 'Compiling a.cc'", 4.0), ("action 'Compiling b.cc'", 2.5)]


def test_frames_that_are_missed(tmp_path):
    path = CORPUS / "traces" / "chromium.trace.json.gz"
    found = events(path)
    mains = {(e["pid"], e["tid"]) for e in found if e["name"] == "thread_name" and e["args"]["name"] == "CrRendererMain"}
    longest = max(dur for event, _, dur in slices(found) if (event["pid"], event["tid"]) in mains)
    sql = recipe("miss a frame")
    assert "dur > 16e6" in sql
    db = tables(tmp_path, path)
    # The page is a small one: with the longest task as the limit there is one, with any less there is more.
    above = lambda limit: db.sql(sql.replace("16e6", str(limit))).fetchall()
    assert len(above(longest)) == 0 and above(longest - 1)[0][1] == longest / 1e6
    assert len(db.sql(sql).fetchall()) == (longest > 16e6) * len(above(16e6))
