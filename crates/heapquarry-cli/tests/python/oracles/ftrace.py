"""Ftrace text, read the slow way: a regular expression, line by line."""

import re
from decimal import Decimal

TABLES = {
    "ftrace_event": {
        "file_id": "int32", "event_index": "int64", "byte_offset": "int64", "ts": "int64", "cpu": "int32", "comm": "text",
        "tid": "int64", "tgid": "int64", "flags": "text", "name": "text", "args": "text",
    },
    "sched": {
        "file_id": "int32", "id": "int64", "ts": "int64", "dur": "int64", "cpu": "int32", "utid": "int64", "end_state": "text",
        "priority": "int64", "ucpu": "int32", "tid": "int64",
    },
    "thread_state": {
        "file_id": "int32", "id": "int64", "ts": "int64", "dur": "int64", "cpu": "int32", "utid": "int64", "state": "text",
        "io_wait": "int32", "blocked_function": "text", "waker_utid": "int64", "ucpu": "int32", "tid": "int64",
    },
    "thread": {
        "file_id": "int32", "utid": "int64", "tid": "int64", "tid_text": "text", "name": "text", "start_ts": "int64",
        "end_ts": "int64", "upid": "int64", "is_main_thread": "int32", "sort_index": "int64",
    },
    "process": {
        "file_id": "int32", "upid": "int64", "pid": "int64", "pid_text": "text", "name": "text", "start_ts": "int64",
        "end_ts": "int64", "labels": "text", "sort_index": "int64",
    },
    "slice": {
        "file_id": "int32", "id": "int64", "ts": "int64", "dur": "int64", "track_id": "int64", "category": "text", "name": "text",
        "depth": "int32", "parent_id": "int64", "arg_set_id": "int64", "utid": "int64", "ending": "label", "end_event_index": "int64",
    },
    "async_slice": {
        "file_id": "int32", "id": "int64", "ts": "int64", "dur": "int64", "category": "text", "name": "text", "depth": "int32",
        "parent_id": "int64", "utid": "int64", "upid": "int64", "ending": "label", "end_event_index": "int64",
    },
    "instant": {
        "file_id": "int32", "id": "int64", "ts": "int64", "track_id": "int64", "name": "text", "utid": "int64", "upid": "int64",
        "scope": "label", "slice_id": "int64",
    },
    "counter": {"file_id": "int32", "id": "int64", "ts": "int64", "value": "float64", "int_value": "int64", "event_index": "int64"},
    "clock_sync": {"file_id": "int32", "id": "int64", "ts": "int64", "sync_id": "text", "other_ts": "int64"},
}  # fmt: skip

ROW = re.compile(
    r"^[ \t]*(?P<comm>[^ \t]|[^ \t].*?)-(?P<tid>\d+)[ \t]*(?:\([ \t]*(?P<tgid>\d+|-+)\)[ \t]*)?\[(?P<cpu>\d+)\][ \t]*"
    r"(?:(?P<flags>[^ \t]{1,16})[ \t]+)?(?P<ts>\d+\.\d{1,9}):(?:[ \t]+(?P<rest>.*))?$",
    re.ASCII | re.DOTALL,
)
NAME = re.compile(r"^(?P<name>[^ \t]+):(?:[ \t](?P<args>.*))?$", re.DOTALL)


def lines(data, ending=b"\n"):
    """(offset, content) of each line."""
    at = 0
    for line in data.split(ending):
        yield at, line
        at += len(line) + len(ending)


def rows(lines, file_id=0):
    """Columns of ftrace_event, and the lines that are none."""
    columns, unknown = {name: [] for name in TABLES["ftrace_event"]}, []
    for number, (offset, line) in enumerate(lines):
        text = line.decode("utf-8", "replace")
        for ending in ("\r", "\\n\\", "\\n"):
            text = text.removesuffix(ending)
        blank = text.strip(" \t")
        if not blank or blank.startswith("#") or blank == "TRACE:" or re.fullmatch(r"CPU:\d+ \[LOST (\d+ )?EVENTS\]", blank):
            continue
        match = ROW.match(text)
        if not match:
            unknown.append(offset)
            continue
        rest = match["rest"] or ""
        named = NAME.match(rest)
        values = {
            "file_id": file_id, "event_index": number, "byte_offset": offset, "ts": int(Decimal(match["ts"]) * 10**9),
            "cpu": int(match["cpu"]), "comm": match["comm"], "tid": int(match["tid"]),
            "tgid": int(match["tgid"]) if (match["tgid"] or "-")[0] != "-" else None, "flags": match["flags"],
            "name": named["name"] if named else None, "args": (named["args"] or "") if named else rest,
        }  # fmt: skip
        for name, value in values.items():
            columns[name].append(value)
    return columns, unknown


