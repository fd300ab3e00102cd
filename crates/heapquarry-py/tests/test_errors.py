"""Bad input: exceptions with the words of the command, and nothing leaks."""

import gc
import io
import os
import pickle
import tracemalloc

import pytest
from conftest import CORPUS, SNAPSHOT, command

import heapquarry as hq


def message(done):
    """What the command said, without its own advice about flags."""
    assert done.returncode == 2, done
    return done.stderr.removeprefix("error: ").strip()


BAD = {
    "text": b"hello",
    "nothing": b"",
    "picture": b"\x89PNG\r\n",
    "page": b"<html><script>alert(1)</script>",
    "other-json": b'{"a": [1, 2, 3]}',
    "cut-gzip": SNAPSHOT.read_bytes()[:20],
    "escape": b"\x1b[31mred",
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_has_the_words_of_the_command(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(BAD[name])
    expected = message(command("summary", path))
    for ask in [lambda: hq.open(path).summary(), lambda: hq.summary(path)]:
        with pytest.raises(hq.InputError) as caught:
            ask()
        assert str(caught.value) == expected
        assert caught.value.path == path
        assert "\x1b" not in str(caught.value)
    # Through a consumer that only hands on text.
    with pytest.raises(hq.InputError) as caught:
        hq.convert(path, tmp_path / "out")
    assert str(caught.value) == message(command("convert", path, "-o", tmp_path / "out2"))
    assert not (tmp_path / "out").exists()


def test_an_unknown_format_has_its_parts():
    with pytest.raises(hq.InputError) as caught:
        hq.open(b"hello")
    error = caught.value
    assert (error.offset, error.found) == (0, '"hello"') and "heap snapshot" in error.expected
    assert isinstance(error, hq.Error) and str(error.path) == "<bytes>"


def test_a_missing_file_has_the_cause_of_the_system(tmp_path):
    with pytest.raises(hq.InputError) as caught:
        hq.open(tmp_path / "none")
    cause = caught.value.__cause__
    assert isinstance(cause, FileNotFoundError) and cause.filename == str(tmp_path / "none")


def test_an_error_in_a_stream_is_ours():
    # Recognised by its start; what follows cannot be read.
    bad = b'{"snapshot":{"meta":{"node_fields":"?"},"node_count":1,"edge_count":0},"nodes":[1]}'
    file = hq.open(bad)
    for consume in ["to_pyarrow", "to_polars", "to_pandas"]:
        with pytest.raises(hq.InputError) as caught:
            getattr(file["js_heap_nodes"], consume)()
        assert caught.value.offset is not None and caught.value.expected
    with pytest.raises(hq.InputError):
        list(file.batches("js_heap_nodes"))


def test_output_that_exists_says_what_to_do(tmp_path):
    out = tmp_path / "out"
    hq.convert(SNAPSHOT, out, tables=["js_heap_nodes"])
    with pytest.raises(hq.errors.OutputError, match="use force=True to replace it"):
        hq.convert(SNAPSHOT, out)
    again = hq.convert(SNAPSHOT, str(out), tables=["js_heap_nodes"], force=True)
    assert {table.name for table in again.tables} == {"source", "import_log", "js_heap_nodes"}
    assert again.path == out and again.status == "complete" and again.log == []
    assert all(table.path.stat().st_size == table.bytes for table in again.tables)


@pytest.mark.parametrize("wrong", [{"layout": "?"}, {"compression": "brotli"}, {"names": "no"}, {"encodings": "x"}])
def test_wrong_options_are_value_errors(wrong, tmp_path):
    with pytest.raises(ValueError):
        hq.convert(SNAPSHOT, tmp_path / "out", **wrong)


def test_what_is_no_input_is_a_type_error():
    for given in [1, None, 1.5, object(), io.StringIO("{}")]:
        with pytest.raises(TypeError):
            hq.open(given)
    with pytest.raises(ValueError, match="no input"):
        hq.open([])


def test_damage_is_logged():
    damaged = (CORPUS / "handmade/bun.heapsnapshot").read_bytes()[:-40]
    file = hq.open(damaged)
    [document] = file.documents
    assert document.status == "truncated" and document.defects > 0 and file.log == document.log
    assert {entry.severity for entry in file.log} <= {"info", "warning", "repair", "data_loss", "error"}
    logged = file["import_log"].to_pyarrow()
    assert logged["code"].to_pylist() == [entry.code for entry in file.log]
    with pytest.raises(hq.InputError, match="strict"):
        hq.convert(damaged, "unused", strict=True)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_failing_opens_leak_nothing(tmp_path):
    path = tmp_path / "bad"
    path.write_bytes(b"hello")
    def fail(times):
        for _ in range(times):
            for ask in [lambda: hq.open(path), lambda: hq.summary(b"x" * 1000), lambda: hq.open(io.BytesIO(b"x"))]:
                with pytest.raises(hq.InputError):
                    ask()
        gc.collect()

    fail(100)
    tracemalloc.start()
    before, files = resident(), len(os.listdir("/proc/self/fd"))
    start = tracemalloc.take_snapshot()
    fail(1000)
    growth = sum(stat.size_diff for stat in tracemalloc.take_snapshot().compare_to(start, "filename"))
    tracemalloc.stop()
    assert growth < 100_000, growth
    assert resident() - before < 8_000_000, resident() - before
    assert len(os.listdir("/proc/self/fd")) == files


def test_exceptions_can_be_copied():
    try:
        hq.open(b"hello")
    except hq.InputError as error:
        again = pickle.loads(pickle.dumps(error))
        assert str(again) == str(error) and again.offset == 0 and again.expected == error.expected
