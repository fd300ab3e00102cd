"""Progress of long work."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from typing import Any, Union

__all__ = ["Progress", "ProgressCallback", "bar"]

ProgressCallback = Callable[[str, int, int], object]
"""Called with the name of the document, the bytes that were read, and the bytes that there are."""

Progress = Union[ProgressCallback, bool, None]
"""A callback; `True` for a bar, `False` for none; `None` for a bar in a terminal and in notebooks."""

DELAY = 0.5
"""Seconds before a bar appears."""


def callback(progress: Progress) -> ProgressCallback | None:
    """What to call; `None` if nobody wants to know."""
    if callable(progress):
        return progress
    wanted = _somebody_looks() if progress is None else progress
    return bar() if wanted else None


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    kernel = shell.get_ipython() if shell is not None else None
    return kernel is not None and hasattr(kernel, "kernel")


def _somebody_looks() -> bool:
    return _in_notebook() or (sys.stderr is not None and sys.stderr.isatty())


def bar() -> ProgressCallback:
    """A bar: that of tqdm if it is installed, a plain one otherwise."""
    try:
        return _Tqdm(importlib.import_module("tqdm.auto").tqdm)
    except ImportError:
        return _Plain()


class _Tqdm:
    def __init__(self, tqdm: Any) -> None:
        self.tqdm = tqdm
        self.bar: Any = None
        self.name = ""

    def __call__(self, name: str, done: int, total: int) -> None:
        if self.bar is None or name != self.name:
            self.close()
            self.name = name
            self.bar = self.tqdm(
                total=total, desc=name, unit="B", unit_scale=True, delay=DELAY, leave=False
            )
        self.bar.update(done - self.bar.n)
        if done >= total:
            self.close()

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None


class _Plain:
    def __init__(self) -> None:
        self.start = time.monotonic()
        self.width = 0

    def __call__(self, name: str, done: int, total: int) -> None:
        if time.monotonic() - self.start < DELAY:
            return
        line = f"{name}: {done / total:4.0%} of {total / 1e6:.0f} MB" if done < total else ""
        sys.stderr.write("\r" + line.ljust(self.width) + ("" if line else "\r"))
        sys.stderr.flush()
        self.width = len(line)
