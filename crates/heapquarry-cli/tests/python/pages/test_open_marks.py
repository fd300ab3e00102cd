"""Marks on the page of `heapquarry open`, their file, and what `report --marks` makes of it."""

import json

from browser import HOSTILE, go, start
from conftest import CORPUS, heapquarry

INPUT = CORPUS / "leak" / "1.heapsnapshot.gz"
ROWS = "[...document.querySelectorAll('main tbody tr')].map(r => [r.querySelector('a').hash, r.querySelector('a').textContent, r.querySelector('.note-text').textContent])"
ALERT = "document.querySelector('main [role=status] [role=alert]')"


def note(browser, text):
    browser.wait("document.querySelector('dialog.mark[open]')")
    browser.run(f"(d => {{ d.querySelector('textarea').value = {json.dumps(text)}; d.querySelector('form').requestSubmit(); }})(document.querySelector('dialog.mark'))")


def load(browser, text):
    browser.run(f"""(() => {{
        const input = document.querySelector('main input[type=file]'), files = new DataTransfer();
        files.items.add(new File([{json.dumps(text)}], 'marks.json'));
        input.files = files.files;
        input.dispatchEvent(new Event('change'));
    }})()""")


def saved(browser):
    """What the button saves."""
    browser.run("""(() => { const made = URL.createObjectURL; window.saved = new Promise(done => {
        URL.createObjectURL = blob => { done(blob.text()); URL.createObjectURL = made; return made.call(URL, blob); }; }); })()""")
    browser.run("[...document.querySelectorAll('main button')].find(b => b.textContent === 'Save as a file').click()")
    return browser.run("window.saved")


def test_marks_are_kept_saved_and_loaded(served, browser, tmp_path):
    start(browser, served, "#/marks")
    assert "Nothing is marked yet" in browser.run("document.querySelector('main').textContent")
    go(browser, "#/object/1?tab=dominates")
    title = browser.run("document.title").removesuffix(" - heapquarry")
    browser.press("m")
    note(browser, "the root\nof all")
    go(browser, "#/classes?filter=Session")
    browser.run("document.querySelector('#mark').click()")
    note(browser, "")
    browser.wait("document.querySelector('header a[href=\"#/marks\"]').textContent === 'Marks 2'")
    # Of one view there is one mark.
    browser.run("document.querySelector('#mark').click()")
    note(browser, "grows")
    expected = [["#/object/1?tab=dominates", title, "the root\nof all"], ["#/classes?filter=Session", "Classes", "grows"]]
    go(browser, "#/marks")
    assert browser.run(ROWS) == expected
    # The page is loaded again.
    start(browser, served, "#/marks")
    assert browser.run(ROWS) == expected
    text = saved(browser)
    marks = [dict(zip(("view", "title", "note"), row)) for row in expected]
    assert json.loads(text) == {"heapquarry_marks": 1, "inputs": [str(INPUT)], "marks": marks}
    for _ in expected:
        browser.run("[...document.querySelectorAll('main button')].find(b => b.textContent === 'Remove').click()")
    assert browser.run(ROWS) == []
    load(browser, text)
    browser.wait(f"JSON.stringify({ROWS}) === JSON.stringify({json.dumps(expected)})")
    browser.run("document.querySelector('main tbody a').click()")
    browser.wait("location.hash === '#/object/1?tab=dominates' && document.querySelector('main').dataset.view === location.hash")
    assert browser.log == []
    # In a report of the same input.
    (tmp_path / "marks.json").write_text(text)
    heapquarry("report", INPUT, "-o", tmp_path / "report.html", "--marks", tmp_path / "marks.json")
    browser.open(tmp_path / "report.html")
    cells = "[...document.querySelectorAll('#marks tbody tr')].map(r => [...r.querySelectorAll('td')].map(c => c.textContent))"
    shown = browser.run(cells)
    assert [row[0] for row in shown] == [title, "Classes"] and shown[1][1] == "grows" and shown[0][2] == "#/object/1?tab=dominates"
    assert "other inputs" not in browser.run("document.querySelector('#marks').textContent")
    heapquarry("report", CORPUS / "leak" / "2.heapsnapshot.gz", "-o", tmp_path / "other.html", "--marks", tmp_path / "marks.json")
    browser.open(tmp_path / "other.html")
    assert "other inputs: 1.heapsnapshot.gz" in browser.run("document.querySelector('#marks').textContent")


def test_a_file_of_marks_is_text_and_leads_nowhere_else(served, browser, tmp_path):
    start(browser, served)
    browser.run("sessionStorage.clear()")
    start(browser, served, "#/marks")
    mark = {"view": "#/overview", "title": "a", "note": "b"}
    form = {"heapquarry_marks": 1, "inputs": [str(INPUT)], "marks": [mark]}
    for wrong in (
        "", "{", "[]", "null", json.dumps(form | {"heapquarry_marks": 2}), json.dumps(form | {"marks": mark}),
        *(json.dumps(form | {"marks": [mark | {"view": view}]}) for view in ("javascript:alert(1)", "https://evil.example/", "//evil.example", "#", 7)),
        json.dumps(form | {"marks": [mark | {"note": 7}]}), json.dumps(form | {"marks": [mark | {"note": "x" * 10_001}]}), json.dumps(form | {"marks": [mark] * 1001}),
    ):  # fmt: skip
        go(browser, "#/overview")
        go(browser, "#/marks")
        load(browser, wrong)
        browser.wait(ALERT)
        assert browser.run(ROWS) == [], wrong
    hostile = [{"view": f"#/object/{at}", "title": text, "note": text} for at, text in enumerate(HOSTILE)]
    text = json.dumps(form | {"marks": hostile, "inputs": ["/else/2.heapsnapshot"]})
    load(browser, text)
    browser.wait("document.querySelector('main tbody tr')")
    assert [row[1:] for row in browser.run(ROWS)] == [[text, text] for text in HOSTILE]
    assert "other inputs: /else/2.heapsnapshot" in browser.run("document.querySelector('main').textContent")
    assert browser.run("[document.title.includes('hit'), document.querySelectorAll('main img, main iframe').length]") == [False, 0]
    assert browser.log == []
    (tmp_path / "marks.json").write_text(text)
    heapquarry("report", INPUT, "-o", tmp_path / "report.html", "--marks", tmp_path / "marks.json")
    browser.open(tmp_path / "report.html")
    assert browser.run("[document.title.includes('hit'), document.querySelectorAll('#marks img, #marks iframe').length, document.querySelectorAll('#marks tbody tr').length]") == [
        False, 0, len(HOSTILE)]  # fmt: skip
    assert browser.log == []


def test_a_wrong_file_of_marks_is_said_before_the_work(tmp_path):
    wrong = tmp_path / "wrong.json"
    for text, expected in (("{}", "no file of marks"), ("x", "no file of marks"), (json.dumps({"heapquarry_marks": 9, "inputs": [], "marks": []}), "another version")):
        wrong.write_text(text)
        done = heapquarry("report", INPUT, "-o", tmp_path / "report.html", "--marks", wrong, expect=2)
        assert expected in done.stderr and not (tmp_path / "report.html").exists()
    heapquarry("report", INPUT, "-o", tmp_path / "report.html", "--marks", tmp_path / "nosuch.json", expect=2)


def test_marks_fit_a_small_screen(served, browser):
    start(browser, served, "#/overview", width=400, height=800)
    browser.press("m")
    note(browser, "a long note " * 40)
    browser.press("M")
    browser.wait("document.querySelector('main').dataset.view === '#/marks'")
    assert browser.run("document.documentElement.scrollWidth") <= 400
    assert browser.log == []
