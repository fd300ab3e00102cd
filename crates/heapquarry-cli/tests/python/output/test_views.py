"""Views in DuckDB read the directory that they were made for, wherever the database, the directory and the reader are."""

import os

import duckdb
import pandas as pd
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from conftest import CORPUS, convert, heapquarry, load_views

ONE = CORPUS / "handmade" / "bun.heapsnapshot"
OTHER = CORPUS / "handmade" / "v8-timeline.heaptimeline"
NODES = {ONE: 11, OTHER: 10}
# A path that means something to a shell, to SQL and to patterns, and acts on a terminal.
HOSTILE = "a'b\"c [d]*? $e;\n\x1b[31m--#1"


@pytest.fixture
def two(tmp_path):
    return convert(ONE, tmp_path / "one.tables"), convert(OTHER, tmp_path / "other.tables")


def views(*args, **options):
    return heapquarry("views", *args, **options).stdout


def count(database, table="heap_node"):
    return database.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]


def error_of(database, sql):
    with pytest.raises(duckdb.Error) as raised:
        database.execute(sql).fetchall()
    return str(raised.value)


def test_views_read_no_other_directory_whatever_the_search_path(two):
    """Views of one directory used to return the rows of another that the search path named, or of both."""
    one, other = two
    for made in ["views.sql", "views"]:
        database = duckdb.connect()
        if made == "views":
            database.execute(views(one))
        else:
            load_views(database, one)
        for path in ["", str(other), f"{one},{other}", f"{other},{one}"]:
            database.execute(f"SET file_search_path = '{path}'")
            assert count(database) == NODES[ONE]
        database.execute(f"SET VARIABLE heapquarry_dir = '{other}'")
        assert count(database) == NODES[ONE]


def test_views_sql_needs_its_own_directory(two):
    one, other = two
    database = duckdb.connect()
    text = (one / "views.sql").read_text()
    assert "first: SET VARIABLE heapquarry_dir" in error_of(database, text)
    for place, words in [
        ("one.tables", "not an absolute path: one.tables"),
        (other, f"another directory than this views.sql: {other}"),
        ("/nowhere", "/nowhere"),
    ]:
        database.execute(f"SET VARIABLE heapquarry_dir = '{place}'")
        assert words in error_of(database, text)
    load_views(database, one)
    assert count(database) == NODES[ONE]


def test_views_in_schemas(two):
    """`CREATE SCHEMA a; USE a` and then views.sql used to fail."""
    one, other = two
    database = duckdb.connect()
    database.execute("CREATE SCHEMA a; USE a")
    load_views(database, one)
    assert count(database, "main.heap_node") == count(database, "tracestreamer.js_heap_nodes") == NODES[ONE]
    database.execute(views(other, "--schema", "a") + views(one, "--schema", 'b "x"'))
    assert count(database, "a.heap_node") == count(database, "a_tracestreamer.js_heap_nodes") == NODES[OTHER]
    assert count(database, '"b ""x""".heap_node') == NODES[ONE]
    assert count(database, '"b ""x""_tracestreamer".js_heap_nodes') == NODES[ONE]
    for name in ["", "information_schema", "a\nb"]:
        heapquarry("views", one, "--schema", name, expect=2)


def test_two_attached_databases_give_their_own_rows(two, tmp_path, monkeypatch):
    one, other = two
    for folder in two:
        heapquarry("views", folder, "--duckdb")
    monkeypatch.chdir(tmp_path)
    database = duckdb.connect()
    database.execute(f"ATTACH '{one}/heapquarry.duckdb' AS one (READ_ONLY)")
    database.execute(f"ATTACH '{other}/heapquarry.duckdb' AS other (READ_ONLY)")
    for use, path in [("one", other), ("other", one), ("memory", other)]:
        database.execute(f"USE {use}; SET file_search_path = '{path}'")
        assert count(database, "one.heap_node") == NODES[ONE]
        assert count(database, "other.main.heap_node") == NODES[OTHER]
        assert count(database, "other.tracestreamer.js_heap_nodes") == NODES[OTHER]


