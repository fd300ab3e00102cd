"""A headless Chromium, spoken to over the DevTools protocol on a pipe."""

import base64
import fcntl
import json
import os
import shutil
import signal
import subprocess
import tempfile
import urllib.parse
import urllib.request
from pathlib import Path

CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ["chromium", "chromium-headless-shell", "google-chrome", "chrome"])), None
)
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-extensions",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe",
]  # fmt: skip

# Texts that would be more than text, were they put on a page as something else.
HOSTILE = [
    "<img src=x onerror=\"document.title='hit'\">", "</title><script>document.title='hit'</script>", "a<svg onload=alert(1)>",
    "../../etc/passwd", "%2e%2e/#?&=", "javascript:alert(1)", "\u202eevil\u0007", "'\"`${alert(1)}", "__proto__",
]  # fmt: skip


class Browser:
    """One page at a time. `log` has what the page wrote to its console, and errors."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="heapquarry-chromium-")
        (from_us, to_browser), (from_browser, to_us) = os.pipe(), os.pipe()
        # Above those that the browser reads and writes: 3 and 4.
        mine = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (from_us, to_us)]
        for fd in (from_us, to_us):
            os.close(fd)
        shell = f'exec "$0" "$@" 3<&{mine[0]} 4>&{mine[1]}'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, CHROMIUM, *FLAGS, f"--user-data-dir={self.folder}"],
            pass_fds=mine, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        for fd in mine:
            os.close(fd)
        self.input, self.output = to_browser, from_browser
        self.pending, self.count, self.session = b"", 0, None
        self.log, self.events = [], []

    def __enter__(self):
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        os.close(self.input)
        os.close(self.output)
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self):
        while b"\0" not in self.pending:
            data = os.read(self.output, 1 << 20)
            assert data, "the browser is gone"
            self.pending += data
        message, _, self.pending = self.pending.partition(b"\0")
        message = json.loads(message)
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.log.append(params["exceptionDetails"].get("exception", {}).get("description") or str(params))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.log.append(str(params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.log.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.events.append(params["request"]["url"])
        elif method == "Page.javascriptDialogOpening":
            self.log.append(f"dialog: {params['message']}")
        elif method == "Page.loadEventFired":
            self.loaded = True
        elif method == "HeapProfiler.addHeapSnapshotChunk":
            self.chunks.append(params["chunk"])
        return message

    def send(self, method, **params):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.input, json.dumps(message).encode() + b"\0")
        while (answer := self.receive()).get("id") != message["id"]:
            pass
        assert "error" not in answer, f"{method}: {answer['error']}"
        return answer["result"]

    def open(self, path, **how):
        """Opens a file, and waits until it is loaded and drawn."""
        self.visit(Path(path).resolve().as_uri(), **how)

    def visit(self, url, width=1280, height=900, dark=False):
        """Opens an address, and waits until it is loaded and drawn."""
        self.resize(width, height)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        self.loaded, self.log, self.events = False, [], []
        self.send("Page.navigate", url=url)
        while not self.loaded:
            self.receive()
        self.settle()

    def resize(self, width, height, scale=1):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)

    def settle(self):
        """Waits until what was started is drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def run(self, expression):
        """The value of an expression, awaited."""
        answer = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, userGesture=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, condition, seconds=120):
        """Until an expression is true. The time is that of a machine that hangs."""
        self.value(f"!!({condition})", seconds)

    def value(self, expression, seconds=120):
        """What an expression is once it is true. Asked for after that, it may be something else again."""
        return self.run(f"""new Promise((done, fail) => {{
            const look = () => {{
                const found = ({expression});
                found ? done(found) : setTimeout(look, 20);
            }};
            setTimeout(() => fail(new Error({json.dumps(f"waited for {expression}")})), {seconds * 1000});
            look();
        }})""")

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key)
        self.settle()

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def hover(self, x, y):
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.settle()

    def snapshot(self, path):
        """Writes a heap snapshot of the page."""
        self.chunks = []
        self.send("HeapProfiler.enable")
        self.send("HeapProfiler.takeHeapSnapshot", reportProgress=False)
        Path(path).write_text("".join(self.chunks), encoding="utf-8")

    def screenshot(self, path, clip=None):
        """The window, or what `clip` (a CSS selector) shows, as a picture of the kind that the ending says."""
        kind = Path(path).suffix[1:]
        options = {"format": kind} | ({"quality": 80} if kind == "webp" else {})
        if clip:
            box = self.run(f"(r => [r.x + scrollX, r.y + scrollY, r.width, r.height])(document.querySelector({clip!r}).getBoundingClientRect())")
            options["clip"] = dict(zip(("x", "y", "width", "height"), box)) | {"scale": 1}
            options["captureBeyondViewport"] = True
        Path(path).write_bytes(base64.b64decode(self.send("Page.captureScreenshot", **options)["data"]))


# -------------------------------------------------------------------------------- the page of `heapquarry open`


def start(browser, served, address="#/overview", **how):
    # Another part of the same page would not load it again.
    browser.visit("about:blank")
    browser.visit(served.address + address, **how)
    browser.wait("document.querySelector('main').dataset.view")
    browser.settle()


def go(browser, address):
    """Goes to a view, and waits until it is there."""
    # Chromium ignores more than 200 changes of an address in ten seconds.
    browser.wait(f"(location.hash = {address!r}, location.hash === {address!r})")
    browser.wait(f"document.querySelector('main').dataset.view === {address!r} && !document.querySelector('main').classList.contains('old')")
    browser.settle()
    # What is put on the page as something else than text or an element.
    assert "[object HTML" not in browser.run("document.body.textContent"), address


def facts(browser):
    """The numbers of an object as people read them."""
    return browser.run("Object.fromEntries([...document.querySelectorAll('[data-fact]')].map(e => [e.dataset.fact, e.textContent]))")


def ask(served, question, **parameters):
    """What the page gets as an answer."""
    with urllib.request.urlopen(f"{served.address}api/{question}?{urllib.parse.urlencode(parameters)}", timeout=300) as answer:
        return json.load(answer)
