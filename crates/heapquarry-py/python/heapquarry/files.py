"""Opened inputs."""

from __future__ import annotations

import collections
import html
import json
import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from . import _native, _sql
from .errors import BudgetExceeded
from .inputs import Input, Inputs, Readable, source, sources
from .progress import Progress, callback
from .redaction import Level, redaction
from .reports import Report
from .tables import Batch, Table

if TYPE_CHECKING:
    import duckdb

__all__ = ["File", "Info", "Session", "Viewer"]
__all__ += ["check", "diff", "export", "find", "leaks", "open", "report", "sql", "summary"]

Entry = _native.Entry

_NO_FRAMES: Mapping[str, Any] = {}

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


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
    source_map: Paths = (),
) -> _native.Run:
    """How work is run."""
    private = redaction(redact, redact_key, redact_keep, redact_deny)
    return _native.Run(threads, memory, max_spool, None, callback(progress), private, _paths(source_map))


def _paths(given: Paths) -> list[str | os.PathLike[str]]:
    return [given] if isinstance(given, (str, os.PathLike)) else [*given]


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
        return self._text.rstrip()

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
        source_map: Paths = (),
    ) -> None:
        self._sources = sources(inputs, max_spool)
        self._names = names
        self._analyze = analyze
        self._cached = cache
        # One for all that is read, so that equal strings have equal tokens in all tables.
        self._redaction = redaction(redact, redact_key, redact_keep, redact_deny)
        self._limits: dict[str, Any] = {"threads": threads, "memory": memory, "max_spool": max_spool}
        self._how: dict[str, Any] = {
            **self._limits,
            "progress": progress,
            "redact": self._redaction,
            "source_map": source_map,
        }
        if names not in ("text", "id"):
            raise ValueError(f"names is 'text' or 'id', not {names!r}")
        quiet = run(**self._limits, progress=False)
        found = [_native.recognise(source, quiet) for source in self._sources]
        self._formats = list(dict.fromkeys(each.format for each in found))
        self._tables = list(dict.fromkeys(name for each in found for name in each.tables))
        self._count: int | None = None
        self._documents: list[_native.Document] | None = None
        # By whether it has the analysis of heaps.
        self._databases: dict[bool, _sql.Database] = {}
        self._session: Session | None = None

    def _run(self) -> _native.Run:
        return run(**self._how)

    @property
    def session(self) -> Session:
        """The input, kept in memory by its first question: later ones need not read it again. Ends with `close`."""
        if self._session is None:
            self._session = Session(self)
        return self._session

    def _asked(self) -> _native.Session:
        """What questions are asked of."""
        return _native.Session(self._sources)

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
        """Number of documents that can be opened by themselves, as `PATH#0` and so on. The first time, JSON is read to its
        end, at the speed of reading: documents may follow one another in a file."""
        if self._count is None:
            quiet = run(**self._limits, progress=False)
            self._count = sum(_native.document_count(source, quiet) for source in self._sources)
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

    def _stream(
        self, table: str, columns: list[str], rows: int | None, limit: int | None
    ) -> _native.Stream:
        """A table in batches of at most `rows`, `limit` in all."""
        return _native.Stream(
            self._sources, table, columns, self._names, self._analyze, rows, limit, self._run()
        )

    def sql(
        self,
        query: str,
        parameters: _sql.Parameters = None,
        /,
        *,
        frames: Mapping[str, Any] = _NO_FRAMES,
        **named: Any,
    ) -> duckdb.DuckDBPyRelation:
        """The answer of DuckDB to a query about the tables and views of the input.

        The first time, the input is converted into the cache of the user; later, and in other processes, that is not
        needed. If the query mentions a table or view of the heap analysis, the heap is analysed.

        Values for `$name` in the query are given by name, or as a mapping; those for `?` as a list. `frames` are tables of
        the caller by the names that the query has for them: all that DuckDB takes, such as data frames.
        """
        if named and parameters is not None:
            raise TypeError("values are given by name or as a mapping, not in both ways")
        analyze = self._analyze or True in self._databases or _native.mentions_analysis(query)
        database = self._database(analyze)
        return database.sql(query, parameters if parameters is not None else named, frames)

    def _database(self, analyze: bool) -> _sql.Database:
        if analyze not in self._databases:
            self._databases[analyze] = _sql.Database(
                self._sources, self._names, analyze, self._cached, self._run()
            )
        return self._databases[analyze]

    def summary(self, *, top: int | None = None, by: By | None = None) -> Report:
        """What is in the heap, profile or trace. Lists have at most `top` rows.

        `by` tells whose it is: by package, script or function.
        """
        return summary(self, top=top, by=by)

    def why(
        self,
        of: int | str | Sequence[str],
        *,
        top: int = 3,
        shortest: bool = False,
        new_since: Input | File | None = None,
    ) -> Report:
        """What keeps an object, by its id, or the objects of classes, by their names, alive.

        `new_since` leaves out objects that this earlier snapshot has; `shortest` takes the paths that DevTools shows.
        """
        options = {**_object(of), "top": top, "shortest": shortest}
        return _ask("why", [self], options, named={"new_since": new_since})

    def show(self, of: int | str | Sequence[str], *, offset: int = 0, top: int = 20) -> Report:
        """What is in an object, by its id, or in the objects of classes, and who holds them."""
        return _ask("show", [self], {**_object(of), "offset": offset, "top": top})

    def find(self, of: Objects | None = None, **how: Any) -> Report:
        """Objects of a heap, functions of a profile or slices of a trace; options as for `heapquarry.find`."""
        return find(self, of, **how)

    def report(
        self,
        out: str | os.PathLike[str] | None = None,
        *,
        title: str | None = None,
        force: bool = False,
    ) -> Path:
        """Draws the input as one HTML file. Returns its path."""
        return report(self, out=out, title=title, force=force)

    def export(
        self, out: str | os.PathLike[str], *, to: Viewer, later: Input | File | None = None, force: bool = False
    ) -> Path:
        """Writes a profile or a trace for a viewer. Returns the path."""
        return export(self, out, to=to, later=later, force=force)

    def leaks(
        self,
        *later: Input | File,
        ignore: Sequence[str] = (),
        top: int = 10,
        strict: bool = False,
        by: By | None = None,
    ) -> Report:
        """What leaks from this snapshot to the later ones."""
        return leaks(self, *later, ignore=ignore, top=top, strict=strict, by=by)

    def diff(self, *later: Input | File, top: int | None = None, by: By | None = None, **how: Any) -> Report:
        """What grew from this snapshot or profile to the last of the later ones; options as for `heapquarry.diff`."""
        return diff(self, *later, top=top, by=by, **how)

    def check(
        self,
        budget: str | os.PathLike[str] | None = None,
        baseline: Input | File | None = None,
        *,
        save_baseline: str | os.PathLike[str] | None = None,
        init: bool = False,
        force: bool = False,
    ) -> Report:
        """Holds the input against a budget, saves its figures as a baseline, or writes a first budget with `init`."""
        return check(self, budget, baseline, save_baseline=save_baseline, init=init, force=force)

    def _one(self) -> _native.Source:
        if len(self._sources) > 1:
            raise TypeError("this is asked of one input, not of several")
        return self._sources[0]

    def close(self) -> None:
        """Gives back what the file holds: its connections to DuckDB, and its session."""
        while self._databases:
            self._databases.popitem()[1].close()
        if self._session is not None:
            self._session.close()

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


