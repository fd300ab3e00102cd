"""`heapquarry open`: the page in a real browser, against what the command prints."""

import gzip
import json
import os
import random
import signal
import subprocess
import threading
import urllib.parse
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from browser import HOSTILE, ask, facts, go, start
from conftest import CORPUS, binary, convert, heapquarry, serving, wait_until

INPUT = CORPUS / "chromium.heapsnapshot.gz"
TABS = ("held_by", "path", "dominates", "dominators", "engine")


@pytest.fixture(scope="module")
def objects():
    """All objects as the command shows them."""
    answer = json.loads(heapquarry("show", INPUT, "--class", "*", "--top", 10**6, "--json").stdout)
    return answer["objects"]["rows"]


def text_of_bytes(value):
    for unit, word in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if value >= unit - unit / 20000:
            return f"{value / unit:.1f} {word} ({value:,})"
    return f"{value} B"


def text_of_distance(value):
    return "unreached" if value == -5 else "system" if value >= 100_000_000 else f"{value:,}"


def test_numbers_are_those_of_the_command(served, browser, objects):
    start(browser, served)
    rows = random.Random(44).sample(objects, 200)
    for row in rows:
        go(browser, f"#/object/{row['id']}")
        found = facts(browser)
        assert found["retained_size"] == text_of_bytes(row["retained_size"]), row
        assert found["shallow_size"] == text_of_bytes(row["shallow_size"]), row
        assert found["distance"] == text_of_distance(row["distance"]), row
    # Of some all that is shown.
    for row in sorted(rows, key=lambda row: -row["retained_size"])[:4]:
        shown = json.loads(heapquarry("show", INPUT, "--node", row["id"], "--top", 50, "--json").stdout)
        why = json.loads(heapquarry("why", INPUT, "--node", row["id"], "--json").stdout)
        go(browser, f"#/object/{row['id']}")
        assert facts(browser)["retainer_count"] == f"{why['objects'][0]['object']['retainer_count']:,}"
        for title, member in (("Fields", "fields"), ("Elements", "elements"), ("Held by, in groups", "retainers")):
            expected = [r.get("id") for r in shown[member]["rows"]]
            links = f"""[...document.querySelectorAll('main h3')].filter(h => h.textContent.startsWith({title!r}))
                .flatMap(h => [...h.parentElement.querySelectorAll('tbody tr')]).map(r => r.querySelector('a')?.hash ?? null)"""
            assert browser.run(links) == [id and f"#/object/{id}" for id in expected], (row, title)
    assert browser.log == []
    assert all(url.startswith((served.address, "data:")) for url in browser.events), browser.events


def test_overview_and_classes_are_those_of_summary(served, browser):
    summary = json.loads(heapquarry("summary", INPUT, "--json").stdout)
    start(browser, served)
    found = facts(browser)
    assert found["size"] == text_of_bytes(summary["totals"]["size"])
    assert found["node_count"] == f"{summary['totals']['node_count']:,}"
    assert found["class_count"] == f"{summary['totals']['class_count']:,}"
    names = "[...document.querySelectorAll('.list .rows .row')].map(r => r.querySelector('.cell').textContent)"
    go(browser, "#/classes")
    browser.wait("document.querySelector('.list .rows .row a')")
    shown = browser.run(names)
    assert len(shown) > 10
    assert shown == [row["class_name"] for row in summary["classes"]["rows"][: len(shown)]]
    assert browser.run("document.querySelector('.list').getAttribute('aria-rowcount')") == str(summary["classes"]["total"] + 1)
    # By the filter, then by a heading.
    browser.run("(i => { i.value = 'html'; i.dispatchEvent(new Event('input')); })(document.querySelector('[data-filter]'))")
    expected = [row["class_name"] for row in summary["classes"]["rows"] if "html" in row["class_name"].lower()]
    browser.wait(f"document.querySelector('.count').textContent === '{len(expected)} classes' && document.querySelector('.list .rows .row a')")
    assert browser.run("location.hash") == "#/classes?filter=html"
    shown = browser.run(names)
    assert shown == expected[: len(shown)] and shown
    browser.run("[...document.querySelectorAll('.list .sort')].find(b => b.textContent === 'Class').click()")
    browser.wait("location.hash.includes('sort=name') && document.querySelector('main').dataset.view === location.hash")
    browser.wait("document.querySelector('.list .rows .row a')")
    assert browser.run(names)[0] == min(expected)
    browser.run("history.back()")
    browser.wait("location.hash === '#/classes?filter=html' && document.querySelector('main').dataset.view === location.hash")
    assert browser.log == []


