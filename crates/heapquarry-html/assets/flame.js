// A call tree as boxes.

/** Most callers, and most calls, that are listed. */
const LISTED = 25;

class FlameTree {
  constructor(model) {
    this.model = model;
    this.texts = model.texts;
    this.calls = decoded(model.calls);
    this.frames = decoded(model.frames);
    this.format = formats[model.unit];
    this.groups = Array.from(this.frames.script, script => groupOfScript(this.texts[script]));
    const count = this.calls.parent.length;
    this.below = Array.from({ length: count }, () => []);
    for (let call = 1; call < count; call++) this.below[this.calls.parent[call]].push(call);
    this.modes = this.calls.before.length ? ['change', 'package'] : ['package'];
    [this.mode] = this.modes;
    this.slots = this.pickColors();
    this.root = count ? this.item(0, null) : null;
  }

  get total() {
    return this.calls.total[0];
  }

  name(call) {
    return this.texts[this.frames.name[this.calls.frame[call]]];
  }

  script(call) {
    return this.texts[this.frames.script[this.calls.frame[call]]];
  }

  place(call) {
    const [script, line] = [this.script(call), this.frames.line[this.calls.frame[call]]];
    return script && line ? `${script}:${line}` : script;
  }

  /** The packages, and folders of the program, that take most themselves have a colour each. */
  pickColors() {
    const sums = new Map();
    for (let call = 1; call < this.calls.own.length; call++) {
      const group = this.groups[this.calls.frame[call]];
      sums.set(group, (sums.get(group) || 0) + this.calls.own[call]);
    }
    return colored(sums, group => (group ? 0 : 2));
  }

  legend() {
    if (this.mode === 'change') return [['takes less', change(-1)], ['the same', change(0)], ['takes more', change(1)]];
    return [...this.slots, ['engine, runtime, other', OTHER]];
  }

  color(item) {
    if (item.call === undefined) return OTHER;
    if (this.mode === 'change') {
      const [now, before] = [this.calls.total[item.call], this.calls.before[item.call]];
      return change(Math.max(now, before) > 0 ? (now - before) / Math.max(now, before) : 0);
    }
    return this.slots.get(this.groups[this.calls.frame[item.call]]) ?? OTHER;
  }

  item(call, parent) {
    return { call, size: this.calls.total[call], label: this.name(call), parent };
  }

  children(item) {
    if (item.call === undefined) return [];
    item.children ||= this.below[item.call].map(call => this.item(call, item)).sort((a, b) => b.size - a.size);
    return item.children;
  }

  find(call) {
    const way = [];
    for (let at = call; at !== 0; at = this.calls.parent[at]) way.push(at);
    let item = this.root;
    for (const next of way.reverse()) item = this.children(item).find(child => child.call === next) || item;
    return item;
  }

  numbers(call) {
    const { calls } = this;
    const lines = [
      ['Total', `${this.format(calls.total[call])}, ${share(calls.total[call], this.total)}`],
      ['Self', `${this.format(calls.own[call])}, ${share(calls.own[call], this.total)}`],
    ];
    if (calls.before.length) {
      lines.push(['Before', this.format(calls.before[call])], ['Change', signed(this.format, calls.total[call] - calls.before[call])]);
    }
    return lines;
  }

  tooltip(item) {
    const lines = [[item.label, ''], ...this.numbers(item.call)];
    if (this.place(item.call)) lines.push(['', this.place(item.call)]);
    return lines;
  }

  /** Functions with a text in their name or script, by what all their calls take, and what share of all they take. */
  search(text) {
    const wanted = text.toLowerCase();
    const hits = this.texts.map(one => one.toLowerCase().includes(wanted));
    const [calls, firsts, totals] = [new Set(), new Map(), new Map()];
    let covered = 0;
    const inside = new Uint8Array(this.calls.parent.length);
    for (let call = 1; call < this.calls.parent.length; call++) {
      const frame = this.calls.frame[call];
      const parent = this.calls.parent[call];
      inside[call] = inside[parent];
      if (!hits[this.frames.name[frame]] && !hits[this.frames.script[frame]]) continue;
      calls.add(call);
      if (!inside[call]) covered += this.calls.total[call];
      inside[call] = 1;
      // Calls within calls of the same function are in its time already.
      if (!this.isWithin(call, frame)) totals.set(frame, (totals.get(frame) || 0) + this.calls.total[call]);
      const known = firsts.get(frame);
      if (known === undefined || this.calls.total[known] < this.calls.total[call]) firsts.set(frame, call);
    }
    const sum = call => totals.get(this.calls.frame[call]);
    const results = [...firsts.values()].sort((a, b) => sum(b) - sum(a));
    return {
      count: results.length,
      note: `in ${share(covered, this.total)} of the stacks`,
      results: results.slice(0, 50).map(call => ({ node: call, label: `${this.name(call)} ${this.place(call)}`, size: sum(call) })),
      calls,
    };
  }

