"""Answers: what the command prints, as objects."""

import copy
import json
import os
import pathlib
import pickle
import subprocess
import sys

import pandas as pd
import pytest
from conftest import CORPUS, ROOT, SNAPSHOT, command

import heapquarry as hq

PROFILE = CORPUS / "profiles/current.cpuprofile"
TRACES = [CORPUS / f"traces/node{version}.trace.json.gz" for version in (18, 26, 26)]


def printed(*args):
    done = command(*args)
    assert done.returncode == 0, done.stderr
    return done.stdout


def ask():
    file = hq.open(SNAPSHOT)
    other = CORPUS / "node26.heapsnapshot.gz"
    return {
        "summary": (file.summary(top=5), ["summary", SNAPSHOT, "--top", 5]),
        "of-profile": (hq.summary(PROFILE), ["summary", PROFILE]),
        "why-class": (file.why("Object", top=2), ["why", SNAPSHOT, "--class", "Object", "--top", 2]),
        "why-id": (file.why(3, shortest=True), ["why", SNAPSHOT, "--node", 3, "--shortest"]),
        "why-at": (file.why("@3"), ["why", SNAPSHOT, "--node", "@3"]),
        "show": (file.show(1), ["show", SNAPSHOT, "--node", 1]),
        "diff-runs": (
            hq.diff(before=[SNAPSHOT], after=[other, SNAPSHOT], fail_on=["size>+1000%"]),
            ["diff", "--before", SNAPSHOT, "--after", other, SNAPSHOT, "--fail-on", "size>+1000%"],
        ),
        "diff-before": (
            hq.diff(before=TRACES[:1], after=TRACES[1:], noise=0.1),
            ["diff", "--before", TRACES[0], "--after", TRACES[1], TRACES[1], "--noise", "10%"],
        ),
        "find": (file.find("Obj*", top=5), ["find", SNAPSHOT, "--class", "Obj*", "--top", 5]),
        "find-ids": (file.find([1, 3], sort="own"), ["find", SNAPSHOT, "--node", 1, "--node", "@3", "--sort", "own"]),
        "find-strings": (
            hq.find(SNAPSHOT, text="node", strings=True, min_size=100, offset=1),
            ["find", SNAPSHOT, "--text", "node", "--strings", "--min-size", 100, "--offset", 1],
        ),
        "find-new": (
            hq.find(other, name=["a*", "b*"], new_since=file, detached=False, regex="[a-z]"),
            ["find", other, "--name=a*", "--name=b*", "--new-since", SNAPSHOT, "--detached=false", "--regex=[a-z]"],
        ),
        "find-functions": (hq.open(PROFILE).find(name="*a*"), ["find", PROFILE, "--name", "*a*"]),
        "diff": (hq.diff(SNAPSHOT, other), ["diff", SNAPSHOT, other]),
        "file-diff": (file.diff(other), ["diff", SNAPSHOT, other]),
        "leaks": (hq.leaks(file, other, SNAPSHOT), ["leaks", SNAPSHOT, other, SNAPSHOT]),
    }


@pytest.fixture(scope="module")
def answers():
    return ask()


@pytest.mark.parametrize(
    "name",
    [
        "summary",
        "of-profile",
        "why-class",
        "why-id",
        "why-at",
        "show",
        "find",
        "diff-runs",
        "diff-before",
        "find-ids",
        "find-strings",
        "find-new",
        "find-functions",
        "diff",
        "file-diff",
        "leaks",
    ],
)
def test_an_answer_is_what_the_command_prints(name, answers):
    report, args = answers[name]
    assert report.json() == printed(*args, "--json")
    assert report.text() == printed(*args)
    assert report.markdown() == printed(*args, "--format", "markdown")
    assert dict(report) == json.loads(report.json()) and report.passed
    assert len(report) == len(list(report)) and (report["caveats"] == [] or report.notes)
    assert repr(report) == report.text(120).rstrip() and str(report) == report.text()
    for key, value in report.items():
        # A member that has the name of a method is reached by its key.
        assert hasattr(type(report), key) or getattr(report, key) == value


