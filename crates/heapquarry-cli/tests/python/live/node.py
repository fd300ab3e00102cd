"""A running Node, with workers."""

import contextlib
import re
import shutil
import subprocess
import threading

import pytest

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(not NODE, reason="there is no node")

# One worker, with 300 objects of a class of its own.
WORKERS = """
const { Worker } = require('worker_threads');
const run = "class Inner { constructor(n) { this.n = n; } } " +
  "globalThis.kept = Array.from({ length: 300 }, (_, n) => new Inner(n)); " +
  "require('worker_threads').parentPort.postMessage(0); setInterval(() => {}, 1000);";
const worker = new Worker(run, { eval: true, name: 'inner' });
worker.once('message', () => console.log('ready'));
"""


@contextlib.contextmanager
def node_with_worker(program=WORKERS):
    pipe = subprocess.PIPE
    args = [NODE, "--inspect=0", "-e", program]
    process = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True)
    try:
        process.port = re.search(r":(\d+)/", process.stderr.readline())[1]
        threading.Thread(target=process.stderr.read, daemon=True).start()
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.wait()
