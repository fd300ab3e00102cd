"""Conversion on the executors of Spark.

What is done is what manifests say, as for `heapquarry convert --batch`: `_done/NAME.json` is put in its place after the
tables of its input. Attempts are made in `_work`, or for an address in a temporary folder of the executor.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from . import _native
from ._convert import convert as _convert_one
from .errors import Error, OutputError
from .inputs import files

__all__ = ["convert"]

_SETTINGS = "_batch.json"
_LOCK = "_lock"
_WORK = "_work"
_AGREED = ("tables", "columns", "analyze", "names", "compression", "encodings")
"""Options that all runs with a destination must have alike, besides those that redact."""


def convert(
    spark: Any,
    inputs: str | Iterable[str],
    out: str | os.PathLike[str],
    **options: Any,
) -> list[dict[str, Any]]:
    """Converts inputs on the executors, as `heapquarry convert --batch` does: to the files
    `out/TABLE/source=NAME/part-0.parquet`, and a manifest `out/_done/NAME.json` when they are whole. Returns a row for
    each input: `input`, `source`, `status` (`done`, `before` or `failed`), `bytes` of its tables, `error`.

    `inputs` are files, folders, paths with `*`, and addresses of these. `out` is a folder that all executors write to,
    or an address. Inputs that have a manifest are left out. An attempt that fails or is killed leaves no manifest, and the
    next run removes its files. Attempts that run at the same time write the same bytes. `options` are those of
    `heapquarry.convert`; all runs with one `out` have the same. One run at a time writes to `out`.
    """
    paths = [inputs] if isinstance(inputs, str) else list(inputs)
    root = os.fspath(out)
    root = root.rstrip("/") if "://" in root else os.path.abspath(root)
    settings = _settings(options)
    found = sorted({file for path in paths for file in files(path)})
    found = [path for path in found if not _is_below(path, root)]
    if not found:
        return []
    destination = _native.Destination(root)
    with _held(root) as work:
        _agree(destination, root, work, settings)
        before = _tidy_up(destination)
        tasks = [(path, name, before.get(name)) for path, name in zip(found, map(_name, found))]
        given = {"inputs": tasks, "out": root, "work": work, "options": options}
        spark.dataSource.register(_Conversion)
        rows = spark.read.format(_Conversion.name()).option("work", json.dumps(given)).load().collect()
    return sorted((row.asDict() for row in rows), key=lambda row: str(row["input"]))


def _settings(options: dict[str, Any]) -> dict[str, Any]:
    """What all runs must agree on."""
    given = inspect.signature(_convert_one).bind("", "", threads=1, progress=False, **options)
    given.apply_defaults()
    how = given.arguments
    settings = {"writer": "heapquarry.spark", **{name: how[name] for name in _AGREED}}
    if how["redact"] is not None:
        if how["redact_key"] is None:
            raise ValueError("redact needs redact_key: executors write the same tokens only with the same key")
        key = Path(how["redact_key"]).read_bytes().hex()
        what = json.dumps([how["redact"], list(how["redact_keep"]), list(how["redact_deny"]), key])
        # Whoever guesses keys can try them on tokens just as well.
        settings["redaction"] = hashlib.sha256(what.encode()).hexdigest()[:16]
    # As they are read back.
    return dict(json.loads(json.dumps(settings)))


def _is_below(path: str, root: str) -> bool:
    place = path if "://" in path else os.path.abspath(path)
    return place == root or place.startswith(root + "/")


def _name(path: str) -> str:
    """The name of an input, the same in each run: that of the file, and a digest of its path."""
    stem = os.path.basename(path).split(".")[0]
    plain = "".join(c if c.isascii() and (c.isalnum() or c == "-") else "_" for c in stem)[:100]
    first = "" if plain[:1].isalpha() else "s_"
    return f"{first}{plain}-{hashlib.sha256(path.encode()).hexdigest()[:12]}"


@contextlib.contextmanager
def _held(root: str) -> Iterator[str | None]:
    """Holds a folder alone, by the lock of the command. Gives an empty folder in it for attempts; none for an address,
    which nothing can lock."""
    if "://" in root:
        yield None
        return
    os.makedirs(root, mode=0o700, exist_ok=True)
    # A link that somebody has put there is not followed.
    lock = os.open(os.path.join(root, _LOCK), os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    with os.fdopen(lock, "r+") as file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _refused(root, "another process writes to it; wait until it ends") from None
        except (ImportError, OSError):
            # Windows, or a file system without locks.
            pass
        work = os.path.join(root, _WORK)
        # What is there is of runs and attempts that were killed.
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work, mode=0o700, exist_ok=True)
        try:
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)


def _refused(root: str, why: str) -> OutputError:
    return OutputError(f"cannot write output ({root}): {why}", path=Path(root))


def _agree(destination: _native.Destination, root: str, work: str | None, settings: dict[str, Any]) -> None:
    """Keeps the settings of the first run, and refuses others."""
    stored = destination.read(_SETTINGS)
    if stored is None:
        names = destination.files("") if work is None else os.listdir(root)
        if others := sorted(name for name in names if name not in (_LOCK, _WORK)):
            raise _refused(root, f"it holds {others[0]!r}, which no conversion wrote; use another folder")
        _put(destination, work, _SETTINGS, settings)
        return
    known = json.loads(stored)
    for name in {**known, **settings}:
        if known.get(name) != settings.get(name):
            was = f"it was begun with {name} {json.dumps(known.get(name))}"
            raise _refused(root, f"{was}; use the same options, or another folder")


def _put(destination: _native.Destination, work: str | None, name: str, content: Any) -> None:
    with tempfile.TemporaryDirectory(dir=work) as folder:
        path = os.path.join(folder, "file")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        destination.put(path, name)


def _tidy_up(destination: _native.Destination) -> dict[str, int]:
    """Removes tables that no manifest names, which killed attempts have left. Returns what has manifests, by name, with
    the bytes of the tables that are there."""
    there = destination.files("")
    tables = {name for name, *_ in _native.tables()}
    before = {found[1]: 0 for file in there if (found := re.fullmatch(r"_done/([^/]+)\.json", file))}
    for file, size in there.items():
        part = re.fullmatch(r"([^/]+)/source=([^/]+)/.+", file)
        if part is None or part[1] not in tables:
            continue
        if part[2] in before:
            before[part[2]] += size
        else:
            destination.remove(file)
    return before


class _Conversion(DataSource):
    """Inputs to convert: reading a partition converts one. Spark distributes that, and repeats it where it fails."""

    @classmethod
    def name(cls) -> str:
        return "heapquarry_conversion"

    def schema(self) -> str:
        return "input string, source string, status string, bytes long, error string"

    def reader(self, schema: Any) -> DataSourceReader:
        return _Converter(json.loads(self.options["work"]))


class _Task(InputPartition):
    """One input, the name of its files, and the bytes that earlier runs wrote of it; `None` if it has no manifest."""

    def __init__(self, path: str, name: str, before: int | None) -> None:
        super().__init__((path, name, before))
        self.path = path
        self.name = name
        self.before = before


class _Converter(DataSourceReader):
    def __init__(self, given: dict[str, Any]) -> None:
        self._given = given

    def partitions(self) -> list[InputPartition]:
        return [_Task(*task) for task in self._given["inputs"]]

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        task: Any = partition
        given = self._given
        row = _convert(task.path, task.name, task.before, given["out"], given["work"], given["options"])
        yield tuple(row.values())


def _convert(
    path: str, name: str, before: int | None, root: str, work: str | None, options: dict[str, Any]
) -> dict[str, Any]:
    """Converts one input, unless that was done: by an earlier run, or by another attempt of this one."""
    destination = _native.Destination(root)
    row: dict[str, Any] = {"input": path, "source": name, "status": "done", "bytes": 0, "error": None}
    tables = _done(destination, name, before)
    if tables is not None:
        row["status"] = "done" if before is None else "before"
    else:
        with tempfile.TemporaryDirectory(dir=work) as folder:
            made = os.path.join(folder, "made")
            try:
                _convert_one(path, made, threads=1, progress=False, **options)
            except Error as error:
                row.update(status="failed", error=str(error))
                return row
            tables = _publish(destination, work, made, name)
    row["bytes"] = sum(table["bytes"] for table in tables)
    return row


def _done(destination: _native.Destination, name: str, before: int | None) -> list[dict[str, Any]] | None:
    """The tables that a manifest names, if all are there: an attempt of a driver that died may have written it after
    the next run removed some. `before` are the bytes that the driver found of an earlier run."""
    manifest = destination.read(f"_done/{name}.json")
    if manifest is None:
        return None
    tables: list[dict[str, Any]] = json.loads(manifest)["tables"]
    if before is not None:
        is_whole = before == sum(table["bytes"] for table in tables)
    else:
        is_whole = all(destination.files(table["file"]).get(table["file"]) == table["bytes"] for table in tables)
    return tables if is_whole else None


def _publish(destination: _native.Destination, work: str | None, made: str, name: str) -> list[dict[str, Any]]:
    """Puts the tables in their places, and then their manifest. Another attempt may do the same, with the same bytes."""
    manifest = json.loads(Path(made, "_manifest.json").read_text(encoding="utf-8"))
    tables: list[dict[str, Any]] = manifest["tables"]
    for table in tables:
        place = f"{table['table']}/source={name}/part-0.parquet"
        destination.put(os.path.join(made, table["file"]), place)
        table["file"] = place
    _put(destination, work, f"_done/{name}.json", manifest)
    return tables
