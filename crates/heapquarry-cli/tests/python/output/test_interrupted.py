"""A run that is stopped in the middle, or has no room, leaves nothing under the final name."""

import contextlib
import fcntl
import gzip
import os
import resource
import shutil
import signal
import struct
import subprocess
import termios
import threading
import time

import htrace_writer
import pytest
from conftest import CORPUS, binary, convert, heapquarry, read_rows, wait_until

NODES = 4_000_000
TIMELINE = CORPUS / "handmade" / "v8-timeline.heaptimeline"


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A snapshot that takes long enough to be interrupted: about 90 MB."""
    text = TIMELINE.read_text()
    head, _, tail = text.partition('"nodes":[')
    path = tmp_path_factory.mktemp("large") / "large.heapsnapshot"
    with path.open("w") as out:
        out.write(head + '"nodes":[')
        for _ in range(NODES // 10_000):
            out.write("9,1,1234567,1234,0,0,0\n," * 10_000)
        out.write(tail)
    return path


def wait_for_leftover(process, folder):
    """Until something stands beside the place of the output."""
    wait_until(lambda: list(folder.iterdir()), process)


def stop(process, *how):
    for signal_ in how:
        process.send_signal(signal_)
    return process.wait(timeout=300)


def held(out, *args, **options):
    """A run that is stopped when something stands beside the place of its output. One that is done by then does not
    count."""
    for _ in range(20):
        process = subprocess.Popen(
            [binary(), *map(str, args), "-o", str(out)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
        )
        while process.poll() is None and not list(out.parent.iterdir()):
            time.sleep(0.001)
        process.send_signal(signal.SIGSTOP)
        if process.poll() is None:
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        if process.poll() is None and not list(out.glob("[!.]*")):
            return process
        process.kill()
        process.communicate(timeout=300)
        shutil.rmtree(out.parent)
        out.parent.mkdir()
    pytest.fail("it was always done too early")


def convert_large(large, folder):
    return held(folder / "t", "convert", large, "--threads", "1")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=lambda s: s.name)
def test_asked_to_stop(tmp_path, large, how):
    """It takes its leftovers away itself."""
    process = convert_large(large, tmp_path)
    assert stop(process, how, signal.SIGCONT) == 130
    assert list(tmp_path.iterdir()) == []


def test_killed(tmp_path, large):
    """Nothing under the final name; the next run with the same output takes the leftover away."""
    process = convert_large(large, tmp_path)
    stop(process, signal.SIGKILL)
    assert not (tmp_path / "t").exists()
    assert list(tmp_path.iterdir())
    convert(TIMELINE, tmp_path / "t")
    assert [p.name for p in tmp_path.iterdir()] == ["t"]


def test_two_at_once(tmp_path, large):
    """The leftover of a run that is still alive is none."""
    first = convert_large(large, tmp_path)
    heapquarry("convert", TIMELINE, "-o", tmp_path / "u")
    assert read_rows(tmp_path / "u", "source")[0]["status"] == "complete"
    assert stop(first, signal.SIGINT, signal.SIGCONT) == 130
    assert [p.name for p in tmp_path.iterdir()] == ["u"]


def test_large_input_is_whole_if_not_disturbed(tmp_path, large):
    folder = convert(large, tmp_path / "t")
    (files,) = read_rows(folder, "js_heap_files")
    assert files["node_count"] == NODES + 10
    assert files["self_size"] >= NODES * 1234


# ------------------------------------------------------------------- while an input is unpacked or taken apart


def limit_files():
    """A file larger than 2 GiB is the end."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 30, 2 << 30))


@contextlib.contextmanager
def unpacking(folder, *args, **options):
    """A run that spools into the folder. A file larger than 2 GiB is its end."""
    folder.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [binary(), *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(folder)},
        preexec_fn=limit_files,
        **options,
    )
    try:
        yield process
        assert process.poll() is None, process.stderr.read().decode()
        # Less than the limit to files takes, and than reading a TiB.
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=300) == 130
        assert process.stdout.read() == b""
        assert process.stderr.read() == b"error: interrupted\n"
        assert list(folder.iterdir()) == []
    finally:
        process.kill()


