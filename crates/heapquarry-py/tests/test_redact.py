"""`redact`: what is private is taken out before anything reads it, in the words of the command."""

import json
import warnings

import pyarrow.parquet as pq
import pytest
from conftest import CORPUS, SNAPSHOT, command

import heapquarry as hq

SECRET = "jane.doe@example.org"
# The engine's own text, which is never taken out.
ENGINE = "(concatenated string)"
META = {
    "node_fields": ["type", "name", "id", "self_size", "edge_count"],
    "node_types": [["hidden", "object", "string", "concatenated string"]],
    "edge_fields": ["type", "name_or_index", "to_node"],
    "edge_types": [["context", "element", "property"]],
}


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "key"
    path.write_bytes(b"0123456789abcdef")
    return path


@pytest.fixture
def private(tmp_path):
    """A heap with a string that is a mail address, below a property of this name."""
    heap = {
        "snapshot": {"meta": META, "node_count": 3, "edge_count": 2},
        "nodes": [1, 1, 1, 0, 2, 2, 2, 3, 32, 0, 3, 4, 5, 32, 0],
        "edges": [2, 3, 5, 2, 3, 10],
        "strings": ["", "Object", SECRET, "contact", ENGINE],
    }
    path = tmp_path / "private.heapsnapshot"
    path.write_text(json.dumps(heap))
    return path


def rows(table):
    return table.to_pylist()


@pytest.mark.parametrize("level", ["values", "names", "full"])
def test_the_same_as_the_command(tmp_path, key, level):
    flags = ["--redact", level, "--redact-key", key, "--redact-keep", "Sess*", "--redact-deny", "Ob[a-z]+r"]
    done = command("convert", SNAPSHOT, "-o", tmp_path / "command", *flags)
    assert done.returncode in (0, 1), done.stderr
    how = {"redact": level, "redact_key": key, "redact_keep": ["Sess*"], "redact_deny": ["Ob[a-z]+r"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        output = hq.convert(SNAPSHOT, tmp_path / "python", **how)
        file = hq.open(SNAPSHOT, **how)
        opened = {name: file[name].to_pyarrow() for name in ("js_heap_nodes", "js_heap_string")}
        asked = file.sql("SELECT * FROM js_heap_string ORDER BY string_index").fetchall()
    assert output.tables
    for name, table in opened.items():
        expected = pq.read_table(tmp_path / "command" / f"{name}.parquet")
        assert rows(pq.read_table(tmp_path / "python" / f"{name}.parquet")) == rows(expected)
        assert rows(table) == rows(expected), name
    assert [tuple(row.values()) for row in rows(opened["js_heap_string"])] == asked


def test_all_readers(tmp_path, private):
    budget = tmp_path / "budget.toml"
    budget.write_text("[total]\nsize = '1 GB'\n")
    how = {"redact": "full"}
    file = hq.open(private, **how)
    read = [
        file.summary(), hq.summary(private, **how), file.why(3), file.show(3), file.info(), file.documents,
        file.diff(private), hq.diff(private, private, **how), hq.diff(file, private), file.check(budget),
        hq.check(private, budget, private, **how), rows(file["js_heap_nodes"].to_pyarrow()),
        [dict(zip(("name",), row)) for row in hq.sql(private, "SELECT name FROM js_heap_nodes", **how).fetchall()],
        hq.scan(private, "js_heap_string", **how).collect().to_dicts(),
        [batch.num_rows for batch in file.batches("js_heap_nodes")],
    ]  # fmt: skip
    text = "".join(one.json() if isinstance(one, hq.Report) else str(one) for one in read)
    assert SECRET not in text and "contact" not in text
    assert SECRET in str(rows(hq.open(private)["js_heap_nodes"].to_pyarrow()))


def test_tokens_are_equal_in_all_tables_of_a_file(private):
    file = hq.open(private, redact="values")
    one, other = ({row["name"] for row in rows(file["js_heap_nodes"].to_pyarrow())} for _ in range(2))
    (token,) = one - {"Object", ENGINE}
    assert one == other and token in {row["string"] for row in rows(file["js_heap_string"].to_pyarrow())}
    assert file.secrets == {}


def test_what_is_left_is_told(private):
    with pytest.warns(UserWarning, match="what looks like secrets is left .*private.heapsnapshot.: ") as told:
        file = hq.open(private, redact="values", redact_deny=["^.concatenated string.$"])
        rows(file["js_heap_nodes"].to_pyarrow())
    assert len(told) == 1 and SECRET not in str(told[0].message)
    ((name, kinds),) = file.secrets.items()
    assert "private.heapsnapshot" in name and sum(kinds.values()) == 1


def test_wrong_options(tmp_path, private, key):
    for how in [{"redact_key": key}, {"redact_keep": ["a"]}, {"redact_deny": ["a"]}, {"redact": "most"}]:
        with pytest.raises(ValueError, match="redact"):
            hq.open(private, **how)
        with pytest.raises(ValueError, match="redact"):
            hq.convert(private, tmp_path / "never", **how)
    with pytest.raises(TypeError, match="lists"):
        hq.open(private, redact="values", redact_keep="Session")
    with pytest.raises(hq.Error):
        hq.open(private, redact="values", redact_deny=["("])
    (tmp_path / "short").write_bytes(b"123")
    with pytest.raises(hq.InputError, match="16 bytes"):
        hq.open(private, redact="values", redact_key=tmp_path / "short")
    files = [hq.open(private, redact=level) for level in ("values", "full")]
    with pytest.raises(ValueError, match="different ways"):
        hq.diff(*files)
    with pytest.raises(ValueError, match="different ways"):
        hq.diff(files[0], private, redact="full")
    with pytest.raises(hq.InputError, match="format pprof cannot be redacted"):
        hq.convert(CORPUS / "pprof" / "go-heap.pb", tmp_path / "never", redact="values")
    assert not (tmp_path / "never").exists()
