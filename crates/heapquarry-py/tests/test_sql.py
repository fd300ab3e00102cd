"""Queries by DuckDB."""

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
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


ANALYSED = [
    ("FROM js_heap_class", True),
    ("select max(retained_size) from HEAP_OBJECT", True),
    ("FROM js_heap_nodes", False),
]


@pytest.mark.parametrize(("query", "is_analysed"), ANALYSED)
def test_a_query_that_needs_the_analysis_has_it(query, is_analysed, tmp_path):
    with hq.open(SNAPSHOT) as file:
        before = file.sql(COUNT)
        assert file.sql(query).fetchall()
        # What was asked before, and tables of the caller, stay.
        assert before.fetchall() == [(rows(SNAPSHOT),)]
        assert list(file._databases) == [False, True][: 1 + is_analysed]


VALUES = [
    ("type = ? AND self_size > ?", ["closure", 32]),
    ("type = $1 AND self_size > $2", ("closure", 32)),
    ("type = $type AND self_size > $size", {"type": "closure", "size": 32}),
]


@pytest.mark.parametrize(("where", "values"), VALUES)
def test_values_are_given_in_every_way(where, values, snapshot):
    query = f"SELECT count(*) FROM js_heap_nodes WHERE {where}"
    expected = snapshot.sql("SELECT count(*) FROM js_heap_nodes WHERE type = 'closure' AND self_size > 32").fetchall()
    assert snapshot.sql(query, values).fetchall() == expected
    assert hq.sql(SNAPSHOT, query, values).fetchall() == hq.sql(SNAPSHOT, query, parameters=values).fetchall() == expected
    if isinstance(values, dict):
        assert snapshot.sql(query, **values).fetchall() == expected


FRAMES = {
    "pandas": lambda: pd.DataFrame({"kind": ["closure"], "mine": [7]}),
    "Polars": lambda: pl.DataFrame({"kind": ["closure"], "mine": [7]}),
    "pyarrow": lambda: pa.table({"kind": ["closure"], "mine": [7]}),
}


@pytest.mark.parametrize("library", FRAMES)
def test_frames_of_the_caller_are_tables(library, snapshot):
    mine = FRAMES[library]()
    query = "SELECT mine, count(*) FROM js_heap_nodes JOIN known ON type = kind WHERE self_size > ? GROUP BY 1"
    found = snapshot.sql(query, [0], frames={"known": mine})
    assert found.fetchall() == hq.sql(SNAPSHOT, query, [0], frames={"known": mine}).fetchall()
    assert found.fetchall() is not None and snapshot.sql("SELECT mine FROM known").fetchall() == [(7,)]
    # A later one of the name takes its place; tables of the input keep theirs.
    later = pd.DataFrame({"mine": [8]})
    assert snapshot.sql("FROM known", frames={"known": later}).fetchall() == [(8,)]
    with pytest.raises(ValueError, match="js_heap_nodes is a table or view of the input"):
        snapshot.sql("FROM js_heap_nodes", frames={"js_heap_nodes": mine})


WRONG = ["SELEC 1", "FROM nothing_like_it", "SELECT nothing FROM js_heap_nodes", "SELECT 1; SELECT 2", "SELECT ?"]


@pytest.mark.parametrize("query", WRONG)
def test_errors_of_queries_are_ours(query, snapshot):
    with pytest.raises(hq.errors.QueryError) as caught:
        snapshot.sql(query)
    assert isinstance(caught.value, hq.Error)
    assert query == "SELECT 1; SELECT 2" or isinstance(caught.value.__cause__, duckdb.Error)


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
