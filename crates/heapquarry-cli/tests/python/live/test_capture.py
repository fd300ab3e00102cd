"""`capture` of running Nodes and of a page, held against what `convert` makes of the engine's own bytes."""

import contextlib
import http.server
import json
import os
import re
import resource
import signal
import socket
import subprocess
import threading
import time
import urllib.request
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from browser import CHROMIUM, FLAGS
from conftest import assert_same, binary, convert, heapquarry, plain, read_rows, wait_until
from live.node import NODE, needs_node, node_with_worker

needs_chromium = pytest.mark.skipif(not CHROMIUM, reason="there is no chromium")

# Where a second argument names a pipe, Node writes snapshots to that one, and says which pipe waits for them.
PROGRAM = """
const [count, pipe] = process.argv.slice(1);
if (pipe) {
  const v8 = require('v8'), write = v8.writeHeapSnapshot;
  v8.writeHeapSnapshot = (path, options) => {
    require('fs').writeSync(1, path + '\\n');
    return write(pipe, options);
  };
}
class Marker { constructor(n) { this.n = n; this.text = 'text ' + n; } }
globalThis.markers = Array.from({ length: Number(count) }, (_, n) => new Marker(n));
setInterval(() => { for (let n = 0; n < 1000; n++) Math.sqrt(n); globalThis.last = new Array(100).fill(0); }, 1);
console.log('ready');
"""


@contextlib.contextmanager
def node(*flags, markers=1000, pipe=None):
    """A running Node, with the address of its inspector if it has one."""
    args = [NODE, *flags, "-e", PROGRAM, str(markers), *([str(pipe)] if pipe else [])]
    process = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        process.address = None
        if any(flag.startswith("--inspect=") for flag in flags):
            line = process.stderr.readline()
            process.address = re.search(r"ws://\S+", line)[0]
            process.port = re.search(r":(\d+)/", process.address)[1]
        # What it says of debuggers must not fill the pipe.
        threading.Thread(target=process.stderr.read, daemon=True).start()
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def target():
    with node("--inspect=0") as process:
        yield process


def assert_same_tables(one, other):
    names = sorted(path.name for path in one.glob("*.parquet"))
    assert names == sorted(path.name for path in other.glob("*.parquet"))
    for name in names:
        if name != "source.parquet":
            assert_same(plain(pq.read_table(one / name)), plain(pq.read_table(other / name)), name)


def count_of(folder, name):
    return sum(row["name"] == name and row["type"] == "object" for row in read_rows(folder, "js_heap_nodes"))


def status(folder):
    return [row["status"] for row in read_rows(folder, "source")]


# Without a folder for a named pipe, a snapshot comes by the protocol, as from targets that cannot see our files.
WAYS = {"pipe": None, "protocol": {**os.environ, "TMPDIR": "/nonexistent"}}
ways = pytest.mark.parametrize("way", WAYS)


@needs_node
@ways
def test_the_tables_are_those_of_the_engines_bytes(target, tmp_path, way):
    raw, tables = tmp_path / "a.heapsnapshot", tmp_path / "tables"
    done = heapquarry("capture", target.address, "--raw", raw, "-o", tables, env=WAYS[way])
    assert "the process stops for about" in done.stderr
    assert_same_tables(tables, convert(raw, tmp_path / "converted"))
    assert (count_of(tables, "Marker"), status(tables)) == (1000, ["complete"])
    json.loads(raw.read_text())
    assert oct(raw.stat().st_mode & 0o777) == "0o600"
    # Without a file of its own, and by the port.
    more = tmp_path / "more"
    heapquarry("capture", target.port, "-o", more, "--gc", "--numeric", "--internals", env=WAYS[way])
    assert (count_of(more, "Marker"), status(more)) == (1000, ["complete"])
    # Small integers have nodes only if values of numbers are asked for. The root has shortcuts to the global objects
    # unless objects of the engine are asked for.
    for folder, is_asked in ((tables, False), (more, True)):
        numbers = [row for row in read_rows(folder, "js_heap_nodes") if row["name"] == "smi number"]
        of_root = [row["type"] for row in read_rows(folder, "js_heap_edges") if row["from_node_id"] == 1]
        assert (bool(numbers), "shortcut" in of_root) == (is_asked, not is_asked)


@needs_node
def test_packed_files(target, tmp_path):
    for ending in ("gz", "zst"):
        raw = tmp_path / f"a.heapsnapshot.{ending}"
        heapquarry("capture", f"localhost:{target.port}", "--raw", raw)
        assert raw.read_bytes()[:2] == {"gz": b"\x1f\x8b", "zst": b"\x28\xb5"}[ending]
        assert count_of(convert(raw, tmp_path / ending), "Marker") == 1000


def made(*args):
    return subprocess.run(args, capture_output=True).returncode == 0


# Files of output, in every way that they are written: the name, and the flags.
FILES = {
    "plain": ("a.heapsnapshot", []),
    "packed": ("a.heapsnapshot.gz", []),
    "redacted": ("a.heapsnapshot", ["--redact", "names"]),
    "report": ("capture.html", ["--then", "report"]),
}
files = pytest.mark.parametrize("file", FILES)


