'use strict';
// Asks the command what leaks in some snapshots, and makes an error of the answer.
const { flags, json, text } = require('../run.js');

/** Something leaks, or a limit is exceeded. The message is the table of leaks. */
class LeakError extends Error {
  constructor(message, report, snapshots) {
    super(message);
    this.name = 'LeakError';
    this.findings = report.findings;
    this.checks = report.checks.filter(check => check.outcome === 'exceeded');
    this.snapshots = snapshots;
  }
}

/**
 * @param {string[]} files snapshots, in order of time
 * @param {{ classes?: Record<string, number | string>, growth?: number | string, leaks?: number | string,
 *   ignore?: string[], keep?: boolean, signal?: AbortSignal }} options
 */
async function examine(files, options) {
  const { ignore, keep, signal } = options;
  const args = ['leaks', ...flags({ failOn: limits(options), ignore, strict: true, quiet: true })];
  const report = await json([...args, '--json', '--', ...files], { signal });
  if (report.passed) return report;
  const table = await text([...args, '--', ...files], { signal });
  const where = keep === false ? '' : `\nThe snapshots are kept: ${files.join(' ')}`;
  throw new LeakError(`something leaks\n\n${table.trimEnd()}\n${where}`, report, keep === false ? [] : files);
}

/** The options as expressions of `--fail-on`. */
function limits({ classes = {}, growth, leaks = 'any' }) {
  const all = [];
  if (leaks !== false) all.push(String(leaks));
  if (growth !== undefined) all.push(`total.size > ${growthOf(growth)}`);
  for (const [name, limit] of Object.entries(classes)) {
    all.push(`class["${name.replaceAll('"', '""')}"].count > ${growthOf(limit)}`);
  }
  if (!all.length) throw new TypeError('there is nothing to expect: give `classes` or `growth`, or omit `leaks: false`');
  return all;
}

/** Limits are about growth from the first snapshot to the last. */
const growthOf = limit => (String(limit).startsWith('+') ? limit : `+${limit}`);

module.exports = { LeakError, examine, limits };
