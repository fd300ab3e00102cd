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
# The limit is what the process takes once all is loaded, and `more` KiB: so the sizes of packages do not matter.
CHILD = """
import resource
import sys
import pyarrow
import heapquarry as hq
hq.convert, hq.leaks, hq.open, hq.summary
verb, given, out, more = sys.argv[1:]
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + int(more) * 1024
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    eval(verb)
except (MemoryError, BlockingIOError) as error:  # A thread that gets no memory is to be tried again, to the system.
    print(f"error: not enough memory: {error!r}".splitlines()[0], file=sys.stderr)
    sys.exit(2)
"""


def within(more, folder, verb, given):
    """Exit code and errors of a program that gets so many KiB more once it has started."""
    (folder / "tmp").mkdir(parents=True, exist_ok=True)
    env = os.environ | {"TMPDIR": str(folder / "tmp"), "HEAPQUARRY_CACHE_DIR": str(folder / "tmp" / "cache")}
    command = [sys.executable, "-c", CHILD, verb, str(given), str(folder / "out"), str(more)]
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=300)
    return done.returncode, done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit the address space")
@pytest.mark.parametrize("ask", ASK)
def test_an_allocation_that_fails(ask, tmp_path):
    given, codes = heap_of_strings(tmp_path / "a.heapsnapshot", 8_000), []
    for more in (0, 2_000, 7_000, 15_000, 18_000, 40_000, 80_000, 200_000, 2_000_000):
        folder = tmp_path / str(more)
        code, error = within(more, folder, ASK[ask], given)
        codes.append(code)
        if code:
            assert code == 2 and error.startswith("error: ") and len(error.splitlines()) == 1, (more, code, error)
            assert "memory" in error
            left = [path for path in folder.rglob("*") if path != folder / "tmp"]
            assert left == [], more
    assert codes[0] == 2 and codes[-1] == 0, codes
