// The classes of the heap, and the objects of one; of the last heap of a series with what became of them.

import { el, formats, signed } from './shared.js';
import { filtered, list } from './listing.js';
import { bytes, distanceText, shortened, valueLink } from './parts.js';
import { address, go } from './route.js';

/** @typedef {import('./route.js').Route} Route */

/**
 * Numbers in the order of time.
 * @param {number[]} counts
 */
export function overTime(counts) {
  const text = counts.map(formats.count).join(' → ');
  return el('span', { title: text, text });
}

const name = { title: 'Class', key: 'name', class: 'name', cell: (/** @type {any} */ row) => (row.count ? el('a', { href: address('class', row.class_key), text: shortened(row.class_name) }) : shortened(row.class_name)) };
const distance = { title: 'Distance', key: 'distance', number: true, cell: (/** @type {any} */ row) => (row.count === 0 ? '' : distanceText(row.distance)) };
const own = { title: 'Own', key: 'shallow', number: true, cell: (/** @type {any} */ row) => bytes(row.shallow_size) };
const retained = { title: 'Retained', key: 'retained', number: true, cell: (/** @type {any} */ row) => bytes(row.retained_size) };
const growth = { title: 'Growth', key: 'retained_delta', number: true, cell: (/** @type {any} */ row) => (row.growth ? signed(formats.bytes, row.growth.retained_delta) : 'unknown') };

const OF_ONE = [name, { title: 'Objects', key: 'count', number: true, cell: (/** @type {any} */ row) => formats.count(row.count) }, distance, own, retained];
const OF_SERIES = [
  name, { title: 'Objects', key: 'count', cell: (/** @type {any} */ row) => overTime(row.growth.counts) },
  { title: 'More', key: 'count_delta', number: true, cell: (/** @type {any} */ row) => signed(formats.count, row.growth.count_delta) }, own, retained, growth,
];

/** @param {boolean} isSeries */
export function classes(isSeries) {
  return (/** @type {Route} */ route, /** @type {AbortSignal} */ signal) => filtered(route, signal, 'Classes', () => ({
    label: 'classes', question: 'classes', member: 'classes', sort: isSeries ? 'retained_delta' : 'retained', asked: {},
    open: row => { if (row.count) go(address('class', row.class_key)); },
    columns: isSeries ? OF_SERIES : OF_ONE,
  }));
}

const before = { title: 'Before', number: true, cell: (/** @type {any} */ row) => (row.growth ? (row.growth.base_retained_size === null ? 'new' : bytes(row.growth.base_retained_size)) : 'unknown') };

/** @param {boolean} isSeries */
export function objects(isSeries) {
  return async (/** @type {Route} */ route, /** @type {AbortSignal} */ signal) => {
    const { answer, shown, count, problems } = await list(route, signal, {
      label: 'objects', question: 'objects', member: 'objects', sort: isSeries ? 'retained_delta' : 'retained', asked: { class: route.argument },
      open: row => go(address('object', row.id)),
      columns: [
        { title: 'Object', class: 'name', cell: row => valueLink(row) },
        { title: 'Id', key: 'id', number: true, cell: row => `@${row.id}` },
        distance, own, retained, ...(isSeries ? [before, growth] : []),
      ],
    });
    const title = answer?.class_name ?? route.argument;
    return {
      answer, title,
      content: [el('section', { class: 'full' }, el('p', { class: 'command' }, el('a', { href: address('classes'), text: 'Classes' })),
        el('h2', { text: `Objects of ${shortened(title)}` }), el('div', { class: 'tools' }, count), problems, shown.element)],
      focus: shown.view,
    };
  };
}
