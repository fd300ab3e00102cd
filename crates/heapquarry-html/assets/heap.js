// A heap as a tree of boxes.
//
// A box is an object with all that it dominates. Where one object holds nearly all that another holds, both are one box.
// Objects below half a percent of what holds them are one box for each class, together with those of which the file has
// only sums.

const UNREACHED = 0;
const FOLDED = 0.99;
const SMALL = 0.005;
const STRINGS = ['(string)', '(concatenated string)', '(sliced string)'];

function distanceText(distance) {
  if (distance === UNREACHED) return 'unreached';
  return distance - 5 >= 100000000 ? 'system' : formats.count(distance - 5);
}

class HeapTree {
  constructor(model) {
    this.model = model;
    this.texts = model.texts;
    this.nodes = decoded(model.nodes);
    this.groups = decoded(model.groups);
    this.classes = decoded(model.classes);
    this.edges = decoded(model.edges);
    this.format = formats.bytes;
    this.unit = 'bytes';
    const count = this.nodes.id.length;
    this.below = Array.from({ length: count }, () => []);
    for (let node = 1; node < count; node++) this.below[this.nodes.parent[node]].push(node);
    this.summed = new Map();
    for (let at = 0; at < this.groups.parent.length; at++) {
      const parent = this.groups.parent[at];
      if (!this.summed.has(parent)) this.summed.set(parent, []);
      this.summed.get(parent).push(at);
    }
    this.edgeStarts = [0];
    for (const edges of this.edges.counts) this.edgeStarts.push(this.edgeStarts[this.edgeStarts.length - 1] + edges);
    this.slots = this.pickColors();
    this.modes = this.nodes.before.length ? ['class', 'growth'] : ['class'];
    this.mode = 'class';
    this.root = count ? this.item(0, null) : null;
  }

  get total() {
    return this.model.total;
  }

  className(number) {
    return this.texts[this.classes.name[number]];
  }

  nodeName(node) {
    return this.texts[this.nodes.name[node]];
  }

  nodeLabel(node) {
    const [type, name] = [this.className(this.nodes.class[node]), this.nodeName(node)];
    if (node === 0) return 'All memory';
    if (!name || name === type) return type;
    if (STRINGS.includes(type)) return `"${name}"`;
    // What has no class of its own is known by its name.
    return type.startsWith('(') ? name : `${type} ${name}`;
  }

  /** The classes with the most bytes of their own have a colour each. */
  pickColors() {
    // Classes of one name, made at different places, are told apart by nobody who looks at colours.
    const sums = new Map();
    this.classes.size.forEach((size, number) => sums.set(this.className(number), (sums.get(this.className(number)) || 0) + size));
    return colored(sums, rankOfClass);
  }

  legend() {
    if (this.mode === 'growth') {
      return [['new since the first snapshot', change(1)], ['half as large then', change(0.5)], ['as large then', change(0)], ['larger then', change(-1)]];
    }
    return [...this.slots, ['other classes, engine', OTHER]];
  }

  color(item) {
    if (this.mode === 'growth') {
      if (item.node === undefined) return OTHER;
      const [before, now] = [this.nodes.before[item.node], this.nodes.retained[item.node]];
      return before === 0 ? change(1) : change(now > 0 ? (now - (before - 1)) / now : 0);
    }
    return (item.type === undefined ? undefined : this.slots.get(this.className(item.type))) ?? OTHER;
  }

  // ---------------------------------------------------------------- boxes

  /** The box of a node, folded with those below it that hold nearly all of it. */
  item(node, parent) {
    const whole = this.nodes.retained[node];
    const chain = [node];
    for (let last = node; ;) {
      const [child] = this.below[last];
      if (child === undefined || this.nodes.retained[child] < whole * FOLDED) break;
      chain.push(child);
      last = child;
    }
    // The root is a box of its own, so that the way back to it is always there.
    if (parent === null) chain.length = 1;
    const last = chain[chain.length - 1];
    const [first, end] = [this.nodeLabel(node), this.nodeLabel(last)];
    const label = chain.length === 1 ? first : chain.length === 2 ? `${first} › ${end}` : `${first} › … › ${end}`;
    return { kind: 'node', node: last, chain, type: this.nodes.class[node], size: whole, label, parent };
  }

