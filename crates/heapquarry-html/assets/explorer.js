// A tree of boxes with zoom, search, breadcrumbs and the page of what is chosen.
//
// A tree has: root, children(item), color(item), tooltip(item), details(item, show), search(text), matches(item, search),
// find(result), legend(), format, modes.

/** Most boxes of the way to the one that is zoomed into. */
const CRUMBS = 10;

/** A canvas cannot be of any height. */
const TALLEST = 6000;

class Explorer {
  constructor(tree, { views, label, grows = false }) {
    Object.assign(this, { tree, views, grows });
    [this.view] = views;
    this.zoomed = this.selected = tree.root;
    this.found = null;
    this.chart = new Chart(`${label}. Arrow keys choose a box, Enter zooms in, Escape zooms out.`);
    this.chart.format = tree.format;
    this.chart.tooltip = item => tree.tooltip(item);
    this.chart.draw = () => this.draw();
    const { canvas } = this.chart;
    canvas.addEventListener('click', event => this.click(event));
    canvas.addEventListener('keydown', event => this.key(event));
    this.crumbs = el('nav', { class: 'crumbs', 'aria-label': 'Zoomed into' });
    this.panel = el('aside', { class: 'panel', 'aria-label': 'What is chosen' });
    this.panel.addEventListener('scroll', () => { this.isScrolled = true; });
    this.legend = el('ul', { class: 'legend', 'aria-label': 'Colours' });
    this.results = el('div', { class: 'results', hidden: true });
    this.input = el('input', { type: 'search', class: 'filter', placeholder: 'Search', 'aria-label': `Search: ${label}` });
    this.input.addEventListener('input', debounced(() => this.search()));
    this.toggles = views.length > 1 ? el('div', { class: 'toggle', role: 'group', 'aria-label': 'View' }, views.map(view => el('button', {
      type: 'button', text: view.title, 'aria-pressed': String(view === this.view), onclick: () => this.switch(view),
    }))) : null;
    this.modes = tree.modes.length > 1 ? el('select', { 'aria-label': 'Colours', onchange: event => this.recolor(event.target.value) },
      tree.modes.map(mode => el('option', { value: mode, text: `Colours: ${mode}` }))) : null;
    this.element = el('div', { class: 'explorer' },
      el('div', { class: 'tools' }, this.toggles, this.modes, this.input,
        el('button', { type: 'button', text: 'Zoom out', onclick: () => this.out() })),
      this.results, this.crumbs, el('div', { class: 'split' }, el('div', {}, this.legend, grows ? el('div', { class: 'strip' }, this.chart.element) : this.chart.element), this.panel));
    dark.addEventListener('change', () => this.draw());
    this.update();
  }

  switch(view) {
    this.view = view;
    for (const button of this.toggles.children) button.setAttribute('aria-pressed', String(button.textContent === view.title));
    this.draw();
  }

  recolor(mode) {
    this.tree.mode = mode;
    this.update();
  }

  draw() {
    const { chart, tree } = this;
    if (!chart.width || !this.zoomed) return;
    const boxes = this.view.layout(tree, this.zoomed, chart.width, this.grows ? TALLEST : chart.height);
    const needed = Math.max(8 * ROW, ...boxes.map(box => box.y + ROW));
    if (this.grows && needed !== chart.height) {
      chart.element.style.height = `${needed}px`;
      chart.measure();
    }
    const isDimmed = this.found ? item => !tree.matches(item, this.found) : () => false;
    chart.paint(boxes, { color: item => tree.color(item), isDimmed, selected: this.selected });
  }

  /** Everything that depends on the zoom and the choice. */
  update() {
    const way = [];
    for (let item = this.zoomed; item; item = item.parent) way.push(item);
    way.reverse();
    const crumb = item => el('li', {}, item === this.zoomed
      ? el('span', { text: item.label, 'aria-current': 'true' })
      : el('button', { type: 'button', class: 'link', text: item.label, onclick: () => this.zoom(item) }));
    // A long way has its ends. The panel lists more of it.
    const hidden = way.length > CRUMBS ? way.splice(1, way.length - CRUMBS).length : 0;
    const gap = hidden ? el('li', { text: `… ${formats.count(hidden)} more …` }) : null;
    const [first, ...others] = way.map(crumb);
    replace(this.crumbs, el('ol', {}, first, gap, others));
    replace(this.legend, this.tree.legend().map(([name, color]) => {
      const box = el('i', { 'aria-hidden': 'true' });
      box.style.background = area(color);
      return el('li', {}, box, el('span', { text: name }));
    }));
    if (this.selected) replace(this.panel, this.tree.details(this.selected, node => this.show(node)));
    // To ask where it is costs a layout of the page.
    if (this.isScrolled) this.panel.scrollTop = 0;
    this.isScrolled = false;
    this.draw();
  }

