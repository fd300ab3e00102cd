"""The page of `heapquarry open` of several snapshots, against what `diff` and `leaks` tell of them."""

import json

import pytest
from browser import ask, facts, go, start
from conftest import CORPUS, convert, heapquarry, serving, wait_until

INPUT = [CORPUS / f"leak/{number}.heapsnapshot.gz" for number in (1, 2, 3)]
CELLS = "[...document.querySelectorAll('.list .rows .row')].map(row => [...row.querySelectorAll('.cell')].map(cell => cell.textContent))"

SHOWN = "document.querySelector('main').dataset.view === location.hash && document.querySelector('.list .rows .row a')"


@pytest.fixture(scope="module")
def diff():
    return json.loads(heapquarry("diff", *INPUT, "--json").stdout)


def test_classes_have_the_growth_that_diff_tells(served, browser, diff):
    start(browser, served)
    screens = browser.run("[...document.querySelectorAll('#screens a')].map(a => a.textContent)")
    assert screens == ["Overview", "Classes", "Map", "Containment", "Owners", "Find", "Growth", "SQL"]
    go(browser, "#/classes")
    browser.wait(SHOWN)
    shown = browser.run(CELLS)
    assert len(shown) > 10
    changes = {row["class_key"]: row for row in diff["classes"]["rows"]}
    listed = ask(served, "classes", sort="retained_delta", top=len(shown))["classes"]["rows"]
    assert [cells[0] for cells in shown] == [row["class_name"] for row in listed]
    for cells, row in zip(shown, listed):
        assert cells[1] == " → ".join(f"{count:,}" for count in row["growth"]["counts"])
        if row["class_key"] in changes:
            assert {name: row["growth"][name] for name in changes[row["class_key"]]} == changes[row["class_key"]]
        delta = row["growth"]["count_delta"]
        assert cells[2] == f"{'+' if delta > 0 else ''}{delta:,}"
    sessions = next(row for row in listed if row["class_name"] == "Session")
    assert [cells[1:3] for cells in shown if cells[0] == "Session"] == [["800 → 1,200 → 1,600", "+800"]]
    # Of a class the objects that are new come first here, as they are as large as the others.
    browser.run("[...document.querySelectorAll('.list .rows a')].find(a => a.textContent === 'Session').click()")
    browser.wait(f"location.hash.startsWith('#/class/') && {SHOWN}")
    assert all(cells[5] == "new" and cells[6].startswith("+") for cells in browser.run(CELLS))
    browser.run("document.querySelector('.view').focus()")
    browser.press("End")
    browser.wait(f"document.querySelector('#row-{sessions['count'] - 1} a')")
    assert all(cells[5].endswith(" B") for cells in browser.run(CELLS))
    assert browser.log == []


def test_growth_is_that_of_leaks(served, browser, diff):
    leaks = json.loads(heapquarry("leaks", *INPUT, "--json").stdout)
    answer = ask(served, "growth")
    assert answer["snapshots"] == diff["snapshots"] == leaks["snapshots"]
    assert answer["findings"]["rows"] == leaks["findings"]
    start(browser, served, "#/growth")
    assert browser.run("document.querySelectorAll('#snapshots tbody tr').length") == 3
    assert browser.run("[...document.querySelectorAll('#places article p')].map(p => p.textContent)") == [leak["text"] for leak in leaks["findings"]]
    [leak] = leaks["findings"]
    assert facts(browser)["confidence"] == leak["confidence"] == "high"
    assert browser.run("document.querySelector('#places article a').hash") == f"#/object/{leak['container']['id']}"
    # What is said of an object is said of the last snapshot.
    go(browser, f"#/object/{leak['container']['id']}")
    copied = "document.querySelector('.object .tools').textContent"
    assert "Copy command" in browser.run(copied)
    assert ask(served, "object", node=leak["container"]["id"])["inputs"] == [str(INPUT[2])]
    assert browser.log == []


def test_what_makes_growth_doubtful_is_said(browser):
    with serving(CORPUS / "node18.heapsnapshot.gz", INPUT[0]) as served:
        start(browser, served, "#/growth")
        assert "different processes" in browser.run("document.querySelector('#caveats').textContent")
        go(browser, "#/classes")
        browser.wait(SHOWN)
        assert "different processes" in browser.run("document.querySelector('#caveats').textContent")
        browser.run("document.querySelector('.list .rows a').click()")
        browser.wait(f"location.hash.startsWith('#/class/') && {SHOWN}")
        assert all(cells[5:] == ["unknown", "unknown"] for cells in browser.run(CELLS))


def test_a_directory_of_heaps_is_a_series(tmp_path, diff):
    convert(INPUT[0], tmp_path / "heaps", INPUT[1], INPUT[2])
    with serving(tmp_path / "heaps") as served:
        wait_until(lambda: ask(served, "status")["stage"] == "ready", served)
        answer = ask(served, "growth")
        assert [snapshot["size"] for snapshot in answer["snapshots"]] == [snapshot["size"] for snapshot in diff["snapshots"]]
        assert answer["inputs"] == [f"{tmp_path / 'heaps'}#{number}" for number in range(3)]
    # With other documents in it, one has to be chosen.
    convert(INPUT[0], tmp_path / "mixed", INPUT[1], CORPUS / "profiles/node26.cpuprofile")
    done = heapquarry("open", tmp_path / "mixed", "--no-browser", expect=2)
    assert "select one with INPUT#N" in done.stderr, done.stderr


def test_a_series_has_inputs_of_one_kind():
    profile = CORPUS / "profiles/node26.cpuprofile"
    for inputs in ([profile, INPUT[0]], [INPUT[0], profile]):
        done = heapquarry("open", *inputs, "--no-browser", expect=2)
        assert "heap snapshot or timeline" in done.stderr and f"({inputs[0]})" in done.stderr, done.stderr
