"""Questions in SQL about the recordings of the corpus, and the rows that answer them.

`corpus/golden/NAME.sql` begins with `-- inputs: [FLAG...] FILE...`, relative to the corpus; the rows stand in `NAME.csv`.
UPDATE_GOLDEN=1 writes the rows anew.
"""

import csv
import io
import os

import pytest
from conftest import CORPUS, heapquarry, load_views

GOLDEN = sorted((CORPUS / "golden").glob("*.sql"))


def as_csv(header, rows):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([["NULL" if v is None else v for v in row] for row in rows])
    return out.getvalue()


@pytest.mark.parametrize("path", GOLDEN, ids=lambda p: p.stem)
def test_golden(path, tmp_path, database):
    sql = path.read_text()
    first, _, sql = sql.partition("\n")
    words = first.removeprefix("-- inputs:").split()
    flags = [word for word in words if word.startswith("--")]
    inputs = [CORPUS / word for word in words if word not in flags]
    assert inputs, f"{path.name} must begin with `-- inputs: FILE...`"
    heapquarry("convert", *inputs, "-o", tmp_path / "t", *flags)
    load_views(database, tmp_path / "t")
    answer = database.execute(sql)
    actual = as_csv([c[0] for c in answer.description], answer.fetchall())
    expected = path.with_suffix(".csv")
    if os.environ.get("UPDATE_GOLDEN"):
        expected.write_bytes(actual.encode())
    assert actual == expected.read_bytes().decode()
