"""Packages that are not required."""

from __future__ import annotations

import importlib
from types import ModuleType


def need(module: str, purpose: str, extra: str | None = None) -> ModuleType:
    """Imports a package, or says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = f"'heapquarry[{extra}]'" if extra else module
        message = f"{purpose} needs the package {module}: pip install {package}"
        raise ImportError(message, name=module) from error
