"""Memory outside of the heap by owner, held against the truth of a program that makes it."""

import json
import shutil
import subprocess

import pytest
from conftest import heapquarry

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(not NODE, reason="there is no node")

PROGRAM = """
const v8 = require('v8');
class Cache { constructor() { this.pages = Array.from({ length: 3 }, () => Buffer.alloc(1_000_000, 1)); } }
class Pinned { constructor() { this.head = Buffer.alloc(2_000_000, 1).subarray(0, 10); } }
class Shared { constructor() { this.all = new SharedArrayBuffer(700_000); } }
class Numbers { constructor() { this.all = new Float64Array(100_000); this.part = this.all.subarray(5); } }
class Module { constructor() { this.memory = new WebAssembly.Memory({ initial: 20 }); } }
class Left { constructor(both) { this.both = both; } }
class Right { constructor(both) { this.both = both; } }
class Pair { constructor() { const both = Buffer.alloc(300_000); this.all = [new Left(both), new Right(both)]; } }
class Headers {
  constructor() {
    this.all = [];
    for (let i = 0; i < 50; i += 1) {
      this.all.push(Buffer.allocUnsafe(64));
      for (let n = 0; n < 16; n += 1) Buffer.allocUnsafe(Buffer.poolSize / 16);
    }
  }
}
globalThis.keep = [Cache, Pinned, Shared, Numbers, Module, Pair, Headers].map((made) => new made());
v8.writeHeapSnapshot(process.argv[1]);
console.log(Buffer.poolSize);
"""


def test_who_has_the_buffers_is_the_truth_of_the_program(tmp_path):
    snapshot = tmp_path / "a.heapsnapshot"
    done = subprocess.run([NODE, "-e", PROGRAM, snapshot], capture_output=True, text=True, check=True, timeout=120)
    pool = int(done.stdout)
    answer = json.loads(heapquarry("summary", snapshot, "--json").stdout)["off_heap"]
    owners = {(row["kind"], row["owner_class"], row["within"]): row for row in answer["owners"]["rows"]}
    for kind, owner, within, size, count, views in [
        ("array_buffer", "Array", "Cache", 3_000_000, 3, 3),
        # The slice keeps all of the buffer; the whole buffer is gone.
        ("array_buffer", "Pinned", None, 2_000_000, 1, 1),
        ("shared_array_buffer", "Shared", None, 700_000, 1, 0),
        ("array_buffer", "Numbers", None, 800_000, 1, 2),
        ("wasm", "Module", None, 20 * 65_536, 1, 0),
        # What two objects of one array have is the array's.
        ("array_buffer", "Array", "Pair", 300_000, 1, 1),
    ]:
        found = owners[kind, owner, within]
        assert (found["size"], found["count"], found["view_count"]) == (size, count, views), found
    # Each header is in a block of its own, or the first is in that of somebody else.
    headers = owners["array_buffer", "Array", "Headers"]
    assert headers["largest"] == pool and headers["size"] == headers["count"] * pool
    assert 49 <= headers["count"] == headers["view_count"] <= 50
    assert sum(row["size"] for row in answer["owners"]["rows"]) == answer["size"]
