"""`capture` of a worker in workerd, alone and below `wrangler dev`. Both come from npm, and take 400 MB while they are
there."""

import contextlib
import json
import os
import platform
import re
import shutil
import signal
import socket
import subprocess
import threading
import urllib.request

import pyarrow.parquet as pq
import pytest
from conftest import assert_same, convert, heapquarry, plain, read_rows, wait_until

# The newest version for Node 20 when this was written. It brings its workerd.
WRANGLER = "wrangler@4.86.0"
WORKER = """
class Marker { constructor(n) { this.n = n; } }
const markers = Array.from({ length: 777 }, (_, n) => new Marker(n));
function busy() { let sum = 0; for (let n = 0; n < 3e6; n++) sum += Math.sqrt(n); return sum > 0; }
export default { fetch: () => new Response(busy() && String(markers.length)) };
"""
CONFIG = """
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
  compatibilityDate = "2024-09-01",
);
"""
# Codes of npm, or of the system, for a registry that cannot be reached.
UNREACHABLE = r"\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|E50[234])\b"
SETTINGS = {"name": "markers", "main": "worker.mjs", "compatibility_date": "2024-09-01"}


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    is_built = (platform.system(), platform.machine()) == ("Linux", "x86_64")
    if not (is_built and shutil.which("node") and shutil.which("npm")):
        pytest.skip("needs node with npm, and a workerd for Linux on x86-64")
    folder = tmp_path_factory.mktemp("wrangler")
    install = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
    done = subprocess.run([*install, WRANGLER], cwd=folder, capture_output=True, text=True, timeout=600)
    if done.returncode and re.search(UNREACHABLE, done.stderr):
        pytest.skip(f"npm cannot be reached: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stderr
    yield folder / "node_modules"
    shutil.rmtree(folder / "node_modules")


@contextlib.contextmanager
def started(folder, *command):
    """A program in a folder with the worker, and what it prints. Whatever it has started ends with it."""
    (folder / "worker.mjs").write_text(WORKER)
    (folder / "config.capnp").write_text(CONFIG)
    (folder / "wrangler.json").write_text(json.dumps(SETTINGS))
    printed = folder / "printed"
    env = os.environ | {"HOME": str(folder), "CI": "1", "WRANGLER_SEND_METRICS": "false"}
    with printed.open("w") as output:
        streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": subprocess.STDOUT}
        process = subprocess.Popen(command, cwd=folder, env=env, **streams, start_new_session=True)
    try:
        yield lambda pattern: wait_until(lambda: re.search(pattern, printed.read_text()), process)[1]
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextlib.contextmanager
def workerd(packages, folder):
    """Ports of the worker and of the inspector of a workerd."""
    program = packages / "@cloudflare" / "workerd-linux-64" / "bin" / "workerd"
    with started(folder, program, "serve", "config.capnp", "--inspector-addr=127.0.0.1:0", "--control-fd=1") as port_of:
        yield port_of(r'"http","port":(\d+)'), port_of(r'"listen-inspector","port":(\d+)')


@contextlib.contextmanager
def wrangler(packages, folder):
    """Ports of the worker and of the inspector of a `wrangler dev`."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
    program = ["node", packages / "wrangler" / "bin" / "wrangler.js", "dev"]
    with started(folder, *program, "--ip", "127.0.0.1", "--port", "0", "--inspector-port", port) as port_of:
        yield port_of(r"Ready on http://[^:]*:(\d+)"), port


@contextlib.contextmanager
def asked(port):
    """A worker that answers all the time."""
    ask = lambda: urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=300).read()
    assert ask() == b"777"
    done = threading.Event()

    def go_on():
        while not done.is_set():
            ask()

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize("runs", [workerd, wrangler], ids=["workerd", "wrangler dev"])
def test_a_worker(packages, tmp_path, runs):
    with runs(packages, tmp_path) as (port, inspector):
        (line,) = heapquarry("capture", inspector, "--list").stdout.splitlines()
        assert "  node  " in line
        for kind, more in {"heap": [], "cpu": ["--for", "2s"]}.items():
            raw, tables = tmp_path / f"{kind}.raw", tmp_path / kind
            with asked(port):
                heapquarry("capture", inspector, "--kind", kind, *more, "--raw", raw, "-o", tables)
            converted = convert(raw, tmp_path / f"{kind}-converted", "--strict")
            for path in converted.glob("*.parquet"):
                if path.stem != "source":
                    assert_same(plain(pq.read_table(tables / path.name)), plain(pq.read_table(path)), path.stem)
            assert [row["status"] for row in read_rows(tables, "source")] == ["complete"]
    nodes = read_rows(tmp_path / "heap", "js_heap_nodes")
    assert sum(node["name"] == "Marker" and node["type"] == "object" for node in nodes) == 777
    time = {}
    for node in read_rows(tmp_path / "cpu", "js_cpu_profiler_node"):
        time[node["function_name"]] = time.get(node["function_name"], 0) + node["self_time_us"]
    assert time["busy"] > 0, time
