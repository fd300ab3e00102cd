"""The processes of DuckDB that `heapquarry open` starts ahead: each takes one question, and none is left behind."""

import json
import os
import signal
import sys
import threading

import pytest
from conftest import ROOT, convert, heapquarry, serving, wait_until
from test_open import heap_of
from test_open_sql import asked, parent

COUNT = "SELECT count(*) FROM js_heap_nodes"
SCRIPT = ROOT / "crates/heapquarry-py/python/heapquarry/_duckdb_command.py"


def children(served):
    """The processes that a server has started, without those that have ended."""
    return [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and parent(pid) == served.pid]


def rows(served, sql):
    answer = asked(served, sql)
    assert isinstance(answer, bytes), answer
    return json.loads(answer)["rows"]


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.fixture
def small(tmp_path, temporary):
    """A server of a heap of five nodes that can be asked."""
    heap = tmp_path / "small.heapsnapshot"
    heap.write_text(heap_of(["Item"], 3))
    with serving(heap) as served:
        wait_until(lambda: not isinstance(asked(served, COUNT), str), served)
        yield served


def test_each_process_takes_one_question(small):
    [before] = children(small)
    for sql, is_right in ((COUNT, True), ("SELEC", False), ("FROM read_text('/etc/passwd')", False), (COUNT, True)):
        assert isinstance(asked(small, sql), bytes) == is_right, sql
        [after] = children(small)
        assert after != before and parent(before) is None
        before = after


def test_no_question_changes_what_the_next_one_says(small):
    assert rows(small, COUNT) == [["5"]]
    seeded = [(rows(small, "SELECT setseed(0.5)"), rows(small, "SELECT random()"))[1] for _ in range(2)]
    assert seeded[0] != seeded[1]
    for sql in ("SET VARIABLE a = 1", "CREATE TEMP TABLE t AS SELECT 1", "ATTACH ':memory:' AS m", "PRAGMA enable_profiling", "USE information_schema"):
        assert "a query is one SELECT" in asked(small, sql), sql
    assert rows(small, "SELECT getvariable('a')") == [[None]]
    assert rows(small, "SELECT count(*) FROM duckdb_tables()") == [["0"]]


def test_a_process_that_somebody_ended_is_replaced(small):
    [ahead] = children(small)
    os.killpg(ahead, signal.SIGKILL)
    wait_until(lambda: parent(ahead) is None)
    assert rows(small, COUNT) == [["5"]]
    [ahead] = children(small)
    # One that is ended while it is asked is an error of that question alone. It may be ended before.
    os.killpg(ahead, signal.SIGSTOP)
    found = []
    asking = threading.Thread(target=lambda: found.append(asked(small, COUNT)))
    asking.start()
    os.killpg(ahead, signal.SIGKILL)
    asking.join()
    assert found[0] == "DuckDB ended without a message" or json.loads(found[0])["rows"] == [["5"]]
    assert rows(small, COUNT) == [["5"]]
    assert len(children(small)) == 1


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_none_stays_when_the_server_ends(small, temporary, end):
    [ahead] = children(small)
    small.send_signal(end)
    small.wait(timeout=120)
    wait_until(lambda: parent(ahead) is None)
    if end != signal.SIGKILL:
        assert not list(temporary.iterdir())


def test_tables_that_are_made_anew_are_read_anew(tmp_path):
    heap, tables = tmp_path / "a.heapsnapshot", tmp_path / "tables"
    heap.write_text(heap_of(["Item"], 3))
    convert(heap, tables)
    with serving(tables) as served:
        wait_until(lambda: not isinstance(asked(served, COUNT), str), served)
        [before] = children(served)
        heap.write_text(heap_of(["Item"], 7))
        convert(heap, tables, "--force")
        assert rows(served, COUNT) == [["9"]]
        # The process that knew the tables of before is gone.
        [after] = children(served)
        assert after != before and parent(before) is None


def test_the_python_package_takes_its_place(tmp_path, monkeypatch):
    monkeypatch.delenv("HEAPQUARRY_DUCKDB")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("HEAPQUARRY_PYTHON_DUCKDB", os.pathsep.join([sys.executable, str(SCRIPT)]))
    heap = tmp_path / "a.heapsnapshot"
    heap.write_text(heap_of(["Item"], 3))
    with serving(heap) as served:
        wait_until(lambda: not isinstance(asked(served, COUNT), str), served)
        before = children(served)
        assert len(before) == 1 and rows(served, COUNT) == [["5"]]
        assert before != children(served) and len(children(served)) == 1
        assert "syntax error" in asked(served, "SELEC")
    # The command, which prints, too.
    assert "5" in heapquarry("query", heap, COUNT).stdout
