"""`watch` of running Nodes: that what they do is seen and recorded. What a verdict is made of is tested in
heapquarry-process, from tables of cases, and in heapquarry (`tests/watches.rs`), on recordings of real programs. No test
asserts how long something takes."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from conftest import CORPUS, binary, heapquarry, read_rows

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(not NODE, reason="there is no node")
on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the system says nothing of processes")

# What a program keeps each second of its life, whenever it comes to do so: it catches up when it is asked.
KEPT = {
    "nothing": "null",
    "heap": "Array.from({ length: 10_000 }, (_, n) => ({ n, text: 'text ' + n + kept.length }))",
    "buffers": "Buffer.alloc(5_000_000, 1)",
}
PROGRAM = """
const kept = [], begin = performance.now(), memoryUsage = process.memoryUsage;
let asked = 0;
const when = { asked() {} };
process.memoryUsage = () => {
  while (kept.length < performance.now() - begin) kept.push(kept.length %% 1000 ? null : %s);
  when.asked(++asked);
  return memoryUsage();
};
setInterval(() => {}, 10);
%s
console.log('ready');
"""


def program(kept="nothing", more=""):
    return PROGRAM % (KEPT[kept], more)


# Figures of what lives from which a verdict is sure.
ENOUGH = 6

# Seconds instead of minutes.
SHORT = ("--for", "8s", "--warm-up", "1s", "--every", "200ms", "--max-pause", "10s")


@contextlib.contextmanager
def node(program, *flags):
    """A running Node, with the port of its inspector if it has one. It ends by itself, so that nothing waits for ever."""
    pipe = subprocess.PIPE
    process = subprocess.Popen([NODE, *flags, "-e", program], stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True)
    timer = threading.Timer(240, process.kill)
    timer.start()
    try:
        process.port = None
        if any(flag.startswith("--inspect=") for flag in flags):
            process.port = re.search(r":(\d+)/", process.stderr.readline())[1]
        threading.Thread(target=process.stderr.read, daemon=True).start()
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        timer.cancel()
        process.kill()
        process.wait()


def watch(*args, **options):
    return json.loads(heapquarry("watch", *args, "--json", **options).stdout)


@pytest.mark.parametrize("kept", KEPT)
def test_what_is_seen_is_recorded(kept, tmp_path):
    """Which verdict it leads to is tested on recordings: how many figures a machine gives in time is its own affair."""
    tables = tmp_path / "tables"
    with node(program(kept), "--inspect=0") as process:
        answer = watch(process.port, *SHORT, "-o", tables)
    samples = read_rows(tables, "process_sample")
    assert answer["sample_count"] == len(samples) > 0
    assert answer["live_count"] == sum(row["live_by"] is not None for row in samples)
    assert all(row["rss"] > 0 and row["heap_used"] > 0 and row["external_size"] >= 0 for row in samples)
    [recording] = read_rows(tables, "process_watch")
    assert recording["warm_up_us"] == 1_000_000
    [source] = read_rows(tables, "source")
    assert (source["format"], source["name"]) == ("watch", process.port)
    assert {row["message"] for row in read_rows(tables, "import_log")} == {c["text"] for c in answer["caveats"]}
    # A limit that nothing exceeds, and one that anything does. Without a sample after the warm-up nothing is known.
    is_known = samples[-1]["elapsed_us"] >= recording["warm_up_us"]
    for limit, code in (("1 TB", 0), ("1 B", 1)):
        (tmp_path / "budget.toml").write_text(f'[rss]\nmax = "{limit}"\n')
        heapquarry("check", tables, "--budget", tmp_path / "budget.toml", expect=code if is_known else 2)


# What a program does, and what must not be said of it.
VERDICTS = [
    ("heap", {("heap", True, sure) for sure in ("high", "low")}),
    ("buffers", {("buffers", True, sure) for sure in ("high", "low")}),
    # Whether growth can be excluded in the time depends on the machine, too.
    ("nothing", {("not_sure", False, "none"), ("bounded", False, "high"), ("not_given_back", False, "high")}),
]


@pytest.mark.parametrize(("kept", "expected"), VERDICTS)
def test_what_grows_is_said(kept, expected):
    """A machine that is too slow to give enough figures has more time, so that no case is left out. How sure it is
    depends on the machine: recorded watches hold that."""
    for seconds in (8, 16, 32, 64):
        times = ("--for", f"{seconds}s", "--warm-up", f"{seconds / 8}s", "--every", "200ms", "--max-pause", "10s")
        with node(program(kept), "--inspect=0") as process:
            answer = watch(process.port, *times)
        if answer["live_count"] >= ENOUGH:
            break
    verdict = answer["verdict"]
    assert answer["live_count"] >= ENOUGH, answer
    assert (verdict["cause"], verdict["is_growing"], verdict["certainty"]) in expected, answer


LEAK = """
const leaked = [], cache = [];
function leak() { for (let n = 0; n < 5000; n++) leaked.push({ n, text: 'text ' + n + leaked.length }); }
function renew() {
  cache.length = 0;
  for (let n = 0; n < 20_000; n++) cache.push({ n, text: 'text ' + n });
}
// Each is called by Node: V8 would inline it into a caller.
when.asked = () => { setImmediate(leak); setImmediate(renew); };
"""


def test_who_made_what_stays(tmp_path):
    """The cache is larger than the leak is at first, but young."""
    tables = tmp_path / "tables"
    for seconds in (8, 16, 32, 64):
        times = ("--for", f"{seconds}s", "--warm-up", "1s", "--every", "100ms", "--max-pause", "60s")
        with node(program(more=LEAK), "--inspect=0") as process:
            answer = watch(process.port, *times, "-o", tables, "--force")
        if answer["sample_count"] >= 40 and answer["live_count"] >= ENOUGH:
            break
    found = answer["allocations"]
    assert found["stacks"][0]["frames"][0]["function_name"] == "leak", found
    assert ", by leak" in answer["verdict"]["made_by"], answer["verdict"]
    assert 0 < found["from"] < found["until"] and 0 < found["early_size"] < found["size"]
    assert sum(stack["size"] for stack in found["stacks"]) <= found["size"]
    calls = read_rows(tables, "process_allocation")
    assert sum(call["size"] for call in calls) == found["size"]
    assert all(call["caller_index"] is None or call["caller_index"] < call["call_index"] for call in calls)
    again = json.loads(heapquarry("summary", tables, "--json").stdout)
    assert again["allocations"] == found


def test_without_leave_nobody_is_asked_who_made_it(tmp_path):
    with node(program(), "--inspect=0") as process:
        answer = watch(process.port, "--for", "2s", "--warm-up", "300ms", "--every", "100ms", "--max-pause", "1ms")
    assert answer["allocations"] is None and answer["verdict"]["made_by"] is None
    why = [caveat["text"] for caveat in answer["caveats"] if caveat["text"].startswith("which calls made what lives")]
    assert len(why) == 1 and "the limit is 1 ms" in why[0], answer["caveats"]


def test_a_profile_of_the_program_goes_on():
    more = """
    const { Session } = require('inspector');
    const session = new Session();
    session.connect();
    session.post('HeapProfiler.startSampling');
    const told = (error) => error && console.log('ended');
    when.asked = (count) => count % 10 === 0 && session.post('HeapProfiler.getSamplingProfile', told);
    """
    with node(program(more=more), "--inspect=0") as process:
        answer = watch(process.port, "--for", "3s", "--warm-up", "300ms", "--every", "100ms", "--max-pause", "10s")
        process.kill()
        assert process.stdout.read() == ""
    assert any("samples them already" in caveat["text"] for caveat in answer["caveats"]), answer["caveats"]


WORKER = """
const { Worker } = require('worker_threads');
const worker = new Worker("require('worker_threads').parentPort.postMessage(0); setInterval(() => {}, 1000);", { eval: true });
worker.once('message', () => console.log('ready'));
"""


@pytest.mark.parametrize(("program", "count"), [(WORKER, 1), ("setInterval(() => {}, 1000); console.log('ready');", 0)])
def test_workers_are_counted(program, count, tmp_path):
    with node(program, "--inspect=0") as process:
        answer = watch(process.port, "--for", "3s", "--warm-up", "1s", "--every", "200ms", "-o", tmp_path / "tables")
        assert process.poll() is None
    # They are announced a moment after they are asked for.
    assert read_rows(tmp_path / "tables", "process_sample")[-1]["worker_count"] == count == answer["most_workers"]


RECORDED = CORPUS / "process"


def recorded(name):
    """The document of the corpus that is a watch of a program."""
    [row] = [row for row in read_rows(RECORDED, "source") if row["name"] == name]
    return f"{RECORDED}#{row['file_id']}"


@pytest.mark.parametrize(("name", "budget", "code", "text"), [
    ("node24/heap-leak-0", 'live_heap.slope = "200 MB/h"', 1, "1 of 1 limit exceeded"),
    ("node24/heap-leak-clean-0", 'live_heap.slope = "200 MB/h"', 0, "1 limit kept"),
    ("node24/heap-leak-clean-0", 'live_heap.slope = "1 MB/h"', 2, "it is sure only that it is between"),
    ("node24/heap-leak-clean-0", 'heap_used.slope = "1 GB/h"', 2, "garbage is in it"),
    ("node24/native-leak-env-0", 'native.slope = "200 MB/h"', 1, "1 of 1 limit exceeded"),
    ("node24/buffer-leak-0", 'rss.max = "1 GB"', 0, "1 limit kept"),
])
def test_recordings_are_held_against_budgets(name, budget, code, text, tmp_path):
    (tmp_path / "memory.toml").write_text(budget + "\n")
    done = heapquarry("check", recorded(name), "--budget", tmp_path / "memory.toml", expect=code)
    assert text in done.stdout + done.stderr


def may_attach():
    scope = Path("/proc/sys/kernel/yama/ptrace_scope")
    return os.geteuid() == 0 or not scope.exists() or scope.read_text().strip() == "0"


@on_linux
def test_maps_are_all_of_the_resident_memory(tmp_path):
    with node(program(), "--inspect=0") as process:
        tables = tmp_path / "tables"
        # Not long enough for anything to be sure.
        answer = watch(process.port, "--for", "1s", "--every", "200ms", "--max-pause", "10s", "-o", tables)
    assert answer["verdict"]["cause"] == "not_sure" and answer["verdict"]["certainty"] == "none"
    samples = read_rows(tables, "process_sample")
    maps = read_rows(tables, "process_map")
    first = [row for row in maps if row["sample_index"] == 0]
    rss = sum(row["rss"] for row in first)
    # Both change between two reads.
    assert abs(rss - samples[0]["rss"]) < 0.2 * rss
    kinds = {row["kind"] for row in first}
    assert {"v8", "file", "brk", "stack"} <= kinds
    # Not everybody may look into the memory of another process.
    assert samples[0]["malloc_used"] is None if not may_attach() else samples[0]["malloc_used"] > 0
    spaces = {row["space_name"] for row in read_rows(tables, "heap_space_sample")}
    assert {"old_space", "new_space"} <= spaces
    assert [row["elapsed_us"] for row in samples] == sorted(row["elapsed_us"] for row in samples)


@on_linux
def test_a_process_without_an_inspector_has_it_closed_again(tmp_path):
    told = """
    const { url } = require('inspector');
    let was = false;
    setInterval(() => { if (!!url() !== was) console.log((was = !!url()) ? 'open' : 'closed'); }, 1);
    """
    # Not the port that others may have.
    with node(program(more=told), "--inspect-port=0") as process:
        answer = watch("--pid", process.pid, "--for", "300ms", "--every", "100ms")
        assert answer["inputs"] == [f"--pid {process.pid}"] and answer["sample_count"] >= 2
        assert [process.stdout.readline() for _ in range(2)] == ["open\n", "closed\n"]
        assert process.poll() is None


@contextlib.contextmanager
def forwarder(port):
    """A port that passes everything on to another one, as ssh and containers do."""
    listener = socket.create_server(("127.0.0.1", 0))

    def copy(source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def serve():
        with contextlib.suppress(OSError):
            while True:
                client = listener.accept()[0]
                server = socket.create_connection(("127.0.0.1", int(port)))
                for ends in ((client, server), (server, client)):
                    threading.Thread(target=copy, args=ends, daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.close()


@on_linux
def test_behind_a_forwarder_nothing_is_said_of_the_system(tmp_path):
    """This process listens: its memory is not that of the target."""
    with node(program(), "--inspect=0") as process, forwarder(process.port) as port:
        answer = watch(port, "--for", "300ms", "--every", "100ms", "-o", tmp_path / "tables")
        direct = watch(process.port, "--for", "300ms", "--every", "100ms")
    notes = ["behind a forwarder" in caveat["text"] for caveat in answer["caveats"]]
    assert any(notes) and answer["memory"] == [] and answer["group"] is None
    assert direct["memory"] and not any("forwarder" in caveat["text"] for caveat in direct["caveats"])
    for row in read_rows(tmp_path / "tables", "process_sample"):
        assert row["rss"] > 0 and row["heap_used"] > 0
        assert {row[name] for name in ("rss_anon", "thread_count", "group_used", "malloc_used")} == {None}


def test_without_a_warm_up_there_is_no_false_caveat():
    with node(program(), "--inspect=0") as process:
        answer = watch(process.port, "--for", "300ms", "--every", "100ms", "--warm-up", "0s", "--max-pause", "10s")
    assert not any("garbage was not removed" in caveat["text"] for caveat in answer["caveats"]), answer


def test_an_interrupt_ends_it_with_an_answer():
    with node(program(more="when.asked = (count) => count === 3 && console.log('asked');"), "--inspect=0") as process:
        args = [binary(), "watch", process.port, "--every", "100ms", "--json"]
        with subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watching:
            assert process.stdout.readline() == "asked\n"
            watching.send_signal(signal.SIGINT)
            out, err = watching.communicate(timeout=60)
    assert watching.returncode == 0, err
    assert json.loads(out)["sample_count"] > 0


def test_a_process_that_ends_has_an_answer():
    with node(program(more="when.asked = (count) => count > 3 && setImmediate(process.exit);"), "--inspect=0") as process:
        answer = watch(process.port, "--for", "60s", "--every", "100ms")
    texts = [caveat["text"] for caveat in answer["caveats"]]
    assert any(text.startswith("the watch ended after") for text in texts), texts


def test_a_busy_process_is_left_alone():
    """Its loop never turns, so that nothing that waits for it comes."""
    busy = "when.asked = () => setImmediate(() => { for (;;); });"
    with node(program(more=busy), "--inspect=0") as process:
        answer = watch(process.port, "--for", "1s", "--warm-up", "300s", "--every", "200ms")
    assert answer["sample_count"] > 0


def test_what_must_not_be_replaced_is_refused_before_anything_happens(tmp_path):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "a").touch()
    # There is nobody at this port.
    done = heapquarry("watch", "1", "-o", tmp_path / "tables", expect=2)
    assert "tables" in done.stderr


def test_text_says_what_to_do():
    with node(program(), "--inspect=0") as process:
        done = heapquarry("watch", process.port, "--for", "300ms", "--every", "100ms")
    assert "Not enough time to know" in done.stdout and "heapquarry watch" in done.stdout
    assert done.stderr == ""
