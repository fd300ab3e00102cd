// Flame graphs: calls as boxes, the callers above. The server sends what can be seen.

import { OTHER, announce, area, colored, dark, el, formats, groupOfScript, replace, share } from './shared.js';
import { ask } from './api.js';
import { shortened } from './parts.js';
import { amounts, partNote, partOf } from './profile.js';
import { address, go } from './route.js';
import { Scrolled } from './scrolled.js';
import { AXIS, Span } from './span.js';

/** @typedef {import('./route.js').Route} Route */
/** @typedef {{ call: number, named: any, group: string, label: string, depth: number, start: number, size: number, count: number }} Item */

const ROW = 20;

/**
 * The boxes of an answer.
 * @param {any} answer
 * @returns {Item[]}
 */
function itemsOf({ boxes, functions }) {
  const groups = functions.map((/** @type {any} */ { url, package: name }) => groupOfScript(url, name));
  return boxes.call.map((/** @type {number} */ call, /** @type {number} */ at) => {
    const named = functions[boxes.function[at]];
    const count = boxes.count[at];
    const label = count > 1 ? `${formats.count(count)} × ${named.function_name} …` : named.function_name;
    return { call, named, group: groups[boxes.function[at]], label, depth: boxes.depth[at], start: boxes.start[at], size: boxes.size[at], count };
  });
}

/**
 * The groups with the widest boxes have a colour each.
 * @param {Item[]} items
 * @returns {Map<string, string>}
 */
function colorsOf(items) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const { group, size } of items) sums.set(group, (sums.get(group) ?? 0) + size);
  return colored(sums, group => (group ? 0 : 2));
}

/** @param {Map<string, string>} slots */
function legend(slots) {
  return el('ul', { class: 'legend', 'aria-label': 'Colours' }, [...slots, ['engine, runtime, other', OTHER]].map(([name, color]) => {
    const mark = el('i', { 'aria-hidden': 'true' });
    mark.style.background = area(color);
    return el('li', {}, mark, el('span', { text: name }));
  }));
}

/**
 * What both graphs share: a canvas, a panel for what is chosen, colours.
 * @param {AbortSignal} signal
 * @param {string} label
 * @param {(value: number) => string} format
 * @param {Record<string, string>} part
 * @param {number} above what stays free at the upper edge
 */
function drawing(signal, label, format, part, above) {
  const scrolled = new Scrolled(label);
  const { chart } = scrolled;
  const panel = el('aside', { class: 'panel', 'aria-label': 'What is chosen' }, el('p', { class: 'lead', text: 'A click on a box shows it here.' }));
  const colors = el('div');
  /** @type {{ items: Item[], slots: Map<string, string>, chosen: Item | null }} */
  const state = { items: [], slots: new Map(), chosen: null };
  chart.format = format;
  chart.tooltip = (/** @type {Item} */ item) => [[item.label, ''], ['', `${format(item.size)}`], ['', item.named.place ?? '']];
  /** @param {(item: Item) => [number, number]} place left and width */
  const paint = place => {
    if (!chart.width) return;
    const boxes = [];
    for (const item of state.items) {
      const y = above + item.depth * ROW - scrolled.offset;
      const [x, w] = place(item);
      if (y + ROW < 0 || y > chart.height || x > chart.width || x + w < 0) continue;
      const left = Math.max(-2, x);
      boxes.push({ item, x: left, y, w: Math.max(0.6, Math.min(chart.width + 2, x + w) - left - 0.6), h: ROW - 1, depth: item.depth, header: false });
    }
    chart.paint(boxes, { color: item => state.slots.get(item.group) ?? OTHER, isDimmed: () => false, selected: state.chosen });
  };
  const put = (/** @type {any} */ answer) => {
    state.items = itemsOf(answer);
    state.slots = colorsOf(state.items);
    const chosen = state.chosen;
    state.chosen = state.items.find(item => item.call === chosen?.call && item.depth === chosen.depth && item.start === chosen.start) ?? null;
    scrolled.tall((state.items.reduce((most, item) => Math.max(most, item.depth), 0) + 1) * ROW + above);
    replace(colors, legend(state.slots));
  };
  const choose = (/** @type {Item} */ item, /** @type {any[]} */ ...more) => {
    state.chosen = item;
    const { function: of, function_name: name, place, url } = item.named;
    replace(panel, el('h3', { text: shortened(item.count > 1 ? item.label : name) }), place ? el('p', { class: 'lead', text: place, title: url }) : null, ...more,
      of === null ? null : el('p', {}, el('a', { href: address('function', of, part), text: 'Callers and callees' })));
    announce(`${item.label} ${format(item.size)} ${place ?? ''}`);
  };
  /** Arrow keys: to a neighbour, what is around, what is within. @param {string} key */
  const neighbour = key => {
    const { items, chosen } = state;
    if (!chosen) return items[0];
    const inside = (/** @type {Item} */ a, /** @type {Item} */ b) => a.start >= b.start && a.start + a.size <= b.start + b.size;
    const row = items.filter(item => item.depth === chosen.depth).sort((a, b) => a.start - b.start);
    const at = row.indexOf(chosen);
    if (key === 'ArrowRight') return row[at + 1];
    if (key === 'ArrowLeft') return row[at - 1];
    if (key === 'ArrowUp') return items.find(item => item.depth === chosen.depth - 1 && inside(chosen, item));
    const within = items.filter(item => item.depth === chosen.depth + 1 && inside(item, chosen));
    return within.sort((a, b) => b.size - a.size)[0];
  };
  const redraw = () => chart.draw();
  dark.addEventListener('change', redraw);
  signal.addEventListener('abort', () => dark.removeEventListener('change', redraw));
  return { scrolled, chart, panel, colors, state, paint, put, choose, neighbour };
}

