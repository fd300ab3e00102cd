"""Asks heapquarry and its peers what leaks in the same three snapshots, and prints a table in Markdown; see `cargo xtask
peers --what=leaks`.

The rank is that of the first line or trace that names what leaks, who holds it, or the container by its id: 1 is best.
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from compare import measure

# What heap.mjs leaks.
NAMES = re.compile(r"\bSession(Store)?\b")


def peers(args, scratch):
    """Name, command line, and the function that takes the findings from what the command says, the first first."""
    first, second, third = args.files
    yield "heapquarry leaks", [args.heapquarry, "leaks", *args.files, "--json", "--quiet"], findings
    yield "heapquarry diff", [args.heapquarry, "diff", *args.files, "--json", "--quiet"], suspects
    memlab = args.modules / "@memlab/cli/bin/memlab.js"
    if memlab.exists():
        node = ["node", f"--max-old-space-size={int(args.memory * 1000)}", memlab]
        work = ["--work-dir", scratch / "memlab"]
        for analysis in "unbound-collection", "unbound-object":
            yield f"memlab analyze {analysis}", [*node, "analyze", analysis, "--snapshot-dir", first.parent, *work], bullets
        files = ["--baseline", first, "--target", second, "--final", third]
        yield "memlab find-leaks", [*node, "find-leaks", *files, *work], traces
    tool = args.modules / ".bin/heap-snapshot"
    if tool.exists():
        yield "heap-snapshot diff", [tool, "diff", third, first], rows


def findings(said):
    return [f"{leak['owner']} {leak['leaked']} @{leak['container']['id']}" for leak in json.loads(said)["findings"]]


def suspects(said):
    return [suspect["class_name"] for suspect in json.loads(said)["suspects"]["rows"]]


def bullets(said):
    return [line for line in said.splitlines() if "· " in line[:8]]


def traces(said):
    return said.split("Similar leaks in this run")[1:]


def rows(said):
    return [line for line in said.splitlines() if re.match(r"\W+\S.*[+\u2212\d]", line)]


def rank(found, container):
    for at, text in enumerate(found, start=1):
        if NAMES.search(text) or (container and f"@{container})" in text):
            return f"{at} of {len(found)}"
    return f"none of {len(found)}"


def unusable(command):
    """Why a program cannot be run here, if it cannot."""
    try:
        done = subprocess.run([str(command[0]), "--help"], capture_output=True, text=True, timeout=60)
    except OSError as error:
        return str(error)
    missing = re.search(r"version `(GLIBC_[\d.]+)' not found", done.stdout + done.stderr)
    return f"it needs {missing[1]}" if missing else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs=3, type=Path)
    parser.add_argument("--heapquarry", required=True, type=Path)
    parser.add_argument("--modules", required=True, type=Path)
    parser.add_argument("--scratch", required=True, type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=300, help="seconds for each run")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    parser.add_argument("--memory", type=float, default=memory, help="address space of each run in GB")
    args = parser.parse_args()
    sizes = " + ".join(f"{file.stat().st_size / 1e6:,.0f}" for file in args.files)
    print(f"{os.cpu_count()} cores, {memory:.0f} GB, {platform.platform()}; {sizes} MB, best of {args.runs}\n")
    table, container = [], None
    with tempfile.TemporaryDirectory(dir=args.scratch) as scratch:
        for name, command, found in peers(args, Path(scratch)):
            if why := unusable(command):
                print(f"SKIPPED {name}: {why}")
                continue
            best = None
            for _ in range(args.runs):
                with tempfile.TemporaryFile() as out:
                    figures, failure = measure(command, args, out)
                    out.seek(0)
                    said = out.read().decode(errors="replace")
                shutil.rmtree(Path(scratch) / "memlab", ignore_errors=True)
                if failure:
                    break
                best = tuple(map(min, figures, best or figures))
            if failure:
                table.append(f"| {name} | {failure} | | | |")
                continue
            if name == "heapquarry leaks":
                container = next((leak["container"]["id"] for leak in json.loads(said)["findings"]), None)
            wall, cpu, peak = best
            table.append(f"| {name} | {wall:.2f} s | {cpu:.2f} s | {peak / 1e6:,.0f} MB | {rank(found(said), container)} |")
    print("\n| command | wall | CPU | peak memory | rank of the leak |")
    print("| --- | ---: | ---: | ---: | --- |")
    print("\n".join(table))


if __name__ == "__main__":
    main()
