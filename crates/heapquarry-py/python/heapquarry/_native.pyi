"""The native part of the package. Use `heapquarry`, not this."""

import builtins
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, final

__all__ = [
    "Destination",
    "Converted",
    "Document",
    "Entry",
    "Recognised",
    "convert",
    "document_count",
    "info",
    "inputs",
    "log",
    "recognise",
    "Redaction",
    "Report",
    "ask",
    "export",
    "page",
    "Run",
    "Session",
    "Source",
    "Tables",
    "mentions_analysis",
    "remove_temporary",
    "Batch",
    "Stream",
    "schema",
    "tables",
    "command",
    "__version__",
]

__version__: str

def command(args: list[str]) -> int: ...
def tables() -> list[tuple[str, str, list[tuple[str, str, str, str | None, bool, Literal["instant", "open"] | None]]]]: ...
def schema(table: str, columns: list[str]) -> object: ...
def inputs(text: str | os.PathLike[str]) -> list[str]: ...
def recognise(source: Source, run: Run) -> Recognised: ...
def document_count(source: Source, run: Run) -> int: ...
def info(sources: list[Source], run: Run) -> tuple[str, str]: ...
def log(sources: list[Source], run: Run) -> list[Document]: ...
def convert(
    sources: list[Source],
    output: str | os.PathLike[str],
    run: Run,
    *,
    tables: list[str],
    columns: list[str],
    analyze: bool,
    names: str,
    layout: str,
    compression: str,
    encodings: str,
    force: bool,
    strict: bool,
    mode: int | None,
) -> Converted: ...
def ask(
    verb: str,
    options: str,
    inputs: list[Session],
    named: list[Source],
    paths: list[str],
    run: Run,
) -> Report: ...
def page(
    sources: list[Source],
    output: str | os.PathLike[str],
    title: str | None,
    force: bool,
    run: Run,
) -> Path: ...
def export(
    source: Source,
    later: Source | None,
    to: str,
    output: str | os.PathLike[str],
    force: bool,
    run: Run,
) -> Path: ...
@final
class Destination:
    def __new__(cls, path: str | os.PathLike[str]) -> Destination: ...
    def files(self, prefix: str) -> dict[str, int]: ...
    def read(self, name: str) -> bytes | None: ...
    def put(self, file: str | os.PathLike[str], name: str) -> None: ...
    def remove(self, name: str) -> None: ...

@final
class Run:
    def __new__(
        cls,
        threads: int | None = None,
        memory: int | None = None,
        max_spool: int | None = None,
        spool_dir: str | os.PathLike[str] | None = None,
        progress: Callable[[str, int, int], object] | None = None,
        redaction: Redaction | None = None,
        source_maps: Sequence[str | os.PathLike[str]] = ...,
    ) -> Run: ...

@final
class Redaction:
    def __new__(
        cls,
        level: str,
        key: str | os.PathLike[str] | None,
        keep: list[str],
        deny: list[str],
    ) -> Redaction: ...
    def secrets(self) -> dict[str, dict[str, int]]: ...

@final
class Session:
    def __new__(cls, sources: Sequence[Source]) -> Session: ...
    @property
    def held(self) -> int: ...

@final
class Source:
    @staticmethod
    def path(path: str | os.PathLike[str]) -> Source: ...
    @staticmethod
    def bytes(name: str | os.PathLike[str], content: builtins.bytes) -> Source: ...
    @staticmethod
    def spool(
        name: str | os.PathLike[str], read: Callable[[int], builtins.bytes], max_spool: int | None = None
    ) -> Source: ...
    @property
    def name(self) -> Path: ...

@final
class Recognised:
    @property
    def format(self) -> str: ...
    @property
    def tables(self) -> list[str]: ...

@final
class Document:
    """A document that was read: a row of the table `source`."""

    @property
    def path(self) -> Path: ...
    @property
    def name(self) -> str: ...
    @property
    def format(self) -> str: ...
    @property
    def producer(self) -> str | None: ...
    @property
    def bytes(self) -> int: ...
    @property
    def status(self) -> str: ...
    @property
    def counts(self) -> dict[str, int]: ...
    @property
    def defects(self) -> int: ...
    @property
    def log(self) -> list[Entry]: ...

@final
class Entry:
    """A repair or a loss: a row of the table `import_log`."""

    def __eq__(self, other: object, /) -> bool: ...
    @property
    def severity(self) -> str: ...
    @property
    def code(self) -> str: ...
    @property
    def offset(self) -> int | None: ...
    @property
    def message(self) -> str: ...
    @property
    def occurrences(self) -> int: ...

@final
class Converted:
    @property
    def path(self) -> Path: ...
    @property
    def tables(self) -> list[tuple[str, str, int, int]]: ...
    @property
    def documents(self) -> list[Document]: ...
    @property
    def warning(self) -> str | None: ...

@final
class Report:
    def json(self) -> str: ...
    def text(self, width: int | None = None) -> str: ...
    def markdown(self) -> str: ...
    def html(self) -> str: ...
    @property
    def exceeded(self) -> list[str]: ...
    @property
    def command(self) -> str: ...
    @property
    def passed(self) -> bool: ...

@final
class Tables:
    def __new__(
        cls, sources: list[Source], names: str, analyze: bool, cached: bool, run: Run
    ) -> Tables: ...
    @property
    def views(self) -> str: ...
    def close(self) -> None: ...

def mentions_analysis(query: str) -> bool: ...
def remove_temporary() -> None: ...

@final
class Stream:
    def __new__(
        cls,
        sources: list[Source],
        table: str,
        columns: list[str],
        names: str,
        analyze: bool,
        batch_rows: int | None,
        limit: int | None,
        run: Run,
    ) -> Stream: ...
    @staticmethod
    def empty(table: str, columns: list[str]) -> object: ...
    def check(self) -> None: ...
    def close(self) -> None: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def hand_over(self) -> object: ...
    def __iter__(self) -> Iterator[Batch]: ...
    def __next__(self) -> Batch: ...

@final
class Batch:
    """Some rows: everything that takes Arrow arrays takes it."""

    @property
    def num_rows(self) -> int: ...
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
