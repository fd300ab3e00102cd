"""The page of `heapquarry open` of several profiles, against what `diff` tells of them; and inputs that do not go together."""

import json

import pytest
from browser import ask, facts, go, start
from conftest import CORPUS, heapquarry, serving

INPUT = [CORPUS / "profiles" / name for name in ("nested.cpuprofile", "recursive.cpuprofile")]
CELLS = "[...document.querySelectorAll('.list .rows .row')].map(row => [...row.querySelectorAll('.cell')].map(cell => cell.textContent))"
SHOWN = "document.querySelector('main').dataset.view === location.hash && document.querySelector('.list .rows .row a')"


@pytest.fixture(scope="module")
def diff():
    return json.loads(heapquarry("diff", *INPUT, "--json").stdout)


def signed(value):
    return value.startswith("+") or value.startswith("-") or value.startswith("\u2212")


def test_changes_are_those_that_diff_tells(served, browser, diff):
    rows = sorted(diff["functions"]["rows"], key=lambda row: -row["self_value_delta"])
    assert len(rows) > 3
    start(browser, served)
    screens = browser.run("[...document.querySelectorAll('#screens a')].map(a => a.textContent)")
    assert screens[-2:] == ["Changes", "SQL"]
    # The other views are of the last profile.
    summary = json.loads(heapquarry("summary", INPUT[-1], "--json").stdout)
    assert facts(browser)["function_count"] == f"{summary['totals']['function_count']:,}"
    answer = ask(served, "changes", top=1000)
    assert answer["functions"]["rows"] == rows
    assert answer["profiles"] == diff["profiles"] and answer["caveats"] == diff["caveats"] and answer["inputs"] == diff["inputs"]
    go(browser, "#/changes")
    browser.wait(SHOWN)
    shown = browser.run(CELLS)
    assert [cells[0] for cells in shown] == [row["function_name"] for row in rows[: len(shown)]] and shown
    exact = "[...document.querySelectorAll('.list .rows .row')].map(row => [...row.querySelectorAll('.number [title]')].map(e => parseInt(e.title.replaceAll(',', ''))))"
    members = ("base_self_value", "self_value", "self_value_delta", "total_value", "total_value_delta")
    assert browser.run(exact) == [[row[member] for member in members] for row in rows[: len(shown)]]
    assert browser.run("document.querySelectorAll('#profiles tbody tr').length") == len(diff["profiles"])
    # Sorted by a heading, and by a filter.
    go(browser, "#/changes?sort=before")
    browser.wait(SHOWN)
    assert browser.run(CELLS)[0][0] == max(rows, key=lambda row: row["base_self_value"])["function_name"]
    name = rows[0]["function_name"]
    go(browser, f"#/changes?filter={name}")
    browser.wait(SHOWN)
    assert name in [cells[0] for cells in browser.run(CELLS)]
    browser.run("document.querySelector('.list .rows .row a').click()")
    browser.wait("location.hash.startsWith('#/functions?filter=')")
    assert browser.log == []


def test_one_profile_has_no_changes(browser):
    with serving(INPUT[0]) as served:
        start(browser, served)
        assert "Changes" not in browser.run("document.querySelector('#screens').textContent")
        browser.run("location.hash = '#/changes'")
        browser.wait("document.querySelector('main .note')")
        assert "no such view" in browser.run("document.querySelector('main .note').textContent")


@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_small_screen(served, browser, dark):
    start(browser, served, "#/changes", width=400, height=800, dark=dark)
    browser.wait(SHOWN)
    assert browser.run("document.documentElement.scrollWidth") <= 400
    assert browser.log == []


def test_inputs_that_do_not_go_together_are_refused(tmp_path):
    heap, trace = tmp_path / "cut.heapsnapshot", tmp_path / "a.trace.json"
    # Its start says what it is. That it cannot be read would be said later.
    heap.write_text('{"snapshot":{"meta":{"node_fields":["type"]')
    trace.write_text('{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]}')
    for inputs, expected in (
        ((heap, INPUT[0]), "nested.cpuprofile"), ((INPUT[0], heap), "cut.heapsnapshot"), ((INPUT[0], heap, INPUT[1]), "cut.heapsnapshot"),
        ((trace, INPUT[0]), "several traces"), ((trace, trace), "several traces"),
    ):  # fmt: skip
        done = heapquarry("open", *inputs, "--no-browser", expect=2)
        assert done.stdout == "" and expected in done.stderr, done.stderr
    # What a packed one is, is known once it is unpacked.
    done = heapquarry("open", CORPUS / "chromium.heapsnapshot.gz", INPUT[0], "--no-browser", expect=2)
    assert "chromium.heapsnapshot.gz" in done.stderr