class Session(File):
    """An opened input that stays in memory, read and analysed, between questions. Made by `File.session`.

    The first question reads; later `summary`, `find`, `why` and `show` need not. What is in memory stays as it was
    read, whatever happens to the file.

    >>> with heapquarry.open("app.heapsnapshot").session as session:
    ...     session.summary()
    ...     session.why("Session")
    """

    def __init__(self, file: File) -> None:
        vars(self).update(vars(file))
        self._databases = {}
        self._kept = _native.Session(self._sources)

    @property
    def session(self) -> Session:
        return self

    @property
    def held(self) -> int:
        """Memory that the input takes, in bytes, about; 0 before the first question."""
        return self._kept.held

    def _asked(self) -> _native.Session:
        return self._kept

    def close(self) -> None:
        """Gives the memory back. A later question reads again."""
        self._session = None
        super().close()
        self._kept = _native.Session(self._sources)

    def __enter__(self) -> Session:
        return self

    def __repr__(self) -> str:
        return f"<Session {self.name}: {self.format}, {self.held / 1e6:.1f} MB in memory>"


Objects = int | str | Sequence[int] | Sequence[str]
"""Ids, perhaps as DevTools writes them, or names of classes."""


def _ids_and_classes(of: Objects | None) -> tuple[list[int], list[str]]:
    ids: list[int] = []
    classes: list[str] = []
    for each in [] if of is None else [of] if isinstance(of, (int, str)) else of:
        if isinstance(each, int):
            ids.append(each)
        elif each[:1] == "@" and each[1:].isdigit():
            ids.append(int(each[1:]))
        else:
            classes.append(each)
    return ids, classes


