// The types, held against what the command prints: each report becomes a constant of its type, so that a member too many,
// one that is missing, and one of another type are errors of the compiler.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { check, diff, find, info, leaks, schema, show, summary, why } from '../heapquarry/lib/index.mjs';
import { built, corpus, require, root, scratch, source } from './setup.mjs';

const BIG = corpus('node22.heapsnapshot.gz'), SMALL = corpus('handmade/v8-timeline.heaptimeline');
const profile = name => corpus(`profiles/${name}`);

/** As many elements of each array as have different members or types. */
function thin(value) {
  if (Array.isArray(value)) {
    const seen = new Map();
    for (const element of value.map(thin)) seen.set(shape(element), element);
    return [...seen.values()];
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, thin(member)]));
}

const shape = value => JSON.stringify(value, (_, member) => (member === null || typeof member === 'object' ? member : typeof member));

function compile(dir, files, more) {
  const compilerOptions = {
    strict: true, noEmit: true, target: 'es2022', module: 'nodenext', moduleResolution: 'nodenext',
    types: ['node'], typeRoots: [path.join(built, 'test/node_modules/@types')], ...more,
  };
  fs.writeFileSync(path.join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  try {
    execFileSync(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', dir], { encoding: 'utf8' });
    return '';
  } catch (error) {
    return error.stdout;
  }
}

/** A folder in which `heapquarry` is the package of the source tree. */
function project(t) {
  const dir = scratch(t);
  fs.mkdirSync(path.join(dir, 'node_modules'));
  fs.symlinkSync(source, path.join(dir, 'node_modules/heapquarry'), 'junction');
  return dir;
}

test('reports are of their types', async t => {
  const dir = project(t);
  const budget = path.join(dir, 'heap.toml');
  fs.writeFileSync(budget, '[total]\nsize = ["1 MB", "+1%"]\n[class."*"]\ncount = 1\n');
  const traces = fs.readdirSync(corpus('traces')).filter(name => name.endsWith('.trace.json.gz'));
  const folders = ['.', 'handmade', 'jsc', 'profiles', 'pprof', 'traces', 'ftrace'];
  const inputs = folders.flatMap(folder => fs.readdirSync(corpus(folder)).map(name => path.join(corpus(folder), name)))
    .filter(name => fs.statSync(name).isFile() && !/^\.|\.md$/.test(path.basename(name)));
  assert.ok(inputs.length > 50, inputs.length);
  const [{ id }] = (await summary(BIG)).retainers.rows;
  const before = corpus('node20-internals.heapsnapshot.gz');
  const reports = [
    ...await Promise.all(inputs.map(async path => ['Info', await info(path)])),
    ['Schema', await schema()],
    ['Schema', await schema({ table: 'js_heap_nodes' })],
    ['HeapSummaryAnswer', await summary(BIG)],
    ['HeapSummaryAnswer', await summary(corpus('chromium.heapsnapshot.gz'))],
    ['HeapSummaryAnswer', await summary(corpus('handmade/ark-7.0.heapsnapshot'))],
    ['WhyAnswer', await why(BIG, { node: id })],
    ['WhyAnswer', await why(BIG, { class: 'Arr*', top: 5 })],
    ['ObjectShowAnswer', await show(BIG, { node: id })],
    ['ObjectShowAnswer', await show(SMALL, { node: 1 })],
    ['ClassShowAnswer', await show(BIG, { class: 'Object' })],
    ['ObjectsFindAnswer', await find(BIG, { class: 'Arr*', top: 5 })],
    ['ObjectsFindAnswer', await find(BIG, { text: 'no such text' })],
    ['StringsFindAnswer', await find(BIG, { strings: true, minSize: '1kB', sort: 'own' })],
    ['FunctionsFindAnswer', await find(profile('current.cpuprofile'), { name: '*' })],
    ['SlicesFindAnswer', await find(corpus('traces/node26.trace.json.gz'), { regex: '.' })],
    ['HeapDiffAnswer', await diff([before, BIG], { failOn: 'size > 1' })],
    ['HeapDiffAnswer', await diff([before, BIG, BIG])],
    ['HeapDiffAnswer', await diff([before, BIG], { engine: true })],
    ['LeaksAnswer', await leaks([before, BIG])],
    ['LeaksAnswer', await leaks([1, 2, 3].map(n => corpus(`leak/${n}.heapsnapshot.gz`)), { failOn: 'any' })],
    ['CheckAnswer', await check(BIG, { budget })],
    ['CheckAnswer', await check(BIG, { budget, baseline: before })],
    ['CheckAnswer', await check([BIG, before], { budget, saveBaseline: path.join(dir, 'base.json') })],
    ['ProfileSummaryAnswer', await summary(profile('current.cpuprofile'))],
    ['ProfileSummaryAnswer', await summary(profile('current.heapprofile'))],
    ['ProfileSummaryAnswer', await summary(profile('chromium.selfprofile.json'))],
    ['ProfileSummaryAnswer', await summary(corpus('pprof/symbols-first.pb'))],
    ['ProfileSummaryAnswer', await summary(corpus('pprof/go-heap.pb'))],
    ['ProfileSummaryAnswer', await summary(corpus('pprof/counts.pb'))],
    ['ProfileDiffAnswer', await diff([corpus('pprof/counts.pb'), corpus('pprof/counts.pb')])],
    ['ProfileDiffAnswer', await diff([profile('node12.cpuprofile'), profile('current.cpuprofile')])],
    ['ProfileDiffAnswer', await diff([profile('node12.heapprofile'), profile('current.heapprofile')])],
    ['ProfileDiffAnswer', await diff([profile('array.selfprofile.json'), profile('chromium.selfprofile.json')])],
    ['TraceDiffAnswer', await diff([corpus('traces/node18.trace.json.gz'), corpus('traces/node26.trace.json.gz')])],
    ['TraceDiffAnswer', await diff(traces.map(name => corpus(`traces/${name}`)), { failOn: 'total.events > 1' })],
    ...await Promise.all(traces.map(async name => ['TraceSummaryAnswer', await summary(corpus(`traces/${name}`))])),
  ];
  assert.ok(traces.length > 0);
  const source = reports.map(([type, report], i) => `const r${i}: hq.${type} = ${JSON.stringify(thin(report), null, 1)};`);
  source.unshift("import type * as hq from 'heapquarry';");
  // The compiler tells what is not so.
  source.push('// @ts-expect-error', 'const more: hq.LimitFinding = { name: "", actual: 1, base: null, room: 1, least: null, most: null, with: [], more: 1 };');
  source.push('// @ts-expect-error', 'const less: hq.LimitFinding = { name: "", actual: 1 };');
  fs.writeFileSync(path.join(dir, 'reports.mts'), source.join('\n'));
  assert.equal(compile(dir, ['reports.mts'], { skipLibCheck: false }), '');
});

const PROGRAM = `
import { open, summary, diff, stream, HeapquarryError, type ProfileSummaryAnswer } from 'heapquarry';
import { expectNoLeak, LeakError } from 'heapquarry/test';
import type puppeteer from 'puppeteer-core';
import type playwright from 'playwright-core';

export async function questions(signal: AbortSignal): Promise<number> {
  const heap = open('a.heapsnapshot', { threads: 2 });
  const profile = await summary<ProfileSummaryAnswer>('a.cpuprofile');
  const shown = await heap.show({ node: 1 });
  // @ts-expect-error an object or classes, not both
  await heap.why({ node: 1, class: 'Session' });
  // @ts-expect-error no such option
  await summary('a', { tops: 1 });
  stream(['schema'], { signal }).pipe(process.stdout);
  try {
    await diff(['a', 'b'], { failOn: 'size>+1MB', signal });
  } catch (error) {
    if (error instanceof HeapquarryError) return error.offset ?? 0;
  }
  return profile.functions.rows[0]!.self_value + shown.object.retained_size;
}

export async function leaks(a: puppeteer.Page, b: playwright.Page, d: puppeteer.CDPSession) {
  await expectNoLeak(a, async page => { await page.click('a'); }, { classes: { Session: 0 }, growth: '64 KiB' });
  await expectNoLeak(b, async (page, round) => { await page.click('a'); round.toFixed(); });
  await expectNoLeak(d, async session => { await session.send('Runtime.evaluate', { expression: '1' }); });
  const report = await expectNoLeak(() => new Map(), { rounds: 3, ignore: ['Cache.*'] });
  await expectNoLeak(new URL('file:///x.mjs'), { export: 'work' }).catch((error: LeakError) => error.findings[0]!.owner);
  return report.snapshots.length;
}
`;

test('a program with the API compiles, as either kind of module', t => {
  const dir = project(t);
  for (const name of ['puppeteer-core', 'playwright-core']) {
    fs.symlinkSync(path.dirname(require.resolve(`${name}/package.json`)), path.join(dir, 'node_modules', name), 'junction');
  }
  fs.writeFileSync(path.join(dir, 'program.mts'), PROGRAM);
  fs.writeFileSync(path.join(dir, 'program.cts'), PROGRAM.replace(/import type (\w+) from '(\w+-core)'/g, "import type $1 = require('$2')"));
  assert.equal(compile(dir, ['program.mts', 'program.cts'], { skipLibCheck: true }), '');
});
