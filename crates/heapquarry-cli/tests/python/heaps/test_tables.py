"""Every column of every table, all rows, for every recording; read by pyarrow, DuckDB and pandas."""

import shutil
import subprocess

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import (
    arrow_table,
    assert_same,
    codes,
    convert,
    expected_tables,
    load_views,
    query,
    read_rows,
    read_table,
)  # fmt: skip
from documented import SCHEMA_TYPES, documented_severities
from oracles import heap as oracle

FILE_TYPES = {
    "int32": [pa.int32()],
    "int64": [pa.int64()],
    "text": [pa.string(), pa.large_string()],
    "label": [pa.dictionary(pa.int32(), pa.string()), pa.dictionary(pa.int8(), pa.string())],
}


def test_schema_command(schema):
    told = {t["name"]: {c["name"]: c["type"] for c in t["columns"]} for t in schema["tables"]}
    for table, columns in oracle.TABLES.items():
        assert told[table] == {name: SCHEMA_TYPES[type] for name, type in columns.items()}
        assert list(told[table]) == list(columns)


def test_rows(recording):
    for name, expected in recording.expected.items():
        assert_same(read_table(recording.tables, name), expected, name)


def test_rows_without_names(recording):
    for name, columns in oracle.tables(recording.snapshot, recording.path, names="id").items():
        assert_same(read_table(recording.tables_without_names, name), arrow_table(columns, oracle.TABLES[name]), name)


def test_types_and_nulls(recording, schema):
    """Types are as declared, and a column declared without NULL has none."""
    for table in schema["tables"]:
        if table["name"] not in oracle.TABLES:
            continue  # comparisons and the analysis write it
        read = pq.read_table(recording.tables / f"{table['name']}.parquet")
        assert read.column_names == [c["name"] for c in table["columns"]]
        for column in table["columns"]:
            what = f"{table['name']}.{column['name']}"
            type = oracle.TABLES[table["name"]][column["name"]]
            assert read.schema.field(column["name"]).type in FILE_TYPES[type], what
            assert column["nullable"] or read[column["name"]].null_count == 0, what


def test_duckdb(recording, database):
    for name, expected in recording.expected.items():
        rows = query(database, f"FROM read_parquet('{recording.tables}/{name}.parquet')")
        assert_same(rows, expected, name)


def test_pandas(recording):
    for table, columns in oracle.TABLES.items():
        frame = pd.read_parquet(recording.tables / f"{table}.parquet")
        expected = recording.expected.get(table)
        assert expected is None or len(frame) == expected.num_rows
        for name, type in columns.items():
            if type == "label":
                assert isinstance(frame[name].dtype, pd.CategoricalDtype), f"{table}.{name}: {frame[name].dtype}"
                if expected is not None:
                    assert frame[name].astype(object).tolist() == expected[name].to_pylist()


def test_import_log(recording):
    expected = dict(oracle.codes(recording.snapshot))
    assert codes(recording.tables) == expected
    severities = documented_severities()
    per_code = {}
    for row in read_rows(recording.tables, "import_log"):
        assert row["severity"] == severities[row["code"]]
        assert row["byte_offset"] is None or 0 <= row["byte_offset"] <= recording.snapshot.byte_size
        per_code.setdefault(row["code"], []).append(row["occurrences"])
    for code, occurrences in per_code.items():
        assert len(occurrences) == min(expected[code], 101), code
        assert set(occurrences[:100]) == {1}


def test_views(recording, database):
    """TraceStreamer's tables, as `views.sql` makes them out of ours."""
    load_views(database, recording.tables)
    for name, columns in oracle.tracestreamer(recording.snapshot, recording.path).items():
        keys = [c for c in columns if c in ("node_index", "edge_index", "function_index", "file_index", "object_index")]
        view = query(
            database, f"FROM tracestreamer.{name} ORDER BY {keys[0]}" if keys else f"FROM tracestreamer.{name}"
        )
        assert view.column_names == list(columns), name
        expected = pa.table({c: pa.array(values, view.schema.field(c).type) for c, values in columns.items()})
        if keys:
            order = [(keys[0], "ascending")]
            assert_same(view.sort_by(order), expected.sort_by(order), name)
        else:
            assert as_rows(view) == as_rows(expected), name


def test_views_name_edges_whatever_was_written(recording, database):
    """`heap_edge` and `heap_node` have the names as text even after `--names id`."""
    load_views(database, recording.tables_without_names)
    for view, table, order in [
        ("heap_edge", "js_heap_edges", "edge_index"),
        ("heap_node", "js_heap_nodes", "node_index"),
    ]:
        names = query(database, f"SELECT {order}, type, name FROM {view} ORDER BY {order}")
        assert_same(names, recording.expected[table].select([order, "type", "name"]), view)


def as_rows(table):
    return sorted(zip(*[c.to_pylist() for c in table.columns]), key=repr)


def test_a_process_of_today(tmp_path):
    """A snapshot that the Node at hand writes now."""
    node = shutil.which("node")
    if not node:
        pytest.skip("no node")
    path = tmp_path / "now.heapsnapshot"
    subprocess.run([node, "-e", "require('v8').writeHeapSnapshot(process.argv[1])", path], check=True)
    snapshot = oracle.Snapshot.parse(path.read_bytes())
    folder = convert(path, tmp_path / "tables")
    for name, expected in expected_tables(oracle.tables(snapshot, path)).items():
        assert_same(read_table(folder, name), expected, name)