def test_members_are_attributes():
    report = hq.summary(SNAPSHOT, top=3)
    first = report.classes.rows[0]
    assert report.totals.size == report["totals"]["size"] > 0
    assert (first.class_name, first.count) == (first["class_name"], first["count"])
    assert json.loads(json.dumps(report.data)) == report.data and pickle.loads(pickle.dumps(report.data)) == report.data
    frame = pd.DataFrame(report.classes.rows)
    assert list(frame["class_name"]) == [row.class_name for row in report.classes.rows]
    assert "classes" in dir(report) and "count" in dir(first)
    for asked, says in [(lambda: report.clases, "did you mean classes\\?"), (lambda: first.zzz, "it has class_name")]:
        with pytest.raises(AttributeError, match=says):
            asked()
    assert copy.copy(report).totals == report.totals


def test_a_notebook_shows_tables():
    shown = hq.summary(SNAPSHOT)._repr_html_()
    assert "<table" in shown and "<script" not in shown and " style=" not in shown and "<html" not in shown


# Inputs one by one, as a list, as a tuple.
SERIES = [lambda ask, *given: ask(*given), lambda ask, *given: ask([*given]), lambda ask, *given: ask(given)]


@pytest.mark.parametrize("ask", [hq.leaks, hq.diff])
@pytest.mark.parametrize("how", SERIES)
def test_a_series_may_be_a_list(ask, how):
    paths = [CORPUS / f"leak/{number}.heapsnapshot.gz" for number in (1, 2, 3)]
    expected = printed(ask.__name__, *paths, "--json")
    assert how(ask, *paths).json() == expected
    assert how(ask, hq.open(paths[0]), str(paths[1]), paths[2].read_bytes()).data.keys() == json.loads(expected).keys()


