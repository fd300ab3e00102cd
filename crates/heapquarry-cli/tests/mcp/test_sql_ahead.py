"""The processes of DuckDB that the server starts ahead: each takes one query, and none is left behind."""

import os
import shutil
import signal
import time

import pytest
from conftest import CORPUS, LEAK, run
from test_python_sdk import ask, refused

COUNT = "SELECT count(*) AS n FROM js_heap_nodes"


def parent(pid):
    """The process that has started one; `None` if it has ended."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            state, above = stat.read().rpartition(")")[2].split()[:2]
    except OSError:
        return None
    return None if state == "Z" else int(above)


def children(process):
    return [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and parent(pid) == process]


def test_each_process_takes_one_query(connect):
    async def test():
        async with connect() as client:
            [server] = children(os.getpid())
            answer = await ask(client, "query", input=[LEAK], sql=COUNT)
            [before] = children(server)
            for sql in (COUNT, "SELEC", COUNT):
                if sql == COUNT:
                    assert (await ask(client, "query", input=[LEAK], sql=sql))["rows"] == answer["rows"]
                else:
                    await refused(client, "query", input=[LEAK], sql=sql)
                [after] = children(server)
                assert after != before and parent(before) is None
                before = after

    run(test)


def test_there_are_few_of_them(connect, tmp_path):
    names = [f"{number}.gz" for number in range(6)]
    for name in names:
        shutil.copy(CORPUS / LEAK, tmp_path / name)

    async def test():
        async with connect(root=tmp_path) as client:
            [server] = children(os.getpid())
            for expected, name in enumerate(names, 1):
                await ask(client, "query", input=[name], sql=COUNT)
                assert len(children(server)) == min(expected, 4)

    run(test)


def test_tables_that_are_not_kept_have_none(connect):
    """Those of the next query would be others."""

    async def test():
        async with connect("--redact", "values") as client:
            [server] = children(os.getpid())
            for _ in range(2):
                await ask(client, "query", input=[LEAK], sql=COUNT)
                assert children(server) == []

    run(test)


@pytest.mark.parametrize("end", ["client", signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_none_stays_when_the_server_ends(connect, tmp_path, monkeypatch, end):
    monkeypatch.setenv("TMPDIR", str(tmp_path))

    async def test():
        async with connect() as client:
            [server] = children(os.getpid())
            await ask(client, "query", input=[LEAK], sql=COUNT)
            [ahead] = children(server)
            if end != "client":
                os.kill(server, end)
                while parent(server) is not None:
                    time.sleep(0.01)
        while parent(ahead) is not None:
            time.sleep(0.01)
        if end != signal.SIGKILL:
            assert not list(tmp_path.glob("heapquarry-*"))

    run(test)
