// A list of any number of rows, of which those in view are on the page.
//
// Elements cannot be higher than some 33 million pixels, so the truth is `top`: the row at the upper edge, with a
// fraction. Where all rows would be higher than TALLEST, the bar stands for a share of the list; the wheel and the keys
// move by rows.

import { announce, el, formats, replace } from './shared.js';

const ROW = 28;
const TALLEST = 8e6;
/** Rows of a question. */
const PAGE = 256;
/** Pages that are kept. */
const KEPT = 32;

/**
 * @typedef {{ title: string, key?: string, number?: boolean, class?: string, cell: (row: any) => any }} Column
 */

export class List {
  /**
   * @param {{ label: string, columns: Column[], load: (offset: number, top: number) => Promise<{ total: number, rows: any[] }>,
   *   open: (row: any) => void, sort: { key: string, ascending: boolean }, onsort: (key: string, ascending: boolean) => void,
   *   onmove: (row: number) => void, onfail: (error: unknown) => void }} how
   */
  constructor(how) {
    this.how = how;
    this.total = 0;
    this.top = 0;
    this.focused = 0;
    /** @type {Map<number, any[] | null>} */
    this.pages = new Map();
    this.isDrawn = false;
    /** After a failure nothing more is asked for: the view says so, and has a way to try again. */
    this.hasFailed = false;
    this.rows = el('div', { class: 'rows', role: 'presentation' });
    this.spacer = el('div', { class: 'spacer', role: 'presentation' }, this.rows);
    this.view = el('div', { class: 'view', tabindex: 0, role: 'rowgroup', 'aria-label': how.label }, this.spacer);
    const heads = how.columns.map(column => this.heading(column));
    this.element = el('div', { class: 'list', role: 'grid', 'aria-label': how.label, 'aria-rowcount': -1 },
      el('div', { class: 'row head', role: 'row', 'aria-rowindex': 1 }, heads), this.view);
    this.element.style.setProperty('--columns', how.columns.map(column => (column.number ? 'minmax(5.5rem, 8rem)' : 'minmax(8rem, 1fr)')).join(' '));
    this.view.addEventListener('scroll', () => this.scrolled());
    this.view.addEventListener('wheel', (/** @type {WheelEvent} */ event) => this.wheel(event), { passive: false });
    this.view.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => this.key(event));
    this.view.addEventListener('click', (/** @type {MouseEvent} */ event) => this.click(event));
    new ResizeObserver(() => this.resized()).observe(this.view);
  }

  /** @param {Column} column */
  heading(column) {
    const { sort, onsort } = this.how;
    const attributes = { class: `cell ${column.number ? 'number' : ''}`, role: 'columnheader' };
    if (!column.key) return el('div', { ...attributes, text: column.title });
    const isSorted = column.key === sort.key;
    const direction = sort.ascending ? 'ascending' : 'descending';
    const next = isSorted ? !sort.ascending : !column.number;
    const arrow = isSorted ? (sort.ascending ? ' ↑' : ' ↓') : '';
    return el('div', { ...attributes, 'aria-sort': isSorted ? direction : undefined },
      el('button', { type: 'button', class: 'sort', text: column.title + arrow, onclick: () => onsort(String(column.key), next) }));
  }

  /**
   * Shows the list from a row on.
   * @param {number} row
   */
  async start(row) {
    this.top = this.focused = row;
    const page = Math.floor(row / PAGE);
    await this.fetch(page);
    this.focused = Math.min(this.focused, Math.max(0, this.total - 1));
  }

  /** Only on the page its height is known. */
  resized() {
    if (this.view.clientHeight) this.to(this.top);
  }

  /** Rows that are wholly in view. */
  get fitting() {
    return Math.max(1, this.view.clientHeight / ROW);
  }

  /** @param {number} top */
  clamped(top) {
    return Math.max(0, Math.min(top, this.total - this.fitting));
  }

  get height() {
    return Math.min(this.total * ROW, TALLEST);
  }

  /** @param {number} page */
  async fetch(page) {
    if (this.hasFailed || this.pages.has(page) || page < 0 || (page > 0 && page * PAGE >= this.total && this.total > 0)) return;
    this.pages.set(page, null);
    try {
      const list = await this.how.load(page * PAGE, PAGE);
      if (this.total !== list.total) {
        this.total = list.total;
        this.spacer.style.height = `${this.height}px`;
        this.element.setAttribute('aria-rowcount', String(this.total + 1));
      }
      this.pages.set(page, list.rows);
      this.forget();
    } catch (error) {
      this.pages.delete(page);
      this.hasFailed = true;
      this.how.onfail(error);
    }
    this.draw();
  }

  /** Forgets the pages that are farthest away. */
  forget() {
    const here = this.top / PAGE;
    const far = [...this.pages.keys()].sort((a, b) => Math.abs(b - here) - Math.abs(a - here));
    for (const page of far.slice(0, Math.max(0, far.length - KEPT))) this.pages.delete(page);
  }

  scrolled() {
    // What was just set comes back as an event.
    if (Math.abs(this.view.scrollTop - (this.set ?? -10)) < 1.5) return;
    this.set = undefined;
    const room = this.height - this.view.clientHeight;
    const share = room > 0 ? this.view.scrollTop / room : 0;
    this.top = this.height < TALLEST ? this.view.scrollTop / ROW : share * (this.total - this.fitting);
    this.moved();
  }

  /** Has the bar show where the list is. */
  bar() {
    const room = this.height - this.view.clientHeight;
    const share = this.top / Math.max(1, this.total - this.fitting);
    this.view.scrollTop = this.height < TALLEST ? this.top * ROW : share * room;
    this.set = this.view.scrollTop;
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    if (this.height < TALLEST || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    const rows = event.deltaMode === 1 ? event.deltaY : event.deltaMode === 2 ? event.deltaY * this.fitting : event.deltaY / ROW;
    this.to(this.top + rows);
  }

  /** @param {number} top */
  to(top) {
    const before = this.top;
    this.top = this.clamped(top);
    this.bar();
    if (this.top === before) this.draw();
    else this.moved();
  }

  moved() {
    this.draw();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.how.onmove(Math.round(this.top)), 300);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.floor(this.fitting) - 1;
    const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    const step = /** @type {Record<string, number>} */ (steps)[event.key];
    if (step !== undefined) {
      event.preventDefault();
      this.focused = Math.max(0, Math.min(this.total - 1, this.focused + step));
      if (this.focused < this.top) this.to(this.focused);
      else if (this.focused > this.top + this.fitting - 1) this.to(this.focused - this.fitting + 1);
      else this.draw();
      announce(this.rows.querySelector('[aria-selected="true"]')?.textContent ?? '');
    } else if (event.key === 'Enter') {
      const row = this.row(this.focused);
      if (row) this.how.open(row);
    }
  }

  /** @param {MouseEvent} event */
  click(event) {
    const target = /** @type {Element} */ (event.target);
    const element = target.closest('[data-row]');
    if (!element || target.closest('a, button')) return;
    this.focused = Number(/** @type {HTMLElement} */ (element).dataset.row);
    this.draw();
    const row = this.row(this.focused);
    if (row && String(getSelection()) === '') this.how.open(row);
  }

  /** @param {number} at */
  row(at) {
    return this.pages.get(Math.floor(at / PAGE))?.[at % PAGE];
  }

  draw() {
    if (this.isDrawn) return;
    this.isDrawn = true;
    requestAnimationFrame(() => {
      this.isDrawn = false;
      this.paint();
    });
  }

  paint() {
    this.element.classList.toggle('empty', !this.total && Boolean(this.pages.get(0)));
    if (!this.total) {
      const isLoaded = this.pages.get(0);
      replace(this.rows, this.hasFailed ? null : el('p', { class: 'none', text: isLoaded ? 'Nothing fits. The filter takes a part of a name, or * for any text.' : 'Loading …' }));
      return;
    }
    const first = Math.floor(this.top);
    const end = Math.min(this.total, Math.ceil(this.top + this.fitting) + 1);
    const made = [];
    for (let at = first; at < end; at++) made.push(this.line(at));
    replace(this.rows, made);
    this.rows.style.height = `${this.view.clientHeight}px`;
    if (document.activeElement === this.view) this.view.setAttribute('aria-activedescendant', `row-${this.focused}`);
    // The pages in view, and one ahead on both sides.
    for (const page of [first, end - 1, first - PAGE, end + PAGE].map(at => Math.floor(at / PAGE))) this.fetch(page);
  }

  /** @param {number} at */
  line(at) {
    const row = this.row(at);
    const element = el('div', {
      class: 'row', role: 'row', id: `row-${at}`, 'data-row': at, 'aria-rowindex': at + 2, 'aria-selected': String(at === this.focused),
    }, this.how.columns.map(column => el('div', { class: `cell ${column.number ? 'number' : ''} ${column.class ?? ''}`, role: 'gridcell' }, row ? column.cell(row) : '…')));
    element.style.transform = `translateY(${((at - this.top) * ROW).toFixed(1)}px)`;
    return element;
  }

  /** How many rows there are, in words. */
  get count() {
    return `${formats.count(this.total)} ${this.total === 1 ? 'row' : 'rows'}`;
  }
}
