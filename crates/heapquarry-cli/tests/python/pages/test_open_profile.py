"""`heapquarry open` on profiles: the page in a real browser, against what the command prints."""

import json
import random
import urllib.parse

import pytest
from browser import HOSTILE, ask, facts, go, start
from conftest import CORPUS, heapquarry, serving

INPUT = CORPUS / "profiles" / "node26.cpuprofile"
VIEWS = ("#/overview", "#/flame", "#/time", "#/tree", "#/callers", "#/functions", "#/packages", "#/sql")


@pytest.fixture(scope="module")
def summary():
    return json.loads(heapquarry("summary", INPUT, "--json").stdout)


def text_of_micros(value):
    for unit, word in ((1e6, "s"), (1e3, "ms")):
        if value >= unit - unit / 20000:
            return f"{value / unit:.1f} {word}"
    return f"{value} us"


def test_functions_are_those_of_the_command(served, browser, summary):
    rows = ask(served, "functions", top=1000)["functions"]["rows"]
    numbers = {row.pop("function"): row for row in rows}
    assert sorted(map(json.dumps, numbers.values())) == sorted(map(json.dumps, summary["functions"]["rows"]))
    start(browser, served)
    for number in random.Random(44).sample(list(numbers), min(50, len(numbers))):
        row = numbers[number]
        go(browser, f"#/function/{number}")
        found = facts(browser)
        assert found["self_value"] == text_of_micros(row["self_value"]), row
        assert found["total_value"] == text_of_micros(row["total_value"]), row
        assert found["node_count"] == f"{row['node_count']:,}"
        assert browser.run("document.querySelector('main h2').textContent") == row["function_name"]
        # Callers add up to the total.
        if row["self_percent"] is not None:
            callers = ask(served, "function", function=number, top=1000)["callers"]["rows"]
            assert sum(caller["value"] for caller in callers) == row["total_value"], row
    assert browser.log == []
    assert all(url.startswith((served.address, "data:")) for url in browser.events), browser.events