def feed(pipe, piece):
    """Has a thread write the piece without end, until nobody reads. Returns when some of it has been read."""
    read = threading.Event()

    def write():
        with contextlib.suppress(BrokenPipeError), pipe:
            while True:
                # More of them than a pipe holds.
                for _ in range(4):
                    pipe.write(piece)
                    pipe.flush()
                read.set()
                time.sleep(0.02)

    threading.Thread(target=write, daemon=True).start()
    assert read.wait(300)


# As JSON begins: what cannot be of a known format is not spooled for long.
ENDLESS = {"plain": b"[" + os.urandom(64 << 10), "gz": gzip.compress(b"[" + os.urandom(64 << 10))}


# Every verb that reads inputs, with what it needs besides the one that has no end. `out` is a folder.
VERBS = {
    "convert": lambda out: ["convert", "-", "-o", out / "t"],
    "summary": lambda out: ["summary", "-"],
    "why": lambda out: ["why", "-", "--class", "Object"],
    "find": lambda out: ["find", "-", "--text", "a"],
    "show": lambda out: ["show", "-", "--class", "Object"],
    "diff": lambda out: ["diff", TIMELINE, "-"],
    "leaks": lambda out: ["leaks", TIMELINE, "-"],
    "check": lambda out: ["check", "-", "--save-baseline", out / "baseline"],
    "report": lambda out: ["report", "-", "-o", out / "page.html"],
    "query": lambda out: ["query", "-", "SELECT 1"],
    "redact": lambda out: ["redact", "-", out / "copy"],
    "audit": lambda out: ["redact", "--audit", "-"],
    "info": lambda out: ["info", "-"],
    "extract": lambda out: ["extract", "-", "-o", out / "files"],
    "export": lambda out: ["export", "-", "--to", "collapsed"],
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("form", ENDLESS)
def test_standard_input_without_end(tmp_path, form, verb):
    out = tmp_path / "out"
    with unpacking(out, *VERBS[verb](out), stdin=subprocess.PIPE) as process:
        feed(process.stdin, ENDLESS[form])


def ended_by_the_second(process):
    """Whether the first interrupt is not enough, and the second one is."""
    process.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(1)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130


def waiting_bytes(pipe):
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]


def test_the_second_interrupt_leaves_no_part_of_an_output(tmp_path):
    """The copy is complete and has no name yet, as its map goes to a FIFO whose reader does not read."""
    out, fifo, spool = tmp_path / "out", tmp_path / "fifo", tmp_path / "spool"
    for folder in (out, spool):
        folder.mkdir()
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    source = CORPUS / "node24.heaptimeline.gz"
    args = [binary(), "redact", "-q", source, out / "copy", "--map", fifo]
    with subprocess.Popen(args, env=os.environ | {"TMPDIR": str(spool)}, stderr=subprocess.PIPE) as process:
        wait_until(lambda: waiting_bytes(reader) == 64 << 10, process)
        assert [path.name.rsplit(".", 1)[1] for path in sorted(out.iterdir())] == ["lock", "partial"]
        ended_by_the_second(process)
    os.close(reader)
    assert [*out.iterdir(), *spool.iterdir()] == []


@pytest.mark.parametrize("form", ENDLESS)
def test_pipe_without_end(tmp_path, form):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with unpacking(tmp_path / "out", "convert", pipe, "-o", tmp_path / "out" / "t"):
        feed(pipe.open("wb"), ENDLESS[form])


def test_standard_input_where_nothing_comes(tmp_path):
    out = tmp_path / "out"
    with unpacking(out, "convert", "-", "-o", out / "t", stdin=subprocess.PIPE) as process:
        wait_for_leftover(process, out)


def test_pipe_that_nobody_writes_to(tmp_path):
    out, pipe = tmp_path / "out", tmp_path / "pipe"
    os.mkfifo(pipe)
    with unpacking(out, "convert", pipe, "-o", out / "t") as process:
        wait_for_leftover(process, out)


def stored_file(size):
    """How a zip archive begins, with a file that is not compressed."""
    return struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 0, 0, 0, 0, size, size, 1, 0) + b"a"


SNAPSHOT = htrace_writer.snapshot(TIMELINE.read_bytes())

# How a file begins that goes on with zeros, and its size. What is large is searched, what is smaller is unpacked.
HOLES = {
    "zip": (stored_file((4 << 30) - 2), 4 << 30),
    "htrace": (htrace_writer.container(htrace_writer.Section(SNAPSHOT)), 1 << 40),
    "sums": (htrace_writer.Section(payload=b"", length="huge", sum="wrong").bytes(), 1 << 40),
    "messages": (b"\n".join(SNAPSHOT), 1 << 40),
    "html": (b"<html>", 1 << 40),
}


