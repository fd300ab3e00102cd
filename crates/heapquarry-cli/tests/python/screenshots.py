"""Makes the pictures of docs/report.md and docs/open.md: `python3 screenshots.py`, with the command in HEAPQUARRY_BIN."""

import subprocess
import tempfile
from pathlib import Path

from browser import Browser, go, start
from conftest import CORPUS, ROOT, heapquarry, serving

IMAGES = ROOT / "docs" / "images"


def heap(browser, folder):
    page = folder / "heap.html"
    heapquarry("report", CORPUS / "node24-numeric.heapsnapshot.gz", "-o", page)
    browser.open(page, width=1180, height=860)
    browser.screenshot(IMAGES / "report-heap.webp")


PROGRAM = """
const v8 = require('v8');
class Session { constructor(user) { this.user = 'user ' + user; this.cart = [{ user }, { user }]; this.log = 'seen '.repeat(9) + user; } }
const sessions = new Map();
for (let round = 1, user = 0; round <= 3; round++) {
  for (let request = 0; request < 3000 * round; request++) sessions.set(user, new Session(user++));
  v8.writeHeapSnapshot(round + '.heapsnapshot');
}
"""
WORK = """
const { Session } = require('inspector'), fs = require('fs'), session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.setSamplingInterval', { interval: 200 });
session.post('Profiler.start');
const zlib = require('zlib'), crypto = require('crypto');
function parse(text) { return JSON.parse(text); }
function render(rows) { return rows.map(row => Object.entries(row).map(([key, value]) => key + '=' + String(value).toUpperCase()).sort().join('&')).join(';'); }
function pack(text) { return zlib.gzipSync(text).length + crypto.createHash('sha256').update(text).digest('hex').length; }
function handle(number) { return pack(render(parse(JSON.stringify(Array.from({ length: 900 }, (_, at) => ({ at, number, name: 'row ' + at })))))); }
for (let number = 0; number < 400; number++) handle(number);
session.post('Profiler.stop', (_, { profile }) => fs.writeFileSync('work.cpuprofile', JSON.stringify(profile)));
"""


def growth(browser, folder):
    subprocess.run(["node", "-e", PROGRAM], cwd=folder, check=True)
    page = folder / "growth.html"
    heapquarry("report", *(folder / f"{round}.heapsnapshot" for round in (1, 2, 3)), "-o", page, "--title", "Three rounds of requests")
    browser.open(page, width=1180, height=860)
    browser.screenshot(IMAGES / "report-growth.webp")


def flame(browser, folder):
    subprocess.run(["node", "-e", WORK], cwd=folder, check=True)
    page = folder / "flame.html"
    heapquarry("report", folder / "work.cpuprofile", "-o", page)
    browser.open(page, width=1180, height=700)
    browser.screenshot(IMAGES / "report-flame.webp")


def trace(browser, folder):
    page = folder / "trace.html"
    heapquarry("report", CORPUS / "traces" / "chromium.trace.json.gz", "-o", page)
    browser.open(page, width=1180, height=760)
    browser.run("document.querySelector('#timeline canvas').focus()")
    browser.press("Enter")
    browser.screenshot(IMAGES / "report-trace.webp")


def opened(browser, folder):
    """An object that holds much, from the program of `growth`."""
    with serving(folder / "3.heapsnapshot") as served:
        start(browser, served, "#/classes?filter=Session", width=1180, height=760)
        browser.wait("document.querySelector('.list .rows .row a')")
        browser.run("[...document.querySelectorAll('.list .rows a')].find(a => a.textContent === 'Session').click()")
        browser.wait("document.querySelector('main').dataset.view.startsWith('#/class/') && document.querySelector('.list .rows .row a')")
        session = browser.run("document.querySelector('.list .rows .row a').hash")
        go(browser, f"{session}?tab=path")
        steps = browser.run("[...document.querySelectorAll('main ol.way a')].map(a => [a.textContent, a.hash])")
        holder = next(hash for text, hash in steps if text == "Map")
        go(browser, holder)
        browser.screenshot(IMAGES / "open-object.webp")
        start(browser, served, "#/map", width=1280, height=760, dark=True)
        browser.screenshot(IMAGES / "open-map-dark.webp")
        start(browser, served, f"{holder}?tab=path", width=400, height=760)
        browser.screenshot(IMAGES / "open-object-400.webp")


def opened_profile(browser, folder):
    with serving(folder / "work.cpuprofile") as served:
        start(browser, served, "#/time", width=1280, height=620)
        browser.run("document.querySelector('main canvas').focus()")
        browser.press("ArrowDown")
        browser.screenshot(IMAGES / "open-time.webp")


def opened_trace(browser, folder):
    with serving(CORPUS / "traces" / "chromium.trace.json.gz") as served:
        for width, dark, name in ((1280, True, "open-timeline-dark"), (400, False, "open-timeline-400")):
            start(browser, served, "#/timeline", width=width, height=700, dark=dark)
            browser.run("document.querySelector('main canvas').focus()")
            browser.press("Enter")
            browser.wait("document.querySelector('.panel [data-fact=duration_ns]')")
            browser.settle()
            browser.screenshot(IMAGES / f"{name}.webp")


def main():
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        for picture in (heap, growth, opened, flame, opened_profile, trace, opened_trace):
            picture(browser, Path(folder))
            assert not browser.log, browser.log


if __name__ == "__main__":
    main()
