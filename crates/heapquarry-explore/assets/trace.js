// A trace over time: the tracks of its processes and threads, as far as they can be seen.

import { OTHER, PALETTE, announce, area, copyButton, dark, el, formats, replace, share } from './shared.js';
import { ask } from './api.js';
import { failure, growing, shortened, table } from './parts.js';
import { address, current, go, replaceAddress } from './route.js';
import { Scrolled } from './scrolled.js';
import { AXIS, Span } from './span.js';

/** @typedef {import('./route.js').Route} Route */
/** @typedef {{ title: string, cell: (row: any) => any, number?: boolean, class?: string }[]} Columns */
/** @typedef {{ track: any, top: number, height: number, boxes: any, values: any }} Lane */
/** @typedef {{ slice: number, name: string, start: number, dur: number, count: number, lane: Lane, depth: number }} Item */

const ROW = 16;
const HEADER = 20;
const COUNTER = 34;
/** What a page asks of a browser between two frames. */
const LONG = 50e6;
/** Rows of lists. */
const ROWS = 50;

/**
 * A duration, or that there is no end.
 * @param {number | null} value
 */
export function lasting(value) {
  return value === null ? 'no end' : formats.nanos(value);
}

/**
 * What a slice calls: the name of its source, in brackets the one of the file, and where it is.
 * @param {any} called
 */
function told({ function_name: written, original, place }) {
  const name = original?.name || written;
  const both = name && written && name !== written && written !== '(anonymous)' ? `${name} [${written}]` : name;
  return [both, place].filter(Boolean).join(' ');
}

/**
 * The name of a slice, with what it calls.
 * @param {any} row
 */
function titled(row) {
  return [row.name || '(no name)', row.called ? told(row.called) : ''].filter(Boolean).join(' ');
}

/**
 * A slice as a link to where it is on the timeline.
 * @param {any} row
 */
export function sliceLink(row) {
  return el('a', { href: address('timeline', '', { slice: String(row.slice) }), text: shortened(titled(row)) });
}

const sliceColumns = [
  { title: 'Slice', class: 'name', cell: (/** @type {any} */ row) => sliceLink(row) },
  { title: 'Start', number: true, cell: (/** @type {any} */ row) => formats.nanos(row.start_ns) },
  { title: 'Duration', number: true, cell: (/** @type {any} */ row) => lasting(row.duration_ns) },
];
const sumColumns = [
  { title: 'Name', class: 'name', cell: (/** @type {any} */ row) => shortened(titled(row)) },
  { title: 'Count', number: true, cell: (/** @type {any} */ row) => formats.count(row.count) },
  { title: 'Self', number: true, cell: (/** @type {any} */ row) => formats.nanos(row.self_time_ns) },
];

