// What the roots hold, and what that holds: all references, step by step.

import { el } from './shared.js';
import { ask } from './api.js';
import { bytes, distanceText, failure, shortened, valueLink } from './parts.js';
import { address, go } from './route.js';
import { Tree } from './tree.js';

/**
 * @param {import('./route.js').Route} route
 * @param {AbortSignal} signal
 */
export async function containment(route, signal) {
  const node = route.argument === '' ? undefined : Number(route.argument);
  const answer = await ask('contained', { node, top: 0 }, signal);
  const problems = el('div');
  const tree = new Tree({
    label: 'Reference', root: answer.object.id,
    empty: 'It refers to nothing.',
    onfail: error => { if (!signal.aborted) problems.replaceChildren(failure(error)); },
    id: row => row.id, count: row => row.reference_count, open: to => go(address('object', to)),
    text: row => [el('b', { text: shortened(row.edge) }), ' ', valueLink(row), el('span', { class: 'soft' }, ' ', el('bdi', { text: shortened(row.class_name) }), ` @${row.id}`)],
    columns: [
      { title: 'Distance', cell: row => distanceText(row.distance) },
      { title: 'Own', cell: row => bytes(row.shallow_size) },
      { title: 'Retained', cell: row => bytes(row.retained_size) },
    ],
    load: async (of, offset, top) => (await ask('contained', { node: of, offset, top }, signal)).contained,
  });
  await tree.start();
  const from = node === undefined ? 'the root' : valueLink(answer.object);
  return {
    answer, title: 'Containment',
    content: [el('section', {}, el('h2', { text: 'Containment' }),
      el('p', { class: 'lead' }, 'What ', from, ' refers to, and what that refers to. What several refer to is below each of them.'),
      node === undefined ? null : el('p', {}, el('a', { href: address('containment'), text: 'From the root' })), problems, tree.element)],
  };
}
