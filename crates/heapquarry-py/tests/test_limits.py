"""Limits of the caller hold for every function and every kind of input."""

import errno
import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import CORPUS

import heapquarry as hq
from heapquarry.errors import MemoryLimitError

HEAP = CORPUS / "node22.heapsnapshot.gz"
LIMIT = 100_000


class Endless:
    """A file object without end. Knows how much was read of it."""

    def __init__(self, start):
        self.start, self.read_so_far = start, 0

    def read(self, size=-1, /):
        piece = self.start + b" " * (size - len(self.start))
        self.start, self.read_so_far = b"", self.read_so_far + size
        return piece


INPUTS = {
    "path": lambda: HEAP,
    "packed bytes": lambda: HEAP.read_bytes(),
    "file object": lambda: io.BytesIO(gzip.decompress(HEAP.read_bytes())),
    "packed file object": lambda: io.BytesIO(HEAP.read_bytes()),
}
ASK = {
    "open": lambda given, out, **how: hq.open(given, **how).documents,
    "info": lambda given, out, **how: hq.open(given, **how).info,
    "log": lambda given, out, **how: hq.open(given, **how).log,
    "batches": lambda given, out, **how: list(hq.open(given, **how).batches("js_heap_nodes")),
    "sql": lambda given, out, **how: hq.sql(given, "SELECT count(*) FROM js_heap_nodes", **how).fetchall(),
    "summary": lambda given, out, **how: hq.summary(given, **how),
    "why": lambda given, out, **how: hq.open(given, **how).why("Object"),
    "show": lambda given, out, **how: hq.open(given, **how).show("Object"),
    "find": lambda given, out, **how: hq.find(given, "Object", **how),
    "diff": lambda given, out, **how: hq.diff(CORPUS / "handmade/bun.heapsnapshot", given, **how),
    "leaks": lambda given, out, **how: hq.leaks(CORPUS / "handmade/bun.heapsnapshot", given, **how),
    "convert": lambda given, out, **how: hq.convert(given, out, **how),
    "check": lambda given, out, **how: hq.check(given, budget(out), **how),
    "report": lambda given, out, **how: hq.report(given, out=out, **how),
}


def budget(out):
    path = out.with_suffix(".toml")
    path.write_text('[total]\nsize = "1 GB"\n')
    return path


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("ask", ASK)
def test_max_spool_holds(ask, kind, tmp_path):
    with pytest.raises(hq.InputError, match="would exceed"):
        ASK[ask](INPUTS[kind](), tmp_path / "out", max_spool=LIMIT)
    assert not (tmp_path / "out").exists()


# Batches pass through, and are not kept.
@pytest.mark.parametrize("ask", [ask for ask in ASK if ask not in ("open", "info", "log", "batches")])
def test_memory_holds(ask, tmp_path):
    with pytest.raises(MemoryLimitError):
        ASK[ask](HEAP, tmp_path / "out", memory=1000)
    assert not (tmp_path / "out").exists()


# Of each format besides heaps: whether it has functions, and what it is as a whole.
OTHERS = {
    "traces/chromium.trace.json.gz": (True, "events"),
    "ftrace/tgid.ftrace": (False, "events"),
    "profiles/node26.cpuprofile": (True, "functions"),
    "profiles/node26.heapprofile": (True, "functions"),
    "profiles/chromium.selfprofile.json": (True, "functions"),
    "pprof/go-heap.pb": (True, "functions"),
}
ASK_OTHERS = {
    "sql": lambda given, out, **how: hq.sql(given, "SELECT 1", **how).fetchall(),
    "summary": lambda given, out, **how: hq.summary(given, **how),
    "find": lambda given, out, **how: hq.find(given, name="a*", **how),
    "diff": lambda given, out, **how: hq.diff(given, given, **how),
    "convert": lambda given, out, **how: hq.convert(given, out, **how),
    "check": lambda given, out, **how: hq.check(given, budget_of(given, out), **how),
    "report": lambda given, out, **how: hq.report(given, out=out, **how),
    "export": lambda given, out, **how: hq.export(given, out, to="collapsed", **how),
}


