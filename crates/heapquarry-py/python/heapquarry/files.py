"""Opened inputs."""

from __future__ import annotations

import collections
import html
import json
import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from . import _native, _sql
from .errors import BudgetExceeded
from .inputs import Input, Inputs, source, sources
from .progress import Progress, callback
from .redaction import Level, redaction
from .reports import Report
from .tables import Batch, Table

if TYPE_CHECKING:
    import duckdb

__all__ = ["File", "Info", "check", "diff", "leaks", "open", "sql", "summary"]

Entry = _native.Entry


def run(
    *,
    threads: int | None = None,
    memory: int | None = None,
    max_spool: int | None = None,
    progress: Progress = None,
    redact: Level | _native.Redaction | None = None,
    redact_key: str | os.PathLike[str] | None = None,
    redact_keep: Sequence[str] = (),
    redact_deny: Sequence[str] = (),
) -> _native.Run:
    """How work is run."""
    private = redaction(redact, redact_key, redact_keep, redact_deny)
    return _native.Run(threads, memory, max_spool, None, callback(progress), private)


class Info(Mapping[str, Any]):
    """What is in inputs: what `heapquarry info --json` prints of the only one, and as text."""

    def __init__(self, data: list[dict[str, Any]], text: str) -> None:
        self.inputs = data
        self._text = text

    def __getitem__(self, key: str) -> Any:
        return self.inputs[0][key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.inputs[0])

    def __len__(self) -> int:
        return len(self.inputs[0])

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<{self._text.strip()}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._text)}</pre>"


