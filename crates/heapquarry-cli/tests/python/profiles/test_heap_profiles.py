"""Sampling heap profiles: every column of every table against the oracle, and the views."""

import sys

import pytest
from conftest import CORPUS, arrow_table, assert_same, codes, convert, extra_files, load_views, read_rows, read_table, short_name
from documented import SCHEMA_TYPES
from oracles import cpu as oracle_cpu
from oracles import heap_profile as oracle

sys.setrecursionlimit(20_000)

PROFILES = sorted((CORPUS / "profiles").glob("*.heapprofile*")) + extra_files("v8", "*.heapprofile*")


@pytest.fixture(params=PROFILES, ids=short_name, scope="module")
def path(request):
    return request.param


@pytest.fixture(scope="module")
def made(path):
    return oracle.tables(oracle_cpu.read(path), path.name.removesuffix(".gz"))


@pytest.fixture(scope="module")
def folder(path, tmp_path_factory):
    return convert(path, tmp_path_factory.mktemp("profile") / "t")


def test_rows(path, made, folder):
    for name, columns in made.items():
        assert_same(read_table(folder, name), arrow_table(columns, oracle.TABLES[name]), name)
    with_ids = "id" in oracle_cpu.read(path)["head"]
    assert codes(folder) == ({} if with_ids else {"ids_assigned": 1})
    (source,) = read_rows(folder, "source")
    assert (source["format"], source["status"]) == ("heapprofile", "complete")


@pytest.mark.parametrize("flags", [["--threads", "1", "--read-window", "7"], ["--row-group-rows", "5"]], ids=str)
def test_rows_do_not_depend_on_how_they_are_read(made, path, tmp_path, flags):
    folder = convert(path, tmp_path / "t", *flags)
    for name, columns in made.items():
        assert_same(read_table(folder, name), arrow_table(columns, oracle.TABLES[name]), name)


def test_columns(folder, schema):
    told = {t["name"]: {c["name"]: c["type"] for c in t["columns"]} for t in schema["tables"]}
    for table, columns in oracle.TABLES.items():
        assert told[table] == {name: SCHEMA_TYPES[type] for name, type in columns.items()}
        assert read_table(folder, table).column_names == list(told[table])
    assert {p.stem for p in folder.glob("*.parquet")} == {"source", "import_log", *oracle.TABLES}


def test_views(made, folder, database):
    load_views(database, folder)
    nodes = made["js_heap_sampling_node"]
    keys = list(zip(nodes["function_name"], nodes["url"], nodes["line_number"], nodes["column_number"]))
    selfs, totals = {}, {}
    for i, key in enumerate(keys):
        selfs[key] = selfs.get(key, 0) + nodes["self_size"][i]
        above, j = set(), i
        while j >= 0:
            above.add(keys[j])
            j = nodes["parent_index"][j]
        for k in above:
            totals[k] = totals.get(k, 0) + nodes["self_size"][i]
    rows = database.sql(
        "SELECT function_name, url, line_number, column_number, self_size, total_size FROM heap_profile_function"
    ).fetchall()
    assert sorted(rows) == sorted((*k, selfs[k], totals[k]) for k in totals)
