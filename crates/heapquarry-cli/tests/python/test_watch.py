"""`watch` of running Nodes. What a verdict is made of is tested in heapquarry-process, from tables of cases; here are
programs that leak fast enough to be seen within seconds. No test asserts how long something takes."""

import contextlib
import json
import re
import shutil
import signal
import subprocess
import sys
import threading

import pytest
from conftest import binary, heapquarry, read_rows

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(not NODE, reason="there is no node")
on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the system says nothing of processes")

# What a program keeps of each turn, of which there are 100 in a second.
KEPT = {
    "nothing": "{ x: 1 }; kept.length = 0",
    "heap": "Array.from({ length: 500 }, (_, n) => ({ n, text: 'text ' + n + kept.length }))",
    "buffers": "Buffer.alloc(50_000, 1)",
}
PROGRAM = """
const kept = [];
setInterval(() => { const made = %s; kept.push(made); }, 10);
console.log('ready');
"""

# Seconds instead of minutes.
SHORT = ("--for", "8s", "--warm-up", "1s", "--every", "200ms", "--max-gap", "10s")


@contextlib.contextmanager
def node(program, *flags):
    """A running Node, with the port of its inspector if it has one."""
    pipe = subprocess.PIPE
    process = subprocess.Popen([NODE, *flags, "-e", program], stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True)
    try:
        process.port = None
        if any(flag.startswith("--inspect=") for flag in flags):
            process.port = re.search(r":(\d+)/", process.stderr.readline())[1]
        threading.Thread(target=process.stderr.read, daemon=True).start()
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.wait()


def watch(*args, **options):
    return json.loads(heapquarry("watch", *args, "--json", **options).stdout)


@pytest.mark.parametrize(("kept", "causes"), [
    ("heap", {"heap"}),
    ("buffers", {"buffers"}),
    # What the engine took for the first second may stay with it.
    ("nothing", {"bounded", "not_given_back"}),
])
def test_what_grows_is_told(kept, causes, tmp_path):
    with node(PROGRAM % KEPT[kept], "--inspect=0") as process:
        answer = watch(process.port, *SHORT, "-o", tmp_path / "tables")
    verdict = answer["verdict"]
    assert (verdict["cause"] in causes, verdict["is_growing"]) == (True, kept != "nothing"), answer
    assert answer["live_count"] >= 3
    assert answer["sample_count"] == len(read_rows(tmp_path / "tables", "process_sample"))
    parts = {part["part"] for part in answer["growth"]}
    assert {"live_heap", "live_buffers", "heap_used"} <= parts
    if kept != "nothing":
        assert verdict["slope"] > 0 and verdict["slope_low"] <= verdict["slope"] <= verdict["slope_high"]
        commands = [advice["command"] for advice in answer["advice"] if advice["command"]]
        assert any(command.startswith(f"heapquarry capture {process.port} ") for command in commands)


@on_linux
def test_maps_are_all_of_the_resident_memory(tmp_path):
    with node(PROGRAM % KEPT["nothing"], "--inspect=0") as process:
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
    assert samples[0]["malloc_used"] > 0
    spaces = {row["space_name"] for row in read_rows(tables, "heap_space_sample")}
    assert {"old_space", "new_space"} <= spaces
    assert [row["elapsed_us"] for row in samples] == sorted(row["elapsed_us"] for row in samples)


@on_linux
def test_a_process_without_an_inspector_has_it_closed_again(tmp_path):
    # Not the port that others may have.
    with node(PROGRAM % KEPT["nothing"], "--inspect-port=0") as process:
        answer = watch("--pid", process.pid, "--for", "300ms", "--every", "100ms")
        assert answer["inputs"] == [f"--pid {process.pid}"] and answer["sample_count"] >= 2
        assert process.poll() is None


def test_an_interrupt_ends_it_with_an_answer():
    with node(PROGRAM % KEPT["nothing"], "--inspect=0") as process:
        args = [binary(), "watch", process.port, "--every", "100ms", "--json"]
        with subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watching:
            with pytest.raises(subprocess.TimeoutExpired):
                watching.wait(2)
            watching.send_signal(signal.SIGINT)
            out, err = watching.communicate(timeout=60)
    assert watching.returncode == 0, err
    assert json.loads(out)["sample_count"] > 0


def test_a_process_that_ends_has_an_answer():
    with node(PROGRAM % KEPT["nothing"] + "setTimeout(() => process.exit(), 2000);", "--inspect=0") as process:
        answer = watch(process.port, "--for", "60s", "--every", "100ms")
    texts = [caveat["text"] for caveat in answer["caveats"]]
    assert any(text.startswith("the watch ended after") for text in texts), texts


def test_a_busy_process_is_left_alone():
    """Its loop never turns, so that nothing that waits for it comes."""
    busy = PROGRAM % KEPT["nothing"] + "setTimeout(() => { for (;;); }, 100);"
    with node(busy, "--inspect=0") as process:
        answer = watch(process.port, "--for", "1s", "--warm-up", "300s", "--every", "200ms")
    assert answer["sample_count"] > 0


def test_what_must_not_be_replaced_is_refused_before_anything_happens(tmp_path):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "a").touch()
    # There is nobody at this port.
    done = heapquarry("watch", "1", "-o", tmp_path / "tables", expect=2)
    assert "tables" in done.stderr


def test_text_says_what_to_do():
    with node(PROGRAM % KEPT["nothing"], "--inspect=0") as process:
        done = heapquarry("watch", process.port, "--for", "300ms", "--every", "100ms")
    assert "Not enough time to know" in done.stdout and "heapquarry watch" in done.stdout
    assert done.stderr == ""
