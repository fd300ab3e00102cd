"""Exceptions. Their text is what the command prints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .reports import Report

__all__ = [
    "BudgetExceeded",
    "Error",
    "InputError",
    "LimitError",
    "MemoryLimitError",
    "OutputError",
    "QueryError",
    "UnknownNameError",
]


class Error(Exception):
    """Base of all exceptions of heapquarry."""

    path: Path | None
    """The input or directory as given."""
    offset: int | None
    """Offset in bytes in the decompressed document."""
    expected: str | None
    """What was expected there."""
    found: str | None
    """What was found instead."""

    def __init__(
        self,
        message: str,
        *,
        path: Path | None = None,
        offset: int | None = None,
        expected: str | None = None,
        found: str | None = None,
    ) -> None:
        super().__init__(message)
        self.path = path
        self.offset = offset
        self.expected = expected
        self.found = found

    def __str__(self) -> str:
        # KeyError would quote it.
        return str(self.args[0])


class InputError(Error):
    """An input cannot be read, is of another format, or does not have what was asked for."""


class MemoryLimitError(InputError, MemoryError):
    """An analysis would need more memory than the limit, or the system gives no more."""


class OutputError(Error):
    """The output cannot be written."""


class QueryError(Error):
    """DuckDB cannot run a query. Its own exception is the `__cause__`."""


class UnknownNameError(Error, KeyError):
    """There is no table or column of this name."""


class LimitError(Error, ValueError):
    """A limit or a budget cannot be understood."""


class BudgetExceeded(Error):
    """An input exceeds its budget. `report` says by how much."""

    report: Report

    def __init__(self, message: str, report: Report) -> None:
        super().__init__(message)
        self.report = report
