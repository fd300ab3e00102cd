// Threads over time: their slices, flows between them, counters.

const SLICE = 16;
const TITLE = 20;
const COUNTER = 30;
const DEEPEST_SLICE = 200;
const LONG = 50e6;
/** Most slices that the panel lists under a heading. */
const LISTED_SLICES = 20;
/** Slices that it lists until one is chosen. */
const LONGEST_SLICES = 10;
/** The canvas is as tall as what is seen of it: threads can need more than a canvas can have. */
const SEEN = 570;

/** Where an axis has marks, at least so many pixels apart, and what stands there: no two are alike. */
function marks(from, to, width, apart = 90) {
  const least = ((to - from) * apart) / width;
  const power = 10 ** Math.floor(Math.log10(least));
  const every = Math.max(1, power * [1, 2, 5, 10].find(times => power * times >= least));
  const found = [];
  for (let time = Math.ceil(from / every) * every; time <= to; time += every) found.push({ time, text: moment(time, every, to) });
  return found;
}

/** A time in the unit of the latest one that is seen, with as many digits as steps of this length need. */
function moment(time, step, latest) {
  const [unit, size] = [['s', 1e9], ['ms', 1e6], ['µs', 1e3], ['ns', 1]].find(one => latest >= one[1]) || ['ns', 1];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  return `${(time / size).toFixed(digits)} ${unit}`;
}

class Strip {
  constructor(model) {
    this.model = model;
    this.texts = model.texts;
    this.lanes = decoded(model.lanes);
    this.slices = decoded(model.slices);
    this.flows = decoded(model.flows);
    this.arguments = new Map([...decode(model.arguments.of)].map((at, number) => [at, model.arguments.text[number]]));
    /** Whether slices are calls of a profile. */
    this.isOfCalls = this.slices.script.length > 0;
    this.counters = model.counters.map(counter => ({ ...counter, at: decode(counter.at) }));
    this.span = Math.max(1, model.span);
    [this.from, this.to] = [0, this.span];
    this.groups = this.isOfCalls ? this.ofScripts() : Array.from(this.slices.name, name => this.texts[name]);
    this.slots = this.pickColors();
    this.place();
    this.found = null;
    this.selected = -1;
    this.chart = new Chart('Timeline. Arrow keys move, + and - zoom, Enter shows the longest slice in view.');
    this.chart.element.classList.add('lanes');
    this.chart.format = formats.nanos;
    this.chart.tooltip = item => this.tooltip(item);
    this.chart.draw = () => this.draw();
    const seen = Math.min(this.height, SEEN);
    this.chart.element.style.height = `${seen}px`;
    const rest = el('div');
    rest.style.height = `${this.height - seen}px`;
    this.strip = el('div', { class: 'strip' }, this.chart.element, rest);
    this.strip.addEventListener('scroll', () => this.draw());
    this.listen();
    this.panel = el('aside', { class: 'panel', 'aria-label': 'What is chosen' });
    this.told = debounced(() => this.overview());
    this.overview();
    this.results = el('div', { class: 'results', hidden: true });
    this.input = el('input', { type: 'search', class: 'filter', placeholder: 'Search', 'aria-label': 'Search slices' });
    this.input.addEventListener('input', debounced(() => this.search()));
    const button = (text, label, work) => el('button', { type: 'button', text, 'aria-label': label, onclick: work });
    this.element = el('div', { class: 'explorer' },
      el('div', { class: 'tools' }, button('+', 'Zoom in', () => this.zoom(0.5)), button('−', 'Zoom out', () => this.zoom(2)),
        button('All', 'Show all', () => this.view(0, this.span)), this.input, this.range = el('span', { class: 'count' })),
      this.results,
      el('div', { class: 'split' }, el('div', {}, this.legend = el('ul', { class: 'legend', 'aria-label': 'Colours' }), this.strip), this.panel));
    dark.addEventListener('change', () => this.recolor());
    this.recolor();
  }

  /** Says which colour stands for what. */
  recolor() {
    replace(this.legend, [...this.slots, [this.isOfCalls ? 'engine, runtime, other' : 'other', OTHER]].map(([name, color]) => {
      const box = el('i', { 'aria-hidden': 'true' });
      box.style.background = area(color);
      return el('li', {}, box, el('span', { text: name }));
    }));
    this.draw();
  }

