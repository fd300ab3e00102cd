"""Figures of `heapquarry report`: its page, writing it, and the page in a headless Chromium.

    python benches/report/figures.py target/release/heapquarry BIG.heapsnapshot [MORE…]

Needs Python alone, and Chromium (of the name in CHROMIUM, or the first one found). All inputs are drawn in one page.
For heaps the time and memory of writing stand beside those of `summary`, which keeps the heap and its analysis in
memory as the page does, and of `convert --analyze --tables js_heap_statistics`, which frees each part of the heap when
the analysis is done with it; both of the last input. Each is the best of three runs. A zoom ends when its frame is
drawn, so it lasts at least until the next frame.
"""

import base64
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from array import array
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "crates" / "heapquarry-cli" / "tests" / "python"))

from browser import CHROMIUM, Browser  # noqa: E402

RUNS = 3
ZOOMS = 20
TYPES = {"u8": "B", "u16": "H", "u32": "I", "f64": "d", "i64": "q"}
INTERACTIVE = """
const frames = then => requestAnimationFrame(() => requestAnimationFrame(then));
addEventListener('load', () => frames(() => { window.interactive = performance.now(); }));
"""
# Zooms into boxes all over the drawing and out again, and measures what changed the place: boxes without others in them
# are only chosen. A timeline of threads has no place, and zooms by keys.
ZOOM = """(async section => {
  const canvas = section.querySelector('canvas');
  section.scrollIntoView();
  const isTimeline = !section.querySelector('.crumbs');
  const place = () => section.querySelector(isTimeline ? '.count' : '.crumbs').textContent;
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  const key = key => canvas.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  const click = at => {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [(at * 0.382 + 0.03) % 1, (at * 0.618 + 0.1) % 1];
    const [clientX, clientY] = [box.x + box.width * x, box.y + box.height * y];
    canvas.dispatchEvent(new MouseEvent('click', { clientX, clientY, bubbles: true }));
  };
  const times = [];
  await frame();
  for (let at = 0, depth = 0; at < 1000 && times.length < WANTED; at++) {
    const before = place();
    const isOut = depth > 2 || at % 10 === 9;
    const start = performance.now();
    if (isTimeline) key(at % 8 < 4 ? '+' : '-');
    else if (isOut) key('Escape');
    else click(at);
    await frame();
    const time = performance.now() - start;
    if (place() === before) continue;
    depth += isOut ? -1 : 1;
    times.push(time);
  }
  return times;
})(document.querySelector('[data-drawing="DRAWING"]'))"""


def run(*words):
    """Seconds, and bytes at the peak."""
    start = time.perf_counter()
    process = subprocess.Popen(list(map(str, words)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{words} failed: {process.returncode}")
    return time.perf_counter() - start, usage.ru_maxrss * 1024


def best(*words):
    found = [run(*words) for _ in range(RUNS)]
    return min(seconds for seconds, _ in found), min(peak for _, peak in found)


def column(text):
    kind, _, data = text.partition(":")
    return array(TYPES[kind], base64.b64decode(data))


def drawn(drawing):
    """How much of what a drawing is about has boxes, and of what."""
    if drawing["kind"] == "heap":
        boxes = sum(column(drawing["nodes"]["size"])) + sum(column(drawing["groups"]["retained"]))
        return boxes, drawing["total"], "bytes"
    if drawing["kind"] == "flame":
        return sum(column(drawing["calls"]["own"])), column(drawing["calls"]["total"])[0], drawing["unit"]
    return len(column(drawing["slices"]["id"])), drawing["slice_count"], "slices"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    heapquarry, *inputs = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        seconds, peak = best(heapquarry, "report", *inputs, "-o", page, "--force", "--quiet")
        print(f"page                     {page.stat().st_size:,} bytes")
        print(f"writing it               {seconds:.2f} s, {peak / 1e6:,.0f} MB at the peak")
        text = page.read_text(encoding="utf-8")
        [data] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
        drawings = json.loads(data)
        charts = [(at, one) for at, one in enumerate(drawings) if one["kind"] in ("heap", "flame", "trace")]
        if charts and charts[0][1]["kind"] == "heap":
            how = ("--analyze", "--tables", "js_heap_statistics", "--force", "--quiet", "-o", Path(folder) / "t")
            for name, words in (("summary", ()), ("convert", how)):
                alone, least = best(heapquarry, name, inputs[-1], *words)
                print(f"{name + ' of the last':25}{alone:.2f} s, {least / 1e6:,.0f} MB at the peak")
                print(f"beyond that              {seconds - alone:+.2f} s, {100 * (peak / least - 1):+.1f} % memory")
        if not CHROMIUM:
            sys.exit("there is no Chromium")
        with Browser() as browser:
            browser.send("Page.addScriptToEvaluateOnNewDocument", source=INTERACTIVE)
            loads = []
            for _ in range(RUNS):
                browser.open(page)
                browser.wait("window.interactive")
                loads.append(browser.run("window.interactive"))
            print(f"from load to interactive {min(loads):.0f} ms")
            for at, one in charts:
                boxes, whole, unit = drawn(one)
                section = f"document.querySelector('[data-drawing=\"{at}\"]')"
                # A part of the page is drawn when it is shown.
                browser.run(f"(part => {{ if (part) location.hash = part.id; }})({section}.closest('.part'))")
                browser.wait(f"{section}.querySelector('canvas')")
                key = browser.run(f"{section}.id")
                print(f"#{key}: {100 * boxes / whole if whole else 100:.1f} % of {whole:,} {unit} drawn")
                times = browser.run(ZOOM.replace("WANTED", str(ZOOMS)).replace("DRAWING", str(at)))
                if times:
                    median, worst = statistics.median(times), max(times)
                    print(f"#{key}: {len(times)} zooms, median {median:.0f} ms, worst {worst:.0f} ms")
                else:
                    print(f"#{key}: nothing to zoom into")
            if browser.log:
                sys.exit(f"the page complained: {browser.log}")


main()
