'use strict';
// Asks the command what leaks in some snapshots, and makes an error of the answer.
const { PassThrough } = require('node:stream');
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
 * Starts the command, which reads each snapshot as soon as it is added: while the next one is taken.
 * @param {{ classes?: Record<string, number | string>, growth?: number | string, leaks?: number | string,
 *   ignore?: string[], keep?: boolean, signal?: AbortSignal }} options
 */
function examine(options) {
  const { ignore, keep, signal } = options;
  const args = ['leaks', ...flags({ failOn: limits(options), ignore, strict: true, quiet: true })];
  const files = [];
  const names = new PassThrough();
  const answer = json([...args, '--json', '--files-from=-'], { signal, input: names });
  // It is waited for at the end.
  answer.catch(() => {});
  // An empty line says nothing; but what Node makes for its first one is then there before the first snapshot.
  names.write('\n');
  return {
    add(file) {
      files.push(file);
      names.write(`${file}\n`);
    },
    /** The report; a `LeakError` if a limit is exceeded. */
    async finish() {
      names.end();
      const report = await answer;
      if (report.passed) return report;
      const table = await text([...args, '--', ...files], { signal });
      const where = keep === false ? '' : `\nThe snapshots are kept: ${files.join(' ')}`;
      throw new LeakError(`something leaks\n\n${table.trimEnd()}\n${where}`, report, keep === false ? [] : files);
    },
    /** Ends the command without an answer. */
    async cancel() {
      names.end();
      await answer.catch(() => {});
    },
  };
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
