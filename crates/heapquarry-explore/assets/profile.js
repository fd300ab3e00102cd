// A profile: what is in it, its functions, what calls one and what it calls, packages, and the two trees.

import { bar, copyButton, el, formats, share } from './shared.js';
import { ask } from './api.js';
import { filtered } from './listing.js';
import { fact, failure, growing, shortened, table } from './parts.js';
import { address, go } from './route.js';
import { Tree } from './tree.js';

/** @typedef {import('./route.js').Route} Route */

/** Rows of each list at first, and of each further page. */
const ROWS = 50;

const UNITS = /** @type {Record<string, (value: number) => string>} */ ({
  us: formats.micros, bytes: formats.bytes, nanoseconds: formats.nanos, microseconds: formats.micros,
});

/**
 * Values in a unit, in words.
 * @param {string} unit
 * @returns {(value: number) => string}
 */
export function amounts(unit) {
  return UNITS[unit] ?? formats.count;
}

/**
 * The part of the time that an address is about. All views of a profile have it.
 * @param {URLSearchParams} parameters
 * @returns {Record<string, string>}
 */
export function partOf(parameters) {
  return Object.fromEntries([...parameters].filter(([name]) => ['thread', 'from', 'to'].includes(name)));
}

/**
 * Says that a view is about a part of the time only.
 * @param {Route} route
 */
export function partNote(route) {
  const { from, to, ...rest } = partOf(route.parameters);
  if (from === undefined && to === undefined) return null;
  const others = Object.fromEntries([...route.parameters].filter(([name]) => name !== 'from' && name !== 'to'));
  return el('p', { class: 'part-of' }, `Of ${formats.micros(Number(from ?? 0))} to ${to === undefined ? 'the end' : formats.micros(Number(to))}. `,
    el('a', { href: address(route.screen, route.argument, { ...others, ...rest }), text: 'Of all' }));
}

/**
 * An amount with the number itself for the pointer.
 * @param {string} unit
 */
function cells(unit) {
  const format = amounts(unit);
  return {
    amount: (/** @type {number} */ value) => el('span', { title: `${formats.count(value)} ${unit}`, text: format(value) }),
    percent: (/** @type {number | null} */ value) => (value === null ? '' : [bar(value, 100), `${value.toFixed(Math.abs(value) < 1 ? 2 : 1)} %`]),
  };
}

/**
 * The name of a function, with the one that the file has in brackets, if its source has another.
 * @param {any} row
 * @returns {string}
 */
function called({ function_name: written, original }) {
  if (!original?.name || original.name === written) return written;
  return written === '(anonymous)' ? original.name : `${original.name} [${written}]`;
}

/**
 * @param {any} row
 * @param {Record<string, string>} part
 */
function functionLink(row, part) {
  if (row.function === null || row.function === undefined) return el('span', { text: shortened(called(row)) });
  return el('a', { href: address('function', row.function, part), text: shortened(called(row)) });
}

const place = { title: 'Where', class: 'name', cell: (/** @type {any} */ row) => row.place ?? '' };
const number = { number: true };

/**
 * @param {AbortSignal} signal
 */
