"""Self-profiling traces: every column of every table against the oracle, and the views."""

import pytest
from conftest import CORPUS, arrow_table, assert_same, codes, convert, load_views, read_rows, read_table, short_name
from documented import SCHEMA_TYPES
from oracles import self_profile as oracle

TRACES = sorted((CORPUS / "profiles").glob("*.selfprofile.json"))


@pytest.fixture(params=TRACES, ids=short_name, scope="module")
def path(request):
    return request.param


@pytest.fixture(scope="module")
def made(path):
    return oracle.tables(path.read_text(), path.name)


@pytest.fixture(scope="module")
def folder(path, tmp_path_factory):
    return convert(path, tmp_path_factory.mktemp("trace") / "t")


def test_rows(made, folder, path):
    for name, columns in made.items():
        assert_same(read_table(folder, name), arrow_table(columns, oracle.TABLES[name]), name)
    assert codes(folder) == {}
    sources = read_rows(folder, "source")
    assert [s["document_index"] for s in sources] == list(range(len(made["self_profile_files"]["file_id"])))
    assert {(s["format"], s["status"], s["path"]) for s in sources} == {("selfprofile", "complete", str(path))}


@pytest.mark.parametrize("flags", [["--threads", "1", "--read-window", "7"], ["--row-group-rows", "5"]], ids=str)
def test_rows_do_not_depend_on_how_they_are_read(made, path, tmp_path, flags):
    folder = convert(path, tmp_path / "t", *flags)
    for name, columns in made.items():
        assert_same(read_table(folder, name), arrow_table(columns, oracle.TABLES[name]), name)


def test_columns(folder, schema):
    told = {t["name"]: {c["name"]: c["type"] for c in t["columns"]} for t in schema["tables"]}
    for table, columns in oracle.TABLES.items():
        assert told[table] == {name: SCHEMA_TYPES[type] for name, type in columns.items()}
    assert {p.stem for p in folder.glob("*.parquet")} == {"source", "import_log", *oracle.TABLES}


def test_many_traces_are_many_documents(tmp_path, database):
    """Numbers go on after an input of several."""
    lines, array = CORPUS / "profiles" / "lines.selfprofile.json", CORPUS / "profiles" / "array.selfprofile.json"
    folder = convert(lines, tmp_path / "t", array)
    sources = read_rows(folder, "source")
    assert [s["file_id"] for s in sources] == list(range(42))
    assert [s["document_index"] for s in sources] == [*range(40), 0, 1]
    assert sources[41]["name"] == "array.selfprofile.json#1"
    load_views(database, folder)
    rows = database.sql("SELECT file_id, count(*) FROM self_profile_sample GROUP BY 1 ORDER BY 1").fetchall()
    assert rows == [(i, 6) for i in range(42)]


def test_views(tmp_path, database):
    load_views(database, convert(CORPUS / "profiles" / "beacon.selfprofile.json", tmp_path / "t"))
    rows = database.sql("FROM self_profile_function ORDER BY total_samples DESC, name").fetchall()
    main, generate = "https://localhost:3000/main.js", "https://localhost:3000/{generate}.js"
    assert rows == [
        ("handleClick", main, 5, 27, 1, 5),
        ("", generate, 15, 26, 1, 3),
        ("iséPrime", generate, 6, 17, 2, 2),
        ("Profiler", None, None, None, 1, 1),
    ]
    first = database.sql("SELECT wall_time::VARCHAR, name, dur_ms FROM self_profile_timeline ORDER BY sample_index LIMIT 1")
    assert first.fetchall() == [("2023-11-14 22:13:19.996", "Profiler", 12.299999952316284 + 3.5)]
