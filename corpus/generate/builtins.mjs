// Names that engines have of themselves: of properties, classes and functions in the heaps of a Node and of a page without
// a program, of events and their arguments in traces of both. `heapquarry redact` keeps these names.
//
// usage: node builtins.mjs CHROMIUM > crates/heapquarry-redact/src/builtins.txt
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { browse } from './browser.mjs';

const names = new Set();

// Types of nodes and edges whose names are values or numbers.
const VALUES = ['string', 'concatenated string', 'sliced string', 'symbol', 'bigint', 'number', 'regexp'];
const NUMBERS = ['element', 'hidden'];

function ofHeap({ snapshot: { meta }, nodes, edges, strings }) {
  const collect = (records, fields, types, name, without) => {
    const [type, at] = [fields.indexOf('type'), fields.indexOf(name)];
    for (let record = 0; record < records.length; record += fields.length) {
      if (!without.includes(types[type][records[record + type]])) names.add(strings[records[record + at]]);
    }
  };
  collect(nodes, meta.node_fields, meta.node_types, 'name', VALUES);
  collect(edges, meta.edge_fields, meta.edge_types, 'name_or_index', NUMBERS);
}

function ofTrace(events) {
  const keys = value => {
    if (!value || typeof value !== 'object') return;
    for (const [key, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) names.add(key);
      keys(inner);
    }
  };
  for (const { name, cat, args, ph } of events) {
    names.add(name);
    (cat ?? '').split(',').forEach(name => names.add(name));
    if (ph === 'M') names.add(args.name);
    keys(args);
  }
}

const PROGRAM = `
const { Session } = require('node:inspector');
const session = new Session();
session.connect();
const parts = [], events = [];
session.on('HeapProfiler.addHeapSnapshotChunk', m => parts.push(m.params.chunk));
session.on('NodeTracing.dataCollected', m => events.push(...m.params.value));
const post = (name, params) => new Promise((done, fail) => session.post(name, params, (e, r) => (e ? fail(e) : done(r))));
(async () => {
  const includedCategories = ['node', 'node.environment', 'node.perf', 'node.async_hooks', 'v8'];
  await post('NodeTracing.start', { traceConfig: { includedCategories } });
  for (const name of ['assert', 'buffer', 'crypto', 'dns', 'events', 'fs', 'http', 'https', 'net', 'os', 'path', 'stream',
    'url', 'util', 'v8', 'vm', 'worker_threads', 'zlib']) require('node:' + name);
  gc();
  await post('NodeTracing.stop');
  await post('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  require('node:fs').writeFileSync(process.argv[1], JSON.stringify({ heap: parts.join(''), events }));
})();`;

const folder = mkdtempSync(join(tmpdir(), 'heapquarry-builtins-'));
try {
  const file = join(folder, 'node.json');
  execFileSync(process.execPath, ['--expose-gc', '-e', PROGRAM, file], { env: {}, cwd: folder });
  const { heap, events } = JSON.parse(readFileSync(file));
  ofHeap(JSON.parse(heap));
  ofTrace(events);
} finally {
  rmSync(folder, { recursive: true });
}

await browse(process.argv[2], async ({ post, listeners, open }) => {
  const complete = new Promise(done => listeners.set('Tracing.tracingComplete', done));
  listeners.set('Tracing.dataCollected', ({ value }) => ofTrace(value));
  const includedCategories = ['*', 'disabled-by-default-devtools.timeline', 'disabled-by-default-v8.cpu_profiler'];
  await post('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories } });
  await open(`data:text/html,${encodeURIComponent('<!doctype html><body><p>text<canvas></canvas><input><button>a</button>')}`);
  await setTimeout(500);
  await post('Tracing.end');
  await complete;
  const parts = [];
  listeners.set('HeapProfiler.addHeapSnapshotChunk', params => parts.push(params.chunk));
  await post('HeapProfiler.enable');
  await post('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  ofHeap(JSON.parse(parts.join('')));
});

// Nothing of this machine, and nothing that only this run has.
const LONGEST = 80;
const foreign = [hostname(), userInfo().username, tmpdir(), folder].filter(text => text.length > 3);
const isName = text => /^[A-Za-z_$#(<][\w$#.:<>()[\] /,&*=~+-]*$/.test(text) && !/\d{4}|[\w.]\/[\w.]|:\/\//.test(text);
// What `builtins.rs` knows by its form.
const isForm = text => / builtin handle\)$|^system \/ Code \/ .*\(builtin\)$/.test(text);
const short = [...names].map(text => String(text).replace(/^system \/ \w+ \/ (?=[\w$])/, ''));
const kept = [...new Set(short)].filter(text => text.length <= LONGEST && isName(text) && !isForm(text));
process.stdout.write(kept.filter(text => !foreign.some(part => text.includes(part))).sort().map(text => text + '\n').join(''));
