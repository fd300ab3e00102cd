"""What can be read: paths, bytes and file objects."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterable
from typing import Any, Protocol, Union, runtime_checkable

from . import _native
from .errors import InputError

__all__ = ["Input", "Inputs", "Readable"]


@runtime_checkable
class Readable(Protocol):
    """A file object of bytes."""

    def read(self, size: int, /) -> bytes: ...


Input = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, Readable, "_native.Source"]
"""A path (`path#2` selects a document), the bytes of a file, or a file object."""

Inputs = Union[Input, Iterable[Input]]


def source(given: Any, max_spool: int | None = None) -> _native.Source:
    """The source of one input. Of a file object, at most `max_spool` bytes are read."""
    if isinstance(given, _native.Source):
        return given
    if isinstance(given, (bytes, bytearray, memoryview)):
        return _native.Source.bytes("<bytes>", bytes(given))
    if isinstance(given, (str, os.PathLike)):
        return _native.Source.path(given)
    if isinstance(given, io.TextIOBase):
        raise TypeError("the file is open as text: open it with 'rb'")
    if isinstance(given, Readable):
        path = _whole_file(given)
        if path is not None:
            return _native.Source.path(path)
        name = getattr(given, "name", None)
        return _native.Source.spool(name if isinstance(name, str) else "<stream>", given.read, max_spool)
    raise TypeError(f"an input is a path, bytes or a file object, not {type(given).__name__}")


def sources(given: Inputs, max_spool: int | None = None) -> list[_native.Source]:
    """The sources of one input or several."""
    one = (str, os.PathLike, bytes, bytearray, memoryview, _native.Source)
    if isinstance(given, one) or isinstance(given, Readable):
        return [source(given, max_spool)]
    found = [source(each, max_spool) for each in given]
    if not found:
        raise ValueError("no input")
    return found


def files(path: str) -> list[str]:
    """The inputs that a path or an address stands for: what `heapquarry convert --batch` finds below a folder, or what
    matches one with `*`. Otherwise it is an input itself, as a directory is that heapquarry wrote."""
    path = path.removeprefix("file://")
    if "://" in path:
        return _objects(path)
    is_folder = os.path.isdir(path) and not os.path.exists(os.path.join(path, "_manifest.json"))
    is_pattern = "*" in path and not os.path.exists(path)
    return _native.inputs(path) if is_folder or is_pattern else [path]


def _objects(address: str) -> list[str]:
    if address.endswith("/") or "*" in address:
        return _native.inputs(address)
    # Servers of the web do not list.
    if not address.startswith(("http://", "https://")):
        # Who may read an object may not be allowed to list.
        with contextlib.suppress(InputError):
            return _native.inputs(address) or [address]
    return [address]


def _whole_file(file: Any) -> str | None:
    """The path of a file object that stands at the start of an ordinary file, which then need not be copied."""
    if type(file) not in (io.BufferedReader, io.FileIO, io.BufferedRandom):
        return None
    raw = getattr(file, "raw", file)
    if type(raw) is not io.FileIO or not isinstance(raw.name, str) or "#" in raw.name:
        return None
    try:
        same = os.path.samestat(os.fstat(raw.fileno()), os.stat(raw.name))
        return raw.name if same and os.path.isfile(raw.name) and file.tell() == 0 else None
    except OSError:
        return None
