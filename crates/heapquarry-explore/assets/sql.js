// A query in SQL, and its result as a table, as bars, as CSV.

import { bar, el, formats, replace } from './shared.js';
import { Failure, ask as question, askSql } from './api.js';
import { List } from './list.js';
import { failure, objectLink, saveFile, table } from './parts.js';
import { address, go, replaceAddress } from './route.js';

/**
 * @typedef {import('./route.js').Route} Route
 * @typedef {{ columns: string[], rows: (string | null)[][], has_more: boolean }} Result
 */

/** Rows that have a bar. */
const BARS = 100;

const TABLES = "SELECT table_name, string_agg(column_name, ' ' ORDER BY column_index) AS columns FROM duckdb_columns()\nWHERE NOT internal GROUP BY ALL ORDER BY ALL";

/** Queries to begin with. @type {Record<string, [string, string][]>} */
const EXAMPLES = {
  heap: [
    ['Bytes by type', 'SELECT type, count(*) AS objects, sum(self_size) AS bytes FROM js_heap_nodes\nGROUP BY type ORDER BY bytes DESC'],
    ['Objects that retain most', 'SELECT id AS node_id, class_name, self_size, retained_size FROM heap_object\nORDER BY retained_size DESC LIMIT 100'],
    ['Longest strings', "SELECT id AS node_id, self_size, left(name, 80) AS text FROM js_heap_nodes\nWHERE type = 'string' ORDER BY self_size DESC LIMIT 100"],
  ],
  profile: [],
  watch: [
    ['Samples', 'SELECT elapsed_us / 1e6 AS seconds, live_by, rss, heap_used, external_size, array_buffers, malloc_used, malloc_free\nFROM process_sample ORDER BY elapsed_us'],
    ['Resident memory by kind of map', 'SELECT kind, min(rss) AS least, max(rss) AS most FROM process_map\nGROUP BY kind ORDER BY most DESC'],
  ],
  trace: [
    ['Slices by name', 'SELECT name, count(*) AS slices, sum(self_dur) / 1e6 AS self_ms, sum(dur) / 1e6 AS total_ms FROM slice\nWHERE dur >= 0 AND is_aggregate = 0 GROUP BY name ORDER BY self_ms DESC LIMIT 100'],
  ],
};

const isNumber = (/** @type {string | null} */ text) => text === null || (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(text) && Number.isFinite(Number(text)));

/**
 * Which columns are numbers: all of their values are, and not all are NULL.
 * @param {Result} result
 */
function numbersOf({ columns, rows }) {
  return columns.map((_, at) => rows.some(row => row[at] !== null) && rows.every(row => isNumber(row[at])));
}

/**
 * The view of a kind of input.
 * @param {string} kind
 */
export function sql(kind) {
  return async (/** @type {Route} */ route, /** @type {AbortSignal} */ signal) => {
    // Its caveats hold for the tables, too.
    const answer = await question('overview', {}, signal);
    const asked = route.parameters.get('query') ?? '';
    const field = el('textarea', { class: 'sql', rows: 6, spellcheck: false, autocapitalize: 'off', 'aria-label': 'Query in SQL', placeholder: 'SELECT …' });
    field.value = asked;
    const run = () => {
      const query = field.value.trim();
      if (query && query !== asked) go(address('sql', '', { query }));
      else if (query) ask();
    };
    field.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run();
      if (event.key === 'Escape') place.focus();
    });
    const begin = [['Tables and columns', TABLES], ...EXAMPLES[kind]].map(([title, query]) =>
      el('a', { href: address('sql', '', { query }), text: title }));
    const place = el('div', { tabindex: -1 });
    const state = el('span', { class: 'count', role: 'status' });
    const stop = el('button', { type: 'button', text: 'Stop', hidden: true });
    /** What runs now. @type {AbortController | null} */
    let running = null;
    stop.addEventListener('click', () => running?.abort());
    signal.addEventListener('abort', () => running?.abort());
    /**
     * Asks, until something else is asked: then there is no answer.
     * @template T
     * @param {boolean} csv
     * @param {(response: Response) => Promise<T>} read
     * @returns {Promise<T | undefined>}
     */
    const asking = async (csv, read) => {
      running?.abort();
      const own = new AbortController();
      running = own;
      stop.hidden = false;
      state.textContent = 'It runs. The first query also makes the tables.';
      try {
        const found = await read(await askSql({ sql: asked, csv }, own.signal));
        return running === own ? found : undefined;
      } catch (error) {
        if (running !== own) return undefined;
        if (own.signal.aborted) throw new Failure('The query was stopped.');
        throw error;
      } finally {
        if (running === own) {
          running = null;
          stop.hidden = true;
          state.textContent = '';
        }
      }
    };
    const ask = async () => {
      try {
        const result = await asking(false, response => response.json());
        if (signal.aborted || !result) return;
        replace(place, shown(route, kind, result, async () => {
          try {
            const file = await asking(true, response => response.blob());
            if (file) saveFile('result.csv', file);
          } catch (error) {
            if (!signal.aborted) place.prepend(failure(error));
          }
        }));
      } catch (error) {
        if (!signal.aborted) replace(place, failure(error));
      }
    };
    // The result comes when it is there: the query stays in reach meanwhile.
    if (asked) ask();
    return {
      answer, title: 'SQL',
      content: [el('section', { class: 'full' }, el('h2', { text: 'SQL' }),
        el('p', { class: 'lead', text: 'One query over the tables of the input, as heapquarry query answers it. It reads them and nothing else, and writes nothing.' }),
        field, el('p', { class: 'tools' }, el('button', { type: 'button', class: 'run', text: 'Run', title: 'Ctrl Enter', onclick: run }), stop, begin, state)),
      place],
      focus: asked ? place : field,
    };
  };
}

