"""`heapquarry report`: the data in the file, and the page in a real browser."""

import base64
import gzip
import json
import re
import zipfile
from array import array
from collections import Counter

import duckdb
import pytest
from browser import ask
from conftest import CORPUS, convert, heapquarry, load_views, serving, wait_until
from htrace_writer import INVALID, TIMELINE, Section, chunks, config, container, profile, timeline
from htrace_writer import snapshot as messages_of

SNAPSHOT = CORPUS / "node24-numeric.heapsnapshot.gz"
NODES = 20_000
TYPES = {"u8": "B", "u16": "H", "u32": "I", "f64": "d", "i64": "q"}


def drawings(page):
    """The data of a page."""
    [data] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page.read_text(), re.DOTALL)
    assert not re.search("[<>&]", data)
    return json.loads(data)


def column(text):
    kind, _, data = text.partition(":")
    return [int(value) for value in array(TYPES[kind], base64.b64decode(data))]


def columns(of):
    return {name: column(value) if isinstance(value, str) else value for name, value in of.items()}


def shown(text):
    """A text as the page has it: its first 80 characters."""
    return text if len(text) <= 80 else text[:80] + "…"


class Report:
    def __init__(self, folder, *inputs):
        self.page = folder / "report.html"
        heapquarry("report", *inputs, "-o", self.page)
        convert(inputs[-1], folder / "t", "--analyze")
        self.db = duckdb.connect()
        self.db.execute(f"SET file_search_path = '{folder / 't'}'")
        load_views(self.db, folder / "t")

    def rows(self, sql):
        return self.db.sql(sql).fetchall()


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return Report(tmp_path_factory.mktemp("page"), SNAPSHOT)


# ------------------------------------------------------------------------- the data


def test_drawn_nodes_are_those_that_retain_most(report):
    heap = drawings(report.page)[0]
    assert heap["kind"] == "heap"
    nodes, texts, classes = columns(heap["nodes"]), heap["texts"], columns(heap["classes"])
    expected = {
        id: row for id, *row in report.rows("SELECT id, class_name, shallow_size, retained_size, distance FROM js_heap_analysis")
    }
    least = sorted((row[2] for row in expected.values()), reverse=True)[NODES]
    assert len(nodes["id"]) <= NODES
    assert {id for id, row in expected.items() if row[2] > least} <= set(nodes["id"])
    assert sum(size == least for size in nodes["retained"]) == NODES - sum(row[2] > least for row in expected.values())
    for at, id in enumerate(nodes["id"]):
        found = [texts[classes["name"][nodes["class"][at]]], nodes["size"][at], nodes["retained"][at], nodes["distance"][at] - 5]
        assert found == [shown(expected[id][0]), *expected[id][1:]], id
    dominators = dict(report.rows("SELECT id, dominator_id FROM js_heap_analysis"))
    assert [nodes["id"][parent] for parent in nodes["parent"]] == [dominators[id] for id in nodes["id"]]


def test_what_is_not_drawn_is_summed(report):
    heap = drawings(report.page)[0]
    nodes, groups, texts, classes = columns(heap["nodes"]), columns(heap["groups"]), heap["texts"], columns(heap["classes"])
    kept = set(nodes["id"])
    sums = Counter()
    for id, dominator, name, size in report.rows("SELECT id, dominator_id, class_name, retained_size FROM js_heap_analysis"):
        if id not in kept and dominator in kept:
            sums[dominator, shown(name)] += size
    assert groups["parent"]
    for parent, type, retained in zip(groups["parent"], groups["class"], groups["retained"]):
        assert sums[nodes["id"][parent], texts[classes["name"][type]]] == retained
    # At least 95 % of the bytes are in boxes.
    assert sum(nodes["size"]) + sum(groups["retained"]) >= 0.95 * heap["total"]


def test_references_are_edges_of_the_heap(report):
    heap = drawings(report.page)[0]
    nodes, edges, texts = columns(heap["nodes"]), columns(heap["edges"]), heap["texts"]
    owners = [at for at, count in enumerate(edges["counts"]) for _ in range(count)]
    found = {
        (nodes["id"][owner], nodes["id"][to], heap["edges"]["types"][kind])
        for owner, to, kind in zip(owners, edges["to"], edges["kind"])
    }
    known = set(report.rows("SELECT from_node_id, to_node_id, type FROM js_heap_edges"))
    assert found <= known and len(found) > 1000
    assert all(text for text in (texts[name] for name in edges["name"][:100]))


def test_classes_are_those_of_the_tables(report):
    heap = drawings(report.page)[0]
    classes, texts = columns(heap["classes"]), heap["texts"]
    found = [
        (texts[classes["name"][at]], classes["count"][at], classes["size"][at], classes["retained"][at])
        for at in range(classes["listed"])
    ]
    expected = report.rows("SELECT class_name, count, shallow_size, retained_size FROM js_heap_class ORDER BY retained_size DESC, class_key LIMIT 5000")
    assert Counter(found) == Counter((shown(name), *sizes) for name, *sizes in expected)


def test_pages_do_not_depend_on_threads(tmp_path):
    for threads in (1, 4):
        heapquarry("report", SNAPSHOT, "-o", tmp_path / f"{threads}.html", "--threads", threads)
    assert (tmp_path / "1.html").read_bytes() == (tmp_path / "4.html").read_bytes()


