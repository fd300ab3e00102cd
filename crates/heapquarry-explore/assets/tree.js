// A tree that is loaded step by step.

import { announce, el, formats } from './shared.js';

/** Rows of a question. */
const PAGE = 50;

/**
 * @typedef {{ row: any, level: number, parent: Item | null, children: Item[] | null, total: number, element: HTMLElement }} Item
 * @typedef {{ label: string, columns: { title: string, cell: (row: any) => any }[], id: (row: any) => number | null,
 *   count: (row: any) => number, text: (row: any) => any, open: (id: number) => void, root: number,
 *   load: (id: number, offset: number, top: number) => Promise<{ total: number, rows: any[] }>, empty: string,
 *   onfail: (error: unknown) => void }} How
 */

export class Tree {
  /** @param {How} how */
  constructor(how) {
    this.how = how;
    this.body = el('div', { role: 'presentation' });
    const columns = how.columns.map(column => el('div', { class: 'cell number', role: 'columnheader', text: column.title }));
    this.element = el('div', { class: 'tree', role: 'treegrid', 'aria-label': how.label },
      el('div', { class: 'row head', role: 'row' }, el('div', { class: 'cell', role: 'columnheader', text: how.label }), columns), this.body);
    this.element.style.setProperty('--numbers', String(how.columns.length));
    this.element.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => this.key(event));
    /** @type {Map<Element, Item>} */
    this.items = new Map();
  }

  async start() {
    try {
      const list = await this.how.load(this.how.root, 0, PAGE);
      const items = this.make(list.rows, null, 0, 0, list.total);
      this.body.append(...items.map(item => item.element), ...this.rest(null, list.rows.length, list.total));
      if (!items.length) this.body.append(el('p', { class: 'none', text: this.how.empty }));
      items[0]?.element.setAttribute('tabindex', '0');
    } catch (error) {
      this.how.onfail(error);
    }
  }

  /**
   * @param {any[]} rows
   * @param {Item | null} parent
   * @param {number} level
   * @param {number} before
   * @param {number} all
   * @returns {Item[]}
   */
  make(rows, parent, level, before, all) {
    return rows.map((row, at) => {
      /** @type {Item} */
      const item = { row, level, parent, children: null, total: this.how.count(row), element: el('div') };
      const isCycle = this.isAbove(item);
      if (isCycle) item.total = 0;
      const toggle = el('button', { type: 'button', class: 'toggle', tabindex: -1, 'aria-hidden': 'true', text: item.total ? '▸' : '', onclick: () => this.toggle(item) });
      const name = el('div', { class: 'cell name', role: 'gridcell' }, toggle,
        el('div', {}, this.how.text(row), isCycle ? el('span', { class: 'soft', text: ' (is above already)' }) : null));
      name.style.paddingLeft = `${Math.min(level, 30) * 1.1}rem`;
      item.element = el('div', {
        class: 'row', role: 'row', tabindex: -1, 'aria-level': level + 1, 'aria-posinset': before + at + 1, 'aria-setsize': all,
        'aria-expanded': item.total ? 'false' : undefined, 'data-id': this.how.id(row) ?? undefined,
      }, name, this.how.columns.map(column => el('div', { class: 'cell number', role: 'gridcell' }, column.cell(row))));
      this.items.set(item.element, item);
      return item;
    });
  }

  /** @param {Item} item */
  isAbove(item) {
    const id = this.how.id(item.row);
    for (let above = item.parent; above; above = above.parent) if (this.how.id(above.row) === id) return true;
    return id === this.how.root;
  }

  /**
   * A line for what is not shown yet.
   * @param {Item | null} parent
   * @param {number} shown
   * @param {number} total
   */
  rest(parent, shown, total) {
    if (shown >= total) return [];
    const level = parent ? parent.level + 1 : 0;
    const button = el('button', { type: 'button', class: 'link', text: `Show more of ${formats.count(total - shown)}` });
    const line = el('div', { class: 'row', role: 'row', tabindex: -1, 'aria-level': level + 1 }, el('div', { class: 'cell name', role: 'gridcell' }, button));
    /** @type {HTMLElement} */ (line.firstElementChild).style.paddingLeft = `${Math.min(level, 30) * 1.1}rem`;
    button.addEventListener('click', async () => {
      button.disabled = true;
      try {
        const list = await this.how.load(parent ? Number(this.how.id(parent.row)) : this.how.root, shown, PAGE);
        const items = this.make(list.rows, parent, level, shown, total);
        parent?.children?.push(...items);
        line.replaceWith(...items.map(item => item.element), ...this.rest(parent, shown + items.length, total));
        items[0]?.element.focus();
      } catch (error) {
        button.disabled = false;
        this.how.onfail(error);
      }
    });
    return [line];
  }

  /** @param {Item} item */
  toggle(item) {
    return item.element.getAttribute('aria-expanded') === 'true' ? this.close(item) : this.expand(item);
  }

  /** @param {Item} item */
  async expand(item) {
    const id = this.how.id(item.row);
    if (!item.total || id === null || item.element.getAttribute('aria-expanded') === 'true') return;
    item.element.setAttribute('aria-expanded', 'true');
    item.element.querySelector('.toggle')?.replaceChildren('▾');
    try {
      const list = await this.how.load(id, 0, PAGE);
      if (item.element.getAttribute('aria-expanded') !== 'true') return;
      item.children = this.make(list.rows, item, item.level + 1, 0, list.total);
      item.element.after(...item.children.map(child => child.element), ...this.rest(item, list.rows.length, list.total));
      announce(`${formats.count(list.total)} below`);
    } catch (error) {
      this.close(item);
      this.how.onfail(error);
    }
  }

  /** @param {Item} item */
  close(item) {
    item.element.setAttribute('aria-expanded', 'false');
    item.element.querySelector('.toggle')?.replaceChildren('▸');
    item.children = null;
    const level = item.level + 1;
    for (let next = item.element.nextElementSibling; next && Number(next.getAttribute('aria-level')) > level; next = item.element.nextElementSibling) {
      this.items.delete(next);
      next.remove();
    }
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {HTMLElement} */ (event.target);
    const line = /** @type {HTMLElement | null} */ (target.closest('.row'));
    if (!line || line.classList.contains('head')) return;
    const item = this.items.get(line);
    const isOpen = line.getAttribute('aria-expanded') === 'true';
    const all = /** @type {HTMLElement[]} */ ([...this.body.querySelectorAll('.row')]);
    const at = all.indexOf(line);
    let next;
    if (event.key === 'ArrowDown' || event.key === 'j') next = all[at + 1];
    else if (event.key === 'ArrowUp' || event.key === 'k') next = all[at - 1];
    else if (event.key === 'Home') [next] = all;
    else if (event.key === 'End') next = all[all.length - 1];
    else if ((event.key === 'ArrowRight' || event.key === 'l') && item) {
      if (isOpen) next = all[at + 1];
      else this.expand(item);
    } else if ((event.key === 'ArrowLeft' || event.key === 'h') && item) {
      if (isOpen) this.close(item);
      else next = item.parent?.element;
    } else if (event.key === '*' && item) {
      for (const other of all) {
        const sibling = this.items.get(other);
        if (sibling && sibling.parent === item.parent) this.expand(sibling);
      }
    } else if (event.key === 'Enter' && target === line) {
      const id = item && this.how.id(item.row);
      if (id !== null && id !== undefined) this.how.open(id);
      else line.querySelector('button')?.click();
    } else return;
    event.preventDefault();
    if (!next) return;
    line.setAttribute('tabindex', '-1');
    next.setAttribute('tabindex', '0');
    next.focus();
  }
}