def _object(of: int | str | Sequence[str]) -> dict[str, Any]:
    """An object by its id, perhaps as DevTools writes it, or the objects of classes."""
    if not isinstance(of, (int, str)):
        return {"class": list(of)}
    ids, classes = _ids_and_classes(of)
    return {"node": ids[0] if ids else None, "class": classes}


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
    source_map: Paths = (),
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

    `source_map` are source maps, which name functions and classes as their sources do: files, folders or patterns. Without
    any, the variable `HEAPQUARRY_SOURCE_MAPS` lists them.
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
        source_map=source_map,
    )


By = Literal["package", "script", "function"]
Viewer = Literal["collapsed", "speedscope", "pprof", "cpuprofile", "chrome"]
"""What a file is for, as `heapquarry export --to`."""

_asked: collections.deque[File] = collections.deque(maxlen=16)
"""Files whose tables relations may still read: DuckDB reads when the rows are asked for."""


def sql(
    inputs: Inputs,
    query: str,
    parameters: _sql.Parameters = None,
    *,
    frames: Mapping[str, Any] = _NO_FRAMES,
    **how: Any,
) -> duckdb.DuckDBPyRelation:
    """The answer of DuckDB to a query about the tables and views of inputs.

    With several inputs, `file_id` tells their documents apart, and tables have a column `source`, the path of the input.
    `parameters` are values for `?` or `$name` in the query, and `frames` tables of the caller, as for `File.sql`. Other
    options as for `open`.
    """
    file = File(inputs, **how)
    _asked.append(file)
    return file.sql(query, parameters, frames=frames)


def _series(inputs: tuple[Input | File | Iterable[Input | File], ...]) -> list[Input | File]:
    """Inputs that are given one by one, or as one list."""
    one = (str, os.PathLike, bytes, bytearray, memoryview, _native.Source, File)
    found: list[Input | File] = []
    for each in inputs:
        is_one = isinstance(each, one) or isinstance(each, Readable) or not isinstance(each, Iterable)
        found.extend([each] if is_one else each)  # type: ignore[arg-type, list-item]
    return found


def _sources(inputs: Sequence[Input | File], how: dict[str, Any]) -> list[_native.Source]:
    limit = how.get("max_spool")
    return [each._one() if isinstance(each, File) else source(each, limit) for each in inputs]


def _sessions(inputs: Sequence[Input | File], how: dict[str, Any]) -> list[_native.Session]:
    """What is asked about inputs; one that was opened as several stands for all of them."""
    limit = how.get("max_spool")
    return [each._asked() if isinstance(each, File) else _native.Session([source(each, limit)]) for each in inputs]


def _run(inputs: Sequence[Input | File], how: dict[str, Any]) -> _native.Run:
    """How these inputs are read: as the first of them that was opened, unless it is said here. What was opened to be
    redacted is never read as it is."""
    files = [each for each in inputs if isinstance(each, File)]
    private = [file._redaction for file in files if file._redaction is not None]
    if private and (how.get("redact") is not None or any(each is not private[0] for each in private)):
        raise ValueError("inputs are redacted in different ways: give paths, and redact here")
    as_opened = {**files[0]._how, "redact": None} if files else {}
    return run(**{**as_opened, **how, **({"redact": private[0]} if private else {})})


