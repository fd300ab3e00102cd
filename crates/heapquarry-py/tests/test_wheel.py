"""The wheel in an empty environment, without a compiler: the command and the module."""

import functools
import http.server
import json
import os
import signal
import subprocess
import sys
import tarfile
import threading
import zipfile
from pathlib import Path

import pytest
from conftest import CORPUS, SNAPSHOT, command

WHEEL = os.environ.get("HEAPQUARRY_WHEEL")
pytestmark = pytest.mark.skipif(WHEEL is None, reason="HEAPQUARRY_WHEEL names no wheel: run `cargo xtask test`")
# Bytes of a wheel that is published, and of one for tests, which is not optimised.
LIMIT, LIMIT_OF_TESTS = 12_000_000, 25_000_000


@pytest.fixture(scope="module")
def bin(tmp_path_factory):
    """The folder of programs of the environment, the only one in PATH."""
    folder = tmp_path_factory.mktemp("empty")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = ["-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", WHEEL]
    subprocess.run([folder / "bin/python", *pip], check=True, env={"PATH": str(folder / "bin")})
    return folder / "bin"


def run(bin, *words, **options):
    words = [bin / words[0], *map(str, words[1:])]
    env = {"PATH": str(bin), **options.pop("env", {})}
    return subprocess.run(words, capture_output=True, text=True, timeout=300, env=env, **options)


def test_the_wheel_is_small():
    limit = LIMIT_OF_TESTS if os.environ.get("HEAPQUARRY_PROFILE") == "dev" else LIMIT
    assert Path(WHEEL).stat().st_size <= limit
    with zipfile.ZipFile(WHEEL) as wheel:
        names = wheel.namelist()
        [metadata] = [wheel.read(name).decode() for name in names if name.endswith("/METADATA")]
    assert "heapquarry/py.typed" in names and "heapquarry/_native.pyi" in names
    assert "-abi3-" in WHEEL
    required = [line for line in metadata.splitlines() if line.startswith("Requires-Dist:")]
    assert required and all("extra ==" in line for line in required)


def test_the_sdist_has_all_crates():
    for sdist in Path(WHEEL).parent.glob("*.tar.gz"):
        names = tarfile.open(sdist).getnames()
        assert any(name.endswith("crates/heapquarry-scan/Cargo.toml") for name in names)


def test_the_module_reads_and_converts(bin, tmp_path):
    code = f"""
import heapquarry as hq
file = hq.open({str(SNAPSHOT)!r})
assert sum(map(len, file.batches("js_heap_nodes", ["id"]))) > 10_000
output = hq.convert({str(SNAPSHOT)!r}, {str(tmp_path / "out")!r})
print(file.format, output.status, file.summary()["overview"] is not None if "overview" in file.summary() else True)
"""
    done = run(bin, "python", "-c", code)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("heapsnapshot complete")


