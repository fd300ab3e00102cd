"""SQL on the page of `heapquarry open`, against what `heapquarry query` prints; and that it is no way to other files."""

import csv
import io
import json
import os
import signal
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import pytest
from browser import HOSTILE, go, start
from conftest import CORPUS, binary, convert, heapquarry, serving, wait_until
from test_open import heap_of

INPUT = CORPUS / "chromium.heapsnapshot.gz"
TYPES = "SELECT type, count(*) AS objects, sum(self_size) AS bytes, NULL AS nothing FROM js_heap_nodes GROUP BY type ORDER BY bytes DESC, type"
ROWS = "[...document.querySelectorAll('#result .list .rows .row')].map(r => [...r.querySelectorAll('.cell')].map(c => c.textContent))"
SHOWN = "document.querySelector('#result .list .rows .row .cell')?.textContent"
FAILED = "document.querySelector('main [role=alert]')"


def asked(served, sql, **more):
    """The page's question, as the page asks it."""
    origin = served.address.rsplit("/", 2)[0]
    headers = {"Content-Type": "application/json", "Origin": origin}
    request = urllib.request.Request(f"{served.address}api/sql", json.dumps({"sql": sql, **more}).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=300) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        return json.loads(error.read())["error"]


def address(sql, **more):
    return f"#/sql?{urllib.parse.urlencode({'query': sql, **more})}"


def printed(sql, *inputs):
    """What `query` prints: the columns, and the rows with NULL as the page shows it."""
    rows = json.loads(heapquarry("query", *(inputs or [INPUT]), sql, "--format", "json").stdout)
    return [["NULL" if value is None else str(value) for value in row.values()] for row in rows]


def test_a_query_has_the_rows_that_the_command_prints(served, browser):
    expected = printed(TYPES)
    start(browser, served, "#/sql")
    browser.run(f"(f => {{ f.value = {json.dumps(TYPES)}; }})(document.querySelector('textarea.sql'))")
    browser.run("document.querySelector('button.run').click()")
    browser.wait(SHOWN)
    assert browser.run(ROWS) == expected
    assert browser.run("[...document.querySelectorAll('#result .head .cell')].map(c => c.textContent)") == ["type", "objects", "bytes", "nothing"]
    # Numbers are on the right, texts are not.
    numbers = "[...document.querySelectorAll('#result .rows .row')[0].querySelectorAll('.cell')].map(c => c.classList.contains('number'))"
    assert browser.run(numbers) == [False, True, True, False]
    assert browser.run("document.querySelector('#result .count').textContent") == f"{len(expected)} rows"
    # The address is the query; bars are of its last number.
    assert browser.run("new URLSearchParams(location.hash.split('?')[1]).get('query')") == TYPES
    browser.run("[...document.querySelectorAll('#result button')].find(b => b.textContent === 'Bars').click()")
    cells = "[...document.querySelectorAll('#result tbody tr')].map(r => [...r.querySelectorAll('td')].slice(0, 2).map(c => c.textContent))"
    assert browser.run(cells) == [[f"{name}, NULL", size] for name, _, size, _ in expected]
    assert "as=bars" in browser.run("location.hash")
    assert browser.log == []


def test_values_are_exact_and_stay_text(served, browser):
    hostile = ", ".join("('" + text.replace("'", "''") + "')" for text in HOSTILE)
    sql = f"SELECT t, 18446744073709551615 AS n, '' AS empty, NULL AS nothing, [1, NULL] AS list FROM (VALUES {hostile}) AS x(t)"
    start(browser, served, address(sql))
    browser.wait(SHOWN)
    rows = browser.run(ROWS)
    assert [row[1:] for row in rows] == [["18446744073709551615", "", "NULL", "[1, NULL]"]] * len(HOSTILE)
    assert [row[0] for row in rows] == HOSTILE
    go(browser, address(sql, **{"as": "bars"}))
    browser.wait("document.querySelector('#result tbody td')")
    assert browser.run("[document.title.includes('hit'), document.querySelectorAll('main img, main iframe, main svg [onload]').length]") == [False, 0]
    assert browser.log == []


