"""Tables of inputs as Arrow data."""

from __future__ import annotations

import functools
import html
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from . import _native, _times
from ._missing import need

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from .files import File

__all__ = ["Batch", "Column", "Table"]

Batch = _native.Batch
"""Some rows: it has `__arrow_c_array__`, which pyarrow, Polars and DuckDB take."""

T = TypeVar("T")

DtypeBackend = Literal["numpy_nullable", "pyarrow"]
"""Which types of pandas hold NULL, as for `pandas.read_parquet`."""


class Column(NamedTuple):
    """A column of a table."""

    name: str
    type: str
    """Its Arrow type."""
    meaning: str
    unit: str | None
    """`bytes`, `percent`, `s`, `ms`, `us`, `ns`; `flag` if it is 1 for yes and 0 for no; `None` for all others."""
    nullable: bool
    """Whether it can be NULL."""
    time: Literal["instant", "open"] | None = None
    """`instant` if it counts from 1970, in UTC; `open` if -1 is a duration that has no end; `None` for other times, on
    the clock of the file, and for all that is no time."""


@functools.cache
def declared() -> dict[str, tuple[str, list[Column]]]:
    """Meaning and columns of all tables that there are."""
    return {
        name: (meaning, [Column(*column) for column in columns])
        for name, meaning, columns in _native.tables()
    }


class Table:
    """A table of a file, or some of its columns.

    Nothing is read until the rows are asked for. Each time they are, the file is parsed on all cores, and columns that
    are not wanted are not decoded. Memory stays bounded: batches are handed over as they are read.

    Everything that takes Arrow streams takes a table: `pyarrow.table(t)`, `polars.DataFrame(t)`, and by the name of a
    variable DuckDB.
    """

    def __init__(
        self, file: File, name: str, columns: Sequence[str] = (), rows: int | None = None
    ) -> None:
        self._file = file
        self.name = name
        self._columns = list(columns)
        self._rows = rows
        _native.schema(name, self._columns)

    @property
    def meaning(self) -> str:
        """What the rows are."""
        return declared()[self.name][0]

    @property
    def columns(self) -> list[Column]:
        """The columns with their types, units and meanings."""
        columns = {column.name: column for column in declared()[self.name][1]}
        return [columns[name] for name in self._columns] if self._columns else [*columns.values()]

    def select(self, *columns: str) -> Table:
        """The table with these columns only."""
        return Table(self._file, self.name, columns, self._rows)

    def head(self, rows: int = 5) -> Table:
        """The first rows: `table.head().to_pandas()`. Reading ends after them."""
        most = rows if self._rows is None else min(rows, self._rows)
        return Table(self._file, self.name, self._columns, most)

    def __len__(self) -> int:
        """The number of rows. One column is read to count them."""
        one = Table(self._file, self.name, [self.columns[0].name], self._rows)
        return sum(map(len, one.batches()))

    def __bool__(self) -> bool:
        # It is a table, however many rows it has: these are not read for `if table`.
        return True

    def batches(self, rows: int | None = None) -> Generator[Batch, None, None]:
        """The rows in batches of at most so many, as they are read. Closing the iterator ends the work."""
        stream = self._stream(rows)
        try:
            yield from stream
        finally:
            stream.close()

    def _stream(self, rows: int | None = None) -> _native.Stream:
        return self._file._stream(self.name, self._columns, rows, self._rows)

    def __arrow_c_schema__(self) -> object:
        return _native.schema(self.name, self._columns)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._stream().hand_over()

    def _take(self, consume: Callable[[Any], T]) -> T:
        """Has a library read everything. Its exception, which has only our text, gives way to ours."""
        stream = self._stream()
        try:
            taken = consume(stream)
        except Exception:
            stream.check()
            raise
        stream.check()
        return taken

    @property
    def flags(self) -> list[str]:
        """Names of the columns that are 1 for yes and 0 for no. Data frames have them as booleans."""
        return [column.name for column in self.columns if column.unit == "flag"]

    def to_pyarrow(self) -> pyarrow.Table:
        """All rows as a table of pyarrow, with the types of the Parquet files."""
        arrow = need("pyarrow", "to_pyarrow()", "pyarrow")
        table: pyarrow.Table = self._take(
            lambda stream: arrow.RecordBatchReader.from_stream(stream).read_all()
        )
        return table

    def to_pandas(
        self, *, dtype_backend: DtypeBackend | None = None, times: bool = False, **options: Any
    ) -> pandas.DataFrame:
        """All rows as a data frame of pandas. Flags are booleans.

        With `times=True` columns with a unit of time become `timedelta64`, or `datetime64` in UTC if they count from
        1970. A duration that has no end is `NaT`.

        Without `dtype_backend`, integers with NULL become `float64`, and flags with NULL `object`, as always in pandas;
        with `"numpy_nullable"` or `"pyarrow"` they stay what they are. Other options as for `pyarrow.Table.to_pandas`.
        """
        pd = need("pandas", "to_pandas()", "pandas")
        arrow = need("pyarrow", "to_pandas()", "pandas")
        table = self.to_pyarrow()
        for name in self.flags:
            at = table.schema.get_field_index(name)
            table = table.set_column(at, name, table.column(at).cast(arrow.bool_()))
        if times:
            table = _times.of_arrow(table, self.columns)
        if dtype_backend == "pyarrow":
            options.setdefault("types_mapper", pd.ArrowDtype)
        elif dtype_backend == "numpy_nullable":
            nullable = {
                arrow.int32(): pd.Int32Dtype(),
                arrow.int64(): pd.Int64Dtype(),
                arrow.float64(): pd.Float64Dtype(),
                arrow.bool_(): pd.BooleanDtype(),
                arrow.string(): pd.StringDtype(),
            }
            options.setdefault("types_mapper", nullable.get)
        elif dtype_backend is not None:
            raise ValueError(f"dtype_backend is 'numpy_nullable' or 'pyarrow', not {dtype_backend!r}")
        return table.to_pandas(**options)

    def to_polars(self, *, times: bool = False) -> polars.DataFrame:
        """All rows as a data frame of Polars. Flags are booleans.

        With `times=True` columns with a unit of time become `Duration`, or `Datetime` in UTC if they count from 1970. A
        duration that has no end is NULL.
        """
        pl = need("polars", "to_polars()", "polars")
        frame: polars.DataFrame = self._take(pl.DataFrame)
        frame = _times.of_polars(frame, self.columns) if times else frame
        return frame.with_columns(pl.col(self.flags).cast(pl.Boolean)) if self.flags else frame

    def __repr__(self) -> str:
        columns = ", ".join(f"{column.name} {column.unit or column.type}" for column in self.columns)
        return f"<Table {self.name} of {self._file.name}: {columns}>"

    def _repr_html_(self) -> str:
        cells = (map(html.escape, (c.name, c.type, c.unit or "", c.meaning)) for c in self.columns)
        rows = "".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in cells)
        return (
            f"<b>{html.escape(self.name)}</b> of {html.escape(self._file.name)}<br>{html.escape(self.meaning)}"
            f"<table><tr><th>column</th><th>type</th><th>unit</th><th>meaning</th></tr>{rows}</table>"
        )
