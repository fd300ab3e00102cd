// Marks: views that somebody wants to come back to, with notes. They are kept in this tab, and saved as a file.

import { announce, el, formats, replace } from './shared.js';
import { ask } from './api.js';
import { saveFile, table } from './parts.js';
import { address, go } from './route.js';

/**
 * A view, what it was called, and what was noted. The view is an address of this page: it begins with `#/`.
 * @typedef {{ view: string, title: string, note: string }} Mark
 */

/** What a file of marks has besides them: the version of its form. */
const VERSION = 1;
const MOST = 1000;
/** Most characters of a title or note. */
const LONGEST = 10_000;
/** Most characters of a view: the longest query, each byte as three. */
const LONGEST_VIEW = 200_000;
/** The path has the token, so that another page at this port has other marks. */
const KEY = `marks of ${location.pathname}`;

/** @type {Mark[]} */
let marks = stored();

/** @returns {Mark[]} */
function stored() {
  try {
    return marksOf(JSON.parse(sessionStorage.getItem(KEY) ?? '[]'));
  } catch {
    return [];
  }
}

/**
 * The marks in what may be any text.
 * @param {any} list
 * @returns {Mark[]}
 */
function marksOf(list) {
  const isText = (/** @type {any} */ text) => typeof text === 'string' && text.length <= LONGEST;
  const isMark = (/** @type {any} */ mark) => typeof mark?.view === 'string' && mark.view.length <= LONGEST_VIEW && mark.view.startsWith('#/') && isText(mark.title) && isText(mark.note);
  if (!Array.isArray(list) || list.length > MOST || !list.every(isMark)) throw new Error('not a list of marks');
  return list.map(({ view, title, note }) => ({ view, title, note }));
}

/** The link in the head of the page, which has their number. */
export const marksLink = el('a', { href: address('marks'), title: 'Key Shift m' });

/** @param {Mark[]} changed */
function keep(changed) {
  marks = changed;
  marksLink.textContent = marks.length ? `Marks ${formats.count(marks.length)}` : 'Marks';
  try {
    sessionStorage.setItem(KEY, JSON.stringify(marks));
  } catch {
    // Without storage they last as long as the page.
  }
}
keep(marks);

const title = el('input', { type: 'text', maxlength: LONGEST, 'aria-label': 'Title' });
const note = el('textarea', { rows: 4, maxlength: LONGEST, 'aria-label': 'Note' });
/** The view that is marked. */
let marked = '';
export const markDialog = /** @type {HTMLDialogElement} */ (el('dialog', { class: 'mark', 'aria-label': 'Mark' }, el('h2', { text: 'Mark this view' }),
  el('form', { method: 'dialog', onsubmit: () => put() }, el('label', {}, 'Title ', title), el('label', {}, 'Note ', note),
    el('p', { class: 'tools' }, el('button', { text: 'Mark' }), el('button', { type: 'button', text: 'Cancel', onclick: () => markDialog.close() })))));

/** Of one view there is one mark. */
function put() {
  const mark = { view: marked, title: title.value.trim() || marked.slice(0, LONGEST), note: note.value };
  const at = marks.findIndex(({ view }) => view === marked);
  if (marked.length > LONGEST_VIEW || (at < 0 && marks.length >= MOST)) {
    announce(`Not marked: there are ${formats.count(MOST)} marks, or the address is too long.`);
    return;
  }
  keep(at < 0 ? [...marks, mark] : marks.map(other => (other.view === marked ? mark : other)));
  announce(`Marked: ${mark.title}`);
  dispatchEvent(new Event('marked'));
}

/**
 * Asks for a note on a view, and marks it.
 * @param {string} view
 * @param {string} called
 */
export function mark(view, called) {
  const before = marks.find(other => other.view === view);
  marked = view;
  title.value = before?.title ?? called;
  note.value = before?.note ?? '';
  markDialog.showModal();
  note.focus();
}

/** @param {AbortSignal} signal */
export async function marksView(signal) {
  // What the marks are of, and its caveats.
  const answer = await ask('overview', {}, signal);
  const place = el('div');
  const problems = el('div', { role: 'status' });
  const draw = () => {
    const save = () => saveFile('marks.json', new Blob([JSON.stringify({ heapquarry_marks: VERSION, inputs: answer.inputs, marks }, null, 1)], { type: 'application/json' }));
    const file = el('input', { type: 'file', accept: '.json,application/json', 'aria-label': 'Load marks', onchange: () => load(file) });
    replace(place, el('p', { class: 'tools' }, marks.length ? el('button', { type: 'button', text: 'Save as a file', onclick: save }) : null, el('label', {}, 'Load ', file)),
      marks.length ? table('Marks', [
        { title: 'View', class: 'name', cell: row => el('a', { href: row.view, text: row.title }) },
        { title: 'Note', class: 'name', cell: row => el('span', { class: 'note-text', text: row.note }) },
        { title: '', cell: row => el('span', { class: 'tools' }, el('button', { type: 'button', text: 'Change', onclick: () => mark(row.view, row.title) }),
          el('button', { type: 'button', text: 'Remove', 'aria-label': `Remove ${row.title}`, onclick: () => { keep(marks.filter(({ view }) => view !== row.view)); draw(); } })) },
      ], marks).element : el('p', { class: 'none', text: 'Nothing is marked yet: the key m, or Mark in the head of the page, marks a view.' }));
  };
  /** @param {HTMLInputElement} input */
  const load = async input => {
    const text = await input.files?.[0]?.text();
    if (text === undefined) return;
    try {
      const { heapquarry_marks: version, inputs, marks: list } = JSON.parse(text);
      if (version !== VERSION) throw new Error('another version');
      const loaded = marksOf(list);
      const views = new Set(loaded.map(({ view }) => view));
      const all = [...marks.filter(({ view }) => !views.has(view)), ...loaded];
      if (all.length > MOST) throw new Error('too many');
      keep(all);
      const isOther = JSON.stringify(inputs) !== JSON.stringify(answer.inputs);
      replace(problems, isOther ? el('p', { class: 'note', text: `These marks were set of other inputs: ${[inputs].flat().join(', ')}. Ids of one snapshot can mean other objects in another.` }) : null);
      draw();
    } catch {
      replace(problems, el('p', { class: 'note', role: 'alert', text: `This is no file of marks, or there would be more than ${formats.count(MOST)}.` }));
    }
  };
  const again = () => draw();
  addEventListener('marked', again);
  signal.addEventListener('abort', () => removeEventListener('marked', again));
  draw();
  return {
    answer, title: 'Marks',
    content: [el('section', { class: 'full' }, el('h2', { text: 'Marks' }),
      el('p', { class: 'lead', text: 'Views to come back to. They are kept in this tab until it is closed or the server ends; a file keeps them, and heapquarry report --marks FILE puts them into a report.' }),
      problems, place)],
  };
}

/** Shows them. */
export function showMarks() {
  go(address('marks'));
}
