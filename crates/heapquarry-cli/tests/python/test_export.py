"""Profiles for viewers: the same stacks and weights as the tables have."""

import json
from collections import Counter

import oracle_cpu
import oracle_heap_profile
import pytest
from conftest import CORPUS, heapquarry

CPU = [CORPUS / "profiles" / f"{name}.cpuprofile" for name in ("current", "nested", "unsorted", "parents", "ark")]
HEAP = [CORPUS / "profiles" / "current.heapprofile", CORPUS / "profiles" / "no-ids.heapprofile"]


def nodes(path):
    profile = oracle_cpu.read(path)
    if path in HEAP:
        made = oracle_heap_profile.tables(profile, "")["js_heap_sampling_node"]
        return made | {"weight": made["self_size"]}, None
    made = oracle_cpu.tables(profile, "")
    return made["js_cpu_profiler_node"] | {"weight": made["js_cpu_profiler_node"]["self_time_us"]}, made[
        "js_cpu_profiler_sample"
    ]


def stack(made, node):
    names = []
    while node >= 0:
        names.append(made["function_name"][node] or "(anonymous)")
        node = made["parent_index"][node]
    return tuple(reversed(names))


@pytest.mark.parametrize("path", CPU + HEAP, ids=lambda p: p.name)
def test_collapsed(path):
    made, _ = nodes(path)
    expected = Counter()
    for node, weight in enumerate(made["weight"]):
        if weight > 0:
            expected[stack(made, node)] += weight
    actual = Counter()
    for line in heapquarry("export", path, "--to", "collapsed").stdout.rstrip("\n").split("\n"):
        frames, _, weight = line.rpartition(" ")
        actual[tuple(frame.rpartition(" (")[0] if frame.endswith(")") and " (" in frame else frame for frame in frames.split(";"))] += int(weight)
    assert actual == expected and actual


@pytest.mark.parametrize("path", CPU + HEAP, ids=lambda p: p.name)
def test_speedscope(path):
    made, samples = nodes(path)
    file = json.loads(heapquarry("export", path, "--to", "speedscope").stdout)
    (profile,) = file["profiles"]
    frames = file["shared"]["frames"]
    actual = [tuple(frames[frame]["name"] for frame in sample) for sample in profile["samples"]]
    if samples is None:
        rows = [(node, weight) for node, weight in enumerate(made["weight"]) if weight > 0]
    else:
        place = {id: node for node, id in reversed(list(enumerate(made["function_id"])))}
        rows = [(place[id], weight) for id, weight in zip(samples["function_id"], samples["dur_us"])]
    assert actual == [stack(made, node) for node, _ in rows]
    assert profile["weights"] == [weight for _, weight in rows]
    assert (profile["type"], profile["startValue"], profile["endValue"]) == ("sampled", 0, sum(profile["weights"]))
    assert profile["unit"] == ("bytes" if samples is None else "microseconds")
    assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert len({json.dumps(frame, sort_keys=True) for frame in frames}) == len(frames)


def test_what_is_no_profile():
    failed = heapquarry("export", CORPUS / "handmade" / "bun.heapsnapshot", "--to", "collapsed", expect=2)
    assert "expected a CPU profile, a sampling heap profile or self-profiling traces, found a heap" in failed.stderr
