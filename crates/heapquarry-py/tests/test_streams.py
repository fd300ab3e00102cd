"""Tables through the C stream: the rows of the Parquet files, for every consumer."""

import threading
import time

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import CORPUS, SNAPSHOT, corpus

import heapquarry as hq

# Every table of it, by every consumer. The others are read with pyarrow.
ALL_CONSUMERS = [SNAPSHOT.name, "v8-2026-scopes.heapsnapshot", "current.cpuprofile", "current.heapprofile"]


def plain(table):
    """With text as strings: files have dictionaries where they are small."""

    def cast(column):
        text = pa.types.is_dictionary(column.type) or pa.types.is_large_string(column.type)
        return column.cast(pa.string()) if text else column

    return pa.table([cast(c).combine_chunks() for c in table.columns], names=table.column_names)


@pytest.fixture(scope="module")
def converted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("converted")
    made = {}

    def convert(path):
        if path not in made:
            out = folder / str(len(made))
            made[path] = hq.convert(path, out, analyze=True)
        return made[path]

    return convert


@pytest.mark.parametrize("path", corpus(), ids=lambda p: str(p.relative_to(CORPUS)))
def test_every_table_equals_its_file(path, converted):
    output = converted(path)
    file = hq.open(path, analyze=True)
    assert sorted(file.tables) == sorted(table.name for table in output.tables)
    for written in output.tables:
        expected = plain(pq.read_table(written.path))
        found = file[written.name].to_pyarrow()
        assert found.num_rows == written.rows == expected.num_rows, written.name
        assert plain(found).equals(expected), written.name
        if path.name in ALL_CONSUMERS:
            check_others(file, written, expected)


def check_others(file, written, expected):
    table = file[written.name]
    frame = table.to_polars()
    assert plain(frame.to_arrow()).cast(expected.schema).equals(expected), f"Polars: {written.name}"
    pandas = table.to_pandas(types_mapper=pd.ArrowDtype)
    theirs = plain(pa.Table.from_pandas(pandas, preserve_index=False)).cast(expected.schema)
    assert theirs.equals(expected), f"pandas: {written.name}"
    rows = table  # noqa: F841, DuckDB finds it by its name
    found = duckdb.sql("FROM rows").to_arrow_table()
    assert plain(found).cast(expected.schema).equals(expected), f"DuckDB: {written.name}"


def test_a_converted_directory_has_the_same_rows(tmp_path):
    output = hq.convert(SNAPSHOT, tmp_path / "out")
    directory, file = hq.open(output.path), hq.open(SNAPSHOT)
    assert directory.format == "tables" and file.format == "heapsnapshot"
    for name in ["js_heap_nodes", "js_heap_edges"]:
        assert directory[name].to_pyarrow().equals(file[name].to_pyarrow())
    # A table whose file is lost is no empty table.
    (tmp_path / "out" / "js_heap_edges.parquet").unlink()
    for columns in [None, ["type"]]:
        with pytest.raises(hq.InputError, match="missing table"):
            hq.open(output.path).table("js_heap_edges", columns=columns).to_pyarrow()
    assert directory["js_heap_nodes"].to_pyarrow().num_rows > 0


def test_a_table_can_be_read_again_and_in_parts(snapshot):
    table = snapshot.table("js_heap_nodes", columns=["self_size", "id"])
    once, again = table.to_pyarrow(), pa.table(table)
    assert once.column_names == ["self_size", "id"] and once.equals(again)
    assert once.equals(snapshot["js_heap_nodes"].to_pyarrow().select(["self_size", "id"]))
    assert pa.schema(table) == once.schema
    batches = list(snapshot.batches("js_heap_nodes", ["id"], rows=1000))
    assert max(map(len, batches)) <= 1000 and sum(map(len, batches)) == once.num_rows
    joined = pa.Table.from_batches([pa.record_batch(batch) for batch in batches])
    assert joined["id"].to_pylist() == once["id"].to_pylist()
    assert pa.record_batch(batches[0]).schema == pa.schema(batches[0])