def test_a_long_list_is_shown_where_it_is_looked_at(served, browser, objects):
    # All objects of the largest class, the largest first, of equal ones the first in the file.
    counts = {}
    for row in objects:
        counts.setdefault(row["class_name"], []).append(row)
    classes = json.loads(heapquarry("summary", INPUT, "--json").stdout)["classes"]["rows"]
    keys = Counter(row["class_name"] for row in classes)
    name = max((name for name in counts if keys[name] == 1), key=lambda name: len(counts[name]))
    rows = counts[name]
    assert len(rows) > 1000
    start(browser, served, f"#/classes?filter={name}")
    browser.wait("document.querySelector('.list .rows .row a')")
    browser.run(f"[...document.querySelectorAll('.list .rows a')].find(a => a.textContent === {name!r}).click()")
    browser.wait("location.hash.startsWith('#/class/') && document.querySelector('main').dataset.view === location.hash")
    browser.wait("document.querySelector('.list .rows .row a')")
    row = "(r => r && [Number(r.dataset.row), r.querySelector('a')?.hash])"
    assert browser.run(f"{row}(document.querySelector('.list .rows .row'))") == [0, f"#/object/{rows[0]['id']}"]
    browser.run("document.querySelector('.view').focus()")
    browser.press("End")
    last = len(rows) - 1
    assert browser.value(f"document.querySelector('#row-{last} a')?.hash") == f"#/object/{rows[last]['id']}"
    # The bar in the middle.
    browser.run("(v => { v.scrollTop = v.scrollHeight / 2; })(document.querySelector('.view'))")
    shown = f"{row}(document.querySelector('.list .rows .row'))"
    [at, hash] = browser.value(f"(r => r?.[0] > 100 && r[1] && r)({shown})")
    assert hash == f"#/object/{rows[at]['id']}"
    browser.wait("location.hash.includes('row=')")
    # The address of a place in the list.
    view = browser.run("location.hash.split('?')[0]")
    go(browser, f"{view}?row=1000")
    browser.wait("document.querySelector('#row-1000 a')")
    assert browser.run("document.querySelector('#row-1000 a').hash") == f"#/object/{rows[1000]['id']}"
    browser.press("Enter")
    browser.wait("location.hash.startsWith('#/object/')")
    assert browser.log == []


def test_trees_open_step_by_step(served, browser, objects):
    row = max((row for row in objects if row["distance"] > 3), key=lambda row: row["retained_size"])
    start(browser, served, f"#/object/{row['id']}")
    browser.press("r")
    browser.wait("location.hash.includes('tab=held_by') && document.querySelector('.tree .row[data-id]')")
    why = json.loads(heapquarry("why", INPUT, "--node", row["id"], "--shortest", "--json").stdout)
    count = why["objects"][0]["object"]["retainer_count"]
    shown = "[...document.querySelectorAll('.tree .row[data-id]')].map(r => [Number(r.dataset.id), Number(r.getAttribute('aria-level'))])"
    first = browser.run(shown)
    assert len(first) == min(count, 50)
    # DevTools' shortest path leads to one of the closest.
    assert first[0][1] == 1
    distance = "document.querySelector('.tree .row[data-id] .number').textContent"
    assert browser.run(distance) == text_of_distance(why["objects"][0]["paths"][0]["steps"][0]["distance"])
    browser.run("document.querySelector('.tree .row[data-id]').focus()")
    browser.press("ArrowRight")
    browser.wait("document.querySelector('.tree .row[aria-level=\"2\"]')")
    assert [level for _, level in browser.run(shown)][:2] == [1, 2]
    browser.press("ArrowLeft")
    browser.wait("!document.querySelector('.tree .row[aria-level=\"2\"]')")
    browser.press("d")
    browser.wait("location.hash.includes('tab=dominates') && document.querySelector('.tree .row[data-id]')")
    dominated = json.loads(heapquarry("show", INPUT, "--node", row["id"], "--top", 50, "--json").stdout)["dominated"]
    assert [id for id, _ in browser.run(shown)] == [r["id"] for r in dominated["rows"]]
    browser.press("p")
    browser.wait("location.hash.includes('tab=path') && document.querySelector('ol.way')")
    browser.press("c")
    browser.wait("!location.hash.includes('tab=')")
    assert browser.log == []