def budget_of(given, out):
    path = out.with_suffix(".toml")
    path.write_text(f'[total]\n{OTHERS[str(given.relative_to(CORPUS))][1]} = "1_000_000_000"\n')
    return path


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("ask", ASK_OTHERS)
def test_memory_holds_for_traces_and_profiles(ask, name, tmp_path):
    has_functions, _ = OTHERS[name]
    if ask == "export" and not has_functions:
        pytest.skip("it has no functions")
    with pytest.raises(MemoryLimitError, match="use memory to set another limit"):
        ASK_OTHERS[ask](CORPUS / name, tmp_path / "out", memory=1000)
    assert not (tmp_path / "out").exists()
    ASK_OTHERS[ask](CORPUS / name, tmp_path / "out", memory=1_000_000_000)


def heap_of_strings(path, count=300):
    """Nearly all text: strings of 1.4 kB, each with a node."""
    text = ["", "Object", *(f"{n:01400}" for n in range(count))]
    meta = {
        "node_fields": ["type", "name", "id", "self_size", "edge_count"],
        "node_types": [["synthetic", "object", "string"], "string", "number", "number", "number"],
        "edge_fields": ["type", "name_or_index", "to_node"], "edge_types": [["element"], "string_or_number", "node"],
    }
    nodes = [[0, 0, 1, 0, 1], [1, 1, 3, 16, count], *([2, n + 2, 2 * n + 5, 1400, 0] for n in range(count))]
    edges = [[0, 0, 5], *([0, n, 5 * (n + 2)] for n in range(count))]
    snapshot = {"meta": meta, "node_count": len(nodes), "edge_count": len(edges)}
    path.write_text(json.dumps(
        {"snapshot": snapshot, "nodes": sum(nodes, []), "edges": sum(edges, []), "strings": text},
        separators=(",", ":"),
    ))
    return path


@pytest.mark.parametrize("ask", ["summary", "why", "show", "find", "diff", "leaks", "check", "convert"])
def test_text_counts(ask, tmp_path):
    """The limit is more than what nodes and edges take."""
    given, out = heap_of_strings(tmp_path / "a.heapsnapshot"), tmp_path / "out"
    with pytest.raises(MemoryLimitError, match="302 strings with 420006 bytes.*; use memory to set another limit"):
        ASK[ask](given, out, memory=200_000)
    assert not out.exists()
    ASK[ask](given, out, memory=2_000_000)


@pytest.mark.parametrize(("start", "most"), [(b" ", 1 << 20), (b"hello", 1 << 20), (b"{", LIMIT + (1 << 20))])
def test_what_has_no_end_is_not_read_for_long(start, most):
    endless = Endless(start)
    with pytest.raises(hq.InputError):
        hq.open(endless, max_spool=LIMIT)
    assert endless.read_so_far <= most


def child(ask, given, out):
    """An interpreter that asks this of an input."""
    code = f"""
import os, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_limits import *
try:
    ASK[{ask!r}](Path({str(given)!r}), Path({str(out)!r}))
    print('done')
except KeyboardInterrupt:
    print("interrupted")
"""
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("ask", ASK)
def test_threads_hold(ask, tmp_path):
    """The number reaches the engine, which alone refuses this one. The engine's own tests count what it starts: here
    the system decides how many threads are seen at a time, as a slow disk has more of them waiting."""
    with pytest.raises(OverflowError):
        ASK[ask](HEAP, tmp_path / "out", threads=-1)
    ASK[ask](HEAP, tmp_path / "out", threads=1)


@pytest.mark.skipif(os.name == "nt", reason="there are no FIFOs")
@pytest.mark.parametrize("ask", ASK)
def test_an_interrupt_ends_it(ask, tmp_path):
    """While it reads what nobody writes."""
    fifo, out = tmp_path / "fifo.heapsnapshot", tmp_path / "out"
    os.mkfifo(fifo)
    run, writer, deadline = child(ask, fifo, out), None, time.monotonic() + 60
    while writer is None:
        assert run.poll() is None and time.monotonic() < deadline
        try:
            writer = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            assert error.errno == errno.ENXIO
            time.sleep(0.01)
    try:
        run.send_signal(signal.SIGINT)
        assert run.communicate(timeout=60)[0] == "interrupted\n" and run.returncode == 0
    finally:
        run.kill()
        os.close(writer)
    assert not out.exists()
