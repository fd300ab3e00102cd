// Colours of areas with dark text that people with any colour vision tell apart: the least difference of two is 14.4
// (CIEDE2000), however one sees. For changes the ends of Paul Tol's scheme "sunset" (https://personal.sron.nl/~pault/).

const PALETTE = ['#febf12', '#9a87bc', '#1fc094', '#e3b6ff', '#a3f6a2', '#c68206'];
const OTHER = '#d8d8d8';
const LESS = '#6ea6cd';
const MORE = '#f67e4b';

const dark = matchMedia('(prefers-color-scheme: dark)');

function channels(color) {
  return [1, 3, 5].map(at => parseInt(color.slice(at, at + 2), 16));
}

/** A colour between two, at a share of the way to the second. */
function mix(from, to, part) {
  const [a, b] = [channels(from), channels(to)];
  return `#${a.map((value, at) => Math.round(value + (b[at] - value) * part).toString(16).padStart(2, '0')).join('')}`;
}

/** The colours of the page, as its style sheet has them. */
function theme() {
  const style = getComputedStyle(document.documentElement);
  const of = name => style.getPropertyValue(name).trim();
  return { paper: of('--paper'), ink: of('--ink'), soft: of('--soft'), line: of('--line'), accent: of('--accent') };
}

/** An area's colour: less bright on a dark page. */
function area(color) {
  return dark.matches ? mix(color, '#000000', 0.22) : color;
}

/**
 * The largest of some groups have a colour each, first those of rank 0 that are a hundredth of all. Rank 2 has none: it
 * is the engine's, and what people can change should stand out.
 */
function colored(sums, rank) {
  let whole = 0;
  for (const size of sums.values()) whole += size;
  const place = (name, size) => (rank(name) === 0 && size < whole / 100 ? 1 : rank(name));
  const order = [...sums].map(([name, size]) => [name, size, place(name, size)]).filter(([, size, of]) => size > 0 && of < 2);
  order.sort((a, b) => a[2] - b[2] || b[1] - a[1]);
  return new Map(order.slice(0, PALETTE.length).map(([name], at) => [name, PALETTE[at]]));
}

const BUILT_IN = new Set(['AggregateError', 'Array', 'ArrayBuffer', 'BigInt', 'BigInt64Array', 'BigUint64Array', 'Boolean', 'Buffer', 'DataView', 'Date', 'Error',
  'Float32Array', 'Float64Array', 'Function', 'Generator', 'Int16Array', 'Int32Array', 'Int8Array', 'Map', 'Module', 'Number', 'Object', 'Promise', 'Proxy',
  'RangeError', 'ReferenceError', 'RegExp', 'Set', 'SharedArrayBuffer', 'String', 'Symbol', 'SyntaxError', 'TypeError', 'Uint16Array', 'Uint32Array',
  'Uint8Array', 'Uint8ClampedArray', 'WeakMap', 'WeakRef', 'WeakSet', 'process']);
const DATA = new Set(['(string)', '(concatenated string)', '(sliced string)', '(number)', '(bigint)', '(regexp)']);

/** Of a class: 0 for those of the program, 1 for those of the language, 2 for the engine's own. */
function rankOfClass(name) {
  if (DATA.has(name) || BUILT_IN.has(name)) return 1;
  return /^(\(|system \/|Node \/|(global|Window)( |$)|V8|InternalNode)|::/.test(name) || !name ? 2 : 0;
}

/** What a function is coloured by: its package, or the folder of its script; empty for the engine and its runtime. */
function groupOfScript(url, name) {
  if (!url || /^(node|bun|deno|ext|native|internal|extensions):/.test(url)) return '';
  if (name) return name;
  const parts = url.split(/[?#]/)[0].split(/[\\/]/);
  const at = parts.lastIndexOf('node_modules');
  if (at >= 0 && parts[at + 1]) return parts[at + 1].startsWith('@') ? parts.slice(at + 1, at + 3).join('/') : parts[at + 1];
  return parts[parts.length - 2] || url;
}

/** The colour of a change: part is from -1 (all went) to 1 (all is new). */
function change(part) {
  const strength = Math.min(1, Math.abs(part));
  return mix(OTHER, part < 0 ? LESS : MORE, strength);
}
