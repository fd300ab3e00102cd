// What is in the heap: where the bytes are, and where to look next.

import { bar, el, formats, replace, share } from './shared.js';
import { ask } from './api.js';
import { bytes, distanceText, failure, fact, objectLink, table } from './parts.js';
import { address } from './route.js';

const number = { number: true };

const NAME = 120;

/** A name in one line. @param {string} text */
function line(text) {
  const whole = text.replace(/\s+/g, ' ');
  return whole.length > NAME ? `${whole.slice(0, NAME)}…` : whole;
}

/**
 * What to look at first, and what holds the memory: found while the rest is read.
 * @param {boolean} isSeries
 * @param {AbortSignal} signal
 */
function verdict(isSeries, signal) {
  const place = el('div', {}, el('p', { class: 'lead', role: 'status', text: 'What holds the memory is looked for …' }));
  const fill = async () => {
    try {
      const [growth, holders] = await Promise.all([isSeries ? ask('growth', { top: 1 }, signal) : null, ask('holders', {}, signal)]);
      replace(place, growth ? grown(growth) : null, held(holders),
        growth ? null : el('p', { class: 'lead', text: 'One snapshot tells what is large. What leaks is told by several of one process: heapquarry open FIRST SECOND THIRD.' }),
        points(holders.points.rows));
    } catch (error) {
      if (!signal.aborted) replace(place, failure(error, fill));
    }
  };
  fill();
  return el('section', { id: 'verdict' }, el('h2', { text: 'Verdict' }), place);
}

/** What grows, and the worst of it. @param {any} growth */
function grown({ verdict: text, findings }) {
  const link = el('a', { href: address('growth'), text: 'What grows' });
  if (text === null) return el('p', {}, 'These are more snapshots than can be compared step by step. ', link);
  const [worst] = findings.rows;
  return el('div', {}, el('p', {}, el('b', { 'data-fact': 'growth_verdict', text }), ' ', link),
    worst ? el('p', {}, worst.text, ' ', worst.container.id === null ? null : objectLink(worst.container.id, `@${worst.container.id}`)) : null);
}

/** @param {any} holders */
function held({ verdict: text, id }) {
  return el('p', {}, el('span', { 'data-fact': 'verdict', text }), id === null ? null : [' ', objectLink(id, 'Look at it'), ', ',
    el('a', { href: address('object', id, { tab: 'path' }), text: 'what holds it' }), ', ', el('a', { href: address('object', id, { tab: 'dominates' }), text: 'what it holds' }), '.']);
}

/** @param {any[]} rows */
function points(rows) {
  if (!rows.length) return null;
  return [el('h3', { text: 'What holds the memory' }),
    el('p', { class: 'lead', text: 'Objects whose memory is spread over many others. Each is counted without those listed here that it holds.' }),
    table('What holds the memory', [
      { title: 'Object', class: 'name', cell: row => objectLink(row.id, line(row.name || row.class_name)) },
      { title: 'Held by', class: 'name', cell: row => line(row.way) },
      { title: 'Package', class: 'name', cell: row => row.package ?? '' },
      { title: 'Retained', ...number, cell: row => bytes(row.retained_size) },
      { title: 'Without the others', ...number, cell: row => bytes(row.own_size) },
      { title: 'Share', class: 'share', cell: row => (row.share_percent === null ? '' : [bar(row.share_percent, 100), share(row.share_percent, 100)]) },
    ], rows).element];
}

/**
 * @param {string} id
 * @param {string} title
 * @param {string} lead
 * @param {...any} content
 */
function section(id, title, lead, ...content) {
  return el('section', { id }, el('h2', { text: title }), el('p', { class: 'lead', text: lead }), content);
}

/**
 * @param {boolean} isSeries
 * @param {AbortSignal} signal
 */