def capturing(port, folder, file):
    """The place of a file of output, and a function that captures into it."""
    name, flags = FILES[file]
    raw = [] if file == "report" else ["--raw", folder / name]

    def capture(*more, **options):
        return heapquarry("capture", "-q", port, *raw, *flags, *more, cwd=folder, **options)

    return folder / name, capture


@needs_node
@files
def test_what_must_not_be_replaced_is_refused_before_anything_happens(tmp_path, file):
    """There is nobody at this port."""
    out, capture = capturing("127.0.0.1:1", tmp_path, file)
    other = tmp_path / "other"
    other.write_text("precious")
    for what, make, by_force in [
        ("a file", lambda: out.write_text("precious"), True),
        ("a link", lambda: out.symlink_to(other), False),
        ("a link to nothing", lambda: out.symlink_to(tmp_path / "nothing"), False),
        ("a link to a device", lambda: out.symlink_to("/dev/null"), False),
        ("a folder", out.mkdir, False),
        ("a disk", lambda: made("mknod", out, "b", "7", "200"), False),
    ]:
        make()
        if what == "a disk" and not out.exists():
            continue  # Only root can make one.
        before = out.lstat()
        for force in [], ["--force"]:
            done = capture(*force, expect=2)
            is_refused = "output is not replaced" in done.stderr or "output already exists" in done.stderr
            assert is_refused != bool(force and by_force), (what, force, done.stderr)
            assert (out.lstat().st_ino, out.lstat().st_mode) == (before.st_ino, before.st_mode), what
        assert other.read_text() == "precious", what
        out.rmdir() if what == "a folder" else out.unlink()
        assert [path.name for path in tmp_path.iterdir()] == ["other"], what


@needs_node
@files
def test_files_are_replaced_by_force_and_streams_are_written_into(target, tmp_path, file):
    out, capture = capturing(target.port, tmp_path, file)
    out.write_text("precious")
    capture("--force")
    assert out.stat().st_mode & 0o777 == 0o600 and out.stat().st_size > 10_000
    out.unlink()
    os.mkfifo(out)
    read = []
    reader = threading.Thread(target=lambda: read.append(out.read_bytes()), daemon=True)
    reader.start()
    # What goes on is not read from there again. The name of a report is that of the tables, if there are some.
    tables = tmp_path / "tables"
    capture(*([] if file == "report" else ["-o", tables]))
    reader.join(60)
    assert out.is_fifo() and len(read[0]) > 10_000
    assert file == "report" or count_of(tables, "Marker") == 1000
    out.unlink()
    if made("mknod", out, "c", "1", "3"):
        before = out.stat()
        capture()
        assert (out.stat().st_ino, out.stat().st_rdev) == (before.st_ino, before.st_rdev)
    assert {path.name for path in tmp_path.iterdir()} <= {out.name, f"{out.name}.process.json", "tables"}


@needs_node
def test_standard_output_and_tables_follow_their_rules(target, tmp_path):
    args = [binary(), "capture", "-q", target.port, "--raw", "/dev/stdout", "-o", tmp_path / "tables"]
    done = subprocess.run(args, capture_output=True, timeout=300, check=True)
    assert json.loads(done.stdout)["snapshot"]["node_count"] > 1000 and count_of(tmp_path / "tables", "Marker") == 1000
    nobody = "127.0.0.1:1"
    (tmp_path / "tables" / "thesis.txt").write_text("precious")
    for force in [], ["--force"]:
        done = heapquarry("capture", nobody, "-o", tmp_path / "tables", *force, expect=2)
        assert "output already exists" in done.stderr or '"thesis.txt"' in done.stderr
    done = heapquarry("capture", nobody, "-o", tmp_path / "x", "--raw", tmp_path / "x", expect=2)
    assert "two outputs have this name" in done.stderr
    done = heapquarry("capture", nobody, "--raw", "s3://bucket/x", expect=2)
    assert "only converted tables are written to an address" in done.stderr


@needs_node
@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_the_folder_of_the_pipe_is_private_and_gone_at_the_end(tmp_path, umask):
    """Nobody reads the pipe that the target writes to, so ours stays until an interrupt."""
    spool, stuck = tmp_path / "spool", tmp_path / "stuck"
    spool.mkdir()
    os.mkfifo(stuck)
    with node("--inspect=0", pipe=stuck) as target:
        args = [binary(), "capture", "-q", target.address, "--then", "summary"]
        env = os.environ | {"TMPDIR": str(spool)}
        process = subprocess.Popen(args, env=env, stderr=subprocess.PIPE, preexec_fn=lambda: os.umask(umask))
        pipe = Path(target.stdout.readline().strip())
        assert pipe.parent.parent == spool and re.fullmatch("heapquarry-[0-9a-f]{16}", pipe.parent.name)
        assert oct(pipe.parent.stat().st_mode & 0o777) == "0o700" and oct(pipe.stat().st_mode & 0o777) == "0o600"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130, process.stderr.read()
    assert not list(spool.iterdir())


