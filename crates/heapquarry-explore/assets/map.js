// The tree of dominators as a map of boxes, loaded level by level.

import { Chart, OTHER, PALETTE, announce, area, dark, el, formats, icicle, replace, share, treemap } from './shared.js';
import { ask } from './api.js';
import { bytes, objectLink, shortened } from './parts.js';
import { address, go } from './route.js';

/** Boxes of an object; the rest of what it holds is one more. */
const BOXES = 200;
/** Boxes whose own boxes are loaded too. */
const OPENED = 24;
const DEEPEST = 3;

/**
 * An object, or a sum: then it has no id. What a sum stands for is listed with its holder.
 * @typedef {{ id: number | null, label: string, type: string, size: number, count: number, children: Box[], isLoaded: boolean,
 *   holder?: number | null }} Box
 */

/**
 * @param {any} row
 * @returns {Box}
 */
function box(row) {
  const label = row.value === row.class_name ? row.value : `${row.class_name} ${row.value}`;
  return { id: row.id, label: shortened(label), type: row.class_name ?? '', size: row.retained_size ?? 0, count: row.dominated_count, children: [], isLoaded: row.dominated_count === 0 };
}

/**
 * Loads what is in a box, and in the largest of these.
 * @param {Box} into
 * @param {AbortSignal} signal
 * @param {number} depth
 */
async function fill(into, signal, depth) {
  if (!into.isLoaded) {
    const { object, dominated } = await ask('dominated', { node: into.id ?? undefined, top: BOXES }, signal);
    const children = dominated.rows.map(box);
    const own = object.shallow_size;
    const held = children.reduce((/** @type {number} */ sum, /** @type {Box} */ child) => sum + child.size, own);
    const omitted = dominated.total - children.length;
    const sum = (/** @type {string} */ label, /** @type {string} */ type, /** @type {number} */ size) => ({ id: null, label, type, size, count: 0, children: [], isLoaded: true, holder: object.id });
    if (own > 0 && children.length) children.push(sum('itself', into.type, own));
    if (omitted > 0 && into.size > held) children.push(sum(`${formats.count(omitted)} smaller`, '', into.size - held));
    into.children = children.sort((/** @type {Box} */ a, /** @type {Box} */ b) => b.size - a.size);
    into.isLoaded = true;
  }
  if (depth >= DEEPEST) return;
  const largest = into.children.filter(child => child.size > 0 && child.count > 0).slice(0, Math.floor(OPENED / 3 ** depth));
  // A few at a time: browsers have six connections.
  for (let at = 0; at < largest.length; at += 4) {
    await Promise.all(largest.slice(at, at + 4).map(child => (child.size > into.size / 50 ? fill(child, signal, depth + 1) : undefined)));
  }
}

/**
 * @param {import('./route.js').Route} route
 * @param {AbortSignal} signal
 */
export async function map(route, signal) {
  const node = route.argument === '' ? undefined : Number(route.argument);
  const view = route.parameters.get('view') ?? 'treemap';
  const above = node === undefined ? null : (await ask('dominators', { node, top: 8 }, signal)).dominators;
  const answer = await ask('dominated', { node, top: 0 }, signal);
  const root = box(answer.object);
  if (node === undefined) root.label = 'All memory';
  root.isLoaded = false;
  await fill(root, signal, 0);
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
  sizes.delete('');
  const largest = [...sizes].sort((a, b) => b[1] - a[1]).slice(0, PALETTE.length);
  return new Map(largest.map(([name], at) => [name, PALETTE[at]]));
}

/** @param {Map<string, string>} slots */
function legend(slots) {
  return el('ul', { class: 'legend', 'aria-label': 'Colours' }, [...slots, ['other classes', OTHER]].map(([name, color]) => {
    const mark = el('i', { 'aria-hidden': 'true' });
    mark.style.background = area(color);
    return el('li', {}, mark, el('span', { text: name }));
  }));
}
