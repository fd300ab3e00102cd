"""Source maps: functions and classes of bundles are called as their sources call them."""

import base64
import json
import os
import re
import shutil
import subprocess
import urllib.error

import pyarrow.parquet as pq
import pytest
from browser import ask
from conftest import CORPUS, heapquarry, serving, wait_until

NODE = shutil.which("node")


def heap(folder, script="/srv/dist/app.js", map_url="app.js.map"):
    """A heap with a function at 1:21 and an object whose class is at 1:41, both of a script that names its map."""
    strings = ["", "closure", "shared", "script", script, "code", "I", "e", map_url, "system / SharedFunctionInfo / I"]
    strings += ["f", "o"]
    types = ["hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic"]
    edge_types = ["context", "element", "property", "internal", "hidden", "shortcut", "weak"]
    nodes, edges = [], []
    for kind, name, out in [
        ("synthetic", 0, [("property", 10, 1), ("property", 11, 2)]),
        ("closure", 6, [("internal", 2, 3)]),
        ("object", 7, []),
        ("code", 9, [("internal", 3, 4)]),
        ("code", 4, [("hidden", 4, 5)]),
        ("string", 8, []),
    ]:
        nodes += [types.index(kind), name, len(nodes) // 6 * 2 + 1, 16, len(out), 0]
        edges += [value for kind, name, to in out for value in (edge_types.index(kind), name, to * 6)]
    fields = ["type", "name", "id", "self_size", "edge_count", "trace_node_id"]
    meta = {
        "node_fields": fields,
        "node_types": [types, "string", "number", "number", "number", "number"],
        "edge_fields": ["type", "name_or_index", "to_node"],
        "edge_types": [edge_types, "string_or_number", "node"],
        "location_fields": ["object_index", "script_id", "line", "column"],
    }
    locations = [6, 9, 0, 20, 12, 9, 0, 40]
    text = {
        "snapshot": {"meta": meta, "node_count": 6, "edge_count": 5},
        "nodes": nodes,
        "edges": edges,
        "locations": locations,
        "strings": strings,
    }
    path = folder / "app.heapsnapshot"
    path.write_text(json.dumps(text))
    return path


SOURCE = "export const increment = (by) => by;\n\nexport class Cache {}\n"
# 1:21 leads to the arrow of line 1, 1:41 to the class of line 3.
MAP = {"version": 3, "sources": ["../src/cache.ts"], "sourcesContent": [SOURCE], "names": [], "mappings": "oBAAyB,oBAElB"}


def shown(path, of, *args, **options):
    text = heapquarry("show", "-q", path, "--node", of, "--json", *args, **options).stdout
    return json.loads(text)


def test_original_names_stand_beside_those_of_the_file(tmp_path):
    path = heap(tmp_path)
    before = shown(path, "3")
    (tmp_path / "app.js.map").write_text(json.dumps(MAP))
    source = "/srv/src/cache.ts"
    for node, name, text, line, column in [
        ("3", "increment", "increment cache.ts:1:26 [I app.js:1:21]", 1, 26),
        ("5", "Cache", "Cache [e]", 3, 8),
    ]:
        told = shown(path, node, "--source-map", tmp_path / "app.js.map")["object"]
        assert told["name"] == text
        assert told["original"] == {"name": name, "source": source, "line": line, "column": column}
        # What the file says stays.
        assert (told["script_name"], told["line"]) == ("/srv/dist/app.js", 1)
    # Nothing changes without a map.
    assert shown(path, "3") == before and "original" not in before["object"]
    [row] = [row for row in summary(path, "--source-map", tmp_path)["classes"]["rows"] if "original" in row]
    assert (row["class_name"], row["original"]["name"]) == ("e", "Cache")
    assert "Cache [e]" in heapquarry("summary", "-q", path, "--source-map", tmp_path).stdout
    # A class is found by either name.
    for name in ["e", "Cache"]:
        found = heapquarry("why", "-q", path, "--class", name, "--json", "--source-map", tmp_path).stdout
        assert json.loads(found)["objects"][0]["object"]["original"]["line"] == 3


def summary(path, *args, **options):
    return json.loads(heapquarry("summary", "-q", path, "--json", *args, **options).stdout)


def test_maps_are_given_by_option_or_variable(tmp_path):
    path = heap(tmp_path)
    (tmp_path / "maps").mkdir()
    (tmp_path / "maps" / "app.js.map").write_text(json.dumps(MAP))
    for args, variable in [
        (["--source-map", tmp_path / "maps"], None),
        (["--source-map", tmp_path / "*" / "*.map"], None),
        ([], str(tmp_path / "maps")),
        # The option counts more.
        (["--source-map", tmp_path / "maps"], str(tmp_path / "none")),
    ]:
        env = {**os.environ, **({"HEAPQUARRY_SOURCE_MAPS": variable} if variable else {})}
        assert shown(path, "3", *args, env=env)["object"]["original"]["name"] == "increment"
    for none in [tmp_path / "none", tmp_path / "none*.map"]:
        done = heapquarry("summary", "-q", path, "--source-map", none, expect=2)
        assert "source maps" in done.stderr and str(none) in done.stderr


def test_what_maps_do_not_tell_is_said(tmp_path):
    path = heap(tmp_path)
    target = tmp_path / "app.js.map"
    for text, caveat, name in [
        ("{", "cannot be used", "I app.js:1:21"),
        (json.dumps(dict(MAP, mappings="A*")), "cannot be used", "I app.js:1:21"),
        (json.dumps(dict(MAP, sourcesContent=[None])), None, "I cache.ts:1:26 [app.js:1:21]"),
        (json.dumps(dict(MAP, mappings="KAAyB,U")), None, "I ?: [app.js:1:21]"),
    ]:
        target.write_text(text)
        told = shown(path, "3", "--source-map", target)
        assert told["object"]["name"] == name
        texts = [caveat["text"] for caveat in told["caveats"]]
        assert [caveat in text for text in texts if "no source map" not in text] == ([True] if caveat else [])
    other = heap(tmp_path, script="/srv/other.js", map_url="other.js.map")
    told = shown(other, "3", "--source-map", target)
    assert [caveat["text"] for caveat in told["caveats"]] == ["1 of 1 scripts have no source map: other.js"]


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """Three snapshots of the shop of docs/names.md."""
    if not NODE:
        pytest.skip("there is no node")
    folder = tmp_path_factory.mktemp("shop")
    subprocess.run([NODE, "--expose-gc", CORPUS / "names" / "shop.js", folder], check=True, timeout=120)
    return [folder / f"{round}.heapsnapshot" for round in (1, 2, 3)]


SHOP_MAPS = ["--source-map", CORPUS / "names"]


def test_packages_of_a_bundle_are_those_of_its_sources(shop):
    def packages(*args):
        return {row["owner"]["name"]: row for row in summary(shop[2], "--by", "package", *args)["owners"]["owners"]["rows"]}

    told, plain = packages(*SHOP_MAPS), packages()
    assert {"packages/memo", "packages/router"} <= told.keys() and not {"packages/memo", "packages/router"} & plain.keys()
    assert told["packages/memo"]["size"] > 20 * told["packages/router"]["size"]
    # Each byte belongs to one owner, with or without a map.
    assert sum(row["size"] for row in told.values()) == sum(row["size"] for row in plain.values())


def test_table_of_packages_is_what_the_summary_says(shop, tmp_path):
    corpus = [CORPUS / f"{name}.heapsnapshot.gz" for name in ["node22", "chromium"]]
    for path, args in [(shop[2], SHOP_MAPS), (shop[2], []), *((path, []) for path in corpus)]:
        out = tmp_path / "t"
        heapquarry("convert", "-q", path, "-o", out, "--force", "--analyze", *args)
        table = pq.read_table(out / "js_heap_package.parquet").to_pylist()
        told = summary(path, "--by", "package", *args)["owners"]["owners"]["rows"]
        expected = [
            (row["owner"]["name"], row["owner"]["kind"], row["count"], row["size"], row.get("retained_size"))
            for row in told
        ]
        columns = ["package", "kind", "count", "shallow_size", "retained_size"]
        assert [tuple(row[name] for name in columns) for row in table] == expected, path
        statistics = pq.read_table(out / "js_heap_statistics.parquet").to_pylist()
        assert sum(row["shallow_size"] for row in table) == statistics[0]["size"]
        # What the file says stays, whatever maps tell.
        names = pq.read_table(out / "js_heap_class.parquet", columns=["class_name"])["class_name"].to_pylist()
        assert "Memo" not in names or not args
        # Other tables alone do without it; suspects need the edges after the analysis too.
        heapquarry("convert", "-q", path, "-o", out, "--force", "--tables", "js_heap_package,js_heap_suspect", *args)
        assert pq.read_table(out / "js_heap_package.parquet").to_pylist() == table


def test_variables_are_called_as_their_sources_call_them(tmp_path):
    """The map names them where they are written, so the text of the bundle must be at hand, and be that of the heap."""
    if not NODE:
        pytest.skip("there is no node")
    for name in ["leak.js", "leak.js.map"]:
        shutil.copy(CORPUS / "names" / name, tmp_path)
    subprocess.run([NODE, "--expose-gc", tmp_path / "leak.js", tmp_path], check=True, timeout=120)
    heaps = [tmp_path / f"{round}.heapsnapshot" for round in (1, 2, 3)]
    maps = ["--source-map", tmp_path / "leak.js.map"]

    def told():
        leak = json.loads(heapquarry("leaks", "-q", *heaps, "--json", *maps).stdout)["findings"][0]
        path = json.loads(heapquarry("why", "-q", heaps[2], "--class", "SessionStore", "--json", *maps).stdout)
        steps = path["objects"][0]["paths"][0]["steps"]
        scope = [row for row in steps if row["edge_type"] == "context"]
        return leak["way"], [row["edge"] for row in scope]

    leak, edges = told()
    assert (leak, edges) == ("variable shop [u].store.sessions of leak.js", ["shop [u]"])
    # The text of another build tells nothing.
    (tmp_path / "leak.js").write_text("var u;" + (tmp_path / "leak.js").read_text())
    assert told() == ("variable u.store.sessions of leak.js", ["u"])


def test_growth_of_packages_is_limited(shop, tmp_path):
    budget = tmp_path / "budget.toml"
    for text, expect, says in [
        ('[package."*"]\nretained = "+100 kB"\n', 1, "packages/memo"),
        ('[package."*"]\nsize = "+1%"\n', 1, "packages/memo"),
        ('[package."*"]\nsize = "+100 MB"\n', 0, None),
        ('[package."packages/router"]\nsize = "+50%"\n', 0, None),
        ('[package."packages/memo"]\ncount = "+10"\n', 1, "packages/memo"),
        ('[package."packages/none"]\nsize = "+1%"\n', 2, "packages/none"),
    ]:
        budget.write_text(text)
        args = ["check", "-q", shop[2], "--budget", budget, "--baseline", shop[0], *SHOP_MAPS]
        done = heapquarry(*args, expect=expect)
        assert says is None or says in done.stdout + done.stderr, text
    # A baseline of figures has packages too.
    saved = tmp_path / "base.json"
    heapquarry("check", "-q", shop[0], "--save-baseline", saved, *SHOP_MAPS)
    budget.write_text('[package."*"]\nsize = "+100 kB"\n')
    done = heapquarry("check", "-q", shop[2], "--budget", budget, "--baseline", saved, *SHOP_MAPS, expect=1)
    assert "packages/memo" in done.stdout and "packages/router" not in done.stdout


def test_values_of_profiles_are_compared_by_package_and_script(tmp_path):
    old, new = profile(tmp_path), tmp_path / "new.cpuprofile"
    new.write_text(old.read_text().replace("[100, 200, 300]", "[150, 300, 300]"))
    for args, by, rows in [
        ([], "package", [("(own scripts)", 500, 600, 500, 600)]),
        ([], "script", [("file:///srv/dist/app.js", 500, 600, 500, 600)]),
        (["--source-map", tmp_path], "script", [("file:///srv/src/cache.ts", 500, 600, 500, 600)]),
    ]:
        (tmp_path / "app.js.map").write_text(json.dumps(MAP))
        told = json.loads(heapquarry("diff", "-q", old, new, "--by", by, "--json", *args).stdout)["owners"]
        columns = ["name", "base_self_value", "self_value", "base_total_value", "total_value"]
        assert told["by"] == by
        assert [tuple(row[name] for name in columns) for row in told["owners"]["rows"]] == rows
        assert rows[0][0] in heapquarry("diff", "-q", old, new, "--by", by, *args).stdout
    # Functions are listed anyway.
    assert "owners" not in json.loads(heapquarry("diff", "-q", old, new, "--by", "function", "--json").stdout)
    # Where all was idle, nothing has a share.
    idle = tmp_path / "idle.cpuprofile"
    idle.write_text(old.read_text().replace('"I"', '"(idle)"').replace("file:///srv/dist/app.js", ""))
    idle.write_text(idle.read_text().replace('"samples": [2, 3, 4]', '"samples": [2, 2, 2]'))
    told = json.loads(heapquarry("diff", "-q", old, idle, "--by", "package", "--json").stdout)
    shares = {
        (row["base_self_percent"] is None, row["self_percent"] is None, row["self_percent_delta"] is None)
        for row in told["owners"]["owners"]["rows"]
    }
    assert shares == {(False, True, True)}


def test_cpu_profiles_of_traces_are_compared_by_package_script_and_function(tmp_path):
    (tmp_path / "app.js.map").write_text(json.dumps(MAP))
    old, new = trace_of_profile(tmp_path, "a.json", [100, 200, 300]), trace_of_profile(tmp_path, "b.json", [100, 900, 300])
    maps = ["--source-map", tmp_path]

    def told(*args):
        return json.loads(heapquarry("diff", "-q", *args, "--json").stdout)

    for args, by, name in [
        ([], "package", "(own scripts)"),
        ([], "script", "file:///srv/dist/app.js"),
        (maps, "script", "file:///srv/src/cache.ts"),
    ]:
        found = told(old, new, "--by", by, *args)["cpu_profiles"]["owners"]
        rows = [(row["name"], row["self_value_delta"]) for row in found["owners"]["rows"]]
        assert (found["by"], rows) == (by, [(name, 700)])
        shown = heapquarry("diff", "-q", old, new, "--by", by, *args).stdout
        assert name in shown and "Slices" not in shown
    found = told(old, new, "--by", "function", *maps)["cpu_profiles"]
    assert "owners" not in found
    assert [row["function_name"] for row in found["functions"]["rows"]] == ["Cache", "increment"]
    # Of several runs they are medians.
    runs = told("--before", old, old, "--after", new, new, "--by", "package")["cpu_profiles"]["owners"]["owners"]["rows"]
    assert [(row["base_self_value"], row["self_value"]) for row in runs] == [(300, 1000)]
    # Not every trace has a CPU profile.
    assert "cpu_profiles" not in told(old, new)
    none = CORPUS / "traces" / "node26.trace.json.gz"
    for pair in [(old, none), (none, new)]:
        found = told(*pair, "--by", "package")
        assert "cpu_profiles" not in found
        assert [row["text"] for row in found["caveats"] if "whose time" in row["text"]] == [
            f"no CPU profile was read of {none}, so nothing tells whose time it is"
        ]


def test_batches_do_not_look_for_maps(tmp_path):
    (tmp_path / "in").mkdir()
    path = profile(tmp_path / "in")
    env = {**os.environ, "HEAPQUARRY_SOURCE_MAPS": str(tmp_path / "none")}
    heapquarry("convert", "-q", "--batch", path.parent, "-o", tmp_path / "out", env=env)
    assert "source maps" in heapquarry("convert", "-q", path, "-o", tmp_path / "t", env=env, expect=2).stderr


CACHE = """
export interface Entry<T> { key: string; value: T }

export class LeakyCache<T extends object> {
  readonly entries = new Map<string, Entry<T>>();
  #hits = 0;
  onAdd = (entry: Entry<T>): void => { this.#hits += entry.key.length; };

  constructor(private readonly label: string) {}

  put(key: string, value: T): Entry<T> {
    const entry: Entry<T> = { key, value };
    this.entries.set(key, entry);
    this.onAdd(entry);
    return entry;
  }
  describe(): { label: string; hits: number } { return { label: this.label, hits: this.#hits }; }
}

export class PlainRecord {
  payload = new Array<number>(8).fill(1);
}

export class NamedSession {
  constructor(public id: number, public record: PlainRecord) {}
}
"""
HANDLERS = """
import { NamedSession, PlainRecord } from './cache';

export const arrowHandler = (event: { id: number }): NamedSession => new NamedSession(event.id, new PlainRecord());
export const singleParameter = (value: number) => value * 2;
export async function asyncWorker(count: number): Promise<number> { return count; }
export function* generatorOfIds(limit: number) { for (let i = 0; i < limit; i++) yield i; }
export const expressionFunction = function (a: number, b: number) { return a + b; };

export function makeCounter(start: number) {
  let capturedCounter = { value: start };
  const incrementBy = (step: number) => { capturedCounter.value += step; return capturedCounter.value; };
  return { incrementBy, readCounter() { return capturedCounter; } };
}

export const table = {
  methodOfTable(x: number) { return x; },
  arrowOfTable: (x: number) => x + 1,
};
"""
MAIN = """
import { LeakyCache } from './cache';
import * as handlers from './handlers';
import DefaultExport, * as classes from './classes';
declare const require: any, process: any, globalThis: any;

const cache = new LeakyCache<object>('sessions');
const counter = handlers.makeCounter(5);

function fillCache(round: number) {
  for (let i = 0; i < 400; i++) cache.put(`session-${round}-${i}`, handlers.arrowHandler({ id: i }));
}

globalThis.classes = [
  new classes.WithFields(), new classes.WithPrivate(), new classes.Base('a'), new classes.Derived('b'),
  new classes.DerivedTwice('c'), new classes.Expression(), new classes.NamedExpression(), new classes.WithStatic(),
  new DefaultExport(), new classes.Generic({}),
];
globalThis.more = () => [
  new classes.WithFields(), new classes.WithPrivate(), new classes.Base('a'), new classes.Derived('b'),
  new classes.DerivedTwice('c'), new classes.Expression(), new classes.NamedExpression(), new classes.WithStatic(),
  new DefaultExport(), new classes.Generic({}), new LeakyCache('more'),
  handlers.asyncWorker, handlers.generatorOfIds, handlers.expressionFunction, handlers.singleParameter,
];
globalThis.keep = [
  handlers.singleParameter, handlers.asyncWorker, handlers.generatorOfIds, handlers.expressionFunction,
  handlers.table, handlers.makeCounter, handlers.arrowHandler, counter, cache, fillCache, LeakyCache,
];
const session = new (require('node:inspector').Session)();
session.connect();
session.post('HeapProfiler.startSampling', { samplingInterval: 16 });
for (let round = 0; round < 3; round++) {
  fillCache(round);
  globalThis.gc();
  require('node:v8').writeHeapSnapshot(`${process.argv[2]}/${round}.heapsnapshot`);
}
session.post('HeapProfiler.stopSampling', (error: Error | null, { profile }: any) => {
  require('node:fs').writeFileSync(`${process.argv[2]}/main.heapprofile`, JSON.stringify(profile));
});
"""
# Classes and functions are used in two places: what is used once is written there, and some maps lose it.
CLASSES_OF_ALL_KINDS = """
export class WithFields { first = 1; second = [1, 2]; }
export class WithPrivate { #secret = { value: 1 }; reveal() { return this.#secret; } }
export class Base { constructor(readonly kind: string) {} }
export class Derived extends Base { extra = {}; }
export class DerivedTwice extends Derived { constructor(readonly label: string) { super('twice'); } }
export const Expression = class { value = {}; };
export const NamedExpression = class InnerName { value = {}; };
export class WithStatic { static readonly made: WithStatic[] = []; content = [WithStatic.made]; }
export default class DefaultExport { content = {}; }
export class Generic<T> { constructor(private held: T) {} get value(): T { return this.held; } }
"""
SOURCES = {"cache.ts": CACHE, "classes.ts": CLASSES_OF_ALL_KINDS, "handlers.ts": HANDLERS, "main.ts": MAIN}
BUILD = r"""
const fs = require('fs'), path = require('path');
const esbuild = require('esbuild'), terser = require('terser'), ts = require('typescript'), swc = require('@swc/core');
const webpack = require('webpack'), { rollup } = require('rollup');
const common = { entryPoints: ['src/main.ts'], bundle: true, platform: 'node', target: 'es2022', sourcemap: true };

// TypeScript without types, for the bundlers that need it.
function transpile(text, fileName) {
  const compilerOptions = { module: 'esnext', target: 'es2022', sourceMap: true, inlineSources: true };
  const { outputText, sourceMapText } = ts.transpileModule(text, { fileName, compilerOptions });
  return { code: outputText.replace(/\/\/# sourceMappingURL=.*/, ''), map: JSON.parse(sourceMapText) };
}

async function minify(folder, code, content) {
  const sourceMap = { content, url: 'main.js.map', includeSources: true };
  const made = await terser.minify({ 'main.js': code }, { sourceMap, module: true, mangle: { toplevel: true } });
  fs.mkdirSync(folder);
  fs.writeFileSync(`${folder}/main.js`, made.code);
  fs.writeFileSync(`${folder}/main.js.map`, made.map);
}

(async () => {
  await esbuild.build({ ...common, outfile: 'esbuild/main.js', minify: true });
  await esbuild.build({ ...common, outfile: 'inline/main.js', minify: true, sourcemap: 'inline' });
  await esbuild.build({ ...common, outfile: 'bundle/main.js' });
  await minify('terser', fs.readFileSync('bundle/main.js', 'utf8'), fs.readFileSync('bundle/main.js.map', 'utf8'));

  const options = { module: 'commonjs', target: 'es2022', sourceMap: true, inlineSources: true, outDir: 'tsc' };
  const program = ts.createProgram(['src/main.ts'], ts.convertCompilerOptionsFromJson(options, '.').options);
  program.emit();

  fs.mkdirSync('swc');
  for (const name of fs.readdirSync('src')) {
    const made = await swc.transformFile(`src/${name}`, {
      sourceMaps: true, inlineSourcesContent: true, minify: true, module: { type: 'commonjs' }, swcrc: false,
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022', minify: { mangle: { toplevel: true }, compress: true } },
    });
    const out = `swc/${name.replace('.ts', '.js')}`;
    fs.writeFileSync(out, `${made.code}\n//# sourceMappingURL=${path.basename(out)}.map`);
    fs.writeFileSync(`${out}.map`, made.map);
  }

  fs.writeFileSync('loader.cjs', `module.exports = function (text) {
    const { code, map } = (${transpile.toString().replace('ts.', "require('typescript').")})(text, this.resourcePath);
    this.callback(null, code, map);
  };`);
  await new Promise((done, fail) => webpack({
    mode: 'production', target: 'node', entry: './src/main.ts', devtool: 'source-map', context: process.cwd(),
    resolve: { extensions: ['.ts', '.js'] },
    module: { rules: [{ test: /\.ts$/, use: path.resolve('loader.cjs') }] },
    output: { path: path.resolve('webpack'), filename: 'main.js' },
  }, (error, stats) => error || stats.hasErrors() ? fail(error || new Error(stats.toString())) : done()));

  const plugin = {
    name: 'typescript',
    resolveId: (id, from) => from && id.startsWith('./') ? path.resolve(path.dirname(from), `${id}.ts`) : null,
    transform: transpile,
  };
  const bundle = await rollup({ input: 'src/main.ts', external: ['node:v8'], plugins: [plugin] });
  const { output: [chunk] } = await bundle.generate({ format: 'cjs', sourcemap: true, file: 'rollup/main.js' });
  await minify('rollup', chunk.code, chunk.map.toString());

  const vite = await import('vite');
  await vite.build({
    logLevel: 'error', configFile: false,
    build: {
      outDir: 'vite', ssr: 'src/main.ts', minify: true, sourcemap: true, target: 'es2022',
      rollupOptions: { output: { format: 'cjs', entryFileNames: 'main.js' } },
    },
  });
})().catch(error => { console.error(error); process.exit(1); });
"""
# Of each function and class that lives: its name, its source, and what its line begins with.
NAMES = [
    ("arrowHandler", "handlers.ts", "export const arrowHandler"),
    ("singleParameter", "handlers.ts", "export const singleParameter"),
    ("asyncWorker", "handlers.ts", "export async"),
    ("generatorOfIds", "handlers.ts", "export function*"),
    ("expressionFunction", "handlers.ts", "export const expressionFunction"),
    ("makeCounter", "handlers.ts", "export function makeCounter"),
    ("incrementBy", "handlers.ts", "  const incrementBy"),
    ("readCounter", "handlers.ts", "  return { incrementBy"),
    ("methodOfTable", "handlers.ts", "  methodOfTable"),
    ("arrowOfTable", "handlers.ts", "  arrowOfTable"),
    ("put", "cache.ts", "  put("),
    ("onAdd", "cache.ts", "  onAdd"),
    ("describe", "cache.ts", "  describe"),
    ("fillCache", "main.ts", "function fillCache"),
]
CLASSES = [
    ("LeakyCache", "cache.ts", "  constructor(private"),
    ("PlainRecord", "cache.ts", "export class PlainRecord"),
    ("NamedSession", "cache.ts", "  constructor(public"),
    ("WithFields", "classes.ts", "export class WithFields"),
    ("WithPrivate", "classes.ts", "export class WithPrivate"),
    ("Base", "classes.ts", "export class Base"),
    ("Derived", "classes.ts", "export class Derived extends"),
    ("DerivedTwice", "classes.ts", "export class DerivedTwice"),
    ("Expression", "classes.ts", "export const Expression"),
    ("InnerName", "classes.ts", "export const NamedExpression"),
    ("WithStatic", "classes.ts", "export class WithStatic"),
    ("DefaultExport", "classes.ts", "export default"),
    ("Generic", "classes.ts", "export class Generic"),
]


def line_of(source, start):
    [line] = [number for number, text in enumerate(SOURCES[source].split("\n"), 1) if text.startswith(start)]
    return line


def test_maps_count_in_the_limit_of_memory(tmp_path):
    """Of a map of 20 MB and of those that a capture stored; a small one is used all the same."""
    (tmp_path / "small").mkdir()
    (tmp_path / "large").mkdir()
    path = heap(tmp_path)
    cpu = profile(tmp_path)
    trace = calls(tmp_path)
    (tmp_path / "small" / "app.js.map").write_text(json.dumps(MAP))
    large = dict(MAP, sourcesContent=[SOURCE + "//" + "x" * 20_000_000])
    (tmp_path / "large" / "app.js.map").write_text(json.dumps(large))
    told = lambda answer: "original" in json.dumps(answer)
    for one in [path, cpu, trace]:
        for size, limit, is_used in [("large", "30MB", False), ("large", "100MB", True), ("large", "10MB", False), ("small", "10MB", True)]:
            answer = summary(one, "--source-map", tmp_path / size, "--memory", limit)
            why = [caveat["text"] for caveat in answer["caveats"] if "it takes about" in caveat["text"]]
            assert told(answer) == is_used and len(why) == (not is_used), (one.name, size, limit)
            if not is_used:
                assert "large/app.js.map cannot be used: it takes about" in why[0] and "the limit leaves" in why[0]
    # Beside a capture.
    stored = dict(version=1, file_bytes=cpu.stat().st_size, source_maps=[dict(script="file:///srv/dist/app.js", map=json.dumps(large))])
    (tmp_path / f"{cpu.name}.maps.json").write_text(json.dumps(stored))
    for limit, is_used in [("30MB", False), ("100MB", True), (None, True)]:
        answer = summary(cpu, *(["--memory", limit] if limit else []))
        why = [caveat["text"] for caveat in answer["caveats"] if "it takes about" in caveat["text"]]
        assert told(answer) == is_used and len(why) == (not is_used), (limit, why)


@pytest.fixture(scope="module")
def built(packages, tmp_path_factory):
    """A program that leaks, as several tools write it."""
    folder = tmp_path_factory.mktemp("names")
    (folder / "src").mkdir()
    for name, text in SOURCES.items():
        (folder / "src" / name).write_text(text)
    (folder / "build.cjs").write_text(BUILD)
    (folder / "node_modules").symlink_to(packages / "node_modules")
    subprocess.run([NODE, "build.cjs"], cwd=folder, check=True, timeout=300)
    return folder


TOOLS = ["esbuild", "inline", "terser", "tsc", "swc", "webpack", "rollup", "vite"]


@pytest.mark.parametrize("tool", TOOLS)
def test_functions_of_bundles_have_their_original_names(built, tool):
    out = built / tool
    run = [NODE, "--expose-gc", out / "main.js", out]
    subprocess.run(run, cwd=built, check=True, timeout=120)
    heaps = [out / f"{round}.heapsnapshot" for round in range(3)]
    maps = ["--source-map", out / "main.js" if tool == "inline" else out]
    asked = lambda *args: json.loads(heapquarry(*args, "-q", "--json", *maps).stdout)
    names = [row["value"] for row in asked("show", heaps[2], "--class", "Function", "--top", "100000")["objects"]["rows"]]
    for name, source, start in [*NAMES, *CLASSES]:
        told = f"{name} {source}:{line_of(source, start)}:"
        assert any(known.startswith(told) and "[" in known for known in names), told
    originals = [row["original"] for row in summary(heaps[2], *maps)["classes"]["rows"] if "original" in row]
    for name, source, start in CLASSES:
        [known] = [known for known in originals if known.get("name") == name]
        assert (known["source"].rsplit("/", 1)[1], known["line"]) == (source, line_of(source, start)), known
    # Objects of each class, with the paths that keep them.
    all_classes = [arg for name, _, _ in CLASSES for arg in ("--class", name)]
    found = asked("why", heaps[2], *all_classes, "--top", "1000")["objects"]
    found = {named(one["object"]["original"]) for one in found if "original" in one["object"]}
    assert found == {(name, source, line_of(source, start)) for name, source, start in CLASSES}
    found = asked("show", heaps[2], *all_classes, "--top", "100000")["objects"]["rows"]
    assert {row["value"].split(" [")[0] for row in found} == {name for name, _, _ in CLASSES}
    # The leak: what holds it, what is held, and where that is made.
    leak = heapquarry("leaks", "-q", *heaps, *maps).stdout
    first = leak.split("\n2. ")[0]
    for text in ["LeakyCache", ".entries", f"cache.ts:{line_of('cache.ts', '  constructor(public')}"]:
        assert text in first, first
    # Without maps the old answer: what the file says, and nothing of a source.
    plain = heapquarry("leaks", "-q", *heaps).stdout + heapquarry("summary", "-q", heaps[2]).stdout
    assert ".ts" not in plain.replace(str(out), "")
    assert "LeakyCache" not in plain or tool in ["tsc", "swc"]
    # A heap profile, and CPU profiles of the same calls, and of all functions of the program: how a live one is sampled
    # would depend on the machine.
    sampled = out / "main.heapprofile"
    places = [re.fullmatch(r".* \[(?:(.+) )?(\w+\.js):(\d+):(\d+)\]", known) for known in names]
    every = cpu_profile_at(out, [place.groups() for place in places if place])
    some = [known for known in NAMES if known[0] in ["arrowHandler", "put", "fillCache"]]
    for path, wanted in [(sampled, some), (cpu_profile_of(sampled), some), (every, [*NAMES, *CLASSES])]:
        rows = [row["original"] for row in summary(path, *maps)["functions"]["rows"] if "original" in row]
        found = {named(row) for row in rows}
        for name, source, start in wanted:
            assert (name, source, line_of(source, start)) in found, (name, path.name)
        assert not any("original" in row for row in summary(path)["functions"]["rows"])


def cpu_profile_of(sampled):
    """A CPU profile with the calls of a sampling heap profile, one sample of each."""
    nodes, work = [], [json.loads(sampled.read_text())["head"]]
    while work:
        node = work.pop()
        work += node["children"]
        nodes.append(dict(id=node["id"], callFrame=node["callFrame"], children=[child["id"] for child in node["children"]]))
    samples = [node["id"] for node in nodes]
    path = sampled.with_suffix(".cpuprofile")
    times = dict(startTime=0, endTime=len(nodes), timeDeltas=[1] * len(nodes))
    path.write_text(json.dumps(dict(nodes=nodes, samples=samples, **times)))
    return path


def cpu_profile_at(out, places):
    """A CPU profile with a sample of each of the functions that a heap has, by name, file, line and column."""
    nodes = [dict(id=1, callFrame=dict(functionName="(root)", scriptId="0", url="", lineNumber=-1, columnNumber=-1))]
    for id, (name, file, line, column) in enumerate(places, 2):
        frame = dict(functionName=name or "", scriptId="9", url=(out / file).as_uri(), lineNumber=int(line) - 1, columnNumber=int(column) - 1)
        nodes.append(dict(id=id, callFrame=frame, children=[]))
    samples = [node["id"] for node in nodes[1:]]
    nodes[0]["children"] = samples
    path = out / "every.cpuprofile"
    path.write_text(json.dumps(dict(nodes=nodes, samples=samples, startTime=0, endTime=len(samples), timeDeltas=[1] * len(samples))))
    return path


def named(original):
    """Name, file and line of an original."""
    return original.get("name"), original["source"].rsplit("/", 1)[1], original["line"]


def test_maps_that_name_nothing_are_said(tmp_path):
    (tmp_path / "app.js.map").write_text(json.dumps(MAP))
    for name, text in [
        ("traces/node26.trace.json.gz", "the trace has no CPU profile, and its events call no script"),
        ("pprof/go-heap.pb", "its functions have no columns"),
        ("jsc/debugging.json", "the heap names no scripts of the program"),
        ("handmade/julia-1.11.heapsnapshot", "the heap names no scripts of the program"),
    ]:
        told = summary(CORPUS / name, "--source-map", tmp_path / "app.js.map")
        texts = [caveat["text"] for caveat in told["caveats"]]
        assert f"source maps are not used: {text}" in texts, name


def profile(folder, script="file:///srv/dist/app.js"):
    """A CPU profile with a function at 1:21 that calls one at 1:41, and one of the runtime."""
    frame = lambda name, url, column: dict(functionName=name, scriptId="9", url=url, lineNumber=0, columnNumber=column)
    nodes = [
        {"id": 1, "callFrame": frame("(root)", "", -1), "children": [2, 4]},
        {"id": 2, "callFrame": frame("I", script, 20), "children": [3]},
        {"id": 3, "callFrame": frame("e", script, 40), "children": []},
        {"id": 4, "callFrame": frame("emit", "node:events", 7), "children": []},
    ]
    text = {"nodes": nodes, "startTime": 0, "endTime": 600, "samples": [2, 3, 4], "timeDeltas": [100, 200, 300]}
    path = folder / "app.cpuprofile"
    path.write_text(json.dumps(text))
    return path


def trace_of_profile(folder, name, deltas):
    """A trace with the CPU profile of `profile`, with the time of each function."""
    nodes = json.loads(profile(folder).read_text())["nodes"]
    parents = {child: node["id"] for node in nodes for child in node.pop("children", [])}
    nodes = [dict(node, parent=parents[node["id"]]) if node["id"] in parents else node for node in nodes]
    chunk = {"cpuProfile": {"nodes": nodes, "samples": [2, 3, 4, 1]}, "timeDeltas": [0, *deltas]}
    event = lambda name, data: dict(ph="P", cat="v8", id="0x1", name=name, pid=1, tid=1, ts=5, args={"data": data})
    path = folder / name
    events = [event("Profile", {"startTime": 5}), event("ProfileChunk", chunk)]
    path.write_text(json.dumps({"traceEvents": events}))
    return path


def test_functions_of_profiles_have_their_original_names(tmp_path):
    path = profile(tmp_path)
    (tmp_path / "maps").mkdir()
    ignored = tmp_path / "maps" / "app.js.map"
    ignored.write_text(json.dumps(dict(MAP, x_google_ignoreList=[0])))
    maps = ["--source-map", tmp_path / "maps"]
    plain, told = summary(path), summary(path, *maps)
    assert all("original" not in row for row in plain["functions"]["rows"])
    functions = {row["function_name"]: row for row in told["functions"]["rows"]}
    source = "file:///srv/src/cache.ts"
    assert functions["I"]["original"] == {"name": "increment", "source": source, "line": 1, "column": 26}
    assert functions["e"]["original"]["name"] == "Cache" and "original" not in functions["emit"]
    assert functions["I"]["url"].endswith("app.js") and functions["I"]["place"] == "src/cache.ts:1 [dist/app.js:1:21]"
    assert [row["url"] for row in told["urls"]["rows"]].count(source) == 1
    # Somebody else wrote it.
    assert "(ignored sources)" in [row["package"] for row in told["packages"]["rows"]]
    assert "(own scripts)" in [row["package"] for row in plain["packages"]["rows"]]
    assert "increment [I]" in heapquarry("summary", "-q", path, *maps).stdout
    found = json.loads(heapquarry("find", "-q", path, "--name", "increment", "--json", *maps).stdout)
    assert [row["original"]["name"] for row in found["functions"]["rows"]] == ["increment"]
    # Two builds are compared by their sources.
    other = tmp_path / "other.cpuprofile"
    other.write_text(path.read_text().replace('"I"', '"Q"'))
    for args, names in [(maps, []), ([], ["I", "Q"])]:
        diff = json.loads(heapquarry("diff", "-q", path, other, "--json", *args).stdout)
        assert sorted(row["function_name"] for row in diff["functions"]["rows"]) == names
    # A change has the line of its source, wherever the bundles have the function.
    (tmp_path / "moved").mkdir()
    (tmp_path / "moved" / "app.js.map").write_text(json.dumps(dict(MAP, mappings=";;" + MAP["mappings"])))
    moved = ["--source-map", tmp_path / "moved"]
    path.write_text(before := path.read_text().replace('"lineNumber": 0', '"lineNumber": 2'))
    other.write_text(before.replace("[100, 200, 300]", "[100, 900, 300]"))
    for args, place, line in [(moved, "src/cache.ts:1", 1), ([], "dist/app.js:3", 3)]:
        (row,) = json.loads(heapquarry("diff", "-q", path, other, "--json", *args).stdout)["functions"]["rows"]
        assert (row["place"], row["line"]) == (place, line), row
    profile(tmp_path)
    # A function without a name in the file has only that of its source.
    other.write_text(path.read_text().replace('"I"', '""'))
    shown = heapquarry("summary", "-q", other, *maps).stdout
    assert "increment" in shown and "increment [" not in shown
    for viewer in ["collapsed", "speedscope", "cpuprofile"]:
        written = heapquarry("export", path, "--to", viewer, *maps).stdout
        assert "increment" in written and "cache.ts" in written, viewer
        assert "increment" not in heapquarry("export", path, "--to", viewer).stdout
    page = tmp_path / "app.html"
    heapquarry("report", "-q", path, "-o", page, *maps)
    assert "increment [I]" in page.read_text()
    budget = tmp_path / "budget.toml"
    budget.write_text('[package."(ignored sources)"]\nself_time = "1ms"\n')
    heapquarry("check", "-q", path, "--budget", budget, *maps)
    assert "ignored sources" in heapquarry("check", "-q", path, "--budget", budget, expect=2).stderr


def test_tables_of_profiles_have_what_maps_tell(tmp_path):
    maps = tmp_path / "maps"
    maps.mkdir()
    (maps / "app.js.map").write_text(json.dumps(MAP))
    script, source = "file:///srv/dist/app.js", "file:///srv/src/cache.ts"
    cpu = profile(tmp_path)
    nodes = json.loads(cpu.read_text())["nodes"]
    tree = lambda at: dict(
        callFrame=nodes[at]["callFrame"], selfSize=16, id=at, children=[tree(of - 1) for of in nodes[at].get("children", [])]
    )
    sampled = tmp_path / "app.heapprofile"
    sampled.write_text(json.dumps({"head": tree(0), "samples": []}))
    self_profile = tmp_path / "self.json"
    frames = [dict(name="e", resourceId=1, line=1, column=41), dict(name="add", resourceId=1, line=1, column=21)]
    frames.append(dict(name="now"))
    text = dict(resources=["node:events", script], frames=frames, stacks=[dict(frameId=0)])
    self_profile.write_text(json.dumps(dict(text, samples=[dict(timestamp=1, stackId=0)])))
    trace = trace_of_profile(tmp_path, "trace.json", [100, 200, 300])
    nothing = [None] * 4
    none, increment, cache = nothing, ["increment", source, 0, 25], ["Cache", source, 2, 7]
    from_one = lambda row: row[:2] + [row[2] + 1, row[3] + 1]
    columns = ["original_name", "original_source", "original_line", "original_column"]
    for path, table, rows in [
        (cpu, "js_cpu_profiler_node", [none, increment, cache, none]),
        (sampled, "js_heap_sampling_node", [none, increment, cache, none]),
        (self_profile, "self_profile_frame", [from_one(cache), from_one(increment), none]),
        (trace, "js_cpu_profiler_node", [none, increment, cache, none]),
    ]:
        # Rows are the same whatever their row groups are, and whatever else is wanted.
        for args in [[], ["--row-group-rows", "1"], ["--columns", ",".join(f"{table}.{name}" for name in columns)]]:
            for with_maps in [False, True]:
                out = tmp_path / "t"
                given = ["--source-map", maps] if with_maps else []
                heapquarry("convert", "-q", path, "-o", out, "--force", *args, *given)
                found = pq.read_table(out / f"{table}.parquet", columns=columns).to_pylist()
                expected = rows if with_maps else [none] * len(rows)
                assert [[row[name] for name in columns] for row in found] == expected, (path, args)
    # What is wrong with a map is a row of the log, once.
    (maps / "app.js.map").write_text("{")
    heapquarry("convert", "-q", trace, "-o", out, "--force", "--source-map", maps)
    log = pq.read_table(out / "import_log.parquet").to_pylist()
    assert [(row["file_id"], row["code"]) for row in log if row["code"] == "source_map"] == [(0, "source_map")] * 2
    assert pq.read_table(out / "source.parquet")["status"].to_pylist()[0] == "complete"


def test_calls_of_traces_have_what_maps_tell(tmp_path):
    """Chromium counts lines and columns of calls from 1, those of call frames from 0."""
    maps = tmp_path / "maps"
    maps.mkdir()
    (maps / "app.js.map").write_text(json.dumps(MAP))
    script, source = "file:///srv/dist/app.js", "file:///srv/src/cache.ts"
    call = lambda name, **data: dict(name=name, ph="X", cat="devtools.timeline", pid=1, tid=1, ts=5, dur=2, args=dict(data=data))
    at = lambda line, column: dict(lineNumber=line, columnNumber=column, scriptId="9")
    cases = [
        (call("FunctionCall", functionName="I", url=script, **at(1, 21)), ("I", 1, 21, "increment", source, 1, 26)),
        (call("FunctionCall", functionName="e", url=script, **at(1, 41)), ("e", 1, 41, "Cache", source, 3, 8)),
        # Where the script begins, no function does.
        (call("EvaluateScript", url=script, **at(1, 1)), (None, 1, 1, *[None] * 4)),
        (call("v8.compile", url=script, lineNumber=1), (None, 1, None, *[None] * 4)),
        # 0 is no line.
        (call("FunctionCall", functionName="", url="", **at(0, 0)), ("", None, None, *[None] * 4)),
        (call("FunctionCall", functionName="I", url="https://example.org/other.js", **at(1, 21)), ("I", 1, 21, *[None] * 4)),
        # Nothing is known of how other events count.
        (call("TimerFire", functionName="I", url=script, **at(1, 21)), None),
        (call("FunctionCall"), None),
    ]
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"traceEvents": [event for event, _ in cases]}))
    expected = [(at, *row) for at, (_, row) in enumerate(cases) if row]
    columns = ["function_name", "line_number", "column_number"]
    columns += ["original_name", "original_source", "original_line", "original_column"]
    for args in [[], ["--row-group-rows", "2"], ["--tables", "script_call"]]:
        for given, rows in [(["--source-map", maps], expected), ([], [(*row[:4], *[None] * 4) for row in expected])]:
            heapquarry("convert", "-q", path, "-o", tmp_path / "t", "--force", *args, *given)
            table = pq.read_table(tmp_path / "t" / "script_call.parquet").to_pylist()
            assert [(row["event_index"], *(row[name] for name in columns)) for row in table] == rows, args
    # The slice of a call.
    sql = "SELECT c.original_name, s.dur FROM script_call c JOIN slice s ON s.id = c.event_index ORDER BY s.id LIMIT 2"
    found = heapquarry("query", "-q", path, "--source-map", maps, sql, "--format", "csv").stdout
    assert found.split() == ["original_name,dur", "increment,2000", "Cache,2000"]