def test_wheels_have_the_server_for_agents(bin):
    """`python -m heapquarry mcp`."""
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    begin = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
    done = run(bin, "python", "-m", "heapquarry", "mcp", input=begin + "\n")
    assert json.loads(done.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "heapquarry", done.stderr


# What the command is asked, and its exit code.
ASKED = [
    (["--version"], 0),
    (["--help"], 0),
    (["summary", SNAPSHOT], 0),
    (["info", SNAPSHOT, "--json"], 0),
    (["schema", "js_heap_nodes"], 0),
    (["leaks", SNAPSHOT, SNAPSHOT, "--fail-on", "leaks.count > -1"], None),
    (["nonsense", "--nonsense"], 2),
    (["summary", "/none"], 2),
    (["completions", "bash"], 0),
    ([], 2),
]


@pytest.mark.parametrize("args, code", ASKED, ids=lambda value: str(value)[:20])
def test_the_command_is_the_command(bin, args, code):
    # Named, as lines of the help are as long as the environment says: `readline` sets it behind Python's back.
    env = {"COLUMNS": "90"}
    expected = command(*args, env=env)
    assert code is None or expected.returncode == code
    for words in [["heapquarry"], ["python", "-m", "heapquarry"]]:
        done = run(bin, *words, *args, env=env)
        assert (done.returncode, done.stdout, done.stderr) == (
            expected.returncode,
            expected.stdout,
            expected.stderr,
        )


def test_a_reader_that_stops_early_is_no_failure(bin):
    line = "heapquarry schema; echo $? >&2"
    shell = subprocess.Popen(
        ["/bin/sh", "-c", f"({line}) | /usr/bin/head -1"],
        env={"PATH": str(bin)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    out, err = shell.communicate(timeout=60)
    assert out.count("\n") == 1 and err == "0\n"


class Ranges(http.server.BaseHTTPRequestHandler):
    """Answers every path with parts of one file."""

    content = (CORPUS / "handmade/bun.heapsnapshot").read_bytes()

    def do_HEAD(self):
        self.send_response(200)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(self.content)))
        self.end_headers()

    def do_GET(self):
        first, last = self.headers["Range"].removeprefix("bytes=").split("-")
        part = self.content[int(first) : int(last or len(self.content)) + 1]
        self.send_response(206)
        self.send_header("Content-Length", str(len(part)))
        self.send_header("Content-Range", f"bytes {first}-{int(first) + len(part) - 1}/{len(self.content)}")
        self.end_headers()
        self.wfile.write(part)

    def log_message(self, *_):
        pass


def test_a_wheel_reads_from_a_server(bin):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{server.server_port}/app.heapsnapshot"
        local = run(bin, "heapquarry", "summary", CORPUS / "handmade/bun.heapsnapshot", "--json")
        there = run(bin, "heapquarry", "summary", address, "--json")
        assert there.returncode == 0, there.stderr
        assert json.loads(there.stdout)["totals"] == json.loads(local.stdout)["totals"]
        code = f"import heapquarry; print(heapquarry.open({address!r}).format)"
        done = run(bin, "python", "-c", code)
        assert (done.returncode, done.stdout) == (0, "heapsnapshot\n"), done.stderr
    finally:
        server.shutdown()


def test_standard_input_is_read(bin, tmp_path):
    with SNAPSHOT.open("rb") as file:
        done = run(bin, "heapquarry", "convert", "-", "-q", "-o", tmp_path / "out", stdin=file)
    assert done.returncode == 0 and (tmp_path / "out/js_heap_nodes.parquet").exists()


@pytest.mark.parametrize("verb", ["convert", "info"])
def test_an_interrupt_ends_the_command_as_it_ends_the_native_one(bin, verb, tmp_path):
    fifo = tmp_path / "in.heapsnapshot"
    os.mkfifo(fifo)
    binary = os.environ.get("HEAPQUARRY_BIN")
    ends = []
    for program in [binary, bin / "heapquarry"]:
        words = [program, verb, fifo, *(["-o", tmp_path / "out"] if verb == "convert" else [])]
        # What runs in the background may ignore interrupts, and so would what it starts.
        heed = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
        child = subprocess.Popen(
            words, env={"PATH": str(bin)}, stderr=subprocess.PIPE, text=True, preexec_fn=heed
        )
        # It waits for the rest, which never comes.
        with fifo.open("wb") as file:
            file.write(b'{"snapshot":')
            file.flush()
            child.send_signal(signal.SIGINT)
            ends.append((child.wait(timeout=60), child.stderr.read()))
    assert ends[0] == ends[1] and not (tmp_path / "out").exists()


def test_bytes_that_are_no_text_are_names_too(bin, tmp_path):
    name = os.fsdecode(b"\xff.heapsnapshot")
    (tmp_path / name).write_bytes((CORPUS / "handmade/bun.heapsnapshot").read_bytes())
    done = subprocess.run([bin / "heapquarry", "info", tmp_path / name], capture_output=True)
    expected = subprocess.run([os.environ["HEAPQUARRY_BIN"], "info", tmp_path / name], capture_output=True)
    assert done.returncode == 0 and done == subprocess.CompletedProcess(
        done.args, 0, expected.stdout, expected.stderr
    ) or done.stdout == expected.stdout