  /** Zooms into a box, or to its parent if nothing is in it. */
  zoom(item, keepsHistory = true) {
    if (keepsHistory && item !== this.zoomed) this.remember();
    this.zoomed = item;
    this.selected = item;
    this.chart.tip.hidden = true;
    this.update();
    announce(`${item.label}, ${this.tree.format(item.size)}, ${this.tree.children(item).length} boxes`);
  }

  /** The browser's back button undoes a zoom. */
  remember() {
    Explorer.visits.push([this, this.zoomed]);
    history.pushState({ visits: Explorer.visits.length }, '');
  }

  out() {
    if (this.zoomed.parent) this.zoom(this.zoomed.parent);
  }

  choose(item) {
    this.selected = item;
    this.update();
    announce(this.tree.tooltip(item).flat().join(' '));
  }

  /** Shows an object, wherever it is. */
  show(result) {
    const item = this.tree.find(result);
    if (item.chain) item.chosen = result;
    const target = this.tree.children(item).length || !item.parent ? item : item.parent;
    if (target !== this.zoomed) this.remember();
    this.zoomed = target;
    this.selected = item;
    this.update();
    if (this.element.getBoundingClientRect().top < 0 || this.element.getBoundingClientRect().top > innerHeight / 2) this.element.parentElement.scrollIntoView();
  }

  click(event) {
    const box = this.chart.at(...this.chart.point(event));
    if (!box) return;
    if (box.item.chain) delete box.item.chosen;
    if (this.tree.children(box.item).length && box.item !== this.zoomed) this.zoom(box.item);
    else this.choose(box.item);
  }

  key(event) {
    const at = this.chart.boxes.findIndex(box => box.item === this.selected);
    const go = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
    if (go) {
      event.preventDefault();
      const next = at < 0 ? this.chart.boxes[0] : this.neighbour(this.chart.boxes[at], go);
      if (next) this.choose(next.item);
    } else if (event.key === 'Enter' || event.key === '+') {
      if (this.selected && this.tree.children(this.selected).length) this.zoom(this.selected);
    } else if (event.key === 'Escape' || event.key === 'Backspace' || event.key === '-') {
      event.preventDefault();
      this.out();
    }
  }

  /** The box of the same depth that is next in a direction. */
  neighbour(box, [dx, dy]) {
    let [best, least] = [null, Infinity];
    const middle = one => [one.x + one.w / 2, one.y + one.h / 2];
    const [x, y] = middle(box);
    const isIcicle = this.view.layout === icicle;
    for (const other of this.chart.boxes) {
      if (other === box || (other.depth !== box.depth && !(isIcicle && dy))) continue;
      if (isIcicle && dy && other.depth !== box.depth + dy) continue;
      const [ox, oy] = middle(other);
      const along = (ox - x) * dx + (oy - y) * dy;
      const across = Math.abs((ox - x) * dy) + Math.abs((oy - y) * dx);
      if (along > 0 && along + 3 * across < least) [best, least] = [other, along + 3 * across];
    }
    return best;
  }

  search() {
    const text = this.input.value.trim();
    this.found = text ? this.tree.search(text) : null;
    this.results.hidden = !this.found;
    if (this.found) {
      const { count, results, note, found = formats.count(count) } = this.found;
      const more = count > results.length ? `, the first ${results.length}:` : count ? ':' : '';
      // What is not drawn cannot be shown.
      const label = result => (result.node === undefined ? result.label
        : el('button', { type: 'button', class: 'link', text: result.label, onclick: () => this.show(result.node) }));
      replace(this.results, el('p', { text: `${found} found${note ? `, ${note}` : ''}${more}` }),
        el('ul', {}, results.map(result => el('li', {}, label(result), ` ${this.tree.format(result.size)}`))));
      announce(`${found} found`);
    }
    this.draw();
  }
}

Explorer.visits = [];
history.replaceState({ visits: 0 }, '');
addEventListener('popstate', event => {
  // A link within the page made a new entry: it undoes nothing.
  if (!event.state) return history.replaceState({ visits: Explorer.visits.length }, '');
  const wanted = event.state.visits;
  while (Explorer.visits.length > wanted) {
    const [explorer, item] = Explorer.visits.pop();
    explorer.zoom(item, false);
  }
});
