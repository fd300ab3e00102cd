"""Captures: `open` makes the files that it opens, where the server allows that."""

import json
import re
import shutil
import signal
import subprocess

import anyio
import pytest
from conftest import run
from test_python_sdk import ask, refused

# A program that grows all the time.
PROGRAM = """
class Wombat { constructor(n) { this.page = 'page ' + n; } }
globalThis.wombats = [];
const grow = (count) => { for (let n = 0; n < count; n++) wombats.push(new Wombat(n)); };
grow(100_000);
setInterval(grow, 5, 20);
console.log('ready');
"""


@pytest.fixture
def node():
    """A running Node, with the port of its inspector."""
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
        process.port = int(re.search(r"ws://\S+?:(\d+)/", process.stderr.readline())[1])
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def inspected(node):
    """The port of a running Node."""
    return node.port


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
            seen = []

            async def progress(done, total, message):
                seen.append((done, total, message))

            asked = {"input": names, "port": inspected, "seconds": 1}
            result = await client.call_tool("open", asked, progress_callback=progress)
            several = result.structured_content
            # Bytes and pieces of each that came, by its name. How many will come is not known.
            captured = [one for one in seen if one[2].startswith("captured ")]
            assert [done for done, _, _ in seen] == sorted({done for done, _, _ in seen}), seen
            assert captured and all(total is None for _, total, _ in captured), seen
            assert all(re.fullmatch(r"captured [\d.]+ \wB in \d+ pieces?: [123]\.heapsnapshot", text) for _, _, text in captured), seen
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
            # What the process took is known of a copy without secrets, too, and where the file is stays private.
            opened = await ask(client, "open", input=["a.heapsnapshot"])
            assert opened["process"]["rss"] > 1_000_000
            assert str(tmp_path) not in json.dumps(opened)
            tables = await ask(client, "query", input=["a.heapsnapshot"], sql="SELECT count(*) AS n FROM process_sample")
            assert tables["rows"]["rows"][0][0] > 0

    run(test)


def test_a_capture_that_is_cancelled_leaves_nothing(connect, node, tmp_path):
    names = [f"{number}.heapsnapshot" for number in (1, 2, 3)]
    files = lambda: sorted(path.name for path in tmp_path.iterdir() if path.name != "cache")

    async def test():
        async with connect("--allow-capture", root=tmp_path) as client:
            for wanted in (["a.heapsnapshot"], names, ["a.cpuprofile"], ["a.heaptimeline"]):
                begun = anyio.Event()

                async def progress(done, total, message):
                    begun.set()

                async with anyio.create_task_group() as tasks:
                    args = {"input": wanted, "port": node.port, "seconds": 60}
                    tasks.start_soon(lambda: client.call_tool("open", args, progress_callback=progress))
                    if wanted[0].endswith(".heapsnapshot"):
                        with anyio.fail_after(120):
                            await begun.wait()
                            # Of several the first one is whole then.
                            while len(wanted) > 1 and wanted[0] not in files():
                                await anyio.sleep(0.05)
                        # However late this is told, no heap becomes whole from here on.
                        node.send_signal(signal.SIGSTOP)
                    else:
                        # Of these nothing is told before their time is over.
                        await anyio.sleep(1)
                    tasks.cancel_scope.cancel()
                with anyio.fail_after(30):
                    # The server ends its work after it has told that it would.
                    while files():
                        await anyio.sleep(0.05)
                await anyio.sleep(0.5)
                assert not files(), wanted
                node.send_signal(signal.SIGCONT)
            # The process lives, and the names are free.
            one = await ask(client, "open", input=["1.heapsnapshot"], port=node.port)
            assert one["files"] and "1.heapsnapshot" in files()

    run(test)