export async function profileOverview(signal) {
  const profile = await ask('overview', {}, signal);
  const { totals } = profile;
  const { amount, percent } = cells(profile.unit);
  const format = amounts(profile.unit);
  const shown = (/** @type {any} */ rows) => table('Functions', [
    { title: 'Function', class: 'name', cell: row => el('a', { href: address('functions', '', { filter: row.function_name }), text: shortened(called(row)) }) },
    place,
    { title: 'Self', ...number, cell: row => amount(row.self_value) },
    { title: 'Share', class: 'share', cell: row => percent(row.self_percent) },
    { title: 'Total', ...number, cell: row => amount(row.total_value) },
    { title: 'Share', class: 'share', cell: row => percent(row.total_percent) },
  ], rows).element;
  const part = (/** @type {string} */ id, /** @type {string} */ title, /** @type {string} */ lead, /** @type {any[]} */ ...content) =>
    el('section', { id }, el('h2', { text: title }), el('p', { class: 'lead', text: lead }), content);
  return {
    answer: profile, title: 'Overview',
    content: [
      el('section', { id: 'totals' }, el('dl', {},
        fact('value', profile.title, totals.value, format),
        totals.busy_value === undefined ? null : fact('busy_value', 'Not idle', totals.busy_value, format),
        totals.gc_value === undefined ? null : fact('gc_value', 'Garbage collection', totals.gc_value, format),
        fact('sample_count', 'Samples', totals.sample_count, formats.count), fact('node_count', 'Nodes', totals.node_count, formats.count),
        fact('function_count', 'Functions', totals.function_count, formats.count))),
      part('functions', 'Functions by what they take themselves', 'Where it is spent.', shown(profile.functions.rows),
        el('p', {}, el('a', { href: address('functions'), text: `All ${formats.count(profile.functions.total)} functions` }))),
      part('functions_by_total', 'Functions by what they take with all that they call', 'What leads there.', shown(profile.functions_by_total.rows),
        el('p', {}, el('a', { href: address('flame'), text: 'See them as a flame graph' }))),
    ],
  };
}

/**
 * @param {Route} route
 * @param {AbortSignal} signal
 */
export async function functions(route, signal) {
  const part = partOf(route.parameters);
  // The unit is known with the first rows.
  const { unit } = await ask('functions', { ...part, top: 0 }, signal);
  const { amount } = cells(unit);
  const view = await filtered(route, signal, 'Functions', () => ({
    label: 'functions', question: 'functions', member: 'functions', sort: 'own', asked: part, kept: part,
    open: row => go(address('function', row.function, part)),
    columns: [
      { title: 'Function', key: 'name', class: 'name', cell: row => functionLink(row, part) },
      { title: 'Where', key: 'script', class: 'name', cell: row => row.place ?? '' },
      { title: 'Total', key: 'total', ...number, cell: row => amount(row.total_value) },
      { title: 'Share', ...number, cell: row => (row.self_percent === null ? '' : share(row.self_percent, 100)) },
      { title: 'Self', key: 'own', ...number, cell: row => amount(row.self_value) },
    ],
  }));
  return { ...view, content: [partNote(route), ...view.content] };
}

/**
 * A function, what calls it and what it calls.
 * @param {Route} route
 * @param {AbortSignal} signal
 */
export async function oneFunction(route, signal) {
  const part = partOf(route.parameters);
  const asked = { ...part, function: route.argument, top: ROWS };
  const answer = await ask('function', asked, signal);
  const { function: of, unit } = answer;
  const { amount, percent } = cells(unit);
  const format = amounts(unit);
  const columns = [
    { title: 'Function', class: 'name', cell: (/** @type {any} */ row) => functionLink(row, part) }, place,
    { title: 'Value', ...number, cell: (/** @type {any} */ row) => amount(row.value) },
    { title: 'Share', class: 'share', cell: (/** @type {any} */ row) => percent(row.percent) },
  ];
  const list = (/** @type {string} */ title, /** @type {string} */ member) => (answer[member].total
    ? growing(title, columns, answer[member], async offset => (await ask('function', { ...asked, offset }, signal))[member])
    : el('div', {}, el('h3', { text: title }), el('p', { class: 'none', text: 'None.' })));
  const words = (/** @type {number | null} */ value) => (value === null ? '' : ` (${share(value, 100)})`);
  return {
    answer, title: called(of),
    content: [
      partNote(route),
      el('section', { class: 'object' }, el('h2', { text: shortened(called(of)) }),
        el('p', { class: 'tools' }, copyButton('Copy name', of.function_name), of.url ? copyButton('Copy place', [of.url, of.line, of.column].filter(Boolean).join(':')) : null),
        el('dl', { class: 'facts' },
          fact('self_value', `Self${words(of.self_percent)}`, of.self_value, format), fact('total_value', `Total${words(of.total_percent)}`, of.total_value, format),
          fact('node_count', 'Stacks', of.node_count, formats.count), of.url ? fact('url', 'Script', of.url) : null,
          of.line === null ? null : fact('line', 'Line', of.line))),
      el('section', { id: 'callers' }, list('Called by', 'callers')),
      el('section', { id: 'callees' }, list('Calls', 'callees')),
    ],
  };
}

