"""Captures: `open` makes the files that it opens, where the server allows that."""

import json
import re
import shutil
import subprocess

import pytest
from conftest import run
from test_python_sdk import ask, refused

# A program that grows all the time.
PROGRAM = """
class Wombat { constructor(n) { this.page = 'page ' + n; } }
globalThis.wombats = [];
setInterval(() => { for (let n = 0; n < 20; n++) wombats.push(new Wombat(n)); }, 5);
console.log('ready');
"""


@pytest.fixture
def inspected():
    """A running Node, and the port of its inspector."""
    if not shutil.which("node"):
        pytest.skip("there is no node")
    process = subprocess.Popen(
        ["node", "--inspect=0", "-e", PROGRAM],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        port = re.search(r"ws://\S+?:(\d+)/", process.stderr.readline())[1]
        assert process.stdout.readline() == "ready\n"
        yield int(port)
    finally:
        process.kill()
        process.communicate()


def test_a_process_is_captured_where_that_is_allowed(connect, inspected, tmp_path):
    async def test():
        args = {"input": ["a.heapsnapshot"], "port": inspected}
        async with connect(root=tmp_path) as client:
            assert "--allow-capture" in await refused(client, "open", **args)
            assert all(tool.annotations.read_only_hint for tool in (await client.list_tools()).tools)
        assert not list(tmp_path.glob("*.heapsnapshot"))
        async with connect("--allow-capture", root=tmp_path) as client:
            writes = [tool.name for tool in (await client.list_tools()).tools if not tool.annotations.read_only_hint]
            assert writes == ["open"]
            one = await ask(client, "open", **args)
            assert one["files"][0]["byte_size"] == (tmp_path / "a.heapsnapshot").stat().st_size
            assert "is there already" in await refused(client, "open", **args)
            # Several are of one connection: objects keep their ids.
            names = [f"{number}.heapsnapshot" for number in (1, 2, 3)]
            several = await ask(client, "open", input=names, port=inspected, seconds=1)
            assert [file["input"] for file in several["files"]] == names
            tool, args = several["next"][0].split(" ", 1)
            assert tool == "leaks" and json.loads(args) == {"input": names}
            leaks = await ask(client, "leaks", input=names)
            assert not any("ids" in caveat for caveat in leaks["caveats"]), leaks["caveats"]
            profile = await ask(client, "open", input=["a.cpuprofile"], port=inspected, seconds=1)
            assert "profile" in profile["files"][0]["format"].lower()

    run(test)


def test_what_is_captured_is_redacted_on_its_way_to_the_disk(connect, inspected, tmp_path):
    async def test():
        async with connect("--allow-capture", "--redact", "full", root=tmp_path) as client:
            await ask(client, "open", input=["a.heapsnapshot"], port=inspected)
            text = (tmp_path / "a.heapsnapshot").read_bytes()
            assert b"Wombat" not in text and b"page 7" not in text

    run(test)
