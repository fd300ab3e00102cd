// The program whose heap the recordings in corpus/ show: strings of every kind and objects of every
// kind that a snapshot treats in its own way. One text for all majors of Node from 8 on, so what is
// younger than Node 8 is looked up or compiled at run time.
//
// usage: node program.js snapshot|numeric|internals|timeline|timeline-insession OUT
'use strict';
const fs = require('fs');
const inspector = require('inspector');

const root = typeof globalThis === 'undefined' ? global : globalThis;
const compiled = text => {
  try {
    return new Function(text)();
  } catch (_) {
    return undefined; // the engine does not know this syntax or object yet
  }
};

// ---------------------------------------------------------------------------------------- strings

class Texts {
  constructor() {
    this.empty = '';
    this.latin = 'Grüße, garçon, señor, ½ × ¼ \u00a0\u00ad\u00ff';
    this.cjk = '漢字かな交じり文、한국어、繁體中文';
    this.rightToLeft = 'שלום \u202eعالم\u202c';
    this.astral = 'a\u{1F600}\u{1F680}\u{10FFFF}\u{20BB7}z';
    this.highSurrogateAlone = 'high \ud83d alone';
    this.lowSurrogateAlone = 'low \ude00 alone';
    this.surrogatesSwapped = '\ude00\ud83d';
    this.surrogateAtTheEnd = 'end \ud800';
    this.nul = 'before\0after\0';
    this.controls = flat(Array.from({ length: 32 }, (_, i) => String.fromCharCode(i)).join('|') + '\x7f\x80\x9f');
    this.quotes = '"double" \'single\' `back` ""';
    this.backslashes = 'C:\\new\\table\\\\ \\" \\u0041 \\';
    this.looksLikeJson = '],\n"strings":["<dummy>",""]}';
    this.looksLikeMarkup = '</script><!-- & -->';
    this.numbers = '18446744073709551615';
    this.separators = 'line\u2028paragraph\u2029bom\ufefflast\uffff';
    this.replacement = '\ufffd\ufffd';
    this.combining = 'e\u0301\u0323 \u{1F468}\u200d\u{1F469}\u200d\u{1F467}';
    this.long1023 = flat('x'.repeat(1023));
    this.long1024 = flat('y'.repeat(1024));
    this.long1025 = flat('z'.repeat(1025));
    this.long70000 = flat('0123456789'.repeat(7000));
    this.longCjk = flat('漢'.repeat(2000));
    this.longAstral = flat('\u{1F600}'.repeat(700));
    this.cons = this.latin + '/' + process.pid.toString(36) + '/' + this.cjk;
    this.slice = flat('a parent that is long enough to be sliced, '.repeat(10)).substring(3, 60);
    this.sliceOfCjk = flat('親文字列'.repeat(50)).substring(1, 90);
  }
}