def _ask(
    verb: str,
    inputs: Sequence[Input | File],
    options: dict[str, Any],
    how: Mapping[str, Any] | None = None,
    named: Mapping[str, Input | File | None] | None = None,
    paths: Mapping[str, str | os.PathLike[str] | None] | None = None,
) -> Report:
    """Asks the question of a verb, with options of the question and of the run. `named` are options that name an input,
    and `paths` those that name another file, in the order in which the question declares them."""
    how = dict(how or {})
    others = {name: each for name, each in (named or {}).items() if each is not None}
    files = {name: os.fsdecode(each) for name, each in (paths or {}).items() if each is not None}
    # What they are takes the place of their text: JSON has no path that is not UTF-8.
    text = json.dumps({**options, **dict.fromkeys([*others, *files], "")}, ensure_ascii=False, allow_nan=False)
    sources = _sources([*others.values()], how)
    asked = _sessions(inputs, how)
    return Report(_native.ask(verb, text, asked, sources, [*files.values()], _run([*inputs, *others.values()], how)))


def summary(
    given: Input | File | Iterable[Input | File],
    *,
    top: int | None = None,
    by: By | None = None,
    each: bool = False,
    **how: Any,
) -> Report:
    """What is in a heap, profile or trace; with `by` whose it is, by package, script or function.

    Several traces, or several profiles of one kind, are added up; `each=True` also tells what is in each.
    """
    return _ask("summary", _series((given,)), {"top": top, "by": by, "each": each}, how)


def find(
    given: Input | File,
    of: Objects | None = None,
    *,
    name: str | Sequence[str] = (),
    text: str | None = None,
    regex: str | None = None,
    min_size: int | None = None,
    detached: bool | None = None,
    new_since: Input | File | None = None,
    strings: bool = False,
    sort: Literal["retained", "own"] = "retained",
    offset: int = 0,
    top: int = 20,
    **how: Any,
) -> Report:
    """Objects of a heap that fit all that is given, functions of a profile, or slices of a trace.

    `of` are ids or names of classes; `name` are names of objects, classes, functions, scripts or slices. In names `*`
    stands for anything. `text` and `regex` are looked for in strings, and in the names of functions and slices.
    `min_size` is in bytes. `detached=True` has only detached DOM nodes, `False` all others. `new_since` leaves out
    objects that this earlier snapshot has. `strings=True` lists texts instead of objects: equal strings are one.
    `sort="own"` sorts by what an object takes itself. Options of the run as for `open`.
    """
    ids, classes = _ids_and_classes(of)
    question = {
        "node": ids,
        "class": classes,
        "name": [name] if isinstance(name, str) else list(name),
        "text": text,
        "regex": regex,
        "min_size": min_size,
        "detached": detached,
        "strings": strings,
        "sort": sort,
        "offset": offset,
        "top": top,
    }
    return _ask("find", [given], question, how, {"new_since": new_since})


def diff(
    *inputs: Input | File | Iterable[Input | File],
    fail_on: Sequence[str] = (),
    output: str | os.PathLike[str] | None = None,
    force: bool = False,
    top: int | None = None,
    engine: bool = False,
    noise: float = 0.03,
    before: Sequence[Input | File] = (),
    after: Sequence[Input | File] = (),
    by: By | None = None,
    **how: Any,
) -> Report:
    """What grew between the first and the last of some snapshots of one process, or of some profiles or traces.

    `by` also tells what grew of heaps by package, script or function.

    `before` and `after` are profiles or traces of several runs before and after a change, or heaps after one, instead of
    inputs: limits apply to the median of each figure. Changes up to the share `noise` are noise. `fail_on` are limits
    such as `"retained>+5%"`: see `Report.passed`.
    `output` is a directory for the differences as Parquet tables. Options of the run (`threads`, `memory`, `progress`,
    `redact`) as for `open`.
    """
    earlier, later = _series((before,)), _series((after,))
    if bool(earlier) != bool(later) or (earlier and inputs):
        raise TypeError("before and after are given together, and no other inputs")
    series = [*_series(inputs), *earlier, *later]
    if noise < 0:
        raise ValueError("noise: expected a share such as 0.05")
    question = {
        "fail_on": list(fail_on),
        "force": force,
        "top": top,
        "engine": engine,
        "noise": noise,
        "runs": bool(earlier),
        "base_runs": max(len(earlier), 1),
        "by": by,
    }
    return _ask("diff", series, question, how, paths={"output": output})


