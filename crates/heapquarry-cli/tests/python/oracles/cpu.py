"""What the tables must hold for a CPU profile, in plain Python.

Written from docs/profiles.md and the description of the formats, not from the Rust code, and meant to be obvious rather than
fast. It knows what a whole file means; the rows that damage leaves are written out in the tests of damage.
"""

import gzip
import json
from collections import Counter
from pathlib import Path

# What source maps tell; the oracles have none.
ORIGINALS = {
    "original_name": "text", "original_source": "text", "original_line": "int32", "original_column": "int32",
}  # fmt: skip

TABLES = {
    "js_cpu_profiler_files": {
        "file_id": "int32", "file_name": "text", "start_time_us": "int64", "end_time_us": "int64",
        "node_count": "int64", "sample_count": "int64", "hit_count": "int64", "sampled_time_us": "int64",
        "start_time_ns": "int64", "end_time_ns": "int64", "trace_file_id": "int32", "trace_event_index": "int64",
        "profile_id": "text", "pid": "int64", "pid_text": "text", "tid": "int64", "tid_text": "text",
        "time_source": "text", "untimed_sample_count": "int64",
    },
    "js_cpu_profiler_info": {"file_id": "int32", "key": "text", "int_value": "int64", "str_value": "text"},
    "js_cpu_profiler_node": {
        "file_id": "int32", "function_id": "int64", "function_name": "text", "script_id": "text", "url": "text",
        "line_number": "int32", "column_number": "int32", "hit_count": "int64", "parent_id": "int64", "depth": "int32",
        "deopt_reason": "text", "self_time_us": "int64", "total_time_us": "int64", "total_hit_count": "int64",
        "parent_index": "int64", "node_index": "int64", "module_name": "text",
        "code_type": "text", **ORIGINALS,
    },
    "js_cpu_profiler_sample": {
        "file_id": "int32", "sample_index": "int64", "function_id": "int64", "ts_us": "int64", "delta_us": "int64",
        "dur_us": "int64", "line_number": "int32", "column_number": "int32",
    },
    "js_cpu_profiler_tick": {"file_id": "int32", "function_id": "int64", "line_number": "int32", "ticks": "int64"},
    "js_cpu_profiler_trace_id": {"file_id": "int32", "trace_id": "int64", "function_id": "int64"},
}  # fmt: skip


def read(path):
    """A profile as Python values."""
    data = Path(path).read_bytes()
    if data.startswith(b"\x1f\x8b"):
        data = gzip.decompress(data)
    profile = json.loads(data.decode("utf-8-sig"))
    for key in ("result", "profile"):
        profile = profile.get(key, profile)
    return profile


def originals(count):
    return {column: [None] * count for column in ORIGINALS}


def flatten(head):
    """The nodes of a nested profile, each before those in it, and the position of what each is in."""
    nodes, todo = [], [(head, -1)]
    while todo:
        node, parent = todo.pop()
        todo += [(child, len(nodes)) for child in reversed(node.get("children", []))]
        nodes.append((node, parent))
    return nodes


def microseconds(value, nested):
    return None if value is None else round(value * 1_000_000) if nested else round(value)


def signed(value):
    """A number that was written with 32 bits and no sign."""
    return value - 2**32 if value is not None and 2**31 <= value < 2**32 else value


