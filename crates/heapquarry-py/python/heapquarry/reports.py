"""Answers about inputs."""

from __future__ import annotations

import difflib
import json
import shutil
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from . import _native

__all__ = ["Report", "Row"]

WIDTH = 120
"""Width of an answer where there is no terminal."""


class Row(dict[str, Any]):
    """A part of an answer: a dictionary whose members are attributes too.

    `row.count` of a `Row` with a member `count` is that member. Names of methods of dictionaries, such as `items`, stay
    methods: `row["items"]`.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(_unknown("row", name, self)) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]


class Report(Mapping[str, Any]):
    """An answer: what the command prints with `--json`, as a mapping with attributes, and as text.

    >>> report = heapquarry.summary("app.heapsnapshot")
    >>> report.totals.size, report["totals"]["size"]
    >>> pandas.DataFrame(report.classes.rows)
    >>> report
    """

    def __init__(self, report: _native.Report) -> None:
        self._report = report
        self._data: Row | None = None

    @property
    def data(self) -> Row:
        """All numbers, in bytes, nanoseconds, counts; shares in percent."""
        if self._data is None:
            self._data = json.loads(self._report.json(), object_hook=Row)
        return self._data

    @property
    def notes(self) -> list[str]:
        """Caveats in words: why numbers may rest on less than the whole input."""
        return [f"{c['input']}: {c['text']}" if "input" in c else c["text"] for c in self.data["caveats"]]

    @property
    def passed(self) -> bool:
        """Whether all limits are kept; true if there are none."""
        return self._report.passed

    @property
    def exceeded(self) -> list[str]:
        """What exceeds its limit, in words, with the number and the limit."""
        return self._report.exceeded

    def json(self) -> str:
        """The text of `--json`."""
        return self._report.json()

    def markdown(self) -> str:
        """The text of `--format markdown`."""
        return self._report.markdown()

    def text(self, width: int | None = None) -> str:
        """The text that the command prints into a terminal of this width; without one, lines are not cut."""
        return self._report.text(width)

    def __getattr__(self, name: str) -> Any:
        # What begins with an underscore is asked for by copies and notebooks, perhaps before there is an answer.
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self.data[name]
        except KeyError:
            raise AttributeError(_unknown("answer", name, self.data)) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.data]

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)

    def __str__(self) -> str:
        return self.text(_width())

    def __repr__(self) -> str:
        return self.text(_width() or WIDTH).rstrip()

    def _repr_html_(self) -> str:
        return f'<div class="heapquarry">{self._report.html()}</div>'


def _width() -> int | None:
    """Width of the terminal; `None` if there is none."""
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return shutil.get_terminal_size().columns if terminal else None


def _unknown(what: str, name: str, known: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    meant = f": did you mean {near[0]}?" if near else f"; it has {', '.join(known)}"
    return f"the {what} has no {name!r}{meant}"