def test_the_map_goes_into_what_is_large(served, browser):
    start(browser, served, "#/map")
    browser.wait("document.querySelector('.panel h3')")
    root = browser.run("document.querySelector('.panel h3').textContent")
    browser.run("document.querySelector('.chart').focus()")
    browser.press("ArrowRight")
    chosen = browser.run("document.querySelector('.panel h3').textContent")
    assert chosen != root
    browser.press("Enter")
    browser.wait("location.hash.startsWith('#/map/') && document.querySelector('main').dataset.view === location.hash")
    assert chosen == browser.run("document.querySelector('.panel h3').textContent")
    browser.run("document.querySelector('.chart').focus()")
    browser.press("Escape")
    browser.wait("document.querySelector('main').dataset.view === location.hash && document.querySelector('.panel h3')")
    assert browser.log == []


@pytest.mark.parametrize("dark", [False, True])
def test_every_view_fits_a_small_screen(served, browser, objects, dark):
    row = max(objects, key=lambda row: row["retained_size"])
    views = ["#/overview", "#/classes", "#/class/,Object", f"#/object/{row['id']}", *(f"#/object/{row['id']}?tab={tab}" for tab in TABS), "#/map", "#/map?view=icicle", "#/sql"]
    start(browser, served, width=400, height=800, dark=dark)
    for view in views:
        go(browser, view)
        assert browser.run("document.documentElement.scrollWidth") <= 400, view
        [paper] = browser.run("[getComputedStyle(document.body).backgroundColor]")
        assert (paper == "rgb(19, 21, 24)") == dark, view
    assert browser.log == []


def test_containment_starts_at_the_root(served, browser):
    rows = "[...document.querySelectorAll('.tree .row[data-id]')].map(r => [Number(r.dataset.id), Number(r.getAttribute('aria-level')), r.querySelector('b').textContent])"
    below = lambda **of: [[row["id"], row["edge"]] for row in ask(served, "contained", top=50, **of)["contained"]["rows"]]
    start(browser, served, "#/containment")
    shown = browser.run(rows)
    assert [[id, edge] for id, _, edge in shown] == below()
    # Of Chromium the root refers to one node alone, which stands for all roots.
    first = shown[0]
    browser.run("document.querySelector('.tree .row[data-id]').focus()")
    browser.press("ArrowRight")
    browser.wait("document.querySelector('.tree .row[aria-level=\"2\"][data-id]')")
    opened = browser.run(rows)
    assert [row for row in opened if row[1] == 1] == shown and opened[0] == first
    assert [[id, edge] for id, level, edge in opened if level == 2] == below(node=first[0])
    browser.press("Enter")
    browser.wait(f"location.hash === '#/object/{first[0]}' && document.querySelector('main').dataset.view === location.hash")
    # From an object, what its view has and what the engine refers to.
    shown = ask(served, "object", node=first[0], top=0)
    go(browser, f"#/containment/{first[0]}")
    assert [[id, edge] for id, _, edge in browser.run(rows)] == below(node=first[0])
    total = ask(served, "contained", node=first[0])["contained"]["total"]
    assert total >= sum(shown[list]["total"] for list in ("fields", "elements", "internal"))
    assert browser.log == []


def test_what_is_not_there_is_said(served, browser):
    start(browser, served)
    for view, expected in (
        ("#/object/987654321", "no object with id"), ("#/containment/987654321", "no object with id"), ("#/class/nosuch", "no class"),
        ("#/nosuch", "no such view"),
    ):  # fmt: skip
        browser.run(f"location.hash = {view!r}")
        browser.wait("document.querySelector('main .note')")
        assert expected in browser.run("document.querySelector('main .note').textContent"), view
        go(browser, "#/overview")


