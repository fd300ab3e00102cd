"""Profiles for viewers: the same stacks and weights as the tables have."""

import json
import shutil
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from conftest import CORPUS, binary, convert, heapquarry
from oracles import cpu as oracle_cpu
from oracles import heap_profile as oracle_heap_profile

NODE = shutil.which("node")
HERE = Path(__file__).parent

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


def in_trace(name, pid, tid=7, id="0x1", samples=(2, 3, 2), deltas=(10, 20, 30)):
    """The events of a profile from 100 to 200 us; without a thread that which begins it is lost."""
    begin = {"name": "Profile", "ph": "P", "ts": 100, "pid": pid, "tid": tid, "id": id, "args": {"data": {"startTime": 100}}}
    chunk = {"name": "ProfileChunk", "ph": "P", "ts": 200, "pid": pid, "tid": 9, "id": id, "args": {"data": {
        "cpuProfile": {
            "nodes": [
                {"id": 1, "callFrame": {"functionName": "(root)", "scriptId": 0}},
                {"id": 2, "parent": 1, "callFrame": {"functionName": name, "scriptId": 1, "url": "a.js", "lineNumber": 4}},
                {"id": 3, "parent": 2, "callFrame": {"functionName": "inner", "scriptId": 1, "url": "a.js", "lineNumber": 8}},
            ],
            "samples": samples,
        },
        "timeDeltas": deltas,
        "endTime": 200,
    }}}
    return [begin, chunk] if tid else [chunk]


# Threads of a process; an unknown thread of another one; one that was never sampled.
THREADS = [
    *in_trace("main", 1, deltas=(10, 20, 30)),
    *in_trace("idle", 3, samples=(), deltas=()),
    *in_trace("work", 1, tid=8, id="0x2", samples=(3, 3, 2), deltas=(1, 2, 3)),
    *in_trace("other", 2, tid=None, samples=(2,), deltas=(5,)),
]


@pytest.mark.parametrize("path", CPU + HEAP, ids=lambda p: p.name)
def test_collapsed(path):
    made, _ = nodes(path)
    expected = Counter()
    for node, weight in enumerate(made["weight"]):
        if weight > 0:
            # What would end a line is escaped.
            expected[tuple(name.replace("\u2028", "\\u{2028}") for name in stack(made, node))] += weight
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


# -------------------------------------------------------------------------------- other people's readers


@pytest.fixture(scope="session")
def read(packages):
    """Reads an exported file with the packages of package.json."""

    def read(reader, file):
        done = subprocess.run([NODE, HERE / "viewers.cjs", reader, file], cwd=packages, capture_output=True, timeout=60)
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)

    return read


def exported(source, to, path):
    done = subprocess.run([binary(), "export", source, "--to", to], capture_output=True, check=True, timeout=60)
    path.write_bytes(done.stdout)
    return path


SELF = CORPUS / "profiles" / "lines.selfprofile.json"


@pytest.mark.parametrize("path", CPU + HEAP, ids=lambda p: p.name)
def test_pprof(path, read, tmp_path):
    made, samples = nodes(path)
    file = read("pprof", exported(path, "pprof", tmp_path / "out.pprof"))
    expected = []
    for node, weight in enumerate(made["weight"]):
        values = [weight] if samples is None else [made["hit_count"][node], weight]
        if any(values):
            names = stack(made, node)
            expected.append([list(names[1:] if names[0] == "(root)" else names), values])
    assert [[[name for name, _, _ in frames], values] for frames, values in file["samples"]] == expected and expected
    types = [["space", "bytes"]] if samples is None else [["sample", "count"], ["wall", "microseconds"]]
    assert (file["types"], file["shown"], file["first"]) == (types, types[-1][0], "")
    lines = {(name, url, line) for frames, _ in file["samples"] for name, url, line in frames}
    places = zip(made["function_name"], made["url"], made["line_number"])
    assert lines <= {(name or "(anonymous)", url, max(line, -1) + 1) for name, url, line in places}
    if samples is not None:
        assert file["period"][0] == ["wall", "microseconds"] and file["nanos"] > 0


@pytest.fixture(params=["file", "tables"])
def threads(request, tmp_path):
    """A trace of several threads, as a file or as its tables."""
    source = tmp_path / "trace.json"
    source.write_text(json.dumps(THREADS))
    return source if request.param == "file" else convert(source, tmp_path / "t")


