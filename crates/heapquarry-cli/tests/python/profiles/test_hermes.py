"""Profiles that Hermes, from npm, takes of a program that esbuild minified: as a script, and as bytecode, whose source
map Metro composes. Hermes 0.12 is the last one whose engine npm has; it knows no classes, and its heap snapshots need a
build that npm does not have."""

import json
import platform
import shutil
import subprocess

import pyarrow.parquet as pq
import pytest
from conftest import heapquarry

NODE = shutil.which("node")

SOURCES = {
    "sessions.js": """
export function Session(user) {
  this.user = user;
  this.log = new Array(100).fill(user);
}

export function SessionStore() {
  this.sessions = new Map();
}
SessionStore.prototype.open = function (user) {
  const session = new Session(user);
  this.sessions.set(user, session);
  return session;
};

export const spin = (number) => {
  let sum = 0;
  for (let at = 0; at < 300; at++) sum += Math.sqrt(at * number);
  return sum;
};
""",
    "main.js": """
import { SessionStore, spin } from './sessions.js';

const shopStore = new SessionStore();
function work(store, count) {
  let sum = 0;
  for (let at = 0; at < count; at++) {
    sum += spin(at);
    for (let user = 0; user < 20; user++) store.open('user' + user);
  }
  return sum;
}
globalThis.kept = [shopStore, work, spin];
const begin = Date.now();
while (Date.now() - begin < SECONDS * 1000) work(shopStore, 100);
""",
}
BUILD = """
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const { composeSourceMaps } = require('metro-source-map');
const [seconds, hermesc] = process.argv.slice(2);
const define = { SECONDS: seconds };
const options = { bundle: true, minify: true, sourcemap: true, define };
require('esbuild').buildSync({ entryPoints: ['main.js'], outfile: 'script/app.js', ...options });
execFileSync(hermesc, ['-O', '-emit-binary', '-out', 'app.hbc', '-output-source-map', 'script/app.js']);
const [bundle, bytecode] = ['script/app.js.map', 'app.hbc.map'].map((name) => JSON.parse(fs.readFileSync(name)));
fs.mkdirSync('bytecode');
fs.writeFileSync('bytecode/index.map', JSON.stringify(composeSourceMaps([bundle, bytecode])));
"""
# How each begins, in which source; Hermes says where a function expression is.
KNOWN = {
    "Session": ("sessions.js", "export function Session("),
    "SessionStore.open": ("sessions.js", "SessionStore.prototype.open ="),
    "spin": ("sessions.js", "export const spin ="),
    "work": ("main.js", "function work("),
}


def line_of(source, start):
    [at] = [at for at, line in enumerate(SOURCES[source].split("\n"), 1) if line.startswith(start)]
    return at


@pytest.fixture(scope="module")
def hermes(packages, tmp_path_factory):
    """A folder with the profile of the script, that of the bytecode, and a folder with the map of each."""
    bin = packages / "node_modules" / "hermes-engine-cli" / "linux64-bin"
    if (platform.system(), platform.machine()) != ("Linux", "x86_64") or not NODE:
        pytest.skip("needs Node, and a Hermes for Linux on x86-64")
    # How often it is sampled depends on the machine.
    for seconds in (1, 8, 32):
        folder = tmp_path_factory.mktemp("hermes")
        for name, text in SOURCES.items():
            (folder / name).write_text(text)
        (folder / "build.cjs").write_text(BUILD)
        (folder / "node_modules").symlink_to(packages / "node_modules")
        subprocess.run([NODE, "build.cjs", str(seconds), bin / "hermesc"], cwd=folder, check=True, timeout=120)
        for kind, run in [("script", ["-O", "script/app.js"]), ("bytecode", ["app.hbc"])]:
            done = subprocess.run([bin / "hermes", "--sample-profiling", *run], cwd=folder, capture_output=True, check=True, timeout=300)
            (folder / f"{kind}.json").write_bytes(done.stderr)
        if all(set(KNOWN) <= {name for name, _, _ in originals(folder, kind)} for kind in ["script", "bytecode"]):
            break
    return folder


def functions(folder, kind, *args):
    answer = json.loads(heapquarry("summary", "-q", folder / f"{kind}.json", "--json", "--top", "1000", *args).stdout)
    return answer["cpu_profiles"]["functions"]["rows"], [caveat["text"] for caveat in answer["caveats"]]


def originals(folder, kind, *args):
    rows, _ = functions(folder, kind, "--source-map", folder / kind, *args)
    named = [row["original"] for row in rows if "original" in row]
    return {(one.get("name"), one["source"].rsplit("/", 1)[-1], one["line"]) for one in named}


@pytest.mark.parametrize("kind", ["script", "bytecode"])
def test_functions_have_their_original_names(hermes, kind, tmp_path):
    expected = {(name, source, line_of(source, start)) for name, (source, start) in KNOWN.items()}
    found = originals(hermes, kind)
    assert expected <= found
    # Nothing else is called so.
    assert {one for one in found if one[0]} == expected
    # Without the map: what the file says. A function is one, wherever it calls others.
    rows, caveats = functions(hermes, kind)
    assert not caveats and not any("original" in row for row in rows)
    script = {"script": "script/app.js", "bytecode": "(bytecode)"}[kind]
    own = [row for row in rows if row["url"]]
    assert {row["url"] for row in own} == {script}
    places = [(row["line"], row["column"]) for row in own]
    assert len(set(places)) == len(places) and all("(" not in row["function_name"].replace("(anonymous)", "") for row in own)
    # Tables have them, beside what the file says.
    heapquarry("convert", "-q", hermes / f"{kind}.json", "-o", tmp_path / "t", "--source-map", hermes / kind)
    table = pq.read_table(tmp_path / "t" / "js_cpu_profiler_node.parquet").to_pylist()
    told = {(row["original_name"], row["original_source"].rsplit("/", 1)[-1], row["original_line"] + 1) for row in table if row["original_source"]}
    assert expected <= told
    # Packages and scripts are those of the sources.
    text = heapquarry("summary", "-q", hermes / f"{kind}.json", "--by", "script", "--source-map", hermes / kind).stdout
    assert "sessions.js" in text and "main.js" in text


def test_bytecode_has_the_only_map_of_bytecode(hermes, tmp_path):
    maps = ["--source-map", hermes / "bytecode", "--source-map", hermes / "script"]
    rows, caveats = functions(hermes, "bytecode", *maps)
    assert any("original" in row for row in rows) and not caveats
    # Of two nobody knows which it is.
    other = shutil.copy(hermes / "bytecode" / "index.map", tmp_path / "other.map")
    rows, caveats = functions(hermes, "bytecode", *maps, "--source-map", other)
    assert not any("original" in row for row in rows) and "no source map: (bytecode)" in caveats[0]
    # The map of the script itself is none.
    rows, caveats = functions(hermes, "bytecode", "--source-map", hermes / "script")
    assert not any("original" in row for row in rows) and "no source map: (bytecode)" in caveats[0]
