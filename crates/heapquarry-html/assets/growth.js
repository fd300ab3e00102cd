// Classes in several snapshots.

/** Numbers as bars side by side. */
function bars(values) {
  const namespace = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(namespace, 'svg');
  const most = Math.max(1, ...values);
  svg.setAttribute('class', 'bars');
  svg.setAttribute('viewBox', `0 0 ${values.length * 10} 24`);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('aria-hidden', 'true');
  values.forEach((value, at) => {
    const rect = document.createElementNS(namespace, 'rect');
    const high = (value / most) * 24;
    for (const [name, number] of Object.entries({ x: at * 10 + 1, y: 24 - high, width: 8, height: high })) rect.setAttribute(name, number.toFixed(2));
    svg.append(rect);
  });
  return svg;
}

/** A small chart in each finding: by how much it has grown since the first snapshot. */
function drawFindings(part, model) {
  const { snapshots, findings } = decoded(model);
  const many = snapshots.length;
  part.querySelectorAll('[id|="findings"] > article').forEach((article, at) => {
    const grown = [...findings.slice(at * many, (at + 1) * many)];
    if (!grown.length) return;
    const told = grown.map(size => signed(formats.bytes, size));
    article.prepend(el('figure', { title: told.join(' → ') }, bars(grown.map(size => Math.max(0, size))),
      el('figcaption', { text: 'Growth since the first snapshot' })));
  });
}

function drawGrowth(section, model) {
  const { snapshots, sizes, names, counts, retained } = decoded(model);
  const many = snapshots.length;
  const of = (numbers, at) => [...numbers.slice(at * many, (at + 1) * many)];
  const rows = [...names].map((name, at) => ({ name: model.texts[name], counts: of(counts, at), retained: of(retained, at) }));
  const all = { name: 'All memory', counts: [], retained: [...sizes] };
  const grown = row => row.retained[many - 1] - row.retained[0];
  const made = dataTable({
    label: 'growth',
    rows: [all, ...rows],
    text: row => row.name,
    page: 25,
    columns: [
      { title: 'Class', value: row => row.name, class: 'name' },
      { title: 'Retained', value: grown, cell: row => bars(row.retained) },
      { title: 'First', number: true, value: row => row.retained[0], text: row => formats.bytes(row.retained[0]) },
      { title: 'Last', number: true, value: row => row.retained[many - 1], text: row => formats.bytes(row.retained[many - 1]) },
      { title: 'Growth', number: true, value: grown, text: row => signed(formats.bytes, grown(row)) },
      { title: 'Counts', value: row => row.counts[many - 1] - row.counts[0], cell: row => row.counts.map(formats.count).join(' → ') },
    ],
  });
  section.append(el('div', { class: 'tools' }, made.input, made.count), made.table,
    el('p', { class: 'more', text: `Snapshots: ${[...snapshots].map(name => model.texts[name]).join(', ')}` }));
}