def test_a_saved_database_reopens_from_any_directory(two, tmp_path, monkeypatch):
    one, _ = two
    with duckdb.connect(tmp_path / "saved.duckdb") as database:
        database.execute(views(one))
    monkeypatch.chdir("/")
    with duckdb.connect(tmp_path / "saved.duckdb") as database:
        assert count(database) == NODES[ONE]
    # Those of views.sql find their directory by a variable, which is not saved: they say so.
    with duckdb.connect(tmp_path / "other.duckdb") as database:
        load_views(database, one)
    with duckdb.connect(tmp_path / "other.duckdb") as database:
        assert "(first SET VARIABLE heapquarry_" in error_of(database, "SELECT id FROM heap_node WHERE id = 1")
        load_views(database, one)
        assert count(database) == NODES[ONE]


def test_a_database_has_the_views_with_comments(tmp_path):
    folder = convert(ONE, tmp_path / "x.tables", "--analyze")
    heapquarry("views", folder, "--duckdb")
    with duckdb.connect(folder / "heapquarry.duckdb", read_only=True) as database:
        assert count(database, "heap_object") == NODES[ONE]
        comments = database.sql("SELECT view_name, comment FROM duckdb_views() WHERE NOT internal").fetchall()
        assert all(comment for _, comment in comments) and len(comments) > 30
        [(comment,)] = database.sql(
            "SELECT DISTINCT comment FROM duckdb_columns() WHERE schema_name = 'main' "
            "AND table_name = 'js_heap_nodes' AND column_name = 'self_size'"
        ).fetchall()
        assert "bytes" in comment
        [(count_of_columns,)] = database.sql(
            "SELECT count(*) FROM duckdb_columns() WHERE schema_name = 'main' AND table_name LIKE 'js_%' AND comment IS NULL"
        ).fetchall()
        assert count_of_columns == 0
    # It is ours: the directory can be replaced.
    convert(OTHER, folder, "--force")
    assert not (folder / "heapquarry.duckdb").exists()
    done = heapquarry("views", folder, "--duckdb", expect=2, env=os.environ | {"HEAPQUARRY_DUCKDB": "/nowhere"})
    assert "pip install duckdb-cli" in done.stderr


def test_a_moved_database_says_where_it_looks_and_is_written_anew(two, tmp_path):
    one, other = two
    heapquarry("views", one, "--duckdb")
    moved = one.rename(tmp_path / "moved")
    with duckdb.connect(moved / "heapquarry.duckdb", read_only=True) as database:
        assert f"{one}/js_heap_nodes.parquet" in error_of(database, "FROM heap_node")
    assert heapquarry("views", moved, "--duckdb").stdout == f"{moved}/heapquarry.duckdb\n"
    with duckdb.connect(moved / "heapquarry.duckdb", read_only=True) as database:
        assert count(database) == NODES[ONE]


@pytest.mark.parametrize("layout", ["flat", "hive"])
def test_hostile_paths(layout, tmp_path):
    """Also: a folder that looks like a part of a partitioned data set adds no column."""
    place = tmp_path / "source=elsewhere" / HOSTILE
    place.mkdir(parents=True)
    folder = convert(ONE, place / "x.tables", "--layout", layout)
    sql = views(folder)
    assert "\x1b" not in sql and "\n\x1b" not in sql
    database = duckdb.connect()
    database.execute(sql)
    assert count(database) == NODES[ONE]
    assert "source" not in database.sql("FROM js_heap_nodes").columns
    load_views(database, folder)
    assert count(database) == NODES[ONE]
    heapquarry("views", folder, "--duckdb")
    with duckdb.connect(folder / "heapquarry.duckdb", read_only=True) as database:
        assert count(database) == NODES[ONE]


def test_what_needs_the_analysis_says_so(two, tmp_path):
    """`heap_object` without --analyze used to be unknown, with no hint."""
    analysed = convert(ONE, tmp_path / "analysed", "--analyze")
    real = duckdb.connect()
    real.execute(views(analysed))
    for made in ["views", "views.sql"]:
        database = duckdb.connect()
        if made == "views":
            database.execute(views(two[0]))
        else:
            load_views(database, two[0])
        for name in ["heap_object", "js_heap_analysis", "js_heap_class", "js_heap_statistics", "js_heap_duplicate_string"]:
            described = [(row[0], row[1]) for row in database.sql(f"DESCRIBE {name}").fetchall()]
            assert described == [(row[0], row[1]) for row in real.sql(f"DESCRIBE {name}").fetchall()]
            for sql in [f"FROM {name}", f"SELECT count(*) FROM {name}", f"SELECT 1 FROM {name} WHERE file_id = 77"]:
                error = error_of(database, sql)
                assert f"{name} needs the analysis of the heap: convert the input with --analyze" in error