@needs_node
def test_nothing_private_reaches_a_file(target, tmp_path):
    """The raw bytes and the tables have the same tokens: one key a command."""
    raw, tables = tmp_path / "a.heapsnapshot", tmp_path / "tables"
    heapquarry("capture", target.address, "--raw", raw, "-o", tables, "--redact", "values")
    assert "text 999" not in raw.read_text() and "Marker" in raw.read_text()
    assert_same_tables(tables, convert(raw, tmp_path / "converted"))
    assert count_of(tables, "Marker") == 1000
    # Nor an answer.
    for redact, is_named in [((), True), (("--redact", "full"), False)]:
        told = heapquarry("capture", "-q", target.address, "--then", "summary", *redact)
        assert ("Marker" in told.stdout) == is_named and "Marker" not in told.stderr, redact


@needs_node
@pytest.mark.parametrize(
    "kind, ending, format",
    [("cpu", "cpuprofile", "cpuprofile"), ("heap-sampling", "heapprofile", "heapprofile"), ("timeline", "heaptimeline", "heaptimeline"), ("trace", "json", "trace")],
)
def test_what_is_recorded_over_time(target, tmp_path, kind, ending, format):
    raw, tables = tmp_path / f"a.{ending}", tmp_path / "tables"
    heapquarry("capture", target.port, "--kind", kind, "--for", "300ms", "--raw", raw, "-o", tables)
    assert_same_tables(tables, convert(raw, tmp_path / "converted"))
    [row] = [row for row in read_rows(tables, "source") if row["format"] == format]
    assert row["status"] == "complete", row


@needs_node
def test_an_interrupt_ends_a_recording(target, tmp_path):
    """Before the recording has begun, it ends all. What is recorded is kept."""
    raw = tmp_path / "a.cpuprofile"
    for wait in (0, 0.1, 1, 10):
        process = subprocess.Popen([binary(), "capture", target.port, "--kind", "cpu", "--raw", raw], stderr=subprocess.PIPE)
        # The file is begun when the connection stands.
        wait_until(lambda process=process: list(tmp_path.iterdir()), process)
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        code = process.wait(300)
        if code == 0:
            break
        assert (code, list(tmp_path.iterdir())) == (130, []), process.stderr.read()
    assert json.loads(raw.read_text())["nodes"]


@needs_node
def test_objects_keep_their_ids_over_rounds(target, tmp_path):
    raw = tmp_path / "a.heapsnapshot"
    done = heapquarry("capture", target.port, "--count", "3", "--every", "1ms", "--gc", "--raw", raw, "--then", "leaks")
    assert "captured" in done.stderr
    ids = []
    for number in (1, 2, 3):
        folder = convert(tmp_path / f"a-{number}.heapsnapshot", tmp_path / str(number))
        rows = read_rows(folder, "js_heap_nodes")
        ids.append({row["id"] for row in rows if row["name"] == "Marker" and row["type"] == "object"})
    assert len(ids[0]) == 1000 and ids[0] == ids[1] == ids[2]


@needs_node
def test_what_comes_then(target, tmp_path):
    done = heapquarry("capture", target.port, "--then", "summary", cwd=tmp_path)
    assert "Statistics" in done.stdout and not list(tmp_path.iterdir())
    # No file is named that is not there.
    assert "captured: " in done.stderr and "heapsnapshot" not in done.stderr
    heapquarry("capture", target.port, "--then", "report", cwd=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["capture.html"]
    # What exists is refused before anything happens.
    done = heapquarry("capture", target.port, "--then", "report", cwd=tmp_path, expect=2)
    assert "exists" in done.stderr and "captured" not in done.stderr
    done = heapquarry("capture", "--list", target.port)
    assert "node" in done.stdout.split() and target.address.rsplit("/", 1)[1] in done.stdout


def wait_for_bytes(process, folder, bytes):
    """Until that much of a file is written, under whatever name."""
    wait_until(lambda: sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) >= bytes, process)


PASSED = 4 << 20


def pass_on(read, write, gate):
    """Passes on what is read; more than `PASSED` bytes only when the gate is open. Ends when either side is gone."""
    passed = 0
    with contextlib.suppress(OSError):
        while data := read(1 << 16):
            if passed >= PASSED:
                gate.wait(600)
            passed += len(data)
            while data:
                data = data[write(data) :]


def serve_pipe(target, pipe, gate):
    """What the target writes to its pipe is passed on to the one that waits for it."""
    while path := target.stdout.readline().strip():
        with open(pipe, "rb", buffering=0) as source, open(path, "wb", buffering=0) as sink:
            # Each snapshot has a pipe of its own: of one that Node gave up, it keeps the end open.
            pipe.unlink()
            os.mkfifo(pipe)
            pass_on(source.read, sink.write, gate)