def calls(folder):
    """A trace without a CPU profile: a long task that runs a script and calls functions of two packages, and work that
    is none of a script."""
    script, other = "file:///srv/dist/app.js", "file:///srv/node_modules/lodash/lodash.js"
    slice = lambda name, ts, dur, **data: dict(name=name, ph="X", cat="devtools.timeline", pid=1, tid=1, ts=ts, dur=dur, args=dict(data=data))
    at = lambda line, column: dict(lineNumber=line, columnNumber=column)
    events = [
        slice("RunTask", 0, 100_000),
        slice("EvaluateScript", 0, 30_000, url=script, **at(1, 1)),
        slice("FunctionCall", 5_000, 10_000, functionName="I", url=script, **at(1, 21)),
        # Within another of the same function: its time counts once.
        slice("FunctionCall", 6_000, 4_000, functionName="I", url=script, **at(1, 21)),
        slice("FunctionCall", 40_000, 20_000, functionName="", url=other, **at(7, 3)),
        slice("Layout", 45_000, 5_000),
        slice("FunctionCall", 70_000, 20_000, functionName="e", url=script, **at(1, 41)),
        slice("Paint", 200_000, 1_000),
    ]
    path = folder / "calls.json"
    path.write_text(json.dumps({"traceEvents": events}))
    return path


