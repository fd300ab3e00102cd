"""The page of a watch: `report` and `open`, against the recorded watches and what `query` reads of them."""

import base64
import json
import re
from array import array

import pytest
from browser import ask, start
from conftest import CORPUS, ROOT, heapquarry, read_rows

RECORDED = CORPUS / "process"
TYPES = {"u8": "B", "u16": "H", "u32": "I", "f64": "d", "i64": "q"}


def recorded(name):
    """The document of the corpus that is a watch of a program."""
    [row] = [row for row in read_rows(RECORDED, "source") if row["name"] == name]
    return row["file_id"]


INPUT = f"{RECORDED}#{recorded('node24/native-leak-env-0')}"


def column(text):
    kind, _, data = text.partition(":")
    return [int(value) for value in array(TYPES[kind], base64.b64decode(data))]


def curves(chart):
    return {curve["name"]: (column(curve["at"]), column(curve["value"])) for curve in chart["curves"]}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("watch") / "page.html"
    heapquarry("report", INPUT, "-o", path)
    return path


def drawings(page):
    [data] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page.read_text(), re.DOTALL)
    return json.loads(data)


def samples():
    of = recorded("node24/native-leak-env-0")
    return [row for row in read_rows(RECORDED, "process_sample") if row["file_id"] == of]


def test_curves_are_the_samples(page):
    [lines, uses, maps, *_] = drawings(page)
    rows = samples()
    for name, figure in (("RSS", "rss"), ("used heap, garbage included", "heap_used"), ("array buffers", "array_buffers")):
        at, value = curves(lines)[name]
        assert (at, value) == ([row["elapsed_us"] * 1000 for row in rows], [row[figure] for row in rows]), name
    rss = {row["elapsed_us"] * 1000: row["rss"] for row in rows}
    for chart, name in ((uses, "uses"), (maps, "maps")):
        parts = curves(chart).values()
        [times] = {tuple(at) for at, _ in parts}
        for at, *values in zip(times, *(value for _, value in parts)):
            # The parts are all of it. Maps are read a moment after RSS.
            assert abs(sum(values) - rss[at]) <= (0 if name == "uses" else 0.03 * rss[at]), (name, at)


def test_the_page_says_what_grows_and_what_to_do(page, browser):
    text = page.read_text()
    assert "Native memory grows, which no object owns" in text and "Look for what is never closed" in text
    browser.open(page)
    titles = browser.run("[...document.querySelectorAll('section h2')].map(found => found.textContent)")
    assert titles[:3] == ["Memory over time", "Resident memory by its use", "Resident memory by kind of map"]
    # Each chart tells its values to the keyboard, and hides a curve.
    told = """(section => {
        const canvas = section.querySelector('canvas');
        canvas.dispatchEvent(new KeyboardEvent('keydown', { key: 'End', bubbles: true }));
        return document.querySelector('[aria-live]').textContent;
    })(document.querySelector('#curves'))"""
    last = samples()[-1]
    assert f"RSS {last['rss'] / 1e6:.1f} MB" in browser.run(told)
    browser.run("document.querySelector('#curves .legend button').click()")
    assert "RSS" not in browser.run(told)
    assert browser.log == [] and browser.run("[document.scripts.length, document.images.length]") == [2, 0]


@pytest.mark.parametrize("dark", [False, True])
def test_it_is_drawn(page, browser, dark):
    browser.open(page, dark=dark)
    colours = """[...document.querySelectorAll('canvas')].map(canvas => {
        const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        return new Set(new Uint32Array(pixels.buffer)).size;
    })"""
    assert all(count > 10 for count in browser.run(colours))


def test_open_shows_it_too(served, browser):
    start(browser, served)
    assert browser.run("document.querySelector('#verdict [data-fact=verdict]').dataset.v") == "native"
    answer = ask(served, "overview")
    assert answer["kind"] == "watch" and answer["verdict"]["cause"] == "native"
    assert answer == json.loads(heapquarry("summary", INPUT, "--json").stdout)
    assert len(ask(served, "curves")["charts"]) == browser.run("document.querySelectorAll('canvas').length")
    assert browser.run("document.querySelector('#search').hidden")
    assert browser.log == []


ROW = re.compile(r"^\| `(\w+)` \| `([^`]+)` \| `(\d+)` \| (.+) \|$", re.MULTILINE)


def test_the_documentation_has_the_verdicts_that_are_told():
    rows = ROW.findall((ROOT / "docs" / "process.md").read_text())
    names = {row["file_id"]: row["name"] for row in read_rows(RECORDED, "source")}
    for cause, program, document, text in rows:
        verdict = json.loads(heapquarry("summary", f"{RECORDED}#{document}", "--json").stdout)["verdict"]
        assert (verdict["cause"], verdict["text"]) == (cause, text)
        assert names[int(document)] == f"node24/{program.replace('.js', '').replace(' ', '-')}-0"
    # Each cause that a recording can have is there.
    causes = {cause for cause, *_ in rows}
    assert causes == {"heap", "buffers", "wasm", "other_isolates", "native", "fragmentation", "page_cache", "not_given_back", "bounded"}


def test_one_watch_is_drawn_at_a_time(tmp_path):
    said = heapquarry("report", INPUT, INPUT, "-o", tmp_path / "page.html", expect=2).stderr
    assert "several watches are not drawn together" in said
    said = heapquarry("report", RECORDED, "-o", tmp_path / "page.html", expect=2).stderr
    assert "several documents" in said
