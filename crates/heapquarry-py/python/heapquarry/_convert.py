"""Conversion to Parquet."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from . import _native
from .files import Paths, run
from .inputs import Inputs, sources
from .progress import Progress
from .redaction import Level

__all__ = ["Output", "WrittenTable", "convert"]


@dataclass(frozen=True)
class WrittenTable:
    """A Parquet file."""

    name: str
    path: Path
    rows: int
    bytes: int


@dataclass(frozen=True)
class Output:
    """What `convert` wrote."""

    path: Path
    """The directory."""
    tables: list[WrittenTable]
    documents: list[_native.Document]
    warning: str | None
    """A problem that does not affect the data."""

    @property
    def status(self) -> str:
        """`complete`; `repaired` if data was lost; `truncated` if an input has no end: the worst of all documents."""
        order = ["complete", "repaired", "truncated"]
        return max((document.status for document in self.documents), key=order.index)

    @property
    def log(self) -> list[_native.Entry]:
        """What was repaired or lost, as in the table `import_log`."""
        return [entry for document in self.documents for entry in document.log]


def convert(
    inputs: Inputs,
    out: str | os.PathLike[str],
    *,
    tables: Sequence[str] = (),
    columns: Sequence[str] = (),
    analyze: bool = False,
    names: str = "text",
    layout: str = "flat",
    compression: str = "zstd:1",
    encodings: str = "universal",
    strict: bool = False,
    force: bool = False,
    mode: int | None = None,
    threads: int | None = None,
    memory: int | None = None,
    max_spool: int | None = None,
    progress: Progress = None,
    redact: Level | None = None,
    redact_key: str | os.PathLike[str] | None = None,
    redact_keep: Sequence[str] = (),
    redact_deny: Sequence[str] = (),
    source_map: Paths = (),
) -> Output:
    """Writes one Parquet file for each table into the directory `out`, which appears only when it is finished.

    Options are those of `heapquarry convert`: `heapquarry convert --help` describes them.
    """
    how = run(
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
    done = _native.convert(
        sources(inputs, max_spool),
        os.fspath(out),
        how,
        tables=list(tables),
        columns=list(columns),
        analyze=analyze,
        names=names,
        layout=layout,
        compression=compression,
        encodings=encodings,
        force=force,
        strict=strict,
        mode=mode,
    )
    path = Path(done.path)
    written = [WrittenTable(name, path / file, rows, size) for name, file, rows, size in done.tables]
    return Output(path, written, done.documents, done.warning)