SWITCH = re.compile(
    r"prev_comm=(?P<prev_comm>.*) prev_pid=(?P<prev>\d+) prev_prio=-?\d+ prev_state=(?P<state>\S+) ==> "
    r"next_comm=(?P<next_comm>.*) next_pid=(?P<next>\d+) next_prio=(?P<prio>-?\d+).*",
)
WAKE = re.compile(r"comm=(?P<comm>.*) pid=(?P<tid>\d+) prio=.*")
BLOCKED = re.compile(r"pid=(?P<tid>\d+) iowait=(?P<iowait>\d+) caller=(?P<function>.*)")


MARKS = {
    "B": re.compile(r"(?P<name>[^|]*)\|(?:[^|;]*=[^|;]*(?:;[^|;]*=[^|;]*)*)?\|(?P<category>[^|]*)|(?P<whole>.*)"),
    "E": re.compile(r".*"),
    "S": re.compile(r"(?P<name>[^|]*)\|(?P<cookie>[^|]*)"),
    "F": re.compile(r"(?P<name>[^|]*)\|(?P<cookie>[^|]*)"),
    "G": re.compile(r"(?P<track>[^|]*)\|(?P<name>[^|]*)\|(?P<cookie>[^|]*)"),
    "H": re.compile(r"(?P<track>[^|]*)\|(?:(?P<name>[^|]*)\|)?(?P<cookie>[^|]*)"),
    "I": re.compile(r"(?P<name>.*)"),
    "N": re.compile(r"(?P<track>[^|]*)\|(?P<name>.*)"),
    "C": re.compile(r"(?P<name>[^|]*)\|(?P<value>-?\d+(\.\d+)?)"),
}
MARK = re.compile(r"(?P<ph>[BSFGHINC])\|(?P<pid>\d*)\|(?P<rest>.*)|(?P<end>E)(\|(?P<end_pid>\d*).*)?")


def mark(event):
    """(phase, pid, fields) of a row that marks something."""
    if event["name"] not in ("tracing_mark_write", "print", "0") or not (match := MARK.fullmatch(event["args"])):
        return None
    if match["end"]:
        return "E", int(match["end_pid"] or 0), {}
    fields = MARKS[match["ph"]].fullmatch(match["rest"])
    if not fields:
        return None
    found = fields.groupdict()
    if found.get("whole") is not None:
        found["name"] = found["whole"]
    return match["ph"], int(match["pid"] or 0), found


def marked(events, utids, pid_of, upids):
    """The tables that marks fill."""
    slices, operations, instants, counters, syncs = [], [], [], [], []
    stacks, running = {}, {}
    for event in sorted(events, key=lambda event: event["ts"]):
        id, ts, tid = event["event_index"], event["ts"], event["tid"]
        utid, text = utids[tid], event["args"]
        own = {"id": id, "ts": ts, "utid": utid}
        if event["name"] in ("tracing_mark_write", "print", "0") and text.startswith("trace_event_clock_sync: parent_ts="):
            syncs.append({"id": id, "ts": ts, "sync_id": "parent_ts", "other_ts": int(Decimal(text.split("=")[1]) * 10**9)})
        if not (found := mark(event)):
            continue
        phase, pid, fields = found
        stack, name = stacks.setdefault(tid, []), fields.get("name")
        parent = stack[-1]["id"] if stack else None
        if phase == "B":
            row = own | {"name": name, "category": fields["category"], "dur": -1, "ending": "open", "track_id": utid}
            stack.append(row | {"depth": len(stack), "parent_id": parent})
            slices.append(stack[-1])
        elif phase == "E" and stack:
            stack.pop().update(dur=ts, ending="matched", end_event_index=id)
        elif phase == "I":
            instants.append(own | {"name": name, "track_id": utid, "upid": upids[pid_of(tid)], "scope": "thread", "slice_id": parent})
        elif phase == "C":
            value = fields["value"]
            counters.append({"ts": ts, "event_index": id, "value": float(value), "int_value": None if "." in value else int(value)})
        elif phase == "N":
            operations.append(own | {"name": name, "upid": upids[pid], "dur": 0, "depth": 0, "ending": "instant"})
        elif phase in "SG":
            key = pid, fields.get("track"), fields["cookie"], name
            running[key] = own | {"name": name, "upid": upids[pid], "dur": -1, "depth": 0, "ending": "open"}
            operations.append(running[key])
        elif phase in "FH":
            keys = [key for key in running if key[:3] == (pid, fields.get("track"), fields["cookie"]) and name in (None, key[3])]
            if keys:
                running.pop(keys[-1]).update(dur=ts, ending="matched", end_event_index=id)
    for row in slices + operations:
        row["dur"] -= row["ts"] if row["ending"] == "matched" else 0
    for id, row in enumerate(sorted(counters, key=lambda row: row["event_index"])):
        row["id"] = id
    made = {"slice": slices, "async_slice": operations, "instant": instants, "counter": counters, "clock_sync": syncs}
    return {name: sorted(rows, key=lambda row: row["id"]) for name, rows in made.items()}


