"""Queries by DuckDB."""

from __future__ import annotations

import re
from pathlib import Path
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
        self._connection.execute(_views(Path(self._tables.path)))
        if len(sources) > 1:
            self._add_sources(Path(self._tables.path))

    def _add_sources(self, folder: Path) -> None:
        """Adds a column `source`, the path of the input, to the tables that tell the document."""
        files = sorted(path.stem for path in folder.glob("*.parquet"))
        for name in files:
            view = self._connection.sql(f"FROM {name}")
            if name != "source" and "file_id" in view.columns and "source" not in view.columns:
                self._connection.execute(
                    f"CREATE OR REPLACE VIEW {name} AS SELECT rows.*, source.path AS source "
                    f"FROM {_parquet(folder, name)} AS rows JOIN {_parquet(folder, 'source')} "
                    "AS source USING (file_id)"
                )

    def sql(self, query: str, parameters: dict[str, Any]) -> duckdb.DuckDBPyRelation:
        return self._connection.sql(query, params=parameters or None)

    def close(self) -> None:
        self._connection.close()
        self._tables.close()


def _parquet(folder: Path, table: str) -> str:
    return f"read_parquet({_quoted(str(folder / table) + '.parquet')})"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _views(folder: Path) -> str:
    """The views of a converted directory, wherever they are asked from."""
    script = (folder / "views.sql").read_text(encoding="utf-8")
    inside = _quoted(str(folder.resolve()))[:-1]
    return re.sub(r"read_parquet\('", lambda _: f"read_parquet({inside}/", script)
