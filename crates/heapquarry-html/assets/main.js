// Draws what the page has.

function drawClasses(section, tree) {
  const rows = tree.classRows();
  const { total } = tree;
  const made = dataTable({
    label: 'classes',
    rows,
    text: row => row.name,
    columns: [
      { title: 'Class', value: row => row.name, class: 'name' },
      { title: 'Count', number: true, value: row => row.count, text: row => formats.count(row.count) },
      { title: 'Distance', number: true, value: row => row.distance, text: row => distanceText(row.distance) },
      { title: 'Shallow', number: true, value: row => row.size, text: row => formats.bytes(row.size) },
      { title: 'Retained', number: true, value: row => row.retained, text: row => formats.bytes(row.retained) },
      { title: 'Share', number: true, value: row => row.retained, class: 'share', cell: row => [bar(row.retained, total), share(row.retained, total)] },
    ],
  });
  const sql = 'SELECT class_name, count, shallow_size, retained_size FROM js_heap_class ORDER BY retained_size DESC';
  section.append(el('div', { class: 'tools' }, made.input, copyButton('Copy as SQL', sql), made.count), made.table);
  const { omitted } = tree.classes;
  if (omitted) section.append(el('p', { class: 'more', text: `… and ${formats.count(omitted)} classes that retain less` }));
}

/** Ids in the tables and texts of a part lead to its map, if the map has them. */
function linkIds(part, heap, explorer) {
  const nodes = new Map();
  heap.nodes.id.forEach((id, node) => nodes.set(String(id), node));
  const link = (text, node) => (node === undefined ? text
    : el('button', { type: 'button', class: 'link', text, title: 'Show in the memory map', onclick: () => explorer.show(node) }));
  for (const cell of part.querySelectorAll('section td.id')) replace(cell, link(cell.textContent, nodes.get(cell.dataset.v)));
  // What leaks, and what to look at first, are told in words.
  for (const told of part.querySelectorAll('article dd, [id^="suspects"] > .lead')) {
    replace(told, told.textContent.split(/(@\d+)/).map(word => link(word, word.startsWith('@') ? nodes.get(word.slice(1)) : undefined)));
  }
}

/** Draws what a part of the page has: the whole page, or one of several documents. */
function drawPart(part, drawings) {
  let heap = null;
  for (const section of part.querySelectorAll('[data-drawing]')) {
    const drawing = drawings[section.dataset.drawing];
    if (drawing.kind === 'heap') {
      heap = new HeapTree(drawing);
      if (!heap.root) continue;
      const views = [{ title: 'Treemap', layout: treemap }, { title: 'Icicle', layout: icicle }];
      const explorer = new Explorer(heap, { views, label: 'Memory map' });
      section.append(explorer.element);
      linkIds(part, heap, explorer);
    } else if (drawing.kind === 'growth') {
      drawGrowth(section, drawing);
      drawFindings(part, drawing);
    } else if (drawing.kind === 'curves') {
      section.append(new Curves(drawing, section.querySelector('h2').textContent).element);
    } else if (drawing.kind === 'trace') {
      section.append(new Strip(drawing).element);
    } else if (drawing.kind === 'flame') {
      const views = [{ title: 'Flame graph', layout: icicle }];
      section.append(new Explorer(new FlameTree(drawing), { views, label: 'Flame graph', grows: true }).element);
    } else if (drawing.kind === 'classes' && heap) {
      drawClasses(section, heap);
    }
  }
}

/** Of several parts one is shown: that of the address. Each is drawn when it is first shown, so a page opens at once. */
function showParts(parts, drawings) {
  const drawn = new Set();
  let shown = parts[0];
  const show = () => {
    const target = document.getElementById(location.hash.slice(1));
    shown = target?.closest('.part') || shown;
    for (const part of parts) part.hidden = part !== shown;
    for (const link of document.querySelectorAll('body > nav a')) {
      if (link.hash === `#${shown.id}`) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
    if (!drawn.has(shown)) drawPart(shown, drawings);
    drawn.add(shown);
    // It may not have been there when the browser looked for it.
    target?.scrollIntoView();
  };
  addEventListener('hashchange', show);
  show();
}

function start() {
  const drawings = JSON.parse(document.getElementById('data').textContent);
  document.body.append(live);
  document.documentElement.classList.add('scripted');
  enhanceAll();
  const parts = [...document.querySelectorAll('.part')];
  if (parts.length) showParts(parts, drawings);
  else drawPart(document, drawings);
}

start();
