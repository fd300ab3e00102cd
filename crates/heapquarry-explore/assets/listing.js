// Lists of any number of rows that are sorted by headings, with or without a filter.

import { debounced, el, formats, replace } from './shared.js';
import { ask } from './api.js';
import { List } from './list.js';
import { failure } from './parts.js';
import { address, current, go, replaceAddress } from './route.js';

/**
 * What differs between lists: what is asked for, and how a row looks. `kept` are the parameters of the address that
 * stay when the order changes.
 * @typedef {import('./route.js').Route} Route
 * @typedef {{ label: string, question: string, member: string, sort: string, asked: Record<string, any>,
 *   kept?: Record<string, any>, columns: import('./list.js').Column[], open: (row: any) => void }} Of
 */

/**
 * A list, once its first rows are there.
 * @param {Route} route
 * @param {AbortSignal} signal
 * @param {Of} of
 */
export async function list(route, signal, of) {
  const { screen, argument, parameters } = route;
  const sort = { key: parameters.get('sort') ?? of.sort, ascending: parameters.get('ascending') === 'true' };
  const here = (/** @type {any} */ more) => address(screen, argument, { ...of.kept, sort: sort.key, ascending: sort.ascending, ...more });
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
 * A list with a field that filters it by name.
 * @param {Route} route
 * @param {AbortSignal} signal
 * @param {string} title
 * @param {(filter: string) => Of} of
 */
export async function filtered(route, signal, title, of) {
  const [place, counted] = [el('div'), el('span', { class: 'count', 'aria-live': 'polite' })];
  const draw = async (/** @type {URLSearchParams} */ parameters) => {
    const filter = parameters.get('filter') ?? '';
    const made = of(filter);
    return list({ ...route, parameters }, signal, { ...made, asked: { ...made.asked, filter }, kept: { ...made.kept, filter } });
  };
  const put = (/** @type {any} */ made) => {
    replace(place, made.problems, made.shown.element);
    replace(counted, made.count.textContent);
  };
  const first = await draw(route.parameters);
  put(first);
  const label = `Filter ${title.toLowerCase()}`;
  const input = el('input', { type: 'search', class: 'filter', placeholder: 'Filter; * is any text', 'aria-label': label, 'data-filter': true });
  input.value = route.parameters.get('filter') ?? '';
  // The view stays, so that nothing is lost of what is typed meanwhile. Of several answers the newest counts.
  let newest = 0;
  input.addEventListener('input', debounced(async () => {
    newest += 1;
    const own = newest;
    const parameters = Object.fromEntries(current().parameters);
    parameters.filter = input.value.trim();
    delete parameters.row;
    replaceAddress(address(route.screen, '', parameters));
    const made = await draw(current().parameters);
    if (own === newest && !signal.aborted) put(made);
  }));
  return {
    answer: first.answer, title,
    content: [el('section', { class: 'full' }, el('h2', { text: title }), el('div', { class: 'tools' }, input, counted), place)],
    focus: route.parameters.has('filter') ? input : first.shown.view,
  };
}
