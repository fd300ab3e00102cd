// The tree of dominators as a map of boxes.

import { Chart, OTHER, announce, area, colored, dark, el, formats, icicle, rankOfClass, replace, share, treemap } from './shared.js';
import { ask } from './api.js';
import { bytes, objectLink, shortened } from './parts.js';
import { address, go } from './route.js';

/** Boxes that are asked for: more could not be told apart. */
const BOXES = 1500;

/**
 * An object, or a sum: then it has no id. What a sum stands for is listed with its holder.
 * @typedef {{ id: number | null, label: string, type: string, own: number, size: number, count: number, children: Box[], holder?: number | null }} Box
 */

/**
 * @param {any} row
 * @returns {Box}
 */
function box(row) {
  const label = row.value === row.class_name ? row.value : `${row.class_name} ${row.value}`;
  return { id: row.id, label: shortened(label), type: row.class_name ?? '', own: row.shallow_size, size: row.retained_size ?? 0, count: row.dominated_count, children: [] };
}

/**
 * The boxes of an answer as a tree. What an object takes itself, what it holds of a class, and all that is too small to
 * be sent, are boxes beside those that it holds.
 * @param {{ boxes: any[], groups: any[] }} answer
 * @returns {Box}
 */
function treeOf({ boxes, groups }) {
  const all = boxes.map(box);
  boxes.forEach((row, at) => { if (row.above !== null) all[row.above].children.push(all[at]); });
  const omitted = all.map(({ count, children }) => count - children.length);
  const add = (/** @type {number} */ to, /** @type {string} */ label, /** @type {string} */ type, /** @type {number} */ size) => (
    all[to].children.push({ id: null, label, type, own: size, size, count: 0, children: [], holder: all[to].id }));
  for (const { above, class_name: name, count, retained_size: size } of groups) {
    omitted[above] -= count;
    add(above, `${formats.count(count)} × ${name}`, name, size);
  }
  for (const [at, { type, own, size, children }] of all.entries()) {
    if (!children.length) continue;
    const held = children.reduce((sum, child) => sum + child.size, own);
    if (own > 0) add(at, 'itself', type, own);
    if (omitted[at] > 0 && size > held) add(at, `${formats.count(omitted[at])} smaller`, '', size - held);
    children.sort((a, b) => b.size - a.size);
  }
  return all[0];
}

/**
 * @param {import('./route.js').Route} route
 * @param {AbortSignal} signal
 */
