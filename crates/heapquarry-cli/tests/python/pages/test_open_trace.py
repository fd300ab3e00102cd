"""`heapquarry open` on traces: the page in a real browser, against what the command prints and writes."""

import json
import random
from urllib.parse import parse_qs, urlsplit

import pyarrow.parquet as parquet
import pytest
from browser import HOSTILE, ask, facts, go, start
from conftest import CORPUS, heapquarry, serving

INPUT = CORPUS / "traces" / "chromium.trace.json.gz"
VIEWS = ("#/overview", "#/timeline", "#/long_tasks", "#/frames", "#/found?text=a", "#/sql")


@pytest.fixture(scope="module")
def slices(tmp_path_factory):
    """The rows of the table of slices."""
    out = tmp_path_factory.mktemp("trace") / "out"
    heapquarry("convert", INPUT, "-o", out)
    return parquet.read_table(out / "slice.parquet").to_pylist()


def text_of_nanos(value):
    for unit, word in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if value >= unit - unit / 20000:
            return f"{value / unit:.1f} {word}"
    return f"{value} ns"


def test_slices_are_those_of_the_tables(served, browser, slices):
    start(browser, served, "#/timeline")
    children = {}
    for row in slices:
        children.setdefault(row["parent_id"], []).append(row["id"])
    chosen = random.Random(44).sample(slices, 200)
    for row in chosen:
        found = ask(served, "slice", slice=row["id"], top=1000)
        assert found["slice"]["name"] == row["name"]
        assert found["slice"]["ts_ns"] == row["ts"]
        assert found["slice"]["duration_ns"] == (None if row["dur"] < 0 else row["dur"])
        assert found["slice"]["self_time_ns"] == row["self_dur"]
        assert found["slice"]["depth"] == row["depth"] == len(found["above"])
        assert sorted(child["slice"] for child in found["children"]["rows"]) == sorted(children.get(row["id"], []))
        # What is on the page.
        go(browser, f"#/timeline?slice={row['id']}")
        browser.wait("document.querySelector('.panel [data-fact=duration_ns]')")
        shown = facts(browser)
        assert shown["duration_ns"] == ("no end" if row["dur"] < 0 else text_of_nanos(row["dur"])), row
        if row["self_dur"] is not None:
            assert shown["self_time_ns"] == text_of_nanos(row["self_dur"]), row
        assert browser.run("document.querySelector('.panel h3').textContent") == row["name"]
    assert browser.log == []
    assert all(url.startswith((served.address, "data:")) for url in browser.events), browser.events


def test_the_sums_of_a_time_are_those_of_the_summary(served, browser):
    whole = json.loads(heapquarry("summary", INPUT, "--json").stdout)
    seconds = whole["totals"]["duration_ns"] / 1e9
    for begin, end in ((0, seconds), (seconds / 4, seconds / 2)):
        begin, end = round(begin, 3), round(end, 3)
        part = json.loads(heapquarry("summary", INPUT, "--from", begin, "--until", end, "--json").stdout)
        area = ask(served, "area", **{"from": round(begin * 1e9), "to": round(end * 1e9)}, top=1000)
        assert area["slices"]["rows"] == part["slices"]["rows"]
    start(browser, served, "#/timeline")
    browser.run("document.querySelector('.chart').focus()")
    browser.press("r")
    browser.wait("document.querySelector('.panel table')")
    first = browser.run("[...document.querySelector('.panel tbody tr').cells].map(cell => cell.textContent)")
    row = whole["slices"]["rows"][0]
    assert first == [row["name"], f"{row['count']:,}", text_of_nanos(row["self_time_ns"]), text_of_nanos(row["total_time_ns"])]
    assert browser.log == []


def test_the_timeline_zooms_to_single_slices(served, browser, slices):
    start(browser, served, "#/timeline")
    browser.run("document.querySelector('.chart').focus()")
    browser.press("Enter")
    browser.wait("location.hash.includes('slice=') && document.querySelector('.panel [data-fact=duration_ns]')")
    chosen = browser.run("Number(new URLSearchParams(location.hash.split('?')[1]).get('slice'))")
    tracks = {track["track"]: track for track in ask(served, "tracks")["tracks"]}
    track = ask(served, "slice", slice=chosen)["slice"]["track"]
    assert tracks[track]["kind"] in ("slices", "operations")
    shown = "document.querySelector('[data-range]').textContent"
    assert browser.run(shown).startswith("all ")
    views = []
    # The longest slice may be as long as the trace, so another one that is in view then is zoomed to.
    for keys in (["+"], ["KeyD"], ["Enter", "f"]):
        for key in keys:
            browser.press(key)
        views.append(browser.run(shown))
    assert all(" to " in view for view in views) and len(set(views)) == 3, views
    browser.press("0")
    assert browser.run(shown).startswith("all ")
    # At every zoom each slice is in a box.
    duration = ask(served, "tracks")["duration_ns"]
    for width in (16384, 1000, 10):
        drawn = ask(served, "drawn", tracks=",".join(map(str, tracks)), to=duration + 1, width=width)
        counts = sum(sum(one["boxes"]["count"]) for one in drawn["tracks"] if tracks[one["track"]]["kind"] == "slices")
        assert counts == len(slices), width
    assert browser.log == []


