"""Whose memory it is, by heaps of running programs: a Deno with a package of JSR, one of npm, Node's modules, a script
of another origin, and its own. Deno reads them from its own folders, as it keeps them, and from this machine. A
page with a script of another origin and an extension."""

import contextlib
import functools
import http.server
import json
import os
import re
import signal
import subprocess
import threading
import urllib.request

import pytest
from browser import CHROMIUM, FLAGS
from conftest import heapquarry, wait_until

CLASS = "export class {name} {{ entries = []; add(text) {{ this.entries.push(text); return () => text; }} }}\n"
MAIN = """
import { OfJsr } from "jsr:@std/path@1.0.8";
import { OfNpm } from "npm:@scope/name@1.2.3";
import { OfOrigin } from "ORIGIN/lib/of_origin.js";
import { OfWorkspace } from "./packages/ui/ui.js";
import { EventEmitter } from "node:events";
class OfMain { constructor() { this.add = () => this; } }
const all = [new OfJsr(), new OfNpm(), new OfOrigin(), new OfWorkspace(), new OfMain()];
globalThis.kept = [new EventEmitter(), ...all, ...all.map((one) => one.add("text"))];
console.log("ready");
setInterval(() => {}, 1000);
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Prints nothing."""

    def log_message(self, *_):
        pass

    def end_headers(self):
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()


@contextlib.contextmanager
def origin(folder):
    """A server of a folder."""
    handler = functools.partial(Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def owners(heap, by):
    told = heapquarry("summary", "-q", heap, "--json", "--top", "1000", "--by", by).stdout
    return {row["owner"]["name"] for row in json.loads(told)["owners"]["owners"]["rows"]}


def written(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text if isinstance(text, str) else json.dumps(text))


def test_packages_of_deno(deno, tmp_path):
    # As Deno vendors a package of JSR, and as npm installs one.
    jsr = "vendor/jsr.example/@std/path"
    written(tmp_path, {
        "deno.json": {"vendor": True, "nodeModulesDir": "manual"},
        "package.json": {"dependencies": {"@scope/name": "1.2.3"}},
        "node_modules/@scope/name/package.json": {"name": "@scope/name", "version": "1.2.3", "type": "module", "exports": "./main.js"},
        "node_modules/@scope/name/main.js": CLASS.format(name="OfNpm"),
        f"{jsr}/meta.json": {"scope": "std", "name": "path", "latest": "1.0.8", "versions": {"1.0.8": {}}},
        f"{jsr}/1.0.8_meta.json": {"manifest": {}, "exports": {".": "./mod.js"}},
        f"{jsr}/1.0.8/mod.js": CLASS.format(name="OfJsr"),
        "packages/ui/ui.js": CLASS.format(name="OfWorkspace"),
        "served/lib/of_origin.js": CLASS.format(name="OfOrigin"),
    })
    log = tmp_path / "log"
    with origin(tmp_path / "served") as address, open(log, "wb") as output:
        written(tmp_path, {"main.js": MAIN.replace("ORIGIN", address)})
        environment = {"DENO_DIR": str(tmp_path / "cache"), "JSR_URL": "https://jsr.example/", "HOME": str(tmp_path)}
        args = [deno, "run", "--inspect=127.0.0.1:0", "--allow-all", "main.js"]
        process = subprocess.Popen(args, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        with process:
            try:
                wait_until(lambda: "ready\n" in log.read_text(), process, told=log.read_text)
                [port] = set(re.findall(r"ws://127\.0\.0\.1:(\d+)/", log.read_text()))
                raw = tmp_path / "deno.heapsnapshot"
                heapquarry("capture", port, "-q", "--raw", raw)
            finally:
                process.kill()
    found = owners(raw, "package")
    own = {"jsr:@std/path", "@scope/name", address, "packages/ui", "(own scripts)"}
    assert own <= found, found
    # All else is of the runtime, of the engine, or of nobody.
    assert all(re.fullmatch(r"(node|ext|deno):.*|\(engine\)|\(unattributed\)|\(outside the heap\)", name) for name in found - own), found
    # Each class is made by the script of its package.
    scripts = owners(raw, "script")
    for end in ["/@std/path/1.0.8/mod.js", "/@scope/name/main.js", "/lib/of_origin.js", "/packages/ui/ui.js", "/main.js"]:
        assert any(name.endswith(end) for name in scripts), (end, scripts)


PAGE = """<script type="module">
import { OfOrigin } from "ORIGIN/of_origin.js";
class OfPage { constructor() { this.add = () => this; } }
globalThis.kept = [new OfOrigin(), new OfPage(), new OfOrigin().add("text")];
</script>"""
EXTENSION = """
class OfExtension { constructor() { this.add = () => this; } }
globalThis.kept = new OfExtension();
document.title = "ready";
"""


@pytest.mark.skipif(not CHROMIUM, reason="there is no chromium")
def test_origins_and_extensions_of_a_page(tmp_path):
    script = {"matches": ["http://*/*"], "js": ["content.js"], "run_at": "document_end"}
    manifest = {"manifest_version": 3, "name": "extension", "version": "1", "content_scripts": [script]}
    extension = tmp_path / "extension"
    written(extension, {"manifest.json": manifest, "content.js": EXTENSION})
    with origin(tmp_path) as own, origin(tmp_path) as other:
        written(tmp_path, {"index.html": PAGE.replace("ORIGIN", other), "of_origin.js": CLASS.format(name="OfOrigin")})
        flags = [flag for flag in FLAGS if flag not in ["--remote-debugging-pipe", "--disable-extensions"]]
        flags += [f"--load-extension={extension}", "--disable-features=DisableLoadExtensionCommandLineSwitch"]
        args = [CHROMIUM, *flags, "--remote-debugging-port=0", f"--user-data-dir={tmp_path / 'profile'}", f"{own}/index.html"]
        nowhere = subprocess.DEVNULL
        browser = subprocess.Popen(args, stdout=nowhere, stderr=nowhere, start_new_session=True)
        try:
            active = tmp_path / "profile" / "DevToolsActivePort"
            wait_until(lambda: active.exists() and active.read_text().count("\n"), browser)
            port = active.read_text().split()[0]
            targets = lambda: json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=300))
            ready = lambda: [target["id"] for target in targets() if target["title"] == "ready"]
            [page] = wait_until(ready, browser)
            raw = tmp_path / "page.heapsnapshot"
            heapquarry("capture", f"{port}/{page}", "-q", "--raw", raw)
        finally:
            os.killpg(browser.pid, signal.SIGKILL)
            browser.wait()
    found = owners(raw, "package")
    assert {own, other} <= found
    assert len([name for name in found if re.fullmatch("chrome-extension://[a-p]{32}", name)]) == 1, found
