"""Figures of `heapquarry open`, of its page in a headless Chromium.

    python benches/open/figures.py target/release/heapquarry BIG.heapsnapshot [TRACE.json PROFILE.cpuprofile …]

Needs Python alone, and Chromium (of the name in CHROMIUM, or the first one found). Each input is opened by itself:

* how long it takes until the overview is on the page, and the memory at the peak of the server, beside those of
  `summary`; each is the best of three runs;
* random clicks on what leads to other views, from the click until the frame with the answer is drawn, or for 10 s: of
  all, and of each view. A frame alone takes 16 ms. The clicks are the same in each run;
* the objects of the largest class in a high window, a screen of rows in each frame, up to a million rows: frames in
  which a row was not there yet are gaps;
* over time and in the timeline, zooming in and moving, a step in each frame: how long frames take.
"""

import json
import os
import statistics
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "crates" / "heapquarry-cli" / "tests" / "python"))

from browser import CHROMIUM, Browser, go  # noqa: E402

RUNS = int(os.environ.get("RUNS", 3))
CLICKS = 500
ROWS = 1_000_000
STEPS = 200
# A million rows, a screen in each frame, take a quarter of an hour in a window of the usual height.
HIGH = 1400
READY = "document.querySelector('main').dataset.view"

# Clicks on links and on what opens steps of trees, chosen by a generator that gives the same numbers in each run. A view
# is there when it is the one of the address, and no row of it is missing; of a view without links it goes back.
CLICK = """(async wanted => {
  let state = 44;
  const random = below => { state = (Math.imul(state, 1103515245) + 12345) >>> 0; return Math.floor(state / 2 ** 32 * below); };
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  const main = document.querySelector('main');
  const isThere = view => [view, location.hash].includes(main.dataset.view) && !main.classList.contains('old')
    && ![...main.querySelectorAll('.list .cell')].some(cell => cell.textContent === '…');
  // The screen of an address, and its tab or other form.
  const viewOf = hash => {
    const [path, query] = hash.slice(2).split('?');
    const parameters = new URLSearchParams(query);
    return [path.split('/')[0], parameters.get('tab') ?? parameters.get('view')].filter(Boolean).join(' ');
  };
  const times = [];
  for (let at = 0; times.length < wanted && at < 3 * wanted; at++) {
    const choices = [...document.querySelectorAll('main a[href^="#/"], header nav a')].filter(a => a.hash !== location.hash && !a.hash.startsWith('#/sql'));
    let start = performance.now();
    if (choices.length < 2) history.back();
    else {
      // Chromium ignores more than 200 changes of an address in ten seconds: such a click is none.
      const link = choices[random(choices.length)];
      for (link.click(); location.hash !== link.hash; link.click()) {
        await new Promise(done => setTimeout(done, 200));
        start = performance.now();
      }
    }
    // Some views say in the address what they show, when they are there.
    const expected = location.hash;
    await frame();
    while (!isThere(expected) && performance.now() - start < 10_000) await frame();
    times.push([viewOf(location.hash), performance.now() - start]);
  }
  return times;
})(WANTED)"""

SCROLL = """(async most => {
  const view = document.querySelector('.view');
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  const key = name => view.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true }));
  const total = Number(document.querySelector('.list').getAttribute('aria-rowcount')) - 1;
  const start = performance.now();
  let [frames, gaps, seen, last] = [0, 0, 0, 0];
  while (seen < Math.min(most, total) - 1 && performance.now() - start < 900_000) {
    key('PageDown');
    await frame();
    frames += 1;
    const rows = [...view.querySelectorAll('.row')];
    if (rows.some(row => row.querySelector('.cell').textContent === '…')) gaps += 1;
    seen = Number(rows[rows.length - 1].dataset.row);
    if (seen === last) break;
    last = seen;
  }
  return { frames, gaps, rows: seen + 1, total, seconds: (performance.now() - start) / 1000 };
})(WANTED)"""

MOVE = """(async steps => {
  const canvas = document.querySelector('main canvas');
  canvas.focus();
  const frame = () => new Promise(done => requestAnimationFrame(done));
  const key = code => canvas.dispatchEvent(new KeyboardEvent('keydown', { code, key: code.slice(3).toLowerCase(), bubbles: true }));
  const times = [];
  let before = await frame();
  for (let at = 0; at < steps; at++) {
    const phase = at % 40;
    key(phase < 10 ? 'KeyW' : phase < 20 ? 'KeyD' : phase < 30 ? 'KeyA' : 'KeyS');
    const now = await frame();
    times.push(now - before);
    before = now;
  }
  return times;
})(WANTED)"""


