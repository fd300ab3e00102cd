"""Compares every table that `heapquarry` makes of somebody's files with the naive readers of these tests.

    python wild.py FILE|FOLDER...

prints a row for each file: `same`, `differs` with the first difference, `refused` with the error of the command, or
`not compared` where the naive reader of the format cannot read the file. It ends with 1 if a file differs.
"""

import argparse
import contextlib
import io
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from conftest import arrow_table, assert_same, codes, convert, expected_tables, read_rows, read_table
from oracles import cpu as oracle_cpu
from oracles import heap as oracle
from oracles import heap_profile as oracle_heap_profile
from oracles import jsc as oracle_jsc
from oracles import pprof as oracle_pprof
from oracles import self_profile as oracle_self_profile
from oracles import trace as oracle_trace
from traces import test_ftrace, test_traces

sys.setrecursionlimit(20_000)


@dataclass
class Outcome:
    """What became of one file."""

    path: Path
    verdict: str
    format: str = ""
    producer: str = ""
    rows: int = 0
    codes: dict = field(default_factory=dict)
    detail: str = ""


class NotRead(Exception):
    """The naive reader cannot read the file."""


@contextlib.contextmanager
def naive_reader():
    try:
        yield
    except Exception as error:  # it is naive: anything may go wrong
        raise NotRead(f"{type(error).__name__}: {error}") from error


def compare(folder, made, types):
    for name, columns in made.items():
        assert_same(read_table(folder, name), arrow_table(columns, types[name]), name)


def heap_snapshot(path, folder):
    with naive_reader():
        expected = expected_tables(oracle.tables(oracle.Snapshot.parse(oracle.read_bytes(path)), path))
    for name, table in expected.items():
        assert_same(read_table(folder, name), table, name)


def jsc_snapshot(path, folder):
    with naive_reader():
        made = oracle_jsc.tables(oracle.read_bytes(path), oracle.document_name(path))
    compare(folder, made, oracle_jsc.TABLES)


def cpu_profile(path, folder):
    with naive_reader():
        made = oracle_cpu.tables(oracle_cpu.read(path), oracle.document_name(path))
    compare(folder, made, oracle_cpu.TABLES)


def heap_profile(path, folder):
    with naive_reader():
        made = oracle_heap_profile.tables(oracle_cpu.read(path), oracle.document_name(path))
    compare(folder, made, oracle_heap_profile.TABLES)


def self_profile(path, folder):
    with naive_reader():
        made = oracle_self_profile.tables(oracle.read_bytes(path).decode(), oracle.document_name(path))
    compare(folder, made, oracle_self_profile.TABLES)


def pprof(path, folder):
    with naive_reader():
        made = oracle_pprof.tables(path.read_bytes(), oracle.document_name(path))
    compare(folder, made, oracle_pprof.TABLES)


def trace(path, folder):
    with naive_reader():
        text = oracle_trace.read(path)
        document = oracle_trace.loads(text)
    document = document if isinstance(document, dict) else {"traceEvents": document}
    test_traces.test_events(document, folder, text)
    test_traces.test_args(document, folder)
    test_traces.test_what_is_not_an_event(document, folder, text)


def ftrace(path, folder):
    test_ftrace.check(folder, test_ftrace.oracle.lines(oracle.read_bytes(path)))


READERS = {
    "heapsnapshot": heap_snapshot,
    "heaptimeline": heap_snapshot,
    "jscsnapshot": jsc_snapshot,
    "cpuprofile": cpu_profile,
    "heapprofile": heap_profile,
    "selfprofile": self_profile,
    "pprof": pprof,
    "trace": trace,
    "ftrace": ftrace,
}


def examine(path, convert=convert):
    """Converts a file and compares all that there is a naive reader for."""
    scratch = Path(tempfile.mkdtemp(prefix="wild-"))
    try:
        try:
            folder = convert(path, scratch / "tables")
        except AssertionError as error:
            lines = str(error).splitlines()
            lines = [line.strip() for line in lines]
            told = next((line for line in lines if line.startswith("error:")), lines[0])
            # A panic is none of the documented ends.
            return Outcome(path, "refused" if ": exit code " in str(error) else "differs", detail=told)
        except subprocess.TimeoutExpired as error:
            return Outcome(path, "refused", detail=str(error))
        sources = read_rows(folder, "source")
        source = sources[0]
        outcome = Outcome(path, "same", source["format"], source.get("producer") or "", codes=codes(folder))
        outcome.rows = sum(read_table(folder, file.stem).num_rows for file in folder.glob("*.parquet"))
        reader = READERS.get(source["format"])
        documents = [one for one in sources if one["document_index"] is not None]
        if reader is None or (len(documents) > 1 and reader not in (trace, self_profile)):
            where = "" if reader is None else " in a container"
            outcome.verdict, outcome.detail = "not compared", f"no naive reader of {source['format']}{where}"
            return outcome
        try:
            reader(path, folder)
        except NotRead as error:
            outcome.verdict, outcome.detail = "not compared", f"the naive reader: {error}"
        except (AssertionError, pytest.fail.Exception) as error:
            outcome.verdict, outcome.detail = "differs", str(error).strip()
        except Exception as error:  # the comparison is naive too: one file does not end the others
            outcome.verdict, outcome.detail = "not compared", f"the comparison: {type(error).__name__}: {error}"
        return outcome
    finally:
        shutil.rmtree(scratch)


def files(paths):
    for path in map(Path, paths):
        yield from sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]


def table(outcomes):
    """Markdown."""
    out = io.StringIO()
    print("| file | format | producer | rows | import_log | tables |", file=out)
    print("| --- | --- | --- | ---: | --- | --- |", file=out)
    for one in outcomes:
        logged = ", ".join(f"{count} {code}" for code, count in sorted(one.codes.items()))
        verdict = one.verdict + (f": {one.detail.splitlines()[0][:200]}" if one.detail else "")
        cells = [one.path.name, one.format, one.producer, f"{one.rows:,}", logged, verdict]
        print("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |", file=out)
    return out.getvalue()


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", metavar="FILE|FOLDER")
    outcomes = [examine(path) for path in files(parser.parse_args(arguments).paths)]
    print(table(outcomes), end="")
    verdicts = [one.verdict for one in outcomes]
    count = {verdict: verdicts.count(verdict) for verdict in ("same", "differs", "refused", "not compared")}
    print("\n" + ", ".join(f"{number} {verdict}" for verdict, number in count.items()))
    for one in outcomes:
        if one.verdict == "differs":
            print(f"\n{one.path}\n{one.detail[:2000]}")
    return 1 if count["differs"] or not outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