/** A trace over time. */
class Timeline {
  /**
   * @param {any} answer
   * @param {AbortSignal} signal
   */
  constructor(answer, signal) {
    this.signal = signal;
    this.duration = Math.max(1, answer.duration_ns);
    this.scrolled = new Scrolled('Timeline. w and s zoom, a and d move, arrow keys choose a slice, Enter the longest in view, Escape shows all.');
    this.chart = this.scrolled.chart;
    this.chart.format = formats.nanos;
    let top = AXIS;
    /** @type {Lane[]} */
    this.lanes = answer.tracks.map((/** @type {any} */ track) => {
      const height = HEADER + (track.kind === 'counter' ? COUNTER : Math.max(1, track.depth) * ROW) + 6;
      const lane = { track, top, height, boxes: null, values: null };
      top += height;
      return lane;
    });
    this.scrolled.tall(top + 8);
    this.panel = el('aside', { class: 'panel', 'aria-label': 'What is chosen' }, el('p', { class: 'lead', text: 'A click on a slice shows it here. Drag with Shift to select a time.' }));
    /** @type {string[]} */
    this.names = [];
    /** @type {Map<string, string>} */
    this.colors = new Map();
    /** @type {Item[]} */
    this.items = [];
    /** @type {number | null} */
    this.chosen = null;
    /** Arrows from and to what is chosen. @type {[any, any][]} */
    this.arrows = [];
    /** @type {[number, number] | null} */
    this.range = null;
    /** @type {((name: string) => boolean) | null} */
    this.hits = null;
    this.span = new Span(this.chart, this.duration, (from, to) => this.load(from, to), { format: formats.nanos, second: 1e9 }, signal);
    this.chart.tooltip = (/** @type {Item} */ item) => [[this.label(item), ''], ['Duration', formats.nanos(item.dur)], ['Start', formats.nanos(item.start)]];
    this.chart.draw = () => this.draw();
    this.span.onclick = event => {
      const at = this.chart.at(...this.chart.point(event));
      if (at) this.choose(at.item.slice);
    };
    // Tracks that come into view are not loaded yet.
    this.scrolled.element.addEventListener('scroll', () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => { if (this.seen().some(lane => !lane.boxes)) this.span.again(); }, 60);
    });
    this.select();
    this.keys();
    const redraw = () => this.chart.draw();
    dark.addEventListener('change', redraw);
    signal.addEventListener('abort', () => dark.removeEventListener('change', redraw));
  }

  /** The lanes in view. */
  seen() {
    const [from, to] = [this.scrolled.offset, this.scrolled.offset + Math.max(this.scrolled.seen, this.chart.height || 0)];
    return this.lanes.filter(lane => lane.top + lane.height > from && lane.top < to);
  }

  /** @param {number} from @param {number} to */
  async load(from, to) {
    const lanes = this.seen();
    const width = Math.max(200, Math.min(4000, Math.round(this.chart.width || 1000)));
    const seen = this.span.to - this.span.from;
    const wide = Math.max(1, Math.min(16384, Math.round((width * (to - from)) / seen)));
    const answer = await ask('drawn', { tracks: lanes.map(lane => lane.track.track).join(','), from, to: to + 1, width: wide }, this.signal);
    // What is out of view is older.
    for (const lane of this.lanes) [lane.boxes, lane.values] = [null, null];
    for (const drawn of answer.tracks) {
      const lane = this.lanes[drawn.track];
      [lane.boxes, lane.values] = [drawn.boxes, drawn.values];
    }
    this.names = answer.names;
    this.pick();
  }

  /** Names that take most time have a colour each, which they keep. */
  pick() {
    /** @type {Map<string, number>} */
    const sums = new Map();
    for (const { boxes, track } of this.lanes) {
      if (!boxes || track.kind === 'instants') continue;
      boxes.name.forEach((/** @type {number} */ name, /** @type {number} */ at) => sums.set(this.names[name], (sums.get(this.names[name]) ?? 0) + boxes.dur[at]));
    }
    for (const [name] of [...sums].sort((a, b) => b[1] - a[1])) {
      if (this.colors.size >= PALETTE.length) break;
      if (!this.colors.has(name)) this.colors.set(name, PALETTE[this.colors.size]);
    }
  }

  /** @param {Item} item */
  label(item) {
    return item.count > 1 ? `${formats.count(item.count)} × ${item.name} …` : item.name;
  }

  draw() {
    const { chart, span } = this;
    const { context, width } = chart;
    if (!width) return;
    const style = getComputedStyle(document.documentElement);
    const look = Object.fromEntries(['paper', 'ink', 'soft', 'line', 'accent', 'fill'].map(name => [name, style.getPropertyValue(`--${name}`).trim()]));
    context.clearRect(0, 0, width, chart.height);
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    /** @type {any[]} */
    const placed = [];
    this.items = [];
    let process = '';
    for (const lane of this.lanes) {
      const top = lane.top - this.scrolled.offset;
      if (top + lane.height < 0 || top > chart.height) continue;
      context.fillStyle = look.line;
      context.fillRect(0, top, width, lane.track.process === process ? 0.5 : 1.5);
      process = lane.track.process;
      if (lane.values && lane.track.kind === 'counter') this.counter(lane, top, look);
      if (lane.boxes) this.slices(lane, top, look, placed);
      context.fillStyle = look.ink;
      context.fillText(lane.track.name, 4, top + HEADER / 2);
      context.fillStyle = look.soft;
      context.fillText(process, context.measureText(lane.track.name).width + 16, top + HEADER / 2);
    }
    chart.boxes = placed;
    this.flows(look);
    if (this.range) {
      const [x, w] = span.box(this.range[0], this.range[1] - this.range[0]);
      context.globalAlpha = 0.18;
      context.fillStyle = look.accent;
      context.fillRect(x, 0, w, chart.height);
      context.globalAlpha = 1;
    }
    const chosen = placed.find(box => box.item.slice === this.chosen && box.item.count === 1) ?? placed.find(box => box.item.slice === this.chosen);
    if (chosen) {
      context.lineWidth = 2;
      context.strokeStyle = look.ink;
      context.strokeRect(chosen.x, chosen.y, Math.max(2, chosen.w), chosen.h);
    }
    span.axis();
  }

  /** @param {Lane} lane @param {number} top @param {Record<string, string>} look @param {any[]} placed */
  slices(lane, top, look, placed) {
    const { context, width, height } = this.chart;
    const { boxes } = lane;
    const isLong = lane.track.kind === 'slices';
    for (let at = 0; at < boxes.slice.length; at++) {
      const y = top + HEADER + boxes.depth[at] * ROW;
      if (y + ROW < 0 || y > height) continue;
      const [x, w] = this.span.box(boxes.start[at], boxes.dur[at]);
      if (x > width || x + w < 0) continue;
      const name = this.names[boxes.name[at]];
      const left = Math.max(-2, x);
      const box = { x: left, y, w: Math.max(1, Math.min(width + 2, x + w) - left - 0.5), h: ROW - 1, depth: boxes.depth[at],
        item: { slice: boxes.slice[at], name, start: boxes.start[at], dur: boxes.dur[at], count: boxes.count[at], lane, depth: boxes.depth[at] } };
      placed.push(box);
      this.items.push(box.item);
      const isHit = !this.hits || this.hits(name);
      context.globalAlpha = isHit ? 1 : 0.3;
      context.fillStyle = area(this.colors.get(name) ?? OTHER);
      context.fillRect(box.x, box.y, box.w, box.h);
      if (isLong && boxes.depth[at] === 0 && boxes.count[at] === 1 && boxes.dur[at] >= LONG) {
        context.fillStyle = '#f67e4b';
        context.fillRect(box.x, box.y - 2, box.w, 2);
      }
      if (box.w > 30) {
        context.fillStyle = '#16181c';
        context.fillText(this.chart.fitted(this.label(box.item), box.w - 6), box.x + 3, y + ROW / 2);
      }
      context.globalAlpha = 1;
    }
  }

  /** Arrows from where a slice ends, or its flow goes on, to where another begins. @param {Record<string, string>} look */
  flows(look) {
    const { context, width } = this.chart;
    const y = (/** @type {any} */ row) => this.lanes[row.track].top + HEADER + (row.depth + 0.5) * ROW - this.scrolled.offset;
    context.strokeStyle = look.accent;
    context.lineWidth = 2;
    for (const [from, to] of this.arrows) {
      if (from.track === null || to.track === null) continue;
      const begin = Math.min(from.start_ns + (from.duration_ns ?? 0), Math.max(from.start_ns, to.start_ns));
      const [[left], [right]] = [this.span.box(begin, 0), this.span.box(to.start_ns, 0)];
      if (Math.max(left, right) < 0 || Math.min(left, right) > width) continue;
      const bend = Math.max(12, Math.abs(right - left) / 2);
      context.beginPath();
      context.moveTo(left, y(from));
      context.bezierCurveTo(left + bend, y(from), right - bend, y(to), right, y(to));
      context.stroke();
    }
  }

  /** @param {Lane} lane @param {number} top @param {Record<string, string>} look */
  counter(lane, top, look) {
    const { context, width } = this.chart;
    const { start, least, most, last } = lane.values;
    const finite = [...least, ...most].filter(value => value !== null);
    if (!finite.length) return;
    const high = finite.reduce((a, b) => Math.max(a, b), 0);
    const low = finite.reduce((a, b) => Math.min(a, b), 0);
    const y = (/** @type {number} */ value) => top + HEADER + COUNTER - ((value - low) / (high - low || 1)) * COUNTER;
    const zero = y(0);
    context.fillStyle = area(PALETTE[0]);
    for (let at = 0; at < start.length; at++) {
      const [x] = this.span.box(start[at], 0);
      const [end] = at + 1 < start.length ? this.span.box(start[at + 1], 0) : [width];
      if (end < 0 || x > width || last[at] === null) continue;
      const bar = (/** @type {number} */ value, /** @type {number} */ wide) => context.fillRect(x, Math.min(zero, y(value)), Math.max(1, wide), Math.max(1, Math.abs(zero - y(value))));
      bar(last[at], end - x);
      bar(most[at], 1);
    }
    context.fillStyle = look.soft;
    context.textAlign = 'right';
    context.fillText(`up to ${formats.count(high)}`, width - 4, top + HEADER / 2);
    context.textAlign = 'left';
  }

  /** Selecting a time with the pointer: with Shift, or on the line of times. */
  select() {
    const { canvas } = this.chart;
    /** @type {number | null} */
    let anchor = null;
    const time = (/** @type {MouseEvent} */ event) => this.span.from + (this.chart.point(event)[0] / this.chart.width) * (this.span.to - this.span.from);
    canvas.addEventListener('pointerdown', (/** @type {PointerEvent} */ event) => {
      if (!event.shiftKey && this.chart.point(event)[1] > AXIS) return;
      event.stopImmediatePropagation();
      anchor = time(event);
      canvas.setPointerCapture(event.pointerId);
    }, { capture: true });
    canvas.addEventListener('pointermove', (/** @type {PointerEvent} */ event) => {
      if (anchor === null) return;
      const now = time(event);
      this.range = [Math.max(0, Math.min(anchor, now)), Math.min(this.duration, Math.max(anchor, now))];
      this.span.frame();
    }, { capture: true });
    canvas.addEventListener('pointerup', (/** @type {PointerEvent} */ event) => {
      if (anchor === null) return;
      event.stopImmediatePropagation();
      anchor = null;
      if (this.range && this.range[1] - this.range[0] >= 1) this.sums(Math.floor(this.range[0]), Math.ceil(this.range[1]));
      else this.range = null;
    }, { capture: true });
  }

  keys() {
    this.chart.canvas.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key.startsWith('Arrow')) {
        const next = this.neighbour(event.key);
        if (next) this.choose(next.slice, true);
      } else if (event.key === 'Enter') {
        const inView = this.items.filter(item => item.start >= this.span.from && item.start + item.dur <= this.span.to && item.lane.track.kind !== 'instants');
        const longest = inView.reduce((/** @type {Item | null} */ best, item) => (!best || item.dur > best.dur ? item : best), null);
        if (longest) this.choose(longest.slice);
      } else if (event.key === 'r') {
        const [from, to] = this.span.rounded();
        this.range = [from, to];
        this.sums(from, to);
      } else if (event.key === 'f' && this.chosen !== null) {
        const item = this.items.find(one => one.slice === this.chosen);
        if (item) this.span.view(item.start - item.dur * 0.1 - 1, item.start + item.dur * 1.1 + 1);
      } else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  /** @param {string} key */
  neighbour(key) {
    const chosen = this.items.find(item => item.slice === this.chosen);
    if (!chosen) return this.items[0];
    const row = (/** @type {number} */ depth) => this.items.filter(item => item.lane === chosen.lane && item.depth === depth);
    if (key === 'ArrowRight') return row(chosen.depth).find(item => item.start > chosen.start);
    if (key === 'ArrowLeft') return row(chosen.depth).filter(item => item.start < chosen.start).pop();
    if (key === 'ArrowUp') return row(chosen.depth - 1).find(item => item.start <= chosen.start && item.start + item.dur >= chosen.start);
    return row(chosen.depth + 1).find(item => item.start >= chosen.start && item.start <= chosen.start + chosen.dur);
  }

  /**
   * Shows a slice in the panel, and where it is.
   * @param {number} slice
   * @param {boolean} [isMoving] whether it is to be brought into view
   */
  async choose(slice, isMoving = false) {
    this.chosen = slice;
    this.arrows = [];
    this.chart.draw();
    replaceAddress(address('timeline', '', { ...Object.fromEntries(current().parameters), slice: String(slice) }));
    let answer;
    try {
      answer = await ask('slice', { slice, top: ROWS }, this.signal);
    } catch (error) {
      if (!this.signal.aborted) replace(this.panel, failure(error, () => this.choose(slice, isMoving)));
      return;
    }
    if (this.chosen !== slice || this.signal.aborted) return;
    const { slice: of, flows_in: into, flows_out: out, waits } = answer;
    this.arrows = [...into.rows.map((/** @type {any} */ row) => [row, of]), ...out.rows.map((/** @type {any} */ row) => [of, row])];
    this.span.frame();
    if (isMoving) this.show(of);
    const value = (/** @type {string} */ name, /** @type {string} */ title, /** @type {any} */ text) => (text === null ? null : el('div', {}, el('dt', { text: title }), el('dd', { 'data-fact': name, text })));
    const time = (/** @type {number | null} */ nanos) => (nanos === null ? null : formats.nanos(nanos));
    const named = (/** @type {string | null} */ name, /** @type {any} */ id) => [name, id].filter(part => part !== null && part !== undefined).join(' ');
    const list = (/** @type {string} */ title, /** @type {any[]} */ rows, /** @type {number} */ total) => (rows.length ? [el('h4', { text: `${title} (${formats.count(total)})` }), el('ol', { class: 'way' },
      rows.map(row => el('li', {}, el('button', { type: 'button', class: 'link', text: shortened(titled(row)), onclick: () => this.choose(row.slice, true) }), ` ${lasting(row.duration_ns)}`)))] : []);
    const place = el('div', { 'data-arguments': true });
    replace(this.panel, el('h3', { text: shortened(of.name || '(no name)') }),
      el('p', { class: 'tools' }, copyButton('Copy id', String(of.id)), copyButton('Copy as SQL', `SELECT * FROM ${of.is_operation ? 'async_slice' : 'slice'} WHERE id = ${of.id}`)),
      el('dl', {}, value('duration_ns', 'Duration', lasting(of.duration_ns)), value('self_time_ns', 'Self', time(of.self_time_ns)), value('thread_duration_ns', 'On a CPU', time(of.thread_duration_ns)), value('waited_ns', 'Waited', time(of.waited_ns)),
        value('start_ns', 'Start', formats.nanos(of.start_ns)), value('thread', 'Thread', named(of.thread_name, of.tid)), value('process', 'Process', named(of.process_name, of.pid)), value('category', 'Category', of.category), of.called ? value('called', 'Calls', told(of.called)) : null),
      place,
      ...list('In', answer.above, answer.above.length), ...list('Within it', answer.children.rows, answer.children.total),
      ...(answer.ran.total > 1 ? [el('h4', { text: 'What ran' }), table('What ran', sumColumns, answer.ran.rows).element] : []),
      ...this.waits(waits),
      ...list('Arrows from', into.rows, into.total), ...list('Arrows to', out.rows, out.total));
    announce(`${of.name ?? ''} ${lasting(of.duration_ns)}`);
    if (of.has_arguments) this.arguments(slice, place);
  }

  /** What the thread waited for, by the events of the scheduler. @param {{ total: number, rows: any[] }} waits */
  waits({ total, rows }) {
    if (!total) return [];
    const line = (/** @type {any} */ { duration_ns: length, state, blocked_function: of, waker, waker_slice: by }) => el('li', {}, `${formats.nanos(length)} ${state}`,
      of ? ` in ${of}` : null, waker ? ` for ${shortened(waker)}` : null,
      by ? [' > ', el('button', { type: 'button', class: 'link', text: shortened(by.name || '(no name)'), onclick: () => this.choose(by.slice, true) })] : null);
    return [el('h4', { text: `Waited (${formats.count(total)})` }), el('ol', { class: 'way', 'data-waits': true }, rows.map(line))];
  }

  /** @param {number} slice @param {HTMLElement} place */
  async arguments(slice, place) {
    replace(place, el('h4', { text: 'Arguments' }), el('p', { class: 'lead', text: 'They are read from the file …' }));
    try {
      const { arguments: text } = await ask('arguments', { slice }, this.signal);
      let shown = text ?? 'none';
      try {
        shown = JSON.stringify(JSON.parse(shown), null, 2);
      } catch {
        // What is no JSON is shown as it is.
      }
      replace(place, el('h4', { text: 'Arguments' }), el('pre', { class: 'whole', text: shown }));
    } catch (error) {
      if (!this.signal.aborted) replace(place, failure(error));
    }
  }

  /** @param {{ start_ns: number, duration_ns: number | null, track: number | null, depth?: number }} of */
  show(of) {
    this.span.show(of.start_ns, of.duration_ns ?? 0);
    const lane = of.track === null ? null : this.lanes[of.track];
    if (lane) this.scrolled.show(lane.top + HEADER + (of.depth ?? 0) * ROW - AXIS, ROW + AXIS);
    this.span.again();
  }

  /** What began in a time. @param {number} from @param {number} to */
  async sums(from, to) {
    this.chart.draw();
    try {
      const answer = await ask('area', { from, to, top: ROWS }, this.signal);
      replace(this.panel, el('h3', { text: `${formats.nanos(to - from)} from ${formats.nanos(from)}` }),
        el('p', { class: 'lead', text: 'Slices of threads that begin then, by name.' }),
        el('p', {}, el('button', { type: 'button', text: 'Zoom to it', onclick: () => this.span.view(from, to) })),
        growing('Slices', [...sumColumns, { title: 'Total', number: true, cell: (/** @type {any} */ row) => formats.nanos(row.total_time_ns) }], answer.slices,
          async offset => (await ask('area', { from, to, offset, top: ROWS }, this.signal)).slices));
      announce(`${formats.nanos(to - from)} selected`);
    } catch (error) {
      if (!this.signal.aborted) replace(this.panel, failure(error));
    }
  }
}

