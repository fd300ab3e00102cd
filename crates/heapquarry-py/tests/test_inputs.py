"""Everything that can be an input."""

import gzip
import io
import os
import pathlib

import pytest
from conftest import CORPUS, SNAPSHOT

import heapquarry as hq
from heapquarry.inputs import files

PLAIN = gzip.decompress(SNAPSHOT.read_bytes())


class Reads:
    """Has nothing but `read`, and returns less than it is asked for."""

    def __init__(self, content):
        self.content = io.BytesIO(content)

    def read(self, size=-1, /):
        return self.content.read(min(size, 70_000) if size > 0 else size)


@pytest.fixture(scope="module")
def expected():
    return hq.open(SNAPSHOT)["js_heap_nodes"].to_pyarrow()


INPUTS = {
    "str": lambda: str(SNAPSHOT),
    "path": lambda: SNAPSHOT,
    "pure": lambda: pathlib.PurePath(SNAPSHOT),
    "bytes": lambda: PLAIN,
    "packed-bytes": lambda: SNAPSHOT.read_bytes(),
    "bytearray": lambda: bytearray(PLAIN),
    "memoryview": lambda: memoryview(PLAIN),
    "file": lambda: open(SNAPSHOT, "rb"),
    "unbuffered": lambda: open(SNAPSHOT, "rb", buffering=0),
    "bytesio": lambda: io.BytesIO(PLAIN),
    "gzip": lambda: gzip.open(SNAPSHOT),
    "reads": lambda: Reads(PLAIN),
    "list": lambda: [SNAPSHOT],
}


@pytest.mark.parametrize("kind", INPUTS)
def test_every_kind_of_input_has_the_same_rows(kind, expected):
    file = hq.open(INPUTS[kind]())
    table = file["js_heap_nodes"]
    # Twice: each time is a parse of its own.
    assert table.to_pyarrow().equals(expected) and table.to_pyarrow().equals(expected)


def test_a_file_object_is_read_from_where_it_stands(expected):
    joined = io.BytesIO(b"header" + PLAIN)
    joined.seek(6)
    assert hq.open(joined)["js_heap_nodes"].to_pyarrow().equals(expected)


def test_a_changed_name_does_not_mislead(tmp_path):
    path = tmp_path / "a.heapsnapshot"
    path.write_bytes(PLAIN)
    with open(path, "rb") as file:
        os.replace(CORPUS.joinpath("README.md").rename if False else _other(tmp_path), path)
        assert hq.open(file).format == "heapsnapshot"


def _other(folder):
    other = folder / "other"
    other.write_bytes(b"hello")
    return other


def test_what_read_raises_is_raised():
    class Broken:
        def read(self, size, /):
            raise OSError("the disk is gone")

    class Text:
        def read(self, size, /):
            return "text"

    with pytest.raises(OSError, match="the disk is gone"):
        hq.open(Broken())
    with pytest.raises(TypeError):
        hq.open(Text())


def test_documents_are_selected_by_number(tmp_path):
    import zipfile

    packed = tmp_path / "all.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for name in ["bun.heapsnapshot", "empty.heapsnapshot"]:
            archive.write(CORPUS / "handmade" / name, name)
    whole, first = hq.open(packed), hq.open(f"{packed}#0")
    assert whole.format == "zip" and first.format == "heapsnapshot"
    bun = hq.open(CORPUS / "handmade/bun.heapsnapshot")
    assert first["js_heap_nodes"].to_pyarrow().num_rows == bun["js_heap_nodes"].to_pyarrow().num_rows
    with pytest.raises(hq.InputError, match="#"):
        whole.summary()
    twice = tmp_path / "twice.heapsnapshot"
    twice.write_bytes((CORPUS / "handmade/bun.heapsnapshot").read_bytes() * 2)
    for given, count in [(packed, 2), (f"{packed}#0", 1), (CORPUS / "handmade/bun.heapsnapshot", 1), (twice, 2), (f"{twice}#1", 1)]:
        assert hq.open(given).document_count == count, given


def test_paths_stand_for_the_inputs_of_a_batch(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ["in/b.heapsnapshot", "in/v1/a.cpuprofile", "in/.hidden/no", "in/v1/.no", "in/[x]*", "tables/_manifest.json"]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    cases = {
        "in": ["in/[x]*", "in/b.heapsnapshot", "in/v1/a.cpuprofile"],
        f"file://{tmp_path}/in/v1": [f"{tmp_path}/in/v1/a.cpuprofile"],
        # Any text, also with `/`.
        "in/*.cpuprofile": ["in/v1/a.cpuprofile"],
        "in/*.none": [],
        # Inputs themselves: a file, a directory that was converted, and what is not there.
        "in/b.heapsnapshot": ["in/b.heapsnapshot"],
        "in/[x]*": ["in/[x]*"],
        "tables": ["tables"],
        "gone": ["gone"],
        "https://host/heap.heapsnapshot": ["https://host/heap.heapsnapshot"],
    }
    assert {path: files(path) for path in cases} == cases
