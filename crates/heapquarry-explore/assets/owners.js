// Whose the memory is: each byte belongs to one package, script or function.

import { bar, el, formats, share } from './shared.js';
import { ask } from './api.js';
import { bytes, shortened, table } from './parts.js';
import { address } from './route.js';

const KINDS = { package: 'Packages', script: 'Scripts', function: 'Functions' };
const number = { number: true };

/**
 * Has the server work out what is probably asked for next: each takes a walk through the heap, the first time.
 * @param {string[]} kinds
 * @param {AbortSignal} signal
 */
async function ahead(kinds, signal) {
  try {
    for (const by of kinds) await ask('owners', { by }, signal);
  } catch {
    // Whoever asks for it then is told.
  }
}

/**
 * @param {import('./route.js').Route} route
 * @param {AbortSignal} signal
 */
export async function owners(route, signal) {
  const by = route.parameters.get('by') ?? 'package';
  const answer = await ask('owners', { by }, signal);
  const { total, rows } = answer.owners;
  const links = Object.entries(KINDS).map(([kind, title]) => el('a', {
    href: address('owners', '', { by: kind === 'package' ? undefined : kind }), 'aria-current': kind === by ? 'true' : undefined, text: title,
  }));
  ahead(Object.keys(KINDS).filter(kind => kind !== by), signal);
  const place = (/** @type {any} */ { script, line }) => (script ? `${script}${line ? `:${line}` : ''}` : '');
  const part = (/** @type {number | null} */ percent) => (percent === null ? '' : [bar(percent, 100), share(percent, 100)]);
  return {
    answer, title: 'Owners',
    content: [el('section', { id: 'owners' }, el('h2', { text: 'Owners' }),
      el('p', { class: 'lead', text: 'Each byte belongs to one of them, so the sizes add up to the size of the heap. What one retains can belong to another.' }),
      el('nav', { class: 'tabs', 'aria-label': 'Put together by' }, links),
      table('Owners', [
        { title: 'Owner', class: 'name', cell: row => shortened(row.owner.name) },
        ...(by === 'function' ? [{ title: 'Where', class: 'name', cell: (/** @type {any} */ row) => place(row.owner) }] : []),
        { title: 'Objects', ...number, cell: row => formats.count(row.count) },
        { title: 'Size', ...number, cell: row => bytes(row.size) },
        { title: 'Share', class: 'share', cell: row => part(row.share_percent) },
        { title: 'Retained', ...number, cell: row => bytes(row.retained_size) },
      ], rows).element,
      total > rows.length ? el('p', { class: 'none', text: `${formats.count(total - rows.length)} smaller ones are not listed: heapquarry summary --by ${by} lists all.` }) : null)],
  };
}
