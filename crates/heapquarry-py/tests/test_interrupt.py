"""Ctrl-C, the lock of the interpreter, and memory."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from conftest import CORPUS

import heapquarry as hq

NODES = 3_000_000
# Each is interrupted while it works. What it prints last is the exception.
WORK = {
    "stream": 'file["js_heap_edges"].to_pyarrow()',
    "polars": 'file["js_heap_edges"].to_polars()',
    "batches": 'all(file.batches("js_heap_edges"))',
    # It gets the consumer's exception, and the interrupt afterwards, even if that exception is swallowed.
    "foreign": 'swallow(lambda: pyarrow.table(file["js_heap_edges"]))',
    "convert": "hq.convert(path, path + '.tables', force=True)",
    "info": "file.documents",
    "summary": "file.summary()",
}


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A snapshot of which every table takes seconds."""
    path = tmp_path_factory.mktemp("large") / "large.heapsnapshot"
    meta = (
        '{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count"],'
        '"node_types":[["object"],"string","number","number","number"],'
        '"edge_fields":["type","name_or_index","to_node"],"edge_types":[["element"],"string_or_number","node"]},'
        f'"node_count":{NODES},"edge_count":{NODES}}},'
    )
    with path.open("w") as file:
        file.write(meta + '"nodes":[')
        file.write(",".join(f"0,{i % 2},{2 * i + 1},16,1" for i in range(NODES)))
        file.write('],"edges":[')
        file.write(",".join(f"0,{i},{5 * ((i + 1) % NODES)}" for i in range(NODES)))
        file.write('],"strings":["a","b"]}')
    return path


@pytest.mark.parametrize("name", WORK)
def test_an_interrupt_ends_the_work(name, large):
    code = f"""
import heapquarry as hq, sys, time, pyarrow, polars
path = {str(large)!r}
def swallow(work):
    try:
        work()
    except pyarrow.ArrowInvalid as error:
        pass
    for _ in range(600):  # The interpreter raises it between two calls.
        time.sleep(0.1)
file = hq.open(path, progress=lambda *_: (print("at work", flush=True), setattr(hq, "told", 1)))
try:
    {WORK[name].replace("force=True", "force=True, progress=file._how['progress']")}
    print("done")
except KeyboardInterrupt:
    print("interrupted", time.monotonic())
"""
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "at work\n"
    sent = time.monotonic()
    child.send_signal(signal.SIGINT)
    *_, last = child.stdout.read().splitlines()
    assert child.wait() == 0 and last.startswith("interrupted "), last
    # Shown, not required: how fast a process runs depends on the machine.
    print(f"{name}: {float(last.split()[1]) - sent:.3f} s")
    assert not Path(f"{large}.tables").exists()


def test_other_threads_run_meanwhile(tmp_path):
    """The lock of the interpreter is not held: the work waits for what only another thread writes."""
    path = tmp_path / "pipe"
    os.mkfifo(path)

    def write():
        with path.open("wb") as pipe:
            pipe.write((CORPUS / "handmade/bun.heapsnapshot").read_bytes())

    writer = threading.Thread(target=write)
    writer.start()
    assert hq.convert(path, tmp_path / "out").documents
    writer.join()


def test_threads_read_one_file_together(large):
    file = hq.open(large)
    found = []

    def read():
        found.append(sum(map(len, file.batches("js_heap_nodes", ["id"]))))

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [NODES] * 4


def peak():
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no peak")


def test_a_stream_never_has_a_table_in_memory(large):
    """Even if its consumer sleeps."""
    code = f"""
import heapquarry as hq, sys, time
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_interrupt import peak
file = hq.open({str(large)!r}, names="id")
for _ in file.batches("source"): pass
before, rows = peak(), 0
for number, batch in enumerate(file.batches("js_heap_nodes")):
    rows += len(batch)
    if number < 5: time.sleep(0.2)
    del batch
print(rows, peak() - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    rows, grown = map(int, done.stdout.split())
    assert rows == NODES and grown < 64_000_000 + 6 * NODES, grown
    gc.collect()