def tables(profile, name, file_id=0, origin=None):
    """`origin`: the columns that say where in a trace it is."""
    nested = "head" in profile
    if nested:
        nodes = flatten(profile["head"])
    else:
        nodes = [(node, -1) for node in profile["nodes"]]
    parents = [parent for _, parent in nodes]
    nodes = [node for node, _ in nodes]
    place = {}
    for i, node in enumerate(nodes):
        place.setdefault(node["id"], i)
    if not nested:
        for i, node in enumerate(nodes):
            for child in node.get("children", []):
                parents[place[child]] = i
            if "parent" in node:
                parents[i] = place[node["parent"]]

    frames = [dict(node if nested else node["callFrame"]) for node in nodes]
    wrapped = any(frame.get(k) == 2**32 - 1 for frame in frames for k in ("lineNumber", "columnNumber"))
    for frame in frames:
        for key in ("lineNumber", "columnNumber"):
            if key in frame:
                frame[key] = signed(frame[key]) - (1 if nested else 0)

    start, end = (microseconds(profile.get(key), nested) for key in ("startTime", "endTime"))
    if wrapped and end is not None and end < start:
        end += 2**32
    ids = profile.get("samples", [])
    if "timestamps" in profile:
        times = profile["timestamps"]
        before = [start, *times]
        deltas = [None if a is None else b - a for a, b in zip(before, times)]
    else:
        deltas = [signed(d) if wrapped else d for d in profile.get("timeDeltas", [])]
        times, now = [], start or 0
        for delta in deltas:
            now += delta
            times.append(now)
    # A time without a sample ends the last one.
    last_end = times[len(ids)] if len(times) > len(ids) else end
    has_times = any(time is not None for time in times)
    deltas, times = ((column + [None] * len(ids))[: len(ids)] for column in (deltas, times))
    # Without times, the time from start to end is shared out evenly.
    source = None
    if has_times:
        source = "timestamps" if "timestamps" in profile else "timeDeltas"
    hits = [node.get("hitCount") for node in nodes]
    parts = len(ids) or sum(count or 0 for count in hits)
    spread = lambda part: start + (end - start) * part // parts
    if source is None and parts and start is not None and end is not None and end > start:
        source = "samples" if ids else "hits"
    # To the next in order of time.
    order = sorted((i for i in range(len(ids)) if times[i] is not None), key=lambda i: times[i])
    durations = [None] * len(ids)
    if source == "samples":
        times = [spread(i) for i in range(len(ids))]
        order, last_end = list(range(len(ids))), end
    for i, following in zip(order, order[1:]):
        durations[i] = times[following] - times[i]
    if order and last_end is not None:
        durations[order[-1]] = max(0, last_end - times[order[-1]])

    if all(count is None for count in hits):
        counted = Counter(ids)
        hits = [counted[node["id"]] if place[node["id"]] == i else 0 for i, node in enumerate(nodes)]
    self_times = [0] * len(nodes)
    for id, duration in zip(ids, durations):
        self_times[place[id]] += duration or 0
    if source == "hits":
        before = 0
        for i, count in enumerate(hits):
            self_times[i] = spread(before + (count or 0)) - spread(before)
            before += count or 0

    def above(i):
        while i >= 0:
            yield i
            i = parents[i]

    total_times, total_hits = [0] * len(nodes), [0] * len(nodes)
    for i in range(len(nodes)):
        for j in above(i):
            total_times[j] += self_times[i]
            total_hits[j] += hits[i] or 0

    known = {"nodes", "head", "samples", "timeDeltas", "timestamps", "startTime", "endTime", "lines", "columns",
             "trace_ids", "$vscode"}
    facts = [(k, v) for k, v in profile.items() if k not in known and not isinstance(v, (dict, list))]
    script_id = [frame.get("scriptId") for frame in frames]
    if origin is None:
        columns = ["trace_file_id", "trace_event_index", "profile_id", "pid", "pid_text", "tid", "tid_text"]
        # Only containers and traces tell.
        origin = dict.fromkeys(["start_time_ns", "end_time_ns", *columns])
    made = {
        "js_cpu_profiler_files": {
            "file_name": [name], "start_time_us": [start], "end_time_us": [end], "node_count": [len(nodes)],
            "sample_count": [len(ids)], "hit_count": [sum(h or 0 for h in hits)],
            "sampled_time_us": [sum(self_times) if source == "hits" else sum(d or 0 for d in durations)],
            "time_source": [source],
            "untimed_sample_count": [max(0, durations.count(None) - (end is None))],
            **{column: [value] for column, value in origin.items()},
        },
        "js_cpu_profiler_info": {
            "key": [k for k, _ in facts],
            "int_value": [v if isinstance(v, int) else None for _, v in facts],
            "str_value": [None if isinstance(v, int) else v for _, v in facts],
        },
        "js_cpu_profiler_node": {
            "function_id": [node["id"] for node in nodes],
            "function_name": [frame.get("functionName") for frame in frames],
            "script_id": [None if id is None else str(id) for id in script_id],
            "url": [frame.get("url") for frame in frames],
            "line_number": [frame.get("lineNumber") for frame in frames],
            "column_number": [frame.get("columnNumber") for frame in frames],
            "hit_count": hits,
            "parent_id": [-1 if p < 0 else nodes[p]["id"] for p in parents],
            "depth": [len(list(above(i))) - 1 for i in range(len(nodes))],
            "deopt_reason": [node.get("deoptReason", node.get("bailoutReason")) for node in nodes],
            "self_time_us": self_times, "total_time_us": total_times, "total_hit_count": total_hits,
            "parent_index": parents, "node_index": list(range(len(nodes))),
            "module_name": [frame.get("moduleName") for frame in frames],
            "code_type": [frame.get("codeType") for frame in frames],
            **originals(len(nodes)),
        },
        "js_cpu_profiler_sample": {
            "sample_index": list(range(len(ids))), "function_id": ids, "ts_us": times, "delta_us": deltas,
            "dur_us": durations, "line_number": profile.get("lines", [None] * len(ids)),
            "column_number": profile.get("columns", [None] * len(ids)),
        },
        "js_cpu_profiler_tick": {
            "function_id": [n["id"] for n in nodes for _ in n.get("positionTicks", [])],
            "line_number": [t["line"] for n in nodes for t in n.get("positionTicks", [])],
            "ticks": [t["ticks"] for n in nodes for t in n.get("positionTicks", [])],
        },
        "js_cpu_profiler_trace_id": {
            "trace_id": [int(id) for id in profile.get("trace_ids", {})],
            "function_id": list(profile.get("trace_ids", {}).values()),
        },
    }  # fmt: skip
    for columns in made.values():
        columns["file_id"] = [file_id] * len(next(iter(columns.values())))
    return made