def serve_socket(server, port, gate):
    """What the target sends is passed on, and what is sent to it at once."""
    client, _ = server.accept()
    with client, socket.create_connection(("127.0.0.1", port)) as target:
        is_open = threading.Event()
        is_open.set()
        requests = threading.Thread(target=pass_on, args=(client.recv, target.send, is_open), daemon=True)
        requests.start()
        pass_on(target.recv, client.send, gate)
        # Each side is told that the other one is gone, while the requests still read.
        for end in (client, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def held(way, folder):
    """A target whose snapshot comes in part, and the rest when the gate is opened: the target, its address, the gate."""
    gate = threading.Event()
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    with node("--inspect=0", markers=300_000, pipe=pipe) as target, socket.create_server(("127.0.0.1", 0)) as server:
        if way == "pipe":
            work, args, address = serve_pipe, (target, pipe, gate), target.address
        else:
            work, args = serve_socket, (server, int(target.port), gate)
            address = target.address.replace(f":{target.port}/", f":{server.getsockname()[1]}/")
        threading.Thread(target=work, args=args, daemon=True).start()
        yield target, address, gate


@needs_node
def test_a_target_survives_our_death(tmp_path):
    """Node's write to the pipe fails, and it drops the snapshot and keeps running."""
    folder = tmp_path / "out"
    folder.mkdir()
    with held("pipe", tmp_path) as (target, address, gate):
        args = [binary(), "capture", address, "--raw", folder / "a.heapsnapshot"]
        process = subprocess.Popen(args, stderr=subprocess.PIPE, text=True)
        wait_for_bytes(process, folder, 1 << 20)
        process.kill()
        process.wait(300)
        gate.set()
        heapquarry("capture", target.port, "-o", tmp_path / "whole")
        assert count_of(tmp_path / "whole", "Marker") == 300_000


@needs_node
@ways
@pytest.mark.parametrize("killed", ["target", "us"])
def test_what_came_before_the_end_is_kept(tmp_path, killed, way):
    """Unless we end it: then nothing is, and the target must not suffer: it is captured whole afterwards."""
    folder = tmp_path / "out"
    folder.mkdir()
    with held(way, tmp_path) as (target, address, gate):
        raw = folder / "a.heapsnapshot"
        args = [binary(), "capture", address, "--raw", raw]
        process = subprocess.Popen(args, stderr=subprocess.PIPE, text=True, env=WAYS[way])
        wait_for_bytes(process, folder, 1 << 20)
        if killed == "target":
            target.kill()
        else:
            process.send_signal(signal.SIGINT)
            # It has noticed, whether it leaves at once or not.
            assert any("interrupted" in line for line in process.stderr)
        gate.set()
        code = process.wait(300)
        error = process.stderr.read()
        assert code == (2 if killed == "target" else 130), error
        if killed == "target":
            assert "not whole" in error, error
            tables = convert(raw, tmp_path / "tables")
            assert status(tables) == ["truncated"] and read_rows(tables, "js_heap_nodes")
        else:
            assert list(folder.iterdir()) == []
            heapquarry("capture", target.port, "-o", tmp_path / "whole", env=WAYS[way])
            assert count_of(tmp_path / "whole", "Marker") == 300_000


@needs_node
def test_without_room_nothing_happens(tmp_path):
    with node("--inspect=0", markers=50_000) as target:
        used = re.search(r"VmSize:\s+(\d+)", open(f"/proc/{target.pid}/status").read())
        room = int(used[1]) * 1024 + (1 << 20)
        before = resource.prlimit(target.pid, resource.RLIMIT_AS)
        resource.prlimit(target.pid, resource.RLIMIT_AS, (room, before[1]))
        done = heapquarry("capture", target.port, "-o", tmp_path / "t", expect=2)
        assert "ulimit -v" in done.stderr and "--force" in done.stderr and "captured" not in done.stderr
        assert not (tmp_path / "t").exists() and target.poll() is None
        resource.prlimit(target.pid, resource.RLIMIT_AS, before)
        heapquarry("capture", target.port, "-o", tmp_path / "t")
        assert count_of(tmp_path / "t", "Marker") == 50_000


@needs_node
def test_by_process_id(tmp_path):
    # A port of its own, whoever else has 9229.
    with node("--inspect-port=0") as target:
        heapquarry("capture", "--pid", target.pid, "-o", tmp_path / "t")
        assert count_of(tmp_path / "t", "Marker") == 1000
        # It was opened for us and is closed again.
        ports = subprocess.run(["cat", f"/proc/{target.pid}/net/tcp"], capture_output=True, text=True).stdout
        own = {os.readlink(f"/proc/{target.pid}/fd/{fd}") for fd in os.listdir(f"/proc/{target.pid}/fd")}
        sockets = [line.split() for line in ports.splitlines()[1:]]
        assert not [s for s in sockets if s[3] == "0A" and f"socket:[{s[9]}]" in own]
    with subprocess.Popen(["sleep", "60"]) as other:
        done = heapquarry("capture", "--pid", other.pid, "-o", tmp_path / "u", expect=2)
        assert "SIGUSR1" in done.stderr and other.poll() is None
        other.kill()


def test_what_is_not_encrypted_stays_on_this_machine():
    for target in ("ws://10.0.0.1:9229/s3cret?t=s3cret", "http://a.example:9229/s3cret"):
        done = heapquarry("capture", target, "-o", "t", expect=2)
        assert "without encryption" in done.stderr and "s3cret" not in done.stderr
    done = heapquarry("capture", "ws://me:s3cret@localhost:1/x", expect=2)
    assert "s3cret" not in done.stderr


def test_headers_come_from_the_environment():
    seen = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append((self.path, self.headers["X-Token"]))
            self.send_error(403)

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        env = os.environ | {"HEAPQUARRY_CAPTURE_HEADERS": "X-Token: s3cret"}
        for target in (f"127.0.0.1:{server.server_port}", f"ws://127.0.0.1:{server.server_port}/hidden"):
            done = heapquarry("capture", target, "-o", "t", env=env, expect=2)
            assert "s3cret" not in done.stderr and "hidden" not in done.stderr
        server.shutdown()
    assert seen == [("/json/list", "s3cret"), ("/hidden", "s3cret")]


@contextlib.contextmanager
def chromium(profile, page):
    """The port of a browser, once its page says that it is ready."""
    flags = [flag for flag in FLAGS if flag != "--remote-debugging-pipe"]
    args = [CHROMIUM, *flags, "--remote-debugging-port=0", f"--user-data-dir={profile}", page]
    browser = subprocess.Popen(args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        active = profile / "DevToolsActivePort"
        wait_until(lambda: active.exists() and active.read_text().count("\n"), browser)
        port = active.read_text().split()[0]
        targets = lambda: json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=300))
        wait_until(lambda: [target for target in targets() if target["title"] == "ready"], browser)
        yield port
    finally:
        os.killpg(browser.pid, signal.SIGKILL)
        browser.wait()


