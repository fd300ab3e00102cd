"""Traces in the Trace Event Format: every field of every event against the oracle."""

import re

import pytest
from conftest import CORPUS, codes, convert, extra_files, read_rows, short_name
from documented import SCHEMA_TYPES
from oracles import trace as oracle

TRACES = sorted((CORPUS / "traces").glob("*.json*")) + [
    path
    for path in extra_files("trace", "*")
    if path.name.endswith((".json", ".json.gz", "trace_gz.gz"))
]
# What Python does not read: how to mend it.
MENDED = {
    "json_incomplete.json": (r",\s*$", "]"),
    "trace-event-simple-partial.json": (r",?\s*$", "]"),
    "args_ordered.json": (r",(\s*[}\]])", r"\1"),
    "json_trailing_comma.json": (r",(\s*[}\]])", r"\1"),
}


def same_json(text, value):
    if value is oracle.ABSENT:
        return text is None
    return text is not None and oracle.loads(text) == value


@pytest.fixture(params=TRACES, ids=short_name, scope="module")
def path(request):
    return request.param


@pytest.fixture(scope="module")
def text(path):
    return oracle.read(path)


@pytest.fixture(scope="module")
def document(path, text):
    if mend := MENDED.get(path.name):
        text = re.sub(mend[0], mend[1], text)
    document = oracle.loads(text)
    return document if isinstance(document, dict) else {"traceEvents": document}


@pytest.fixture(scope="module")
def folder(path, tmp_path_factory):
    return convert(path, tmp_path_factory.mktemp("trace") / "t")


def test_events(document, folder, text):
    events = document["traceEvents"]
    rows = read_rows(folder, "trace_event")
    assert len(rows) == len(events)
    plain = text.isascii()
    for number, (row, e) in enumerate(zip(rows, events)):
        expected = oracle.event(number, e)
        for column in ["args", "extra"]:
            value = expected.pop(column)
            assert same_json(row[column], value), f"{number}.{column}: {row[column]!r:.500}, not {value!r:.500}"
        assert {k: row[k] for k in expected} == expected, number
        if plain:
            assert text[row["byte_offset"]] == "{"
    offsets = [row["byte_offset"] for row in rows]
    assert offsets == sorted(set(offsets))


def test_args(document, folder):
    columns = ["arg_set_id", "flat_key", "key", "int_value", "string_value", "real_value", "value_type"]
    rows = [tuple(row[c] for c in columns) for row in read_rows(folder, "args")]
    expected = list(oracle.args(document["traceEvents"]))
    assert len(rows) == len(expected)
    assert rows == expected or next(pair for pair in zip(rows, expected) if pair[0] != pair[1]) is None


def test_calls(document, folder):
    columns = ["event_index", "function_name", "script_id", "url", "line_number", "column_number"]
    rows = read_rows(folder, "script_call")
    assert [tuple(row[c] for c in columns) for row in rows] == list(oracle.calls(document["traceEvents"]))
    assert all(row["original_source"] is None for row in rows)


def test_what_is_not_an_event(document, folder, text):
    rows = [(r["name"], r["key_type"], r["int_value"], r["str_value"]) for r in read_rows(folder, "trace_metadata")]
    expected = list(oracle.metadata(document))
    assert len(rows) == len(expected)
    for row, want in zip(rows, expected):
        if want[1] == "json":
            assert row[:3] == want[:3] and same_json(row[3], want[3])
        else:
            assert row == want
    for table, made in [
        ("stack_frame", oracle.frames(document.get("stackFrames", {}))),
        ("trace_sample", oracle.samples(document.get("samples", []))),
    ]:
        rows, made = read_rows(folder, table), list(made)
        assert len(rows) == len(made)
        for row, want in zip(rows, made):
            extra = want.pop("extra")
            assert same_json(row["extra"], extra), (row, extra)
            assert {k: row[k] for k in want} == want


def test_the_source(folder):
    # Behind it, the CPU profiles in it.
    source, *profiles = read_rows(folder, "source")
    assert all(profile["format"] == "cpuprofile" for profile in profiles)
    assert (source["format"], source["status"]) == ("trace", "complete")
    told = {"rounded_time", "repaired_json", "unclosed_array", "missing_field"}
    # What does not fit together, though each event is as it should be.
    told |= {"event_without_time", "event_without_id", "unmatched_end", "unclosed_slice", "implied_end"}
    told |= {"overlapping_slice", "slice_without_duration", "flow_without_start", "flow_outside_slices"}
    told |= {"unsorted_samples"} if profiles else set()
    assert set(codes(folder)) <= told


@pytest.mark.parametrize("flags", [["--threads", "1", "--read-window", "7"], ["--row-group-rows", "5"]], ids=str)
def test_rows_do_not_depend_on_how_they_are_read(path, folder, text, tmp_path, flags):
    if len(text) > 1 << 20:
        pytest.skip("large ones are split anyway")
    other = convert(path, tmp_path / "t", *flags)
    for table in ["import_log", *oracle.TABLES]:
        assert read_rows(other, table) == read_rows(folder, table), table


def test_columns(folder, schema):
    told = {t["name"]: {c["name"]: c["type"] for c in t["columns"]} for t in schema["tables"]}
    for table, columns in oracle.TABLES.items():
        assert told[table] == {name: SCHEMA_TYPES[type] for name, type in columns.items()}
        assert (folder / f"{table}.parquet").exists()
