"""Writes corpus/profiles/: invented profiles of a few nodes, each in the layout of a producer that is not at hand.

usage: python3 corpus/generate/profiles.py [FOLDER]
"""

import json
import sys
from pathlib import Path

ROOT, PROGRAM, IDLE, MAIN, LEFT, RIGHT, LEAF = range(1, 8)
PARENTS = {PROGRAM: ROOT, IDLE: ROOT, MAIN: ROOT, LEFT: MAIN, RIGHT: MAIN, LEAF: RIGHT}
NAMES = {
    ROOT: "(root)", PROGRAM: "(program)", IDLE: "(idle)", MAIN: "main", LEFT: "",
    RIGHT: "é\u2028\U0001f600 \"quoted\" \\ }", LEAF: "deep",
}  # fmt: skip
SAMPLES = [PROGRAM, MAIN, LEFT, LEFT, LEAF, LEAF, RIGHT, IDLE, LEAF, LEFT, MAIN, IDLE]
DELTAS = [120, 100, 99, 101, 100, 250, 3, 1, 1000, 90, 10, 5]
START, END = 8_000_000, 8_002_000


def frame(id):
    if id in (ROOT, PROGRAM, IDLE):
        return {"functionName": NAMES[id], "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1}
    url = "file:///app/{left}.js" if id == LEFT else "node:internal/main"
    return {"functionName": NAMES[id], "scriptId": str(10 + id), "url": url, "lineNumber": 3 * id, "columnNumber": id}


def children(id):
    return [child for child, parent in PARENTS.items() if parent == id]


def node(id, **more):
    made = {"id": id, "callFrame": frame(id), "hitCount": SAMPLES.count(id)}
    if children(id):
        made["children"] = children(id)
    return made | more


def current(**more):
    nodes = [node(id) for id in NAMES]
    nodes[LEAF - 1]["positionTicks"] = [{"line": 22, "ticks": 2}, {"line": 23, "ticks": 1}]
    nodes[LEFT - 1]["deoptReason"] = "no reason"
    return {"nodes": nodes, "startTime": START, "endTime": END, "samples": SAMPLES, "timeDeltas": DELTAS} | more


def parents():
    """As in chunks of traces: parents instead of children, numbers as script ids, no hit counts, lines of samples."""
    profile = current(lines=[0, 5, 9, 9, 22, 22, 18, 0, 23, 9, 5, 0])
    for made in profile["nodes"]:
        for key in ("children", "hitCount", "positionTicks"):
            made.pop(key, None)
        made["callFrame"]["scriptId"] = int(made["callFrame"]["scriptId"])
        if made["id"] in PARENTS:
            made["parent"] = PARENTS[made["id"]]
    return profile


def native():
    """V8's own serializer: other order of keys, -1 as 4294967295, times cut to 32 bits, a delta of -40."""
    nodes = []
    for made in current()["nodes"]:
        f = made["callFrame"]
        wrap = lambda n: n % 2**32
        nodes.append({
            "id": made["id"], "hitCount": made["hitCount"],
            "callFrame": {
                "functionName": f["functionName"], "lineNumber": wrap(f["lineNumber"]),
                "columnNumber": wrap(f["columnNumber"]), "scriptId": int(f["scriptId"]), "url": f["url"],
            },
            "children": children(made["id"]),
        })  # fmt: skip
    deltas = DELTAS[:5] + [2**32 - 40] + DELTAS[6:]
    return {"nodes": nodes, "startTime": 2**32 - 500, "endTime": 3000, "samples": SAMPLES, "timeDeltas": deltas}


def nested(id=ROOT):
    """The form of v8-profiler and node-inspector: lines from 1, seconds, timestamps."""
    f = frame(id)
    return {
        "functionName": f["functionName"], "url": f["url"], "lineNumber": f["lineNumber"] + 1, "callUID": 100 + id,
        "bailoutReason": "" if id != LEFT else "Optimized too many times", "id": id, "scriptId": int(f["scriptId"]),
        "hitCount": SAMPLES.count(id), "children": [nested(child) for child in children(id)],
    }  # fmt: skip


def old(**more):
    times, now = [], START
    for delta in DELTAS:
        now += delta
        times.append(now)
    profile = {"typeId": "CPU", "uid": "1", "title": "Profile 1", "head": nested(), "startTime": START / 1e6}
    return profile | {"endTime": END / 1e6, "samples": SAMPLES, "timestamps": times} | more


def vscode():
    profile = current()
    for i, made in enumerate(profile["nodes"]):
        made["locationId"] = i
    return profile | {"$vscode": {"rootPath": "/app", "locations": [{"callFrame": frame(ROOT), "locations": []}]}}


def ark():
    """Suffixes of state, module names, children always, totals by state."""
    profile = current(startTime=START, endTime=START + sum(DELTAS))
    for made in profile["nodes"]:
        made.setdefault("children", [])
        made["callFrame"]["moduleName"] = "entry" if made["id"] > IDLE else ""
    profile["nodes"][LEAF - 1]["callFrame"]["functionName"] += "(NAPI)"
    states = ["gcTime", "cInterpreterTime", "asmInterpreterTime", "aotTime", "builtinTime", "napiTime"]
    states += ["arkuiEngineTime", "runtimeTime", "otherTime"]
    return {"tid": 4711} | {state: 11 * i for i, state in enumerate(states)} | profile


def heap(id=ROOT, ids=True):
    """A sampling heap profile."""
    made = {"callFrame": frame(id), "selfSize": 1000 * id if id > IDLE else 0}
    if ids:
        made["id"] = id
    return made | {"children": [heap(child, ids) for child in children(id)]}


HEAP_SAMPLES = [{"size": 100 * i, "nodeId": MAIN + i % 4, "ordinal": 50 - 3 * i} for i in range(1, 12)]


def trace(shift=0.0, markers=False):
    """What `Profiler.stop()` gives."""
    samples = [
        {"timestamp": -3.5, "stackId": 1},
        {"timestamp": 12.299999952316284},
        {"timestamp": 22.5, "stackId": 3},
        {"timestamp": 32, "stackId": 3},
        {"timestamp": 43.75, "stackId": 0},
        {"timestamp": 5e1, "stackId": 2},
    ]
    for i, sample in enumerate(samples):
        sample["timestamp"] += shift
        if markers and i % 2:
            sample["marker"] = ["script", "gc", "style"][i // 2]
    return {
        "frames": [
            {"name": "Profiler"},
            {"column": 27, "line": 5, "name": "handleClick", "resourceId": 0},
            {"column": 17, "line": 6, "name": "is\u00e9Prime", "resourceId": 1},
            {"column": 26, "line": 15, "name": "", "resourceId": 1},
        ],
        "resources": ["https://localhost:3000/main.js", "https://localhost:3000/{generate}.js"],
        "samples": samples,
        "stacks": [{"frameId": 1}, {"frameId": 0, "parentId": 0}, {"frameId": 3, "parentId": 0}, {"frameId": 2, "parentId": 2}],
    }  # fmt: skip


def beacon():
    """The envelope of a RUM product: clocks, session, tasks."""
    clocks = lambda at: {"relative": at, "timeStamp": 1_700_000_000_000 + at}
    return {
        "event": {
            "application": {"id": "app"}, "session": {"id": "s-1"}, "family": "chrome", "format": "json",
            "_dd": {"clock_drift": -3}, "attachments": ["wall-time.json"],
        },
        "trace": trace(), "startClocks": clocks(10), "endClocks": clocks(60), "clocksOrigin": clocks(0.5),
        "sampleInterval": 10, "longTasks": [{"id": "1", "duration": 51}], "views": [],
    }  # fmt: skip


def sorted_keys(value):
    if isinstance(value, dict):
        return {key: sorted_keys(value[key]) for key in sorted(value)}
    return [sorted_keys(item) for item in value] if isinstance(value, list) else value


def unsorted():
    """Deltas that go back in time, as V8 writes them now and then."""
    return current(timeDeltas=[120, 100, -50, 101, 100, -251, 300, 1, 1000, -90, 10, 5])


def recursive(depth=3000):
    """Deeper than any parser that recurses."""
    head = None
    for i in range(depth, 0, -1):
        made = {"functionName": "f", "url": "f.js", "lineNumber": 1, "id": i, "scriptId": 1, "hitCount": 1}
        head = made | {"children": [head] if head else []}
    return {"head": head, "startTime": 1.5, "endTime": 2.5, "samples": [depth, 1], "timestamps": [1_600_000, 1_700_000]}


def dumps(value, **how):
    """Without recursion, unlike json.dumps."""
    try:
        return json.dumps(value, **how)
    except RecursionError:
        sys.setrecursionlimit(100_000)
        return json.dumps(value, **how)


COMPACT = {"separators": (",", ":")}
FILES = {
    "current.cpuprofile": dumps(current(), **COMPACT),
    "raw-utf-8.cpuprofile": dumps(current(), ensure_ascii=False, indent=1),
    "keys-sorted.cpuprofile": dumps(sorted_keys(current()), **COMPACT),
    "parents.cpuprofile": dumps(parents(), **COMPACT),
    "native.cpuprofile": dumps(native(), **COMPACT),
    "nested.cpuprofile": dumps(old(), **COMPACT),
    "nested-keys-sorted.cpuprofile": dumps(sorted_keys(old()), **COMPACT),
    "vscode.cpuprofile": dumps(vscode(), **COMPACT),
    "ark.cpuprofile": dumps(ark(), **COMPACT),
    "unsorted.cpuprofile": dumps(unsorted(), **COMPACT),
    "response.cpuprofile": dumps({"id": 3, "result": {"profile": current()}}, **COMPACT),
    "no-samples.cpuprofile": dumps({"nodes": current()["nodes"]}, **COMPACT),
    "recursive.cpuprofile": dumps(recursive(), **COMPACT),
    "current.heapprofile": dumps({"head": heap(), "samples": HEAP_SAMPLES}, **COMPACT),
    "samples-first.heapprofile": dumps({"samples": HEAP_SAMPLES, "head": sorted_keys(heap())}, indent=1),
    "no-ids.heapprofile": dumps({"head": heap(ids=False)}, **COMPACT),
    "bare.selfprofile.json": dumps(trace(), **COMPACT),
    "markers-pretty.selfprofile.json": dumps(sorted_keys(trace(1000.25, markers=True)), indent=2),
    "envelope.selfprofile.json": dumps({"duration": 61.5, "trace": trace()}, **COMPACT),
    "beacon.selfprofile.json": dumps(beacon(), **COMPACT),
    "array.selfprofile.json": dumps([beacon(), {"ping": 1}, {"a": {"b": trace(5)}}], **COMPACT),
    "lines.selfprofile.json": "".join(dumps({"n": i, "trace": trace(i)}, **COMPACT) + "\n" for i in range(40)),
    "empty.selfprofile.json": '{"frames":[],"resources":[],"samples":[],"stacks":[]}',
}


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[1] / "profiles")
    folder.mkdir(exist_ok=True)
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
