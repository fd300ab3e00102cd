// What the memory of a process did while it was watched.

import { Curves, el, formats, signed } from './shared.js';
import { ask } from './api.js';
import { bytes, fact, table } from './parts.js';

const number = { number: true };

/** @param {number | null} value */
const perHour = value => (value === null ? '' : `${signed(formats.bytes, value)}/h`);

/** @param {AbortSignal} signal */
export async function watch(signal) {
  const [answer, { charts }] = await Promise.all([ask('overview', {}, signal), ask('curves', {}, signal)]);
  const { verdict, event_loop: loop } = answer;
  const section = (/** @type {string} */ id, /** @type {string} */ title, /** @type {any[]} */ ...content) =>
    el('section', { id }, el('h2', { text: title }), content);
  const parts = [
    section('verdict', 'Verdict',
      el('p', { 'data-fact': 'verdict', 'data-v': verdict.cause, text: `${verdict.text}.` }),
      el('dl', {}, fact('certainty', 'Certainty', verdict.certainty),
        verdict.slope === null ? null : fact('slope', 'Slope', perHour(verdict.slope)),
        verdict.slope === null ? null : fact('slope_range', 'With 95 %', `${perHour(verdict.slope_low)} to ${perHour(verdict.slope_high)}`),
        verdict.spread === null ? null : fact('spread', 'Spread of the figures', verdict.spread, formats.bytes),
        verdict.chance === null ? null : fact('chance', 'Level memory rises so by chance', verdict.chance < 0.0001 ? 'less than 0.01 %' : `${(verdict.chance * 100).toFixed(2)} %`),
        verdict.also_growing.length ? fact('also_growing', 'Also grows', verdict.also_growing.join(', ')) : null),
      answer.advice.length ? [el('h3', { text: 'What to do next' }), el('ul', {}, answer.advice.map((/** @type {any} */ advice) =>
        el('li', {}, advice.text, advice.command ? [': ', el('code', { text: advice.command })] : null)))] : null),
    ...charts.map((/** @type {any} */ chart) => section(chart.key, chart.title, el('p', { class: 'lead', text: chart.note }), new Curves(chart, chart.title).element)),
    section('growth', 'Growth after the warm-up', table('Growth', [
      { title: 'Part', class: 'name', cell: row => row.meaning },
      { title: 'Points', ...number, cell: row => formats.count(row.point_count) },
      { title: 'First', ...number, cell: row => bytes(row.first) },
      { title: 'Last', ...number, cell: row => bytes(row.last) },
      { title: 'Slope', ...number, cell: row => perHour(row.slope) },
      { title: 'From', ...number, cell: row => perHour(row.slope_low) },
      { title: 'To', ...number, cell: row => perHour(row.slope_high) },
      { title: 'Spread', ...number, cell: row => bytes(row.spread) },
    ], answer.growth).element),
    section('memory', 'Resident memory at the end', table('Resident memory', [
      { title: 'Kind', class: 'name', cell: row => row.kind },
      { title: 'Use', class: 'name', cell: row => row.meaning },
      { title: 'Maps', ...number, cell: row => formats.count(row.map_count) },
      { title: 'RSS', ...number, cell: row => bytes(row.rss) },
      { title: 'PSS', ...number, cell: row => bytes(row.pss) },
    ], answer.memory).element),
    section('watch', 'Watch', el('dl', {},
      fact('duration', 'Time', answer.duration, formats.nanos), fact('sample_count', 'Samples', answer.sample_count, formats.count),
      fact('live_count', 'After collections', answer.live_count, formats.count),
      fact('longest_answer', 'Longest answer', answer.longest_answer, formats.nanos),
      loop ? fact('longest_delay', 'Longest delay of the event loop', loop.longest_delay, formats.nanos) : null)),
  ];
  return { answer, title: 'Overview', content: parts };
}
