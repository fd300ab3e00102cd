"""Limits of the server hold for every tool and every kind of input."""

import subprocess

import pytest
from conftest import binary, run
from test_python_sdk import ask, refused

HEAP = "node22.heapsnapshot.gz"
# Each kind of input, with a list that `top` has of it.
INPUTS = {
    HEAP: "classes",
    "traces/chromium.trace.json.gz": "slices",
    "ftrace/tgid.ftrace": "slices",
    "profiles/node26.cpuprofile": "functions",
    "profiles/node26.heapprofile": "functions",
    "profiles/chromium.selfprofile.json": "functions",
    "pprof/go-heap.pb": "functions",
}


def calls(name):
    """What can be asked of an input, by tool."""
    asked = {
        "open": {"input": [name]},
        "top": {"input": [name], "by": INPUTS[name]},
        "find": {"input": [name], "name": "a*"},
        "compare": {"input": [name, name]},
        "query": {"input": [name], "sql": "SELECT 1 AS one"},
    }
    if name == HEAP:
        asked |= {"leaks": {"input": [name, name]}, "inspect": {"input": [name], "class": "Object"}}
    return asked


@pytest.mark.parametrize("name", INPUTS)
def test_memory_holds(connect, name):
    async def test():
        async with connect("--memory", "1kB") as client:
            for tool, args in calls(name).items():
                why = await refused(client, tool, **args)
                assert "not enough memory" in why and "start the server with --memory SIZE" in why, (tool, why)
        async with connect("--memory", "1GB") as client:
            for tool, args in calls(name).items():
                await ask(client, tool, **args)

    run(test)


def test_temporary_files_have_a_limit(connect):
    async def test():
        async with connect("--max-spool", "10kB") as client:
            for tool, args in calls(HEAP).items():
                why = await refused(client, tool, **args)
                assert "would exceed 10000 bytes" in why and "start the server with --max-spool SIZE" in why, (tool, why)

    run(test)


def test_threads_are_those_of_the_server(connect):
    async def test():
        async with connect("--threads", "1") as client:
            for tool, args in calls(HEAP).items():
                await ask(client, tool, **args)

    run(test)
    command = [binary(), "mcp", "--threads", "0"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "--threads" in done.stderr