/**
 * @param {Route} route
 * @param {AbortSignal} signal
 */
export async function timeline(route, signal) {
  const answer = await ask('tracks', {}, signal);
  if (!answer.tracks.length) return { answer, title: 'Timeline', content: [el('section', {}, el('h2', { text: 'Timeline' }), el('p', { class: 'none', text: 'This trace has nothing that has a place in time.' }))] };
  const view = new Timeline(answer, signal);
  const { parameters } = route;
  const [from, to] = [parameters.get('from'), parameters.get('to')];
  await view.load(0, view.duration);
  if (from !== null || to !== null) view.span.view(Number(from ?? 0), Number(to ?? view.duration));
  if (parameters.has('slice')) view.choose(Number(parameters.get('slice')), true);
  const moment = el('input', { type: 'search', class: 'filter', placeholder: 'Time, such as 1.5s', 'aria-label': 'Go to a time', 'data-moment': true });
  moment.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
    const at = event.key === 'Enter' ? nanos(moment.value) : null;
    if (at === null) return;
    const wide = view.span.to - view.span.from;
    view.span.view(at - wide / 2, at + wide / 2);
  });
  return {
    answer, title: 'Timeline',
    content: [el('section', {}, el('h2', { text: 'Timeline' }),
      el('p', { class: 'lead', text: 'Drag to move, the wheel with Ctrl zooms. A drag with Shift, or on the line of times, selects a time and sums what began in it.' }),
      el('div', { class: 'tools' }, view.span.buttons, moment, view.span.label),
      pictures(view, signal), el('div', { class: 'split' }, view.scrolled.element, view.panel))],
    focus: view.chart.canvas,
  };
}

