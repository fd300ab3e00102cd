// Memory over time: lines, or parts of a whole one on the other.

const AXIS = 18;
const DOTS = 80;

/** Round values up to a limit, of which about so many fit. */
function rounds(most, count) {
  const least = most / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5].find(times => power * times >= least) || 10);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, at) => at * step);
}

/** Seconds between two marks of time: the next longer ones are days. */
const STEPS = [1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200];

/** Marks of time, at least so many nanoseconds apart. */
function ticks(span, least) {
  const day = 86400;
  const step = (STEPS.find(found => found * 1e9 >= least) || Math.ceil(least / 1e9 / day) * day) * 1e9;
  return Array.from({ length: Math.floor(span / step) + 1 }, (_, at) => at * step);
}

/** A time as `1 h 2 min 3 s`. */
function clock(nanos) {
  const all = Math.round(nanos / 1e9);
  const parts = [[Math.floor(all / 3600), 'h'], [Math.floor(all / 60) % 60, 'min'], [all % 60, 's']].filter(([number]) => number);
  return parts.map(([number, unit]) => `${number} ${unit}`).join(' ') || '0 s';
}

class Curves {
  constructor(model, label) {
    this.span = Math.max(1, model.span);
    this.warmUp = model.warm_up;
    this.isStacked = model.is_stacked;
    this.curves = model.curves.map((curve, at) => ({
      name: curve.name, at: decode(curve.at), value: decode(curve.value), color: at < PALETTE.length ? PALETTE[at] : mix(PALETTE[at % PALETTE.length], '#ffffff', 0.6), isShown: true,
    }));
    // The times of the curve with most points are those that can be pointed at.
    this.times = this.curves.reduce((most, curve) => (curve.at.length > most.length ? curve.at : most), []);
    this.cursor = -1;
    this.chart = new Chart(`${label}. Arrow keys tell the values, one time after the other.`);
    this.chart.element.classList.add('curves');
    this.chart.tooltip = at => this.told(at);
    this.chart.draw = () => this.draw();
    this.chart.canvas.addEventListener('keydown', event => this.move(event));
    this.legend = el('ul', { class: 'legend', 'aria-label': 'Curves' }, this.curves.map(curve => this.item(curve)));
    this.element = el('div', {}, this.chart.element, this.legend);
    dark.addEventListener('change', () => this.draw());
  }

  /** An entry of the legend, which hides and shows its curve. */
  item(curve) {
    const swatch = el('i');
    swatch.style.background = area(curve.color);
    const button = el('button', { type: 'button', 'aria-pressed': 'true', onclick: () => {
      curve.isShown = !curve.isShown;
      button.setAttribute('aria-pressed', String(curve.isShown));
      this.draw();
    } }, swatch, curve.name);
    return el('li', {}, button);
  }

  /** The last value of a curve up to a time; `null` before its first. */
  value(curve, time) {
    let [low, high] = [0, curve.at.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (curve.at[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return low ? curve.value[low - 1] : null;
  }

  /** What the curves are at a time, the largest part of a whole first. */
  told(at) {
    const time = this.times[at];
    const shown = this.curves.filter(curve => curve.isShown).map(curve => [curve.name, this.value(curve, time)]);
    const known = shown.filter(([, value]) => value !== null);
    if (this.isStacked) known.sort((a, b) => b[1] - a[1]).unshift(['together', known.reduce((sum, [, value]) => sum + value, 0)]);
    return [[clock(time), ''], ...known.map(([name, value]) => [name, formats.bytes(value)])];
  }

  move(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -this.times.length, End: this.times.length }[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.cursor = Math.min(this.times.length - 1, Math.max(0, this.cursor + by));
    announce(this.told(this.cursor).map(part => part.join(' ')).join(', '));
    this.draw();
  }

  draw() {
    const { chart, curves } = this;
    if (!chart.width || !this.times.length) return;
    const { context, width, height } = chart;
    const look = theme();
    const shown = curves.filter(curve => curve.isShown);
    const most = Math.max(1, this.isStacked
      ? this.times.reduce((top, _, at) => Math.max(top, shown.reduce((sum, curve) => sum + curve.value[at], 0)), 0)
      : shown.reduce((top, curve) => curve.value.reduce((a, b) => Math.max(a, b), top), 0));
    const x = time => (time / this.span) * (width - 2) + 1;
    const y = value => height - AXIS - (value / most) * (height - AXIS - 14);
    context.clearRect(0, 0, width, height);
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    if (this.isStacked) this.areas(context, shown, x, y);
    // What counts begins after the warm-up.
    context.fillStyle = look.soft;
    context.globalAlpha = 0.1;
    context.fillRect(0, 0, x(Math.min(this.warmUp, this.span)), height - AXIS);
    context.globalAlpha = 1;
    for (const value of rounds(most, (height - AXIS) / 48)) {
      context.fillStyle = look.line;
      context.fillRect(0, Math.round(y(value)), width, 0.5);
      context.fillStyle = look.soft;
      if (value) context.fillText(formats.bytes(value), 4, y(value) - 7);
    }
    for (const time of ticks(this.span, (this.span * 90) / width)) {
      const text = clock(time);
      const left = Math.min(x(time) + 4, width - context.measureText(text).width - 2);
      context.fillRect(x(time), height - AXIS, 1, 5);
      context.fillText(text, left, height - AXIS / 2);
    }
    if (!this.isStacked) this.lines(context, shown, look, x, y);
    if (this.cursor >= 0) {
      context.fillStyle = look.ink;
      context.fillRect(x(this.times[this.cursor]), 0, 1, height - AXIS);
    }
    // A box around each time, up to the middle between it and its neighbours.
    const middles = Array.from(this.times.slice(1), (time, at) => x((time + this.times[at]) / 2));
    chart.boxes = Array.from(this.times, (_, at) => {
      const left = at ? middles[at - 1] : 0;
      return { item: at, x: left, y: 0, w: (at < middles.length ? middles[at] : width) - left, h: height };
    });
  }

  lines(context, shown, look, x, y) {
    context.lineWidth = 2;
    for (const curve of shown) {
      const color = mix(area(curve.color), look.ink, dark.matches ? 0 : 0.2);
      [context.strokeStyle, context.fillStyle] = [color, color];
      context.beginPath();
      curve.at.forEach((time, at) => context.lineTo(x(time), y(curve.value[at])));
      context.stroke();
      if (curve.at.length > DOTS) continue;
      curve.at.forEach((time, at) => context.fillRect(x(time) - 2.5, y(curve.value[at]) - 2.5, 5, 5));
    }
  }

  areas(context, shown, x, y) {
    let below = new Float64Array(this.times.length);
    for (const curve of shown) {
      const above = below.map((sum, at) => sum + curve.value[at]);
      context.fillStyle = area(curve.color);
      context.beginPath();
      above.forEach((sum, at) => context.lineTo(x(this.times[at]), y(sum)));
      for (let at = below.length - 1; at >= 0; at--) context.lineTo(x(this.times[at]), y(below[at]));
      context.fill();
      below = above;
    }
  }
}