def test_a_result_leads_to_objects_and_is_saved_as_csv(served, browser):
    sql = "SELECT id AS node_id, class_name, retained_size FROM heap_object ORDER BY retained_size DESC, id LIMIT 20"
    expected = printed(sql)
    start(browser, served, address(sql))
    browser.wait(SHOWN)
    shown = browser.run(ROWS)
    assert shown == expected[: len(shown)] and len(shown) > 5
    assert browser.run("document.querySelector('#result .rows a').hash") == f"#/object/{expected[0][0]}"
    # What the button saves.
    browser.run("""(() => { const made = URL.createObjectURL; window.saved = new Promise(done => {
        URL.createObjectURL = blob => { done(blob.text()); return made.call(URL, blob); }; }); })()""")
    browser.run("[...document.querySelectorAll('#result button')].find(b => b.textContent === 'Save CSV').click()")
    text = browser.run("window.saved")
    assert text == heapquarry("query", INPUT, sql, "--format", "csv").stdout
    assert len(list(csv.reader(io.StringIO(text)))) == 21
    assert browser.log == []


def test_more_rows_than_a_page_shows_are_said(served, browser):
    start(browser, served, address("SELECT range AS at FROM range(123456)"))
    browser.wait(SHOWN)
    assert browser.run("document.querySelector('#result .count').textContent") == "10,000 first rows"
    assert "more rows" in browser.run("document.querySelector('#result .note').textContent")
    browser.run("document.querySelector('#result .view').focus()")
    browser.press("End")
    browser.wait("document.querySelector('#row-9999 .cell')")
    assert browser.run("document.querySelector('#row-9999 .cell').textContent") == "9999"
    # CSV has them all, up to a size.
    assert len(asked(served, "SELECT range FROM range(123456)", csv=True).splitlines()) == 123457
    assert "MB" in asked(served, "SELECT repeat('x', 1000) FROM range(80000)", csv=True)
    assert browser.log == []


def test_what_is_wrong_is_said(served, browser):
    start(browser, served)
    for sql, expected in (("SELECT nosuch FROM js_heap_nodes", "nosuch"), ("SELEC 1", "syntax error"), ("SELECT 1; SELECT 2", "a query is one SELECT")):
        browser.run(f"location.hash = {json.dumps(address(sql))}")
        browser.wait(f"{FAILED} && {FAILED}.textContent.includes({json.dumps(expected)})")
        go(browser, "#/overview")
    # No rows are a result, too.
    go(browser, address("SELECT 1 AS a WHERE false"))
    browser.wait("document.querySelector('#result')")
    assert "no rows" in browser.run("document.querySelector('#result').textContent")
    # What the browser itself says of the answers.
    assert all("400 (Bad Request)" in line for line in browser.log), browser.log


def test_a_query_reads_nothing_but_the_tables_and_writes_nothing(served, tmp_path):
    secret, target = tmp_path / "secret.csv", tmp_path / "written"
    secret.write_text("a\nsecret text\n")
    for sql in (
        f"FROM '{secret}'", f"FROM read_csv('{secret}')", f"FROM read_text('{secret}')", f"SELECT * FROM glob('{tmp_path}/*')", "FROM '/etc/passwd'",
        f"COPY (SELECT 1) TO '{target}'", f"ATTACH '{target}'", f"EXPORT DATABASE '{target}'", "INSTALL httpfs", "LOAD httpfs", "CREATE TABLE t AS SELECT 1",
        "SET enable_external_access = true", "PRAGMA database_list", "DROP VIEW js_heap_nodes", "SELECT getenv('HOME')", ".shell ls", f".read {secret}",
        f"SELECT 1') TO '{target}'; --", "SELECT 1)); COPY (SELECT 1) TO 'x'; --", "SELECT 1\n.shell ls", "FROM 'http://127.0.0.1:1/x.csv'", "SELECT 1\0",
    ):  # fmt: skip
        for form in ({}, {"csv": True}):
            found = asked(served, sql, **form)
            assert isinstance(found, str), (sql, found)
            assert "secret text" not in found and "root:" not in found, (sql, found)
    assert not target.exists()
    assert json.loads(asked(served, "SELECT count(*) FROM js_heap_nodes"))["rows"][0][0] == printed("SELECT count(*) FROM js_heap_nodes")[0][0]


