// What changed between profiles.

import { el, formats, share, signed } from './shared.js';
import { ask } from './api.js';
import { filtered } from './listing.js';
import { shortened, table } from './parts.js';
import { amounts } from './profile.js';
import { address, go } from './route.js';

/** @typedef {import('./route.js').Route} Route */

const number = { number: true };

/**
 * A change of a share.
 * @param {number | null} points
 */
function pointsText(points) {
  if (points === null) return '';
  return signed(value => `${value.toFixed(Math.abs(value) < 1 ? 2 : 1)} pp`, points);
}

/**
 * @param {Route} route
 * @param {AbortSignal} signal
 */
export async function changes(route, signal) {
  // The unit is known with the first rows.
  const { unit, profiles } = await ask('changes', { top: 0 }, signal);
  const format = amounts(unit);
  const amount = (/** @type {number} */ value) => el('span', { title: `${formats.count(value)} ${unit}`, text: format(value) });
  const change = (/** @type {number} */ value) => el('span', { title: `${formats.count(value)} ${unit}`, text: signed(format, value) });
  const functionsOf = (/** @type {any} */ row) => address('functions', '', { filter: row.function_name });
  const view = await filtered(route, signal, 'Changes', () => ({
    label: 'functions', question: 'changes', member: 'functions', sort: 'own_delta', asked: {},
    open: row => go(functionsOf(row)),
    columns: [
      { title: 'Function', key: 'name', class: 'name', cell: row => el('a', { href: functionsOf(row), text: shortened(row.function_name) }) },
      { title: 'Where', class: 'name', cell: row => row.place ?? '' },
      { title: 'Before', key: 'before', ...number, cell: row => amount(row.base_self_value) },
      { title: 'Self', key: 'own', ...number, cell: row => amount(row.self_value) },
      { title: 'Change', key: 'own_delta', ...number, cell: row => change(row.self_value_delta) },
      { title: 'Of share', ...number, cell: row => pointsText(row.self_percent_delta) },
      { title: 'Total', key: 'total', ...number, cell: row => amount(row.total_value) },
      { title: 'Change', key: 'total_delta', ...number, cell: row => change(row.total_value_delta) },
    ],
  }));
  const busy = profiles.some((/** @type {any} */ row) => row.busy_value !== undefined);
  const totals = table('Profiles', [
    { title: 'Profile', class: 'name', cell: row => row.name },
    { title: 'All', ...number, cell: row => amount(row.value) },
    { title: 'Change', ...number, cell: row => change(row.value_delta) },
    ...(busy ? [{ title: 'Not idle', ...number, cell: (/** @type {any} */ row) => [amount(row.busy_value), ` ${share(row.busy_value, row.value)}`] },
      { title: 'Change', ...number, cell: (/** @type {any} */ row) => change(row.busy_value_delta) }] : []),
    { title: 'Samples', ...number, cell: row => formats.count(row.sample_count) },
    { title: 'Functions', ...number, cell: row => formats.count(row.function_count) },
  ], profiles);
  return { ...view, content: [el('section', { id: 'profiles' }, el('h2', { text: 'Profiles' }), totals.element), ...view.content] };
}