export async function overview(isSeries, signal) {
  const heap = await ask('overview', {}, signal);
  const { totals } = heap;
  const size = (/** @type {any} */ row) => bytes(row.shallow_size ?? row.size);
  const part = (/** @type {number} */ value) => [bar(value, totals.size), share(value, totals.size)];
  const parts = [
    el('section', { id: 'totals' }, el('dl', {},
      fact('size', 'Size', totals.size, formats.bytes), fact('node_count', 'Objects', totals.node_count, formats.count),
      fact('edge_count', 'References', totals.edge_count, formats.count), fact('class_count', 'Classes', totals.class_count, formats.count),
      totals.unreached_count ? fact('unreached_count', 'Unreachable', totals.unreached_count, formats.count) : null,
      totals.detached_count ? fact('detached_count', 'Detached DOM nodes', totals.detached_count, formats.count) : null)),
    verdict(isSeries, signal),
    section('owners', 'Biggest owners', 'What would be freed with each object, its own size included. An owner of much is the first place to look.',
      table('Biggest owners', [
        { title: 'Object', class: 'name', cell: row => objectLink(row.id, line(row.name || row.class_name)) },
        { title: 'Class', class: 'name', cell: row => row.class_name },
        { title: 'Id', class: 'id', cell: row => `@${row.id}` },
        { title: 'Distance', ...number, cell: row => distanceText(row.distance) },
        { title: 'Retained', ...number, cell: row => bytes(row.retained_size) },
        { title: 'Share', class: 'share', cell: row => part(row.retained_size) },
      ], heap.retainers.rows).element,
      el('p', {}, el('a', { href: address('map'), text: 'See them as a map' }))),
    section('categories', 'Bytes by category', 'They add up to the size of the heap.',
      table('Bytes by category', [
        { title: 'Category', class: 'name', cell: row => row.meaning },
        { title: 'Objects', ...number, cell: row => formats.count(row.count) },
        { title: 'Size', ...number, cell: size },
        { title: 'Share', class: 'share', cell: row => part(row.size) },
      ], heap.statistics).element,
      el('p', {}, el('a', { href: address('owners'), text: 'By package, script and function' }))),
    section('largest', 'Classes that retain most', 'All objects of a class together.',
      table('Classes', [
        { title: 'Class', class: 'name', cell: row => el('a', { href: address('class', row.class_key), text: row.class_name }) },
        { title: 'Objects', ...number, cell: row => formats.count(row.count) },
        { title: 'Own', ...number, cell: size },
        { title: 'Retained', ...number, cell: row => bytes(row.retained_size) },
        { title: 'Share', class: 'share', cell: row => part(row.retained_size) },
      ], heap.classes.rows).element,
      el('p', {}, el('a', { href: address('classes'), text: `All ${formats.count(heap.classes.total)} classes` }))),
  ];
  if (heap.kept.some((/** @type {any} */ row) => row.count > 0)) {
    parts.push(section('kept', 'Kept by one thing only', 'What nothing but this keeps alive.', table('Kept by one thing only', [
      { title: 'Only by', class: 'name', cell: row => row.by },
      { title: 'Objects', ...number, cell: row => formats.count(row.count) },
      { title: 'Own', ...number, cell: size },
    ], heap.kept).element));
  }
  if (heap.detached.total) {
    parts.push(section('detached', 'Detached DOM nodes', 'Nodes of no document, which the program still holds.', table('Detached DOM nodes', [
      { title: 'Class', class: 'name', cell: row => objectLink(row.id, row.class_name) },
      { title: 'Objects', ...number, cell: row => formats.count(row.count) },
      { title: 'Own', ...number, cell: size },
      { title: 'Retained by the largest', ...number, cell: row => bytes(row.retained_size) },
    ], heap.detached.rows).element));
  }
  if (heap.unread_variables.total) {
    parts.push(section('unread', 'Captured and never read', 'Variables that a function keeps alive and that no function can read any more.', table('Captured and never read', [
      { title: 'Variable', class: 'name', cell: row => objectLink(row.context_id, row.name) },
      { title: 'Of', class: 'name', cell: row => row.context_name },
      { title: 'Value', class: 'name', cell: row => objectLink(row.value_id, row.value_class) },
      { title: 'Retained', ...number, cell: row => bytes(row.retained_size) },
    ], heap.unread_variables.rows).element));
  }
  if (heap.duplicate_strings.total) {
    parts.push(section('strings', 'Duplicate strings', 'Several objects with one text. One copy of each would save the rest.', table('Duplicate strings', [
      { title: 'String', class: 'name', cell: row => line(JSON.stringify(row.string)) },
      { title: 'Copies', ...number, cell: row => formats.count(row.count) },
      { title: 'Size', ...number, cell: size },
      { title: 'Would be saved', ...number, cell: row => bytes(row.waste) },
    ], heap.duplicate_strings.rows).element));
  }
  return { answer: heap, title: 'Overview', content: parts };
}