  /** Whether a call is within another one of a function. */
  isWithin(call, frame) {
    for (let at = this.calls.parent[call]; at !== 0; at = this.calls.parent[at]) if (this.calls.frame[at] === frame) return true;
    return false;
  }

  matches(item, search) {
    return search.calls.has(item.call);
  }

  details(item, show) {
    const { call } = item;
    const value = ([title, text]) => el('div', {}, el('dt', { text: title }), el('dd', { text }));
    const link = other => el('button', { type: 'button', class: 'link', text: this.name(other), onclick: () => show(other) });
    const [table, column] = this.model.sql;
    const name = this.name(call).replaceAll("'", "''");
    const stack = [];
    for (let at = this.calls.parent[call]; call && at !== 0; at = this.calls.parent[at]) stack.push(at);
    const rest = stack.length - LISTED;
    const [calls, own] = this.everywhere(call);
    return [
      el('h3', { text: item.label }),
      this.place(call) ? el('p', { class: 'lead', text: this.place(call) }) : null,
      call ? el('p', { class: 'tools' }, copyButton('Copy name', this.name(call)), copyButton('Copy as SQL', `SELECT * FROM ${table} WHERE ${column} = '${name}'`)) : null,
      el('dl', {}, this.numbers(call).map(value), call && calls > 1 ? value(['Self, all calls', `${this.format(own)} in ${formats.count(calls)} stacks`]) : null),
      stack.length ? [el('h4', { text: 'Called by' }), el('ol', { class: 'way' },
        stack.slice(0, LISTED).map(at => el('li', {}, link(at))),
        rest > 0 ? el('li', { text: `… ${formats.count(rest)} more` }) : null)] : null,
      this.beside('Callers, in all stacks', this.neighbours(call, true), link),
      this.below[call].length ? [el('h4', { text: 'Calls' }), el('ul', { class: 'way' }, this.children(item).slice(0, LISTED).map(child =>
        el('li', {}, link(child.call), ` ${this.format(child.size)}, ${share(child.size, item.size)}`)))] : null,
      this.beside('Callees, in all stacks', this.neighbours(call, false), link),
    ].flat();
  }

  beside(title, found, link) {
    if (!found.length) return null;
    return [el('h4', { text: title }), el('ul', { class: 'way' }, found.slice(0, LISTED).map(([call, size]) => el('li', {}, link(call), ` ${this.format(size)}`)))];
  }

  /**
   * What calls a function, or what it calls, in all stacks: a call of each with what they take together, the largest
   * first. Of calls within calls of the same function the outermost counts.
   */
  neighbours(call, above) {
    const { frame: frames, parent: parents, total } = this.calls;
    const found = new Map();
    const add = (other, size) => {
      const known = found.get(frames[other]);
      if (!known) found.set(frames[other], [other, size]);
      else known[1] += size;
    };
    const frame = frames[call];
    if (call === 0 || this.everywhere(call)[0] < 2) return [];
    for (let at = 1; at < frames.length; at++) {
      const parent = parents[at];
      if (above && frames[at] === frame && parent !== 0 && !this.isWithin(at, frame)) add(parent, total[at]);
      if (!above && frames[parent] === frame && parent !== 0 && frames[at] !== frame && !this.repeats(at, frame)) add(at, total[at]);
    }
    return [...found.values()].sort((a, b) => b[1] - a[1]);
  }

  /** Whether a call of a function is within another call of its own that the function made. */
  repeats(call, frame) {
    const { frame: frames, parent: parents } = this.calls;
    for (let at = parents[parents[call]]; at !== 0; at = parents[at]) {
      if (frames[at] === frames[call] && frames[parents[at]] === frame) return true;
    }
    return false;
  }

  /** In how many stacks a function is, and what it takes itself in all of them. */
  everywhere(call) {
    let [calls, own] = [0, 0];
    this.calls.frame.forEach((frame, at) => {
      if (frame === this.calls.frame[call]) [calls, own] = [calls + 1, own + this.calls.own[at]];
    });
    return [calls, own];
  }
}
