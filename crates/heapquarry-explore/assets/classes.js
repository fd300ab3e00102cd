// The classes of the heap, and the objects of one.

import { debounced, el, formats, replace } from './shared.js';
import { ask } from './api.js';
import { List } from './list.js';
import { bytes, distanceText, failure, shortened, valueLink } from './parts.js';
import { address, current, go, replaceAddress } from './route.js';

/** @typedef {import('./route.js').Route} Route */

/**
 * A list, with what differs between the two: a screen, an argument, a question and columns.
 * @param {Route} route
 * @param {AbortSignal} signal
 * @param {{ label: string, question: string, member: string, asked: Record<string, any>, columns: any[], open: (row: any) => void }} of
 */
async function list(route, signal, of) {
  const { screen, argument, parameters } = route;
  const sort = { key: parameters.get('sort') ?? 'retained', ascending: parameters.get('ascending') === 'true' };
  const filter = parameters.get('filter') ?? undefined;
  const here = (/** @type {any} */ more) => address(screen, argument, { filter, sort: sort.key, ascending: sort.ascending, ...more });
  const problems = el('div');
  /** @type {any} */
  let answer = null;
  const shown = new List({
    ...of,
    sort,
    load: async (offset, top) => {
      answer = await ask(of.question, { ...of.asked, sort: sort.key, ascending: sort.ascending, offset, top }, signal);
      count.textContent = `${formats.count(answer[of.member].total)} ${of.label}`;
      return answer[of.member];
    },
    onsort: (key, ascending) => go(here({ sort: key, ascending })),
    onmove: row => { if (!signal.aborted) replaceAddress(here({ row })); },
    onfail: error => { if (!signal.aborted) problems.replaceChildren(failure(error)); },
  });
  const count = el('span', { class: 'count', 'aria-live': 'polite' });
  const row = Number(parameters.get('row') ?? 0);
  await shown.start(Number.isSafeInteger(row) && row > 0 ? row : 0);
  return { answer, shown, count, problems };
}

/**
 * @param {Route} route
 * @param {AbortSignal} signal
 */
export async function classes(route, signal) {
  const [place, counted] = [el('div'), el('span', { class: 'count', 'aria-live': 'polite' })];
  const draw = async (/** @type {URLSearchParams} */ parameters) => {
    return list({ ...route, parameters }, signal, {
      label: 'classes', question: 'classes', member: 'classes', asked: { filter: parameters.get('filter') ?? '' },
      open: row => go(address('class', row.class_key)),
      columns: [
        { title: 'Class', key: 'name', class: 'name', cell: (/** @type {any} */ row) => el('a', { href: address('class', row.class_key), text: shortened(row.class_name) }) },
        { title: 'Objects', key: 'count', number: true, cell: (/** @type {any} */ row) => formats.count(row.count) },
        { title: 'Distance', key: 'distance', number: true, cell: (/** @type {any} */ row) => distanceText(row.distance) },
        { title: 'Own', key: 'shallow', number: true, cell: (/** @type {any} */ row) => bytes(row.shallow_size) },
        { title: 'Retained', key: 'retained', number: true, cell: (/** @type {any} */ row) => bytes(row.retained_size) },
      ],
    });
  };
  const put = (/** @type {any} */ made) => {
    replace(place, made.problems, made.shown.element);
    replace(counted, made.count.textContent);
  };
  const first = await draw(route.parameters);
  put(first);
  const input = el('input', { type: 'search', class: 'filter', placeholder: 'Filter; * is any text', 'aria-label': 'Filter classes', 'data-filter': true });
  input.value = route.parameters.get('filter') ?? '';
  // The view stays, so that nothing is lost of what is typed meanwhile. Of several answers the newest counts.
  let newest = 0;
  input.addEventListener('input', debounced(async () => {
    newest += 1;
    const own = newest;
    const parameters = Object.fromEntries(current().parameters);
    parameters.filter = input.value.trim();
    delete parameters.row;
    replaceAddress(address('classes', '', parameters));
    const made = await draw(current().parameters);
    if (own === newest && !signal.aborted) put(made);
  }));
  return {
    answer: first.answer, title: 'Classes',
    content: [el('section', { class: 'full' }, el('h2', { text: 'Classes' }), el('div', { class: 'tools' }, input, counted), place)],
    focus: route.parameters.has('filter') ? input : first.shown.view,
  };
}

/**
 * @param {Route} route
 * @param {AbortSignal} signal
 */
export async function objects(route, signal) {
  const { answer, shown, count, problems } = await list(route, signal, {
    label: 'objects', question: 'objects', member: 'objects', asked: { class: route.argument },
    open: row => go(address('object', row.id)),
    columns: [
      { title: 'Object', class: 'name', cell: (/** @type {any} */ row) => valueLink(row) },
      { title: 'Id', key: 'id', number: true, cell: (/** @type {any} */ row) => `@${row.id}` },
      { title: 'Distance', key: 'distance', number: true, cell: (/** @type {any} */ row) => distanceText(row.distance) },
      { title: 'Own', key: 'shallow', number: true, cell: (/** @type {any} */ row) => bytes(row.shallow_size) },
      { title: 'Retained', key: 'retained', number: true, cell: (/** @type {any} */ row) => bytes(row.retained_size) },
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