/**
 * A time as people write it, in nanoseconds: `1.5s`, `20 ms`, or seconds.
 * @param {string} text
 */
export function nanos(text) {
  const found = /^\s*(\d+(?:\.\d*)?|\.\d+)\s*(s|ms|us|µs|ns)?\s*$/.exec(text);
  if (!found) return null;
  const unit = /** @type {Record<string, number>} */ ({ s: 1e9, ms: 1e6, us: 1e3, 'µs': 1e3, ns: 1 })[found[2] ?? 's'];
  return Number(found[1]) * unit;
}

/**
 * What has a text in its name.
 * @param {Route} route
 * @param {AbortSignal} signal
 */
export async function found(route, signal) {
  const text = route.parameters.get('text') ?? '';
  const answer = await ask('find', { text, top: ROWS }, signal);
  return {
    answer, title: 'Search',
    content: [el('section', { id: 'found' }, el('h2', { text: `Slices with “${text}”` }),
      el('p', { class: 'lead', 'data-fact': 'found', text: `${formats.count(answer.slices.total)} slices, ${formats.nanos(answer.total_time_ns)} together` }),
      growing('The longest first', sliceColumns, answer.slices, async offset => (await ask('find', { text, offset, top: ROWS }, signal)).slices))],
  };
}

/** Pictures that are loaded at a time: each has some ten kilobytes. */
const PICTURES = 40;