@needs_chromium
def test_a_page(tmp_path):
    script = "class Marker {}; globalThis.all = Array.from({length: 77}, () => new Marker); document.title = 'ready'"
    with chromium(tmp_path / "profile", f"data:text/html,<script>{script}</script>") as port:
        raw, tables = tmp_path / "a.heapsnapshot", tmp_path / "tables"
        heapquarry("capture", port, "--raw", raw, "-o", tables)
        assert_same_tables(tables, convert(raw, tmp_path / "converted"))
        assert (count_of(tables, "Marker"), status(tables)) == (77, ["complete"])
        heapquarry("capture", port, "--kind", "trace", "--for", "200ms", "-o", tmp_path / "trace")
        assert "complete" in status(tmp_path / "trace") and read_rows(tmp_path / "trace", "trace_event")


# A dedicated worker, which starts one of its own.
OF_PAGE = """
class Inner { constructor(n) { this.n = n; } }
self.kept = Array.from({ length: COUNT }, (_, n) => new Inner(n));
"""
PAGE = """<script>
const start = (text, name) => new Worker(URL.createObjectURL(new Blob([text])), { name });
const inner = INNER, outer = OUTER + ';' + start.toString().replace(/^/, 'const start = ') +
  '; start(' + JSON.stringify(inner + ';postMessage(0)') + ', "inner").onmessage = () => postMessage(0);';
const worker = start(outer, 'outer');
worker.onmessage = () => document.title = 'ready';
</script>"""


@needs_chromium
def test_dedicated_workers_of_a_page(tmp_path):
    of = lambda count: json.dumps(OF_PAGE.replace("COUNT", str(count)))
    page = tmp_path / "page.html"
    page.write_text(PAGE.replace("INNER", of(33)).replace("OUTER", of(77)))
    with chromium(tmp_path / "profile", page.as_uri()) as port:
        lines = heapquarry("capture", port, "--list").stdout.splitlines()
        at = next(i for i, line in enumerate(lines) if "  page  ready  " in line)
        # Below their page, each once.
        workers = [line.split("  ")[:3] for line in lines[at + 1 : at + 3]]
        assert [worker[1:] for worker in workers] == [["worker", "outer"], ["worker", "inner"]], lines
        assert sum("  worker" in line for line in lines) == 2, lines
        for (id, *_), count in zip(workers, (77, 33)):
            heapquarry("capture", f"{port}/{id}", "-o", tmp_path / id)
            assert (count_of(tmp_path / id, "Inner"), status(tmp_path / id)) == (count, ["complete"])
        heapquarry("capture", port, "--all", "-o", tmp_path / "all")
        paths = [row["path"] for row in read_rows(tmp_path / "all", "source")]
        assert paths == ["main.heapsnapshot", *(f"{id}.heapsnapshot" for id, *_ in workers)]
        heapquarry("capture", f"{port}/{workers[0][0]}", "--kind", "cpu", "--for", "200ms", "-o", tmp_path / "cpu")
        assert status(tmp_path / "cpu") == ["complete"]
        assert "none has this id" in heapquarry("capture", f"{port}/nothing", "-o", tmp_path / "x", expect=2).stderr


SITE = {
    "/": """<script>
        new SharedWorker('shared.js', 'shared').port.onmessage = () => navigator.serviceWorker.register('service.js')
          .then(() => navigator.serviceWorker.ready).then(() => document.title = 'ready');
    </script>""",
    "/shared.js": OF_PAGE.replace("COUNT", "44") + "onconnect = event => event.ports[0].postMessage(0);",
    "/service.js": OF_PAGE.replace("COUNT", "55"),
}


