"""`--memory` holds: the work is refused, or takes no more than the limit and what the process itself takes.

A question of a kept index takes no more than a part of it.
"""

import random
import subprocess
import sys

import pytest
from conftest import ROOT, binary, heapquarry

STRINGS = 100_000
# A worker's row groups and buffers, the program itself, and what the allocator keeps for a second.
OF_PROCESS = 120e6


@pytest.fixture(scope="module")
def strings(tmp_path_factory):
    """A heap that is nearly all text: strings of 1.4 kB, each with a node of its own. 144 MB."""
    path = tmp_path_factory.mktemp("memory") / "a.heapsnapshot"
    subprocess.run([sys.executable, ROOT / "benches" / "strings.py", path, str(STRINGS)], check=True)
    return path


# A process of its own, as a child counts the memory of its parent until it runs the program.
MEASURE = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
process.stderr.read()
_, status, usage = os.wait4(process.pid, 0)
process.returncode = os.waitstatus_to_exitcode(status)
print(process.returncode, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""


def peak(*args):
    """Exit code and peak memory in bytes."""
    command = [sys.executable, "-c", MEASURE, binary(), *map(str, args)]
    code, taken = subprocess.check_output(command, text=True).split()
    return int(code), int(taken)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no wait4")
@pytest.mark.parametrize("options", [[], ["--max-spool", "1kB"]], ids=["spooled", "kept"])
def test_a_limit_is_kept_or_refused(strings, tmp_path, options):
    outcomes = set()
    for megabytes in (10, 25, 142):
        limits = ["--memory", f"{megabytes}MB", "--threads", 1, "--force"]
        code, taken = peak("convert", "-q", strings, "-o", tmp_path / "out", *limits, *options)
        allowed = OF_PROCESS + (megabytes * 1e6 if code == 0 else 0)
        assert code in (0, 2) and taken <= allowed, f"{megabytes} MB: exit code {code} with {taken / 1e6:.0f} MB"
        outcomes.add(code)
    assert 0 in outcomes


@pytest.mark.skipif(sys.platform != "linux", reason="other systems need not take memory of a mapped file back")
def test_a_question_holds_a_part_of_the_index(strings, tmp_path, monkeypatch):
    monkeypatch.setenv("HEAPQUARRY_CACHE_DIR", str(tmp_path / "cache"))
    heapquarry("index", strings)
    options = ["-q", "--threads", 1, "--json"]
    code, itself = peak("show", strings, "--node", 3, *options)
    assert code == 0
    for question in (["--text", "none"], ["--strings"], ["--name", "none*"]):
        # The index has 140 MB of text, and each of these reads all of it. 67 MB may stay.
        code, taken = peak("find", strings, *question, *options)
        assert code == 0 and taken - itself < 100e6, f"{question}: {(taken - itself) / 1e6:.0f} MB"


def trace(out, names):
    """Events, each with a name of its own."""
    events = ('{"ph":"X","name":"%s","ts":%d0,"dur":5,"pid":1,"tid":1}' % (name, n) for n, name in enumerate(names))
    out.write("[")
    out.writelines(line + ",\n" for line in events)
    out.write('{"ph":"X","name":"","ts":0,"dur":5,"pid":1,"tid":1}]')


def cpu_profile(out, names):
    """Functions that the root calls, each with a name of its own."""
    node = '{"id":%d,"parent":1,"callFrame":{"functionName":"%s","scriptId":"1","url":"","lineNumber":1,"columnNumber":1},"hitCount":1}'
    out.write('{"nodes":[')
    out.writelines(node % (n + 2, name) + "," for n, name in enumerate(names))
    out.write((node % (1, "(root)")).replace('"parent":1,', "") + '],"startTime":0,"endTime":1}')


@pytest.mark.skipif(sys.platform == "win32", reason="there is no wait4")
@pytest.mark.parametrize("write", [trace, cpu_profile])
def test_a_trace_or_a_profile_is_refused_before_it_is_in_memory(write, tmp_path):
    bits = random.Random(1)
    little, much = tmp_path / "little.json", tmp_path / "much.json"
    for path, count in ((little, 10), (much, 30_000)):
        with open(path, "w") as out:
            write(out, [f"{n:0700}{bits.randbytes(350).hex()}" for n in range(count)])
    limits = ["summary", "-q", "--threads", 1, "--memory"]
    (code, itself), (done, whole) = peak(*limits, "1GB", little), peak(*limits, "1GB", much)
    assert (code, done) == (0, 0)
    code, taken = peak(*limits, "4MB", much)
    # The text is 42 MB, of which a tenth is allowed; buffers come to it.
    assert code == 2 and taken - itself < (whole - itself) / 2, f"{taken / 1e6:.0f} of {whole / 1e6:.0f} MB"