  children(item) {
    item.children ||= item.kind === 'node' ? this.ofNode(item) : item.kind === 'bundle' ? this.ofBundle(item) : [];
    return item.children;
  }

  ofNode(item) {
    const { node } = item;
    const whole = item.size;
    const [found, bundles] = [[], new Map()];
    const bundle = type => {
      const name = this.className(type);
      if (!bundles.has(name)) bundles.set(name, { kind: 'bundle', type, members: [], count: 0, size: 0, max: 0, parent: item });
      return bundles.get(name);
    };
    for (const child of this.below[node]) {
      const size = this.nodes.retained[child];
      if (size >= whole * SMALL || this.below[node].length <= 12) {
        found.push(this.item(child, item));
        continue;
      }
      const into = bundle(this.nodes.class[child]);
      into.members.push(child);
      into.count += 1;
      into.size += size;
      into.max = Math.max(into.max, size);
    }
    for (const at of this.summed.get(node) || []) {
      const into = bundle(this.groups.class[at]);
      into.count += this.groups.count[at];
      into.size += this.groups.retained[at];
      into.max = Math.max(into.max, this.groups.max[at]);
    }
    for (const [name, one] of bundles) {
      if (one.count === 1 && one.members.length === 1) found.push(this.item(one.members[0], item));
      else if (one.size >= whole * 0.001) found.push(Object.assign(one, { label: `${formats.count(one.count)} × ${name}` }));
    }
    const own = this.nodes.size[node];
    if (own > 0 && found.length) found.push({ kind: 'self', type: this.nodes.class[node], size: own, label: 'itself', parent: item, of: node });
    const rest = found.reduce((left, one) => left - one.size, whole);
    if (found.length && rest > 0) found.push({ kind: 'rest', size: rest, label: 'other classes', parent: item });
    return found.sort((a, b) => b.size - a.size);
  }

  ofBundle(item) {
    const found = item.members.map(node => this.item(node, item));
    if (!found.length) return found;
    const rest = item.size - found.reduce((sum, one) => sum + one.size, 0);
    const count = item.count - found.length;
    if (rest > 0) found.push({ kind: 'rest', type: item.type, size: rest, label: `${formats.count(count)} smaller`, parent: item });
    return found.sort((a, b) => b.size - a.size);
  }

  /** The box that a node is in, with those around it made. */
  find(node) {
    const way = [];
    for (let at = node; at !== 0; at = this.nodes.parent[at]) way.push(at);
    let item = this.root;
    for (const next of way.reverse()) {
      if (item.chain?.includes(next)) continue;
      const children = this.children(item);
      let found = children.find(child => child.chain?.includes(next));
      if (!found) {
        const bundle = children.find(child => child.members?.includes(next));
        found = bundle && this.children(bundle).find(child => child.chain?.includes(next));
      }
      if (!found) return item;
      item = found;
    }
    return item;
  }

  // ---------------------------------------------------------------- what is said of a box

  tooltip(item) {
    const { nodes } = this;
    if (item.node === undefined) {
      const lines = [[item.label, ''], ['Retained', `${this.format(item.size)}, ${share(item.size, this.total)}`]];
      if (item.max) lines.push(['Largest', this.format(item.max)]);
      return lines;
    }
    const node = item.chain[0];
    const lines = [
      [item.label, ''],
      ['Id', `@${nodes.id[node]}`],
      ['Retained', `${this.format(nodes.retained[node])}, ${share(nodes.retained[node], this.total)}`],
      ['Shallow', this.format(nodes.size[node])],
      ['Distance', distanceText(nodes.distance[node])],
    ];
    const way = this.way(node).slice(0, 4);
    if (way.length) lines.push(['Held by', way.map(step => `${step.name} of ${this.className(nodes.class[step.node])}`).join(' ← ')]);
    return lines;
  }