def test_columns_that_nobody_wants_are_not_decoded():
    # The broken column is read only if it is wanted; the log of everything names it.
    damaged = (CORPUS / "handmade/bun.heapsnapshot").read_bytes().replace(b'"strings"', b'"strinks"')
    file = hq.open(damaged)
    ids = file.table("js_heap_nodes", ["id"]).to_pyarrow()
    assert ids.num_rows == hq.open(CORPUS / "handmade/bun.heapsnapshot")["js_heap_nodes"].to_pyarrow().num_rows
    assert any("string" in entry.message or "string" in entry.code for entry in file.log)
    assert len(file.log) == file["import_log"].to_pyarrow().num_rows


def test_scan_pushes_columns_and_rows_down(snapshot):
    whole = snapshot["js_heap_nodes"].to_polars()
    lazy = hq.scan(snapshot, "js_heap_nodes")
    assert lazy.collect_schema() == whole.schema
    assert lazy.collect().equals(whole)
    big = pl.col("self_size") > 1000
    assert lazy.filter(big).select("id").collect().equals(whole.filter(big).select("id"))
    assert lazy.head(10).collect().equals(whole.head(10))
    assert lazy.select(pl.len()).collect().item() == len(whole)
    by_type = lazy.group_by("type").agg(pl.col("self_size").sum()).sort("type").collect()
    assert by_type.equals(whole.group_by("type").agg(pl.col("self_size").sum()).sort("type"))
    # What is asked of the source.
    asked = []
    select = hq.Table.select

    def spy(table, *columns):
        asked.append(columns)
        return select(table, *columns)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hq.Table, "select", spy)
        lazy.filter(big).select("id").collect()
    assert [set(columns) for columns in asked] == [{"id", "self_size"}]


def test_names_can_be_numbers(snapshot):
    by_id = hq.open(SNAPSHOT, names="id")["js_heap_nodes"].to_pyarrow()
    assert by_id["name"].null_count == by_id.num_rows
    assert by_id["name_id"].equals(snapshot["js_heap_nodes"].to_pyarrow()["name_id"])
    with pytest.raises(ValueError, match="'text' or 'id'"):
        hq.open(SNAPSHOT, names="short")


def test_several_inputs_are_one_table():
    paths = [SNAPSHOT, CORPUS / "node18.heapsnapshot.gz"]
    both = hq.open(paths)["js_heap_nodes"].to_pyarrow()
    parts = [hq.open(path)["js_heap_nodes"].to_pyarrow() for path in paths]
    assert both.num_rows == sum(part.num_rows for part in parts)
    assert set(both["file_id"].to_pylist()) == {0, 1}


def test_what_does_not_exist_has_the_words_of_the_command(snapshot):
    with pytest.raises(KeyError, match='unknown table \\("js_heap_node"\\): did you mean js_heap_nodes\\?'):
        snapshot["js_heap_node"]
    with pytest.raises(hq.errors.UnknownNameError, match="size"):
        snapshot.table("js_heap_nodes", ["size"])
    with pytest.raises(TypeError, match="list of names"):
        snapshot.table("js_heap_nodes", "id")


def test_an_abandoned_stream_ends():
    before = threading.active_count()
    for _ in range(20):
        batches = hq.open(SNAPSHOT).batches("js_heap_edges", rows=100)
        next(batches)
        batches.close()
        del batches
        reader = pa.RecordBatchReader.from_stream(hq.open(SNAPSHOT)["js_heap_edges"])
        reader.read_next_batch()
        del reader
    assert threading.active_count() == before
    tasks = len(list(__import__("pathlib").Path("/proc/self/task").iterdir()))
    time.sleep(0.2)
    assert len(list(__import__("pathlib").Path("/proc/self/task").iterdir())) <= tasks


def test_progress_is_told(snapshot):
    told = []
    hq.open(SNAPSHOT, progress=lambda *args: told.append(args))["js_heap_nodes"].to_pyarrow()
    assert told and told[-1][1] == told[-1][2] > 0 and told[-1][0] == "node22.heapsnapshot"

    def stop(*_):
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        hq.open(SNAPSHOT, progress=stop).summary()


