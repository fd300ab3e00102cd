"""What to look at first of a heap: the page of `open`, a report and the tables say the same."""

import html
import json

import pytest
from browser import ask, facts, go, start
from conftest import CORPUS, convert, heapquarry, read_rows, serving

LEAK = [CORPUS / f"leak/{number}.heapsnapshot.gz" for number in (1, 2, 3)]
VERDICT = "document.querySelector('[data-fact=verdict]')"


@pytest.mark.parametrize("heap", [LEAK[-1], CORPUS / "chromium.heapsnapshot.gz"], ids=lambda path: path.name)
def test_a_heap_has_one_verdict(browser, tmp_path, heap):
    with serving(heap) as served:
        start(browser, served)
        browser.wait(VERDICT)
        answer = ask(served, "holders")
        assert facts(browser)["verdict"] == answer["verdict"]
        links = "[...document.querySelectorAll('#verdict tbody tr')].map(row => row.querySelector('a').hash)"
        assert browser.run(links) == [f"#/object/{row['id']}" for row in answer["points"]["rows"]]
        assert browser.run("document.querySelector('#verdict p a').hash") == f"#/object/{answer['id']}"
        assert browser.log == []
    heapquarry("report", heap, "-o", tmp_path / "page.html")
    assert html.escape(answer["verdict"], quote=False) in (tmp_path / "page.html").read_text()
    rows = read_rows(convert(heap, tmp_path / "tables", "--tables", "js_heap_suspect"), "js_heap_suspect")
    members = {"id": "id", "held_by": "way", "retained_size": "retained_size", "own_size": "own_size", "class_name": "class_name"}
    assert [[row[name] for name in members] for row in rows] == [[row[name] for name in members.values()] for row in answer["points"]["rows"]]


def test_of_a_series_what_grows_comes_first(browser, tmp_path):
    with serving(*LEAK) as served:
        start(browser, served)
        browser.wait(VERDICT)
        growth = ask(served, "growth")
        assert facts(browser)["growth_verdict"] == growth["verdict"]
        assert growth["findings"]["rows"][0]["text"] in browser.run("document.querySelector('#verdict').textContent")
        # What holds the memory is that of the last one.
        assert facts(browser)["verdict"] == ask(served, "holders")["verdict"]
        assert browser.log == []
    heapquarry("report", *LEAK, "-o", tmp_path / "page.html")
    assert html.escape(growth["verdict"], quote=False) in (tmp_path / "page.html").read_text()
    # Ids in the words of a report lead to its map.
    browser.open(tmp_path / "page.html")
    browser.run("document.querySelector('#findings article dd button').click()")
    assert "Id@" in browser.run("document.querySelector('#map .panel').textContent")
    assert browser.log == []


def test_owners_are_those_of_the_summary(browser):
    with serving(LEAK[-1]) as served:
        start(browser, served)
        for by in ("package", "script", "function"):
            expected = json.loads(heapquarry("summary", LEAK[-1], "--by", by, "--json").stdout)["owners"]["owners"]["rows"]
            go(browser, f"#/owners?by={by}")
            names = browser.run("[...document.querySelectorAll('#owners tbody tr')].map(row => row.querySelector('td').textContent)")
            assert names == [row["owner"]["name"] for row in expected[:64]] and names
            sizes = browser.run("[...document.querySelectorAll('#owners tbody tr')].map(row => parseInt(row.querySelector('.number [title]').title.replaceAll(',', '')))")
            assert sizes == [row["size"] for row in expected[:64]]
        assert browser.log == []


def test_what_is_looked_for_is_what_find_has(browser):
    with serving(LEAK[-1]) as served:
        start(browser, served)
        ids = "[...document.querySelectorAll('#find tbody tr')].map(row => Number(row.querySelector('td a').hash.split('/')[2]))"
        for query, args, of in (
            ("class=Session", ["--class", "Session"], "objects"), ("name=*Store*", ["--name", "*Store*"], "objects"),
            ("text=session&min_size=1kB", ["--text", "session", "--min-size", "1kB"], "objects"),
            ("regex=^user&strings=true", ["--regex", "^user", "--strings"], "strings"),
        ):  # fmt: skip
            expected = json.loads(heapquarry("find", LEAK[-1], *args, "--top", 50, "--json").stdout)
            go(browser, f"#/find?{query}")
            assert facts(browser)["found"].startswith(f"{expected[of]['total']:,} found"), query
            assert browser.run(ids) == [row["id"] for row in expected[of]["rows"]], query
        # The search field looks for a part of a name; what is no size or expression is said.
        browser.run("document.querySelector('#search').value = 'Session'")
        browser.run("document.querySelector('#search').focus()")
        browser.press("Enter")
        browser.wait("location.hash.startsWith('#/find?name=') && document.querySelector('main').dataset.view === location.hash")
        assert browser.run("document.querySelector('#find input[name=name]').value") == "*Session*"
        browser.run("(input => { input.value = 'big'; input.form.requestSubmit(); })(document.querySelector('#find input[name=min_size]'))")
        browser.wait("document.querySelector('#find [role=alert]').textContent.includes('is no size')")
        assert browser.log == []
        browser.run("location.hash = '#/find?regex=('")
        browser.wait("document.querySelector('main .note[role=alert]')")
        assert "regular expression" in browser.run("document.querySelector('main .note[role=alert]').textContent")
