// Objects and texts that fit what is looked for, as `find` has them.

import { el, formats } from './shared.js';
import { ask } from './api.js';
import { bytes, distanceText, growing, objectLink, shortened, valueLink } from './parts.js';
import { address, go } from './route.js';

/** Rows at first, and of each further page. */
const ROWS = 50;
const number = { number: true };

const FIELDS = /** @type {[string, string, string][]} */ ([
  ['name', 'Name or class', '* is any text'], ['class', 'Class', '* is any text'], ['text', 'Text of a string', ''],
  ['regex', 'Regular expression', '(?i) ignores case'], ['min_size', 'Retains at least', 'such as 1MB'],
]);
const CHECKS = [['detached', 'Only detached DOM nodes'], ['strings', 'Equal strings as one']];

const UNITS = /** @type {Record<string, number>} */ ({ '': 1, b: 1, kb: 1e3, mb: 1e6, gb: 1e9, kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3 });

/**
 * A size as people write it: bytes, or with a unit; `null` if it is none.
 * @param {string} text
 * @returns {number | null}
 */
export function sizeOf(text) {
  const [, digits, unit] = /^\s*(\d+(?:\.\d+)?)\s*([kmg]?i?b?)\s*$/i.exec(text) ?? [];
  const scale = UNITS[(unit ?? '?').toLowerCase()];
  return scale === undefined ? null : Math.round(Number(digits) * scale);
}

const way = { title: 'Kept alive by', class: 'name', cell: (/** @type {any} */ row) => shortened(row.way) };
const owner = { title: 'Owner', class: 'name', cell: (/** @type {any} */ row) => (row.owner ? valueLink(row.owner) : '') };
const own = { title: 'Own', ...number, cell: (/** @type {any} */ row) => bytes(row.shallow_size) };
const retained = { title: 'Retained', ...number, cell: (/** @type {any} */ row) => bytes(row.retained_size) };
const COLUMNS = /** @type {Record<string, any[]>} */ ({
  objects: [
    { title: 'Object', class: 'name', cell: (/** @type {any} */ row) => valueLink(row) }, { title: 'Class', class: 'name', cell: (/** @type {any} */ row) => row.class_name ?? '' },
    { title: 'Id', class: 'id', cell: (/** @type {any} */ row) => `@${row.id}` }, { title: 'Distance', ...number, cell: (/** @type {any} */ row) => distanceText(row.distance) },
    own, retained, way, owner,
  ],
  strings: [
    { title: 'Text', class: 'name', cell: (/** @type {any} */ row) => objectLink(row.id, shortened(JSON.stringify(row.string))) },
    { title: 'Strings', ...number, cell: (/** @type {any} */ row) => formats.count(row.count) }, own, retained, way, owner,
  ],
});

/**
 * @param {import('./route.js').Route} route
 * @param {AbortSignal} signal
 */
export async function find(route, signal) {
  const { parameters } = route;
  const inputs = FIELDS.map(([name, title, hint]) => el('label', {}, `${title} `, el('input', {
    type: 'search', class: 'filter', name, placeholder: hint, value: parameters.get(name) ?? '',
  })));
  const checks = CHECKS.map(([name, title]) => {
    const box = el('input', { type: 'checkbox', name });
    box.checked = parameters.get(name) === 'true';
    return el('label', {}, box, ` ${title}`);
  });
  const problem = el('p', { class: 'none', role: 'alert' });
  const form = el('form', { class: 'asked' }, inputs, checks, el('button', { type: 'submit', text: 'Find' }));
  form.addEventListener('submit', (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const asked = Object.fromEntries([...form.querySelectorAll('input')].map((/** @type {HTMLInputElement} */ input) => (
      [input.name, input.type === 'checkbox' ? input.checked : input.value.trim()])));
    if (asked.min_size && sizeOf(String(asked.min_size)) === null) problem.textContent = `“${asked.min_size}” is no size: write 4096, 64 kB or 1 MB.`;
    else go(address('find', '', /** @type {Record<string, string | boolean>} */ (asked)));
  });
  const asked = /** @type {Record<string, any>} */ (Object.fromEntries([...parameters].filter(([, value]) => value !== '')));
  if (asked.min_size !== undefined) asked.min_size = sizeOf(asked.min_size) ?? asked.min_size;
  const load = async (/** @type {number} */ offset) => ask('find', { ...asked, offset, top: ROWS }, signal);
  const answer = Object.keys(asked).length ? await load(0) : null;
  const found = answer?.[answer.of];
  const name = (asked.name ?? asked.class ?? '').replaceAll('*', '');
  const result = found ? [
    el('p', { class: 'lead', 'data-fact': 'found', text: `${formats.count(found.total)} found, ${formats.bytes(answer.shallow_size)} of their own` }),
    name ? el('p', {}, el('a', { href: address('classes', '', { filter: name }), text: 'Classes with this in their name' })) : null,
    found.total ? growing(answer.of === 'strings' ? 'Texts' : 'Objects', COLUMNS[answer.of], found, async offset => (await load(offset))[answer.of])
      : el('p', { class: 'none', text: 'Nothing fits. Names and classes fit as a whole: write * for any text.' }),
  ] : el('p', { class: 'none', text: 'Objects by name, class, text and size, each with what keeps it alive.' });
  return {
    answer, title: 'Find', focus: form.querySelector('input'),
    content: [el('section', { id: 'find' }, el('h2', { text: 'Find' }), form, problem, result)],
  };
}
