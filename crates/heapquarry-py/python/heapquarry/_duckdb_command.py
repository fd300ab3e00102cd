"""What `heapquarry query` needs of DuckDB's command, by DuckDB's Python package. It runs as a script of its own.

From `start.sql` in its working directory it takes settings and views, then lines that begin with a dot; from standard
input, which it reads after that, statements. It prints their results. After an error it ends with code 1.
"""

from __future__ import annotations

import sys
import unicodedata
from typing import TYPE_CHECKING

# The folder of this script has modules of the package, which are not to be found by their bare names.
del sys.path[0]

import duckdb  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence

    Form = dict[str, list[str]]


def main() -> int:
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
    with open("start.sql", "rb") as start:
        lines = start.read().decode().rstrip("\n").split("\n")
    form: Form = {}
    while lines and lines[-1].startswith("."):
        name, *values = lines.pop()[1:].split()
        form[name] = values
    connection = duckdb.connect()
    try:
        connection.execute("\n".join(lines))
        for statement in connection.extract_statements(sys.stdin.buffer.read().decode()):
            run(connection, statement, form)
    except duckdb.Error as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def run(connection: duckdb.DuckDBPyConnection, statement: duckdb.Statement, form: Form) -> None:
    if statement.type == duckdb.StatementType.EXPLAIN:
        for row in connection.execute(statement).fetchall():
            print(row[-1])
        return
    if statement.type != duckdb.StatementType.SELECT:
        connection.execute(statement)
        return
    found = connection.sql(statement.query)
    if form.get("mode") == ["duckbox"]:
        [rows], [width] = form["maxrows"], form["maxwidth"]
        found.show(max_rows=int(rows), max_width=int(width))
        return
    texts = found.project("CAST(COLUMNS(*) AS VARCHAR)").fetchall()
    print("\n".join(box(found.columns, texts)))


def box(names: Sequence[str], rows: Sequence[Sequence[str | None]]) -> list[str]:
    """The lines of a table."""
    cells = [["NULL" if cell is None else cell.replace("\n", "\\n") for cell in row] for row in rows]
    widths = [max(map(width, column)) for column in zip(names, *cells)]

    def line(left: str, middle: str, right: str) -> str:
        return left + middle.join("─" * (width + 2) for width in widths) + right

    def row(texts: Sequence[str], centred: bool) -> str:
        padded = []
        for text, wide in zip(texts, widths):
            left = (wide - width(text)) // 2 if centred else 0
            padded.append(" " * left + text + " " * (wide - width(text) - left))
        return "│ " + " │ ".join(padded) + " │"

    return [
        line("┌", "┬", "┐"),
        row(names, centred=True),
        line("├", "┼", "┤"),
        *(row(texts, centred=False) for texts in cells),
        line("└", "┴", "┘"),
    ]


def width(text: str) -> int:
    """Columns of a terminal that a text takes."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)


if __name__ == "__main__":
    sys.exit(main())
