"""Limits of the caller hold for every function and every kind of input."""

import gzip
import io

import pytest
from conftest import CORPUS

import heapquarry as hq
from heapquarry.errors import MemoryLimitError

HEAP = CORPUS / "node22.heapsnapshot.gz"
LIMIT = 100_000


class Endless:
    """A file object without end. Knows how much was read of it."""

    def __init__(self, start):
        self.start, self.read_so_far = start, 0

    def read(self, size=-1, /):
        piece = self.start + b" " * (size - len(self.start))
        self.start, self.read_so_far = b"", self.read_so_far + size
        return piece


INPUTS = {
    "path": lambda: HEAP,
    "packed bytes": lambda: HEAP.read_bytes(),
    "file object": lambda: io.BytesIO(gzip.decompress(HEAP.read_bytes())),
    "packed file object": lambda: io.BytesIO(HEAP.read_bytes()),
}
ASK = {
    "open": lambda given, out, **how: hq.open(given, **how).documents,
    "summary": lambda given, out, **how: hq.summary(given, **how),
    "diff": lambda given, out, **how: hq.diff(CORPUS / "handmade/bun.heapsnapshot", given, **how),
    "leaks": lambda given, out, **how: hq.leaks(CORPUS / "handmade/bun.heapsnapshot", given, **how),
    "convert": lambda given, out, **how: hq.convert(given, out, **how),
    "check": lambda given, out, **how: hq.check(given, budget(out), **how),
}


def budget(out):
    path = out.with_suffix(".toml")
    path.write_text('[total]\nsize = "1 GB"\n')
    return path


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("ask", ASK)
def test_max_spool_holds(ask, kind, tmp_path):
    with pytest.raises(hq.InputError, match="would exceed"):
        ASK[ask](INPUTS[kind](), tmp_path / "out", max_spool=LIMIT)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("ask", ["summary", "diff", "leaks"])
def test_memory_holds(ask, tmp_path):
    with pytest.raises(MemoryLimitError):
        ASK[ask](HEAP, tmp_path / "out", memory=1000)


@pytest.mark.parametrize(("start", "most"), [(b" ", 1 << 20), (b"hello", 1 << 20), (b"{", LIMIT + (1 << 20))])
def test_what_has_no_end_is_not_read_for_long(start, most):
    endless = Endless(start)
    with pytest.raises(hq.InputError):
        hq.open(endless, max_spool=LIMIT)
    assert endless.read_so_far <= most
