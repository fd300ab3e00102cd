"""Single files of output: at their place is nothing, a file, or something that is no file. Each verb does the same."""

import os
import stat
import subprocess
import threading

import pytest
from conftest import CORPUS, binary, heapquarry

HEAP = CORPUS / "handmade" / "bun.heapsnapshot"


def made(*args):
    return subprocess.run(args, capture_output=True).returncode == 0


# How each verb is told of its output.
VERBS = {
    "redact": lambda heap, out: ["redact", "-q", heap, out],
    "map": lambda heap, out: ["redact", "-q", heap, out.parent / "copy", "--map", out],
    "report": lambda heap, out: ["report", "-q", heap, "-o", out],
    "query": lambda heap, out: ["query", "-q", heap, "FROM js_heap_nodes", "--format", "csv", "-o", out],
    "baseline": lambda heap, out: ["check", "-q", heap, "--save-baseline", out],
}
verbs = pytest.mark.parametrize("verb", VERBS)
# A baseline replaces another one only.
FORCE = {verb: [[], ["--force"]] if verb != "baseline" else [[]] for verb in VERBS}


@pytest.fixture
def heap(tmp_path):
    path = tmp_path / "in" / "a.heapsnapshot"
    path.parent.mkdir()
    path.write_bytes(HEAP.read_bytes())
    return path


@pytest.fixture
def out(tmp_path):
    (tmp_path / "out").mkdir()
    return tmp_path / "out" / "x"


@verbs
def test_a_file_is_new_or_replaced_by_force(verb, heap, out):
    args = VERBS[verb](heap, out)
    heapquarry(*args)
    first = out.stat()
    assert stat.S_ISREG(first.st_mode) and first.st_mode & 0o777 == 0o600 and first.st_size > 100
    for path in out.parent.iterdir():
        path.write_text("precious")
    done = heapquarry(*args, expect=2)
    assert "exists" in done.stderr or "it is no baseline" in done.stderr
    assert out.read_text() == "precious"
    if verb != "baseline":
        heapquarry(*args, "--force")
        assert out.stat().st_size == first.st_size
    assert {path.name for path in out.parent.iterdir()} <= {"x", "copy"}


@verbs
def test_what_is_no_file_of_the_user_stays_as_it_is(verb, heap, out):
    other = out.parent / "other"
    other.write_text("precious")
    content = heap.read_bytes()
    for name, make in [
        ("the input", lambda: os.link(heap, out)),
        ("a link to the input", lambda: out.symlink_to(heap)),
        ("a link", lambda: out.symlink_to(other)),
        ("a link to nothing", lambda: out.symlink_to(out.parent / "nothing")),
        ("a link to a device", lambda: out.symlink_to("/dev/null")),
        ("a folder", out.mkdir),
        ("a disk", lambda: made("mknod", out, "b", "7", "200")),
    ]:
        make()
        if name == "a disk" and not out.exists():
            continue  # Only root can make one.
        before = out.lstat()
        for force in FORCE[verb]:
            done = heapquarry(*VERBS[verb](heap, out), *force, expect=2)
            assert "not replaced" in done.stderr or "exists" in done.stderr, (name, done.stderr)
            now = out.lstat()
            assert (now.st_ino, now.st_mode) == (before.st_ino, before.st_mode), name
        assert heap.read_bytes() == content and other.read_text() == "precious", name
        out.rmdir() if name == "a folder" else out.unlink()
        assert {path.name for path in out.parent.iterdir()} == {"other"}, name


@verbs
def test_fifos_and_devices_are_written_into(verb, heap, out):
    plain = out.parent / "plain"
    heapquarry(*VERBS[verb](heap, plain))
    expected = plain.read_bytes()
    for force in FORCE[verb]:
        (out.parent / "copy").unlink(missing_ok=True)
        os.mkfifo(out)
        read = []
        reader = threading.Thread(target=lambda: read.append(out.read_bytes()))
        reader.start()
        heapquarry(*VERBS[verb](heap, out), *force)
        reader.join()
        assert out.is_fifo()
        # The tokens of each run are others.
        assert read[0] == expected if verb not in ("redact", "map") else len(read[0]) == len(expected)
        out.unlink()
        (out.parent / "copy").unlink(missing_ok=True)
        if made("mknod", out, "c", "1", "3"):
            before = out.stat()
            heapquarry(*VERBS[verb](heap, out), *force)
            assert (out.stat().st_ino, out.stat().st_rdev) == (before.st_ino, before.st_rdev)
            out.unlink()


@verbs
def test_standard_output_is_written_into(verb, heap, out):
    plain = out.parent / "plain"
    heapquarry(*VERBS[verb](heap, plain))
    (out.parent / "copy").unlink(missing_ok=True)
    size = plain.stat().st_size
    args = [str(arg) for arg in VERBS[verb](heap, out)]
    args = ["/dev/stdout" if arg == str(out) else arg for arg in args]
    if verb == "baseline":
        args += ["--format", "json"]
    # As a pipe, and as a file that has something already.
    done = subprocess.run([binary(), *args], capture_output=True)
    assert done.returncode == 0 and len(done.stdout) >= size, done.stderr
    (out.parent / "copy").unlink(missing_ok=True)
    with open(out, "w") as file:
        file.write("before\n")
        file.flush()
        assert subprocess.run([binary(), *args], stdout=file).returncode == 0
    assert out.read_bytes().startswith(b"before\n") and out.stat().st_size >= 7 + size
    args = ["/dev/null" if arg == "/dev/stdout" else arg for arg in args]
    (out.parent / "copy").unlink(missing_ok=True)
    # It is the machine's: nobody may replace it, so this is done by a user who cannot.
    if os.getuid() != 0:
        heapquarry(*args)


def test_extracted_files_replace_plain_files_only(heap, tmp_path):
    folder = tmp_path / "out"
    heapquarry("extract", heap, "-o", folder)
    [file] = folder.iterdir()
    file.unlink()
    other = tmp_path / "other"
    other.write_text("precious")
    for make in [lambda: file.symlink_to(other), lambda: os.link(heap, file), lambda: os.mkfifo(file)]:
        make()
        before = file.lstat().st_ino
        for force in [], ["--force"]:
            heapquarry("extract", heap, "-o", folder, *force, expect=2)
        assert file.lstat().st_ino == before and other.read_text() == "precious"
        file.unlink()


def test_a_baseline_replaces_a_baseline(heap, out):
    for _ in range(2):
        heapquarry("check", "-q", heap, "--save-baseline", out)
    heapquarry("check", "-q", heap, "--baseline", out, "--save-baseline", out)
    # The input has another name here.
    heapquarry("check", "-q", heap, "--save-baseline", heap, expect=2)
    assert heap.read_bytes() == HEAP.read_bytes()


def test_standard_output_may_be_closed():
    for args in (["completions", "bash"], ["man"], ["schema"]):
        for out in ("/dev/full", None):
            reader, writer = os.pipe()
            os.close(reader)
            stdout = os.open(out, os.O_WRONLY) if out else writer
            done = subprocess.run([binary(), *args], stdout=stdout, stderr=subprocess.PIPE)
            assert done.returncode == (2 if out else 0), (args, out, done.stderr)
            assert b"panicked" not in done.stderr
            os.close(writer)
