"""Where the system gives no memory: a MemoryError, or one line and exit code 2. Nothing is left, and nothing aborts."""

import os
import subprocess
import sys

import pytest
from test_limits import heap_of_strings

# Without SQL: DuckDB ends with a signal where it cannot have memory for a connection.
ASK = {
    "convert": "hq.convert(given, out, threads=2)",
    "summary": "hq.summary(given, threads=2)",
    "leaks": "hq.leaks(given, given, threads=2)",
    "to_pyarrow": "hq.open(given, threads=2)['js_heap_string'].to_pyarrow()",
    "batches": "sum(len(batch) for batch in hq.open(given, threads=2).batches('js_heap_nodes'))",
}
# What is not the package's is there before, so that it is not counted.
CHILD = """
import sys
import pyarrow
import heapquarry as hq
hq.convert, hq.leaks, hq.open, hq.summary
verb, given, out = sys.argv[1:]
try:
    eval(verb)
except (MemoryError, BlockingIOError) as error:  # A thread that gets no memory is to be tried again, to the system.
    print(f"error: not enough memory: {error!r}".splitlines()[0], file=sys.stderr)
    sys.exit(2)
"""


def within(kib, folder, verb, given=""):
    """Exit code and errors of a program in so much address space."""
    (folder / "tmp").mkdir(parents=True, exist_ok=True)
    env = os.environ | {"TMPDIR": str(folder / "tmp"), "HEAPQUARRY_CACHE_DIR": str(folder / "tmp" / "cache")}
    command = [sys.executable, "-c", CHILD, verb, str(given), str(folder / "out")]
    limited = ["sh", "-c", f'ulimit -v {kib} && exec "$0" "$@"', *command]
    done = subprocess.run(limited, capture_output=True, text=True, env=env, timeout=300)
    return done.returncode, done.stderr


@pytest.fixture(scope="module")
def smallest(tmp_path_factory):
    """What the interpreter with all packages takes, in KiB: how large they are depends on how they are built."""
    folder = tmp_path_factory.mktemp("smallest")
    return next(kib for kib in range(200_000, 2_000_000, 30_000) if within(kib, folder, "0") == (0, ""))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit the address space")
@pytest.mark.parametrize("ask", ASK)
def test_an_allocation_that_fails(ask, smallest, tmp_path):
    given, codes = heap_of_strings(tmp_path / "a.heapsnapshot", 8_000), []
    for more in (0, 15_000, 40_000, 80_000, 18_000, 200_000):
        folder = tmp_path / str(more)
        code, error = within(smallest + more, folder, ASK[ask], given)
        codes.append(code)
        if code:
            assert code == 2 and error.startswith("error: ") and len(error.splitlines()) == 1, (more, code, error)
            assert "memory" in error
            left = [path for path in folder.rglob("*") if path != folder / "tmp"]
            assert left == [], more
    assert 2 in codes