def tracestreamer_samples(profile):
    """TraceStreamer's rule: function, start, end and duration in ns of each run of one node."""
    start, ids, deltas = profile["startTime"], profile["samples"], profile["timeDeltas"]
    rows, now = [], start
    for i, id in enumerate(ids):
        following = now + (deltas[i + 1] if i + 1 < len(ids) else 0)
        if rows and rows[-1][0] == id:
            rows[-1][2] = following
        else:
            rows.append([id, now, following])
        now = following
    return [(id, a * 1000, b * 1000, (b - a) * 1000) for id, a, b in rows]


def in_trace(events):
    """The profiles in a trace: of each its name, the profile as if it were a file of its own, and where it comes from."""
    found, open_ones = [], {}
    order = sorted(range(len(events)), key=lambda i: float(events[i].get("ts", 0)))
    for i in order:
        e = events[i]
        data = e.get("args", {}).get("data", {}) if isinstance(e.get("args"), dict) else {}
        key = (e.get("pid"), e.get("id"))
        if e.get("name") == "CpuProfile":
            found.append({"first": i, "head": i, "key": key, "profile": data["cpuProfile"]})
        elif e.get("ph") == "P" and e.get("name") in ("Profile", "ProfileChunk"):
            is_head = e["name"] == "Profile"
            one = open_ones.get(key)
            if one is None or (is_head and one["head"] is not None):
                one = open_ones[key] = {"first": i, "head": None, "key": key, "chunks": []}
                found.append(one)
            one["first"] = min(one["first"], i)
            if is_head:
                one["head"] = i
                one["chunks"].insert(0, data)
            else:
                one["chunks"].append(data)
    found.sort(key=lambda one: one["first"])
    return [(profile_name(one), *joined(one, events)) for one in found]


def profile_name(one):
    pid, id = one["key"]
    return "CPU profile" + (f" {id}" if id is not None else "") + (f" of process {pid}" if pid is not None else "")


def joined(one, events):
    head = events[one["head"]] if one["head"] is not None else {}
    pid, id = one["key"]
    tid = head.get("tid")
    profile = one.get("profile") or put_together(one["chunks"])
    start_ns = None
    if "chunks" in one:
        facts = {key: profile[key] for key in ("startTime", "endTime") if key in profile}
        if head:
            start_ns = round(float(head["ts"]) * 1000)
            if "endTime" in profile:
                profile["endTime"] = start_ns // 1000 + profile["endTime"] - profile["startTime"]
            profile["startTime"] = start_ns // 1000
            profile |= {f"{key}\0": value for key, value in facts.items()}
    else:
        start_ns = profile["startTime"] * 1000
    end = profile.get("endTime")
    text = lambda value: value if isinstance(value, str) else None
    number = lambda value: value if isinstance(value, int) else None
    return profile, {
        "start_time_ns": start_ns,
        "end_time_ns": None if start_ns is None or end is None else start_ns + (end - profile["startTime"]) * 1000,
        "trace_file_id": 0, "trace_event_index": one["head"], "profile_id": id,
        "pid": number(pid), "pid_text": text(pid), "tid": number(tid), "tid_text": text(tid),
    }  # fmt: skip


def put_together(chunks):
    whole = {"nodes": [], "samples": [], "timeDeltas": [], "trace_ids": {}}
    positions = {key for chunk in chunks for key in ("lines", "columns") if key in chunk}
    for chunk in chunks:
        part = {**chunk, **chunk.get("cpuProfile", {})}
        samples = part.pop("samples", [])
        # What a chunk does not say is not known.
        for key in ["timeDeltas", *positions]:
            values = part.pop(key, [])
            before = whole.setdefault(key, [None] * len(whole["samples"]))
            before += values + [None] * (len(samples) - len(values))
        whole["samples"] += samples
        whole["nodes"] += part.pop("nodes", [])
        whole["trace_ids"] |= part.pop("trace_ids", {})
        whole |= part
    return whole
