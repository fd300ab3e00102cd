// The API on real files, with the real command.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { spawn, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as esm from '../heapquarry/lib/index.mjs';
import cjs from '../heapquarry/lib/index.js';
import { text } from '../heapquarry/lib/run.js';
import { corpus, scratch, source } from './setup.mjs';

const { HeapquarryError, check, diff, find, info, leaks, open, query, schema, show, stream, summary, why } = esm;
const NODE8 = corpus('node8.heapsnapshot.gz'), NODE22 = corpus('node22.heapsnapshot.gz');

test('both kinds of modules export the same', () => {
  assert.deepEqual(Object.keys(esm).sort(), Object.keys(cjs).sort());
  for (const name of Object.keys(cjs)) assert.equal(esm[name], cjs[name]);
});

test('questions are answered', async () => {
  const heap = open(NODE8, { threads: 1 });
  const sum = await heap.summary({ top: 3 });
  assert.equal(sum.totals.node_count, 33179);
  assert.equal(sum.retainers.rows.length, 3);
  assert.equal((await summary(NODE8, { top: 3 })).totals.size, sum.totals.size);
  const [{ id }] = sum.retainers.rows;
  assert.equal((await heap.show({ node: id, top: 1 })).object.id, id);
  assert.equal((await show(NODE8, { node: `@${id}` })).object.id, id);
  assert.equal((await heap.why({ node: id })).objects[0].object.id, id);
  assert.equal((await heap.find({ node: [id, `@${id}`] })).objects.rows[0].id, id);
  const { total } = (await find(NODE8)).objects;
  assert.equal((await find(NODE8, { detached: false })).objects.total + (await find(NODE8, { detached: true })).objects.total, total);
  const classes = await why(NODE8, { class: ['Object', 'Arr*'], top: 2, shortest: true });
  assert.equal(classes.objects.length, 2);
  assert.ok((await show(NODE8, { class: 'Object' })).class.count > 0);
  const grown = await open(NODE22).diff(NODE8, { failOn: ['size > +0', 'class.count > 1_000_000'] });
  assert.deepEqual(grown.checks.map(check => check.outcome), ['exceeded', 'passed']);
  assert.equal(grown.passed, false);
  const found = await leaks([NODE8, NODE8], { failOn: 'any' });
  assert.deepEqual([found.passed, found.findings], [true, []]);
});

test('each command that prints JSON is a function', async () => {
  const one = await info(NODE8);
  assert.deepEqual([one.path, one.format, one.complete], [NODE8, 'heapsnapshot', true]);
  assert.deepEqual(await info([NODE8, NODE22]), [one, await open(NODE22, { threads: 1, memory: '1GB' }).info()]);
  const { tables, views } = await schema();
  assert.ok(tables.some(table => table.name === 'js_heap_nodes') && views.some(view => view.name === 'heap_node'));
  const { tables: [nodes, ...others] } = await schema({ table: 'js_heap_nodes' });
  assert.deepEqual([nodes.name, others.length], ['js_heap_nodes', 0]);
  assert.equal(nodes.columns.find(column => column.name === 'self_size').unit, 'bytes');
  await assert.rejects(schema({ table: 'js_heap_node' }), /did you mean js_heap_nodes/);
});

test('an exceeded budget does not throw', async t => {
  const budget = path.join(scratch(t), 'heap.toml');
  fs.writeFileSync(budget, '[total]\nsize = "1 MB"\n');
  const report = await check(NODE8, { budget });
  assert.deepEqual([report.passed, report.checks.length], [false, 1]);
  fs.writeFileSync(budget, '[total]\nsize = "1 GB"\n');
  assert.equal((await open(NODE8).check({ budget })).passed, true);
});

test('a first budget is written and kept', async t => {
  const budget = path.join(scratch(t), 'first.toml');
  assert.equal((await check([NODE8, NODE8], { budget, init: true })).passed, true);
  assert.match(fs.readFileSync(budget, 'utf8'), /made by `heapquarry check --init` from 2 runs/);
  assert.equal((await open(NODE8).check({ budget })).passed, true);
  await assert.rejects(check(NODE8, { budget, init: true }), /first\.toml/);
});

test('errors carry what is known', async t => {
  const dir = scratch(t);
  const cut = path.join(dir, 'cut.heapsnapshot');
  fs.writeFileSync(cut, '{"snapshot":{"meta":{"node_fields":["type"');
  const failure = await summary(cut).catch(error => error);
  assert.ok(failure instanceof HeapquarryError && failure instanceof Error);
  const { kind, path: where, offset, expected, found, exitCode, message } = failure;
  assert.deepEqual({ kind, where, offset, expected, found, exitCode }, {
    kind: 'malformed', where: cut, offset: 42, exitCode: 2,
    expected: 'the rest of the header ("snapshot")', found: 'the end of the document',
  });
  assert.match(message, /byte 42/);
  await assert.rejects(summary(path.join(dir, 'none')), { kind: 'unreadable', path: path.join(dir, 'none') });
  await assert.rejects(summary('none', { cwd: dir }), { kind: 'unreadable', path: 'none' });
  await assert.rejects(summary(cut, { topp: 1 }), { kind: 'usage', exitCode: 2 });
  await assert.rejects(diff([NODE8, NODE8], { failOn: 'sise > 1' }), { kind: 'limit', found: '"sise > 1"' });
  // A name is a name, not an option.
  await assert.rejects(summary('--version'), { kind: 'unreadable', path: '--version' });
});