def made(path):
    """A call tree of 120 functions of some scripts, sampled in the order of time."""
    dice, nodes = random.Random(44), [{"id": 1, "callFrame": {"functionName": "(root)", "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1}, "children": []}]
    for id in range(2, 400):
        number = dice.randrange(120)
        frame = {"functionName": f"f{number}", "scriptId": str(number % 7), "url": f"file:///src/{number % 7}.js", "lineNumber": number, "columnNumber": 1}
        nodes.append({"id": id, "callFrame": frame, "children": []})
        nodes[dice.randrange(max(0, id - 40), id - 1)]["children"].append(id)
    samples = [dice.randrange(1, 400) for _ in range(3000)]
    deltas = [dice.randrange(50, 2000) for _ in samples]
    path.write_text(json.dumps({"nodes": nodes, "startTime": 0, "endTime": sum(deltas), "samples": samples, "timeDeltas": deltas}))
    return path


def test_fifty_functions_are_those_of_the_command(browser, tmp_path):
    profile = made(tmp_path / "made.cpuprofile")
    rows = {(row["function_name"], row["line"]): row for row in json.loads(heapquarry("summary", profile, "--json").stdout)["functions"]["rows"]}
    with serving(profile) as served:
        start(browser, served)
        shown = ask(served, "functions", top=1000)["functions"]["rows"]
        assert len(shown) == len(rows) >= 50
        for one in random.Random(44).sample(shown, 50):
            row = rows[one["function_name"], one["line"]]
            go(browser, f"#/function/{one['function']}")
            found = facts(browser)
            assert [found[name] for name in ("self_value", "total_value")] == [text_of_micros(row[name]) for name in ("self_value", "total_value")], row
            assert found["node_count"] == f"{row['node_count']:,}"
            assert browser.run("document.querySelector('main h2').textContent") == row["function_name"]
        assert browser.log == []


def test_the_overview_is_the_summary(served, browser, summary):
    start(browser, served)
    found = facts(browser)
    assert found["value"] == text_of_micros(summary["totals"]["value"])
    assert found["function_count"] == f"{summary['totals']['function_count']:,}"
    names = browser.run("[...document.querySelectorAll('#functions tbody tr')].map(r => r.querySelector('td').textContent)")
    assert names == [row["function_name"] for row in summary["functions"]["rows"][: len(names)]] and names
    assert browser.run("document.querySelectorAll('#screens a').length") == len(VIEWS)
    go(browser, "#/functions?sort=total")
    browser.wait("document.querySelector('.list .rows .row a')")
    first = browser.run("document.querySelector('.list .rows .row a').textContent")
    assert first == summary["functions_by_total"]["rows"][0]["function_name"]


def test_the_flame_graph_is_widened_and_left(served, browser):
    start(browser, served, "#/flame")
    whole = browser.run("Number(document.querySelector('[data-fact=whole]').dataset.v)")
    assert whole == ask(served, "calls")["call"]["total_value"]
    browser.run("document.querySelector('.chart').focus()")
    for key in ("ArrowRight", "ArrowDown", "ArrowDown"):
        browser.press(key)
    chosen = browser.run("document.querySelector('.panel h3').textContent")
    browser.press("Enter")
    browser.wait("location.hash.startsWith('#/flame/') && document.querySelector('main').dataset.view === location.hash")
    assert browser.run("document.querySelector('.crumbs [aria-current]').textContent").startswith(chosen)
    call = browser.run("Number(location.hash.split('/')[2])")
    assert browser.run("Number(document.querySelector('[data-fact=whole]').dataset.v)") == ask(served, "calls", call=call)["call"]["total_value"]
    browser.run("document.querySelector('.chart').focus()")
    browser.press("Escape")
    browser.wait("document.querySelector('main').dataset.view === location.hash && document.querySelectorAll('.crumbs li').length < 3")
    assert browser.log == []


def test_a_part_of_the_time_is_in_all_views(served, browser, summary):
    start(browser, served, "#/time")
    browser.run("document.querySelector('.chart').focus()")
    for _ in range(3):
        browser.press("+")
    assert " to " in browser.run("document.querySelector('[data-range]').textContent")
    browser.run("[...document.querySelectorAll('button')].find(b => b.textContent === 'Only this time').click()")
    browser.wait("location.hash.startsWith('#/flame?') && document.querySelector('main').dataset.view === location.hash")
    parameters = urllib.parse.parse_qs(browser.run("location.hash.split('?')[1]"))
    begin, end = int(parameters["from"][0]), int(parameters["to"][0])
    expected = ask(served, "calls", **{"from": begin, "to": end})["call"]["total_value"]
    assert 0 < expected < summary["totals"]["value"]
    assert browser.run("Number(document.querySelector('[data-fact=whole]').dataset.v)") == expected
    # The part stays on the way to other views, until all is asked for.
    browser.run("[...document.querySelectorAll('#screens a')].find(a => a.textContent === 'Functions').click()")
    browser.wait("location.hash.startsWith('#/functions?') && document.querySelector('main').dataset.view === location.hash")
    browser.run("document.querySelector('.part-of a').click()")
    browser.wait("location.hash === '#/functions' && document.querySelector('main').dataset.view === location.hash")
    assert browser.log == []


def test_trees_open_step_by_step(served, browser):
    shown = "[...document.querySelectorAll('.tree .row[data-id]')].map(r => [r.querySelector('a').textContent, Number(r.getAttribute('aria-level'))])"
    for view, question, member in (("#/tree", "calls", "calls"), ("#/callers", "callers", "callers")):
        start(browser, served, view)
        expected = [row["function_name"] for row in ask(served, question, top=50)[member]["rows"]]
        assert [name for name, _ in browser.run(shown)] == expected
        browser.run("document.querySelector('.tree .row[aria-expanded=false]').focus()")
        browser.press("ArrowRight")
        browser.wait("document.querySelector('.tree .row[aria-level=\"2\"]')")
        browser.press("ArrowLeft")
        browser.wait("!document.querySelector('.tree .row[aria-level=\"2\"]')")
    assert browser.log == []


@pytest.mark.parametrize("dark", [False, True])
def test_every_view_fits_a_small_screen(served, browser, dark):
    start(browser, served, width=400, height=800, dark=dark)
    for view in (*VIEWS, "#/function/1"):
        go(browser, view)
        assert browser.run("document.documentElement.scrollWidth") <= 400, view
    assert browser.log == []


def test_a_profile_without_samples_has_no_order_of_time(browser):
    with serving(CORPUS / "profiles" / "node26.heapprofile") as served:
        start(browser, served, "#/time")
        assert "no samples" in browser.run("document.querySelector('main').textContent")
        for view in VIEWS:
            go(browser, view)
    assert browser.log == []


def test_text_of_the_profile_stays_text(browser, tmp_path):
    nodes = [{"id": 1, "callFrame": {"functionName": "(root)", "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1}}]
    for at, name in enumerate(HOSTILE):
        frame = {"functionName": name, "scriptId": str(at), "url": f"file:///node_modules/{name}/{name}", "lineNumber": 1, "columnNumber": 1}
        nodes.append({"id": at + 2, "callFrame": frame})
    nodes[0]["children"] = [node["id"] for node in nodes[1:]]
    samples = [node["id"] for node in nodes[1:]]
    profile = tmp_path / "hostile<b>.cpuprofile"
    profile.write_text(json.dumps({"nodes": nodes, "startTime": 0, "endTime": 1000, "samples": samples, "timeDeltas": [10] * len(samples)}))
    with serving(profile) as served:
        start(browser, served)
        for view in (*VIEWS, *(f"#/function/{at}" for at in range(1, len(HOSTILE) + 1))):
            go(browser, view)
        start(browser, served, "#/flame")
        browser.run("document.querySelector('.chart').focus()")
        for _ in HOSTILE:
            browser.press("ArrowRight")
        assert browser.run("[document.title.includes('hit'), document.querySelectorAll('img, iframe, b > b, svg [onload]').length]") == [False, 0]
        assert browser.log == []
        assert all(url.startswith((served.address, "data:")) for url in browser.events), browser.events