def test_tables_and_packed_files_make_the_same_page(tmp_path):
    tables = convert(SNAPSHOT, tmp_path / "node24-numeric.heapsnapshot.gz")
    heapquarry("report", tables, "-o", tmp_path / "tables.html")
    heapquarry("report", SNAPSHOT, "-o", tmp_path / "file.html")
    assert (tmp_path / "tables.html").read_bytes() == (tmp_path / "file.html").read_bytes()


def test_damage_is_told(tmp_path):
    heap = tmp_path / "cut.heapsnapshot"
    text = snapshot([f"Class{at}" for at in range(50)])
    heap.write_text(text[: text.index('"strings"') - 40])
    heapquarry("report", heap, "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert 'class="note"' in page and "truncated" in page and '<section id="issues">' in page


def test_only_reports_are_replaced(tmp_path):
    page = tmp_path / "page.html"
    page.write_text("mine")
    assert "--force" in heapquarry("report", SNAPSHOT, "-o", page, expect=2).stderr
    heapquarry("report", SNAPSHOT, "-o", page, "--force")
    heapquarry("report", SNAPSHOT, "-o", page, "--title", "A & <b>")
    assert "<title>A &amp; &lt;b&gt; – heapquarry</title>" in page.read_text()
    assert list(tmp_path.iterdir()) == [page]


# ------------------------------------------------------------------------- the page

CLASS_ROWS = "[...document.querySelectorAll('#classes tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))"
PANEL = "document.querySelector('#map .panel').textContent"
CRUMBS = "[...document.querySelectorAll('#map .crumbs li')].map(item => item.textContent)"


LEGEND = "document.querySelectorAll('#%s .legend li')"


def quiet(browser):
    assert browser.log == [] and not [url for url in browser.events if not url.startswith("file:")]


def canvas(browser, section="#map"):
    """The place of a drawing."""
    browser.run(f"document.querySelector('{section}').scrollIntoView()")
    browser.settle()
    box = browser.run(f"(r => [r.x, r.y, r.width, r.height])(document.querySelector('{section} canvas').getBoundingClientRect())")
    assert box[2] > 200 and box[3] > 100
    return box


def colors(browser, section="#map"):
    """How many colours a drawing has."""
    return browser.run(f"""(canvas => new Set(new Uint32Array(canvas.getContext('2d')
        .getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size)(document.querySelector('{section} canvas'))""")


def test_the_map_zooms_and_comes_back(browser, report):
    browser.open(report.page)
    x, y, *_ = canvas(browser)
    assert colors(browser) > 5
    assert browser.run(CRUMBS) == ["All memory"]
    # The largest box is in the corner.
    browser.hover(x + 40, y + 6)
    tip = browser.run("document.querySelector('#map .tip').textContent")
    browser.click(x + 40, y + 6)
    assert len(browser.run(CRUMBS)) == 2
    [id] = re.findall(r"Id@(\d+)", browser.run(PANEL))
    assert f"@{id}" in tip
    [[retained]] = report.rows(f"SELECT retained_size FROM js_heap_analysis WHERE id = {id}")
    assert f"{retained / 1e6:.1f} MB" in browser.run(PANEL)
    browser.click(x + 40, y + 6)
    assert len(browser.run(CRUMBS)) == 3
    browser.press("Escape")
    assert len(browser.run(CRUMBS)) == 2
    browser.run("history.back()")
    browser.wait(f"({CRUMBS}).length == 3")
    browser.run("[...document.querySelectorAll('#map .toggle button')][1].click()")
    browser.settle()
    assert colors(browser) > 5
    quiet(browser)


def test_search_finds_an_object_and_shows_it(browser, report):
    browser.open(report.page)
    [[id, name, retained]] = report.rows("""SELECT id, class_name, retained_size FROM js_heap_analysis
        WHERE class_name = 'Module' ORDER BY retained_size DESC, id LIMIT 1""")
    browser.run(f"(input => {{ input.value = '{id}'; input.dispatchEvent(new Event('input')) }})(document.querySelector('#map input'))")
    browser.wait("!document.querySelector('#map .results').hidden")
    assert browser.run("document.querySelector('#map .results p').textContent") == "0 classes and 1 drawn object found:"
    browser.run("document.querySelector('#map .results button').click()")
    panel = browser.run(PANEL)
    assert name in panel and f"Id@{id}" in panel
    if retained >= 1000:
        assert f"{retained / 1e3:.1f} kB" in panel
    quiet(browser)


def test_search_tells_how_many_objects_a_class_has(browser, report):
    browser.open(report.page)
    [[name, count]] = report.rows("SELECT class_name, count FROM js_heap_class WHERE class_name = 'Object' LIMIT 1")
    browser.run(f"(input => {{ input.value = '{name}'; input.dispatchEvent(new Event('input')) }})(document.querySelector('#map input'))")
    browser.wait("!document.querySelector('#map .results').hidden")
    lines = browser.run("[...document.querySelectorAll('#map .results li')].map(item => item.textContent)")
    assert any(line.startswith(f"class {name}, {count:,} objects ") for line in lines), lines
    quiet(browser)


def test_the_keyboard_reaches_boxes(browser, report):
    browser.open(report.page)
    browser.run("document.querySelector('#map canvas').focus()")
    before = browser.run(PANEL)
    browser.press("ArrowRight")
    browser.press("ArrowDown")
    assert browser.run(PANEL) != before
    browser.press("Enter")
    assert len(browser.run(CRUMBS)) >= 2
    assert "boxes" in browser.run("document.querySelector('[aria-live]').textContent")
    quiet(browser)


def test_classes_are_sorted_and_filtered(browser, report):
    browser.open(report.page)
    rows = browser.run(CLASS_ROWS)
    expected = report.rows("SELECT class_name, count FROM js_heap_class ORDER BY retained_size DESC LIMIT 3")
    assert [(row[0], row[1]) for row in rows[:3]] == [(name, f"{count:,}") for name, count in expected]
    browser.run("document.querySelectorAll('#classes th button')[1].click()")
    [[most]] = report.rows("SELECT max(count) FROM js_heap_class")
    assert browser.run(CLASS_ROWS)[0][1] == f"{most:,}"
    browser.run("document.querySelectorAll('#classes th button')[1].click()")
    assert browser.run(CLASS_ROWS)[0][1] == "1"
    browser.run("(i => { i.value = 'Promise'; i.dispatchEvent(new Event('input')) })(document.querySelector('#classes input'))")
    browser.wait("document.querySelectorAll('#classes tbody tr').length < 40")
    assert all("promise" in row[0].lower() for row in browser.run(CLASS_ROWS))
    quiet(browser)


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("dark", [False, True])
def test_nothing_is_wider_than_the_window(browser, report, width, dark):
    browser.open(report.page, width=width, dark=dark)
    assert browser.run("document.documentElement.scrollWidth") <= width
    canvas(browser)
    quiet(browser)


HOSTILE = [
    "</script><script>alert(1)</script>", "<img src=x onerror=alert(2)>", "<!--<script>", "'\"><svg onload=alert(3)>",
    "javascript:alert(4)", "]]>", "&lt;b&gt;", "\u202egnp.exe", "a\x1b[31m\0", "${alert(5)}", "</style><style>*{display:none}",
]  # fmt: skip


def snapshot(names):
    """A heap with an object and a string of each name; the root holds both, and the object its string."""
    strings = ["", "field", *names]
    nodes, edges, owned = [9, 0, 1, 0, len(names) * 2, 0], [], []
    for at in range(len(names)):
        name, object_, string = at + 2, 6 * (2 * at + 1), 6 * (2 * at + 2)
        nodes += [3, name, 2 * at + 3, 1000 + at, 1, 0, 2, name, 2 * at + 5001, 500 + at, 0, 0]
        edges += [2, name, object_, 2, name, string]
        owned += [2, name, string]
    edges += owned
    meta = {
        "node_fields": ["type", "name", "id", "self_size", "edge_count", "trace_node_id"],
        "node_types": [["hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic"],
                       "string", "number", "number", "number", "number"],
        "edge_fields": ["type", "name_or_index", "to_node"],
        "edge_types": [["context", "element", "property", "internal", "hidden", "shortcut", "weak"], "string_or_number", "node"],
    }  # fmt: skip
    header = {"meta": meta, "node_count": len(nodes) // 6, "edge_count": len(edges) // 3}
    return json.dumps({"snapshot": header, "nodes": nodes, "edges": edges, "strings": strings})


def test_text_of_a_heap_does_nothing(browser, tmp_path):
    heap = tmp_path / "<b>.heapsnapshot"
    heap.write_text(snapshot(HOSTILE))
    heapquarry("report", heap, "-o", tmp_path / "page.html", "--title", HOSTILE[0])
    browser.open(tmp_path / "page.html")
    assert browser.run("document.title").startswith(HOSTILE[0])
    assert browser.run("[document.scripts.length, document.images.length, document.querySelectorAll('[onerror],[onload]').length]") == [2, 0, 0]
    names = [row[0] for row in browser.run(CLASS_ROWS)]
    for name in HOSTILE:
        # The class of an element has no attributes.
        name = name.split(" ")[0] + ">" if name.startswith("<") and " " in name else name
        assert name in names or not name.isprintable(), name
    assert not any("\u202e" in text or "\x1b" in text for text in browser.run("[document.body.textContent]"))
    x, y, width, height = canvas(browser)
    for dx in range(20, int(width), 200):
        for dy in range(10, int(height), 120):
            browser.hover(x + dx, y + dy)
            browser.click(x + dx, y + dy)
            browser.press("Escape")
    quiet(browser)


def test_nothing_but_our_script_runs(browser, report, tmp_path):
    page = tmp_path / "page.html"
    page.write_text(report.page.read_text().replace("</footer>", "</footer><script>document.title = 'taken'</script><p onclick='x()' style='color:red'>"))
    browser.open(page)
    assert browser.run("document.title") != "taken"
    assert any("Content Security Policy" in line for line in browser.log)
    fetched = browser.run("fetch('data:text/plain,x').then(() => 'loaded', () => 'refused')")
    assert fetched == "refused"


def test_checks_and_diffs_are_pages_without_scripts(browser, tmp_path):
    (tmp_path / "budget.toml").write_text("[total]\ncount = 5\n")
    done = heapquarry("check", SNAPSHOT, "--budget", tmp_path / "budget.toml", "--format", "html", expect=1)
    page = tmp_path / "check.html"
    page.write_text(done.stdout)
    browser.open(page)
    assert browser.run("document.scripts.length") == 0
    assert browser.run("document.querySelector('.verdict').className") == "verdict bad"
    assert "62,767" in browser.run("document.querySelector('table').textContent")
    quiet(browser)


def test_growth_is_that_of_the_snapshots(browser, tmp_path):
    rounds = [tmp_path / f"{round}.heapsnapshot" for round in (1, 2, 3)]
    for round, path in enumerate(rounds, 1):
        path.write_text(snapshot(["Session"] * (10 * round) + ["Config"]))
    page = tmp_path / "page.html"
    heapquarry("report", *rounds, "-o", page)
    [growth] = [one for one in drawings(page) if one["kind"] == "growth"]
    texts, growth = growth["texts"], columns({name: value for name, value in growth.items() if name not in ("kind", "texts")})
    at = [texts[name] for name in growth["names"]].index("Session")
    assert growth["counts"][3 * at : 3 * at + 3] == [10, 20, 30]
    sizes = [sum(1000 + i for i in range(10 * round)) for round in (1, 2, 3)]
    assert growth["retained"][3 * at : 3 * at + 3] == sizes
    nodes = columns(drawings(page)[0]["nodes"])
    # Those of the first snapshot are known by their ids.
    assert sum(before > 0 for before in nodes["before"]) == 1 + 2 * 11
    browser.open(page)
    row = next(row for row in browser.run("[...document.querySelectorAll('#growth tbody tr')].map(row => row.textContent)") if row.startswith("Session"))
    assert "10 → 20 → 30" in row and f"+{(sizes[2] - sizes[0]) / 1000:.1f} kB" in row
    browser.run("(s => { s.value = 'growth'; s.dispatchEvent(new Event('change')) })(document.querySelector('#map select'))")
    assert "new since" in browser.run("document.querySelector('#map .legend').textContent")
    quiet(browser)


LEAK = [CORPUS / "leak" / f"{round}.heapsnapshot.gz" for round in (1, 2, 3)]


def test_findings_have_charts(browser, tmp_path):
    page = tmp_path / "page.html"
    heapquarry("report", *LEAK, "-o", page)
    found = json.loads(heapquarry("leaks", *LEAK, "--json").stdout)["findings"]
    [growth] = [one for one in drawings(page) if one["kind"] == "growth"]
    expected = [sum(finding["steps"][:at]) for finding in found for at in range(3)]
    assert column(growth["findings"]) == expected and expected
    browser.open(page)
    charts = browser.run("""[...document.querySelectorAll('#findings article')].map(article =>
        [...article.querySelectorAll('figure rect')].map(bar => Number(bar.getAttribute('height'))))""")
    assert len(charts) == len(found)
    for at, heights in enumerate(charts):
        grown = expected[3 * at : 3 * at + 3]
        # The last one is 24 high.
        assert heights == pytest.approx([24 * size / grown[2] for size in grown], abs=0.01)
    told = browser.run("document.querySelector('#findings figure').title")
    assert told == " → ".join(["0 B", *(f"+{size / 1000:.1f} kB" for size in expected[1:3])])
    quiet(browser)


def test_the_heap_of_a_program(browser, tmp_path):
    page = tmp_path / "page.html"
    heapquarry("report", LEAK[2], "-o", page)
    browser.open(page)
    # What there is nothing of has no card.
    cards = browser.run("[...document.querySelectorAll('#totals dt')].map(title => title.textContent)")
    assert {"Size", "Nodes"} <= set(cards) and "Detached DOM nodes" not in cards
    # Classes of the program have colours, those of the engine have none.
    legend = browser.run(f"[...{LEGEND % 'map'}].map(item => item.textContent)")
    assert "Session" in legend and "(compiled code)" not in legend
    quiet(browser)


# ------------------------------------------------------------------------- profiles


def flame(page):
    [drawing] = [one for one in drawings(page) if one["kind"] == "flame"]
    return drawing, columns(drawing["calls"]), columns(drawing["frames"])


def test_a_flame_graph_has_the_times_of_the_tables(tmp_path):
    profile = Report(tmp_path, CORPUS / "profiles" / "recursive.cpuprofile")
    drawing, calls, frames = flame(profile.page)
    texts = drawing["texts"]
    found = Counter()
    for frame, own in zip(calls["frame"][1:], calls["own"][1:]):
        found[texts[frames["name"][frame]]] += own
    expected = Counter()
    for name, own in profile.rows("SELECT function_name, sum(self_time_us) FROM js_cpu_profiler_node GROUP BY 1"):
        if name not in ("(idle)", "(root)") and own:
            expected[shown(name or "(anonymous)")] += int(own)
    assert +found == expected
    # Each call takes what it takes itself, and what it calls.
    sums = list(calls["own"])
    for at in range(len(sums) - 1, 0, -1):
        sums[calls["parent"][at]] += sums[at]
    assert sums == calls["total"] and not calls["before"]


def test_a_difference_of_profiles(browser, tmp_path):
    before, after = CORPUS / "profiles" / "node18.cpuprofile", CORPUS / "profiles" / "node26.cpuprofile"
    page = tmp_path / "diff.html"
    heapquarry("report", before, after, "-o", page)
    drawing, calls, _ = flame(page)
    alone = tmp_path / "before.html"
    heapquarry("report", before, "-o", alone)
    assert calls["before"][0] == flame(alone)[1]["total"][0]
    browser.open(page)
    assert browser.run("document.querySelector('#flame select').value") == "change"
    assert "takes more" in browser.run("document.querySelector('#flame .legend').textContent")
    quiet(browser)


@pytest.mark.parametrize("name", ["node26.cpuprofile", "node26.heapprofile", "chromium.selfprofile.json"])
def test_flame_graphs_zoom_and_search(browser, tmp_path, name):
    page = tmp_path / "page.html"
    heapquarry("report", CORPUS / "profiles" / name, "-o", page)
    browser.open(page)
    drawing, calls, frames = flame(page)
    x, y, width, _ = canvas(browser, "#flame")
    browser.click(x + 5, y + 30)
    crumbs = browser.run("[...document.querySelectorAll('#flame .crumbs li')].map(item => item.textContent)")
    panel = browser.run("document.querySelector('#flame .panel').textContent")
    # The widest call comes first.
    first = max((at for at in range(1, len(calls["parent"])) if calls["parent"][at] == 0), key=lambda at: calls["total"][at])
    assert drawing["texts"][frames["name"][calls["frame"][first]]] in panel
    assert len(crumbs) in (1, 2)
    browser.run("(i => { i.value = 'a'; i.dispatchEvent(new Event('input')) })(document.querySelector('#flame input'))")
    browser.wait("!document.querySelector('#flame .results').hidden")
    assert re.match(r"\d+ found, in [\d.]+ % of the stacks", browser.run("document.querySelector('#flame .results p').textContent"))
    # What a function takes is the sum of its calls, without those within one another; the largest comes first.
    sums = {}
    for at in range(1, len(calls["parent"])):
        around, way = at, set()
        while (around := calls["parent"][around]) != 0:
            way.add(calls["frame"][around])
        if calls["frame"][at] not in way:
            sums[calls["frame"][at]] = sums.get(calls["frame"][at], 0) + calls["total"][at]
    texts = drawing["texts"]
    hits = {at for at in sums if any("a" in texts[frames[key][at]].lower() for key in ("name", "script"))}
    most = max(hits, key=sums.get)
    first = browser.run("document.querySelector('#flame .results li').textContent")
    number, unit = re.search(r" ([\d.,]+)(?: (\w+))?$", first).groups()
    scale = {None: 1, "B": 1, "kB": 1e3, "MB": 1e6, "us": 1, "µs": 1, "ms": 1e3, "s": 1e6}[unit]
    assert abs(float(number.replace(",", "")) * scale - sums[most]) <= 0.06 * scale, first
    quiet(browser)


def test_the_legend_of_a_flame_graph_is_seen(browser, tmp_path):
    page = tmp_path / "page.html"
    heapquarry("report", CORPUS / "profiles" / "node26.cpuprofile", "-o", page)
    browser.open(page)
    # It is above the chart, on the first screen.
    legend, chart = browser.run("['.legend', 'canvas'].map(part => document.querySelector(`#flame ${part}`).getBoundingClientRect())"
                                ".map(box => [box.top, box.bottom])")
    assert 0 < legend[1] <= chart[0] and legend[1] <= browser.run("innerHeight")
    # One entry, and one colour, for each package or folder.
    names, colors = browser.run(f"(items => [items.map(item => item.textContent), items.map(item => item.firstChild.style.background)])([...{LEGEND % 'flame'}])")
    assert len(set(names)) == len(names) == len(set(colors)) > 1
    quiet(browser)


def test_a_function_has_its_callers_and_callees_in_all_stacks(browser, tmp_path):
    # Below the root: main, main > a > b, main > c > b > d.
    tree = [("(root)", [2]), ("main", [3, 5]), ("a", [4]), ("b", []), ("c", [6]), ("b", [7]), ("d", [])]
    frame = lambda name: {"functionName": name, "scriptId": "1", "url": "file:///app/x.js", "lineNumber": ord(name[0]), "columnNumber": 0}
    nodes = [{"id": id, "callFrame": frame(name), "hitCount": 1, "children": below} for id, (name, below) in enumerate(tree, 1)]
    profile, page = tmp_path / "x.cpuprofile", tmp_path / "page.html"
    # Each sample lasts until the next: b takes 10 ms itself below a and 20 ms below c, d 30 ms.
    profile.write_text(json.dumps({"nodes": nodes, "startTime": 0, "endTime": 60_000, "samples": [4, 6, 7], "timeDeltas": [0, 10_000, 20_000]}))
    heapquarry("report", profile, "-o", page)
    browser.open(page)
    browser.run("(i => { i.value = 'x.js'; i.dispatchEvent(new Event('input')) })(document.querySelector('#flame input'))")
    browser.wait("!document.querySelector('#flame .results').hidden")
    browser.run("[...document.querySelectorAll('#flame .results button')].find(one => one.textContent.startsWith('b ')).click()")
    listed = browser.run("""Object.fromEntries([...document.querySelectorAll('#flame .panel h4')].map(title =>
        [title.textContent, [...title.nextElementSibling.children].map(item => item.textContent)]))""")
    assert listed["Callers, in all stacks"] == ["c 50.0 ms", "a 10.0 ms"]
    assert listed["Callees, in all stacks"] == ["d 30.0 ms"]
    quiet(browser)


def test_a_profile_is_in_the_order_of_time(browser, tmp_path):
    profile, page = CORPUS / "profiles" / "node26.cpuprofile", tmp_path / "page.html"
    heapquarry("report", profile, "-o", page)
    [drawing] = [one for one in drawings(page) if one["kind"] == "trace"]
    slices, texts = columns(drawing["slices"]), drawing["texts"]
    with serving(profile) as served:
        wait_until(lambda: ask(served, "status")["stage"] == "ready", served)
        chart = ask(served, "chart", width=16384)
    boxes, functions = chart["boxes"], chart["functions"]
    expected = sorted(
        (1000 * begin, depth, 1000 * size, shown(functions[function]["function_name"] if count == 1 else f"{count} × {functions[function]['function_name']} …"))
        for begin, depth, size, function, count in zip(*(boxes[name] for name in ("start", "depth", "size", "function", "count")))
    )
    found = sorted(zip(slices["start"], slices["depth"], slices["dur"], (texts[name] for name in slices["name"])))
    assert found == expected and found
    assert drawing["span"] == 1000 * chart["threads"][0]["duration"]
    browser.open(page)
    canvas(browser, "#time")
    assert colors(browser, "#time") > 3
    assert "engine" in browser.run("document.querySelector('#time .legend').textContent")
    browser.run("document.querySelector('#time canvas').focus()")
    browser.press("Enter")
    panel = browser.run("document.querySelector('#time .panel').textContent")
    assert "Duration" in panel and "Where" in panel and "Category" not in panel
    quiet(browser)
    # A profile without samples does not say when what ran.
    heapquarry("report", CORPUS / "profiles" / "node26.heapprofile", "-o", tmp_path / "heap.html")
    assert [one["kind"] for one in drawings(tmp_path / "heap.html")] == ["flame"]


def test_a_timeline_has_its_allocations(tmp_path):
    timeline = Report(tmp_path, CORPUS / "node24.heaptimeline.gz")
    drawing, calls, _ = flame(timeline.page)
    [[size]] = timeline.rows("SELECT sum(size) FROM js_heap_trace_node")
    assert calls["total"][0] == size and drawing["unit"] == "bytes"


# ------------------------------------------------------------------------- traces


def test_a_timeline_of_threads_has_the_slices_of_the_tables(tmp_path):
    trace = Report(tmp_path, CORPUS / "traces" / "chromium.trace.json.gz")
    [drawing] = [one for one in drawings(trace.page) if one["kind"] == "trace"]
    slices, texts = columns(drawing["slices"]), drawing["texts"]
    [[start]] = trace.rows("SELECT min(ts) FROM trace_event WHERE ts IS NOT NULL AND ph <> 'M'")
    found = {
        (id, at + start, dur, depth, texts[name])
        for id, at, dur, depth, name in zip(slices["id"], slices["start"], slices["dur"], slices["depth"], slices["name"])
    }
    expected = {
        (id, ts, dur, depth, shown(name or ""))
        for id, ts, dur, depth, name in trace.rows("SELECT id, ts, dur, depth, name FROM slice WHERE dur >= 0")
    }
    assert found == expected and len(found) == drawing["slice_count"]
    assert len(drawing["flows"]["from"]) > 3 or not trace.rows("FROM flow")


def test_slices_have_their_arguments_and_own_times(browser, tmp_path):
    trace = CORPUS / "traces" / "chromium.trace.json.gz"
    made = Report(tmp_path, trace)
    [drawing] = [one for one in drawings(made.page) if one["kind"] == "trace"]
    slices = columns(drawing["slices"])
    assert dict(zip(slices["id"], slices["own"])) == dict(made.rows("SELECT id, self_dur FROM slice WHERE dur >= 0"))
    events = json.loads(gzip.decompress(trace.read_bytes()))["traceEvents"]
    passed = dict(zip(column(drawing["arguments"]["of"]), drawing["arguments"]["text"]))
    assert {at for at, id in enumerate(slices["id"]) if events[id].get("args")} == set(passed)
    whole = {at: text for at, text in passed.items() if not text.endswith("…")}
    assert all(json.loads(text) == events[slices["id"][at]]["args"] for at, text in whole.items()) and whole
    # Standard input is kept while it is drawn.
    heapquarry("report", "-", "-o", tmp_path / "stream.html", input=gzip.decompress(trace.read_bytes()))
    [again] = [one for one in drawings(tmp_path / "stream.html") if one["kind"] == "trace"]
    assert again == drawing


def test_long_tasks_say_what_ran(browser, tmp_path):
    slice = lambda name, ts, dur, **args: {"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur, "args": args}
    trace = tmp_path / "long.json"
    trace.write_text(json.dumps([slice("RunTask", 0, 90_000, url="<b>"), slice("Layout", 1_000, 50_000), slice("Paint", 60_000, 20_000)]))
    heapquarry("report", trace, "-o", tmp_path / "page.html")
    browser.open(tmp_path / "page.html")
    cells = browser.run("[...document.querySelectorAll('#long_tasks tbody td')].map(cell => cell.textContent)")
    assert cells[-1] == "Layout 50.0 ms, RunTask 20.0 ms, Paint 20.0 ms"
    browser.run("document.querySelector('#timeline canvas').focus()")
    browser.press("Enter")
    panel = browser.run("document.querySelector('#timeline .panel').textContent")
    assert "Self20.0 ms" in panel and '"url": "<b>"' in panel
    quiet(browser)


LISTED = "[...document.querySelectorAll('#timeline .panel li button')].map(item => item.textContent)"


def nanos(text):
    number, unit = text.split(" ")
    return float(number) * {"s": 1e9, "ms": 1e6, "µs": 1e3, "ns": 1}[unit]


def test_the_strip_moves_and_shows_slices(browser, tmp_path):
    page = tmp_path / "page.html"
    heapquarry("report", CORPUS / "traces" / "chromium.trace.json.gz", "-o", page)
    browser.open(page)
    canvas(browser, "#timeline")
    assert colors(browser, "#timeline") > 5
    # Until something is chosen, the panel has what lasts longest in the view.
    [drawing] = [one for one in drawings(page) if one["kind"] == "trace"]
    slices = columns(drawing["slices"])
    longest = [drawing["texts"][slices["name"][at]] for at in sorted(range(len(slices["dur"])), key=lambda at: -slices["dur"][at])[:10]]
    assert browser.run(LISTED) == longest
    browser.run("document.querySelector('#timeline canvas').focus()")
    browser.run(f"window.before = JSON.stringify({LISTED})")
    browser.press("+")
    browser.wait(f"JSON.stringify({LISTED}) !== before")
    browser.press("Escape")
    before = browser.run("document.querySelector('#timeline .count').textContent")
    browser.press("+")
    assert browser.run("document.querySelector('#timeline .count').textContent") != before
    browser.press("Escape")
    assert browser.run("document.querySelector('#timeline .count').textContent") == before
    browser.press("Enter")
    chosen = browser.run("document.querySelector('#timeline .panel').textContent")
    assert "Duration" in chosen and "Longest inside" in chosen
    # One that is not in the middle of the view.
    browser.run("document.querySelector('#timeline .panel ol button').click()")
    id = int(browser.run("document.querySelector('#timeline .panel button.copy').title"))
    at = slices["id"].index(id)
    assert not slices["start"][at] <= drawing["span"] / 2 <= slices["start"][at] + slices["dur"][at]
    browser.run("document.querySelector('#timeline canvas').focus()")
    # However near, the ends of what is seen are told apart.
    for _ in range(12):
        browser.press("+")
    first, last = browser.run("document.querySelector('#timeline .count').textContent").split(" to ")
    assert first != last
    # So are the marks of the axis: they are written 9 pixels below the top.
    browser.run("""(canvas => {
        const { clearRect, fillText } = canvas;
        canvas.clearRect = function (...box) { window.marks = []; clearRect.apply(this, box); };
        canvas.fillText = function (text, x, y) { if (y === 9) marks.push(text); fillText.call(this, text, x, y); };
    })(CanvasRenderingContext2D.prototype)""")
    browser.press("+")
    marks = browser.run("marks")
    assert len(set(marks)) == len(marks) > 2, marks
    # What is chosen is still in the view.
    first, last = map(nanos, browser.run("document.querySelector('#timeline .count').textContent").split(" to "))
    assert slices["start"][at] <= last and first <= slices["start"][at] + slices["dur"][at]
    quiet(browser)


# ------------------------------------------------------------------------- several documents

ALLOCATIONS = CORPUS / "handmade" / "v8-timeline.heaptimeline"
CPU = CORPUS / "profiles" / "ark.cpuprofile"
HEADINGS = "[...document.querySelectorAll('.part')].map(part => [part.id, part.hidden, part.querySelector('h2').textContent])"


def grown(round):
    return snapshot(["Session"] * (10 * round) + ["Config"]).encode()


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """A recording of two snapshots with a timeline between them, and of a CPU profile."""
    path = tmp_path_factory.mktemp("recording") / "x.htrace"
    before, after = (messages_of(grown(round)) for round in (1, 3))
    allocations = timeline(ALLOCATIONS.read_bytes())
    cpu = Section(profile(CPU.read_bytes()), config=config(type=INVALID, cpu=True))
    path.write_bytes(container(Section(before), Section(allocations, config=config(type=TIMELINE)), Section(after), cpu))
    return path


@pytest.fixture(scope="module")
def parts(recording):
    page = recording.with_suffix(".html")
    heapquarry("report", recording, "-o", page)
    return page


def test_each_document_of_a_container_is_in_a_part(browser, parts, recording):
    assert [one["kind"] for one in drawings(parts)] == ["heap", "classes", "growth", "heap", "flame", "classes", "flame", "trace"]
    browser.open(parts)
    titles = ["Heap: Snapshot0 → Snapshot2", "Heap timeline: Timeline", "CPU profile: Profile0"]
    assert browser.run(HEADINGS) == [[f"part-{at}", at > 1, title] for at, title in enumerate(titles, 1)]
    cells = browser.run("[...document.querySelectorAll('#contents tbody tr')].map(row => [...row.cells].map(cell => [cell.textContent, cell.dataset.v]))")
    [info] = json.loads(heapquarry("info", recording, "--json").stdout)
    found = [(row[1][0], row[2][0], int(row[3][1]), row[4][0]) for row in cells]
    expected = zip(info["contents"], (titles[0], titles[1], titles[0], titles[2]))
    assert found == [(one["name"], one["format"], one["bytes"], title) for one, title in expected]
    quiet(browser)


def test_a_part_has_what_the_page_of_its_document_has(parts, tmp_path):
    for path, at, count in ((ALLOCATIONS, 3, 3), (CPU, 6, 2)):
        heapquarry("report", path, "-o", tmp_path / "alone.html")
        assert drawings(parts)[at : at + count] == drawings(tmp_path / "alone.html"), path.name
    rounds = [tmp_path / f"{round}.heapsnapshot" for round in (1, 3)]
    for round, path in zip((1, 3), rounds):
        path.write_bytes(grown(round))
    heapquarry("report", *rounds, "-o", tmp_path / "growth.html")
    growth, alone = ([one for one in drawings(page) if one["kind"] == "growth"][0] for page in (parts, tmp_path / "growth.html"))
    assert (growth["counts"], growth["retained"], growth["sizes"]) == (alone["counts"], alone["retained"], alone["sizes"])


def test_parts_are_shown_one_at_a_time(browser, parts):
    browser.open(parts)
    canvas(browser, "#map-1")
    assert browser.run("document.querySelectorAll('#flame-3 canvas').length") == 0
    browser.run("[...document.querySelectorAll('body > nav a')].find(link => link.hash === '#part-3').click()")
    browser.wait("!document.querySelector('#part-3').hidden")
    assert [hidden for _, hidden, _ in browser.run(HEADINGS)] == [True, True, False]
    assert browser.run("document.querySelector('nav [aria-current]').textContent") == "CPU profile: Profile0"
    canvas(browser, "#flame-3")
    assert colors(browser, "#flame-3") > 3
    # A link to something in a part shows the part, and back leads to the one before.
    browser.run("location.hash = '#classes-2'")
    browser.wait("!document.querySelector('#part-2').hidden")
    assert browser.run("document.querySelectorAll('#classes-2 tbody tr').length") > 0
    canvas(browser, "#map-2")
    browser.run("history.back()")
    browser.wait("!document.querySelector('#part-3').hidden")
    ids = browser.run("[...document.querySelectorAll('[id]')].map(element => element.id)")
    assert len(ids) == len(set(ids))
    quiet(browser)


def test_a_link_within_the_page_undoes_no_zoom(browser, report):
    browser.open(report.page)
    x, y, *_ = canvas(browser)
    browser.click(x + 40, y + 6)
    assert len(browser.run(CRUMBS)) == 2
    browser.run("location.hash = '#classes'")
    browser.settle()
    assert len(browser.run(CRUMBS)) == 2
    browser.run("history.go(-2)")
    browser.wait(f"({CRUMBS}).length == 1")


def test_tables_of_a_container_make_the_same_page(parts, recording, tmp_path):
    tables = convert(recording, tmp_path / "x.htrace")
    heapquarry("report", tables, "-o", tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == parts.read_text()


def zipped(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_parts_share_the_room_of_a_page(tmp_path):
    heap = gzip.decompress(SNAPSHOT.read_bytes())
    archive = zipped(tmp_path / "all.zip", {"a.heapsnapshot": heap, "b.cpuprofile": CPU.read_bytes()})
    heapquarry("report", archive, "-o", tmp_path / "page.html")
    assert len(columns(drawings(tmp_path / "page.html")[0]["nodes"])["id"]) == NODES // 2
    # Of very many documents the largest are drawn, and the overview has all.
    archive = zipped(tmp_path / "many.zip", {f"{at}.cpuprofile": CPU.read_bytes() + b" " * at for at in range(30)})
    heapquarry("report", archive, "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page.count('class="part"') == 24 and page.count("not drawn here") == 6
    assert ">6.cpuprofile<" in page and "CPU profile: 6.cpuprofile" in page and "CPU profile: 5.cpuprofile" not in page


def test_damage_keeps_no_other_part_from_being_drawn(tmp_path):
    cut = grown(3)[:3000]
    path = tmp_path / "x.htrace"
    for damaged, said in ((cut, "x.htrace#1: truncated"), (b'{"snapshot":{"meta":{"node_f', "Heap: Snapshot0 is not drawn: ")):
        path.write_bytes(container(Section([*chunks(damaged), *profile(CPU.read_bytes())])))
        heapquarry("report", path, "-o", tmp_path / "page.html")
        page = (tmp_path / "page.html").read_text()
        assert ">CPU profile: Profile0</h2>" in page and ">Snapshot0<" in page and said in page


def test_names_of_documents_do_nothing(browser, tmp_path):
    names = ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>"]
    files = {f"{names[0]}.heapsnapshot": grown(1), f"{names[1]}.cpuprofile": CPU.read_bytes()}
    heapquarry("report", zipped(tmp_path / "all.zip", files), "-o", tmp_path / "page.html")
    browser.open(tmp_path / "page.html")
    # The name of a file ends its folders.
    titles = [title for *_, title in browser.run(HEADINGS)]
    assert titles == [f"Heap: {names[0]}.heapsnapshot", f"CPU profile: {names[1].split('/')[-1]}.cpuprofile"]
    assert browser.run("[document.scripts.length, document.images.length]") == [2, 0]
    quiet(browser)
