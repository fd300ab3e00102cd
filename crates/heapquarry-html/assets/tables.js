// Tables: those in the page can be sorted and filtered; large ones are made from data.

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** A heading that sorts. `sort` gets whether the largest come first. */
function sortable(heading, isNumber, sort) {
  const label = heading.textContent;
  const button = el('button', { type: 'button', class: 'sort', text: label });
  button.addEventListener('click', () => {
    const before = heading.getAttribute('aria-sort');
    const descending = before ? before !== 'descending' : isNumber;
    for (const other of heading.parentElement.children) other.removeAttribute('aria-sort');
    heading.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
    sort(descending);
  });
  replace(heading, button);
}

function filterInput(label, filter) {
  const input = el('input', { type: 'search', class: 'filter', placeholder: 'Filter', 'aria-label': label });
  input.addEventListener('input', debounced(() => filter(input.value.trim().toLowerCase())));
  return input;
}

function tools(section) {
  let found = section.querySelector(':scope > .tools');
  if (!found) {
    found = el('div', { class: 'tools' });
    const after = section.querySelector(':scope > .lead') || section.querySelector(':scope > h2');
    if (after) after.after(found);
    else section.prepend(found);
  }
  return found;
}

/** Makes a table of the page sortable, and filterable if it is long. */
function enhance(table, section) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    sortable(heading, heading.classList.contains('number'), descending => {
      const value = row => {
        const cell = row.cells[column];
        return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
      };
      const sorted = [...rows].sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        const order = typeof x === 'number' && typeof y === 'number' ? x - y : collator.compare(String(x), String(y));
        return descending ? -order : order;
      });
      body.append(...sorted);
    });
  });
  if (rows.length > 12 && section) {
    tools(section).append(filterInput(`Filter ${section.querySelector('h2')?.textContent || 'rows'}`, text => {
      for (const row of rows) row.hidden = text !== '' && !row.textContent.toLowerCase().includes(text);
    }));
  }
}

/** Enhances all sections of the page. */
function enhanceAll() {
  for (const section of document.querySelectorAll('main section')) {
    for (const table of section.querySelectorAll('table')) enhance(table, section);
    if (section.dataset.sql) tools(section).append(copyButton('Copy as SQL', section.dataset.sql));
  }
}

/**
 * A table of many rows, of which some are on the page. Columns: title, value(row), and how it is shown: text(row) or
 * cell(row); number for numbers. `rows` are any values; `text(row)` is what the filter searches.
 */
function dataTable({ columns, rows, text, label, page = 50 }) {
  const body = el('tbody');
  const more = el('button', { type: 'button', class: 'more' });
  const count = el('span', { class: 'count' });
  let [shown, sorted, limit] = [rows, rows, page];
  const draw = () => {
    replace(body, shown.slice(0, limit).map(row => el('tr', {}, columns.map(column => {
      const content = column.cell ? column.cell(row) : column.text ? column.text(row) : column.value(row);
      return el('td', { class: [column.number && 'number', column.class].filter(Boolean).join(' ') }, content);
    }))));
    more.hidden = shown.length <= limit;
    more.textContent = `Show ${formats.count(Math.min(4 * page, shown.length - limit))} more`;
    count.textContent = `${formats.count(shown.length)} rows`;
  };
  more.addEventListener('click', () => {
    limit += 4 * page;
    draw();
  });
  let wanted = '';
  const filter = () => {
    shown = wanted ? sorted.filter(row => text(row).toLowerCase().includes(wanted)) : sorted;
    draw();
  };
  const headings = columns.map(column => {
    const heading = el('th', { scope: 'col', class: column.number ? 'number' : '', text: column.title });
    sortable(heading, column.number, descending => {
      sorted = [...rows].sort((a, b) => {
        const [x, y] = [column.value(a), column.value(b)];
        const order = column.number ? x - y : collator.compare(x, y);
        return descending ? -order : order;
      });
      filter();
    });
    return heading;
  });
  const input = filterInput(`Filter ${label}`, value => {
    wanted = value;
    limit = page;
    filter();
  });
  draw();
  const table = el('table', {}, el('thead', {}, el('tr', {}, headings)), body);
  return { input, count, table: el('div', {}, el('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': label }, table), more) };
}
