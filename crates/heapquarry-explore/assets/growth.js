// What grew in a series of heaps.

import { el, formats, signed } from './shared.js';
import { ask } from './api.js';
import { overTime } from './classes.js';
import { bytes, fact, objectLink, shortened, table } from './parts.js';
import { address } from './route.js';

const number = { number: true };

/** @param {AbortSignal} signal */
export async function growth(signal) {
  const answer = await ask('growth', {}, signal);
  const places = answer.findings;
  return {
    answer, title: 'Growth',
    content: [
      el('section', { id: 'snapshots' }, el('h2', { text: 'Snapshots' }), table('Snapshots', [
        { title: 'Snapshot', class: 'name', cell: row => row.name },
        { title: 'Size', ...number, cell: row => bytes(row.size) },
        { title: 'Growth', ...number, cell: row => signed(formats.bytes, row.size_delta) },
        { title: 'Objects', ...number, cell: row => formats.count(row.node_count) },
        { title: 'More', ...number, cell: row => signed(formats.count, row.node_count_delta) },
      ], answer.snapshots).element, el('p', {}, el('a', { href: address('classes'), text: 'Growth of each class' }))),
      el('section', { id: 'places' }, el('h2', { text: 'What grows in every step' }),
        places === null ? el('p', { class: 'none', text: 'These are more snapshots than can be compared step by step.' }) : null,
        places?.total === 0 ? el('p', { class: 'none', text: 'Nothing grows in every step.' }) : null,
        places?.rows.map(place),
        places?.total > places?.rows.length ? el('p', { class: 'none', text: `${formats.count(places.total - places.rows.length)} more: heapquarry leaks lists all.` }) : null),
    ],
  };
}

/**
 * A place that grows: what its text does not say stands below it.
 * @param {any} leak
 */
function place(leak) {
  const { id, class_name: type } = leak.container;
  return el('article', {}, el('h3', { text: shortened(leak.owner) }), el('p', { text: leak.text }), el('dl', { class: 'facts' },
    leak.counts ? el('div', {}, el('dt', { text: leak.leaked ?? 'Objects' }), el('dd', {}, overTime(leak.counts))) : null,
    fact('confidence', 'Confidence', leak.confidence),
    id === null ? null : el('div', {}, el('dt', { text: 'In' }), el('dd', {}, objectLink(id, `${type || 'object'} @${id}`)))));
}
