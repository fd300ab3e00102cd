'use strict';
// An assertion for tests: an action that is repeated leaves nothing behind.
const { binary } = require('./binary.js');
const { HeapquarryError } = require('./run.js');
const { LeakError, examine, limits } = require('./leak/examine.js');
const { ofPage, isPage } = require('./leak/page.js');
const { ofProcess } = require('./leak/process.js');
const { ofModule, isModule } = require('./leak/module.js');
const { withRecording } = require('./leak/record.js');

/**
 * Fails with a `LeakError` if something grows with every round of an action.
 *
 * `expectNoLeak(page, action, options)` for a page of Puppeteer or Playwright, or a session of the DevTools protocol;
 * `expectNoLeak(action, options)` for this process; `expectNoLeak(module, options)` for a module in a process of its own.
 */
async function expectNoLeak(target, ...rest) {
  const action = typeof rest[0] === 'function' ? rest.shift() : undefined;
  const options = rest[0] ?? {};
  // What is wrong is said before the work.
  binary();
  known(options, isModule(target) ? [...OPTIONS, ...MODULE_OPTIONS] : OPTIONS);
  limits(options);
  const subject = await subjectOf(target, action, options);
  try {
    return await withRecording(subject, options, () => examine(options));
  } finally {
    await subject.close();
  }
}

/** Those of `LeakOptions`, and those that `ModuleOptions` has besides. */
const OPTIONS = ['warmup', 'rounds', 'snapshots', 'classes', 'growth', 'leaks', 'ignore', 'dir', 'keep', 'signal'];
const MODULE_OPTIONS = ['export', 'execArgv', 'env', 'cwd'];

/** An option that is misspelt would be a limit that nobody checks. */
function known(options, names) {
  const unknown = Object.keys(options).filter(name => !names.includes(name));
  if (unknown.length) throw new TypeError(`expectNoLeak has no option ${unknown.join(', ')}; it has ${names.join(', ')}`);
}

/** What is tested: `act(round)`, `snapshot(file)` and `close()`. */
function subjectOf(target, action, options) {
  if (isPage(target) && action) return ofPage(target, action);
  if (typeof target === 'function' && !action) return ofProcess(target);
  if (isModule(target) && !action) return ofModule(target, options);
  throw new TypeError(
    'expectNoLeak takes a page and a function, a function, or the URL or absolute path of a module that exports one',
  );
}

module.exports = { HeapquarryError, LeakError, expectNoLeak };