@pytest.mark.parametrize("form", ["series", "converted", "profile", "trace", "stdin"])
def test_every_kind_of_input_has_tables(form, tmp_path):
    leak = [CORPUS / f"leak/{number}.heapsnapshot.gz" for number in (1, 2)]
    sql, inputs = {
        "series": ("SELECT source, count(*) FROM js_heap_nodes GROUP BY 1 ORDER BY 1", leak),
        "converted": ("SELECT count(*) FROM js_heap_nodes", [CORPUS / "leak/1.heapsnapshot.gz"]),
        "profile": ("SELECT function_name, sum(self_time_us) FROM js_cpu_profiler_node GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5", [next(CORPUS.glob("**/*.cpuprofile*"))]),
        "trace": ("SELECT count(*), min(ts) FROM slice", [CORPUS / "traces" / "chromium.trace.json.gz"]),
        "stdin": ("SELECT 1", ["-"]),
    }[form]
    if form == "converted":
        inputs = [convert(inputs[0], tmp_path / "tables")]
    if form == "stdin":
        heap = heap_of(["Item"], 3)
        command = [binary(), "open", "-", "--no-browser", "--quiet"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            process.stdin.write(heap)
            process.stdin.close()
            process.address = process.stdout.readline().strip()
            wait_until(lambda: b"ready" in urllib.request.urlopen(f"{process.address}api/status").read(), process)
            assert "cannot be read a second time" in asked(process, sql)
            process.kill()
        return
    with serving(*inputs) as served:
        wait_until(lambda: b"ready" in urllib.request.urlopen(f"{served.address}api/status").read(), served)
        found = json.loads(asked(served, sql))
        assert [["NULL" if value is None else value for value in row] for row in found["rows"]] == printed(sql, *inputs)


def test_a_query_can_be_stopped_and_ends_with_the_server(browser, tmp_path):
    heap = tmp_path / "few.heapsnapshot"
    heap.write_text(heap_of(["Item"], 3))
    slow = "SELECT count(*) FROM range(100000000) a, range(100000000) b"
    with serving(heap) as served:
        # One that is asked, and one that waits for the next question.
        started = lambda: sorted(int(pid) for pid in os.listdir("/proc") if pid.isdigit() and parent(pid) == served.pid)
        two = lambda: (lambda found: found if len(found) == 2 else None)(started())
        start(browser, served, address(slow))
        first, _ = wait_until(two, served)
        # Asked again, it runs again: nobody stopped it.
        browser.run("document.querySelector('button.run').click()")
        wait_until(lambda: first not in (two() or [first]), served)
        assert browser.run(FAILED) is None and "It runs" in browser.run("document.querySelector('[role=status].count').textContent")
        browser.run("[...document.querySelectorAll('button')].find(b => b.textContent === 'Stop').click()")
        browser.wait(f"{FAILED}?.textContent.includes('stopped')")
        wait_until(lambda: len(started()) == 1, served)
        # Another view ends it, too.
        go(browser, "#/overview")
        browser.run(f"location.hash = {json.dumps(address(slow))}")
        wait_until(two, served)
        browser.run("location.hash = '#/overview'")
        wait_until(lambda: len(started()) == 1, served)
        browser.run(f"location.hash = {json.dumps(address(slow))}")
        children = wait_until(two, served)
        served.send_signal(signal.SIGINT)
        assert served.wait(timeout=120) == 130
        wait_until(lambda: not any(map(parent, children)))


def parent(pid):
    """The process that has started one; `None` if it has ended."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            state, above = stat.read().rpartition(")")[2].split()[:2]
    except OSError:
        return None
    return None if state == "Z" else int(above)


def test_without_a_database_it_says_what_to_do(browser, tmp_path):
    heap = tmp_path / "few.heapsnapshot"
    heap.write_text(heap_of(["Item"], 3))
    os.environ["HEAPQUARRY_DUCKDB"], before = str(tmp_path / "nosuch"), os.environ["HEAPQUARRY_DUCKDB"]
    try:
        with serving(heap) as served:
            start(browser, served, address("SELECT 1"))
            browser.wait(FAILED)
            assert "pip install duckdb-cli" in browser.run(f"{FAILED}.textContent")
    finally:
        os.environ["HEAPQUARRY_DUCKDB"] = before