/**
 * Pictures of the screen over the time; a click goes to when one was taken. A trace without some has no such strip.
 * @param {Timeline} view
 * @param {AbortSignal} signal
 */
function pictures(view, signal) {
  const strip = el('div', { class: 'pictures scroll', tabindex: 0, role: 'group', 'aria-label': 'Pictures of the screen', hidden: true });
  const clipped = el('p', { class: 'note', 'data-fact': 'left_out', hidden: true });
  const show = async (/** @type {number} */ offset) => {
    try {
      const { pictures: list, left_out: left } = await ask('pictures', { offset, top: PICTURES }, signal);
      strip.hidden = list.total === 0;
      clipped.hidden = !left;
      clipped.textContent = `${formats.count(left)} more pictures are left out: of pictures 64 MB are kept.`;
      strip.append(...list.rows.map((/** @type {any} */ row) => {
        const at = formats.nanos(row.start_ns);
        return el('button', { type: 'button', title: `Go to ${at}`, onclick: () => view.span.show(row.start_ns, 0) },
          el('img', { src: row.image, alt: `The screen at ${at}`, height: 72 }), el('span', { text: at }));
      }));
      const shown = offset + list.rows.length;
      if (shown < list.total) {
        const more = el('button', { type: 'button', text: `${formats.count(list.total - shown)} more`, onclick: () => { more.remove(); show(shown); } });
        strip.append(more);
      }
    } catch (error) {
      if (signal.aborted) return;
      strip.hidden = false;
      replace(strip, failure(error));
    }
  };
  show(0);
  return [strip, clipped];
}