def test_pprof_tells_threads_apart(tmp_path, read, threads):
    file = read("pprof", exported(threads, "pprof", tmp_path / "out.pb.gz"))
    actual = [
        (labels, frames[-1][0], values) for (frames, values), labels in zip(file["samples"], file["labels"])
    ]
    main, work, other = ({"profile": f"CPU profile {name}"} for name in ("0x1 of process 1, thread 7", "0x2 of process 1, thread 8", "0x1 of process 2"))
    assert actual == [
        (main, "main", [2, 60]),
        (main, "inner", [1, 30]),
        (work, "work", [1, 94]),
        (work, "inner", [2, 5]),
        # Its start is lost, and with it how long the sample lasted.
        (other, "other", [1, 0]),
    ]
    # Threads were sampled side by side: what they have together is longer than the trace.
    assert (file["nanos"], file["period"]) == (100_000, [["wall", "microseconds"], (60 + 30 + 94 + 5) // 7])
    one = read("pprof", exported(f"{threads}#1", "pprof", tmp_path / "one.pb.gz"))
    assert (one["samples"], one["labels"]) == (file["samples"][:2], [{}, {}])


def test_pprof_of_tables_is_that_of_the_file(tmp_path):
    for path in [*CPU, *HEAP, SELF]:
        tables = convert(path, tmp_path / f"{path.name}.tables")
        assert exported(path, "pprof", tmp_path / "file").read_bytes() == exported(tables, "pprof", tmp_path / "tables").read_bytes()


# -------------------------------------------------------------------------------- .cpuprofile


def functions(path, *flags):
    """Self and total time of each function, without the root."""
    rows = json.loads(heapquarry("summary", path, "--json", *flags).stdout)["functions"]["rows"]
    times = {(r["function_name"], r["url"], r["line"], r["column"]): (r["self_value"], r["total_value"]) for r in rows}
    return {key: value for key, value in times.items() if key[0] != "(root)" and any(value)}


@pytest.mark.parametrize("path", CPU, ids=lambda p: p.name)
def test_cpuprofile(path, tmp_path):
    """The same stacks with the same durations, in the same order."""
    made, samples = nodes(path)
    file = json.loads(exported(path, "cpuprofile", tmp_path / "out.cpuprofile").read_text())
    by_id = {node["id"]: node for node in file["nodes"]}
    callers = {child: node["id"] for node in file["nodes"] for child in node["children"]}
    assert file["nodes"][0]["callFrame"]["functionName"] == "(root)"
    assert set(by_id) == set(callers) | {file["nodes"][0]["id"]}

    def names(id):
        above = names(callers[id]) if id in callers else ()
        return (*above, by_id[id]["callFrame"]["functionName"] or "(anonymous)")

    place = {id: node for node, id in reversed(list(enumerate(made["function_id"])))}
    expected = [stack(made, place[id]) for id in samples["function_id"]]
    actual = [names(id) for id in file["samples"]]
    assert [a[1:] if a[:1] == ("(root)",) else a for a in actual] == [e[1:] if e[:1] == ("(root)",) else e for e in expected]
    ends = [*file["timeDeltas"][1:], file["endTime"] - file["startTime"] - sum(file["timeDeltas"])]
    assert ends == samples["dur_us"] and file["timeDeltas"][0] == 0
    assert Counter(file["samples"]) == {id: node["hitCount"] for id, node in by_id.items() if node["hitCount"]}
    assert functions(tmp_path / "out.cpuprofile") == functions(path)


def test_cpuprofile_of_pprof(tmp_path):
    for path in CPU:
        again = exported(exported(path, "pprof", tmp_path / "a.pb.gz"), "cpuprofile", tmp_path / "a.cpuprofile")
        # A function of pprof has no column.
        own = [Counter(), Counter()]
        for times, file in zip(own, (again, path)):
            for (name, url, line, _), (self_time, _) in functions(file).items():
                times[name, url, line] += self_time
        assert own[0] == own[1] and own[0]


def test_cpuprofile_is_of_one_profile_of_times(threads, tmp_path):
    failed = heapquarry("export", threads, "--to", "cpuprofile", expect=2)
    assert "no single CPU profile: there are 4; choose one, such as" in failed.stderr
    one = exported(f"{threads}#1", "cpuprofile", tmp_path / "one.cpuprofile")
    assert sorted(own for own, _ in functions(one).values()) == [30, 60]
    failed = heapquarry("export", HEAP[0], "--to", "cpuprofile", expect=2)
    assert "no times in this profile" in failed.stderr


@pytest.mark.parametrize("name", ["node12", "node18", "node26"])
def test_speedscope_reads_the_cpuprofile_like_the_engines(name, read, tmp_path):
    path = CORPUS / "profiles" / f"{name}.cpuprofile"
    ours = read("speedscope", exported(path, "cpuprofile", tmp_path / "out.cpuprofile"))["profiles"]
    theirs = read("speedscope", path)["profiles"]
    assert [sorted(p["frames"]) for p in ours] == [sorted(p["frames"]) for p in theirs] and ours[0]["frames"]


@pytest.mark.parametrize("to", ["speedscope", "pprof"])
@pytest.mark.parametrize("path", [*CPU, *HEAP, SELF], ids=lambda p: p.name)
def test_speedscope_reads_it(path, to, read, tmp_path):
    """speedscope's own importer takes both formats, and adds up the same functions."""
    (file,) = read("speedscope", exported(path, to, tmp_path / f"out.{'pb.gz' if to == 'pprof' else 'json'}"))["profiles"]
    report = json.loads(heapquarry("summary", path, "--json").stdout)
    own, total = "self_value", "total_value"
    expected, actual = defaultdict(Counter), defaultdict(Counter)
    # Frames have no column there, so functions of one line may be one.
    for row in report["functions"]["rows"]:
        if row[total]:
            expected[row["function_name"], row["url"], row["line"] or 0] += Counter(own=row[own], total=row[total])
    for name, url, line, self_weight, total_weight in file["frames"]:
        if name != "(root)" and total_weight:
            actual[name, url, line] += Counter(own=self_weight, total=total_weight)
    assert actual == expected and actual
    assert file["unit"] == {"self_time_us": "microseconds", "self_size": "bytes"}.get(own, file["unit"])


def test_what_is_no_profile():
    failed = heapquarry("export", CORPUS / "handmade" / "bun.heapsnapshot", "--to", "collapsed", expect=2)
    assert "expected a CPU profile, a sampling heap profile or self-profiling traces, found a heap" in failed.stderr


def test_speedscope_has_a_profile_for_each_thread(tmp_path, read, threads):
    path = exported(threads, "speedscope", tmp_path / "out.json")
    file = json.loads(path.read_text())
    frames = [frame["name"] for frame in file["shared"]["frames"]]
    assert sorted(frames) == ["(root)", "idle", "inner", "main", "other", "work"]
    assert (file["name"], file["activeProfileIndex"]) == ("trace.json", 0)
    actual = [
        (profile["name"], [(frames[sample[-1]], weight) for sample, weight in zip(profile["samples"], profile["weights"])])
        for profile in file["profiles"]
    ]
    assert actual == [
        ("CPU profile 0x1 of process 1, thread 7", [("main", 20), ("inner", 30), ("main", 40)]),
        ("CPU profile 0x2 of process 1, thread 8", [("inner", 2), ("inner", 3), ("work", 94)]),
        ("CPU profile 0x1 of process 2", [("other", 0)]),
    ]
    assert all((p["startValue"], p["endValue"]) == (0, sum(p["weights"])) for p in file["profiles"])
    theirs = read("speedscope", path)
    assert (theirs["name"], theirs["shown"]) == ("trace.json", 0)
    assert [(p["name"], p["total"], p["unit"]) for p in theirs["profiles"]] == [
        (name, sum(weight for _, weight in samples), "microseconds") for name, samples in actual
    ]
    for theirs, (_, samples) in zip(theirs["profiles"], actual):
        own = Counter()
        for name, weight in samples:
            own[name] += weight
        own = {name: weight for name, weight in own.items() if weight}
        assert {name: weight for name, _, _, weight, _ in theirs["frames"] if weight} == own


def test_profiles_in_a_trace(tmp_path):
    """Each by its number, and without one all together, of the file as of the tables made of it."""
    trace = tmp_path / "trace.json"
    # Node 2 of either profile is another function.
    profiles = [in_trace(name, pid, deltas=(10, 20, 30 * pid)) for pid, name in ((1, "parse"), (2, "render"))]
    trace.write_text(json.dumps(sum(profiles, [])))
    tables = convert(trace, tmp_path / "t")
    stacks = {
        number: [f"(root);{name} (a.js:5) {20 + 200 - 100 - 10 - 20 - 30 * pid}", f"(root);{name} (a.js:5);inner (a.js:9) {30 * pid}"]
        for number, pid, name in (("#1", 1, "parse"), ("#2", 2, "render"))
    }
    stacks[""] = stacks["#1"] + stacks["#2"]
    for number, expected in stacks.items():
        for to in ("collapsed", "speedscope"):
            ours = heapquarry("export", f"{trace}{number}", "--to", to).stdout
            # Each names what it was made of.
            stored = heapquarry("export", f"{tables}{number}", "--to", to).stdout
            assert ours == stored
            if to == "collapsed":
                assert sorted(ours.splitlines()) == sorted(expected)
        report = json.loads(heapquarry("summary", f"{trace}{number}", "--json").stdout)
        stored = json.loads(heapquarry("summary", f"{tables}{number}", "--json").stdout)
        # Of a trace, the summary of all its profiles is a part of the answer.
        profile, stored = (answer.get("cpu_profiles", answer) for answer in (report, stored))
        assert profile["functions"] == stored["functions"]
        assert {row["function_name"]: row["self_value"] for row in profile["functions"]["rows"]}["inner"] == sum(
            int(line.rpartition(" ")[2]) for line in expected if "inner" in line
        )
    assert report["cpu_profiles"]["totals"]["profile_count"] == 2
    failed = heapquarry("export", f"{trace}#3", "--to", "collapsed", expect=2)
    assert ": #0 is trace.json, #1 is CPU profile 0x1 of process 1" in failed.stderr
    trace.write_text('[{"name": "a", "ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 1}]')
    assert "cpu_profiles" not in json.loads(heapquarry("summary", trace, "--json").stdout)
    failed = heapquarry("export", trace, "--to", "collapsed", expect=2)
    assert "no CPU profile in this trace" in failed.stderr


# -------------------------------------------------------------------------------- what changed between two profiles


def weights(path):
    """Self values by stack, with functions known by name and script, anonymous ones by place."""
    made, _ = nodes(path)
    found = Counter()
    for node, weight in enumerate(made["weight"]):
        names, at = [], node
        while at >= 0:
            name, url, line = made["function_name"][at], made["url"][at], made["line_number"][at]
            place = f" ({url})" if name else f" ({url}:{max(line, -1) + 1})"
            names.append((name or "(anonymous)") + (place if url else ""))
            at = made["parent_index"][at]
        if weight > 0:
            found[";".join(reversed(names))] += weight
    return found


@pytest.mark.parametrize("names", [("node18", "node26"), ("node26", "node18"), ("node26", "node26")])
def test_differences_of_collapsed_stacks(names, read, tmp_path):
    """As difffolded.pl has them: each stack of either profile once, its weight before and after."""
    paths = [CORPUS / "profiles" / f"{name}.cpuprofile" for name in names]
    before, after = map(weights, paths)
    expected = {stack: (before[stack], after[stack]) for stack in before | after}
    found = defaultdict(lambda: (0, 0))
    for line in heapquarry("export", *paths, "--to", "collapsed").stdout.splitlines():
        stack, was, now = line.rsplit(" ", 2)
        found[stack] = (found[stack][0] + int(was), found[stack][1] + int(now))
    assert found == expected and any(was != now for was, now in found.values()) == (names[0] != names[1])

    out = tmp_path / "out.json"
    out.write_text(heapquarry("export", *paths, "--to", "speedscope").stdout)
    file = read("speedscope", out)
    changes = [now - was for was, now in expected.values()]
    totals = [before.total(), after.total(), sum(max(c, 0) for c in changes), sum(max(-c, 0) for c in changes)]
    assert [(p["name"], p["total"]) for p in file["profiles"]] == list(zip(["before", "after", "growth", "decline"], totals))
    assert file["shown"] == 2 and all(p["unit"] == "microseconds" for p in file["profiles"])


def test_what_cannot_be_compared_for_a_viewer(tmp_path):
    cpu, heap = CORPUS / "profiles" / "node26.cpuprofile", CORPUS / "profiles" / "node26.heapprofile"
    failed = heapquarry("export", cpu, heap, "--to", "collapsed", expect=2)
    assert "cannot compare a CPU profile with a sampling heap profile" in failed.stderr
    failed = heapquarry("export", cpu, cpu, "--to", "pprof", expect=2)
    assert "only collapsed and speedscope" in failed.stderr


@pytest.mark.parametrize("to", ["collapsed", "speedscope", "pprof"])
def test_a_profile_of_nothing_is_told(to, tmp_path):
    """An empty file would look like a viewer's fault."""
    source = tmp_path / "empty.heapprofile"
    frame = {"functionName": "(root)", "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1}
    source.write_text(json.dumps({"head": {"callFrame": frame, "selfSize": 0, "id": 1, "children": []}, "samples": []}))
    for args in ([source], [source, source][: 1 if to == "pprof" else 2]):
        failed = heapquarry("export", *args, "--to", to, expect=2)
        assert failed.stdout == "" and "no sample to show: every weight in this profile is 0" in failed.stderr
