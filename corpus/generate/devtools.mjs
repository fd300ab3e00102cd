// Makes corpus/devtools/*.json: what Chrome DevTools' own engine, out of the npm package heap-snapshot-toolkit,
// computes of the recordings of V8.
//
// usage: node corpus/generate/devtools.mjs [SNAPSHOT [BASE]]     prints what it computes of one file, and of its
//                                                               difference from another
//        node corpus/generate/devtools.mjs --columns SNAPSHOT   prints whole columns, in the order of the nodes
//        node corpus/generate/devtools.mjs --references SNAPSHOT ID…
//                                                               prints what nodes refer to, and what refers to them
import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createGunzip } from 'node:zlib';

const TOOLKIT = 'heap-snapshot-toolkit@1.1.3';
const corpus = fileURLToPath(new URL('..', import.meta.url));
// No two of one process are at hand: any two show whether the comparison is the same.
const DIFFERENCES = {
  'node22.heapsnapshot.gz': 'node18.heapsnapshot.gz',
  'node26.heapsnapshot.gz': 'node22.heapsnapshot.gz',
};
// More functions than the header declares: the engine goes round in circles.
const NOT_FOR_THE_ENGINE = ['node12-insession.heaptimeline.gz'];
// Rows of a golden file: enough to see every kind of class.
const MOST_CLASSES = 120;

async function engine() {
  const prefix = process.env.HEAP_SNAPSHOT_TOOLKIT ?? join(corpus, '..', 'target', 'corpus', 'devtools');
  const main = join(prefix, 'node_modules', 'heap-snapshot-toolkit', 'index.js');
  if (!existsSync(main)) {
    mkdirSync(prefix, { recursive: true });
    const options = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', prefix];
    // Its output is no part of the answer.
    execFileSync('npm', ['install', ...options, TOOLKIT], { stdio: ['ignore', process.stderr, 'inherit'] });
  }
  return import(pathToFileURL(main).href);
}

// The engine takes text.
async function load(toolkit, path) {
  const bytes = createReadStream(path);
  const stream = path.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  stream.setEncoding('utf8');
  return toolkit.parse(stream);
}

// A whole column in one number.
function fold61(length, value) {
  const modulus = (1n << 61n) - 1n;
  let sum = 0n;
  for (let i = 0; i < length; ++i) {
    sum = (((sum * 1000003n + BigInt(value(i)) + 7n) % modulus) + modulus) % modulus;
  }
  return sum.toString();
}

async function golden(toolkit, path, basePath) {
  const snapshot = await load(toolkit, path);
  const node = snapshot.createNode(0);
  const at = i => {
    node.nodeIndex = i * snapshot.nodeFieldCount;
    return node;
  };
  const count = snapshot.nodeCount;
  const aggregates = snapshot.aggregatesWithFilter({});
  const rows = Object.entries(aggregates).map(([key, a]) => (
    { key, name: a.name, count: a.count, distance: a.distance, self: a.self, maxRet: a.maxRet }));
  const duplicated = Object.values(snapshot.aggregatesWithFilter({ filterName: 'duplicatedStrings' }));
  const sum = (list, field) => list.reduce((total, item) => total + item[field], 0);
  const result = {
    file: basename(path),
    node_count: count,
    statistics: snapshot.getStatistics(),
    fold61: {
      distance: fold61(count, i => snapshot.nodeDistances[i]),
      self_after_shallow: fold61(count, i => at(i).selfSize()),
      retained: fold61(count, i => snapshot.retainedSizes[i]),
      dominator_ordinal: fold61(count, i => snapshot.dominatorsTree[i]),
      detachedness: fold61(count, i => at(i).detachedness()),
    },
    duplicated_strings: { count: sum(duplicated, 'count'), self: sum(duplicated, 'self') },
    interfaces: JSON.parse(snapshot.interfaceDefinitions()).length,
    aggregate_count: rows.length,
    aggregates: rows.sort((a, b) => b.maxRet - a.maxRet || (a.key < b.key ? -1 : 1)).slice(0, MOST_CLASSES),
  };
  if (basePath) {
    const base = await load(toolkit, basePath);
    // As DevTools does: the base is seen with the interfaces of the current snapshot.
    const seen = base.aggregatesForDiff(snapshot.interfaceDefinitions());
    result.diff_against = basename(basePath);
    result.diff = Object.entries(snapshot.calculateSnapshotDiff(base.uid ?? 'base', seen)).map(([key, d]) => ({
      key, added: d.addedCount, removed: d.removedCount, added_size: d.addedSize, removed_size: d.removedSize,
      count_delta: d.countDelta, size_delta: d.sizeDelta,
    })).sort((a, b) => (a.key < b.key ? -1 : 1));
  }
  return result;
}

async function columns(toolkit, path) {
  const snapshot = await load(toolkit, path);
  const node = snapshot.createNode(0);
  const column = value => Array.from({ length: snapshot.nodeCount }, (_, i) => {
    node.nodeIndex = i * snapshot.nodeFieldCount;
    return value(i);
  });
  const id = i => snapshot.nodes.getValue(i * snapshot.nodeFieldCount + snapshot.nodeIdOffset);
  return {
    id: column(id),
    class_name: column(() => node.className()),
    distance: column(i => snapshot.nodeDistances[i]),
    shallow_size: column(() => node.selfSize()),
    retained_size: column(i => snapshot.retainedSizes[i]),
    dominator_id: column(i => id(snapshot.dominatorsTree[i])),
    detachedness: column(() => node.detachedness()),
  };
}

// What its containment view and its view of retainers show of single nodes: type and name of each reference, and the
// id of the node at its other end, in no particular order.
async function references(toolkit, path, ids) {
  const snapshot = await load(toolkit, path);
  const { nodes, nodeFieldCount, nodeIdOffset } = snapshot;
  const wanted = new Set(ids.map(Number));
  const result = {};
  const list = provider => provider.serializeItemsRange(0, Infinity).items.map(({ type, name, node }) => [type, String(name), node.id]);
  for (let index = 0; index < nodes.length; index += nodeFieldCount) {
    const id = nodes.getValue(index + nodeIdOffset);
    if (wanted.delete(id)) {
      result[id] = { contained: list(snapshot.createEdgesProvider(index)), retainers: list(snapshot.createRetainingEdgesProvider(index)) };
    }
  }
  return result;
}

// One line for each row.
function text(result) {
  const member = ([key, value]) => Array.isArray(value)
    ? `${JSON.stringify(key)}: [\n${value.map(row => '  ' + JSON.stringify(row)).join(',\n')}\n]`
    : `${JSON.stringify(key)}: ${JSON.stringify(value)}`;
  return `{\n${Object.entries(result).map(member).join(',\n')}\n}\n`;
}

const [path, base, ...ids] = process.argv.slice(2);
const toolkit = await engine();
if (path === '--columns') {
  process.stdout.write(JSON.stringify(await columns(toolkit, base)));
} else if (path === '--references') {
  process.stdout.write(JSON.stringify(await references(toolkit, base, ids)));
} else if (path) {
  process.stdout.write(text(await golden(toolkit, path, base)));
} else {
  for (const name of readdirSync(corpus).filter(name => name.endsWith('.gz')).sort()) {
    if (NOT_FOR_THE_ENGINE.includes(name)) continue;
    const base = DIFFERENCES[name];
    const result = await golden(toolkit, join(corpus, name), base && join(corpus, base));
    writeFileSync(join(corpus, 'devtools', name.replace(/\.gz$/, '.json')), text(result));
    console.log(name);
  }
}
