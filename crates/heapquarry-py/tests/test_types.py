"""Types: the stubs are those of the module, and the examples are typed."""

import subprocess
import sys
from pathlib import Path

CRATE = Path(__file__).resolve().parents[1]


def run(*words):
    words = [sys.executable, *map(str, words)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=CRATE)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stub_is_that_of_the_module():
    run("-m", "mypy.stubtest", "heapquarry._native")


def test_the_package_and_the_examples_are_typed():
    run("-m", "mypy", "--strict", "python/heapquarry", "examples")
