// The part of the time that a canvas shows. It moves and zooms at once; what was loaded stays until newer comes.

import { announce, el } from './shared.js';

/** How long nothing moves before more is asked for, in milliseconds. */
const PAUSE = 40;
/** Height of the line with the times. */
export const AXIS = 20;
/** The least that can be seen. */
const LEAST = 4;

export class Span {
  /**
   * @param {any} chart
   * @param {number} whole
   * @param {(from: number, to: number) => Promise<void>} load what is in a range: more than is seen, on both sides
   * @param {{ format: (value: number) => string, second: number }} unit how times are written, and how long a second is
   * @param {AbortSignal} signal
   */
  constructor(chart, whole, load, unit, signal) {
    this.chart = chart;
    this.whole = Math.max(1, whole);
    this.load = load;
    this.signal = signal;
    this.format = unit.format;
    this.second = unit.second;
    this.from = 0;
    this.to = this.whole;
    /** What is there: all of it, so wide. */
    this.loaded = [0, this.whole, this.whole];
    this.isLoading = false;
    this.label = el('span', { class: 'count', 'data-range': true });
    const button = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => void} */ onclick) => el('button', { type: 'button', text, 'aria-label': label, onclick });
    this.buttons = [button('+', 'Zoom in', () => this.zoom(0.5)), button('−', 'Zoom out', () => this.zoom(2)), button('All', 'Show all', () => this.view(0, this.whole))];
    /** @type {(event: MouseEvent) => void} */
    this.onclick = () => {};
    this.listen();
    this.said();
  }

  listen() {
    const { canvas } = this.chart;
    /** @type {{ x: number, from: number, moved: boolean } | null} */
    let drag = null;
    canvas.addEventListener('pointerdown', (/** @type {PointerEvent} */ event) => {
      drag = { x: event.clientX, from: this.from, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (/** @type {PointerEvent} */ event) => {
      if (!drag) return;
      const by = event.clientX - drag.x;
      if (Math.abs(by) < 4 && !drag.moved) return;
      drag.moved = true;
      const wide = this.to - this.from;
      const from = drag.from - (by / this.chart.width) * wide;
      this.view(from, from + wide);
    });
    canvas.addEventListener('pointerup', (/** @type {PointerEvent} */ event) => {
      const isClick = drag && !drag.moved;
      drag = null;
      if (isClick) this.onclick(event);
    });
    canvas.addEventListener('wheel', (/** @type {WheelEvent} */ event) => {
      if (event.shiftKey) this.move(Math.sign(event.deltaY || event.deltaX) * 0.1);
      else if (event.ctrlKey || event.metaKey) this.zoom(event.deltaY > 0 ? 1.3 : 1 / 1.3, this.chart.point(event)[0] / this.chart.width);
      else return;
      event.preventDefault();
    }, { passive: false });
    canvas.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      // Other layouts have other letters there.
      const work = /** @type {Record<string, () => void>} */ ({ KeyW: () => this.zoom(0.5), KeyS: () => this.zoom(2), KeyA: () => this.move(-0.2), KeyD: () => this.move(0.2) })[event.code]
        ?? /** @type {Record<string, () => void>} */ ({ '+': () => this.zoom(0.5), '=': () => this.zoom(0.5), '-': () => this.zoom(2), Escape: () => this.view(0, this.whole), 0: () => this.view(0, this.whole) })[event.key];
      if (!work) return;
      event.preventDefault();
      event.stopPropagation();
      work();
      announce(this.label.textContent ?? '');
    });
  }

  /** Left and width of what is then, in pixels. @param {number} start @param {number} length @returns {[number, number]} */
  box(start, length) {
    const scale = this.chart.width / (this.to - this.from);
    return [(start - this.from) * scale, length * scale];
  }

  /** @returns {[number, number]} */
  rounded() {
    return [Math.floor(this.from), Math.ceil(this.to)];
  }

  /** @param {number} from @param {number} to */
  view(from, to) {
    const wide = Math.min(this.whole, Math.max(LEAST, to - from));
    this.from = Math.min(Math.max(0, from), this.whole - wide);
    this.to = this.from + wide;
    this.said();
    this.frame();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.fill(), PAUSE);
  }

  said() {
    const exact = (this.to - this.from) / 100;
    this.label.textContent = this.from <= 0 && this.to >= this.whole ? `all ${this.format(this.whole)}` : `${this.stamp(this.from, exact)} to ${this.stamp(this.to, exact)}`;
  }

  frame() {
    if (this.isDrawn) return;
    this.isDrawn = true;
    requestAnimationFrame(() => {
      this.isDrawn = false;
      this.chart.draw();
    });
  }

  /** Loads what is not there, or not in this detail. Of several questions the newest is asked. */
  async fill() {
    const before = this.loaded;
    const [from, to, wide] = before;
    const seen = this.to - this.from;
    if (this.isLoading || this.signal.aborted) return;
    if (from <= this.from && to >= this.to && wide <= seen * 1.01) return;
    this.isLoading = true;
    const next = [Math.max(0, Math.floor(this.from - seen)), Math.min(this.whole, Math.ceil(this.to + seen)), seen];
    try {
      await this.load(next[0], next[1]);
      // What is asked for again meanwhile is not there yet.
      if (this.loaded === before) this.loaded = next;
    } catch (error) {
      if (!this.signal.aborted) this.label.textContent = String(error);
      this.isLoading = false;
      return;
    }
    this.isLoading = false;
    if (this.signal.aborted) return;
    this.chart.draw();
    this.fill();
  }

  /** Loads what is shown again: something else is asked for. */
  again() {
    this.loaded = [0, 0, 0];
    this.fill();
  }

  /** @param {number} by @param {number} [at] */
  zoom(by, at = 0.5) {
    const wide = this.to - this.from;
    const middle = this.from + wide * at;
    this.view(middle - wide * by * at, middle + wide * by * (1 - at));
  }

  /** @param {number} by */
  move(by) {
    const wide = this.to - this.from;
    this.view(this.from + wide * by, this.to + wide * by);
  }

  /** Makes something visible, in at least two hundredths of the view. @param {number} start @param {number} length */
  show(start, length) {
    const wide = this.to - this.from;
    const long = Math.max(1, length);
    if (long < wide / 50 || long > wide) this.view(start - long * 2, start + long * 3);
    else if (start < this.from || start + long > this.to) this.view(start + long / 2 - wide / 2, start + long / 2 + wide / 2);
  }

  /**
   * A time as exact as what is seen needs, so that neighbours differ.
   * @param {number} at
   * @param {number} every
   */
  stamp(at, every) {
    const [size, word] = /** @type {[number, string]} */ ([[1, 's'], [1e-3, 'ms'], [1e-6, 'us'], [1e-9, 'ns']].find(([size]) => this.to >= /** @type {number} */ (size) * this.second) ?? [1 / this.second, '']);
    const unit = size * this.second;
    return `${(at / unit).toFixed(Math.max(0, Math.ceil(Math.log10(unit / every) - 1e-9)))} ${word}`;
  }

  /** A line with the times, at the upper edge. */
  axis() {
    const { chart } = this;
    const { context, width } = chart;
    if (!width) return;
    const style = getComputedStyle(document.documentElement);
    const color = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    const wide = this.to - this.from;
    const least = (wide * 110) / width;
    const power = 10 ** Math.floor(Math.log10(least));
    const every = power * (/** @type {number} */ ([1, 2, 5, 10].find(times => power * times >= least)));
    context.fillStyle = color('--paper');
    context.fillRect(0, 0, width, AXIS - 1);
    context.fillStyle = color('--soft');
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    for (let at = Math.ceil(this.from / every) * every; at <= this.to; at += every) {
      const [x] = this.box(at, 0);
      context.fillRect(x, 0, 1, 6);
      context.fillText(this.stamp(at, every), x + 4, AXIS / 2);
    }
  }
}
