"""Writes corpus/ftrace/: an invented system of two CPUs and a few threads, as the Linux kernel's tracer, atrace and systrace write it.

usage: python3 corpus/generate/ftrace.py [FOLDER]
"""

import random
import sys
from pathlib import Path

# tid: (comm, tgid, priority)
THREADS = {
    0: ("swapper", 0, 120),
    1: ("init", 1, 120),
    33: ("kworker/1:0-ev", 33, 100),
    124: ("surfaceflinger", 124, 112),
    340: ("Binder:124_1", 124, 120),
    411: ("GC - slice [2]", 411, 130),
    412: ("RenderThread", 411, 110),
}
SLEEPING = ["S", "S", "S", "D", "R", "R+", "D|K"]
FLAGS = ["....", "d..3", "d.h2", "dNs.", "..s1."]


def events(seed=7, count=400):
    """(microseconds, cpu, tid, name, args) of a made-up scheduler."""
    rng = random.Random(seed)
    now, running, asleep = 50_260_000_000, {0: 0, 1: 0}, {t: "S" for t in THREADS if t}
    open_slices, cookie = {}, 0
    for _ in range(count):
        now += rng.randrange(1, 400)
        cpu = rng.randrange(2)
        tid = running[cpu]
        kind = rng.randrange(10)
        ready = [t for t, state in asleep.items() if state in "RR+" and t not in running.values()]
        blocked = [t for t, state in asleep.items() if state not in "RR+" and t not in running.values()]
        tgid = THREADS[tid][1]
        if kind < 3 and blocked:
            woken = rng.choice(blocked)
            args = f"comm={THREADS[woken][0]} pid={woken} prio={THREADS[woken][2]} target_cpu=00{rng.randrange(2)}"
            if asleep[woken] == "D":
                yield now, cpu, tid, "sched_blocked_reason", f"pid={woken} iowait={rng.randrange(2)} caller=wait_on_page+0x{woken:x}/0x90"
            yield now, cpu, tid, "sched_waking", args
            asleep[woken] = "R"
            if rng.randrange(2):
                now += 1
                yield now, cpu, tid, "sched_wakeup", args
        elif kind < 7:
            next = rng.choice(ready) if ready and rng.randrange(5) else 0
            if next == tid:
                continue
            state = rng.choice(SLEEPING) if tid else "R"
            (prev_comm, _, prev_prio), (next_comm, _, next_prio) = THREADS[tid], THREADS[next]
            prev_comm += f"/{cpu}" if tid == 0 else ""
            next_comm += f"/{cpu}" if next == 0 else ""
            yield (
                now, cpu, tid, "sched_switch",
                f"prev_comm={prev_comm} prev_pid={tid} prev_prio={prev_prio} prev_state={state}"
                f" ==> next_comm={next_comm} next_pid={next} next_prio={next_prio}",
            )  # fmt: skip
            if tid:
                asleep[tid] = state
            running[cpu] = next
        elif tid == 0:
            yield now, cpu, tid, "cpu_idle", f"state={rng.choice([1, 2, 4294967295])} cpu_id={cpu}"
        elif kind == 7:
            depth = open_slices.get(tid, 0)
            if depth and rng.randrange(2):
                yield now, cpu, tid, "tracing_mark_write", rng.choice([f"E|{tgid}", "E"])
                open_slices[tid] = depth - 1
            else:
                name = rng.choice(["onDraw", "a|b", "obtainView é", "with|k=1;l=two|gfx"])
                yield now, cpu, tid, "tracing_mark_write", f"B|{tgid}|{name}"
                open_slices[tid] = depth + 1
        elif kind == 8:
            yield now, cpu, tid, "tracing_mark_write", f"C|{tgid}|VSYNC|{rng.randrange(-1, 3)}"
        else:
            cookie += 1
            yield now, cpu, tid, "tracing_mark_write", f"S|{tgid}|launching|{cookie}"
            if cookie % 3:
                yield now + 1, cpu, tid, "tracing_mark_write", f"F|{tgid}|launching|{cookie}"
            name = rng.choice(["tick", "lane|tock"])
            yield now + 2, cpu, tid, "tracing_mark_write", rng.choice(["I", "N"]) + f"|{tgid}|{name}"
            yield now + 3, cpu, tid, "print", f"G|{tgid}|lane|loading|{cookie}"
            yield now + 4, cpu, tid, "print", rng.choice([f"H|{tgid}|lane|{cookie}", f"H|{tgid}|lane|loading|{cookie}", "free text"])
            yield now + 5, cpu, tid, "tracing_mark_write", f"C|{rng.choice([tgid, 7777])}|temperature|{rng.randrange(99)}.5"
            now += 5
    yield now + 5, 0, running[0], "tracing_mark_write", "trace_event_clock_sync: parent_ts=50260.123001"


def rows(shape, rng):
    seen = set()
    for ts, cpu, tid, name, args in events():
        comm = THREADS[tid][0] if tid else "<idle>"
        if tid and tid not in seen and rng.randrange(3) == 0:
            comm = "<...>"
        task = f"{comm:>16}-{tid:<5}"
        if shape == "tgid":
            tgid = f"{THREADS[tid][1]:5}" if tid and tid in seen else "-----"
            task += f" ({tgid})"
        seen.add(tid)
        flags = "" if shape == "legacy" else " " + rng.choice(FLAGS)
        yield f"{task} [{cpu:03}]{flags} {ts // 1_000_000:5}.{ts % 1_000_000:06}: {name}: {args}"


HEADER = {
    "tgid": ["           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION", "              | |        |      |   ||||       |         |"],
    "irq-info": ["           TASK-PID   CPU#  ||||    TIMESTAMP  FUNCTION", "              | |       |   ||||       |         |"],
    "legacy": ["           TASK-PID    CPU#    TIMESTAMP  FUNCTION", "              | |       |          |         |"],
}


def text(shape):
    header = ["# tracer: nop", "#", "# entries-in-buffer/entries-written: 400/417   #P:2", "#", *("#" + line for line in HEADER[shape])]
    return "\n".join([*header, *rows(shape, random.Random(shape))]) + "\n"


ODD = """TRACE:

# tracer: function
CPU:1 [LOST 17 EVENTS]
##### CPU 1 buffer started ####
   a - b [3] (x)-7     (    9) [001] d..3.  1.000001: sys_close <-system_call_fastpath
      x: [000] y-8     (-----) [000] ....  1.000002: bprint: do: more: \u2028 [000] 5.5: z:
what atrace says to its user
             -9        [000] 1.5: no_name: x
            n-10 [001]     2.123456789: sched:with_colon: a=1
            n-10 [001]     3.000000: empty:
            n-10 [001]     3.000001: empty:\x20
    bad-\udcff-11 [002]     4.000000: invalid_utf8: \udcc3
            n-10 [001]     5.000000: 0: C|10|old|1\r
CPU:0 [LOST EVENTS]
            n-10 [001]     6.000000: cut_off: he"""


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for shape in HEADER:
        (folder / f"{shape}.ftrace").write_bytes(text(shape).encode())
    script = text("legacy").replace("\n", "\\n\\\n")
    (folder / "script.ftrace").write_bytes(script.encode())
    (folder / "odd.ftrace").write_bytes(ODD.encode("utf-8", "surrogateescape"))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "ftrace")
