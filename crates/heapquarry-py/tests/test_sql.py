"""Queries by DuckDB."""

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from conftest import CORPUS, SNAPSHOT

import heapquarry as hq

OTHER = CORPUS / "node18.heapsnapshot.gz"
COUNT = "SELECT count(*) FROM js_heap_nodes"


def rows(path):
    return hq.open(path)["js_heap_nodes"].to_pyarrow().num_rows


def test_tables_and_views_are_there(snapshot):
    with snapshot as file:
        assert file.sql(COUNT).fetchall() == [(rows(SNAPSHOT),)]
        assert file.sql("SELECT path FROM source").fetchall()[0][0].endswith(SNAPSHOT.name)
        views = {name for (name,) in file.sql("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()}
        assert {"js_heap_edges", "js_heap_nodes"} < views
        wanted = file.sql("SELECT count(*) FROM js_heap_nodes WHERE type = $type", type="closure")
        assert 0 < wanted.fetchall()[0][0] < rows(SNAPSHOT)


def test_analysis_is_there_on_request():
    with hq.open(SNAPSHOT, analyze=True) as file:
        largest = file.sql("SELECT max(retained_size) FROM js_heap_analysis").fetchall()[0][0]
        assert largest > 1_000_000


def test_two_files_give_their_own_rows():
    one, other = hq.open(SNAPSHOT), hq.open(OTHER)
    asked = [(file.sql(COUNT), rows(path)) for file, path in [(one, SNAPSHOT), (other, OTHER)] * 2]
    for relation, expected in asked:
        assert relation.fetchall() == [(expected,)]


def test_several_inputs_have_a_source():
    found = hq.sql([SNAPSHOT, OTHER], "SELECT source, count(*) FROM js_heap_nodes GROUP BY source")
    assert dict(found.fetchall()) == {str(SNAPSHOT): rows(SNAPSHOT), str(OTHER): rows(OTHER)}


def test_an_answer_outlives_its_file():
    relation = hq.sql(SNAPSHOT, COUNT)
    assert relation.fetchall() == [(rows(SNAPSHOT),)]
    assert hq.sql(SNAPSHOT.read_bytes(), COUNT, cache=False).fetchall() == [(rows(SNAPSHOT),)]


def test_the_second_answer_converts_nothing(tmp_path):
    path = tmp_path / "copy.heapsnapshot.gz"
    path.write_bytes(OTHER.read_bytes())
    told = []

    def read():
        told.clear()
        assert hq.sql(path, COUNT, progress=lambda *a: told.append(a)).fetchall() == [(rows(OTHER),)]
        return bool(told)

    assert (read(), read()) == (True, False)
    path.write_bytes(SNAPSHOT.read_bytes())
    assert hq.sql(path, COUNT).fetchall() == [(rows(SNAPSHOT),)]


def test_a_directory_is_queried_where_it_is(tmp_path):
    output = hq.convert(SNAPSHOT, tmp_path / "it's a \\ folder")
    assert hq.sql(output.path, COUNT).fetchall() == [(rows(SNAPSHOT),)]


# What is no query, and queries of what is no input.
REFUSED = [
    "COPY (SELECT 1 AS x) TO 'TABLE' (USE_TMP_FILE false)",
    "SELECT 1; COPY (SELECT 1 AS x) TO 'TABLE' (USE_TMP_FILE false)",
    "SELECT 1) TO 'TABLE' (USE_TMP_FILE false); COPY (SELECT 2",
    "EXPLAIN ANALYZE COPY (SELECT 1 AS x) TO 'TABLE' (USE_TMP_FILE false)",
    "PREPARE p AS COPY (SELECT 1 AS x) TO 'TABLE' (USE_TMP_FILE false)",
    "WITH q AS (COPY (SELECT 1 AS x) TO 'TABLE' (USE_TMP_FILE false)) FROM q",
    "FROM query('COPY (SELECT 1 AS x) TO ''TABLE'' (USE_TMP_FILE false)')",
    "ATTACH 'FOLDER/x.duckdb' AS x",
    "EXPORT DATABASE 'FOLDER/export'",
    "FROM read_text('FOLDER/_manifest.json')",
    "FROM read_text('/etc/hostname')",
    "FROM glob('FOLDER/*')",
    "FROM enable_logging(storage = 'file', storage_path = 'FOLDER/log')",
    "SET enable_external_access = true",
    "LOAD httpfs",
    "DROP VIEW js_heap_nodes",
]


@pytest.mark.parametrize("sql", REFUSED)
def test_a_query_reads_its_inputs_and_writes_nothing(sql, tmp_path):
    output = hq.convert(SNAPSHOT, tmp_path / "[a]?'b")
    files = {path: path.read_bytes() for path in output.path.iterdir()}
    table = str(output.path / "js_heap_nodes.parquet").replace("'", "''")
    sql = sql.replace("TABLE", table).replace("FOLDER", str(output.path).replace("'", "''"))
    with hq.open(output.path) as file, pytest.raises((hq.Error, duckdb.Error)):
        file.sql(sql).fetchall()
    assert {path: path.read_bytes() for path in output.path.iterdir()} == files
    assert hq.sql(output.path, COUNT + ";").fetchall() == [(rows(SNAPSHOT),)]


def test_what_does_not_fit_into_memory_goes_to_a_private_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with hq.open(SNAPSHOT) as file:
        spill = Path(file.sql("SELECT current_setting('temp_directory')").fetchall()[0][0])
        assert spill.parent.parent == tmp_path and spill.parent.stat().st_mode & 0o777 == 0o700
    assert not list(tmp_path.iterdir())


def test_nothing_is_left_at_the_end(tmp_path):
    code = f"import heapquarry as hq; file = hq.open({str(SNAPSHOT)!r}, cache=False); file.sql({COUNT!r}).fetchall(); keep = [file]; keep.append(keep)"
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | {"TMPDIR": str(tmp_path)})
    assert not list(tmp_path.iterdir())


def test_without_a_package_the_message_says_what_to_install():
    code = f"""
import sys
for name in ["duckdb", "pyarrow", "pandas", "polars"]:
    sys.modules[name] = None
import heapquarry as hq
file = hq.open({str(SNAPSHOT)!r})
table = file["js_heap_nodes"]
for ask in [lambda: file.sql("x"), table.to_pyarrow, table.to_pandas, table.to_polars, lambda: hq.scan(file, "source")]:
    try:
        ask()
    except ImportError as error:
        print(error)
assert sum(map(len, table.batches())) == {rows(SNAPSHOT)}
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    expected = [("sql", "duckdb"), ("to_pyarrow", "pyarrow"), ("to_pandas", "pandas"), ("to_polars", "polars"), ("scan", "polars")]
    lines = [f"{what}() needs the package {p}: pip install 'heapquarry[{p}]'" for what, p in expected]
    assert done.stdout.splitlines() == lines
