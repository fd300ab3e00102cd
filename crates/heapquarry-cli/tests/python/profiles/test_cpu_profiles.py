"""CPU profiles: every column of every table against the oracle, and the views."""

import subprocess
import sys

import pytest
from conftest import (
    CORPUS,
    arrow_table,
    assert_same,
    codes,
    convert,
    extra_files,
    load_views,
    query,
    read_rows,
    read_table,
    short_name,
)
from documented import SCHEMA_TYPES
from oracles import cpu as oracle_cpu

sys.setrecursionlimit(20_000)

PROFILES = sorted((CORPUS / "profiles").glob("*.cpuprofile*")) + extra_files("v8", "*.cpuprofile*")

# What is out of the ordinary in a file, besides nothing.
CODES = {
    "native.cpuprofile": {"wrapped_number": 3, "unsorted_samples": 1},
    "unsorted.cpuprofile": {"unsorted_samples": 1},
    "nested.cpuprofile": {"number_form": 1},
    "nested-keys-sorted.cpuprofile": {"number_form": 1},
    "no-samples.cpuprofile": {"missing_field": 1},
}


@pytest.fixture(params=PROFILES, ids=short_name, scope="module")
def path(request):
    return request.param


@pytest.fixture(scope="module")
def profile(path):
    return oracle_cpu.read(path)


@pytest.fixture(scope="module")
def folder(path, tmp_path_factory):
    return convert(path, tmp_path_factory.mktemp("profile") / "t")


def expected(profile, path):
    name = path.name.removesuffix(".gz")
    made = oracle_cpu.tables(profile, name)
    return {table: arrow_table(columns, oracle_cpu.TABLES[table]) for table, columns in made.items()}


def test_rows(profile, path, folder):
    for name, table in expected(profile, path).items():
        assert_same(read_table(folder, name), table, name)
    assert codes(folder) == CODES.get(path.name, {})


@pytest.mark.parametrize("flags", [["--threads", "1", "--read-window", "7"], ["--row-group-rows", "5"]], ids=str)
def test_rows_do_not_depend_on_how_they_are_read(profile, path, tmp_path, flags):
    folder = convert(path, tmp_path / "t", *flags)
    for name, table in expected(profile, path).items():
        assert_same(read_table(folder, name), table, name)


def test_columns(folder, schema):
    told = {t["name"]: {c["name"]: c["type"] for c in t["columns"]} for t in schema["tables"]}
    for table, columns in oracle_cpu.TABLES.items():
        assert told[table] == {name: SCHEMA_TYPES[type] for name, type in columns.items()}
        assert read_table(folder, table).column_names == list(told[table])


def test_only_the_tables_of_the_format_are_written(path, folder):
    names = {p.stem for p in folder.glob("*.parquet")}
    assert names == {"source", "import_log", *oracle_cpu.TABLES}
    (source,) = read_rows(folder, "source")
    assert (source["format"], source["status"], source["document_index"]) == (
        "cpuprofile", "repaired" if path.name == "no-samples.cpuprofile" else "complete", 0,
    )


def test_tracestreamer_views(profile, folder, database):
    load_views(database, folder)
    if "timeDeltas" in profile and "startTime" in profile:
        rows = database.sql(
            "SELECT function_id, start_time, end_time, dur FROM tracestreamer.js_cpu_profiler_sample ORDER BY id"
        )
        deltas = oracle_cpu.tables(profile, "")["js_cpu_profiler_sample"]["delta_us"]
        assert rows.fetchall() == oracle_cpu.tracestreamer_samples(profile | {"timeDeltas": deltas})
    nodes = oracle_cpu.tables(profile, "")["js_cpu_profiler_node"]
    rows = database.sql("""
        SELECT n.function_id, name.data, n.script_id, url.data, n.line_number, n.column_number, n.hit_count, n.children, n.parent_id
        FROM tracestreamer.js_cpu_profiler_node n
        LEFT JOIN tracestreamer.data_dict name ON name.id = n.function_index
        LEFT JOIN tracestreamer.data_dict url ON url.id = n.url_index""").fetchall()
    count = len(nodes["function_id"])
    children = [[] for _ in range(count)]
    for i, parent in enumerate(nodes["parent_index"]):
        if parent >= 0:
            children[parent].append(str(nodes["function_id"][i]))
    wanted = [
        (
            nodes["function_id"][i],
            nodes["function_name"][i],
            nodes["script_id"][i],
            nodes["url"][i],
            nodes["line_number"][i] % 2**32,
            nodes["column_number"][i],
            nodes["hit_count"][i],
            ",".join(children[i]),
            max(nodes["parent_id"][i], 0),
        )
        for i in range(count)
    ]
    assert sorted(rows, key=repr) == sorted(wanted, key=repr)


