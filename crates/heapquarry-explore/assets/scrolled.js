// A canvas that shows a part of something taller than a canvas can be.

import { Chart, el } from './shared.js';

export class Scrolled {
  /** @param {string} label */
  constructor(label) {
    this.chart = new Chart(label);
    this.chart.element.classList.add('lanes');
    this.rest = el('div');
    /** Height of the part that is shown, also before the canvas is on the page. */
    this.seen = 0;
    this.element = el('div', { class: 'strip scrolled' }, this.chart.element, this.rest);
    this.element.addEventListener('scroll', () => this.chart.draw());
  }

  /** What is above the part that is shown. */
  get offset() {
    return this.element.scrollTop;
  }

  /** @param {number} height */
  tall(height) {
    this.seen = Math.max(160, Math.min(height, innerHeight - 320));
    this.chart.element.style.height = `${this.seen}px`;
    this.rest.style.height = `${Math.max(0, height - this.seen)}px`;
  }

  /**
   * Scrolls so that a row is seen.
   * @param {number} top
   * @param {number} height
   */
  show(top, height) {
    const { scrollTop, clientHeight } = this.element;
    if (top < scrollTop || top + height > scrollTop + clientHeight) this.element.scrollTop = Math.max(0, top - clientHeight / 3);
  }
}