  /** What each call is coloured by. */
  ofScripts() {
    const known = new Map();
    return Array.from(this.slices.script, script => {
      if (!known.has(script)) known.set(script, groupOfScript(this.texts[script]));
      return known.get(script);
    });
  }

  /** Where each lane is drawn. */
  place() {
    const count = this.lanes.name.length;
    const deepest = new Array(count).fill(0);
    this.slices.lane.forEach((lane, at) => { deepest[lane] = Math.max(deepest[lane], Math.min(DEEPEST_SLICE, this.slices.depth[at] + 1)); });
    let y = TITLE + 4;
    this.tops = deepest.map(deep => {
      const top = y;
      y += TITLE + Math.max(1, deep) * SLICE + 6;
      return top;
    });
    this.counterTop = y + 6;
    this.height = this.counterTop + this.counters.length * (COUNTER + TITLE) + 8;
  }

  /** The names that take most time have a colour each; of calls packages and folders. */
  pickColors() {
    const sums = new Map();
    this.groups.forEach((group, at) => sums.set(group, (sums.get(group) || 0) + this.slices.dur[at]));
    return colored(sums, group => (group || !this.isOfCalls ? 0 : 2));
  }

  color(at) {
    return this.slots.get(this.groups[at]) ?? OTHER;
  }