  /** References to a node from other nodes of the file, the closest to the root first. */
  retainers(node) {
    if (!this.incoming) {
      this.incoming = Array.from({ length: this.nodes.id.length }, () => []);
      for (let from = 0; from < this.nodes.id.length; from++) {
        for (let at = this.edgeStarts[from]; at < this.edgeStarts[from + 1]; at++) this.incoming[this.edges.to[at]].push([from, at]);
      }
    }
    const distance = from => this.nodes.distance[from] || Infinity;
    return [...this.incoming[node]].sort((a, b) => distance(a[0]) - distance(b[0]));
  }

  isStrong(edge) {
    return this.edges.types[this.edges.kind[edge]] !== 'weak';
  }

  /** The way from a node to the root through the closest nodes of the file. */
  way(node) {
    const [steps, seen] = [[], new Set([node])];
    for (let at = node; at !== 0 && steps.length < 60;) {
      const closest = this.retainers(at).find(([from, edge]) => !seen.has(from) && this.isStrong(edge));
      if (!closest) break;
      const [from, edge] = closest;
      steps.push({ node: from, name: this.texts[this.edges.name[edge]] });
      seen.add(from);
      at = from;
    }
    return steps;
  }

  /**
   * Classes with a text in their name, then drawn nodes with it in their class or name, or with an id; those that retain
   * most first. Most objects of a class are not drawn: the class says how many there are.
   */
  search(text) {
    const wanted = text.toLowerCase().replace(/^@/, '');
    const hits = this.texts.map(one => one.toLowerCase().includes(wanted));
    const found = [];
    for (let node = 1; node < this.nodes.id.length; node++) {
      if (hits[this.nodes.name[node]] || hits[this.classes.name[this.nodes.class[node]]] || String(this.nodes.id[node]) === wanted) found.push(node);
    }
    const classes = new Set();
    this.classes.name.forEach((name, number) => { if (hits[name]) classes.add(number); });
    found.sort((a, b) => this.nodes.retained[b] - this.nodes.retained[a]);
    const sums = [...classes].filter(number => number < this.classes.listed).sort((a, b) => this.classes.retained[b] - this.classes.retained[a]);
    const results = [
      ...sums.map(number => ({ label: `class ${this.className(number)}, ${formats.count(this.classes.count[number])} objects`, size: this.classes.retained[number] })),
      ...found.map(node => ({ node, label: this.nodeLabel(node), size: this.nodes.retained[node] })),
    ];
    const words = (count, one, many) => `${formats.count(count)} ${count === 1 ? one : many}`;
    return {
      found: `${words(sums.length, 'class', 'classes')} and ${words(found.length, 'drawn object', 'drawn objects')}`,
      count: results.length,
      results: results.slice(0, 50),
      nodes: new Set(found),
      classes,
    };
  }

  matches(item, search) {
    if (item.chain) return item.chain.some(node => search.nodes.has(node));
    return item.type !== undefined && item.kind !== 'self' && search.classes.has(item.type);
  }

  // ---------------------------------------------------------------- the page of an object

