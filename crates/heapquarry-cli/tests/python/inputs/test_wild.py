"""The comparison of foreign files with the naive readers: what it says of files that are known."""

import shutil

import pytest
import wild
from conftest import CORPUS, convert


@pytest.mark.parametrize(
    "name, format",
    [
        ("handmade/v8-timeline.heaptimeline", "heaptimeline"), ("handmade/empty.heapsnapshot", "heapsnapshot"),
        ("jsc/version2.json", "jscsnapshot"), ("profiles/node26.cpuprofile", "cpuprofile"),
        ("profiles/node26.heapprofile", "heapprofile"), ("profiles/array.selfprofile.json", "selfprofile"),
        ("pprof/go-heap.pb", "pprof"), ("traces/tsc.trace.json.gz", "trace"), ("ftrace/script.ftrace", "ftrace"),
    ],
)  # fmt: skip
def test_what_is_right_is_the_same(name, format):
    outcome = wild.examine(CORPUS / name)
    assert (outcome.verdict, outcome.format, outcome.detail) == ("same", format, "")
    assert outcome.rows > 0


@pytest.mark.parametrize(
    "asked, read",
    [
        ("handmade/v8-timeline.heaptimeline", "handmade/v8-2012-five-fields.heapsnapshot"),
        ("profiles/node26.cpuprofile", "profiles/node18.cpuprofile"),
        ("profiles/node26.heapprofile", "profiles/node12.heapprofile"),
        ("pprof/go-heap.pb", "pprof/counts.pb"),
        ("traces/node26.trace.json.gz", "traces/node18.trace.json.gz"),
    ],
)
def test_tables_of_another_file_differ(asked, read):
    """As if the command had read something else than what is there."""
    outcome = wild.examine(CORPUS / asked, lambda path, out: convert(CORPUS / read, out))
    assert outcome.verdict == "differs" and outcome.detail


def test_what_cannot_be_compared_is_said(tmp_path):
    (tmp_path / "a.txt").write_text("nothing")
    (tmp_path / "b.json").write_text('{"traceEvents":[{"ph":"i","ts":1},')
    shutil.copy(CORPUS / "profiles/node26.cpuprofile", tmp_path / "c.cpuprofile")
    outcomes = [wild.examine(path) for path in wild.files([tmp_path])]
    assert [one.verdict for one in outcomes] == ["refused", "not compared", "same"]
    assert "unknown format" in outcomes[0].detail and "naive reader" in outcomes[1].detail


def test_the_exit_code_tells_whether_a_file_differs(tmp_path, capsys, monkeypatch):
    profile = str(CORPUS / "profiles/node26.cpuprofile")
    assert wild.main([profile]) == 0
    assert "1 same, 0 differs, 0 refused, 0 not compared" in capsys.readouterr().out
    monkeypatch.setattr(wild, "examine", lambda path: wild.Outcome(path, "differs", detail="js_x.y: 1 rows differ"))
    assert wild.main([profile]) == 1
    assert "js_x.y: 1 rows differ" in capsys.readouterr().out
    assert wild.main([str(tmp_path)]) == 1  # nothing was compared