def heap_of(names, count):
    """An object with this many elements or, of several names, properties. Their ids are 5, 7, 9, …"""
    meta = {
        "node_fields": ["type", "name", "id", "self_size", "edge_count"],
        "node_types": [["hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic"]],
        "edge_fields": ["type", "name_or_index", "to_node"],
        "edge_types": [["context", "element", "property", "internal", "hidden", "shortcut", "weak"]],
    }
    nodes, edges = [9, 0, 1, 0, 1, 3, 0, 3, 8, count], [5, 0, 5]
    for at in range(count):
        nodes += [3, at % len(names) + 1, 5 + 2 * at, 16, 0]
        edges += [2, at + 1, 10 + 5 * at] if len(names) > 1 else [1, at, 10 + 5 * at]
    snapshot = {"meta": meta, "node_count": count + 2, "edge_count": count + 1}
    return json.dumps({"snapshot": snapshot, "nodes": nodes, "edges": edges, "strings": ["", *names]})


def test_a_list_may_be_higher_than_a_page_can_be(browser, tmp_path):
    count = 300_000
    heap = tmp_path / "many.heapsnapshot"
    heap.write_text(heap_of(["Item"], count))
    first = "(r => [Number(r.dataset.row), r.querySelector('.number').textContent])(document.querySelector('.list .rows .row'))"
    view = "document.querySelector('.view')"

    def shown(condition):
        """The first row in view, once it is there: its id says which one it is."""
        browser.wait(f"(r => r && r.querySelector('a') && {condition})(document.querySelector('.list .rows .row'))")
        row, id = browser.run(first)
        assert id == f"@{5 + 2 * row}"
        return row

    with serving(heap) as served:
        start(browser, served, "#/class/%2CItem?sort=id&ascending=true&row=123456")
        assert shown("Number(r.dataset.row) > 0") == 123456
        assert browser.run(f"{view}.scrollHeight") < 28 * count
        browser.run(f"{view}.focus()")
        browser.press("End")
        browser.wait(f"document.querySelector('#row-{count - 1} a')")
        last = shown("true")
        browser.press("Home")
        assert shown("r.dataset.row === '0'") == 0
        # The bar moves by shares, the wheel by rows.
        browser.run(f"{view}.scrollTop = {view}.scrollHeight / 2")
        middle = shown("Number(r.dataset.row) > 0")
        assert abs(middle - last / 2) < 20
        browser.send("Input.dispatchMouseEvent", type="mouseWheel", x=400, y=500, deltaX=0, deltaY=280)
        assert shown(f"Number(r.dataset.row) > {middle}") == middle + 10
    assert browser.log == []


def test_text_of_the_heap_stays_text(browser, tmp_path):
    heap = tmp_path / "hostile<b>.heapsnapshot"
    heap.write_text(heap_of(HOSTILE, len(HOSTILE)))
    with serving(heap) as served:
        start(browser, served)
        go(browser, "#/classes")
        browser.wait("document.querySelector('.list .rows .row a')")
        links = browser.run("[...document.querySelectorAll('.list .rows .row a')].map(a => a.hash)")
        assert len(links) >= len(HOSTILE)
        for link in links:
            go(browser, link)
            browser.wait("document.querySelector('.list .rows .row a')")
        for view in ["#/map", *(f"#/object/3{tab}" for tab in ("", *(f"?tab={tab}" for tab in TABS)))]:
            go(browser, view)
        for at in range(len(HOSTILE)):
            go(browser, f"#/object/{5 + 2 * at}?tab=held_by")
            browser.wait("document.querySelector('.tree .row[data-id]')")
        assert browser.run("[document.title.includes('hit'), document.querySelectorAll('img, iframe, b > b, svg [onload]').length]") == [False, 0]
        # Neither a policy nor a dialog had to stop anything.
        assert browser.log == []
        assert all(url.startswith((served.address, "data:")) for url in browser.events), browser.events