def leaks(
    *inputs: Input | File | Iterable[Input | File],
    fail_on: Sequence[str] = (),
    ignore: Sequence[str] = (),
    top: int = 10,
    strict: bool = False,
    by: By | None = None,
    **how: Any,
) -> Report:
    """What leaks: the places that grow in every step between snapshots of one process, in order of time.

    `fail_on` are limits such as `"any"` or `"100kB"`: see `Report.passed`. `ignore` are places that may grow, by owner
    or way, in which `*` stands for anything. `by` also tells what grew by package, script or function.
    """
    question = {"fail_on": list(fail_on), "ignore": list(ignore), "top": top, "strict": strict, "by": by}
    return _ask("leaks", _series(inputs), question, how)


def check(
    given: Input | File | Iterable[Input | File],
    budget: str | os.PathLike[str] | None = None,
    baseline: Input | File | None = None,
    *,
    runs: bool = False,
    each: bool = False,
    save_baseline: str | os.PathLike[str] | None = None,
    init: bool = False,
    force: bool = False,
    **how: Any,
) -> Report:
    """Holds an input against the budget in a TOML file. Limits to growth are measured from the baseline.

    With `runs=True` several inputs are runs of one program: limits apply to the median of each figure. Otherwise limits
    apply to the sums over several traces or profiles, with `each=True` to each of them. `save_baseline` is a file for
    the figures, as a baseline for later runs; it is written without a budget too. Raises `BudgetExceeded` if a limit is
    exceeded.

    `init=True` writes a budget that these inputs keep, with room, to the file `budget`, or to `budget.toml`; several
    inputs are runs of one program. An existing file is replaced only with `force`.
    """
    series = _series((given,))
    if budget is None and save_baseline is None and not init:
        raise TypeError("a budget is needed, or a file to save the baseline in")
    if (init and baseline is not None) or (force and not init):
        raise TypeError("a first budget has no baseline, and only that replaces a file by force")
    if each and (runs or init or save_baseline is not None):
        raise TypeError("limits apply to each input, or to runs of one program")
    question = {
        "runs": runs,
        "each": each,
        "init": init,
        "force": force,
    }
    files = {"budget": budget, "save_baseline": save_baseline}
    report = _ask("check", series, question, how, {"baseline": baseline}, files)
    if not report.passed:
        names = ", ".join(report["inputs"])
        raise BudgetExceeded(f"budget exceeded ({names}): {'; '.join(report.exceeded)}", report)
    return report


def report(
    *inputs: Input | File | Iterable[Input | File],
    out: str | os.PathLike[str] | None = None,
    title: str | None = None,
    force: bool = False,
    **how: Any,
) -> Path:
    """Draws a heap, profile or trace as one HTML file, as `heapquarry report`; of several snapshots or profiles in the order
    of time also what grew. Returns its path.

    Without `out` it has the last input's name with the extension `.html`, in the current directory. A page that
    heapquarry drew is replaced, another file only with `force`.
    """
    series = _series(inputs)
    sources = _sources(series, how)
    if out is None:
        if not sources:
            raise ValueError("no input")
        name = sources[-1].name.name
        out = Path(name.removesuffix(".gz").removesuffix(".zst")).with_suffix(".html")
    return _native.page(sources, out, title, force, _run(series, how))


def export(
    given: Input | File,
    out: str | os.PathLike[str],
    *,
    to: Viewer,
    later: Input | File | None = None,
    force: bool = False,
    **how: Any,
) -> Path:
    """Writes a profile or a trace into a file for a viewer, as `heapquarry export --to`. Returns the path.

    With a `later` profile: what changed since, for a differential flame graph (`collapsed`, `speedscope`).
    """
    inputs = [given] if later is None else [given, later]
    [one, *more] = _sources(inputs, how)
    return _native.export(one, more[0] if more else None, to, out, force, _run(inputs, how))
