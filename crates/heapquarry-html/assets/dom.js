// Elements. Text of an input is only ever put on the page as text.

/** An element with properties, listeners (`onclick`), attributes and children; strings become text. */
function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'text') element.textContent = value;
    else if (name === 'class') element.className = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

function replace(element, ...children) {
  element.replaceChildren(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
}

/** A bar as wide as a share. */
function bar(part, whole) {
  const namespace = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(namespace, 'svg');
  svg.setAttribute('class', 'bar');
  svg.setAttribute('aria-hidden', 'true');
  const rect = document.createElementNS(namespace, 'rect');
  const percent = whole > 0 ? Math.min(100, Math.max(0, (part / whole) * 100)) : 0;
  rect.setAttribute('width', `${percent.toFixed(2)}%`);
  rect.setAttribute('height', '100%');
  svg.append(rect);
  return svg;
}

const live = el('div', { class: 'hidden', 'aria-live': 'polite' });

/** Tells those who do not see the page. */
function announce(text) {
  live.textContent = text;
}

async function copy(text, button) {
  let done = false;
  try {
    await navigator.clipboard.writeText(text);
    done = true;
  } catch {
    // Pages from disk may not use the clipboard directly everywhere.
    const area = el('textarea', { class: 'hidden', 'aria-hidden': 'true' });
    area.value = text;
    document.body.append(area);
    area.select();
    try {
      done = document.execCommand('copy');
    } catch {
      done = false;
    }
    area.remove();
  }
  const label = button.textContent;
  button.textContent = done ? 'Copied' : 'Cannot copy';
  announce(button.textContent);
  setTimeout(() => { button.textContent = label; }, 1200);
}

function copyButton(label, text) {
  const button = el('button', { class: 'copy', type: 'button', text: label, title: text });
  button.addEventListener('click', event => {
    event.stopPropagation();
    copy(text, button);
  });
  return button;
}

/** Waits until nobody has typed for a moment. */
function debounced(work) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, 120);
  };
}