def test_a_truncated_heap_says_so_on_every_view(browser, tmp_path):
    whole = gzip.decompress(INPUT.read_bytes())
    heap = tmp_path / "cut.heapsnapshot"
    heap.write_bytes(whole[: len(whole) * 9 // 10])
    with serving(heap) as served:
        start(browser, served)
        for view in ("#/overview", "#/classes", "#/object/1", "#/map", "#/sql"):
            go(browser, view)
            assert "truncated" in browser.run("document.querySelector('#caveats').textContent"), view


class Foreign(BaseHTTPRequestHandler):
    """A page of somebody else, at another port."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>foreign</title>")

    def log_message(self, *_):
        pass


def test_a_foreign_page_cannot_read_or_steer_it(served, browser):
    """Even one that knows the address."""
    foreign = ThreadingHTTPServer(("127.0.0.1", 0), Foreign)
    threading.Thread(target=foreign.serve_forever, daemon=True).start()
    try:
        browser.visit(f"http://127.0.0.1:{foreign.server_port}/")
        address = json.dumps(served.address)
        tried = "(p => p.then(() => 'read', () => 'refused'))"
        assert browser.run(f"{tried}(fetch({address} + 'api/overview'))") == "refused"
        assert browser.run(f"{tried}(fetch({address} + 'api/overview', {{ mode: 'no-cors' }}))") == "refused"
        assert browser.run(f"{tried}(import({address} + 'api.js'))") == "refused"
        asked = "{ method: 'POST', mode: 'no-cors', body: JSON.stringify({ sql: 'SELECT 1' }) }"
        assert browser.run(f"{tried}(fetch({address} + 'api/sql', {asked}))") == "refused"
        loads = "(e => new Promise(done => { e.onload = () => done('read'); e.onerror = () => done('refused'); document.head.append(e); }))"
        assert browser.run(f"{loads}(Object.assign(document.createElement('script'), {{ src: {address} + 'shared.js' }}))") == "refused"
        sheet = f"Object.assign(document.createElement('link'), {{ rel: 'stylesheet', href: {address} + 'page.css' }})"
        assert browser.run(f"{loads}({sheet})") == "refused"
        # In a frame it is not shown, and a window that is opened is out of reach.
        browser.log.clear()
        browser.run(f"{loads}(Object.assign(document.createElement('iframe'), {{ src: {address} }}))".replace("head.append", "body.append"))
        assert any("frame" in line.lower() for line in browser.log), browser.log
        browser.run(f"window.opened = open({address}), 0")
        browser.wait("opened.closed")
        # The window is in front: what is behind it draws nothing.
        browser.send("Page.bringToFront")
    finally:
        foreign.shutdown()
        foreign.server_close()


@pytest.mark.parametrize("name", ["chromium.heapsnapshot.gz", "profiles/node26.cpuprofile", "traces/chromium.trace.json.gz"])
def test_a_converted_directory_is_opened(tmp_path, name):
    convert(CORPUS / name, tmp_path / "tables")
    with serving(tmp_path / "tables") as opened:
        wait_until(lambda: ask(opened, "status")["stage"] == "ready", opened)
        found = ask(opened, "overview")
        assert found == json.loads(heapquarry("summary", tmp_path / "tables", "--top", 20, "--json").stdout)
        # Numbers of the file, by parts that no summary has.
        with serving(CORPUS / name) as of_file:
            wait_until(lambda: ask(of_file, "status")["stage"] == "ready", of_file)
            questions = {"heap": ("classes", "dominated", "owners"), "profile": ("functions", "flame"), "trace": ("tracks", "long_tasks", "frames")}
            for question in questions[ask(opened, "status")["kind"]]:
                of_tables, expected = ask(opened, question), ask(of_file, question)
                assert of_tables | {"inputs": None} == expected | {"inputs": None}, question


def test_it_ends_with_its_last_page(browser):
    with serving(INPUT, "--close-after", 0) as process:
        start(browser, process)
        assert process.poll() is None
        browser.visit("about:blank")
        assert process.wait(timeout=120) == 0


def test_over_ssh_it_says_how_to_forward_the_port():
    env = os.environ | {"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}
    with subprocess.Popen([binary(), "open", INPUT], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as process:
        try:
            port = urllib.parse.urlsplit(process.stdout.readline()).port
            notes = [process.stderr.readline() for _ in range(2)]
        finally:
            process.kill()
    assert f"ssh -L {port}:127.0.0.1:{port} HOST" in notes[1], notes


def test_an_interrupt_ends_it():
    with serving(INPUT) as process:
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=120) == 130


def test_what_cannot_be_read_is_said():
    done = heapquarry("open", "nosuch.heapsnapshot", "--no-browser", expect=2)
    assert done.stdout == "" and "no such file" in done.stderr.lower()