def test_calls_of_traces_have_times_by_function_script_and_package(tmp_path):
    maps = tmp_path / "maps"
    maps.mkdir()
    (maps / "app.js.map").write_text(json.dumps(MAP))
    path, given, ms = calls(tmp_path), ["--source-map", maps], 1_000_000
    told, plain = (summary(path, *args)["script_calls"] for args in [given, []])
    row = lambda row: (row["count"], row["self_time_ns"] // ms, row["total_time_ns"] // ms, row["longest_ns"] // ms)
    assert row(told["totals"]) == row(plain["totals"]) == (5, 20 + 10 + 15 + 20, 30 + 20 + 20, 30)
    name = lambda row: (row["slice_name"], row.get("function_name"), row.get("original", {}).get("name"), row["place"])
    assert {name(one): row(one) for one in told["functions"]["rows"]} == {
        ("FunctionCall", "e", "Cache", "src/cache.ts:3 [dist/app.js:1:41]"): (1, 20, 20, 20),
        # A script as a whole is none of its sources.
        ("EvaluateScript", None, None, "dist/app.js:1"): (1, 20, 30, 30),
        ("FunctionCall", "(anonymous)", None, "lodash/lodash.js:7"): (1, 15, 20, 20),
        ("FunctionCall", "I", "increment", "src/cache.ts:1 [dist/app.js:1:21]"): (2, 10, 10, 10),
    }
    assert all("original" not in one for one in plain["functions"]["rows"])
    for answer, own in [(told, (4, 50, 50, 30)), (plain, (4, 50, 50, 30))]:
        packages = {one["package"]: row(one) for one in answer["packages"]["rows"]}
        assert packages == {"(own scripts)": own, "lodash": (1, 15, 20, 20)}
        assert sum(one["self_percent"] for one in answer["packages"]["rows"]) == pytest.approx(100, abs=0.01)
    scripts = lambda answer: {one["url"].rsplit("/", 1)[1]: row(one)[1] for one in answer["scripts"]["rows"]}
    assert scripts(told) == {"cache.ts": 30, "app.js": 20, "lodash.js": 15}
    assert scripts(plain) == {"app.js": 50, "lodash.js": 15}
    # For people.
    text = heapquarry("summary", "-q", path, *given).stdout
    assert "Calls of scripts by self time" in text and "increment [I]" in text
    text = heapquarry("summary", "-q", path, "--by", "package", *given).stdout
    assert "Packages by self time of calls of scripts" in text and "lodash" in text and "Layout" not in text
    # A part of the trace; and several together.
    part = summary(path, "--from", "0.035", *given)["script_calls"]
    assert row(part["totals"]) == (2, 35, 40, 20)
    both = summary(path, path, *given)["script_calls"]
    assert row(both["totals"]) == (10, 130, 140, 30)
    assert {one["package"]: row(one)[1] for one in both["packages"]["rows"]} == {"(own scripts)": 100, "lodash": 30}
    # Functions are found by either name, and by their scripts.
    for wanted, names in [("increment", ["increment"]), ("I", ["increment"]), ("*lodash*", [None]), ("none", [])]:
        found = json.loads(heapquarry("find", "-q", path, "--name", wanted, "--json", *given).stdout)
        assert [one.get("original", {}).get("name") for one in found["script_calls"]["rows"]] == names, wanted
    # What a long task runs.
    page = tmp_path / "page.html"
    heapquarry("report", "-q", path, "-o", page, *given)
    assert "FunctionCall Cache [e] src/cache.ts:3 [dist/app.js:1:41] 20" in page.read_text()
    # A converted trace says it too, and one without calls nothing.
    heapquarry("convert", "-q", path, "-o", tmp_path / "t")
    assert summary(tmp_path / "t")["script_calls"] == plain
    assert "script_calls" not in summary(CORPUS / "traces" / "node26.trace.json.gz")


def test_locations_have_what_maps_tell(tmp_path):
    path = heap(tmp_path)
    (tmp_path / "maps").mkdir()
    (tmp_path / "maps" / "app.js.map").write_text(json.dumps(MAP))
    columns = ["script_name", "original_name", "original_source", "original_line", "original_column"]
    source = "/srv/src/cache.ts"
    nothing = [None] * 4
    for args, rows in [
        (["--analyze", "--source-map", tmp_path / "maps"], [["increment", source, 0, 25], ["Cache", source, 2, 7]]),
        (["--analyze"], [nothing, nothing]),
        (["--source-map", tmp_path / "maps"], [nothing, nothing]),
    ]:
        out = tmp_path / "t"
        heapquarry("convert", "-q", path, "-o", out, "--force", *args)
        table = pq.read_table(out / "js_heap_location.parquet", columns=columns).to_pylist()
        assert [[row[name] for name in columns[1:]] for row in table] == rows, args
        assert [row["script_name"] for row in table] == (["/srv/dist/app.js"] * 2 if "--analyze" in args else [None] * 2)
        # Names of functions stay those of the file.
        if "--analyze" in args:
            analysis = pq.read_table(out / "js_heap_analysis.parquet", columns=["function_name"]).to_pylist()
            assert "I" in [row["function_name"] for row in analysis]
    (tmp_path / "maps" / "app.js.map").write_text("{")
    heapquarry("convert", "-q", path, "-o", out, "--force", "--analyze", "--source-map", tmp_path / "maps")
    log = pq.read_table(out / "import_log.parquet").to_pylist()
    assert [(row["code"], row["severity"]) for row in log] == [("source_map", "info")] * 2
    assert pq.read_table(out / "source.parquet")["status"].to_pylist() == ["complete"]


def test_classes_that_grew_have_their_original_names(tmp_path):
    (tmp_path / "app.js.map").write_text(json.dumps(MAP))
    old, new = heap(tmp_path), tmp_path / "new.heapsnapshot"
    text = json.loads(old.read_text())
    # Another object of the class.
    text["nodes"][2 * 6 + 2] = 99
    new.write_text(json.dumps(text))
    told = json.loads(heapquarry("diff", "-q", old, new, "--json", "--source-map", tmp_path).stdout)
    [row] = [row for row in told["classes"]["rows"] if "original" in row]
    assert (row["class_name"], row["added_count"], row["original"]["name"]) == ("e", 1, "Cache")


# Runs a script while allocations are tracked, and writes the timeline.
TIMELINE = """
const { closeSync, openSync, writeSync } = require('node:fs');
const { Session } = require('node:inspector');
const [script, out] = process.argv.slice(1);
const [session, file] = [new Session(), openSync(out, 'w')];
session.connect();
session.on('HeapProfiler.addHeapSnapshotChunk', (message) => writeSync(file, message.params.chunk));
session.post('HeapProfiler.enable');
session.post('HeapProfiler.startTrackingHeapObjects', { trackAllocations: true });
globalThis.gc = () => {};
require('node:v8').writeHeapSnapshot = () => {};
require(script);
session.post('HeapProfiler.stopTrackingHeapObjects', { reportProgress: false });
closeSync(file);
"""


def test_allocation_stacks_have_their_original_names(tmp_path):
    if not NODE:
        pytest.skip("there is no node")
    script, path = tmp_path / "leak.js", tmp_path / "leak.heaptimeline"
    # V8 knows places of scripts only while something holds them.
    text = (CORPUS / "names" / "leak.js").read_text()
    script.write_text(text.replace("\n//#", ";globalThis.shop=u;\n//#", 1))
    subprocess.run([NODE, "-e", TIMELINE, script, path], check=True, timeout=120)
    source = (CORPUS / "generate" / "leak.js").read_text().split("\n")
    maps = ["--source-map", CORPUS / "names"]
    # How each begins in the source, at its line and column.
    starts = {"Session": "constructor(", "SessionStore": "constructor()", "Shop": "constructor()", "handle": "handle("}
    columns = ["name", "script_name", "line_number", "column_number"]
    named = ["original_name", "original_source", "original_line", "original_column"]
    tables = {}
    for args in [[], maps, ["--analyze", *maps]]:
        out = tmp_path / "t"
        heapquarry("convert", "-q", path, "-o", out, "--force", *args)
        tables[args[0] if args else None] = rows = pq.read_table(out / "js_heap_trace_function_info.parquet").to_pylist()
        found = {row["original_name"]: row for row in rows if row["original_name"]}
        assert not args or found.keys() >= starts.keys()
        for name in starts.keys() & found.keys():
            row = found[name]
            assert row["original_source"].endswith("generate/leak.js") and row["script_name"] == str(script)
            assert source[row["original_line"] - 1][row["original_column"] - 1 :].startswith(starts[name])
        # Nothing of the engine has one.
        assert all(row["script_name"] == str(script) for row in rows if row["original_source"])
        # What is said of maps is said once, and what they are not used for.
        log = pq.read_table(out / "import_log.parquet").to_pylist()
        told = [row["message"] for row in log if row["code"] == "source_map"]
        unused = [text for text in told if "js_heap_location has no names" in text]
        assert (len(told) - len(unused), len(unused)) == (bool(args), args == maps), told
    # What the file says stays.
    plain = [[row[name] for name in columns] for row in tables[None]]
    assert all([[row[name] for name in columns] for row in rows] == plain for rows in tables.values())
    assert all(row[name] is None for row in tables[None] for name in named)
    # Drawings of a page.
    page = tmp_path / "page.html"
    for args, is_told in [([], False), (maps, True)]:
        heapquarry("report", "-q", path, "-o", page, "--force", *args)
        text = page.read_text()
        assert ("SessionStore leak.js:21:3 [n leak.js:1:158]" in text) == is_told
        assert len(re.findall(r'"SessionStore \[n\]"', text)) >= 2 * is_told
    # Of a converted directory they are as they were converted.
    heapquarry("report", "-q", tmp_path / "t", "-o", page, "--force")
    assert '"SessionStore [n]"' in page.read_text()


def is_read(served):
    """Whether the page has read its input."""
    try:
        return ask(served, "packages", top=1)
    except urllib.error.HTTPError as error:
        assert error.code == 503
        return None


def test_maps_in_the_heap_name_allocation_stacks(tmp_path):
    """The heap says which map a script has, the stacks do not."""
    text = base64.b64encode(json.dumps(dict(MAP, ignoreList=[0])).encode()).decode()
    path = heap(tmp_path, map_url="data:application/json;base64," + text)
    timeline = json.loads(path.read_text())
    meta = timeline["snapshot"]["meta"]
    meta["trace_function_info_fields"] = ["function_id", "name", "script_name", "script_id", "line", "column"]
    meta["trace_node_fields"] = ["id", "function_info_index", "count", "size", "children"]
    meta["sample_fields"] = ["timestamp_us", "last_assigned_id"]
    timeline["samples"] = [0, 3, 10, 11]
    timeline["snapshot"]["trace_function_count"] = 3
    # The root, and a function of the script that calls another.
    timeline["strings"].append("(root)")
    timeline["trace_function_infos"] = [0, 12, 0, 0, 0, 0, 3, 6, 4, 9, 1, 21, 5, 7, 4, 9, 1, 41]
    timeline["trace_tree"] = [1, 0, 0, 0, [2, 1, 1, 16, [3, 2, 1, 32, []]]]
    path = path.with_suffix(".heaptimeline")
    path.write_text(json.dumps(timeline))
    # Maps are read if somebody gives some, whatever they are.
    other = tmp_path / "other"
    other.mkdir()
    (other / "unknown.js.map").write_text(json.dumps(MAP))
    maps = ["--source-map", other]
    for args, names in [([*maps, "--analyze"], [None, "increment", "Cache"]), (["--analyze"], [None] * 3)]:
        heapquarry("convert", "-q", path, "-o", tmp_path / "t", "--force", *args)
        rows = pq.read_table(tmp_path / "t" / "js_heap_trace_function_info.parquet").to_pylist()
        assert [row["original_name"] for row in rows] == names
        page = tmp_path / "page.html"
        heapquarry("report", "-q", path, "-o", page, "--force", *args[:2] if args[1:] else [])
        assert ("increment [I]" in page.read_text()) == bool(names[1])
    # Sources that the map lists as to be ignored are told apart.
    for args, packages, place in [(maps, {"(ignored sources)"}, "src/cache.ts:1 [dist/app.js:1:21]"), ([], {"(own scripts)"}, "dist/app.js:1")]:
        with serving(path, *args) as served:
            wait_until(lambda: is_read(served))
            found = ask(served, "packages", top=10)["packages"]["rows"]
            assert {row["package"] for row in found if row["total_value"]} - {"(native)"} == packages, found
            functions = ask(served, "functions", sort="total", top=10)["functions"]["rows"]
            assert place in [row.get("place") for row in functions], functions


def test_scripts_in_their_addresses_are_cut(tmp_path):
    """Chromium and Node write whole `data:` URLs. Two of them that begin alike are two scripts."""
    urls = [f"data:text/javascript,{'const a = 1; ' * 80_000}{end}" for end in "ab"]
    slice = lambda ts, url: dict(name="FunctionCall", ph="X", cat="devtools.timeline", pid=1, tid=1, ts=ts, dur=9, args=dict(data=dict(
        functionName="work", url=url, lineNumber=1, columnNumber=3)))
    trace = tmp_path / "trace.json"
    trace.write_text(json.dumps({"traceEvents": [slice(10 * at, url) for at, url in enumerate([*urls, urls[0]])]}))
    cpu = profile(tmp_path)
    text = json.loads(cpu.read_text())
    for node, url in zip(text["nodes"][1:3], urls):
        node["callFrame"]["url"] = url
    cpu.write_text(json.dumps(text))
    shown = re.compile(r"data:text/javascript,const a = 1; const a = 1; const a = 1; … \(\d+ bytes, [0-9a-f]{8}\)")
    for path, scripts in [(trace, lambda answer: answer["script_calls"]["scripts"]), (cpu, lambda answer: answer["urls"])]:
        answer = summary(path)
        assert len(json.dumps(answer)) < 100_000
        found = {row["url"] for row in scripts(answer)["rows"] if row["url"].startswith("data:")}
        assert len(found) == 2 and all(shown.fullmatch(url) for url in found), found
        text = heapquarry("summary", "-q", path).stdout
        assert len(text) < 100_000 and shown.search(text)
        page = tmp_path / "page.html"
        heapquarry("report", "-q", path, "-o", page, "--force")
        assert page.stat().st_size < 1_000_000
    # Tables have what the file has.
    heapquarry("convert", "-q", trace, "-o", tmp_path / "t")
    assert pq.read_table(tmp_path / "t" / "script_call.parquet")["url"].to_pylist() == [*urls, urls[0]]