def summary(heapquarry, given):
    """Seconds, and bytes at the peak."""
    start = time.perf_counter()
    process = subprocess.Popen([heapquarry, "summary", given, "--no-cache", "--quiet"], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"summary of {given} failed: {process.returncode}")
    return time.perf_counter() - start, usage.ru_maxrss * 1024


class Page:
    """An input that is opened."""

    def __init__(self, heapquarry, given, browser):
        browser.visit("about:blank")
        start = time.perf_counter()
        words = [heapquarry, "open", given, "--no-browser", "--no-cache", "--quiet"]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            sys.exit(f"open of {given} failed")
        browser.visit(f"{self.address}#/overview")
        browser.wait(READY, seconds=3600)
        self.seconds = time.perf_counter() - start
        self.browser = browser

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    @property
    def peak(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        [line] = [line for line in status.splitlines() if line.startswith("VmHWM")]
        return int(line.split()[1]) * 1024

    def ask(self, question, **parameters):
        with urllib.request.urlopen(f"{self.address}api/{question}?{urllib.parse.urlencode(parameters)}") as answer:
            return json.load(answer)

    def go(self, address):
        go(self.browser, address)


def spread(times):
    """The median, the 95th percentile and the greatest."""
    ordered = sorted(times)
    return f"median {statistics.median(ordered):.0f} ms, 95th percentile {ordered[int(0.95 * len(ordered))]:.0f} ms, worst {ordered[-1]:.0f} ms"


def measure(heapquarry, given, browser):
    print(f"{Path(given).name}: {Path(given).stat().st_size / 1e6:,.0f} MB")
    alone = [summary(heapquarry, given) for _ in range(RUNS)]
    seconds, peak = (min(values) for values in zip(*alone))
    print(f"  summary                {seconds:.2f} s, {peak / 1e6:,.0f} MB at the peak")
    opened = []
    for _ in range(RUNS - 1):
        with Page(heapquarry, given, browser) as page:
            opened.append((page.seconds, page.peak))
    with Page(heapquarry, given, browser) as page:
        opened.append((page.seconds, page.peak))
        usable, most = (min(values) for values in zip(*opened))
        print(f"  until the page is there {usable:.2f} s ({usable - seconds:+.2f} s, {usable / seconds:.2f} times), {most / 1e6:,.0f} MB ({100 * (most / peak - 1):+.1f} %)")
        kind = page.ask("status")["kind"]
        clicks = browser.run(CLICK.replace("WANTED", str(CLICKS)))
        print(f"  {len(clicks)} clicks            {spread([time for _, time in clicks])}")
        for view in sorted({view for view, _ in clicks}):
            times = [time for of, time in clicks if of == view]
            print(f"    {view:<20} {len(times):>4} {spread(times)}")
        if kind == "heap":
            largest = page.ask("classes", sort="count", top=1)["classes"]["rows"][0]
            browser.resize(1280, HIGH)
            page.go(f"#/class/{urllib.parse.quote(largest['class_key'], safe='')}?sort=id")
            browser.wait("document.querySelector('.list .rows .row a')")
            found = browser.run(SCROLL.replace("WANTED", str(ROWS)))
            rate = found["rows"] / found["seconds"]
            print(f"  {found['rows']:,} of {found['total']:,} rows {found['frames']:,} frames, {found['gaps']} with gaps, {rate:,.0f} rows/s")
            browser.resize(1280, 900)
        view = {"profile": "#/time", "trace": "#/timeline"}.get(kind)
        if view:
            page.go(view)
            browser.wait("document.querySelector('main canvas')")
            times = browser.run(MOVE.replace("WANTED", str(STEPS)))
            print(f"  {STEPS} steps in time       frames: {spread(times)}")
        assert not browser.log, browser.log
        print(f"  peak after all of this {page.peak / 1e6:,.0f} MB")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if not CHROMIUM:
        sys.exit("there is no Chromium")
    heapquarry, *inputs = sys.argv[1:]
    with Browser() as browser:
        for given in inputs:
            measure(heapquarry, given, browser)


if __name__ == "__main__":
    main()