// A string whose characters lie in one piece.
function flat(text) {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

// The same kinds of text again, where an edge takes its name from.
function oddKeys() {
  const keys = {};
  for (const [i, key] of [
    '', ' ', '0', '007', '-1', '1.5', '4294967295', '4294967296', '__proto__x', 'constructor', 'a.b', 'a"b', 'a\\b',
    'tab\t', 'line\n', 'nul\0', '\x7f', 'ключ', '鍵', '\u{1F511}', '\ud83d', 'k'.repeat(1500),
  ].entries()) keys[key] = { i };
  keys[Symbol('described \u{1F600}')] = 1;
  keys[Symbol()] = 2;
  keys[Symbol.for('registered')] = 3;
  keys[Symbol.iterator] = function* () {};
  return keys;
}

// ---------------------------------------------------------------------------------------- objects

class Größe {}
class Base {
  constructor(i) {
    this.i = i;
    this.half = i + 0.5;
  }
  get twice() { return this.i * 2; }
}
class Derived extends Base {
  constructor(i) {
    super(i);
    this.self = this;
  }
}
function OldStyle() {}
Object.defineProperty(OldStyle, 'name', { value: 'renamed "old" \\ style' });

function closures() {
  let count = 0;
  const shared = { used: true };
  const increment = () => ++count;
  const read = () => [count, shared];
  const bound = increment.bind(null, 1, 2);
  const nested = a => b => c => [a, b, c, shared];
  return { increment, read, bound, nested: nested(1)(2), sloppy: new Function('a', 'return this || a') };
}

function weak() {
  const keys = [{ key: 1 }, { key: 2 }, function key3() {}];
  const map = new WeakMap();
  keys.forEach((key, i) => map.set(key, { value: i, back: key }));
  const set = new WeakSet(keys);
  const late = compiled(`
    const target = { target: true };
    const registry = new FinalizationRegistry(() => {});
    registry.register(target, 'held');
    return { target, ref: new WeakRef(target), registry };`);
  return { keys, map, set, late };
}

function buffers() {
  const buffer = new ArrayBuffer(1000);
  const kinds = [
    Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array,
  ];
  const views = kinds.map((Kind, i) => new Kind(buffer, 8 * i, i + 1));
  for (const name of ['BigInt64Array', 'BigUint64Array', 'Float16Array']) {
    if (root[name]) views.push(new root[name](3));
  }
  return {
    views,
    dataView: new DataView(buffer, 4),
    shared: new SharedArrayBuffer(64),
    node: Buffer.from('node buffer'),
    resizable: compiled('return new ArrayBuffer(8, { maxByteLength: 64 })'),
  };
}

function numbers() {
  const found = {
    smi: 42, negative: -42, smiMax: 2 ** 30 - 1, heap: 2 ** 31, minusZero: -0, nan: NaN, infinity: Infinity,
    tiny: 5e-324, huge: Number.MAX_VALUE, pi: Math.PI, doubles: [0.5, 1.5, 2.5], mixed: [1, 'two', 3.5, null, undefined, true],
    holes: [1, , 3, , , 6], sparse: [],
  };
  found.sparse[100000] = 'far away';
  found.big = compiled('return [0n, 1n, -(2n ** 64n), 2n ** 1000n]');
  return found;
}

function rest() {
  const proxy = new Proxy({ target: 1 }, { get: () => 1 });
  const generator = (function* () { const inside = { inside: 1 }; yield inside; })();
  generator.next();
  const waiting = (async () => { const local = { local: 1 }; await new Promise(() => {}); return local; })();
  const dictionary = {};
  for (let i = 0; i < 200; i++) dictionary['key ' + i] = i % 3 ? i : { i };
  delete dictionary['key 7'];
  const list = { value: 'head', next: null };
  for (let i = 0, last = list; i < 300; i++) last = last.next = { value: i, next: null };
  const wasm = compiled(`
    const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 5, 3, 1, 0, 1,
      7, 5, 1, 1, 102, 0, 0, 10, 6, 1, 4, 0, 65, 42, 11]);
    const module = new WebAssembly.Module(bytes);
    return { module, instance: new WebAssembly.Instance(module) };`);
  return {
    proxy, generator, waiting, dictionary, list, wasm,
    settled: Promise.resolve({ settled: true }),
    date: new Date(0),
    regexps: [/plain/, /(?:quote"|back\\slash|slash\/)+/giu, new RegExp('漢|\\u{1F600}', 'u')],
    error: new TypeError('an "error"\nof two lines'),
    map: new Map([['text', 1], [2, 'two'], [NaN, {}], [new Größe(), new OldStyle()]]),
    set: new Set(['a', 1, {}]),
    accessors: Object.create(null, { got: { get: function got() { return 1; }, enumerable: true } }),
    frozen: Object.freeze([1, 2, 3]),
    derived: Array.from({ length: 20 }, (_, i) => new Derived(i)),
    arguments: (function () { return arguments; })(1, 'two'),
    boxed: [Object(1), Object('boxed'), Object(true), Object(Symbol('boxed'))],
    privateFields: compiled('class Secret { #hidden = { hidden: 1 }; #method() {} } return new Secret()'),
    anonymous: new (class {})(),
    otherRealm: require('vm').runInNewContext('({ foreign: [1, 2, 3] })'),
  };
}

root.corpus = {
  texts: new Texts(), oddKeys: oddKeys(), closures: closures(), weak: weak(), buffers: buffers(), numbers: numbers(),
  rest: rest(),
};

// -------------------------------------------------------------------------------------- recording

class Leak {
  constructor(i) {
    this.payload = { i };
  }
}
function leakPlain(n) {
  for (let i = 0; i < n; i++) root.leaked.push({ i, list: new Array(10).fill(i) });
}
function leakDeep(depth) {
  if (depth > 0) return leakDeep(depth - 1);
  for (let i = 0; i < 3; i++) root.leaked.push(new Leak(i));
}
async function leakForAWhile() {
  root.leaked = [];
  for (let round = 0; round < 4; round++) {
    leakPlain(20);
    leakDeep(40);
    await new Promise(resolve => setTimeout(resolve, 70));
  }
}

function sessionTo(out, session) {
  const chunks = [];
  session.on('HeapProfiler.addHeapSnapshotChunk', m => chunks.push(m.params.chunk));
  return {
    post: (method, params) =>
      new Promise((resolve, reject) =>
        session.post(method, params || {}, (error, result) => (error ? reject(new Error(error.message)) : resolve(result)))),
    save: () => fs.writeFileSync(out, chunks.join('')),
  };
}

const start = ['HeapProfiler.startTrackingHeapObjects', { trackAllocations: true }];
const stop = ['HeapProfiler.stopTrackingHeapObjects', { reportProgress: false }];

async function snapshot(out, params) {
  const session = new inspector.Session();
  session.connect();
  const to = sessionTo(out, session);
  await to.post('HeapProfiler.takeHeapSnapshot', params);
  to.save();
}

// The session lives in the process that it records: writing a chunk allocates, so the file holds more
// functions than its header declares.
async function timelineInsession(out) {
  const session = new inspector.Session();
  session.connect();
  const to = sessionTo(out, session);
  await to.post('HeapProfiler.enable');
  await to.post(...start);
  await leakForAWhile();
  await to.post(...stop);
  to.save();
}

// The session lives in a worker: the counts are exact.
async function timeline(out) {
  const { Worker } = require('worker_threads');
  const worker = new Worker(__filename, { argv: ['timeline-worker', out] });
  const message = () => new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  await message();
  await leakForAWhile();
  worker.postMessage('stop');
  await message();
}

async function timelineWorker(out) {
  const { parentPort } = require('worker_threads');
  const session = new inspector.Session();
  session.connectToMainThread();
  const to = sessionTo(out, session);
  const alive = setInterval(() => {}, 50);
  await to.post('HeapProfiler.enable');
  await to.post(...start);
  parentPort.postMessage('started');
  await new Promise(resolve => parentPort.once('message', resolve));
  await to.post(...stop);
  to.save();
  session.disconnect();
  clearInterval(alive);
  parentPort.postMessage('written');
}

const [, , mode, out] = process.argv;
const run = {
  snapshot: () => snapshot(out, {}),
  numeric: () => snapshot(out, { captureNumericValue: true }),
  internals: () => snapshot(out, { exposeInternals: true }),
  timeline: () => timeline(out),
  'timeline-insession': () => timelineInsession(out),
  'timeline-worker': () => timelineWorker(out),
}[mode];
if (!run) throw new Error('unknown mode: ' + mode);
run().catch(error => {
  console.error(error);
  process.exit(1);
});
