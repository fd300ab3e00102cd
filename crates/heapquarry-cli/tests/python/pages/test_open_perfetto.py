"""What `heapquarry open` shows of a trace, against Perfetto's trace processor."""

import json
import random
from collections import Counter

import pytest
from browser import ask
from conftest import CORPUS, serving, wait_until
from processor import perfetto

SLICES = """
    SELECT s.ts, s.dur, coalesce(s.name, ''), coalesce(s.category, ''), s.depth, t.tid, coalesce(p.name, ''),
        CASE WHEN s.dur < 0 THEN '' ELSE s.dur - coalesce((SELECT sum(c.dur) FROM slice c WHERE c.parent_id = s.id), 0) END
    FROM slice s JOIN thread_track k ON k.id = s.track_id JOIN thread t ON t.utid = k.utid LEFT JOIN slice p ON p.id = s.parent_id
"""
FLOWS = "SELECT slice_out, slice_in FROM flow"
PARENTS = "SELECT id, coalesce(name, ''), ts, dur, parent_id FROM slice"
OPERATIONS = "SELECT s.ts, s.dur, coalesce(s.name, '') FROM slice s WHERE s.track_id NOT IN (SELECT id FROM thread_track) AND s.dur > 0"
COUNTERS = "SELECT c.ts, t.name, CAST(c.value AS DOUBLE) FROM counter c JOIN counter_track t ON t.id = c.track_id"
LONG = """
    SELECT s.ts, s.dur, s.name FROM slice s JOIN thread_track k ON k.id = s.track_id
    WHERE s.depth = 0 AND s.dur >= 50000000 ORDER BY s.dur DESC
"""
SUMS = """
    SELECT s.name, count(*) FROM slice s JOIN thread_track k ON k.id = s.track_id
    WHERE s.ts BETWEEN {} AND {} AND s.dur > 0 GROUP BY 1
"""


def made(path, deepest):
    """Slices in slices on four threads, long ones among them, operations, arrows and a counter."""
    dice, events = random.Random(44), []

    def nested(tid, start, end, depth):
        while end - start > 8 and depth < deepest:
            first = start + dice.randrange(1, 4)
            last = dice.randrange(first + 1, end) if dice.random() < 0.9 else end - 1
            events.append({"ph": "X", "name": f"work {dice.randrange(9)}", "cat": "app", "pid": 1, "tid": tid, "ts": first, "dur": last - first})
            nested(tid, first, last, depth + 1)
            start = last + dice.randrange(1, 5)

    for tid in range(1, 5):
        for at in range(0, 400_000, 100_000):
            nested(tid, at + tid, at + dice.randrange(20, 90_000), 0)
    for id in range(20):
        begin = dice.randrange(300_000)
        events.append({"ph": "b", "name": f"load {id}", "cat": "net", "id": id, "pid": 1, "tid": 1, "ts": begin})
        events.append({"ph": "e", "name": f"load {id}", "cat": "net", "id": id, "pid": 1, "tid": 1, "ts": begin + 1 + dice.randrange(50_000)})
        one, other = sorted(dice.sample([event for event in events if event["ph"] == "X"], 2), key=lambda event: event["ts"])
        for ph, of in (("s", one), ("f", other)):
            events.append({"ph": ph, "bp": "e", "name": "arrow", "cat": "f", "id": id, "pid": 1, "tid": of["tid"], "ts": of["ts"]})
        events.append({"ph": "C", "name": "memory", "pid": 1, "ts": 20_000 * id, "args": {"used": dice.randrange(1000)}})
    path.write_text(json.dumps({"traceEvents": sorted(events, key=lambda event: event["ts"])}))
    return path


@pytest.fixture(scope="module", params=["chromium", "node26", "deep", "flat"])
def trace(request, tmp_path_factory):
    if request.param in ("deep", "flat"):
        return made(tmp_path_factory.mktemp("trace") / "made.json", 6 if request.param == "deep" else 3)
    return CORPUS / "traces" / f"{request.param}.trace.json.gz"


@pytest.fixture(scope="module")
def opened(trace):
    with serving(trace) as served:
        wait_until(lambda: ask(served, "status")["stage"] == "ready", served)
        yield served