export async function map(route, signal) {
  const node = route.argument === '' ? undefined : Number(route.argument);
  const view = route.parameters.get('view') ?? 'treemap';
  const [above, answer] = await Promise.all([
    node === undefined ? null : ask('dominators', { node, top: 8 }, signal).then(found => found.dominators),
    ask('map', { node, top: BOXES }, signal),
  ]);
  const root = treeOf(answer);
  if (node === undefined) root.label = 'All memory';
  const slots = colors(root);
  const chart = new Chart('Map of what holds what. Arrow keys choose a box, Enter goes into it, Escape goes out.');
  const tree = { children: (/** @type {Box} */ item) => item.children };
  /** @type {Box} */
  let chosen = root;
  const panel = el('aside', { class: 'panel', 'aria-label': 'What is chosen' });
  const color = (/** @type {Box} */ item) => slots.get(item.type) ?? OTHER;
  chart.format = formats.bytes;
  chart.tooltip = (/** @type {Box} */ item) => [[item.label, ''], ['Retained', `${formats.bytes(item.size)}, ${share(item.size, root.size)}`], ...(item.id === null ? [] : [['Id', `@${item.id}`]])];
  chart.draw = () => {
    if (!chart.width) return;
    const boxes = (view === 'icicle' ? icicle : treemap)(tree, root, chart.width, chart.height);
    chart.paint(boxes, { color, isDimmed: () => false, selected: chosen });
  };
  const choose = (/** @type {Box} */ item) => {
    chosen = item;
    replace(panel, el('h3', { text: item.label }), el('dl', {},
      el('div', {}, el('dt', { text: 'Retained' }), el('dd', {}, bytes(item.size), ` ${share(item.size, root.size)}`)),
      el('div', {}, el('dt', { text: 'Holds alone' }), el('dd', { text: `${formats.count(item.count)} objects` }))),
      item.id === null ? null : el('p', {}, objectLink(item.id, `Look at @${item.id}`)),
      item.holder ? el('p', {}, el('a', { href: address('object', item.holder, { tab: 'dominates' }), text: 'List them' })) : null,
      item.id === null || !item.count || item === root ? null : el('p', {}, el('a', { href: address('map', item.id, { view: view === 'treemap' ? undefined : view }), text: 'Go into it' })));
    chart.draw();
  };
  const enter = (/** @type {Box} */ item) => {
    if (item.id !== null && item.count && item !== root) go(address('map', item.id, { view: view === 'treemap' ? undefined : view }));
    else if (item.id !== null && item !== root) go(address('object', item.id));
    else if (item.holder) go(address('object', item.holder, { tab: 'dominates' }));
  };
  const out = () => {
    if (above?.rows.length) go(address('map', above.rows[0].id, { view: view === 'treemap' ? undefined : view }));
  };
  chart.canvas.addEventListener('click', (/** @type {MouseEvent} */ event) => {
    const at = chart.at(...chart.point(event));
    if (!at) return;
    if (at.item === chosen) enter(at.item);
    else choose(at.item);
  });
  chart.canvas.addEventListener('dblclick', (/** @type {MouseEvent} */ event) => {
    const at = chart.at(...chart.point(event));
    if (at) enter(at.item);
  });
  chart.canvas.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
    const { boxes } = chart;
    const at = boxes.findIndex((/** @type {any} */ one) => one.item === chosen);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) {
      const next = boxes[at < 0 ? 0 : Math.max(0, Math.min(boxes.length - 1, at + step))];
      if (next) choose(next.item);
      announce(chart.tooltip(chosen).flat().join(' '));
    } else if (event.key === 'Enter') enter(chosen);
    else if (event.key === 'Escape' || event.key === 'Backspace') out();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  const redraw = () => chart.draw();
  dark.addEventListener('change', redraw);
  signal.addEventListener('abort', () => dark.removeEventListener('change', redraw));
  choose(root);
  const crumbs = [...(above?.rows ?? [])].reverse();
  const hidden = above ? above.total - above.rows.length : 0;
  const link = (/** @type {string} */ to, /** @type {string} */ text) => el('a', { href: address('map', node ?? '', { view: to }), text, 'aria-current': to === view ? 'true' : undefined });
  return {
    answer,
    title: 'Map',
    content: [el('section', {}, el('h2', { text: 'Map' }),
      el('p', { class: 'lead', text: 'A box is an object with all that would be freed with it. Choose a box; a second click goes into it.' }),
      el('nav', { class: 'tabs', 'aria-label': 'Drawing' }, link('treemap', 'Treemap'), link('icicle', 'Icicle')),
      el('nav', { class: 'crumbs', 'aria-label': 'Zoomed into' }, el('ol', {},
        node === undefined ? null : el('li', {}, el('a', { href: address('map'), text: 'All memory' })),
        hidden > 0 ? el('li', { text: `… ${formats.count(hidden)} more …` }) : null,
        crumbs.slice(hidden > 0 ? 0 : 1).map(row => el('li', {}, el('a', { href: address('map', row.id), text: box(row).label }))),
        el('li', { 'aria-current': 'true', text: node === undefined ? 'All memory' : root.label }))),
      root.size ? null : el('p', { class: 'none', text: 'It takes no memory, so there is nothing to draw.' }),
      el('div', { class: 'split' }, el('div', {}, chart.element, legend(slots)), panel))],
    focus: chart.canvas,
  };
}

/**
 * The classes with the most bytes have a colour each.
 * @param {Box} root
 * @returns {Map<string, string>}
 */
function colors(root) {
  /** @type {Map<string, number>} */
  const sizes = new Map();
  const all = [root];
  for (let item = all.pop(); item; item = all.pop()) {
    // What is in boxes of its own counts there.
    const inside = item.children.reduce((sum, child) => sum + child.size, 0);
    sizes.set(item.type, (sizes.get(item.type) ?? 0) + Math.max(0, item.size - inside));
    all.push(...item.children);
  }
  return colored(sizes, rankOfClass);
}

/** @param {Map<string, string>} slots */
function legend(slots) {
  return el('ul', { class: 'legend', 'aria-label': 'Colours' }, [...slots, ['other classes, engine', OTHER]].map(([name, color]) => {
    const mark = el('i', { 'aria-hidden': 'true' });
    mark.style.background = area(color);
    return el('li', {}, mark, el('span', { text: name }));
  }));
}
