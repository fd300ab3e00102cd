"""Queries by DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _native
from ._missing import need

if TYPE_CHECKING:
    import duckdb

__all__ = ["Database"]


class Database:
    """A connection to DuckDB in memory, with the tables and views of inputs that were converted for it."""

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

    def sql(self, query: str, parameters: dict[str, Any]) -> duckdb.DuckDBPyRelation:
        return self._connection.sql(query, params=parameters or None)

    def close(self) -> None:
        self._connection.close()
        self._tables.close()
