// The classes of the heap, and the objects of one.

import { el, formats } from './shared.js';
import { filtered, list } from './listing.js';
import { bytes, distanceText, shortened, valueLink } from './parts.js';
import { address, go } from './route.js';

/** @typedef {import('./route.js').Route} Route */

/**
 * @param {Route} route
 * @param {AbortSignal} signal
 */
export async function classes(route, signal) {
  return filtered(route, signal, 'Classes', () => ({
    label: 'classes', question: 'classes', member: 'classes', sort: 'retained', asked: {},
    open: row => go(address('class', row.class_key)),
    columns: [
      { title: 'Class', key: 'name', class: 'name', cell: row => el('a', { href: address('class', row.class_key), text: shortened(row.class_name) }) },
      { title: 'Objects', key: 'count', number: true, cell: row => formats.count(row.count) },
      { title: 'Distance', key: 'distance', number: true, cell: row => distanceText(row.distance) },
      { title: 'Own', key: 'shallow', number: true, cell: row => bytes(row.shallow_size) },
      { title: 'Retained', key: 'retained', number: true, cell: row => bytes(row.retained_size) },
    ],
  }));
}

/**
 * @param {Route} route
 * @param {AbortSignal} signal
 */
export async function objects(route, signal) {
  const { answer, shown, count, problems } = await list(route, signal, {
    label: 'objects', question: 'objects', member: 'objects', sort: 'retained', asked: { class: route.argument },
    open: row => go(address('object', row.id)),
    columns: [
      { title: 'Object', class: 'name', cell: row => valueLink(row) },
      { title: 'Id', key: 'id', number: true, cell: row => `@${row.id}` },
      { title: 'Distance', key: 'distance', number: true, cell: row => distanceText(row.distance) },
      { title: 'Own', key: 'shallow', number: true, cell: row => bytes(row.shallow_size) },
      { title: 'Retained', key: 'retained', number: true, cell: row => bytes(row.retained_size) },
    ],
  });
  const name = answer?.class_name ?? route.argument;
  return {
    answer, title: name,
    content: [el('section', { class: 'full' }, el('p', { class: 'command' }, el('a', { href: address('classes'), text: 'Classes' })),
      el('h2', { text: `Objects of ${shortened(name)}` }), el('div', { class: 'tools' }, count), problems, shown.element)],
    focus: shown.view,
  };
}
