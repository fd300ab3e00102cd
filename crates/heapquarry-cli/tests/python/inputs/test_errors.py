"""What cannot be worked around: one error that names the file, exit code 2, and nothing written."""

import gzip
import os
import re

import pytest
from conftest import CORPUS, convert, heapquarry, read_rows

TIMELINE = CORPUS / "handmade" / "v8-timeline.heaptimeline"
HEADER_ONLY = b'{"snapshot":{"meta":{"node_fields":["type","name"'
PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489")

NOT_SNAPSHOTS = {
    "empty": b"",
    "one blank": b" ",
    "empty object": b"{}",
    "null": b"null",
    "number": b"42",
    "html": b"<!doctype html>\n<html><head><title>404</title></head></html>\n",
    "png": PNG,
    "zeros": bytes(100_000),
    "cpu profile, cut": b'{"nodes":[',
    "plain text": b"Heap.20240101.heapsnapshot\n",
    "other json": b'{"name":"package","version":"1.0.0","dependencies":{"a":[1,2,3]}}',
    "no meta": b'{"snapshot":{},"nodes":[],"edges":[],"strings":[]}',
    "meta is null": b'{"snapshot":{"meta":null},"nodes":[],"edges":[],"strings":[]}',
    "meta without fields": b'{"snapshot":{"meta":{}},"nodes":[],"edges":[],"strings":[]}',
    "node_fields is empty": TIMELINE.read_bytes().replace(
        b'["type","name","id","self_size","edge_count","trace_node_id","detachedness"]', b"[]"
    ),
    "no snapshot": b'{"nodes":[1,2,3],"edges":[],"strings":[]}',
    "header, cut": HEADER_ONLY,
    "header, packed and cut": gzip.compress(TIMELINE.read_bytes())[:60],
    "gzip of nothing": gzip.compress(b""),
    "gzip magic only": b"\x1f\x8b",
    "zstd magic only": b"\x28\xb5\x2f\xfd",
    "brackets": b"[" * 1_000_000,
    "braces": b'{"a":' * 1_000_000,
    "snapshot of 2011": b'{"snapshot":{"title":"Snapshot","uid":1},"nodes":[{"fields":["type","name","id"],"types":[]},0,0,1,0,0,0],"strings":[""]}',
}

# What docs/input-errors.md promises about some of them; all name the file and the byte.
SAYS = {
    "empty": "input is empty (",
    "empty object": 'found "{}"',
    "html": "found a page of HTML",
    "png": "found a PNG image",
    "cpu profile, cut": r'found "{\"nodes\":["',
    "header, cut": 'expected the rest of the header ("snapshot"), found the end of the document',
    "no meta": "expected snapshot.meta.node_fields",
    "snapshot of 2011": "expected snapshot.meta.node_fields",
}


@pytest.mark.parametrize("case", NOT_SNAPSHOTS)
def test_not_a_snapshot(tmp_path, case):
    source = tmp_path / "input.heapsnapshot"
    source.write_bytes(NOT_SNAPSHOTS[case])
    failed = heapquarry("convert", source, "-o", tmp_path / "t", expect=2)
    assert failed.stderr.startswith("error: ")
    assert re.search(r"\(\S*input\.heapsnapshot(, byte \d+)?\): ", failed.stderr)
    assert SAYS.get(case, "expected") in failed.stderr
    assert len(failed.stderr.splitlines()) == 1 and len(failed.stderr) < 1000, "an error, not the file"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["input.heapsnapshot"]
    heapquarry("info", source, expect=2)


@pytest.mark.parametrize("case", ["empty", "html", "header, cut"])
def test_one_bad_input_of_several(tmp_path, case):
    """Nothing is written if one of the inputs cannot be read."""
    source = tmp_path / "input.heapsnapshot"
    source.write_bytes(NOT_SNAPSHOTS[case])
    failed = heapquarry("convert", TIMELINE, source, "-o", tmp_path / "t", expect=2)
    assert "input.heapsnapshot" in failed.stderr
    assert not (tmp_path / "t").exists()


def test_bad_standard_input(tmp_path):
    failed = heapquarry("convert", "-", "-o", tmp_path / "t", expect=2, input=b"<html>")
    assert "-" in failed.stderr or "standard input" in failed.stderr
    assert list(tmp_path.iterdir()) == []