def test_all_tracks_in_view_are_asked_for_at_once(served, browser):
    asked = []
    for height in (500, 1400):
        start(browser, served, "#/timeline", height=height)
        [first, *_] = [url for url in browser.events if "/api/drawn?" in url]
        asked.append(parse_qs(urlsplit(first).query)["tracks"][0].split(","))
    assert len(asked[0]) < len(asked[1]), asked


def test_what_is_asked_for_while_something_loads_is_loaded_too(served, browser):
    start(browser, served)
    # The first question is answered after the second is asked.
    asked = browser.run("""(async () => {
        const [{ Span }, { Chart }] = await Promise.all([import('./span.js'), import('./shared.js')]);
        const [asked, answers] = [[], []];
        const load = (...range) => (asked.push(range), new Promise(done => answers.push(done)));
        const span = new Span(new Chart('test'), 1000, load, { format: String, second: 1 }, new AbortController().signal);
        span.again();
        span.again();
        while (answers.length) {
            answers.shift()();
            await new Promise(done => setTimeout(done));
        }
        return asked;
    })()""")
    assert asked == [[0, 1000], [0, 1000]]


def test_the_first_slice_has_an_address(browser, tmp_path):
    trace = tmp_path / "first.json"
    trace.write_text(json.dumps({"traceEvents": [{"ph": "X", "name": "first", "pid": 1, "tid": 1, "ts": 0, "dur": 9}]}))
    with serving(trace) as served:
        start(browser, served, "#/found?text=first")
        assert browser.run("document.querySelector('#found tbody a').hash") == "#/timeline?slice=0"
        go(browser, "#/timeline?slice=0")
        browser.wait("document.querySelector('.panel [data-fact=duration_ns]')")
        assert browser.run("location.hash") == "#/timeline?slice=0"
    assert browser.log == []


def test_what_is_looked_for_is_found(served, browser, slices):
    start(browser, served)
    browser.run("document.querySelector('#search').focus()")
    browser.run("document.querySelector('#search').value = 'RunTask'")
    browser.press("Enter")
    browser.wait("location.hash.startsWith('#/found') && document.querySelector('main').dataset.view === location.hash")
    expected = [row for row in slices if "runtask" in (row["name"] or "").lower()]
    assert facts(browser)["found"].startswith(f"{len(expected):,} slices")
    if expected:
        link = browser.run("document.querySelector('#found tbody a').hash")
        longest = max(row["dur"] for row in expected)
        assert ask(served, "slice", slice=link.split("=")[1])["slice"]["duration_ns"] == longest
    browser.run("document.querySelector('#search').value = '5ms'")
    browser.run("document.querySelector('#search').focus()")
    browser.press("Enter")
    browser.wait("location.hash.startsWith('#/timeline?') && document.querySelector('main').dataset.view === location.hash")
    assert browser.log == []


@pytest.mark.parametrize("dark", [False, True])
def test_every_view_fits_a_small_screen(served, browser, dark):
    start(browser, served, width=400, height=800, dark=dark)
    for view in VIEWS:
        go(browser, view)
        assert browser.run("document.documentElement.scrollWidth") <= 400, view
    assert browser.log == []


def test_what_is_not_there_is_said(served, browser):
    start(browser, served, "#/timeline?slice=987654321")
    browser.wait("document.querySelector('.panel .note')")
    assert "no slice 987654321" in browser.run("document.querySelector('.panel .note').textContent")


def test_text_of_the_trace_stays_text(browser, tmp_path):
    events = [{"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": HOSTILE[0]}}]
    for at, name in enumerate(HOSTILE):
        events.append({"ph": "X", "name": name, "cat": name, "pid": 1, "tid": 1, "ts": 100 * at, "dur": 60000 - 200 * at, "args": {name: name}})
        events.append({"ph": "C", "name": name, "pid": 1, "ts": at, "args": {name: at}})
        events.append({"ph": "i", "name": name, "s": "p", "pid": 1, "tid": 1, "ts": at})
    trace = tmp_path / "hostile<b>.json"
    trace.write_text(json.dumps({"traceEvents": events}))
    with serving(trace) as served:
        start(browser, served)
        for view in VIEWS:
            go(browser, view)
        for at, name in enumerate(HOSTILE):
            go(browser, f"#/timeline?slice={3 * at + 1}")
            browser.wait("document.querySelector('[data-arguments] pre')")
            assert json.loads(browser.run("document.querySelector('[data-arguments] pre').textContent")) == {name: name}
        assert browser.run("[document.title.includes('hit'), document.querySelectorAll('img, iframe, b > b, svg [onload]').length]") == [False, 0]
        assert browser.log == []
        assert all(url.startswith((served.address, "data:")) for url in browser.events), browser.events


