"""What is private in inputs is taken out before anything else reads them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal

from . import _native

__all__ = ["Level"]

Level = Literal["values", "names", "full"]
"""How much is taken out, as `heapquarry redact --level`."""


def redaction(
    level: Level | _native.Redaction | None,
    key: str | os.PathLike[str] | None,
    keep: Sequence[str],
    deny: Sequence[str],
) -> _native.Redaction | None:
    """What the options `redact`, `redact_key`, `redact_keep` and `redact_deny` ask for."""
    if isinstance(keep, str) or isinstance(deny, str):
        raise TypeError("redact_keep and redact_deny are lists of texts")
    if isinstance(level, _native.Redaction):
        return level
    if level is not None:
        return _native.Redaction(level, key, list(keep), list(deny))
    if key is not None or keep or deny:
        raise ValueError("redact_key, redact_keep and redact_deny need redact")
    return None