def test_directory(tmp_path):
    source = tmp_path / "folder"
    source.mkdir()
    failed = heapquarry("convert", source, "-o", tmp_path / "t", expect=2)
    assert "folder" in failed.stderr


def test_no_such_file(tmp_path):
    failed = heapquarry("convert", tmp_path / "missing.heapsnapshot", "-o", tmp_path / "t", expect=2)
    assert "missing.heapsnapshot" in failed.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path):
    source = tmp_path / "secret.heapsnapshot"
    source.write_bytes(TIMELINE.read_bytes())
    source.chmod(0)
    assert "secret.heapsnapshot" in heapquarry("convert", source, "-o", tmp_path / "t", expect=2).stderr


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["no-such-command"],
        ["convert"],
        ["convert", TIMELINE, "--no-such-flag"],
        ["convert", TIMELINE, "--names", "other"],
        ["convert", TIMELINE, "--threads", "-1"],
        ["convert", TIMELINE, "--threads", "many"],
        ["convert", TIMELINE, "--row-group-rows", "0"],
        ["convert", TIMELINE, "--compression", "zstd:99"],
        ["convert", TIMELINE, "--compression", "rar"],
        ["convert", TIMELINE, "--layout", "round"],
        ["convert", TIMELINE, "--tables", "js_heap_nodez"],
        ["convert", "-", "-"],
        ["schema", "no_such_table"],
        ["schema", "--format", "yaml"],
    ],
    ids=lambda args: " ".join(str(a).rpartition("/")[2] for a in args),
)
def test_usage(tmp_path, args):
    done = heapquarry(*args, expect=2, cwd=tmp_path, input=b"")
    assert done.stdout == ""
    assert done.stderr
    assert list(tmp_path.iterdir()) == []


# -------------------------------------------------------------------------------- where it writes


def test_existing_output_is_refused_without_force(tmp_path):
    folder = convert(TIMELINE, tmp_path / "t")
    before = (folder / "js_heap_nodes.parquet").read_bytes()
    failed = heapquarry("convert", CORPUS / "handmade" / "ark-5.0.heapsnapshot", "-o", folder, expect=2)
    assert "output already exists" in failed.stderr
    assert (folder / "js_heap_nodes.parquet").read_bytes() == before
    convert(CORPUS / "handmade" / "ark-5.0.heapsnapshot", folder, "--force")
    assert read_rows(folder, "source")[0]["producer"] == "ark"
    assert [p.name for p in tmp_path.iterdir()] == ["t"]


def test_force_keeps_the_old_output_if_the_new_one_fails(tmp_path):
    folder = convert(TIMELINE, tmp_path / "t")
    bad = tmp_path / "bad.heapsnapshot"
    bad.write_bytes(b"<html>")
    heapquarry("convert", bad, "-o", folder, "--force", expect=2)
    assert read_rows(folder, "source")[0]["producer"] == "v8"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.heapsnapshot", "t"]


def test_force_refuses_to_replace_what_it_did_not_write(tmp_path):
    folder = tmp_path / "precious"
    folder.mkdir()
    (folder / "thesis.txt").write_text("years of work")
    heapquarry("convert", TIMELINE, "-o", folder, "--force", expect=2)
    assert (folder / "thesis.txt").read_text() == "years of work"


def test_output_that_is_a_file(tmp_path):
    (tmp_path / "t").write_text("a file")
    heapquarry("convert", TIMELINE, "-o", tmp_path / "t", expect=2)
    heapquarry("convert", TIMELINE, "-o", tmp_path / "t", "--force", expect=2)
    heapquarry("convert", TIMELINE, "-o", tmp_path / "t" / "below", expect=2)
    assert (tmp_path / "t").read_text() == "a file"


def test_unwritable_place(tmp_path):
    heapquarry("convert", TIMELINE, "-o", "/proc/heapquarry.tables", expect=2)
    if os.geteuid() != 0:
        folder = tmp_path / "locked"
        folder.mkdir(mode=0o500)
        heapquarry("convert", TIMELINE, "-o", folder / "t", expect=2)


def test_output_below_folders_that_do_not_exist(tmp_path):
    """Nothing but the output folder itself is made."""
    failed = heapquarry("convert", TIMELINE, "-o", tmp_path / "a" / "b" / "t", expect=2)
    assert str(tmp_path / "a" / "b") in failed.stderr
    assert list(tmp_path.iterdir()) == []
