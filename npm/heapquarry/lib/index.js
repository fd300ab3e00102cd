'use strict';
// The questions of the command as functions.
const { binary } = require('./binary.js');
const questions = require('./questions.js');
const { HeapquarryError, flags, json, stream } = require('./run.js');

/** Several paths are runs of one program. */
const check = (paths, options) => questions.check(paths, { runs: Array.isArray(paths) && !options?.each, ...options });

/** What is in inputs: of one path one object, of several an array. */
async function info(paths, { signal, cwd, ...options } = {}) {
  const found = await json(['info', '--json', ...flags(options), '--', ...[paths].flat()], { signal, cwd });
  return Array.isArray(paths) ? found : found[0];
}

/** The tables and views that there are: names, columns, types, units, meanings. */
function schema({ table, signal, cwd } = {}) {
  return json(['schema', '--format=json', ...(table === undefined ? [] : ['--', table])], { signal, cwd });
}

/** Rows of an SQL query over the tables of the inputs. */
function query(inputs, sql, { signal, cwd, ...options } = {}) {
  const all = [inputs].flat();
  return json(['query', '--format=json', ...flags(options), '--', ...all, sql], { signal, cwd });
}

/** Of the options of an input, those that `info` has: it analyses nothing. */
const unpacking = ({ signal, cwd, maxSpool } = {}) => ({ signal, cwd, maxSpool });

/** An input and the questions about it. Nothing is read before a question is asked. */
class Input {
  /** @param {string} path @param {object} [options] */
  constructor(path, options) {
    this.path = path;
    this.options = options;
  }

  info(options) { return info(this.path, { ...unpacking(this.options), ...options }); }
  check(options) { return check(this.path, { ...this.options, ...options }); }
  /** What differs in this input from an earlier one. */
  diff(base, options) { return questions.diff([base, this.path], { ...this.options, ...options }); }
  query(sql, options) { return query(this.path, sql, { ...this.options, ...options }); }
}

for (const [verb, ask] of Object.entries(questions)) {
  Input.prototype[verb] ??= function (options) { return ask(this.path, { ...this.options, ...options }); };
}

/** An input: a file in any format that the command reads, or a converted directory. */
const open = (path, options) => new Input(path, options);

module.exports = { ...questions, HeapquarryError, Input, binary, check, info, open, query, schema, stream };