def with_hole(path, head, size):
    path.write_bytes(head)
    try:
        os.truncate(path, size)
    except OSError as error:
        pytest.skip(f"no file of {size} bytes here: {error}")
    return path


@pytest.mark.parametrize("form", HOLES)
def test_large_container(tmp_path, form):
    source, out = with_hole(tmp_path / form, *HOLES[form]), tmp_path / "out"
    with unpacking(out, "convert", source, "-o", out / "t") as process:
        wait_for_leftover(process, out)


def test_extract(tmp_path):
    """Neither the file at hand is there, nor the directory that was made for it."""
    source, out = with_hole(tmp_path / "large", TIMELINE.read_bytes(), 4 << 30), tmp_path / "files" / "out"
    spool = tmp_path / "spool"
    for folder in (out.parent, spool):
        folder.mkdir()
    env = os.environ | {"TMPDIR": str(spool)}
    process = held(out, "extract", source, env=env, preexec_fn=limit_files)
    assert stop(process, signal.SIGINT, signal.SIGCONT) == 130
    assert (process.stdout.read(), process.stderr.read()) == (b"", b"error: interrupted\n")
    assert [*out.parent.iterdir(), *spool.iterdir()] == []


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 1 MiB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], capture_output=True)
    if mounted.returncode:
        pytest.skip(f"cannot mount a small disk: {mounted.stderr.decode().strip()}")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
@pytest.mark.parametrize("form", ["packed", "plain", "container", "messages", "sequence", "packed sequence"])
def test_full_disk(tmp_path, small_disk, form):
    """Neither what is unpacked or taken out of messages nor what is written fits."""
    source = CORPUS / "node24.heaptimeline.gz"
    if form != "packed":
        text = gzip.decompress(source.read_bytes())
        source = tmp_path / form
        if "sequence" in form:
            # The first document fits, the second does not.
            text = TIMELINE.read_bytes() + text
        snapshot = htrace_writer.snapshot(text)
        if form == "container":
            text = htrace_writer.container(htrace_writer.Section(snapshot))
        elif form == "messages":
            text = b"\n".join(snapshot)
        source.write_bytes(gzip.compress(text) if form == "packed sequence" else text)
    failed = heapquarry("convert", source, "-o", small_disk / "t", expect=2)
    (line,) = failed.stderr.splitlines()
    assert "no space left" in line.lower()
    # Which file of the output did not fit is said in place of the input.
    assert form in ("plain", "sequence") or str(source) in line
    assert list(small_disk.iterdir()) == []
    # what is small enough still fits
    convert(TIMELINE, small_disk / "t")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_full_disk_of_redacted_copies(tmp_path, small_disk):
    """Neither the copy, nor the map of its tokens, nor the copy that a conversion reads: nothing of it is left."""
    source, copy = CORPUS / "node24.heaptimeline.gz", tmp_path / "copy"
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(900 << 10))
    for args in [
        ("redact", source, small_disk / "copy"),
        ("redact", source, copy, "--map", small_disk / "map"),
        # The copy that it reads is beside the output.
        ("convert", source, "-o", small_disk / "t", "--redact", "full"),
    ]:
        failed = heapquarry(*args, expect=2)
        assert "no space left" in failed.stderr.lower(), args
        assert list(small_disk.iterdir()) == [ballast] and list(tmp_path.iterdir()) == [small_disk], args
    # An older copy, whose map there may be elsewhere, stays.
    copy.write_bytes(b"older")
    failed = heapquarry("redact", source, copy, "--map", small_disk / "map", "--force", expect=2)
    assert "no space left" in failed.stderr.lower() and copy.read_bytes() == b"older"
    ballast.unlink()
    heapquarry("redact", TIMELINE, small_disk / "copy")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_no_room_on_standard_output():
    with open("/dev/full", "wb") as full:
        done = subprocess.run([binary(), "schema", "--format", "json"], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert b"panicked" not in done.stderr


def test_reader_of_standard_output_goes_away():
    """`heapquarry schema | head -1` is no crash."""
    process = subprocess.Popen([binary(), "schema", "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    errors = process.stderr.read()
    process.wait(timeout=300)
    assert b"panicked" not in errors
