"""Answers about inputs."""

from __future__ import annotations

import html
import json
import shutil
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from . import _native

__all__ = ["Report"]


class Report(Mapping[str, Any]):
    """An answer: what the command prints with `--json`, as a mapping, and as text.

    >>> report = heapquarry.summary("app.heapsnapshot")
    >>> report["classes"]["rows"][0]
    >>> print(report)
    """

    def __init__(self, report: _native.Report) -> None:
        self._report = report
        self._data: dict[str, Any] | None = None

    @property
    def data(self) -> dict[str, Any]:
        """All numbers, in bytes, nanoseconds, counts; shares in percent."""
        if self._data is None:
            self._data = json.loads(self._report.json())
        return self._data

    @property
    def notes(self) -> list[str]:
        """Caveats in words: why numbers may rest on less than the whole input."""
        if "caveats" not in self.data:
            return list(self.data["notes"])
        return [f"{c['input']}: {c['text']}" if "input" in c else c["text"] for c in self.data["caveats"]]

    @property
    def passed(self) -> bool:
        """Whether all limits are kept; true if there are none."""
        return self._report.passed

    def json(self) -> str:
        """The text of `--json`."""
        return self._report.json()

    def markdown(self) -> str:
        """The text of `--format markdown`."""
        return self._report.markdown()

    def text(self, width: int | None = None) -> str:
        """The text that the command prints into a terminal of this width; without one, lines are not cut."""
        return self._report.text(width)

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)

    def __str__(self) -> str:
        terminal = sys.stdout is not None and sys.stdout.isatty()
        return self.text(shutil.get_terminal_size().columns if terminal else None)

    def __repr__(self) -> str:
        return f"<{self._report.command}: {', '.join(self)}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text(140))}</pre>"
