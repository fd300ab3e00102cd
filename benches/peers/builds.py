"""Runs two builds of heapquarry on the same files, in turn, and prints a table in Markdown; see `cargo xtask peers
--what=builds`.

Each round runs both builds, the second first in every other round, so that what else the machine does meets both. The
figures are medians; a ratio is the median of the rounds' ratios, not that of the medians.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from compare import measure, with_limits

HEAP = ".heapsnapshot"


def questions(files, output):
    """What is asked: a name, and the words of the command."""
    heaps = [file for file in files if file.suffix == HEAP]
    convert = ["--force", "--quiet", "--output", output]
    if heaps:
        first = heaps[0]
        yield "convert HEAP", ["convert", first, *convert]
        yield "convert HEAP --names id", ["convert", first, "--names", "id", *convert]
        yield "the same, --threads 1", ["convert", first, "--names", "id", "--threads", "1", *convert]
        statistics_alone = ["--analyze", "--tables", "js_heap_statistics"]
        yield "convert HEAP --analyze, statistics alone", ["convert", first, *statistics_alone, *convert]
        yield "convert HEAP --analyze", ["convert", first, "--analyze", *convert]
        yield "summary HEAP", ["summary", first, "--quiet"]
        yield "the same, --threads 1", ["summary", first, "--quiet", "--threads", "1"]
    if len(heaps) > 1:
        yield "diff of two", ["diff", *heaps[:2], "--quiet"]
    if len(heaps) > 2:
        yield f"leaks of {len(heaps)}", ["leaks", *heaps, "--quiet"]
    for file in files:
        if file.suffix != HEAP:
            yield f"convert {file.name}", ["convert", file, *convert]
            yield f"convert {file.name} --threads 1", ["convert", file, "--threads", "1", *convert]


def compare(args, name, words, scratch):
    builds = [args.before, args.heapquarry]
    runs = []
    for turn in range(args.runs):
        print(f"{turn + 1}/{args.runs} {name}", file=sys.stderr)
        figures = {}
        for build in builds if turn % 2 == 0 else reversed(builds):
            figures[build], failure = measure([build, *words], args)
            if failure:
                return f"| {name} | {build.name} {failure} |" + " |" * 8
            for left in scratch.iterdir():
                shutil.rmtree(left) if left.is_dir() else left.unlink()
        runs.append([figures[build] for build in builds])
    cells = []
    for figure, scale, digits in (0, 1, 2), (1, 1, 2), (2, 1e6, 0):
        before, after = ([run[build][figure] / scale for run in runs] for build in (0, 1))
        ratio = statistics.median(new / old for old, new in zip(before, after))
        cells += [f"{statistics.median(before):,.{digits}f}", f"{statistics.median(after):,.{digits}f}", f"{ratio:.2f}x"]
    return f"| {name} | " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="one to three snapshots of a process; traces, profiles")
    parser.add_argument("--before", required=True, type=Path, help="the older build")
    parser.add_argument("--heapquarry", required=True, type=Path)
    parser.add_argument("--scratch", required=True, type=Path)
    parser.add_argument("--only", default="", help="only questions with this in their name")
    args = with_limits(parser, runs=5)
    for file in args.files:
        print(f"{file.name}: {file.stat().st_size:,} bytes")
    print(f"\nMedians of {args.runs} rounds; s and MB\n")
    print("| question | wall, before | after | ratio | CPU, before | after | ratio | peak, before | after | ratio |")
    print("| --- |" + " ---: |" * 9)
    with tempfile.TemporaryDirectory(dir=args.scratch) as scratch:
        scratch = Path(scratch)
        # No build finds what another run has kept.
        os.environ["HEAPQUARRY_CACHE_DIR"] = str(scratch / "cache")
        for name, words in questions(args.files, scratch / "out"):
            if args.only in name:
                print(compare(args, name, words, scratch), flush=True)


if __name__ == "__main__":
    main()
