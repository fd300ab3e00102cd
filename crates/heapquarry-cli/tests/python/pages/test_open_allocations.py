"""`heapquarry open` of a timeline: who allocated what."""

from browser import ask, go, start
from conftest import CORPUS

INPUT = CORPUS / "node12-insession.heaptimeline.gz"
TEXTS = "[...document.querySelectorAll({!r})].map(e => e.textContent)"


def test_views_of_allocations(served, browser):
    start(browser, served)
    screens = browser.run(TEXTS.format("#screens a"))
    assert screens[6:11] == ["Allocations", "Call tree", "Bottom-up", "Functions", "Packages"], screens
    functions = ask(served, "functions", sort="total", top=5)
    assert functions["unit"] == "bytes"
    go(browser, "#/functions?sort=total")
    browser.wait("document.querySelector('.list .rows .row a')")
    names = browser.run(TEXTS.format(".list .rows .row .name a"))
    assert names[:5] == [row["function_name"] for row in functions["functions"]["rows"]]
    for view in ("#/flame", "#/tree", "#/callers", "#/packages", f"#/function/{functions['functions']['rows'][0]['function']}"):
        go(browser, view)
    assert browser.log == []


def test_an_object_says_where_it_was_allocated(served, browser):
    start(browser, served)
    rows = ask(served, "classes", sort="count", top=50)["classes"]["rows"]
    found = {True: None, False: None}
    for row in rows:
        for object in ask(served, "objects", **{"class": row["class_key"], "sort": "id", "ascending": "false", "top": 5})["objects"]["rows"]:
            stack = ask(served, "allocated", node=object["id"])["stack"]
            found[stack["total"] > 0] = found[stack["total"] > 0] or (object["id"], stack)
    for has_stack, (node, stack) in found.items():
        go(browser, f"#/object/{node}?tab=allocated")
        assert browser.run(TEXTS.format("main table td:first-child")) == [row["function_name"] for row in stack["rows"]]
        assert ("does not say" in browser.run("document.querySelector('main').textContent")) != has_stack
    assert browser.log == []