/**
 * A result.
 * @param {Route} route
 * @param {string} kind
 * @param {Result} result
 * @param {() => void} csv
 */
function shown(route, kind, result, csv) {
  const { columns, rows, has_more: hasMore } = result;
  const as = route.parameters.get('as') === 'bars' ? 'bars' : 'table';
  const numbers = numbersOf(result);
  const place = el('div');
  const draw = (/** @type {string} */ form) => {
    replace(tabs, ['table', 'bars'].map(name => el('button', {
      type: 'button', 'aria-pressed': String(name === form), text: name === 'table' ? 'Table' : 'Bars', onclick: () => {
        replaceAddress(address('sql', '', { query: route.parameters.get('query') ?? '', as: name === 'bars' && name }));
        draw(name);
      },
    })), el('button', { type: 'button', text: 'Save CSV', onclick: csv }));
    replace(place, form === 'bars' ? bars(result, numbers) : listed(kind, result, numbers));
  };
  const tabs = el('span', { class: 'tools' });
  draw(as);
  const count = `${formats.count(rows.length)}${hasMore ? ' first' : ''} ${rows.length === 1 ? 'row' : 'rows'}`;
  return el('section', { class: 'full', id: 'result' }, el('div', { class: 'tools' }, el('span', { class: 'count', text: count }), rows.length ? tabs : null),
    hasMore ? el('p', { class: 'note', text: 'There are more rows: the query needs a LIMIT, or a sum. CSV has up to 64 MB of them.' }) : null,
    rows.length ? place : el('p', { class: 'none', text: 'The result has no rows.' }));
}

/**
 * @param {string} kind
 * @param {Result} result
 * @param {boolean[]} numbers
 */
function listed(kind, { columns, rows }, numbers) {
  const cell = (/** @type {number} */ at) => (/** @type {any} */ { values }) => {
    const text = values[at];
    if (text === null) return el('span', { class: 'soft', text: 'NULL' });
    // Ids of nodes are what addresses have.
    if (kind === 'heap' && /^((\w+_)?node|dominator)_id$/.test(columns[at]) && /^\d+$/.test(text)) return objectLink(text, text);
    return el('span', { title: text, text: text.slice(0, 1000) });
  };
  const list = new List({
    label: 'Result', sort: { key: '', ascending: true }, onsort: () => {}, onmove: () => {}, onfail: () => {}, open: () => {},
    columns: columns.map((title, at) => ({ title, number: numbers[at], cell: cell(at) })),
    load: async (offset, top) => ({ total: rows.length, rows: rows.slice(offset, offset + top).map(values => ({ values })) }),
  });
  list.start(0);
  list.element.classList.add('wide');
  return list.element;
}

/**
 * Rows with a bar for one of the numbers.
 * @param {Result} result
 * @param {boolean[]} numbers
 */
function bars({ columns, rows }, numbers) {
  const choices = columns.map((title, at) => ({ title, at })).filter(({ at }) => numbers[at]);
  if (!choices.length) return el('p', { class: 'none', text: 'No column has numbers only, so there is nothing to draw.' });
  const select = el('select', { 'aria-label': 'Column of the bars' }, choices.map(({ title, at }) => el('option', { value: at, text: title })));
  // The last number of a row is what most queries are about.
  select.value = String(choices[choices.length - 1].at);
  const place = el('div');
  const draw = () => {
    const at = Number(select.value);
    const some = rows.slice(0, BARS);
    const size = (/** @type {(string | null)[]} */ row) => Math.abs(Number(row[at] ?? 0));
    const most = Math.max(...some.map(size));
    const names = columns.map((_, other) => other).filter(other => other !== at && !numbers[other]);
    const labels = names.length ? names : columns.map((_, other) => other).filter(other => other !== at);
    replace(place, table('Bars', [
      { title: labels.map(other => columns[other]).join(', ') || 'Row', class: 'name', cell: row => labels.map(other => row[other] ?? 'NULL').join(', ').slice(0, 300) },
      { title: columns[at], number: true, cell: row => row[at] ?? el('span', { class: 'soft', text: 'NULL' }) },
      { title: '', class: 'share', cell: row => (row[at] === null ? null : bar(size(row), most)) },
    ], some).element, rows.length > BARS ? el('p', { class: 'none', text: `The first ${BARS} of ${formats.count(rows.length)} rows.` }) : null);
  };
  select.addEventListener('change', draw);
  draw();
  return el('div', {}, el('p', { class: 'tools' }, el('label', {}, 'Bars of ', select)), place);
}