def derived(columns):
    """The tables that are concluded from the rows of ftrace_event: rows as lists of dictionaries."""
    events = [dict(zip(columns, row)) for row in zip(*columns.values())]
    names, tgids, own_pids, spans = {}, {}, {}, {}

    def name(tid, comm):
        names.setdefault(tid, None)
        if comm not in ("<...>", "<idle>"):
            names[tid] = comm

    told = []
    for event in events:
        name(event["tid"], event["comm"])
        if event["tgid"] is not None:
            tgids[event["tid"]] = event["tgid"]
        if (found := mark(event)) and found[0] in "BEI" and found[1]:
            own_pids[event["tid"]] = found[1]
        start, end = spans.get(event["tid"], (event["ts"], event["ts"]))
        spans[event["tid"]] = min(start, event["ts"]), max(end, event["ts"])
        pattern = {"sched_switch": SWITCH, "sched_blocked_reason": BLOCKED}.get(
            event["name"], WAKE if event["name"] in ("sched_waking", "sched_wakeup", "sched_wakeup_new") else None
        )
        if match := pattern and pattern.fullmatch(event["args"]):
            told.append((event, match))
            found = match.groupdict()
            for comm, tid in (("prev_comm", "prev"), ("next_comm", "next"), ("comm", "tid")):
                if comm in found:
                    name(int(found[tid]), found[comm])
            if pattern is BLOCKED:
                names.setdefault(int(found["tid"]), None)
    tgids, names = own_pids | tgids | {0: 0}, {tid: name if tid else "swapper" for tid, name in sorted(names.items())}
    utids = {tid: utid for utid, tid in enumerate(names)}
    owners = [found[1] for event in events if (found := mark(event)) and found[0] in "SFGHNC"]
    upids = {tgid: upid for upid, tgid in enumerate(dict.fromkeys([*(tgids.get(t) for t in names), *owners]))}

    sched, states, running, last = [], [], {}, {}

    def begin(tid, event, **more):
        if tid:
            if tid in last:
                last[tid]["dur"] = event["ts"] - last[tid]["ts"]
            last[tid] = {"ts": event["ts"], "dur": -1, "utid": utids[tid], "tid": tid, **more}
            states.append(last[tid])

    for event, match in sorted(told, key=lambda pair: pair[0]["ts"]):
        found = match.groupdict()
        if "prev" in found:
            prev, next = int(found["prev"]), int(found["next"])
            begin(prev, event, state=found["state"], was_left=True)
            begin(next, event, state="Running", cpu=event["cpu"], ucpu=event["cpu"])
            if slice := running.get(event["cpu"]):
                slice["dur"], slice["end_state"] = event["ts"] - slice["ts"], found["state"]
            running[event["cpu"]] = {
                "ts": event["ts"], "dur": -1, "cpu": event["cpu"], "ucpu": event["cpu"], "utid": utids[next], "tid": next,
                "priority": int(found["prio"]),
            }  # fmt: skip
            sched.append(running[event["cpu"]])
        elif "function" in found:
            left = [s for s in states if s["tid"] == int(found["tid"]) and "was_left" in s]
            if left:
                left[-1]["io_wait"], left[-1]["blocked_function"] = int(found["iowait"] != "0"), found["function"]
        else:
            tid = int(found["tid"])
            if event["name"] == "sched_wakeup_new" or last.get(tid, {"state": "S"})["state"] not in ("R", "R+", "Running"):
                begin(tid, event, state="R", waker_utid=utids[event["tid"]])

    threads, processes = [], {upid: {"upid": upid, "pid": tgid} for tgid, upid in upids.items()}
    for tid, utid in utids.items():
        tgid = tgids.get(tid)
        start, end = spans.get(tid, (None, None))
        is_main = None if tgid is None else int(tgid == tid)
        threads.append({"utid": utid, "tid": tid, "name": names[tid], "start_ts": start, "end_ts": end, "upid": upids[tgid], "is_main_thread": is_main})
        process = processes[upids[tgid]]
        process["name"] = names.get(tgid)
        for key, value, pick in (("start_ts", start, min), ("end_ts", end, max)):
            if value is not None:
                process[key] = pick(process.get(key, value), value)
    for rows in (sched, states):
        for id, row in enumerate(rows):
            row["id"] = id
    made = {"sched": sched, "thread_state": states, "thread": threads, "process": list(processes.values())}
    made |= marked(events, utids, tgids.get, upids)
    return {table: {c: [0 if c == "file_id" else row.get(c) for row in rows] for c in TABLES[table]} for table, rows in made.items()}
