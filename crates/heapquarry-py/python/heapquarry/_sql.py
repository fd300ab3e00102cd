"""Queries by DuckDB."""

from __future__ import annotations

import atexit
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

from . import _native
from ._missing import need
from .errors import QueryError

if TYPE_CHECKING:
    import duckdb

__all__ = ["Database", "Parameters"]

Parameters = Union[Sequence[Any], Mapping[str, Any], None]
"""Values for `?` or `$1` in a query, in their order, or for `$name`."""


atexit.register(_native.remove_temporary)


class Database:
    """A connection to DuckDB in memory, with the tables and views of inputs that were converted for it. It opens no
    other files."""

    def __init__(
        self,
        sources: list[_native.Source],
        names: str,
        analyze: bool,
        cached: bool,
        run: _native.Run,
    ) -> None:
        self._engine = need("duckdb", "sql()", "duckdb")
        self._tables = _native.Tables(sources, names, analyze, cached, run)
        self._connection: duckdb.DuckDBPyConnection = self._engine.connect()
        self._connection.execute(self._tables.views)
        self._select = self._engine.StatementType.SELECT
        self._frames: set[str] = set()

    def sql(
        self, query: str, parameters: Parameters, frames: Mapping[str, Any]
    ) -> duckdb.DuckDBPyRelation:
        try:
            for name, frame in frames.items():
                self._register(name, frame)
            values = parameters if isinstance(parameters, Mapping) else list(parameters or ())
            return self._connection.sql(self._query(query), params=values or None)
        except self._engine.Error as error:
            raise QueryError(str(error)) from error

    def _register(self, name: str, frame: object) -> None:
        """A frame of the caller as a table, until another one has its name."""
        if name not in self._frames:
            taken = self._connection.execute("SELECT count(*) FROM duckdb_views() WHERE view_name = ?", [name])
            if taken.fetchall() != [(0,)]:
                raise ValueError(f"{name} is a table or view of the input: give the frame another name")
        self._connection.register(name, frame)
        self._frames.add(name)

    def _query(self, text: str) -> str:
        """The text, if it is one query. DuckDB's own parser says so. A query in parentheses cannot write, even in its WITH
        clauses."""
        statements = self._connection.extract_statements(text)
        if [statement.type for statement in statements] != [self._select]:
            raise QueryError("sql() takes one query: SELECT, FROM, DESCRIBE, SHOW or SUMMARIZE")
        return f"FROM (\n{text.rstrip().rstrip(';')}\n)"

    def close(self) -> None:
        self._connection.close()
        self._tables.close()
