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


def derived(columns):
    """The tables that are concluded from the rows of ftrace_event: rows as lists of dictionaries."""
    events = [dict(zip(columns, row)) for row in zip(*columns.values())]
    names, tgids, spans = {}, {}, {}

    def name(tid, comm):
        names.setdefault(tid, None)
        if comm not in ("<...>", "<idle>"):
            names[tid] = comm

    told = []
    for event in events:
        name(event["tid"], event["comm"])
        if event["tgid"] is not None:
            tgids[event["tid"]] = event["tgid"]
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
    tgids[0], names = 0, {tid: name if tid else "swapper" for tid, name in sorted(names.items())}
    utids = {tid: utid for utid, tid in enumerate(names)}
    upids = {tgid: upid for upid, tgid in enumerate(sorted({tgids.get(t) for t in names}, key=lambda t: -1 if t is None else t))}

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
    return {table: {c: [0 if c == "file_id" else row.get(c) for row in rows] for c in TABLES[table]} for table, rows in made.items()}
