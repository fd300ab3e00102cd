"""Times of tables as types of data frames: points in time, and durations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ._missing import need

if TYPE_CHECKING:
    import polars
    import pyarrow

    from .tables import Column

NANOS = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1000, "ns": 1}
"""Units of time, in nanoseconds."""


def times(columns: Iterable[Column]) -> list[Column]:
    """The columns that are times."""
    return [column for column in columns if column.unit in NANOS]


def is_instant(column: Column) -> bool:
    """Whether it is a point in time. The clocks of most files begin anywhere: their times are durations."""
    return column.time == "instant"


def may_be_open(column: Column) -> bool:
    """Whether -1 stands for a duration that has no end."""
    return column.time == "open"


def of_arrow(table: pyarrow.Table, columns: Iterable[Column]) -> pyarrow.Table:
    """The table with times as timestamps in UTC and durations. What has no end is NULL."""
    arrow: Any = need("pyarrow", "times", "pandas")
    compute: Any = need("pyarrow.compute", "times", "pandas")
    for column in times(columns):
        at = table.schema.get_field_index(column.name)
        values: Any = table.column(at)
        unit: Any = column.unit
        if may_be_open(column):
            values = compute.if_else(compute.equal(values, -1), None, values)
        if arrow.types.is_floating(values.type):
            values, unit = compute.round(compute.multiply(values, float(NANOS[unit]))), "ns"
        kind = arrow.timestamp(unit, "UTC") if is_instant(column) else arrow.duration(unit)
        table = table.set_column(at, column.name, values.cast(arrow.int64()).cast(kind))
    return table


def of_polars(frame: polars.DataFrame, columns: Iterable[Column]) -> polars.DataFrame:
    """The frame with times as timestamps in UTC and durations. What has no end is NULL."""
    pl: Any = need("polars", "times", "polars")
    found: list[Any] = []
    for column in times(columns):
        values: Any = pl.col(column.name)
        unit: Any = column.unit
        if may_be_open(column):
            values = pl.when(values != -1).then(values)
        if frame.schema[column.name].is_float():
            values, unit = (values * NANOS[unit]).round().cast(pl.Int64), "ns"
        elif unit == "s":
            values, unit = values.cast(pl.Int64) * 1000, "ms"
        kind = pl.Datetime(unit, "UTC") if is_instant(column) else pl.Duration(unit)
        found.append(values.cast(pl.Int64).cast(kind).alias(column.name))
    return frame.with_columns(found)