def test_the_first_rows_are_those_of_all(snapshot):
    table = snapshot.table("js_heap_nodes", ["id", "name"])
    whole = table.to_polars()
    for rows in [0, 1, 7, 70_000]:
        assert table.head(rows).to_polars().equals(whole.head(rows)), rows
        assert len(table.head(rows)) == min(rows, len(whole))
    assert len(table) == len(whole) == len(snapshot["js_heap_nodes"])
    assert list(map(len, table.head(7).batches(5))) == [5, 2]
    assert pa.table(table.head(3).head(10).select("id")).to_pydict() == {"id": whole["id"].head(3).to_list()}
    # A table is one whether it has rows or not, which nobody reads to know that.
    assert hq.open(b'{"snapshot":{"meta":{"node_fields":"?"},"node_count":1,"edge_count":0},"nodes":[1]}')["source"]


# Flags of each kind: all known, and with NULL. The trace of ftrace has the latter.
FLAGS = [
    (SNAPSHOT, "js_heap_analysis", ["is_unreachable", "is_stack_root"], True),
    (CORPUS / "traces/chromium.trace.json.gz", "thread", ["is_main_thread"], False),
]


@pytest.mark.parametrize(("path", "name", "flags", "is_known"), FLAGS)
def test_flags_are_booleans_in_frames(path, name, flags, is_known):
    file = hq.open(path)
    table = file[name].select(*flags)
    numbers = table.to_pyarrow()
    assert set(flags) <= set(file[name].flags) and {str(t) for t in numbers.schema.types} == {"int32"}
    truth = [[None if one is None else bool(one) for one in numbers[flag].to_pylist()] for flag in flags]
    frame = table.to_polars()
    assert set(frame.dtypes) == {pl.Boolean} and [frame[flag].to_list() for flag in flags] == truth
    lazy = hq.scan(file, name).select(flags)
    assert lazy.collect_schema() == frame.schema and lazy.collect().equals(frame)
    for backend, kind in [("numpy_nullable", "boolean"), ("pyarrow", "bool[pyarrow]")]:
        nullable = table.to_pandas(dtype_backend=backend)
        assert {str(kind) for kind in nullable.dtypes} == {kind}
        found = [[None if pd.isna(one) else bool(one) for one in nullable[flag]] for flag in flags]
        assert found == truth
    plain = table.to_pandas()
    assert not is_known or {str(kind) for kind in plain.dtypes} == {"bool"}


def test_integers_with_null_stay_integers(snapshot):
    table = snapshot.table("js_heap_nodes", ["id", "trace_node_id", "name", "native_size"])
    assert {str(t) for t in table.to_pandas(dtype_backend="numpy_nullable").dtypes} == {"Int64", "Int32", "string"}
    arrow = table.to_pandas(dtype_backend="pyarrow")
    assert {str(t) for t in arrow.dtypes} == {"int64[pyarrow]", "int32[pyarrow]", "string[pyarrow]"}
    assert str(table.to_pandas()["native_size"].dtype) in ("float64", "object") and arrow["native_size"].isna().all()
    with pytest.raises(ValueError, match="'numpy_nullable' or 'pyarrow'"):
        table.to_pandas(dtype_backend="numpy")


UNITS = [
    (SNAPSHOT, "js_heap_nodes", {"self_size": "bytes", "id": None, "edge_count": None}),
    (SNAPSHOT, "js_heap_sample", {"timestamp_us": "us"}),
    (SNAPSHOT, "js_heap_analysis", {"retained_size": "bytes", "is_unreachable": "flag", "detachedness": None}),
    (CORPUS / "profiles/current.cpuprofile", "js_cpu_profiler_node", {"self_time_us": "us", "function_name": None}),
    (CORPUS / "traces/chromium.trace.json.gz", "slice", {"ts": "ns", "dur": "ns", "name": None}),
]


@pytest.mark.parametrize(("path", "name", "units"), UNITS)
def test_columns_have_units(path, name, units):
    columns = {column.name: column for column in hq.open(path)[name].columns}
    assert {name: columns[name].unit for name in units} == units
    assert not columns["file_id"].nullable


def test_tables_describe_themselves(snapshot):
    table = snapshot["js_heap_nodes"]
    assert [column.name for column in table.columns][:2] == ["file_id", "node_index"]
    assert all(column.type and column.meaning for column in table.columns)
    assert "js_heap_nodes" in snapshot and "js_heap_nodes" in table._repr_html_()