/**
 * The merged flame graph of a call.
 * @param {Route} route
 * @param {AbortSignal} signal
 */
export async function flame(route, signal) {
  const part = partOf(route.parameters);
  const call = Number(route.argument || 0);
  const width = Math.max(200, Math.min(4000, document.documentElement.clientWidth));
  const answer = await ask('flame', { ...part, call, width }, signal);
  const format = amounts(answer.unit);
  const whole = Math.max(1, answer.call.total_value);
  const view = drawing(signal, 'Flame graph. Arrow keys choose a box, Enter widens it, Escape goes out.', format, part, 0);
  const { chart, state } = view;
  view.put(answer);
  chart.draw = () => view.paint(item => [(item.start / whole) * chart.width, (item.size / whole) * chart.width]);
  const to = (/** @type {number} */ other) => address('flame', other || '', part);
  const choose = (/** @type {Item} */ item) => {
    view.choose(item, el('dl', {}, el('div', {}, el('dt', { text: 'Total' }), el('dd', { 'data-fact': 'total_value', text: `${format(item.size)}, ${share(item.size, whole)} of this graph` }))),
      item.call === call ? null : el('p', {}, el('a', { href: to(item.call), text: 'Widen it' })));
    chart.draw();
  };
  const widen = (/** @type {Item} */ item) => { if (item.call !== call) go(to(item.call)); };
  chart.canvas.addEventListener('click', (/** @type {MouseEvent} */ event) => {
    const at = chart.at(...chart.point(event));
    if (!at) return;
    if (at.item === state.chosen) widen(at.item);
    else choose(at.item);
  });
  chart.canvas.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.startsWith('Arrow')) {
      const next = view.neighbour(event.key);
      if (next) choose(next);
    } else if (event.key === 'Enter' && state.chosen) widen(state.chosen);
    else if (event.key === 'Escape' && call) go(to(answer.above[0]?.call ?? 0));
    else if (event.key === '0' && call) go(to(0));
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  const callers = [...answer.above].reverse();
  return {
    answer, title: 'Flame graph',
    content: [partNote(route), el('section', {}, el('h2', { text: 'Flame graph' }),
      el('p', { class: 'lead', text: `A box is a call, as wide as what ${answer.unit === 'bytes' ? 'was allocated in it and in all that it calls' : 'it takes with all that it calls'}; equal stacks are one.${answer.unit === 'bytes' ? '' : ' Idle time is left out.'} A second click widens a box.` }),
      el('nav', { class: 'crumbs', 'aria-label': 'Widened' }, el('ol', {},
        call ? el('li', {}, el('a', { href: to(0), text: 'All' })) : null,
        callers.map(row => el('li', {}, el('a', { href: to(row.call), text: shortened(row.function_name) }))),
        el('li', { 'aria-current': 'true' }, `${shortened(answer.call.function_name)} `, el('span', { 'data-fact': 'whole', 'data-v': answer.call.total_value, text: format(answer.call.total_value) })))),
      el('div', { class: 'split' }, el('div', {}, view.scrolled.element, view.colors), view.panel))],
    focus: chart.canvas,
  };
}