test('errors do not act on who sees them', { skip: process.platform === 'win32' }, async t => {
  const hostile = '\u001b[31m\n::error::pwned\r\u009b1m\u202e##vso[task.complete]##[add-path]';
  const file = path.join(scratch(t), hostile);
  fs.writeFileSync(file, hostile);
  const run = fileURLToPath(new URL('../heapquarry/lib/run.js', import.meta.url));
  const cases = [
    ['a file of no format', ['summary', file]],
    ['no file', ['summary', `${file}x`]],
    ['a class', ['why', NODE8, `--class=${hostile}`, `--new-since=${file}`]],
    ['an option', ['summary', NODE8, `--${hostile}`]],
    ['a limit', ['diff', NODE8, NODE8, `--fail-on=${hostile}`]],
  ];
  for (const [what, args] of cases) {
    const error = await text(args).catch(error => error);
    assert.ok(error instanceof HeapquarryError, what);
    if (error.path?.includes('pwned')) assert.ok(error.path.startsWith(file), what);
    // As Node prints an error that nobody catches.
    const code = 'require(process.argv[1]).text(process.argv.slice(2))';
    const { status, stderr } = spawnSync(process.execPath, ['-e', code, run, ...args], { encoding: 'utf8' });
    assert.equal(status, 1, what);
    assert.match(stderr, /pwned/, what);
    for (const shown of [error.message, error.expected, error.found, error.advice, stderr]) {
      assert.doesNotMatch(shown ?? '', /[\0-\x09\x0b-\x1f\x7f-\x9f\u202e]|^\s*::|##\w*\[/m, what);
    }
  }
});

test('a signal ends the command', async () => {
  await assert.rejects(summary(NODE22, { signal: AbortSignal.abort() }), { name: 'AbortError' });
  const reason = new Error('enough');
  const control = new AbortController();
  const answer = summary('-', { signal: control.signal });
  control.abort(reason);
  await assert.rejects(answer, reason);
});

test('limits hold for every question', { skip: process.platform === 'win32' }, async t => {
  const dir = scratch(t), fifo = path.join(dir, 'fifo');
  const budget = path.join(dir, 'heap.toml');
  fs.writeFileSync(budget, '[total]\nsize = "1 GB"\n');
  assert.equal(spawnSync('mkfifo', [fifo]).status, 0);
  const questions = {
    summary: (file, options) => summary(file, options),
    why: (file, options) => why(file, { class: 'Object', ...options }),
    find: (file, options) => find(file, { class: 'Object', ...options }),
    show: (file, options) => show(file, { class: 'Object', ...options }),
    check: (file, options) => check(file, { budget, ...options }),
    diff: (file, options) => diff([NODE8, file], options),
    leaks: (file, options) => leaks([NODE8, file], options),
    query: (file, options) => query(file, 'SELECT 1', options),
  };
  for (const [name, ask] of Object.entries(questions)) {
    // Before anything is converted, `query` looks for DuckDB.
    const refused = await ask(NODE22, { maxSpool: '10kB' }).catch(error => error.message);
    if (name === 'query' && /no DuckDB command/.test(refused)) continue;
    assert.match(refused, /would exceed 10000 bytes/, name);
    await assert.rejects(ask(NODE22, { memory: '100kB' }), /not enough memory/, name);
    await assert.rejects(ask(NODE22, { threads: 0 }), { kind: 'usage', message: /--threads/ }, name);
    // While it reads what nobody writes.
    const control = new AbortController(), reason = new Error('enough');
    const answer = ask(fifo, { signal: control.signal }).then(() => 'an answer', error => error);
    let writer;
    for (let tries = 0; writer === undefined && tries < 6000; tries++) {
      try {
        writer = fs.openSync(fifo, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK);
      } catch (error) {
        assert.equal(error.code, 'ENXIO');
        await new Promise(resolve => setTimeout(resolve, 10));
      }
    }
    control.abort(reason);
    assert.equal(await answer, reason, name);
    fs.closeSync(writer);
  }
});

test('output is streamed', async () => {
  const parts = [];
  for await (const part of stream(['schema', '--format', 'json'])) parts.push(part);
  assert.ok(Object.keys(JSON.parse(Buffer.concat(parts))).length > 0);
  const read = async args => { for await (const _ of stream(args)); };
  await assert.rejects(read(['export', 'none.cpuprofile', '--to', 'collapsed']), { kind: 'unreadable' });
  // A reader that has enough ends the command.
  const out = stream(['schema', '--format', 'markdown']);
  await once(out, 'readable');
  out.destroy();
  await once(out, 'close');
});

test('rows of a query', async t => {
  try {
    const rows = await query(NODE8, 'SELECT count(*) AS n FROM js_heap_nodes');
    assert.deepEqual(rows.map(row => Number(row.n)), [33179]);
  } catch (error) {
    if (error.kind !== 'usage' && !/duckdb/i.test(error.message)) throw error;
    t.skip(`this command has no query: ${error.message}`);
  }
});

test('the shim passes signals and streams on', { skip: process.platform === 'win32' }, async () => {
  const shim = path.join(source, 'bin/heapquarry.js');
  const child = spawn(process.execPath, [shim, 'summary', '-', '--json'], { stdio: ['pipe', 'pipe', 'ignore'] });
  let text = '';
  child.stdout.on('data', part => { text += part; });
  fs.createReadStream(corpus('handmade/v8-timeline.heaptimeline')).pipe(child.stdin);
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  assert.ok(JSON.parse(text).totals);
  // A command that waits for its input ends with the shim.
  for (const sent of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    const waiting = spawn(process.execPath, [shim, 'summary', '-'], { stdio: ['pipe', 'ignore', 'pipe'] });
    const gone = once(waiting, 'exit');
    waiting.stdin.write('{"snapshot":');
    setTimeout(() => waiting.kill(sent), 1000);
    const [code, signal] = await gone;
    // Before the command catches it, the signal is the end.
    assert.ok(code === 130 || signal === sent, `${sent}: ${code} ${signal}`);
  }
});