@contextlib.contextmanager
def site(files):
    """The port of a server of files."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            text = files.get(self.path)
            if text is None:
                return self.send_error(404)
            self.send_response(200)
            self.send_header("Content-Type", "text/javascript" if self.path.endswith(".js") else "text/html")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@needs_chromium
def test_workers_that_pages_share(tmp_path):
    with site(SITE) as files, chromium(tmp_path / "profile", f"http://127.0.0.1:{files}/") as port:
        heapquarry("capture", port, "--all", "-o", tmp_path / "all")
        sources = {row["file_id"]: row["path"] for row in read_rows(tmp_path / "all", "source")}
        nodes = read_rows(tmp_path / "all", "js_heap_nodes")
        inner = [sources[row["file_id"]] for row in nodes if row["name"] == "Inner" and row["type"] == "object"]
        counts = Counter(inner)
        assert sorted(counts.values()) == [44, 55] and "main.heapsnapshot" not in counts, counts
        # Each is a target of its own, too, listed once.
        listed = [line.split("  ")[:2] for line in heapquarry("capture", port, "--list").stdout.splitlines()]
        kinds = {f"{id}.heapsnapshot": kind for id, kind in listed}
        assert len(kinds) == len(listed)
        [shared] = [path for path, count in counts.items() if count == 44]
        assert kinds[shared] == "shared_worker"
        heapquarry("capture", f"{port}/{shared.split('.')[0]}", "-o", tmp_path / "one")
        assert count_of(tmp_path / "one", "Inner") == 44


# Of three workers, the second one ends as soon as the main thread is asked for its memory, before it is captured.
ENDING = """
const { Worker } = require('worker_threads');
const ended = new Int32Array(new SharedArrayBuffer(8));
const run = `
  class Inner { constructor(n) { this.n = n; } }
  globalThis.kept = Array.from({ length: 300 }, (_, n) => new Inner(n));
  const { parentPort, workerData } = require('worker_threads');
  const { ended, which } = workerData;
  process.on('exit', () => { Atomics.store(ended, 1, 1); Atomics.notify(ended, 1); });
  setInterval(() => { if (which === 1 && Atomics.load(ended, 0)) process.exit(); }, 5);
  parentPort.postMessage(0);
`;
let count = 0;
for (const which of [0, 1, 2]) {
  const worker = new Worker(run, { eval: true, workerData: { ended, which } });
  worker.once('message', () => { if (++count === 3) console.log('ready'); });
}
const memoryUsage = process.memoryUsage;
process.memoryUsage = () => {
  Atomics.store(ended, 0, 1);
  Atomics.wait(ended, 1, 0, 60000);
  return memoryUsage();
};
"""


@needs_node
def test_workers_are_listed_and_captured(tmp_path):
    with node_with_worker() as process:
        listed = heapquarry("capture", process.port, "--list").stdout.splitlines()
        workers = [line.split()[0] for line in listed if "  worker  " in line]
        assert len(listed) == 2 and len(workers) == 1 and "inner" in listed[1], listed
        for way, env in WAYS.items():
            one = tmp_path / way
            heapquarry("capture", f"{process.port}/{workers[0]}", "-o", one, env=env)
            assert (count_of(one, "Inner"), status(one)) == (300, ["complete"]), way
        everything = tmp_path / "all"
        heapquarry("capture", process.port, "--all", "-o", everything)
        paths = [row["path"] for row in read_rows(everything, "source")]
        assert paths == ["main.heapsnapshot", f"{workers[0]}.heapsnapshot"]
        nodes = read_rows(everything, "js_heap_nodes")
        inner = [row["file_id"] for row in nodes if row["name"] == "Inner" and row["type"] == "object"]
        assert inner == [1] * 300
        # The main thread is not that of the worker.
        main = tmp_path / "main"
        heapquarry("capture", process.port, "-o", main)
        assert count_of(main, "Inner") == 0
        done = heapquarry("capture", f"{process.port}/worker-99", "-o", tmp_path / "none", expect=2)
        assert "no worker has this id" in done.stderr
        assert process.poll() is None


# Two workers with heaps of their own: one of strings of 100 kB, a small one without a name.
TWO_WORKERS = """
const { Worker } = require('worker_threads');
const run = `
  const { parentPort, workerData } = require('worker_threads');
  globalThis.kept = Array.from({ length: workerData }, (_, n) => Buffer.alloc(100000, 65 + n % 26).toString('latin1'));
  parentPort.postMessage(0);
  setInterval(() => {}, 1000);
`;
let count = 0;
const ready = () => { if (++count === 2) console.log('ready'); };
new Worker(run, { eval: true, name: 'large', workerData: 300 }).once('message', ready);
new Worker(run, { eval: true, workerData: 3 }).once('message', ready);
"""


@needs_node
def test_isolates_are_summed_up(tmp_path):
    everything, redacted = tmp_path / "all", tmp_path / "redacted"
    with node_with_worker(TWO_WORKERS) as process:
        heapquarry("capture", process.port, "--all", "-o", everything)
        heapquarry("capture", process.port, "--all", "--redact", "values", "-o", redacted)
        assert process.poll() is None
    answer = json.loads(heapquarry("summary", everything, "--json").stdout)
    totals, process = answer["totals"], answer["process"]
    rows = answer["isolates"]["rows"]
    # The oracle: the tables themselves.
    files = {row["file_id"]: row for row in read_rows(everything, "js_heap_files")}
    sources = {row["file_id"]: row["path"] for row in read_rows(everything, "source")}
    assert answer["kind"] == "isolates" and len(rows) == totals["isolate_count"] == len(files) == 3
    for row in rows:
        file_id = int(row["input"].rpartition("#")[2])
        assert sources[file_id] == f"{row['isolate']}.heapsnapshot"
        assert row["totals"]["node_count"] == files[file_id]["node_count"]
        assert row["totals"]["edge_count"] == files[file_id]["edge_count"]
        alone = json.loads(heapquarry("summary", row["input"], "--json").stdout)
        assert (alone["kind"], alone["totals"]) == ("heap", row["totals"])
    for member in ("size", "node_count", "edge_count"):
        assert totals[member] == sum(row["totals"][member] for row in rows)
    assert abs(sum(row["share_percent"] for row in rows) - 100) < 1
    large, *others = rows
    assert large["isolate"] != "main" and "large" in large["title"] and large["totals"]["size"] > 30_000_000
    assert large["share_percent"] > 70 and "main" in [row["isolate"] for row in others]
    [url] = [row["url"] for row in rows if row["isolate"] == "main"]
    assert url.startswith("file://")
    # The resident memory is that of the whole process.
    assert process["rss"] > totals["size"] and sum(part["size"] for part in process["parts"]) == process["rss"]
    text = heapquarry("summary", everything).stdout
    lines = [line.split() for line in text.splitlines()]
    assert [line[0] for line in lines if line and line[0] in {row["isolate"] for row in rows}] == [
        row["isolate"] for row in rows
    ]
    brief = json.loads(heapquarry("summary", everything, "--json", "--brief").stdout)
    assert brief["totals"]["isolate_count"] == 3
    by = json.loads(heapquarry("summary", everything, "--json", "--by", "package").stdout)
    assert "by is not used for several isolates" in [caveat["text"] for caveat in by["caveats"]][-1]
    # What a program calls itself is not told of a redacted capture.
    hidden = json.loads(heapquarry("summary", redacted, "--json").stdout)["isolates"]["rows"]
    assert {(row["title"], row["url"]) for row in hidden} == {(None, None)} and len(hidden) == 3
    # Heaps of several isolates are no series of one: each is drawn by itself, and none is compared with another.
    page = tmp_path / "page.html"
    heapquarry("report", everything, "-o", page)
    titles = re.findall(r"Heap: [\w-]+\.heapsnapshot", page.read_text())
    assert {f"Heap: {row['isolate']}.heapsnapshot" for row in rows} <= set(titles)
    assert "#1" in heapquarry("leaks", everything, expect=2).stderr


OF_DENO = """
class Inner { constructor(n) { this.n = n; } }
const run = `
  class Inner { constructor(n) { this.n = n; } }
  globalThis.kept = Array.from({ length: 300 }, (_, n) => new Inner(n));
  setInterval(() => {}, 1000);
  postMessage(0);
`;
const url = URL.createObjectURL(new Blob([run], { type: "text/javascript" }));
const worker = new Worker(url, { type: "module" });
worker.onmessage = () => console.log("ready");
setInterval(() => {}, 1000);
"""


def test_workers_of_deno_are_listed_and_captured(deno, tmp_path):
    program = tmp_path / "main.js"
    program.write_text(OF_DENO)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    pipe = subprocess.PIPE
    args = [deno, "run", f"--inspect=127.0.0.1:{port}", "--allow-all", program]
    with subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            threading.Thread(target=process.stderr.read, daemon=True).start()
            assert process.stdout.readline() == "ready\n"
            listed = heapquarry("capture", port, "--list").stdout.splitlines()
            workers = [line.split()[0] for line in listed if "  worker  " in line]
            assert len(listed) == 2 and len(workers) == 1, listed
            everything = tmp_path / "all"
            heapquarry("capture", port, "--all", "-o", everything)
            paths = [row["path"] for row in read_rows(everything, "source")]
            assert paths == ["main.heapsnapshot", f"{workers[0]}.heapsnapshot"]
            nodes = read_rows(everything, "js_heap_nodes")
            inner = [row["file_id"] for row in nodes if row["name"] == "Inner" and row["type"] == "object"]
            assert inner == [1] * 300
            assert process.poll() is None
        finally:
            process.kill()


@needs_node
def test_a_worker_that_ends_takes_no_other_with_it(tmp_path):
    with node_with_worker(ENDING) as process:
        done = heapquarry("capture", process.port, "--all", "-o", tmp_path / "all", expect=2, timeout=120)
        files = {row["file_id"]: row["path"] for row in read_rows(tmp_path / "all", "source")}
        nodes = read_rows(tmp_path / "all", "js_heap_nodes")
        whose = [files[row["file_id"]] for row in nodes if row["name"] == "Inner" and row["type"] == "object"]
        assert len(files) == 3 and "main.heapsnapshot" in files.values(), files
        assert sorted({name: whose.count(name) for name in whose}.values()) == [300, 300], files
        assert re.search(r"not whole: worker-\d+\.heapsnapshot: ", done.stderr), done.stderr
        assert process.poll() is None


@needs_node
def test_a_later_capture_that_is_refused_leaves_those_before(tmp_path):
    # The second time that it is asked, its heap is nearly full.
    program = """
    const v8 = require('v8'), statistics = v8.getHeapStatistics;
    let count = 0;
    v8.getHeapStatistics = () => ({ ...statistics(), ...(count++ && { heap_size_limit: 1 }) });
    console.log('ready');
    """
    with node_with_worker(program + "setInterval(() => {}, 1000);") as process:
        raw = tmp_path / "a.heapsnapshot"
        done = heapquarry("capture", process.port, "--raw", raw, "--count", "3", expect=2)
        assert "not whole: the process may end" in done.stderr
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a-1.heapsnapshot", "a-1.heapsnapshot.process.json"]


@needs_node
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="--pid needs /proc")
def test_an_inspector_that_was_opened_is_closed_whatever_happens(tmp_path):
    program = """
    const { url } = require('inspector');
    let was = false;
    setInterval(() => { if (!!url() !== was) console.log((was = !!url()) ? 'open' : 'closed'); }, 1);
    process.on('SIGUSR2', () => console.log(url() ? 'is open' : 'is closed'));
    console.log('ready');
    """
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "a").touch()
    args = [NODE, "--inspect-port=0", "-e", program]
    process = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    # So that nothing waits for ever.
    timer = threading.Timer(120, process.kill)
    timer.start()
    try:
        assert process.stdout.readline() == "ready\n"
        # Nothing happens to the process if there is no place for the output.
        heapquarry("capture", "--pid", process.pid, "-o", taken, expect=2)
        os.kill(process.pid, signal.SIGUSR2)
        assert process.stdout.readline() == "is closed\n"
        for flags, expect in [(["--list"], 0), (["--max-pause", "0ms", "-o", tmp_path / "none"], 2)]:
            heapquarry("capture", "--pid", process.pid, *flags, expect=expect)
            seen = [process.stdout.readline() for _ in range(2)]
            assert seen == ["open\n", "closed\n"], flags
    finally:
        timer.cancel()
        process.kill()
        process.wait()


@needs_node
def test_snapshots_carry_the_memory_of_their_process(tmp_path):
    """Buffers of 40 MB that were written to, and none in the heap."""
    program = """
    globalThis.kept = Array.from({ length: 40 }, () => Buffer.alloc(1_000_000, 1));
    console.log('ready');
    setInterval(() => {}, 1000);
    """
    with node_with_worker(program) as process:
        raw = tmp_path / "a.heapsnapshot.zst"
        heapquarry("capture", process.port, "--raw", raw, "-o", tmp_path / "tables", "--count", "2")
        # Neither a snapshot nor what is beside it is replaced.
        beside = tmp_path / "b.heapsnapshot.process.json"
        beside.touch()
        heapquarry("capture", process.port, "--raw", tmp_path / "b.heapsnapshot", expect=2)
        assert beside.read_text() == "" and not (tmp_path / "b.heapsnapshot").exists()
        text = heapquarry("capture", process.port, "--then", "summary").stdout
        assert "The heap explains" in text
    first = tmp_path / "a-1.heapsnapshot.zst"
    converted = tmp_path / "converted"
    heapquarry("convert", first, "-o", converted)
    for source in (first, f"{tmp_path / 'tables'}#1", converted):
        memory = json.loads(heapquarry("summary", source, "--json").stdout)["process"]
        parts = {part["part"]: part["size"] for part in memory["parts"]}
        assert sum(parts.values()) == memory["rss"] > 40_000_000
        assert 40_000_000 <= parts["array_buffers"] <= 50_000_000, parts
        assert 0 < parts["heap"] < 40_000_000
    assert [row["file_id"] for row in read_rows(tmp_path / "tables", "process_sample")] == [0, 1]
    leaks = json.loads(heapquarry("leaks", tmp_path / "tables", "--json").stdout)
    assert all(snapshot["rss"] > 40_000_000 for snapshot in leaks["snapshots"])


@needs_node
def test_a_pause_beyond_the_limit_is_refused(target, tmp_path):
    raw = tmp_path / "a.heapsnapshot"
    done = heapquarry("capture", target.address, "--raw", raw, "--max-pause", "1ms", expect=2)
    assert "the process would stop for about" in done.stderr and "heapquarry watch" in done.stderr
    assert not raw.exists()
    heapquarry("capture", target.address, "--raw", raw, "--max-pause", "3600s")
    assert raw.exists()


@needs_node
def test_a_sampling_profile_of_the_program_goes_on(tmp_path):
    """Asking for the pause makes a collection in a way that would end it."""
    program = """
const { Session } = require('inspector');
const session = new Session();
session.connect();
session.post('HeapProfiler.startSampling', () => console.log('ready'));
setInterval(() => session.post('HeapProfiler.getSamplingProfile', (error) => error && console.log('ended')), 20);
"""
    pipe = subprocess.PIPE
    args = [NODE, "--inspect=0", "-e", program]
    with subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            port = re.search(r":(\d+)/", process.stderr.readline())[1]
            threading.Thread(target=process.stderr.read, daemon=True).start()
            assert process.stdout.readline() == "ready\n"
            heapquarry("capture", port, "--raw", tmp_path / "a.heapsnapshot")
            time.sleep(0.2)
        finally:
            process.kill()
        assert process.stdout.read() == ""