def test_a_page_is_drawn(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for made, name in [
        (hq.report(SNAPSHOT), "node22.html"),
        (hq.open(PROFILE).report(title="A <title>"), "current.html"),
        (hq.report([CORPUS / f"leak/{n}.heapsnapshot.gz" for n in (1, 2, 3)], out="leak.html"), "leak.html"),
    ]:
        assert made.resolve() == tmp_path / name and made.read_text().startswith("<!doctype html>")
    assert "A &lt;title&gt;" in (tmp_path / "current.html").read_text()
    # Its own pages are replaced, other files are not, and an input never.
    hq.report(PROFILE, out="leak.html")
    (tmp_path / "mine.html").write_text("mine")
    with pytest.raises(hq.errors.OutputError, match="force=True"):
        hq.report(PROFILE, out="mine.html")
    assert hq.report(PROFILE, out="mine.html", force=True).read_text() != "mine"
    with pytest.raises(ValueError, match="no input"):
        hq.report()


VIEWERS = [
    ("profiles/current.cpuprofile", "collapsed"),
    ("profiles/current.cpuprofile", "speedscope"),
    ("profiles/current.heapprofile", "pprof"),
    ("profiles/current.cpuprofile", "cpuprofile"),
    ("traces/chromium.trace.json.gz", "chrome"),
]


@pytest.mark.parametrize(("name", "to"), VIEWERS)
def test_an_export_is_that_of_the_command(name, to, tmp_path):
    made = hq.export(CORPUS / name, tmp_path / "out", to=to)
    binary = os.environ.get("HEAPQUARRY_BIN", str(ROOT / "target/debug/heapquarry"))
    done = subprocess.run([binary, "export", CORPUS / name, "--to", to], capture_output=True, check=True)
    assert made == tmp_path / "out" and made.read_bytes() == done.stdout
    with pytest.raises(hq.errors.OutputError):
        hq.open(CORPUS / name).export(made, to=to)
    with pytest.raises(ValueError, match="to: expected one of collapsed"):
        hq.export(CORPUS / name, tmp_path / "other", to="perfetto")
    assert not (tmp_path / "other").exists()


def test_a_difference_is_exported(tmp_path):
    before = CORPUS / "profiles/node12.cpuprofile"
    made = hq.export(before, tmp_path / "out", to="collapsed", later=PROFILE)
    assert made.read_text() == printed("export", before, PROFILE, "--to", "collapsed")


def test_info_is_what_the_command_prints():
    info = hq.open(SNAPSHOT).info()
    assert info.inputs == json.loads(printed("info", SNAPSHOT, "--json"))
    assert info["format"] == "heapsnapshot" and str(info).startswith(str(SNAPSHOT))


def test_a_budget_raises(tmp_path):
    budget = tmp_path / "budget.toml"
    budget.write_text("[total]\ncount = 10\n")
    done = command("check", SNAPSHOT, "--budget", budget, "--json")
    with pytest.raises(hq.BudgetExceeded) as caught:
        hq.check(SNAPSHOT, budget)
    report = caught.value.report
    assert done.returncode == 1 and report.json() == done.stdout and not report.passed
    assert str(SNAPSHOT) in str(caught.value) and isinstance(caught.value, hq.Error)
    [check] = report["checks"]
    counted = f"{hq.summary(SNAPSHOT).totals.node_count:,}"
    assert check["outcome"] == "exceeded" and f"total: count is {counted}, the limit is 10" in str(caught.value)
    assert [f"total: count is {counted}, the limit is 10"] == report.exceeded
    budget.write_text("[total]\ncount = 10000000\n")
    assert hq.check(SNAPSHOT, budget).passed and hq.open(SNAPSHOT).check(budget).passed
    with pytest.raises(ValueError, match="budget.toml"):
        budget.write_text("[total]\nnods = 1\n")
        hq.check(SNAPSHOT, budget)


def test_a_first_budget_is_written(tmp_path):
    budget, by_command = tmp_path / "budget.toml", tmp_path / "command.toml"
    assert hq.check([SNAPSHOT, SNAPSHOT], budget, init=True).passed
    command("check", "--init", SNAPSHOT, SNAPSHOT, "--budget", by_command)
    assert budget.read_text() == by_command.read_text() and hq.check(SNAPSHOT, budget).passed
    with pytest.raises(hq.Error, match="budget.toml"):
        hq.check(SNAPSHOT, budget, init=True)
    assert hq.open(SNAPSHOT).check(budget, init=True, force=True).passed
    for wrong in [{"force": True}, {"init": True, "baseline": SNAPSHOT}]:
        with pytest.raises(TypeError):
            hq.check(SNAPSHOT, budget, **wrong)


def test_a_baseline_is_saved(tmp_path):
    saved, by_command = tmp_path / "saved.json", tmp_path / "command.json"
    budget = tmp_path / "budget.toml"
    budget.write_text('[total]\ncount = "+1%"\n')
    report = hq.check(SNAPSHOT, save_baseline=saved)
    command("check", SNAPSHOT, "--save-baseline", by_command)
    assert saved.read_bytes() == by_command.read_bytes() and report.passed
    assert hq.check(SNAPSHOT, budget, saved).passed and hq.check([SNAPSHOT, SNAPSHOT], budget, saved, runs=True).passed
    for wrong in [
        lambda: hq.check(SNAPSHOT),
        lambda: hq.check(TRACES, budget, each=True, runs=True),
        lambda: hq.check(TRACES, budget, each=True, save_baseline=saved),
        lambda: hq.diff(SNAPSHOT, before=TRACES, after=TRACES),
        lambda: hq.diff(before=TRACES),
    ]:
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(hq.InputError, match="no runs of one program"):
        hq.check([SNAPSHOT, SNAPSHOT], budget)


def test_questions_that_are_none():
    for how, kind in [({"regex": "("}, hq.Error), ({"sort": "name"}, ValueError), ({"top": -1}, ValueError)]:
        with pytest.raises(kind):
            hq.find(SNAPSHOT, **how)


def test_limits_of_a_comparison():
    report = hq.diff(SNAPSHOT, CORPUS / "node26.heapsnapshot.gz", fail_on=["count>+1%"])
    assert report["checks"] and report.passed == report["passed"]
    with pytest.raises(hq.errors.LimitError):
        hq.diff(SNAPSHOT, SNAPSHOT, fail_on=["nods>1"])


def test_html_shows_strings_and_obeys_none(tmp_path):
    # A name from an input, the name of a file, and what a file object says of itself.
    text = (CORPUS / "handmade/bun.heapsnapshot").read_text()
    evil = "<script>alert(1)</script>"
    path = tmp_path / "<b>x&y.heapsnapshot"
    names = [row["class_name"] for row in hq.summary(text.encode())["classes"]["rows"]]
    name = next(name for name in names if json.dumps(name) in text)
    path.write_text(text.replace(json.dumps(name), json.dumps(evil)))
    file = hq.open(path)
    shown = [file, file["js_heap_nodes"], file.summary(), file.info()]
    for each in shown:
        page = each._repr_html_()
        assert "<script" not in page and "<b>x" not in page and "x&amp;y" in page, page
    assert "&lt;script" in file.summary()._repr_html_()


def test_source_maps_name_functions(tmp_path, monkeypatch):
    """By the option of `open` and of functions, or by the variable."""
    nodes = [
        {"id": 1, "callFrame": {"functionName": "(root)", "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1}},
        {"id": 2, "callFrame": {"functionName": "I", "scriptId": "9", "url": "/srv/app.js", "lineNumber": 0, "columnNumber": 20}},
    ]
    nodes[0]["children"] = [2]
    profile = tmp_path / "app.cpuprofile"
    text = {"nodes": nodes, "startTime": 0, "endTime": 9, "samples": [2, 2], "timeDeltas": [3, 6]}
    profile.write_text(json.dumps(text))
    source = "export const increment = (by) => by;\n"
    names = {"version": 3, "sources": ["a.ts"], "sourcesContent": [source], "names": [], "mappings": "oBAAyB"}
    maps = tmp_path / "maps"
    maps.mkdir()
    (maps / "app.js.map").write_text(json.dumps(names))

    def named(report):
        rows = report["functions"]["rows"]
        return [row["original"]["name"] for row in rows if "original" in row]

    opened = hq.open(profile, source_map=maps)
    assert named(opened.summary()) == ["increment"]
    assert named(opened.find(name="increment")) == ["increment"]
    assert named(hq.summary(profile, source_map=[maps / "app.js.map"])) == ["increment"]
    assert named(hq.summary(profile)) == []
    written = hq.export(profile, tmp_path / "app.folded", to="collapsed", source_map=str(maps))
    assert "increment" in written.read_text()
    with pytest.raises(hq.Error):
        hq.summary(profile, source_map=tmp_path / "none")
    monkeypatch.setenv("HEAPQUARRY_SOURCE_MAPS", str(maps))
    assert named(hq.summary(profile)) == ["increment"]


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
def test_options_may_name_files_that_are_no_utf8(tmp_path):
    place = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    os.mkdir(place)
    budget, baseline, tables = (os.path.join(place, name) for name in ("budget.toml", "baseline", "tables"))
    assert hq.check(SNAPSHOT, budget, init=True).passed
    assert hq.check(SNAPSHOT, pathlib.Path(budget), save_baseline=os.fsencode(baseline)).passed
    hq.diff(SNAPSHOT, SNAPSHOT, output=tables)
    assert sorted(os.listdir(place)) == ["baseline", "budget.toml", "tables"]
