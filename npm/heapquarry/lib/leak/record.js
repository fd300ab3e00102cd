'use strict';
// Runs the rounds and takes the snapshots.
const fs = require('node:fs/promises');
const os = require('node:os');
const path = require('node:path');

/** Times that the action runs before the first snapshot: what is made once is there then. */
const WARMUP = 2;
/** Times that the action runs between two snapshots. */
const ROUNDS = 5;
/** Three snapshots tell a cache that fills once from a leak. */
const SNAPSHOTS = 3;

/**
 * Records a subject and has the files examined. They are removed if that succeeds, and kept if something leaks, or always
 * with `keep: true`; never with `keep: false`.
 * @param {() => { add(file: string): void, finish(): Promise<any>, cancel(): Promise<void> }} examine
 */
async function withRecording(subject, options, examine) {
  const { warmup = WARMUP, rounds = ROUNDS, snapshots = SNAPSHOTS, keep, signal } = options;
  atLeast('warmup', warmup, 0);
  atLeast('rounds', rounds, 1);
  atLeast('snapshots', snapshots, 2);
  const parent = options.dir ?? os.tmpdir();
  await fs.mkdir(parent, { recursive: true });
  const dir = await fs.mkdtemp(path.join(parent, 'heapquarry-'));
  let kept = keep === true;
  // Before the first snapshot, so that what this process has for the command is in all of them.
  const examiner = examine();
  const record = async () => {
    let round = 0;
    const act = async times => {
      for (let i = 0; i < times; i++) {
        signal?.throwIfAborted();
        await subject.act(round++);
      }
    };
    await act(warmup);
    for (let at = 1; at <= snapshots; at++) {
      if (at > 1) await act(rounds);
      const file = path.join(dir, `${at}.heapsnapshot`);
      await subject.snapshot(file);
      signal?.throwIfAborted();
      examiner.add(file);
    }
    return await examiner.finish();
  };
  try {
    return await unlessAborted(record(), signal);
  } catch (error) {
    await examiner.cancel();
    kept ||= keep !== false && error.name === 'LeakError';
    throw error;
  } finally {
    if (!kept) await fs.rm(dir, { recursive: true, force: true });
  }
}

/** What a promise is fulfilled with, unless the signal is aborted before: an action need not end by itself. */
async function unlessAborted(promise, signal) {
  if (!signal) return promise;
  let abort;
  const aborted = new Promise((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function atLeast(name, value, least) {
  if (!Number.isInteger(value) || value < least) {
    throw new TypeError(`${name} must be a whole number of at least ${least}, not ${value}`);
  }
}

module.exports = { withRecording };
