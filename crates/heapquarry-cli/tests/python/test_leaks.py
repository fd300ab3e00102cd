"""`leaks` on programs that Node records here: a handful of those that `cargo xtask leaks` runs, held to the same bar."""

import shutil
import subprocess

import pytest
from conftest import ROOT, binary

NODE = shutil.which("node")
# One for each rule: members in a field, of many containers, shared with a cache, listeners, references, bytes, moving;
# and harmless ones.
PROGRAMS = ["map-field", "distributed", "leak-in-lru-too", "listeners", "duplicates", "cons-string", "two-slots", "none-lru", "none-ring"]


@pytest.mark.skipif(not NODE, reason="there is no node")
def test_what_programs_leak_is_the_first_finding(tmp_path):
    program = ROOT / "benches/leaks/run.mjs"
    options = [f"--heapquarry={binary()}", f"--scratch={tmp_path}", "--snapshots=2,3", "--strict", f"--only={','.join(PROGRAMS)}"]
    done = subprocess.run([NODE, program, *options], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 snapshots | 7/7 | 7/7 | 7/7" in done.stdout, done.stdout
