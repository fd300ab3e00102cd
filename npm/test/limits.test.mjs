// Limits hold in every function, for every kind of input.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { check, diff, find, query, stream, summary } from '../heapquarry/lib/index.mjs';
import { corpus, scratch } from './setup.mjs';

/** Of each format besides heaps: whether it has functions, and what it is as a whole. */
const INPUTS = {
  'traces/chromium.trace.json.gz': [true, 'events'],
  'ftrace/tgid.ftrace': [false, 'events'],
  'profiles/node26.cpuprofile': [true, 'functions'],
  'profiles/node26.heapprofile': [true, 'functions'],
  'profiles/chromium.selfprofile.json': [true, 'functions'],
  'pprof/go-heap.pb': [true, 'functions'],
};

const all = async out => { for await (const _ of out); };

test('memory of traces and profiles', async t => {
  const dir = scratch(t);
  for (const [name, [hasFunctions, quantity]] of Object.entries(INPUTS)) {
    const file = corpus(name), budget = path.join(dir, `${quantity}.toml`);
    fs.writeFileSync(budget, `[total]\n${quantity} = "1_000_000_000"\n`);
    const questions = {
      summary: options => summary(file, options),
      find: options => find(file, { name: 'a*', ...options }),
      diff: options => diff([file, file], options),
      check: options => check(file, { budget, ...options }),
      query: options => query(file, 'SELECT 1', options),
      export: ({ memory }) => all(stream(['export', file, '--to', 'collapsed', '--memory', memory])),
    };
    if (!hasFunctions) delete questions.export;
    for (const [question, ask] of Object.entries(questions)) {
      const refused = await ask({ memory: '1kB' }).then(() => 'an answer', error => error.message);
      if (question === 'query' && /no DuckDB command/.test(refused)) continue;
      assert.match(refused, /not enough memory .*--memory/s, `${question} ${name}`);
      await ask({ memory: '1GB' });
    }
  }
});
