// Small parts that all views have.

import { el, formats } from './shared.js';
import { Failure } from './api.js';
import { address } from './route.js';

const UNREACHED = -5;
const SYSTEM = 100000000;

/** @param {number} distance */
export function distanceText(distance) {
  if (distance === UNREACHED) return 'unreached';
  return distance >= SYSTEM ? 'system' : formats.count(distance);
}

/**
 * Bytes in words, with the number itself for the pointer.
 * @param {number | null | undefined} value
 */
export function bytes(value) {
  if (value === null || value === undefined) return '';
  return el('span', { title: `${formats.count(value)} bytes`, text: formats.bytes(value) });
}

/**
 * A link to an object.
 * @param {number} id
 * @param {string} text
 */
export function objectLink(id, text) {
  return el('a', { href: address('object', id), text });
}

/**
 * A value as `show` has it: a link, unless it is in no file.
 * @param {{ value: string, class_name: string | null, id: number | null }} target
 */
export function valueLink(target) {
  if (target.id === null || target.id === undefined) return el('span', { text: target.value });
  return objectLink(target.id, shortened(target.value));
}

const LONGEST = 300;
/** Characters that may not fit into three lines, so that the pointer tells them, and how many it tells. */
const LONG = 60;
const TOLD = 2000;

/** @param {string} text */
export function shortened(text) {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${formats.count(text.length)} characters)` : text;
}

/**
 * A number whose exact value can be read.
 * @param {string} name
 * @param {string} title
 * @param {number | string | null} value
 * @param {(value: any) => string} format
 */
export function fact(name, title, value, format = String) {
  const text = value === null ? 'unknown' : format(value);
  const exact = typeof value === 'number' && format === formats.bytes && value >= 1000 ? el('span', { class: 'exact', text: ` (${formats.count(value)})` }) : null;
  return el('div', {}, el('dt', { text: title }), el('dd', { 'data-fact': name, 'data-v': value ?? '' }, text, exact));
}

/**
 * A table. Columns: title, cell(row), and number for numbers.
 * @param {string} label
 * @param {{ title: string, cell: (row: any) => any, number?: boolean, class?: string }[]} columns
 * @param {any[]} rows
 */
export function table(label, columns, rows) {
  const classes = (/** @type {any} */ column) => [column.number && 'number', column.class].filter(Boolean).join(' ');
  const body = el('tbody', {}, rows.map(row => rowOf(columns, row)));
  const head = el('thead', {}, el('tr', {}, columns.map(column => el('th', { scope: 'col', class: classes(column), text: column.title }))));
  const element = el('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': label }, el('table', {}, head, body));
  return { element, add: (/** @type {any[]} */ more) => body.append(...more.map(row => rowOf(columns, row))) };
}

/**
 * @param {any[]} columns
 * @param {any} row
 */
function rowOf(columns, row) {
  const cell = (/** @type {any} */ column) => {
    const content = column.cell(row);
    const isText = column.class === 'name' && typeof content === 'string' && content !== '';
    return isText ? el('span', { class: 'text', title: content.length > LONG ? content.slice(0, TOLD) : undefined, text: shortened(content) }) : content;
  };
  return el('tr', {}, columns.map(column => el('td', { class: [column.number && 'number', column.class].filter(Boolean).join(' ') }, cell(column))));
}

/**
 * A list that has more rows than are shown: a table, and a button for the next ones.
 * @param {string} title
 * @param {any[]} columns
 * @param {{ total: number, rows: any[] }} list
 * @param {(offset: number) => Promise<{ rows: any[] }>} more
 */
export function growing(title, columns, list, more) {
  let shown = list.rows.length;
  const made = table(title, columns, list.rows);
  const button = el('button', { type: 'button', class: 'more' });
  const label = () => {
    button.textContent = `Show more of ${formats.count(list.total - shown)}`;
    button.hidden = shown >= list.total;
  };
  button.addEventListener('click', async () => {
    button.disabled = true;
    try {
      const next = await more(shown);
      made.add(next.rows);
      shown += next.rows.length;
      label();
    } catch (error) {
      button.after(failure(error));
    }
    button.disabled = false;
  });
  label();
  return el('div', {}, el('h3', { text: `${title} (${formats.count(list.total)})` }), made.element, button);
}

/**
 * Hands a file to the browser, which saves it.
 * @param {string} name
 * @param {Blob} blob
 */
export function saveFile(name, blob) {
  const href = URL.createObjectURL(blob);
  el('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/**
 * What is said where an answer is missing.
 * @param {unknown} error
 * @param {() => void} [again]
 */
export function failure(error, again) {
  const text = error instanceof Failure ? error.message : `This view has an error: ${error}`;
  // What is not there is not there the second time.
  const isMissing = error instanceof Failure && error.status === 404;
  return el('p', { class: 'note', role: 'alert' }, text, again && !isMissing ? [' ', el('button', { type: 'button', text: 'Try again', onclick: again })] : null);
}
