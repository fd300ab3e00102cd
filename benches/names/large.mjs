// Writes a heap snapshot whose functions and objects are those of a bundle of one line, and the source map of that
// bundle, to measure what names cost: 200,000 functions in 2,000 sources, a map of 30 MB with 1.6 million mappings.
//
//     node benches/names/large.mjs FOLDER [OBJECTS]
//     heapquarry summary FOLDER/large.heapsnapshot --no-cache
//     heapquarry summary FOLDER/large.heapsnapshot --no-cache --source-map FOLDER/large.js.map
//
// 16,000,000 objects, as without a number, are a snapshot of 1.4 GB.

import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const [folder, count = '16000000'] = process.argv.slice(2);
const objects = Number(count);
const SOURCES = 2000;
const FUNCTIONS = 100; // in each source

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** A number as a map has it. */
function digits(number) {
  let [rest, text] = [number < 0 ? (-number << 1) | 1 : number << 1, ''];
  do {
    text += DIGITS[(rest & 31) | (rest > 31 ? 32 : 0)];
    rest >>>= 5;
  } while (rest > 0);
  return text;
}

/** The map, and the column of each function's parameters in the bundle. */
function bundle() {
  const [sources, contents, segments, columns] = [[], [], [], []];
  let column = 0;
  let before = [0, 0, 0, 0];
  const map = (...place) => {
    segments.push(place.map((number, at) => digits(number - before[at])).join(''));
    before = place;
  };
  for (let source = 0; source < SOURCES; source++) {
    const lines = [];
    for (let line = 0; line < FUNCTIONS; line++) {
      const name = `describeOrder${source}Of${line}`;
      const text = `export function ${name}(order, article) { return order.total + article.price * ${line}; }`;
      lines.push(text);
      // function x1(a,b){return a.total+b.price*1}
      const minified = `function x${source * FUNCTIONS + line}`;
      const at = (word) => text.indexOf(word);
      columns.push(column + minified.length);
      map(column, source, line, at('function'));
      map(column + 9, source, line, at(name));
      map(column + minified.length, source, line, at('('));
      map(column + minified.length + 1, source, line, at('order,'));
      map(column + minified.length + 3, source, line, at('article)'));
      map(column + minified.length + 6, source, line, at('return'));
      map(column + minified.length + 13, source, line, at('order.'));
      map(column + minified.length + 21, source, line, at('article.'));
      column += minified.length + 40;
    }
    sources.push(`../src/orders/part${source}.ts`);
    contents.push(lines.join('\n'));
  }
  const map_ = { version: 3, sources, sourcesContent: contents, names: [], mappings: segments.join(',') };
  return [JSON.stringify(map_), columns];
}

/** A file that is written in pieces. */
function writer(path) {
  const file = openSync(path, 'w');
  let [parts, size] = [[], 0];
  const flush = () => {
    writeSync(file, parts.join(''));
    [parts, size] = [[], 0];
  };
  const write = (text) => {
    parts.push(text);
    size += text.length;
    if (size > 1 << 20) flush();
  };
  return [write, () => (flush(), closeSync(file))];
}

const [text, columns] = bundle();
writeFileSync(join(folder, 'large.js.map'), text);
const functions = columns.length;
const strings = ['', 'closure', 'shared', 'script', '/srv/dist/large.js', 'large.js.map', 'next', 'left', 'right', 'up'];
const first = strings.length;
for (let at = 0; at < functions; at++) strings.push(`x${at}`);
for (let at = 0; at < functions; at++) strings.push(`system / SharedFunctionInfo / x${at}`);
const NODE_TYPES = ['hidden', 'array', 'string', 'object', 'code', 'closure', 'regexp', 'number', 'native', 'synthetic'];
const EDGE_TYPES = ['context', 'element', 'property', 'internal', 'hidden', 'shortcut', 'weak'];
const fields = ['type', 'name', 'id', 'self_size', 'edge_count', 'trace_node_id', 'detachedness'];
const nodes = 3 + 2 * functions + objects;
const HELD = 1000; // The root holds every one of so many objects.
const firstObject = 3 + 2 * functions;
const of = (node) => node * fields.length;
const meta = {
  node_fields: fields,
  node_types: [NODE_TYPES, 'string', 'number', 'number', 'number', 'number', 'number'],
  edge_fields: ['type', 'name_or_index', 'to_node'],
  edge_types: [EDGE_TYPES, 'string_or_number', 'node'],
  location_fields: ['object_index', 'script_id', 'line', 'column'],
};
const held = Math.ceil(objects / HELD);
const edges = functions + held + 1 + 2 * functions + 4 * objects;
const [write, close] = writer(join(folder, 'large.heapsnapshot'));
write(`{"snapshot":{"meta":${JSON.stringify(meta)},"node_count":${nodes},"edge_count":${edges}},\n"nodes":[`);
const node = (at, type, name, size, edges) =>
  write(`${at ? ',\n' : ''}${NODE_TYPES.indexOf(type)},${name},${2 * at + 1},${size},${edges},0,0`);
node(0, 'synthetic', 0, 0, functions + held);
node(1, 'code', 4, 100, 1);
node(2, 'string', 5, 32, 0);
for (let at = 0; at < functions; at++) {
  node(3 + 2 * at, 'closure', first + at, 64, 1);
  node(4 + 2 * at, 'code', first + functions + at, 56, 1);
}
for (let at = 0; at < objects; at++) node(firstObject + at, 'object', first + (at % functions), 40, 4);
write('],\n"edges":[');
const edge = (type, name, to, comma = ',\n') => write(`${comma}${EDGE_TYPES.indexOf(type)},${name},${of(to)}`);
for (let at = 0; at < functions; at++) edge('element', at, 3 + 2 * at, at ? ',\n' : '');
for (let at = 0; at < held; at++) edge('element', functions + at, firstObject + at * HELD);
edge('hidden', 4, 2);
for (let at = 0; at < functions; at++) {
  edge('internal', 2, 4 + 2 * at);
  edge('internal', 3, 1);
}
for (let at = 0; at < objects; at++) {
  edge('property', 6, firstObject + ((at + 1) % objects));
  edge('property', 7, firstObject + ((at * 2 + 1) % objects));
  edge('property', 8, firstObject + ((at + 17) % objects));
  edge('property', 9, firstObject + (at >> 1));
}
write('],\n"locations":[');
for (let at = 0; at < functions; at++) write(`${at ? ',\n' : ''}${of(3 + 2 * at)},1,0,${columns[at]}`);
for (let at = 0; at < objects; at += 4) write(`,\n${of(firstObject + at)},1,0,${columns[at % functions]}`);
write(`],\n"strings":${JSON.stringify(strings)}}`);
close();
