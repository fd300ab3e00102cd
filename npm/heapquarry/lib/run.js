'use strict';
// Runs the command: arguments in, JSON, text or a stream out, errors as objects.
const { spawn } = require('node:child_process');
const { PassThrough } = require('node:stream');
const { binary } = require('./binary.js');

/** Exit code of an answer that says that a limit is exceeded. */
const EXCEEDED = 1;
/** Standard error that is kept: its end. */
const KEPT = 1 << 16;

/** The command has no answer: bad input, wrong usage, or an input or output error. */
class HeapquarryError extends Error {
  /** @param {Record<string, any>} details @param {number | null} exitCode */
  constructor(details, exitCode) {
    const { kind = 'failed', message, advice = null } = details;
    super(advice ? `${message}; ${advice}` : message);
    this.name = 'HeapquarryError';
    this.kind = kind;
    // Node prints the members of an error that nobody catches. The texts are made to be printed; the path is as it is.
    Object.defineProperty(this, 'path', { value: details.path ?? null });
    this.offset = details.offset ?? null;
    this.line = details.line ?? null;
    this.expected = details.expected ?? null;
    this.found = details.found ?? null;
    this.advice = advice;
    this.exitCode = exitCode;
  }
}

/** Arguments of the command: `{ newSince: 'a', failOn: ['x'] }` is `--new-since=a --fail-on=x`. */
function flags(options) {
  const all = [];
  for (const [key, value] of Object.entries(options)) {
    const flag = `--${key.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;
    if (value === true) all.push(flag);
    else if (Array.isArray(value)) all.push(...value.map(one => `${flag}=${one}`));
    else if (value !== undefined && value !== null && value !== false) all.push(`${flag}=${value}`);
  }
  return all;
}

/**
 * Starts the command. `done` is fulfilled with the exit code, and rejected if there is no answer.
 * @param {string[]} args
 * @param {{ signal?: AbortSignal, cwd?: string, input?: import('node:stream').Readable }} [options]
 */
function start(args, { signal, cwd, input } = {}) {
  signal?.throwIfAborted();
  // The verb, or an input, comes first.
  const [first, ...rest] = args;
  const all = [first, '--error-format=json', ...rest];
  const stdio = [input ? 'pipe' : 'ignore', 'pipe', 'pipe'];
  const child = spawn(binary(), all, { cwd, signal, stdio, windowsHide: true });
  // A command that ends early says why on its own.
  if (input) input.pipe(child.stdin).on('error', () => {});
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', text => { errors = (errors + text).slice(-KEPT); });
  const done = new Promise((resolve, reject) => {
    child.on('error', error => reject(signal?.aborted ? signal.reason : error));
    child.on('close', (code, by) => {
      if (signal?.aborted) reject(signal.reason);
      else if (code === 0 || code === EXCEEDED) resolve(code);
      else reject(failure(errors, code, by));
    });
  });
  return { child, done };
}

/** The error that the command printed, as its last line that is JSON. */
function failure(errors, code, by) {
  for (const line of errors.trimEnd().split('\n').reverse()) {
    try {
      const { error } = JSON.parse(line);
      if (error) return new HeapquarryError(error, code);
    } catch {
      // Not from the command.
    }
  }
  const what = by ? `was ended by ${by}` : `ended with ${code}`;
  const rest = errors.trim();
  return new HeapquarryError({ message: `heapquarry ${what}${rest ? `: ${rest}` : ''}` }, code);
}

/** What the command prints. */
async function text(args, options) {
  const { child, done } = start(args, options);
  // Otherwise an abort while the output is read would be an unhandled rejection.
  done.catch(() => {});
  const parts = [];
  child.stdout.on('data', part => parts.push(part));
  await done;
  return Buffer.concat(parts).toString('utf8');
}

/** What the command prints, parsed. */
async function json(args, options) {
  return JSON.parse(await text(args, options));
}

/**
 * Asks a question about inputs. Options of which `false` says something are `valued`: others are off if not given.
 * @param {string} verb @param {string | string[]} inputs @param {Record<string, any>} [options] @param {string[]} [valued]
 */
function ask(verb, inputs, { signal, cwd, ...options } = {}, valued = []) {
  for (const name of valued) if (options[name] === false) options[name] = 'false';
  // Names after `--` are inputs, whatever they begin with.
  return json([verb, '--json', '--quiet', ...flags(options), '--', ...[inputs].flat()], { signal, cwd });
}

/**
 * Standard output of the command, as it comes. The stream fails if the command does.
 * @param {string[]} args
 * @param {{ signal?: AbortSignal, cwd?: string }} [options]
 */
function stream(args, options) {
  const { child, done } = start(args, options);
  const out = new PassThrough();
  // The output ends when the exit code is known: a reader must not take the output of a failed command for whole.
  child.stdout.pipe(out, { end: false });
  done.then(() => out.end(), error => out.destroy(error));
  out.on('close', () => { if (child.exitCode === null) child.kill(); });
  return out;
}

module.exports = { HeapquarryError, ask, flags, json, stream, text };
