"""Answers: what the command prints, as objects."""

import json

import pytest
from conftest import CORPUS, SNAPSHOT, command

import heapquarry as hq

PROFILE = CORPUS / "profiles/current.cpuprofile"


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
        "diff": (hq.diff(SNAPSHOT, other), ["diff", SNAPSHOT, other]),
        "file-diff": (file.diff(other), ["diff", SNAPSHOT, other]),
        "leaks": (hq.leaks(file, other, SNAPSHOT), ["leaks", SNAPSHOT, other, SNAPSHOT]),
    }


@pytest.fixture(scope="module")
def answers():
    return ask()


@pytest.mark.parametrize(
    "name",
    ["summary", "of-profile", "why-class", "why-id", "why-at", "show", "diff", "file-diff", "leaks"],
)
def test_an_answer_is_what_the_command_prints(name, answers):
    report, args = answers[name]
    assert report.json() == printed(*args, "--json")
    assert report.text() == printed(*args)
    assert report.markdown() == printed(*args, "--format", "markdown")
    assert dict(report) == json.loads(report.json()) and report.passed
    assert len(report) == len(list(report)) and (report.get("caveats", report.get("notes")) == [] or report.notes)
    assert f"heapquarry {args[0]}" in repr(report) and str(report) == report.text()


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
    budget.write_text("[total]\ncount = 10000000\n")
    assert hq.check(SNAPSHOT, budget).passed and hq.open(SNAPSHOT).check(budget).passed
    with pytest.raises(ValueError, match="budget.toml"):
        budget.write_text("[total]\nnods = 1\n")
        hq.check(SNAPSHOT, budget)


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
