"""Heap snapshots, profiles and traces of JavaScript engines as Arrow tables, Parquet files and answers.

>>> import heapquarry as hq
>>> f = hq.open("app.heapsnapshot")
>>> f.sql("SELECT type, count(*), sum(self_size) FROM js_heap_nodes GROUP BY 1")
>>> f["js_heap_nodes"].to_polars()
>>> print(f.summary())
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import errors
    from ._convert import Output, WrittenTable, convert
    from ._native import __version__
    from ._scan import scan
    from .errors import BudgetExceeded, Error, InputError
    from .files import File, Info, Session, check, diff, export, find, leaks, open, report, sql, summary
    from .inputs import Input, Inputs
    from .progress import Progress, ProgressCallback
    from .reports import Report, Row
    from .tables import Batch, Column, Table

# Loaded when they are used: the command needs none of them.
_HOMES = {
    "_convert": ["Output", "WrittenTable", "convert"],
    "_native": ["__version__"],
    "_scan": ["scan"],
    "errors": ["BudgetExceeded", "Error", "InputError", "errors"],
    "files": ["File", "Info", "Session", "check", "diff", "export", "find", "leaks", "open", "report", "sql", "summary"],
    "inputs": ["Input", "Inputs"],
    "progress": ["Progress", "ProgressCallback"],
    "reports": ["Report", "Row"],
    "tables": ["Batch", "Column", "Table"],
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Batch",
    "BudgetExceeded",
    "Column",
    "Error",
    "File",
    "Info",
    "Input",
    "InputError",
    "Inputs",
    "Output",
    "Progress",
    "ProgressCallback",
    "Report",
    "Row",
    "Session",
    "Table",
    "WrittenTable",
    "__version__",
    "check",
    "convert",
    "diff",
    "errors",
    "export",
    "find",
    "leaks",
    "open",
    "report",
    "scan",
    "sql",
    "summary",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'heapquarry' has no attribute {name!r}")
    module = importlib.import_module(f"{__name__}.{home}")
    value = module if name == home else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
