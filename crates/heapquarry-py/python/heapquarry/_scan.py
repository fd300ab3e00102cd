"""Tables as lazy frames of Polars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import _native
from ._missing import need
from .files import File
from .inputs import Inputs
from .tables import Table

if TYPE_CHECKING:
    import polars

__all__ = ["scan"]


def scan(inputs: Inputs | File, table: str, **how: Any) -> polars.LazyFrame:
    """A table as a lazy frame of Polars. Only the columns that the query needs are decoded, and reading ends after the
    rows that it needs. Options as for `open`.
    """
    pl = need("polars", "scan()", "polars")
    plugins = need("polars.io.plugins", "scan()", "polars")
    file = inputs if isinstance(inputs, File) else File(inputs, **how)
    whole = file.table(table)
    flags = whole.flags

    def with_flags(frame: polars.DataFrame) -> polars.DataFrame:
        here = [name for name in flags if name in frame.columns]
        return frame.with_columns(pl.col(here).cast(pl.Boolean)) if here else frame

    def read(
        columns: list[str] | None,
        predicate: polars.Expr | None,
        rows: int | None,
        batch_rows: int | None,
    ) -> Iterator[polars.DataFrame]:
        wanted = whole if columns is None else _select(whole, columns)
        left = rows
        batches = wanted.batches(batch_rows)
        try:
            for batch in batches:
                frame = with_flags(pl.DataFrame(batch))
                if columns is not None:
                    frame = frame.select(columns)
                if left is not None:
                    frame = frame.head(left)
                    left -= len(frame)
                yield frame if predicate is None else frame.filter(predicate)
                if left == 0:
                    return
        finally:
            batches.close()

    schema = with_flags(pl.DataFrame(_Empty(table))).schema
    frame: polars.LazyFrame = plugins.register_io_source(read, schema=schema, is_pure=True)
    return frame


def _select(table: Table, columns: list[str]) -> Table:
    # A query that only counts rows needs no column, but the rows of some.
    return table.select(*(columns or [table.columns[0].name]))


class _Empty:
    """A table without rows: it has the types that Polars takes from Arrow."""

    def __init__(self, table: str) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return _native.Stream.empty(self.table, [])