  listen() {
    const { canvas } = this.chart;
    let drag = null;
    canvas.addEventListener('pointerdown', event => { drag = { x: event.clientX, from: this.from, moved: false }; canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener('pointermove', event => {
      if (!drag) return;
      const by = event.clientX - drag.x;
      if (Math.abs(by) < 4 && !drag.moved) return;
      drag.moved = true;
      const wide = this.to - this.from;
      const from = drag.from - (by / this.chart.width) * wide;
      this.view(from, from + wide);
    });
    canvas.addEventListener('pointerup', event => {
      const box = !drag?.moved && this.chart.at(...this.chart.point(event));
      drag = null;
      if (box) this.choose(box.item);
    });
    canvas.addEventListener('wheel', event => {
      if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return;
      event.preventDefault();
      const [x] = this.chart.point(event);
      if (event.shiftKey) this.move(Math.sign(event.deltaY || event.deltaX) * 0.1);
      else this.zoom(event.deltaY > 0 ? 1.3 : 1 / 1.3, x / this.chart.width);
    }, { passive: false });
    canvas.addEventListener('keydown', event => {
      const work = {
        '+': () => this.zoom(0.5), '=': () => this.zoom(0.5), '-': () => this.zoom(2), w: () => this.zoom(0.5), s: () => this.zoom(2),
        ArrowLeft: () => this.move(-0.2), ArrowRight: () => this.move(0.2), a: () => this.move(-0.2), d: () => this.move(0.2),
        Escape: () => this.view(0, this.span), Enter: () => this.longest(),
      }[event.key];
      if (!work || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      work();
    });
  }

  view(from, to) {
    const wide = Math.min(this.span, Math.max(10, to - from));
    this.from = Math.min(Math.max(0, from), this.span - wide);
    this.to = this.from + wide;
    this.told();
    this.draw();
  }

  /** Where the chosen slice is in the view, from 0 to 1; the middle of the view if it is not there. */
  focus() {
    if (this.selected < 0) return 0.5;
    const [start, dur] = [this.slices.start[this.selected], this.slices.dur[this.selected]];
    const [from, to] = [Math.max(start, this.from), Math.min(start + dur, this.to)];
    return from <= to ? ((from + to) / 2 - this.from) / (this.to - this.from) : 0.5;
  }

  zoom(by, at = this.focus()) {
    const wide = this.to - this.from;
    const middle = this.from + wide * at;
    this.view(middle - wide * by * at, middle + wide * by * (1 - at));
  }

  move(by) {
    const wide = this.to - this.from;
    this.view(this.from + wide * by, this.to + wide * by);
  }

  /** The slices that begin in the view, the longest first. */
  inView() {
    const { start, dur } = this.slices;
    const found = [];
    start.forEach((time, at) => { if (time >= this.from && time < this.to) found.push(at); });
    return found.sort((a, b) => dur[b] - dur[a] || a - b);
  }

  longest() {
    const [best] = this.inView();
    if (best !== undefined) this.choose(best);
  }

  link(at) {
    return el('button', { type: 'button', class: 'link', text: this.texts[this.slices.name[at]], onclick: () => this.show(at) });
  }

  /** Slices with a heading, if there are any. */
  list(title, others) {
    if (!others.length) return [];
    return [el('h4', { text: title }), el('ol', { class: 'way' }, others.slice(0, LISTED_SLICES).map(at =>
      el('li', {}, this.link(at), ` ${formats.nanos(this.slices.dur[at])}`)))];
  }

  /** What the panel has until something is chosen. */
  overview() {
    if (this.selected >= 0) return;
    replace(this.panel, el('p', { class: 'lead', text: `A click on a ${this.isOfCalls ? 'call' : 'slice'} shows it here.` }),
      ...this.list('Longest in view', this.inView().slice(0, LONGEST_SLICES)));
  }

  draw() {
    const { chart, slices } = this;
    if (!chart.width) return;
    const { context, width } = chart;
    const look = theme();
    const offset = this.strip.scrollTop;
    const isSeen = (y, high) => y + high > 0 && y < chart.height;
    const scale = width / (this.to - this.from);
    const x = time => (time - this.from) * scale;
    context.clearRect(0, 0, width, chart.height);
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    let process = -1;
    this.tops.forEach((absolute, lane) => {
      const top = absolute - offset;
      if (!isSeen(top, TITLE)) return;
      context.fillStyle = look.line;
      context.fillRect(0, top - 3, width, this.lanes.process[lane] === process ? 0.5 : 1.5);
      process = this.lanes.process[lane];
      this.busy(context, look, lane, top, x);
      context.fillStyle = look.ink;
      const name = this.texts[this.lanes.name[lane]];
      context.fillText(name, 4, top + TITLE / 2);
      const after = context.measureText(name).width + 14;
      context.fillStyle = look.soft;
      context.fillText(this.texts[process], after, top + TITLE / 2);
    });
    const boxes = [];
    for (let at = 0; at < slices.start.length; at++) {
      const start = slices.start[at];
      if (start > this.to || start + slices.dur[at] < this.from || slices.depth[at] >= DEEPEST_SLICE) continue;
      const y = this.tops[slices.lane[at]] + TITLE + slices.depth[at] * SLICE - offset;
      if (!isSeen(y, SLICE)) continue;
      const left = Math.max(-2, x(start));
      const right = Math.min(width + 2, x(start + slices.dur[at]));
      const box = { item: at, x: left, y, w: Math.max(0.8, right - left - 0.5), h: SLICE - 1 };
      boxes.push(box);
      let fill = area(this.color(at));
      if (this.found && !this.isFound(at)) fill = mix(fill, look.paper, 0.82);
      context.fillStyle = fill;
      context.fillRect(box.x, box.y, box.w, box.h);
      if (!this.isOfCalls && slices.depth[at] === 0 && slices.dur[at] >= LONG) {
        context.fillStyle = MORE;
        context.fillRect(box.x, box.y - 2, box.w, 2);
      }
      if (box.w > 30) {
        context.fillStyle = this.found && !this.isFound(at) ? look.soft : '#16181c';
        context.fillText(chart.fitted(this.texts[slices.name[at]], box.w - 6), box.x + 3, y + SLICE / 2);
      }
    }
    chart.boxes = boxes;
    this.arrows(context, look, x, offset);
    this.series(context, look, x, offset);
    if (this.selected >= 0) {
      const box = boxes.find(one => one.item === this.selected);
      if (box) {
        context.lineWidth = 2;
        context.strokeStyle = look.ink;
        context.strokeRect(box.x, box.y, Math.max(2, box.w), box.h);
      }
    }
    this.axis(context, look, x);
    const step = (this.to - this.from) / 100;
    this.range.textContent = `${moment(this.from, step, this.to)} to ${moment(this.to, step, this.to)}`;
  }

  axis(context, look, x) {
    context.fillStyle = look.paper;
    context.fillRect(0, 0, this.chart.width, TITLE - 2);
    context.fillStyle = look.soft;
    for (const { time, text } of marks(this.from, this.to, this.chart.width)) {
      context.fillRect(x(time), 0, 1, 5);
      context.fillText(text, x(time) + 4, 9);
    }
  }

  /** A grey line: how much of each part of the span slices cover, also those that are not drawn. */
  busy(context, look, lane, top, x) {
    const { parts, busy } = this.lanes;
    context.fillStyle = look.soft;
    for (let part = 0; part < parts; part++) {
      const share = busy[lane * parts + part] / 255;
      if (!share) continue;
      context.globalAlpha = 0.15 + 0.5 * share;
      const left = x((part * this.span) / parts);
      context.fillRect(left, top + TITLE - 3, x(((part + 1) * this.span) / parts) - left, 2);
    }
    context.globalAlpha = 1;
  }

  arrows(context, look, x, offset) {
    const y = at => this.tops[this.slices.lane[at]] + TITLE + Math.min(DEEPEST_SLICE, this.slices.depth[at]) * SLICE + SLICE / 2 - offset;
    context.strokeStyle = look.accent;
    for (let flow = 0; flow < this.flows.from.length; flow++) {
      const [from, to] = [this.flows.from[flow], this.flows.to[flow]];
      const isChosen = from === this.selected || to === this.selected;
      const end = this.slices.start[from] + this.slices.dur[from];
      const [left, right] = [x(Math.min(end, Math.max(this.slices.start[from], this.slices.start[to]))), x(this.slices.start[to])];
      if (Math.max(left, right) < 0 || Math.min(left, right) > this.chart.width) continue;
      context.globalAlpha = isChosen ? 1 : 0.25;
      context.lineWidth = isChosen ? 2 : 1;
      context.beginPath();
      context.moveTo(left, y(from));
      const bend = Math.max(12, Math.abs(right - left) / 2);
      context.bezierCurveTo(left + bend, y(from), right - bend, y(to), right, y(to));
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  series(context, look, x, offset) {
    this.counters.forEach((counter, number) => {
      const top = this.counterTop + number * (COUNTER + TITLE) - offset;
      if (top > this.chart.height || top + COUNTER + TITLE < 0) return;
      const finite = counter.value.filter(value => value !== null);
      const [least, most] = [Math.min(0, ...finite), Math.max(0, ...finite)];
      const y = value => top + TITLE + COUNTER - ((value - least) / (most - least || 1)) * COUNTER;
      context.fillStyle = look.ink;
      context.fillText(this.texts[counter.name], 4, top + TITLE / 2);
      const after = context.measureText(this.texts[counter.name]).width + 14;
      context.fillStyle = look.soft;
      context.fillText(`up to ${formats.count(most)}`, after, top + TITLE / 2);
      context.fillStyle = area(PALETTE[0]);
      counter.at.forEach((time, at) => {
        const value = counter.value[at];
        const end = at + 1 < counter.at.length ? counter.at[at + 1] : this.span;
        if (value === null || end < this.from || time > this.to) return;
        const [zero, high] = [y(0), y(value)];
        context.fillRect(x(time), Math.min(zero, high), Math.max(1, x(end) - x(time)), Math.max(1, Math.abs(zero - high)));
      });
    });
  }

  tooltip(at) {
    const { slices, texts } = this;
    return [
      [texts[slices.name[at]], ''],
      ['Duration', formats.nanos(slices.dur[at])],
      ['Start', formats.nanos(slices.start[at])],
      [this.isOfCalls ? '' : 'Category', texts[slices.category[at]]],
      ...(this.called(at) ? [['Calls', this.called(at)]] : []),
    ];
  }

  /** The function or script that a slice calls; empty if it tells none. */
  called(at) {
    return this.texts[this.slices.called[at]] ?? '';
  }

  /** What was passed to a slice, as far as the page has it. */
  passed(at) {
    const text = this.arguments.get(at);
    if (text === undefined) return null;
    let shown = text;
    try {
      shown = JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      // What was cut is shown as it is.
    }
    return [el('h4', { text: 'Arguments' }), el('pre', { class: 'whole', text: shown })];
  }

  /** The slice around another. */
  around(at) {
    for (let other = at - 1; other >= 0 && this.slices.lane[other] === this.slices.lane[at]; other--) {
      if (this.slices.depth[other] < this.slices.depth[at]) return other;
    }
    return -1;
  }

  /** The slices of this page right inside another, the longest first. */
  inside(at) {
    const { lane, depth, dur } = this.slices;
    const found = [];
    for (let other = at + 1; other < lane.length && lane[other] === lane[at] && depth[other] > depth[at]; other++) {
      if (depth[other] === depth[at] + 1) found.push(other);
    }
    return found.sort((a, b) => dur[b] - dur[a]);
  }

  choose(at) {
    this.selected = at;
    const { slices, texts } = this;
    const value = (title, text) => el('div', {}, el('dt', { text: title }), el('dd', { text }));
    const around = [];
    for (let other = this.around(at); other >= 0; other = this.around(other)) around.push(other);
    const linked = (from, to) => [...this.flows[from]].flatMap((one, flow) => (one === at ? [this.flows[to][flow]] : []));
    const [flowsIn, flowsOut] = [linked('to', 'from'), linked('from', 'to')];
    const id = String(slices.id[at]);
    const tools = this.isOfCalls ? [copyButton('Copy name', texts[slices.name[at]])] : [copyButton('Copy id', id), copyButton('Copy as SQL', `SELECT * FROM slice WHERE id = ${id}`)];
    replace(this.panel, el('h3', { text: texts[slices.name[at]] }),
      el('p', { class: 'tools' }, tools),
      el('dl', {}, value('Thread', texts[this.lanes.name[slices.lane[at]]]), value('Process', texts[this.lanes.process[slices.lane[at]]]),
        value('Duration', formats.nanos(slices.dur[at])), this.isOfCalls ? null : value('Self', formats.nanos(slices.own[at])),
        value('Start', formats.nanos(slices.start[at])), value(this.isOfCalls ? 'Where' : 'Category', texts[slices.category[at]]),
        this.called(at) ? value('Calls', this.called(at)) : null),
      ...(this.passed(at) ?? []), ...this.list('In', around), ...this.list('Longest inside', this.inside(at)),
      ...this.list('Flows from', flowsIn), ...this.list('Flows to', flowsOut));
    announce(`${texts[slices.name[at]]}, ${formats.nanos(slices.dur[at])}`);
    this.draw();
  }

  /** Chooses a slice and makes it visible. */
  show(at) {
    const [start, dur] = [this.slices.start[at], Math.max(1, this.slices.dur[at])];
    if (start + dur < this.from || start > this.to || dur < (this.to - this.from) / 200) this.view(start - dur * 2, start + dur * 3);
    this.strip.scrollTop = this.tops[this.slices.lane[at]] - 40;
    this.choose(at);
  }

  /** Whether a slice, or what it calls, is looked for. @param {number} at */
  isFound(at) {
    return this.found.has(this.slices.name[at]) || this.found.has(this.slices.called[at]);
  }

  search() {
    const wanted = this.input.value.trim().toLowerCase();
    this.results.hidden = !wanted;
    this.found = null;
    if (wanted) {
      const names = new Set();
      this.texts.forEach((text, number) => { if (text.toLowerCase().includes(wanted)) names.add(number); });
      this.found = names;
      const hits = [];
      this.slices.name.forEach((_, at) => { if (this.isFound(at)) hits.push(at); });
      hits.sort((a, b) => this.slices.dur[b] - this.slices.dur[a]);
      const sum = hits.reduce((all, at) => all + this.slices.dur[at], 0);
      replace(this.results, el('p', { text: `${formats.count(hits.length)} slices, ${formats.nanos(sum)} together${hits.length > 50 ? '; the 50 longest:' : ':'}` }),
        el('ul', {}, hits.slice(0, 50).map(at => el('li', {}, el('button', {
          type: 'button', class: 'link', text: this.texts[this.slices.name[at]], onclick: () => this.show(at),
        }), ` ${formats.nanos(this.slices.dur[at])} at ${formats.nanos(this.slices.start[at])}`))));
      announce(`${hits.length} slices`);
    }
    this.draw();
  }
}