/**
 * Stacks in the order of time.
 * @param {Route} route
 * @param {AbortSignal} signal
 */
export async function time(route, signal) {
  const thread = Number(route.parameters.get('thread') ?? 0);
  const part = partOf(route.parameters);
  const width = Math.max(200, Math.min(4000, document.documentElement.clientWidth));
  const first = await ask('chart', { thread, width }, signal);
  const whole = first.threads[thread];
  if (!whole) {
    return { answer: first, title: 'Time', content: [el('section', {}, el('h2', { text: 'Time' }), el('p', { class: 'lead' },
      'This profile has no samples, so it does not say when what ran. ', el('a', { href: address('flame'), text: 'See the flame graph' })))] };
  }
  const view = drawing(signal, 'Stacks over time. w and s zoom, a and d move, arrow keys choose a box, Escape shows all.', formats.micros, part, AXIS);
  const { chart, state } = view;
  view.put(first);
  const span = new Span(chart, whole.duration, async (from, to) => {
    view.put(await ask('chart', { thread, from, to, width: 3 * width }, signal));
  }, { format: formats.micros, second: 1e6 }, signal);
  chart.draw = () => {
    view.paint(item => span.box(item.start, item.size));
    span.axis();
  };
  const choose = (/** @type {Item} */ item) => {
    view.choose(item, el('dl', {}, el('div', {}, el('dt', { text: 'Duration' }), el('dd', { text: formats.micros(item.size) })), el('div', {}, el('dt', { text: 'Start' }), el('dd', { text: formats.micros(item.start) }))),
      el('p', {}, el('a', { href: address('flame', '', { thread: thread || undefined, from: item.start, to: item.start + item.size }), text: 'Flame graph of this time' })));
    chart.draw();
  };
  span.onclick = event => {
    const at = chart.at(...chart.point(event));
    if (at) choose(at.item);
  };
  chart.canvas.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !event.key.startsWith('Arrow')) return;
    const next = view.neighbour(event.key);
    if (next) {
      choose(next);
      span.show(next.start, next.size);
    }
    event.preventDefault();
    event.stopPropagation();
  });
  if (part.from !== undefined || part.to !== undefined) span.view(Number(part.from ?? 0), Number(part.to ?? whole.duration));
  const range = el('button', { type: 'button', text: 'Only this time', title: 'All views of the profile are then about it', onclick: () => {
    const [from, to] = span.rounded();
    go(address('flame', '', { thread: thread || undefined, from, to }));
  } });
  const threads = first.threads.length > 1 ? el('nav', { class: 'tabs', 'aria-label': 'Threads' }, first.threads.map((/** @type {any} */ one, /** @type {number} */ at) => el('a', {
    href: address('time', '', { thread: at || undefined }), text: one.name || `thread ${at + 1}`, 'aria-current': at === thread ? 'true' : undefined,
  }))) : null;
  return {
    answer: first, title: 'Time',
    content: [el('section', {}, el('h2', { text: 'Time' }),
      el('p', { class: 'lead', text: `A box is a call, as long as samples in a row have it: ${formats.count(whole.sample_count)} samples in ${formats.micros(whole.duration)}. Drag to move, the wheel with Ctrl zooms.` }),
      threads, el('div', { class: 'tools' }, span.buttons, range, span.label),
      el('div', { class: 'split' }, el('div', {}, view.scrolled.element, view.colors), view.panel))],
    focus: chart.canvas,
  };
}