  details(item, show) {
    if (item.node === undefined) return this.ofSum(item, show);
    const { nodes } = this;
    const node = item.chosen ?? item.chain[0];
    const id = String(nodes.id[node]);
    const value = (title, text) => el('div', {}, el('dt', { text: title }), el('dd', {}, text));
    const before = nodes.before.length ? nodes.before[node] : undefined;
    const link = other => el('button', { type: 'button', class: 'link', text: `${this.nodeLabel(other)} @${nodes.id[other]}`, onclick: () => show(other) });
    const parts = [
      el('h3', { text: this.nodeLabel(node) }),
      el('p', { class: 'tools' }, copyButton('Copy id', id),
        copyButton('Copy as SQL', `SELECT * FROM js_heap_nodes JOIN js_heap_analysis USING (file_id, node_index) WHERE js_heap_nodes.id = ${id}`)),
      el('dl', {}, value('Id', `@${id}`), value('Retained', `${this.format(nodes.retained[node])} (${share(nodes.retained[node], this.total)})`),
        value('Shallow', this.format(nodes.size[node])), value('Distance', distanceText(nodes.distance[node])),
        before === undefined ? null : value('In the first snapshot', before === 0 ? 'not there' : this.format(before - 1))),
    ];
    if (node !== 0) {
      const dominators = [];
      for (let at = nodes.parent[node]; ; at = nodes.parent[at]) {
        dominators.push(at);
        if (at === 0 || dominators.length > 40) break;
      }
      parts.push(el('h4', { text: 'Dominated by' }), el('ol', { class: 'way' }, dominators.map(at => el('li', {}, link(at)))));
      const way = this.way(node);
      if (way.length) {
        parts.push(el('h4', { text: 'Way to the root' }), el('ol', { class: 'way' },
          way.map(step => el('li', {}, el('b', { text: step.name }), ' of ', link(step.node)))));
      }
    }
    parts.push(this.references('Fields', this.fields(node), link));
    const retainers = this.retainers(node).map(([from, edge]) => [edge, from]);
    parts.push(this.references('Retainers', retainers, link));
    const [held, sums] = [this.below[node].slice(0, 20), this.summed.get(node) || []];
    if (held.length || sums.length) {
      parts.push(el('h4', { text: 'Holds alone' }), el('ul', { class: 'way' },
        held.map(child => el('li', {}, link(child), ` ${this.format(nodes.retained[child])}`)),
        sums.slice(0, 10).map(at => el('li', { text: `${formats.count(this.groups.count[at])} × ${this.className(this.groups.class[at])}, ${this.format(this.groups.retained[at])}` }))));
    }
    return parts;
  }

  fields(node) {
    const found = [];
    for (let at = this.edgeStarts[node]; at < this.edgeStarts[node + 1]; at++) found.push([at, this.edges.to[at]]);
    return found.sort((a, b) => this.nodes.retained[b[1]] - this.nodes.retained[a[1]]);
  }

  references(title, all, link) {
    if (!all.length) return null;
    const rows = all.slice(0, 40).map(([edge, other]) => el('tr', {},
      el('td', { class: 'name', text: this.texts[this.edges.name[edge]] }),
      el('td', {}, link(other)),
      el('td', { class: 'number', text: this.format(this.nodes.retained[other]) })));
    return el('div', {}, el('h4', { text: `${title} among the drawn nodes` }),
      el('div', { class: 'scroll' }, el('table', { class: 'small' }, el('tbody', {}, rows))),
      all.length > 40 && el('p', { class: 'more', text: `… and ${formats.count(all.length - 40)} more` }));
  }

  ofSum(item, show) {
    const type = item.type === undefined ? null : this.className(item.type);
    const sql = type && `SELECT id, class_name, retained_size FROM js_heap_analysis WHERE class_name = '${type.replaceAll("'", "''")}' ORDER BY retained_size DESC`;
    return [
      el('h3', { text: item.label }),
      sql && el('p', { class: 'tools' }, copyButton('Copy as SQL', sql)),
      el('dl', {}, el('div', {}, el('dt', { text: 'Retained' }), el('dd', { text: `${this.format(item.size)} (${share(item.size, this.total)})` })),
        item.max ? el('div', {}, el('dt', { text: 'Largest' }), el('dd', { text: this.format(item.max) })) : null),
      item.members?.length ? el('ul', { class: 'way' }, item.members.slice(0, 20).map(node => el('li', {},
        el('button', { type: 'button', class: 'link', text: `${this.nodeLabel(node)} @${this.nodes.id[node]}`, onclick: () => show(node) }),
        ` ${this.format(this.nodes.retained[node])}`))) : el('p', { class: 'lead', text: item.kind === 'self' ? 'What the object takes itself.' : 'Objects that are too small for boxes of their own.' }),
    ];
  }

  // ---------------------------------------------------------------- the table of classes

  classRows() {
    const { classes } = this;
    return Array.from({ length: classes.listed }, (_, number) => ({
      name: this.className(number),
      count: classes.count[number],
      size: classes.size[number],
      retained: classes.retained[number],
      distance: classes.distance[number],
    }));
  }
}
