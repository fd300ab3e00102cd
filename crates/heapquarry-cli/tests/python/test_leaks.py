"""`leaks` on programs that Node records here: a handful of those that `cargo xtask leaks` runs, held to the same bar."""

import json
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


def test_the_walk_through(tmp_path):
    """The snapshots of docs/leaks.md and README."""
    snapshots = [ROOT / f"corpus/leak/{number}.heapsnapshot.gz" for number in (1, 2, 3)]
    done = subprocess.run([binary(), "leaks", "--json", *snapshots], capture_output=True, text=True, check=True)
    [finding] = json.loads(done.stdout)["findings"]
    lines = (ROOT / "corpus/generate/leak.js").read_text().splitlines()
    constructor = 1 + lines.index("  constructor(user) {")
    assert (finding["owner"], finding["leaked"]) == ("SessionStore.sessions", "Session")
    assert (finding["counts"], finding["made_at"]) == ([800, 1200, 1600], f"leak.js:{constructor}")
    page = (ROOT / "docs/leaks.md").read_text()
    shown = subprocess.run([binary(), "leaks", *snapshots], capture_output=True, text=True, check=True).stdout
    assert shown in page