def test_several_directories_are_one_set_of_tables(two, tmp_path):
    traced = convert(CORPUS / "traces" / "chromium.trace.json.gz", tmp_path / "trace.tables")
    profile = convert(CORPUS / "profiles" / "chromium.selfprofile.json", tmp_path / "own.tables")
    names = [str(folder) for folder in (*two, traced, profile)]
    database = duckdb.connect()
    database.execute(views(*names))
    assert database.sql("SELECT source, count(*) FROM heap_node GROUP BY 1 ORDER BY 1").fetchall() == [
        (names[0], NODES[ONE]),
        (names[1], NODES[OTHER]),
    ]
    # Every view of ours can be read, and says where a row comes from.
    for schema, name in database.sql("SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal").fetchall():
        columns = database.sql(f"SELECT * FROM {schema}.{name} LIMIT 0").columns
        is_ours = schema == "main" and name != "self_profile_function"
        assert columns.count("source") == (1 if is_ours else 0), name
    # Documents are numbered over all of them; a profile refers to its trace by that number.
    ids = database.sql("SELECT file_id FROM source ORDER BY 1").fetchall()
    assert ids == [(n,) for n in range(len(ids))]
    [(trace_id,)] = database.sql("SELECT DISTINCT trace_file_id FROM js_cpu_profiler_files").fetchall()
    assert database.sql(f"SELECT source, format FROM source WHERE file_id = {trace_id}").fetchall() == [(names[2], "trace")]
    one = duckdb.connect()
    one.execute(views(traced))
    for name in ["thread_slice", "counter_value", "slice_args", "trace_cpu_sample"]:
        assert count(database, name) == count(one, name)


def test_columns_left_out_leave_out_the_views(tmp_path):
    folder = convert(ONE, tmp_path / "x", "--columns", "js_heap_nodes.id,js_heap_nodes.self_size")
    database = duckdb.connect()
    database.execute(views(folder))
    assert database.sql("FROM js_heap_nodes").columns == ["id", "self_size"] and count(database, "js_heap_nodes") == 11
    assert "heap_node" in error_of(database, "FROM heap_node")


def test_other_readers_read_a_table_of_each_layout(tmp_path):
    flat = convert(ONE, tmp_path / "flat")
    hive = tmp_path / "hive"
    heapquarry("convert", ONE, OTHER, "-o", hive, "--layout", "hive")
    assert len(pd.read_parquet(flat / "js_heap_nodes.parquet")) == NODES[ONE]
    assert len(pd.read_parquet(hive / "js_heap_nodes")) == NODES[ONE] + NODES[OTHER]
    data = ds.dataset(hive / "js_heap_nodes", partitioning="hive")
    assert data.count_rows() == NODES[ONE] + NODES[OTHER]
    assert set(data.to_table(columns=["source"])["source"].to_pylist()) == {"bun", "v8-timeline"}
    assert pq.read_table(hive / "js_heap_nodes").num_rows == NODES[ONE] + NODES[OTHER]


def test_views_are_in_the_schema():
    text = heapquarry("schema", "heap_object").stdout
    assert text.startswith("heap_object (view)\n") and "--analyze" in text and "FROM heap_node n" in text
    assert "Perfetto's table slice" in heapquarry("schema", "perfetto.slice").stdout
    assert "slice" in heapquarry("schema", "slice").stdout
    assert "CREATE VIEW heap_edge AS" in heapquarry("schema", "--format", "sql").stdout
    assert "| heap_edge |" in heapquarry("schema", "--format", "markdown").stdout


def test_what_is_no_converted_directory(tmp_path):
    for path in [tmp_path, ONE, tmp_path / "missing"]:
        for flags in [[], ["--duckdb"]]:
            done = heapquarry("views", path, *flags, expect=2)
            assert done.stderr.count("\n") == 1 and "not a heapquarry output directory" in done.stderr
