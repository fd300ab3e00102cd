"""The conversion of Spark: each input once, whatever dies, and nothing is left behind."""

import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from conftest import CORPUS

import heapquarry as hq
from heapquarry.errors import OutputError

HEAP = CORPUS / "handmade/bun.heapsnapshot"
OTHERS = ["node22.heapsnapshot.gz", "handmade/v8-timeline.heaptimeline", "profiles/current.cpuprofile"]
INPUTS = [HEAP, *(CORPUS / name for name in OTHERS)]


@pytest.fixture
def convert(spark):
    from heapquarry.spark import convert

    return lambda inputs, out, **options: convert(spark, inputs if isinstance(inputs, list) else str(inputs), out, **options)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for path in INPUTS:
        shutil.copy(path, folder)
    return folder


def files(out: Path) -> dict[str, bytes]:
    """Everything in a destination. Below `_work` a worker of an executor that was killed may still be writing."""
    found = {str(path.relative_to(out)): path for path in out.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith("_work/")}


def statuses(rows: list[dict]) -> Counter:
    return Counter(row["status"] for row in rows)


def test_executors_convert_each_input_once(spark, convert, folder: Path, tmp_path: Path):
    (folder / "broken.heapsnapshot").write_text("no heap")
    out, alone = tmp_path / "out", tmp_path / "alone"
    rows = convert(folder, out)
    assert statuses(rows) == {"done": 4, "failed": 1}
    [failed] = [row for row in rows if row["status"] == "failed"]
    assert failed["input"].endswith("broken.heapsnapshot") and "unknown format" in failed["error"]
    whole = [row for row in rows if row["status"] == "done"]
    for row in whole:
        hq.convert(row["input"], alone, force=True)
        tables = json.loads((alone / "_manifest.json").read_text())["tables"]
        assert row["bytes"] == sum(table["bytes"] for table in tables)
        for table in tables:
            file = out / table["table"] / f"source={row['source']}" / "part-0.parquet"
            assert file.read_bytes() == (alone / table["file"]).read_bytes(), file
    assert not (out / "_work").exists()
    before = files(out)
    again = convert(folder, out)
    assert statuses(again) == {"before": 4, "failed": 1}
    assert [row["bytes"] for row in again] == [row["bytes"] for row in rows]
    assert files(out) == before
    assert {path.stem for path in (out / "_done").iterdir()} == {row["source"] for row in whole}
    # As one table, by Spark itself.
    assert spark.read.parquet(str(out / "js_heap_nodes")).select("source").distinct().count() == 3


def test_what_killed_runs_left_is_removed(convert, folder: Path, tmp_path: Path):
    whole, out = tmp_path / "whole", tmp_path / "out"
    rows = convert(folder, whole)
    convert(folder, out)
    # Between two tables of an input, after the tables of another one, and a manifest without its tables.
    unfinished, moved, empty = (row["source"] for row in rows[:3])
    (out / f"_done/{unfinished}.json").unlink()
    (out / f"_done/{moved}.json").unlink()
    (out / f"source/source={unfinished}/part-0.parquet").unlink()
    (out / f"source/source={empty}/part-0.parquet").unlink()
    strays = [out / "js_heap_nodes/source=gone-1/part-0.parquet", out / "_work/0a/tmp1/made/source.parquet"]
    # What is not ours stays.
    others = [out / "js_heap_nodes/_delta_log/0.checkpoint.parquet", out / "js_heap_nodes/notes", out / "mine/source=x/a"]
    for path in [*strays, *others]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    assert statuses(convert(folder, out)) == {"done": 3, "before": 1}
    assert not any(path.exists() for path in strays) and not (out / "_work").exists()
    assert all(path.read_text() == "x" for path in others)
    for path in others:
        path.unlink()
    assert files(out) == files(whole)