def test_views(profile, path, folder, database):
    load_views(database, folder)
    nodes = oracle_cpu.tables(profile, "")["js_cpu_profiler_node"]
    parents, count = nodes["parent_index"], len(nodes["function_id"])
    if path.name == "recursive.cpuprofile":
        pytest.skip("stacks of 3000 frames: 4.5 million rows in the oracle")
    key = list(zip(nodes["function_name"], nodes["url"], nodes["line_number"], nodes["column_number"]))
    totals, selfs = {}, {}
    for i in range(count):
        selfs[key[i]] = selfs.get(key[i], 0) + nodes["self_time_us"][i]
        above, j = set(), i
        while j >= 0:
            above.add(key[j])
            j = parents[j]
        for k in above:
            totals[k] = totals.get(k, 0) + nodes["self_time_us"][i]
    rows = database.sql(
        "SELECT function_name, url, line_number, column_number, self_time_us, total_time_us FROM cpu_profile_function"
    ).fetchall()
    assert sorted(rows, key=repr) == sorted(((*k, selfs[k], totals[k]) for k in totals), key=repr)
    (times,) = database.sql("SELECT sum(dur_us) FROM cpu_profile_sample").fetchall()[0]
    assert (times or 0) == sum(nodes["self_time_us"])
    stacks = database.sql("SELECT count(*), max(distance) FROM cpu_profile_stack").fetchall()[0]
    assert stacks == (sum(d + 1 for d in nodes["depth"]), max(nodes["depth"]))
    files = oracle_cpu.tables(profile, "")["js_cpu_profiler_files"]
    if files["hit_count"][0] and files["end_time_us"][0]:
        (ms,) = database.sql("SELECT sum(self_time_ms) FROM cpu_profile_devtools_self_time").fetchall()[0]
        assert ms == pytest.approx((files["end_time_us"][0] - files["start_time_us"][0]) / 1000)


def test_golden_vector_of_tracestreamer(tmp_path, database):
    """The values of its own unit test."""
    source = tmp_path / "golden.cpuprofile"
    source.write_text(
        '{"nodes":[{"id":2,"callFrame":{}},{"id":3,"callFrame":{}},{"id":4,"callFrame":{}}],"startTime":8013755173,'
        '"samples":[2,3,4,2,2,2,2,3,3,3,3,4,4,4],'
        '"timeDeltas":[99,72,215,637,96,288,36,89,94,54,26,598,784,522]}'
    )
    load_views(database, convert(source, tmp_path / "t"))
    rows = database.sql("FROM tracestreamer.js_cpu_profiler_sample ORDER BY id").fetchall()
    assert rows == [
        (0, 2, 8013755173000, 8013755245000, 72000),
        (1, 3, 8013755245000, 8013755460000, 215000),
        (2, 4, 8013755460000, 8013756097000, 637000),
        (3, 2, 8013756097000, 8013756606000, 509000),
        (4, 3, 8013756606000, 8013757378000, 772000),
        (5, 4, 8013757378000, 8013758684000, 1306000),
    ]
    # With the first delta, as ts_us has it, everything is 99 us later.
    assert database.sql("SELECT min(ts_us) FROM js_cpu_profiler_sample").fetchall()[0] == (8013755272,)


def test_many_inputs_of_several_formats(tmp_path, database):
    paths = [CORPUS / "profiles" / "current.cpuprofile", CORPUS / "handmade" / "bun.heapsnapshot"]
    paths.append(CORPUS / "profiles" / "nested.cpuprofile")
    folder = convert(paths[0], tmp_path / "t", *paths[1:])
    load_views(database, folder)
    assert [r["format"] for r in read_rows(folder, "source")] == ["cpuprofile", "heapsnapshot", "cpuprofile"]
    for file_id in (0, 2):
        made = oracle_cpu.tables(oracle_cpu.read(paths[file_id]), paths[file_id].name, file_id)
        for name, columns in made.items():
            rows = query(database, f"FROM {name} WHERE file_id = {file_id}")
            assert_same(rows, arrow_table(columns, oracle_cpu.TABLES[name]), name)
    hive = convert(paths[0], tmp_path / "h", *paths[1:], "--layout", "hive")
    load_views(database, hive)
    counts = database.sql("SELECT file_id, count(*) FROM js_cpu_profiler_node GROUP BY 1 ORDER BY 1").fetchall()
    assert counts == [(0, 7), (2, 7)]
    assert database.sql("SELECT count(*) FROM js_heap_nodes").fetchall()[0][0] > 0


def test_handmade_files_are_what_their_script_writes(tmp_path):
    script = CORPUS / "generate" / "profiles.py"
    subprocess.run([sys.executable, script, tmp_path], check=True)
    for made in tmp_path.iterdir():
        assert made.read_bytes() == (CORPUS / "profiles" / made.name).read_bytes(), made.name

