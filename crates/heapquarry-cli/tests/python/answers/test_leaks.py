"""`leaks` on programs that Node records here: a handful of those that `cargo xtask leaks` runs, held to the same bar."""

import errno
import gzip
import json
import os
import shutil
import signal
import subprocess
import time

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
    assert (finding["counts"], finding["made_at"]["place"]) == ([800, 1200, 1600], f"leak.js:{constructor}")
    page = (ROOT / "docs/leaks.md").read_text()
    shown = subprocess.run([binary(), "leaks", *snapshots], capture_output=True, text=True, check=True).stdout
    assert shown in page


def opened(pipe, child):
    """The pipe, as soon as `child` reads it. Where it never does, that is a failure and no test that hangs."""
    for _ in range(3000):
        assert child.poll() is None
        try:
            end = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            assert error.errno == errno.ENXIO
            time.sleep(0.1)
            continue
        os.set_blocking(end, True)
        return open(end, "wb")
    child.kill()
    raise AssertionError("nothing was read before all names were there")


def test_snapshots_are_read_as_they_are_named(tmp_path):
    snapshots = [ROOT / f"corpus/leak/{number}.heapsnapshot.gz" for number in (1, 2, 3)]
    asked = subprocess.run([binary(), "leaks", "--json", *snapshots], capture_output=True, text=True, check=True)
    command = [binary(), "leaks", "--json", "-q", "--files-from"]
    names = tmp_path / "names"
    names.write_text("".join(f"{path}\n" for path in snapshots))
    listed = subprocess.run([*command, names], capture_output=True, text=True, check=True)
    assert listed.stdout == asked.stdout
    # The first one is opened before the second one is named: a pipe can be opened for writing only while it is read.
    pipe = tmp_path / "1.heapsnapshot"
    os.mkfifo(pipe)
    child = subprocess.Popen([*command, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    child.stdin.write(f"{pipe}\n")
    child.stdin.flush()
    with opened(pipe, child) as out:
        out.write(gzip.decompress(snapshots[0].read_bytes()))
    out, _ = child.communicate(f"{snapshots[1]}\n\n{snapshots[2]}\n", timeout=300)
    assert child.returncode == 0 and out.replace(str(pipe), str(snapshots[0])) == asked.stdout
    for text, said in [
        ("", "no snapshot"),
        (f"{tmp_path}/none\n", "cannot open input"),
    ]:
        done = subprocess.run([*command, "-"], input=text, capture_output=True, text=True)
        assert done.returncode == 2 and said in done.stderr, done.stderr
    # An interrupt ends the wait for the next name.
    names = tmp_path / "names.pipe"
    os.mkfifo(names)
    child = subprocess.Popen([*command, names], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with opened(names, child):
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=120) == 130
    done = subprocess.run([*command, tmp_path / "missing"], capture_output=True, text=True)
    assert done.returncode == 2 and "missing" in done.stderr
