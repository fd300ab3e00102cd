"""`watch` of running Nodes. What a verdict is made of is tested in heapquarry-process, from tables of cases; here are
programs that leak fast enough to be seen within seconds. No test asserts how long something takes."""

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
from conftest import binary, heapquarry, read_rows

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(not NODE, reason="there is no node")
on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the system says nothing of processes")

# What a program keeps each second of its life, whenever it comes to do so: it catches up when it is asked.
KEPT = {
    "nothing": "null",
    "heap": "Array.from({ length: 50_000 }, (_, n) => ({ n, text: 'text ' + n + kept.length }))",
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


# Seconds instead of minutes.
SHORT = ("--for", "8s", "--warm-up", "1s", "--every", "200ms", "--max-gap", "10s")
# As many figures of what lives as 8 s are to have. A machine that is busy with other things has fewer.
FIGURES = 8


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


@pytest.mark.parametrize(("kept", "causes"), [
    ("heap", {"heap"}),
    ("buffers", {"buffers"}),
    # What the engine took for the first second may stay with it.
    ("nothing", {"bounded", "not_given_back", "not_sure"}),
])
def test_what_grows_is_told(kept, causes, tmp_path):
    with node(program(kept), "--inspect=0") as process:
        answer = watch(process.port, *SHORT, "-o", tmp_path / "tables")
    verdict = answer["verdict"]
    if answer["live_count"] < FIGURES and verdict["cause"] == "not_sure":
        pytest.skip("the machine has no time for figures")
    assert (verdict["cause"] in causes, verdict["is_growing"]) == (True, kept != "nothing"), answer
    assert answer["sample_count"] == len(read_rows(tmp_path / "tables", "process_sample"))
    parts = {part["part"] for part in answer["growth"]}
    assert {"live_heap", "live_buffers", "heap_used"} <= parts
    if kept != "nothing":
        assert verdict["slope"] > 0 and verdict["slope_low"] <= verdict["slope"] <= verdict["slope_high"]
        commands = [advice["command"] for advice in answer["advice"] if advice["command"]]
        assert any(command.startswith(f"heapquarry capture {process.port} ") for command in commands)


def may_attach():
    scope = Path("/proc/sys/kernel/yama/ptrace_scope")
    return os.geteuid() == 0 or not scope.exists() or scope.read_text().strip() == "0"


@on_linux
def test_maps_are_all_of_the_resident_memory(tmp_path):
    with node(program(), "--inspect=0") as process:
        tables = tmp_path / "tables"
        # Not long enough for anything to be sure.
        answer = watch(process.port, "--for", "1s", "--every", "200ms", "--max-gap", "10s", "-o", tables)
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
        answer = watch(process.port, "--for", "300ms", "--every", "100ms", "--warm-up", "0s", "--max-gap", "10s")
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