REFUSED = {
    "options": (lambda out: None, {"analyze": True}, "it was begun with analyze false; use the same options"),
    "tables": (lambda out: None, {"tables": ["source"]}, r"it was begun with tables \[\]; use the same options"),
    "a batch": (lambda out: (out / "_batch.json").write_text('{"keep": "tables"}'), {}, 'it was begun with keep "tables"'),
    "foreign": (lambda out: (out / "_batch.json").unlink(), {}, "it holds '_done', which no conversion wrote"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_destination_of_something_else_is_refused(convert, folder: Path, tmp_path: Path, case: str):
    change, options, why = REFUSED[case]
    out = tmp_path / "out"
    convert(folder / HEAP.name, out)
    change(out)
    before = files(out)
    with pytest.raises(OutputError, match=why):
        convert(folder, out, **options)
    assert files(out) == before


def test_options_are_known_before_executors_start(convert, folder: Path, tmp_path: Path):
    with pytest.raises(TypeError, match="no_such"):
        convert(folder, tmp_path / "out", no_such=1)
    with pytest.raises(ValueError, match="redact needs redact_key"):
        convert(folder, tmp_path / "out", redact="names")
    assert not (tmp_path / "out").exists()


def test_one_run_at_a_time_writes(convert, folder: Path, tmp_path: Path):
    out = tmp_path / "out"
    out.mkdir()
    with open(out / "_lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(OutputError, match="another process writes to it"):
            convert(folder, out)
    assert statuses(convert(folder, out)) == {"done": 4}


def test_what_it_writes_is_no_input(convert, folder: Path):
    out = folder / "out"
    assert statuses(convert(folder, out)) == {"done": 4}
    assert statuses(convert(folder, out)) == {"before": 4}


ATTEMPT = """
import json, sys
from heapquarry._spark_convert import _convert
path, root, work, before = json.loads(sys.argv[1])
print("ready", flush=True)
input()
print(json.dumps(_convert(path, "heap-1", before, root, work, {})))
"""


def attempts(count: int, path: Path, out: Path, before: int | None = None) -> list[dict]:
    """What so many attempts at the same time say."""
    (out / "_work").mkdir(parents=True, exist_ok=True)
    words = [sys.executable, "-c", ATTEMPT, json.dumps([str(path), str(out), str(out / "_work"), before])]
    pipe = subprocess.PIPE
    running = [subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True) for _ in range(count)]
    assert all(attempt.stdout.readline() == "ready\n" for attempt in running)
    for attempt in running:
        attempt.stdin.write("\n")
        attempt.stdin.flush()
    rows = [json.loads(attempt.communicate()[0]) for attempt in running]
    assert all(attempt.returncode == 0 for attempt in running) and not any((out / "_work").iterdir())
    return rows


def test_attempts_at_the_same_time_write_what_one_writes(tmp_path: Path):
    heap, one, many = CORPUS / OTHERS[0], tmp_path / "one", tmp_path / "many"
    [row] = attempts(1, heap, one)
    assert (row["status"], row["error"]) == ("done", None) and row["bytes"] > 0
    assert attempts(4, heap, many) == [row] * 4
    assert files(many) == files(one)
    # A later attempt, and a later run.
    assert attempts(1, heap, many) == [row]
    assert attempts(1, heap, many, row["bytes"]) == [{**row, "status": "before"}]
    # A table is missing: the manifest counts for neither.
    for before in (None, row["bytes"] - 1):
        (many / "js_heap_nodes/source=heap-1/part-0.parquet").unlink()
        assert attempts(1, heap, many, before) == [row]
        assert files(many) == files(one)


def processes() -> dict[int, int]:
    """All processes with their parents."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            state, parent = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[:2]
        except OSError:
            continue
        if state != "Z":
            found[int(pid)] = int(parent)
    return found


def reader_of(path: Path) -> int:
    """A process that has a file open, besides this one."""
    while True:
        for pid in processes().keys() - {os.getpid()}:
            with contextlib.suppress(OSError):
                if any(os.readlink(link.path) == str(path) for link in os.scandir(f"/proc/{pid}/fd")):
                    return pid
        time.sleep(0.01)


def executor_of(worker: int) -> int:
    parents = processes()
    while b"CoarseGrainedExecutorBackend" not in Path(f"/proc/{worker}/cmdline").read_bytes():
        worker = parents[worker]
    return worker


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds the executor in /proc")
def test_an_executor_that_dies_changes_nothing(convert, tmp_path: Path):
    inputs, heap = tmp_path / "in", tmp_path / "heap"
    inputs.mkdir()
    for number in range(6):
        shutil.copy(HEAP, inputs / f"heap{number}.heapsnapshot")
    shutil.copy(HEAP, heap)
    assert statuses(convert(inputs, tmp_path / "whole")) == {"done": 6}
    named = sorted(str(path) for path in inputs.iterdir())
    # A pipe, whose attempt cannot end before the executor is dead. Folders are listed without pipes.
    blocked = inputs / "heap3.heapsnapshot"
    blocked.unlink()
    os.mkfifo(blocked)

    def kill() -> None:
        with open(blocked, "wb"):
            # An attempt has opened it.
            victim = executor_of(reader_of(blocked))
            # The next one reads a file.
            heap.rename(blocked)
            os.kill(victim, 9)
            while victim in processes():
                time.sleep(0.01)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    rows = convert(named, tmp_path / "killed")
    assert statuses(rows) == {"done": 6}
    # Otherwise no attempt opened the pipe, and the thread waits for one.
    assert not heap.exists()
    killer.join()
    assert files(tmp_path / "killed") == files(tmp_path / "whole")
