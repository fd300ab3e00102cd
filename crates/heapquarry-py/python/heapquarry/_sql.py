"""Queries by DuckDB."""

from __future__ import annotations

import atexit
from typing import TYPE_CHECKING, Any

from . import _native
from ._missing import need
from .errors import Error

if TYPE_CHECKING:
    import duckdb

__all__ = ["Database"]


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
        engine = need("duckdb", "sql()", "duckdb")
        self._tables = _native.Tables(sources, names, analyze, cached, run)
        self._connection: duckdb.DuckDBPyConnection = engine.connect()
        self._connection.execute(self._tables.views)
        self._select = engine.StatementType.SELECT

    def sql(self, query: str, parameters: dict[str, Any]) -> duckdb.DuckDBPyRelation:
        return self._connection.sql(self._query(query), params=parameters or None)

    def _query(self, text: str) -> str:
        """The text, if it is one query. DuckDB's own parser says so. A query in parentheses cannot write, even in its WITH
        clauses."""
        statements = self._connection.extract_statements(text)
        if [statement.type for statement in statements] != [self._select]:
            raise Error("sql() takes one query: SELECT, FROM, DESCRIBE, SHOW or SUMMARIZE")
        return f"FROM (\n{text.rstrip().rstrip(';')}\n)"

    def close(self) -> None:
        self._connection.close()
        self._tables.close()