/**
 * @param {Route} route
 * @param {AbortSignal} signal
 */
export async function packages(route, signal) {
  const part = partOf(route.parameters);
  const asked = { ...part, top: ROWS };
  const answer = await ask('packages', asked, signal);
  const { amount, percent } = cells(answer.unit);
  const list = (/** @type {string} */ title, /** @type {string} */ member, /** @type {string} */ name) => growing(title, [
    { title: 'Name', class: 'name', cell: (/** @type {any} */ row) => shortened(row[name]) },
    { title: 'Self', ...number, cell: (/** @type {any} */ row) => amount(row.self_value) },
    { title: 'Share', class: 'share', cell: (/** @type {any} */ row) => percent(row.self_percent) },
    { title: 'Total', ...number, cell: (/** @type {any} */ row) => amount(row.total_value) },
    { title: 'Share', class: 'share', cell: (/** @type {any} */ row) => percent(row.total_percent) },
  ], answer[member], async offset => (await ask('packages', { ...asked, offset }, signal))[member]);
  return {
    answer, title: 'Packages',
    content: [partNote(route), el('section', { id: 'packages' }, list('Packages', 'packages', 'package')), el('section', { id: 'urls' }, list('Scripts', 'urls', 'url'))],
  };
}

/**
 * Stacks as a tree, from the outermost functions down.
 * @param {Route} route
 * @param {AbortSignal} signal
 */
export async function callTree(route, signal) {
  const part = partOf(route.parameters);
  const answer = await ask('calls', { ...part, top: 0 }, signal);
  const { amount } = cells(answer.unit);
  return treeView(route, signal, answer, {
    label: 'Call tree', root: 0, empty: 'Nothing was called.',
    id: row => row.call, count: row => row.call_count,
    columns: [
      { title: 'Self', cell: row => amount(row.self_value) },
      { title: 'Total', cell: row => amount(row.total_value) },
    ],
    load: async (call, offset, top) => (await ask('calls', { ...part, call, offset, top }, signal)).calls,
  });
}

/**
 * Stacks as a tree, from what took time up to who caused it.
 * @param {Route} route
 * @param {AbortSignal} signal
 */
export async function bottomUp(route, signal) {
  const part = partOf(route.parameters);
  const answer = await ask('callers', { ...part, top: 0 }, signal);
  const { amount } = cells(answer.unit);
  // A row is known by the way to it.
  /** @type {number[][]} */
  const ways = [[]];
  return treeView(route, signal, answer, {
    label: 'Bottom-up', root: 0, empty: 'Nothing took time itself.',
    id: row => row.way, count: row => row.caller_count,
    columns: [
      { title: 'Share', cell: row => (row.self_percent === null ? '' : share(row.self_percent, 100)) },
      { title: 'Self', cell: row => amount(row.self_value) },
    ],
    load: async (way, offset, top) => {
      const { callers } = await ask('callers', { ...part, way: ways[way].join(','), offset, top }, signal);
      for (const row of callers.rows) row.way = ways.push([...ways[way], row.function]) - 1;
      return callers;
    },
  });
}

/**
 * @param {Route} route
 * @param {AbortSignal} signal
 * @param {any} answer
 * @param {Omit<import('./tree.js').How, 'open' | 'text' | 'onfail'>} how
 */
async function treeView(route, signal, answer, how) {
  const part = partOf(route.parameters);
  const problems = el('div');
  /** @type {Map<number, number>} */
  const functionsOf = new Map();
  const tree = new Tree({
    ...how,
    onfail: error => { if (!signal.aborted) problems.replaceChildren(failure(error)); },
    open: id => go(address('function', functionsOf.get(id), part)),
    text: row => {
      functionsOf.set(Number(how.id(row)), row.function);
      return [functionLink(row, part), el('span', { class: 'soft', text: ` ${row.place ?? ''}` })];
    },
  });
  await tree.start();
  return { answer, title: how.label, content: [partNote(route), el('section', {}, el('h2', { text: how.label }), problems, tree.element)] };
}
