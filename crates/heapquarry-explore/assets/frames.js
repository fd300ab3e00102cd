// Frames and GPUs of a trace: what was late, and where nothing ran.

import { el, formats } from './shared.js';
import { ask } from './api.js';
import { growing, shortened, table } from './parts.js';
import { address } from './route.js';
import { sliceLink } from './trace.js';

const ROWS = 50;
const number = { number: true };
const time = (/** @type {string} */ name) => (/** @type {any} */ row) => (row[name] === null ? '' : formats.nanos(row[name]));
const count = (/** @type {string} */ name) => (/** @type {any} */ row) => formats.count(row[name]);

/** @param {AbortSignal} signal */
export async function frames(signal) {
  const answer = await ask('frames', { top: ROWS }, signal);
  const { frames: sums, late, gpus } = answer;
  // A frame is marked when it is drawn: what kept it from that is before the mark.
  const before = (/** @type {any} */ row) => el('a', {
    href: address('timeline', '', { from: Math.max(0, row.start_ns - (row.time_ns ?? 5e7)), to: row.start_ns + 1e6, slice: String(row.slice) }), text: 'What ran before',
  });
  return {
    answer, title: 'Frames',
    content: [
      el('section', { id: 'frames' }, el('h2', { text: 'Frames' }), sums.length ? table('Frames', [
        { title: 'Process', class: 'name', cell: row => row.process_name }, { title: 'Frame', class: 'name', cell: row => row.name },
        { title: 'Drawn', ...number, cell: count('count') }, { title: 'Dropped', ...number, cell: count('dropped_count') },
        { title: 'Late', ...number, cell: count('janky_count') }, { title: 'Median', ...number, cell: time('p50_ns') },
        { title: '95 %', ...number, cell: time('p95_ns') }, { title: 'Longest', ...number, cell: time('longest_ns') },
      ], sums).element : el('p', { class: 'none', text: 'The trace marks no frames. Chrome does with the category disabled-by-default-devtools.timeline.frame, Android with view.' })),
      late.total ? el('section', { id: 'late' }, growing('Dropped and late frames', [
        { title: 'Frame', class: 'name', cell: (/** @type {any} */ row) => sliceLink(row) }, { title: 'Process', class: 'name', cell: (/** @type {any} */ row) => shortened(row.process) },
        { title: 'Start', ...number, cell: time('start_ns') }, { title: 'Took', ...number, cell: (/** @type {any} */ row) => (row.time_ns === null ? 'dropped' : formats.nanos(row.time_ns)) },
        { title: '', cell: before },
      ], late, async offset => (await ask('frames', { offset, top: ROWS }, signal)).late)) : null,
      el('section', { id: 'gpus' }, el('h2', { text: 'GPU' }), gpus ? table('GPU', [
        { title: 'Device', class: 'name', cell: row => row.process_name }, { title: 'Stream', class: 'name', cell: row => row.thread_name },
        { title: 'Slices', ...number, cell: count('count') }, { title: 'Busy', ...number, cell: time('busy_ns') }, { title: 'Idle', ...number, cell: time('idle_ns') },
        { title: 'Gaps', ...number, cell: count('gap_count') }, { title: '95 % of gaps', ...number, cell: time('gap_p95_ns') }, { title: 'Longest gap', ...number, cell: time('longest_gap_ns') },
      ], gpus.rows).element : el('p', { class: 'none', text: 'No slice ran on a GPU.' })),
    ],
  };
}