class File:
    """One input or several. Made by `heapquarry.open`."""

    def __init__(
        self,
        inputs: Inputs,
        *,
        names: str = "text",
        analyze: bool = False,
        cache: bool = True,
        threads: int | None = None,
        memory: int | None = None,
        max_spool: int | None = None,
        progress: Progress = None,
        redact: Level | None = None,
        redact_key: str | os.PathLike[str] | None = None,
        redact_keep: Sequence[str] = (),
        redact_deny: Sequence[str] = (),
    ) -> None:
        self._sources = sources(inputs, max_spool)
        self._names = names
        self._analyze = analyze
        self._cached = cache
        # One for all that is read, so that equal strings have equal tokens in all tables.
        self._redaction = redaction(redact, redact_key, redact_keep, redact_deny)
        self._how: dict[str, Any] = {
            "threads": threads,
            "memory": memory,
            "max_spool": max_spool,
            "progress": progress,
            "redact": self._redaction,
        }
        if names not in ("text", "id"):
            raise ValueError(f"names is 'text' or 'id', not {names!r}")
        quiet = run(threads=threads, memory=memory, max_spool=max_spool, progress=False)
        found = [_native.recognise(source, quiet) for source in self._sources]
        self._formats = list(dict.fromkeys(each.format for each in found))
        self._tables = list(dict.fromkeys(name for each in found for name in each.tables))
        self._count = sum(each.documents for each in found)
        self._documents: list[_native.Document] | None = None
        self._database: _sql.Database | None = None

    def _run(self) -> _native.Run:
        return run(**self._how)

    @property
    def secrets(self) -> dict[str, dict[str, int]]:
        """What still looked like a secret after `redact` in what was read so far: numbers by document and kind."""
        return {} if self._redaction is None else self._redaction.secrets()

    @property
    def name(self) -> str:
        """The inputs as given."""
        return ", ".join(map(repr, self._sources))

    @property
    def format(self) -> str:
        """`heapsnapshot`, `cpuprofile`, `trace`, …; `tables` for a directory that `convert` wrote."""
        return ", ".join(self._formats)

    @property
    def tables(self) -> list[str]:
        """Names of the tables that can be read. Those of the heap analysis are computed when they are read."""
        return list(self._tables)

    @property
    def document_count(self) -> int:
        """Number of documents that can be opened by themselves, as `PATH#0` and so on. It is known without reading them."""
        return self._count

    def info(self) -> Info:
        """What is in the inputs: producer, sections, counts."""
        data, text = _native.info(self._sources, self._run())
        return Info(json.loads(data), text)

    @property
    def documents(self) -> list[_native.Document]:
        """The documents in the inputs, with counts and defects. The first time everything is read."""
        if self._documents is None:
            self._documents = _native.log(self._sources, self._run())
        return list(self._documents)

    @property
    def log(self) -> list[Entry]:
        """What was repaired or lost, as in the table `import_log`. The first time everything is read."""
        return [entry for document in self.documents for entry in document.log]

    def table(self, name: str, columns: Sequence[str] = ()) -> Table:
        """A table, or these of its columns. Nothing is read yet."""
        if isinstance(columns, str):
            raise TypeError("columns is a list of names")
        return Table(self, name, columns)

    def __getitem__(self, name: str) -> Table:
        return self.table(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __contains__(self, name: object) -> bool:
        return name in self._tables

    def batches(
        self, name: str, columns: Sequence[str] = (), rows: int | None = None
    ) -> Generator[Batch, None, None]:
        """The rows of a table in batches, as they are read."""
        return self.table(name, columns).batches(rows)

    def _stream(self, table: str, columns: list[str], rows: int | None) -> _native.Stream:
        return _native.Stream(
            self._sources, table, columns, self._names, self._analyze, rows, self._run()
        )

    def sql(self, query: str, **parameters: Any) -> duckdb.DuckDBPyRelation:
        """The answer of DuckDB to a query about the tables and views of the input.

        The first time, the input is converted into the cache of the user; later, and in other processes, that is not
        needed. Values for `$name` in the query are given by name.
        """
        if self._database is None:
            self._database = _sql.Database(
                self._sources, self._names, self._analyze, self._cached, self._run()
            )
        return self._database.sql(query, parameters)

    def summary(self, *, top: int | None = None) -> Report:
        """What is in a heap, profile or trace. Lists have at most `top` rows."""
        return Report(_native.summary(self._one(), top, self._run()))

    def why(
        self,
        of: int | str | Sequence[str],
        *,
        top: int = 3,
        shortest: bool = False,
        new_since: Input | None = None,
    ) -> Report:
        """What keeps an object, by its id, or the objects of classes, by their names, alive.

        `new_since` leaves out objects that this earlier snapshot has; `shortest` takes the paths that DevTools shows.
        """
        since = None if new_since is None else source(new_since, self._how["max_spool"])
        return Report(_native.why(self._one(), _objects(of), top, shortest, since, self._run()))

    def show(self, of: int | str | Sequence[str], *, offset: int = 0, top: int = 20) -> Report:
        """What is in an object, by its id, or in the objects of classes, and who holds them."""
        return Report(_native.show(self._one(), _objects(of), offset, top, self._run()))

    def leaks(
        self, *later: Input | File, ignore: Sequence[str] = (), top: int = 10, strict: bool = False
    ) -> Report:
        """What leaks from this snapshot to the later ones."""
        return leaks(self, *later, ignore=ignore, top=top, strict=strict)

    def diff(self, *later: Input | File, top: int = 20) -> Report:
        """What grew from this snapshot or profile to the last of the later ones."""
        return diff(self, *later, top=top)

    def check(self, budget: str | os.PathLike[str], baseline: Input | File | None = None) -> Report:
        """Holds the input against a budget."""
        return check(self, budget, baseline)

    def _one(self) -> _native.Source:
        if len(self._sources) > 1:
            raise TypeError("this is asked of one input, not of several")
        return self._sources[0]

    def close(self) -> None:
        """Gives back what the file holds: its connection to DuckDB."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def __enter__(self) -> File:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<File {self.name}: {self.format}, {len(self._tables)} tables>"

    def _repr_html_(self) -> str:
        tables = ", ".join(map(html.escape, self._tables))
        return f"<b>{html.escape(self.name)}</b>: {html.escape(self.format)}<br>{tables}"


def _objects(of: int | str | Sequence[str]) -> int | list[str]:
    """An id, perhaps as DevTools writes it, or names of classes."""
    if isinstance(of, int):
        return of
    if isinstance(of, str):
        return int(of[1:]) if of[:1] == "@" and of[1:].isdigit() else [of]
    return list(of)


def open(
    inputs: Inputs,
    *,
    names: str = "text",
    analyze: bool = False,
    cache: bool = True,
    threads: int | None = None,
    memory: int | None = None,
    max_spool: int | None = None,
    progress: Progress = None,
    redact: Level | None = None,
    redact_key: str | os.PathLike[str] | None = None,
    redact_keep: Sequence[str] = (),
    redact_deny: Sequence[str] = (),
) -> File:
    """Recognises inputs; nothing else is read yet.

    An input is a path (also of a directory that `convert` wrote; `path#2` selects a document), bytes, or a file object.
    `names="id"` has names of nodes and edges as indices of the string table, which is faster. `analyze=True` has the
    tables of the heap analysis in `sql`, and what other tables take from it, such as `js_heap_location.script_name`;
    `cache=False` has `sql` convert again each time. `memory` and `max_spool` limit what an analysis and decompression may
    take, in bytes.

    `redact="values"`, `"names"` or `"full"` takes out what is private before anything else reads the input, as the options
    `--redact`, `--redact-key`, `--redact-keep` and `--redact-deny` of the command do. A warning tells of documents in which
    something still looks like a secret.
    """
    return File(
        inputs,
        names=names,
        analyze=analyze,
        cache=cache,
        threads=threads,
        memory=memory,
        max_spool=max_spool,
        progress=progress,
        redact=redact,
        redact_key=redact_key,
        redact_keep=redact_keep,
        redact_deny=redact_deny,
    )


_asked: collections.deque[File] = collections.deque(maxlen=16)
"""Files whose tables relations may still read: DuckDB reads when the rows are asked for."""


def sql(inputs: Inputs, query: str, **how: Any) -> duckdb.DuckDBPyRelation:
    """The answer of DuckDB to a query about the tables and views of inputs.

    With several inputs, `file_id` tells their documents apart, and tables have a column `source`, the path of the input.
    Options as for `open`; `parameters` are values for `$name` in the query.
    """
    parameters = how.pop("parameters", {})
    file = File(inputs, **how)
    _asked.append(file)
    return file.sql(query, **parameters)


def _sources(inputs: Sequence[Input | File], how: dict[str, Any]) -> list[_native.Source]:
    limit = how.get("max_spool")
    return [each._one() if isinstance(each, File) else source(each, limit) for each in inputs]


def _run(inputs: Sequence[Input | File], how: dict[str, Any]) -> _native.Run:
    """How these inputs are read. What was opened to be redacted is never read as it is."""
    files = [each for each in inputs if isinstance(each, File)]
    private = [file._redaction for file in files if file._redaction is not None]
    if not private:
        return run(**how)
    if how.get("redact") is not None or any(each is not private[0] for each in private):
        raise ValueError("inputs are redacted in different ways: give paths, and redact here")
    return run(**{**how, "redact": private[0]})


def summary(given: Input, *, top: int | None = None, **how: Any) -> Report:
    """What is in a heap, profile or trace."""
    return Report(_native.summary(source(given, how.get("max_spool")), top, run(**how)))


def diff(
    *inputs: Input | File,
    fail_on: Sequence[str] = (),
    output: str | os.PathLike[str] | None = None,
    force: bool = False,
    top: int = 20,
    engine: bool = False,
    **how: Any,
) -> Report:
    """What grew between the first and the last of some snapshots of one process, or of some profiles.

    `fail_on` are limits such as `"retained>+5%"`: see `Report.passed`. `output` is a directory for the differences as
    Parquet tables. Options of the run (`threads`, `memory`, `progress`, `redact`) as for `open`.
    """
    found = _native.diff(_sources(inputs, how), list(fail_on), output, force, top, engine, _run(inputs, how))
    return Report(found)


def leaks(
    *inputs: Input | File,
    fail_on: Sequence[str] = (),
    ignore: Sequence[str] = (),
    top: int = 10,
    strict: bool = False,
    **how: Any,
) -> Report:
    """What leaks: the places that grow in every step between snapshots of one process, in order of time.

    `fail_on` are limits such as `"any"` or `"100kB"`: see `Report.passed`. `ignore` are places that may grow, by owner
    or way, in which `*` stands for anything.
    """
    sources, run = _sources(inputs, how), _run(inputs, how)
    return Report(_native.leaks(sources, list(fail_on), list(ignore), top, strict, run))


def check(
    given: Input | File,
    budget: str | os.PathLike[str],
    baseline: Input | File | None = None,
    **how: Any,
) -> Report:
    """Holds an input against the budget in a TOML file. Limits to growth are measured from the baseline.

    Raises `BudgetExceeded` if a limit is exceeded.
    """
    [one] = _sources([given], how)
    base = None if baseline is None else _sources([baseline], how)[0]
    inputs = [given] if baseline is None else [given, baseline]
    report = Report(_native.check(one, os.fspath(budget), base, _run(inputs, how)))
    if not report.passed:
        exceeded = [each for each in report["checks"] if each["outcome"] == "exceeded"]
        rules = "; ".join(each["rule"] for each in exceeded)
        raise BudgetExceeded(f"budget exceeded ({one!r}): {rules}", report)
    return report