@pytest.fixture(scope="module")
def numbers(opened):
    """Of all slices and operations."""
    total, found = None, []
    while total is None or len(found) < total:
        slices = ask(opened, "find", text="", offset=len(found), top=1000)["slices"]
        total = slices["total"]
        found += [row["slice"] for row in slices["rows"]]
    return found


def start_of(opened):
    return ask(opened, "tracks")["start_ns"]


def test_slices_are_those_of_perfetto(trace, opened, numbers):
    known, operations = map(Counter, perfetto(trace, SLICES, OPERATIONS))
    start, seen = start_of(opened), Counter()
    for number in random.Random(44).sample(numbers, min(400, len(numbers))):
        answer = ask(opened, "slice", slice=number)
        of = answer["slice"]
        dur = -1 if of["duration_ns"] is None else of["duration_ns"]
        assert of["ts_ns"] == of["start_ns"] + start
        if of["is_operation"]:
            assert dur <= 0 or operations[(str(of["ts_ns"]), str(dur), of["name"] or "")], of
            continue
        parent = answer["above"][0]["name"] if answer["above"] else ""
        own = "" if of["self_time_ns"] is None else of["self_time_ns"]
        row = (of["ts_ns"], dur, of["name"] or "", of["category"] or "", of["depth"], of["tid"], parent or "", own)
        seen[tuple(map(str, row))] += 1
    # The trace of Node has operations above all.
    assert seen.total() >= (20 if "node" in trace.name else 200)
    assert not seen - known, (seen - known).most_common(3)


def test_arrows_are_those_of_perfetto(trace, opened, numbers):
    if len(numbers) >= 3000:
        pytest.skip("too many slices to ask about: the flat one has arrows, too")
    flows, slices = perfetto(trace, FLOWS, PARENTS)
    slices = {id: row for id, *row in slices}

    def lasting(id):
        """The slice around an instant, which is a slice to Perfetto."""
        while id is not None and slices[id][2] == "0":
            id = slices[id][3]
        return id

    ends = [(lasting(out), lasting(into)) for out, into in flows]
    expected = Counter((*slices[out][:2], *slices[into][:2]) for out, into in ends if out and into and out != into)
    start, found = start_of(opened), Counter()
    for number in numbers:
        answer = ask(opened, "slice", slice=number, top=1000)
        of = answer["slice"]
        for to in answer["flows_out"]["rows"]:
            found[(of["name"], str(of["ts_ns"]), to["name"], str(to["start_ns"] + start))] += 1
    assert found == expected


def test_counters_are_those_of_perfetto(trace, opened):
    [expected] = perfetto(trace, COUNTERS)
    tracks = [track for track in ask(opened, "tracks")["tracks"] if track["kind"] == "counter"]
    assert sum(track["count"] for track in tracks) == len(expected)
    duration, start = ask(opened, "tracks")["duration_ns"], start_of(opened)
    known = {(int(ts), float(value)) for ts, _, value in expected}
    for track in tracks:
        [drawn] = ask(opened, "drawn", tracks=track["track"], to=duration + 1, width=16384)["tracks"]
        values = drawn["values"]
        assert {value for name in ("least", "most", "last") for value in values[name]} <= {value for _, value in known}
        assert {at + start for at in values["start"]} <= {at for at, _ in known}


def test_long_tasks_are_those_of_perfetto(trace, opened):
    [expected] = perfetto(trace, LONG)
    start = start_of(opened)
    tasks = ask(opened, "long_tasks", top=1000)["tasks"]["rows"]
    found = [(str(row["start_ns"] + start), str(row["duration_ns"]), row["name"]) for row in tasks]
    assert sorted(found) == sorted(expected)


def test_sums_of_a_time_are_those_of_perfetto(trace, opened):
    start, duration = start_of(opened), ask(opened, "tracks")["duration_ns"]
    for begin, end in ((0, duration), (duration // 4, duration // 2)):
        [expected] = perfetto(trace, SUMS.format(start + begin, start + end))
        area = ask(opened, "area", **{"from": begin, "to": end}, top=1000)["slices"]["rows"]
        counts = Counter()
        for row in area:
            # What takes no time is an instant to Perfetto.
            if row["longest_ns"]:
                counts[row["name"]] += row["count"]
        expected = {name: int(count) for name, count in expected}
        assert set(counts) == set(expected)
        assert all(counts[name] >= expected[name] for name in expected)