/** @param {AbortSignal} signal */
export async function longTasks(signal) {
  const answer = await ask('long_tasks', { top: ROWS }, signal);
  const columns = [
    sliceColumns[0],
    { title: 'Thread', class: 'name', cell: (/** @type {any} */ row) => row.thread },
    sliceColumns[1], sliceColumns[2],
    { title: 'Over', number: true, cell: (/** @type {any} */ row) => formats.nanos(row.over_ns) },
    { title: 'What ran', class: 'name', cell: (/** @type {any} */ row) => row.ran.map((/** @type {any} */ ran) => `${titled(ran)} ${formats.nanos(ran.self_time_ns)}`).join(', ') },
  ];
  return {
    answer, title: 'Long tasks',
    content: [el('section', { id: 'long_tasks' }, el('h2', { text: 'Long tasks' }),
      el('p', { class: 'lead', text: 'Outermost slices of 50 ms and more: while one runs, its thread answers nothing. What ran is by self time.' }),
      answer.tasks.total ? growing('Tasks', columns, answer.tasks, async offset => (await ask('long_tasks', { offset, top: ROWS }, signal)).tasks)
        : el('p', { class: 'none', text: 'No outermost slice lasts 50 ms.' }))],
  };
}

/** @param {AbortSignal} signal */
export async function traceOverview(signal) {
  const trace = await ask('overview', {}, signal);
  const number = { number: true };
  const nanosCell = (/** @type {string} */ name) => (/** @type {any} */ row) => (row[name] === null || row[name] === undefined ? '' : formats.nanos(row[name]));
  const named = (/** @type {any} */ row) => el('a', { href: address('found', '', { text: row.name ?? '' }), text: shortened(row.name ?? '') });
  // Scripts that run as a whole and functions without a name cannot be looked for.
  const called = (/** @type {any} */ row) => {
    const name = row.original?.name || (row.function_name === '(anonymous)' ? undefined : row.function_name);
    const text = shortened(told(row));
    return name ? el('a', { href: address('found', '', { text: name }), text }) : text;
  };
  const part = (/** @type {string} */ id, /** @type {string} */ title, /** @type {Columns} */ columns, /** @type {any} */ list) =>
    (list?.rows.length ? el('section', { id }, el('h2', { text: `${title} (${formats.count(list.total)})` }), table(title, columns, list.rows).element) : null);
  const fact = (/** @type {string} */ name, /** @type {string} */ title, /** @type {any} */ value, format = formats.count) =>
    el('div', {}, el('dt', { text: title }), el('dd', { 'data-fact': name, text: value === null || value === undefined ? 'unknown' : format(value) }));
  const { totals } = trace;
  return {
    answer: trace, title: 'Overview',
    content: [
      el('section', { id: 'totals' }, el('dl', {}, fact('duration_ns', 'Duration', totals.duration_ns, formats.nanos), fact('event_count', 'Events', totals.event_count),
        fact('slice_count', 'Slices', totals.slice_count), fact('thread_count', 'Threads', totals.thread_count), fact('process_count', 'Processes', totals.process_count),
        fact('operation_count', 'Operations', totals.operation_count), fact('flow_count', 'Arrows', totals.flow_count), fact('counter_count', 'Counters', totals.counter_count))),
      part('slices', 'Slices by self time', [
        { title: 'Name', class: 'name', cell: named }, { title: 'Category', class: 'name', cell: row => row.category ?? '' },
        { title: 'Count', ...number, cell: row => formats.count(row.count) }, { title: 'Self', ...number, cell: nanosCell('self_time_ns') },
        { title: 'Total', ...number, cell: nanosCell('total_time_ns') }, { title: 'Longest', ...number, cell: nanosCell('longest_ns') },
      ], trace.slices),
      part('script_calls', 'Calls of scripts by self time', [
        { title: 'Name', class: 'name', cell: row => shortened(row.slice_name) },
        { title: 'Function', class: 'name', cell: called },
        { title: 'Count', ...number, cell: row => formats.count(row.count) }, { title: 'Self', ...number, cell: nanosCell('self_time_ns') },
        { title: 'Total', ...number, cell: nanosCell('total_time_ns') }, { title: 'Longest', ...number, cell: nanosCell('longest_ns') },
      ], trace.script_calls?.functions),
      part('script_call_packages', 'Packages by self time of calls of scripts', [
        { title: 'Package', class: 'name', cell: row => row.package },
        { title: 'Count', ...number, cell: row => formats.count(row.count) }, { title: 'Self', ...number, cell: nanosCell('self_time_ns') },
        { title: 'Total', ...number, cell: nanosCell('total_time_ns') }, { title: 'Longest', ...number, cell: nanosCell('longest_ns') },
      ], trace.script_calls?.packages),
      part('threads', 'Threads by time in slices', [
        { title: 'Thread', class: 'name', cell: row => `${row.thread_name ?? ''} ${row.tid ?? ''}` }, { title: 'Process', class: 'name', cell: row => `${row.process_name ?? ''} ${row.pid ?? ''}` },
        { title: 'Slices', ...number, cell: row => formats.count(row.slice_count) }, { title: 'In slices', ...number, cell: nanosCell('self_time_ns') },
      ], trace.threads),
      part('cpus', 'CPUs', [
        { title: 'CPU', ...number, cell: row => String(row.cpu) }, { title: 'Switches', ...number, cell: row => formats.count(row.switch_count) },
        { title: 'Busy', ...number, cell: nanosCell('busy_ns') }, { title: 'Share', ...number, cell: row => (row.busy_percent === null ? '' : share(row.busy_percent, 100)) },
      ], trace.cpus),
      part('scheduled_threads', 'Threads by time on CPUs', [
        { title: 'Thread', class: 'name', cell: row => `${row.thread_name ?? ''} ${row.tid ?? ''}` }, { title: 'Process', class: 'name', cell: row => `${row.process_name ?? ''} ${row.pid ?? ''}` },
        { title: 'Times', ...number, cell: row => formats.count(row.run_count) }, { title: 'Running', ...number, cell: nanosCell('running_ns') },
        { title: 'Ready', ...number, cell: nanosCell('ready_ns') }, { title: 'Longest ready', ...number, cell: nanosCell('longest_ready_ns') }, { title: 'Blocked', ...number, cell: nanosCell('blocked_ns') },
      ], trace.scheduled_threads),
      part('operations', 'Asynchronous operations', [
        { title: 'Name', class: 'name', cell: named }, { title: 'Category', class: 'name', cell: row => row.category ?? '' },
        { title: 'Count', ...number, cell: row => formats.count(row.count) }, { title: 'Total', ...number, cell: nanosCell('total_time_ns') }, { title: 'Longest', ...number, cell: nanosCell('longest_ns') },
      ], trace.operations),
      part('counters', 'Counters', [
        { title: 'Counter', class: 'name', cell: row => `${row.counter_name ?? ''} ${row.series ?? ''}` }, { title: 'Process', class: 'name', cell: row => `${row.process_name ?? ''} ${row.pid ?? ''}` },
        { title: 'Values', ...number, cell: row => formats.count(row.count) }, { title: 'Least', ...number, cell: row => String(row.min ?? '') },
        { title: 'Greatest', ...number, cell: row => String(row.max ?? '') }, { title: 'Last', ...number, cell: row => String(row.last ?? '') },
      ], trace.counters),
    ],
  };
}

/**
 * What is typed into the search field: a time, `@` and a slice, or a text of names.
 * @param {string} text
 */
export function findInTrace(text) {
  const at = /\d\s*(s|ms|us|µs|ns)$/.test(text) ? nanos(text) : null;
  if (at !== null) go(address('timeline', '', { from: Math.max(0, Math.round(at - 5e6)), to: Math.round(at + 5e6) }));
  else if (/^@\d+$/.test(text)) go(address('timeline', '', { slice: text.slice(1) }));
  else go(address('found', '', { text }));
}