def test_pictures_of_the_screen_are_over_the_time(browser, tmp_path):
    dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    picture = lambda ts, snapshot: {"name": "Screenshot", "ph": "O", "pid": 1, "tid": 1, "id": "1", "ts": ts, "args": {"snapshot": snapshot}}
    events = [{"name": "task", "ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 5_000_000}, picture(1_000_000, dot), picture(2_000_000, "PHN2Zz4="), picture(3_000_000, dot)]
    trace = tmp_path / "pictures.json"
    trace.write_text(json.dumps(events))
    with serving(trace) as served:
        start(browser, served, "#/timeline", width=400, height=800)
        images = "[...document.querySelectorAll('.pictures img')]"
        browser.wait(f"{images}.length === 2 && {images}.every(image => image.naturalWidth === 1)")
        assert browser.run(f"{images}.map(image => image.alt)") == ["The screen at 1.0 s", "The screen at 3.0 s"]
        assert browser.run("document.documentElement.scrollWidth") <= 400
    assert browser.log == []
    # Without pictures nothing is there.
    with serving(INPUT) as served:
        start(browser, served, "#/timeline")
        assert ask(served, "pictures", top=1)["pictures"]["total"] == 0
        browser.settle()
        assert browser.run("document.querySelector('.pictures').getClientRects().length") == 0
    assert browser.log == []


def test_pictures_that_are_left_out_are_told(browser, tmp_path):
    dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    picture = lambda ts, snapshot: {"name": "Screenshot", "ph": "O", "pid": 1, "tid": 1, "id": "1", "ts": ts, "args": {"snapshot": snapshot}}
    trace = tmp_path / "many.json"
    task = {"name": "task", "ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 5_000_000}
    trace.write_text(json.dumps([task, picture(1_000_000, dot), picture(2_000_000, "iVBORw0KGgo" + "A" * (64 << 20)), picture(3_000_000, dot)]))
    with serving(trace) as served:
        start(browser, served, "#/timeline")
        browser.wait("document.querySelector('.pictures img')")
        told = browser.run("document.querySelector('[data-fact=left_out]').textContent")
        assert told == "2 more pictures are left out: of pictures 64 MB are kept.", told
    assert browser.log == []


# A thread that waits for another one.
WAITS = """# tracer: nop
 a-5 ( 5) [000] d..3 1.000000: print: B|5|work
 w-6 ( 5) [001] d..3 1.000500: print: B|5|answer
 a-5 ( 5) [000] d..3 1.001000: sched_switch: prev_comm=a prev_pid=5 prev_prio=1 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=1
 w-6 ( 5) [001] d..3 1.004000: sched_waking: comm=a pid=5 prio=1
 x-0 ( 0) [000] d..3 1.005000: sched_switch: prev_comm=swapper prev_pid=0 prev_prio=1 prev_state=R ==> next_comm=a next_pid=5 next_prio=1
 w-6 ( 5) [001] d..3 1.008000: print: E|5
 a-5 ( 5) [000] d..3 1.009000: print: E|5
"""


def test_a_slice_says_what_it_waited_for(browser, tmp_path):
    trace = tmp_path / "waits.ftrace"
    trace.write_text(WAITS)
    with serving(trace) as served:
        start(browser, served)
        assert browser.run("document.querySelectorAll('#scheduled_threads tbody tr').length") > 0
        [work] = ask(served, "find", text="work")["slices"]["rows"]
        go(browser, f"#/timeline?slice={work['slice']}")
        browser.wait("document.querySelector('[data-waits]')")
        assert facts(browser)["waited_ns"] == "4.0 ms"
        assert browser.run("[...document.querySelectorAll('[data-waits] li')].map(li => li.textContent)") == ["3.0 ms sleeping for w 6 > answer", "1.0 ms ready"]
        browser.run("document.querySelector('[data-waits] button').click()")
        browser.wait("document.querySelector('.panel h3').textContent === 'answer'")
    assert browser.log == []


def test_late_frames_lead_to_what_ran_before(browser, tmp_path):
    mark = lambda name, ts: {"ph": "I", "s": "t", "name": name, "pid": 1, "tid": 1, "ts": ts}
    frames = [mark("DrawFrame", 16_000 * at) for at in range(6)] + [mark("DrawFrame", 150_000), mark("DroppedFrame", 160_000)]
    kernel = {"ph": "X", "name": "gemm", "cat": "kernel", "pid": 2, "tid": 7, "ts": 10, "dur": 500}
    trace = tmp_path / "frames.json"
    trace.write_text(json.dumps(frames + [kernel]))
    with serving(trace) as served:
        start(browser, served, "#/frames")
        cells = "[...document.querySelectorAll('#late tbody tr')].map(row => [...row.cells].slice(2, 4).map(cell => cell.textContent))"
        assert browser.run(cells) == [["150.0 ms", "70.0 ms"], ["160.0 ms", "dropped"]]
        assert browser.run("document.querySelector('#gpus tbody').textContent").count("500.0 us") > 0
        browser.run("document.querySelector('#late tbody td:last-child a').click()")
        browser.wait("location.hash.startsWith('#/timeline?') && document.querySelector('main').dataset.view === location.hash")
    with serving(INPUT) as served:
        start(browser, served, "#/frames")
        assert "marks no frames" in browser.run("document.querySelector('#frames').textContent") or ask(served, "frames")["frames"]
    assert browser.log == []
