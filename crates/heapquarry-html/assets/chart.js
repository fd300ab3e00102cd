// A canvas with boxes.

class Chart {
  constructor(label) {
    this.canvas = el('canvas', { class: 'chart', tabindex: 0, role: 'application', 'aria-label': label });
    this.tip = el('div', { class: 'tip', hidden: true, role: 'presentation' });
    this.element = el('div', { class: 'stage' }, this.canvas, this.tip);
    this.context = this.canvas.getContext('2d');
    this.boxes = [];
    this.draw = () => {};
    new ResizeObserver(() => this.resize()).observe(this.element);
    this.canvas.addEventListener('pointermove', event => this.hover(event));
    this.canvas.addEventListener('pointerleave', () => { this.tip.hidden = true; });
  }

  resize() {
    if (this.measure()) this.draw();
  }

  /** Takes the size of the page; whether there is any. */
  measure() {
    const [width, height, ratio] = [this.element.clientWidth, this.element.clientHeight, devicePixelRatio || 1];
    if (!width || !height) return false;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    [this.width, this.height] = [width, height];
    return true;
  }

  /** The innermost box at a point. */
  at(x, y) {
    for (let i = this.boxes.length - 1; i >= 0; i--) {
      const box = this.boxes[i];
      if (x >= box.x && x < box.x + box.w && y >= box.y && y < box.y + box.h) return box;
    }
    return null;
  }

  point(event) {
    const frame = this.canvas.getBoundingClientRect();
    return [event.clientX - frame.left, event.clientY - frame.top];
  }

  hover(event) {
    const [x, y] = this.point(event);
    const box = this.at(x, y);
    this.tip.hidden = !box;
    if (!box) return;
    if (this.hovered !== box.item || !this.tip.childElementCount) {
      this.hovered = box.item;
      replace(this.tip, this.tooltip(box.item).map(([title, text], at) =>
        at === 0 ? el('strong', { text: title }) : el('div', {}, el('span', { text: title }), ` ${text}`)));
    }
    const [wide, high] = [this.tip.offsetWidth, this.tip.offsetHeight];
    this.tip.style.left = `${Math.max(0, Math.min(this.width - wide, x + 14))}px`;
    this.tip.style.top = `${y + 18 + high > this.height ? Math.max(0, y - high - 10) : y + 18}px`;
  }

  /** Text that fits; the font is set. */
  fitted(text, room) {
    if (room < 14) return '';
    const one = 6.1;
    if (text.length * one < room * 0.9) return text;
    if (this.context.measureText(text).width <= room) return text;
    let end = Math.min(text.length, Math.floor(room / 4));
    while (end > 0 && this.context.measureText(`${text.slice(0, end)}…`).width > room) end -= Math.max(1, Math.floor(end / 8));
    return end > 1 ? `${text.slice(0, end)}…` : '';
  }

  paint(boxes, { color, isDimmed, selected }) {
    this.boxes = boxes;
    const { context } = this;
    const look = theme();
    context.clearRect(0, 0, this.width, this.height);
    context.font = '11.5px system-ui, sans-serif';
    context.textBaseline = 'middle';
    for (const box of boxes) {
      const base = area(color(box.item));
      let fill = box.header ? mix(base, look.paper, 0.62) : base;
      if (isDimmed(box.item)) fill = mix(fill, look.paper, 0.82);
      context.fillStyle = fill;
      context.fillRect(box.x, box.y, box.w, box.h);
      if (box.w < 34 || box.h < 12) continue;
      const y = box.y + (box.header ? HEADER / 2 : Math.min(box.h / 2, 11));
      const size = box.w > 130 ? this.format(box.item.size) : '';
      const text = this.fitted(box.item.label, box.w - 8 - (size ? 62 : 0));
      context.fillStyle = isDimmed(box.item) ? look.soft : box.header ? look.ink : '#16181c';
      context.fillText(text, box.x + 4, y);
      if (size) {
        context.textAlign = 'right';
        context.globalAlpha = 0.75;
        context.fillText(size, box.x + box.w - 4, y);
        context.globalAlpha = 1;
        context.textAlign = 'left';
      }
    }
    const chosen = boxes.find(box => box.item === selected);
    if (chosen) {
      context.lineWidth = 2.5;
      context.strokeStyle = look.ink;
      context.strokeRect(chosen.x + 1, chosen.y + 1, Math.max(1, chosen.w - 2), Math.max(1, chosen.h - 2));
    }
  }
}
