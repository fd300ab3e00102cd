// The assertion, on programs and pages that leak and on some that do not. HEAPQUARRY_LEAK_RUNS says how often.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { LeakError, expectNoLeak } from '../heapquarry/lib/test.mjs';
import { PAGE, chromium, launch } from './browser.mjs';
import { built, require, scratch, source } from './setup.mjs';

const RUNS = Number(process.env.HEAPQUARRY_LEAK_RUNS ?? 2);

class Session {
  constructor(i) {
    this.id = i;
    this.data = new Array(20).fill(i);
  }
}
const kept = [], cache = new Map();

/** Garbage, a cache that is full after the warm-up, timers and promises. */
async function clean(round) {
  for (let i = 0; i < 30; i++) {
    const session = new Session(i);
    cache.set(i % 10, JSON.stringify(session));
    session.self = session;
  }
  await Promise.all(Array.from({ length: 10 }, (_, i) => new Promise(done => setTimeout(done, 0, i))));
}

function leaking() {
  for (let i = 0; i < 10; i++) kept.push(new Session(i));
}

const failure = (...args) => expectNoLeak(...args).then(() => assert.fail('no leak was found'), error => error);

const modules = path.join(built, 'test/node_modules');
/** Whether this Node runs a package, by its own word: the newest packages want a newer one. */
const runs = name => {
  const { engines } = JSON.parse(fs.readFileSync(path.join(modules, name, 'package.json'), 'utf8'));
  const [major, minor] = process.versions.node.split('.').map(Number);
  return engines.node.split('||').some(range => {
    const [, sign, wanted, least = '0'] = /^(\^|>=)\s*(\d+)(?:\.(\d+))?/.exec(range.trim());
    return major === +wanted ? minor >= +least : sign === '>=' && major > +wanted;
  });
};

describe('this process', () => {
  test(`nothing is found in ${RUNS} clean runs`, async () => {
    for (let run = 0; run < RUNS; run++) {
      const report = await expectNoLeak(clean, { classes: { Session: 0 } });
      assert.deepEqual([report.passed, report.findings.length], [true, 0]);
    }
  });

  test(`the leak is found in ${RUNS} leaking runs`, async () => {
    for (let run = 0; run < RUNS; run++) {
      const error = await failure(leaking, { keep: false });
      assert.ok(error instanceof LeakError, error.stack);
      assert.equal(error.findings[0].leaked, 'Session');
      assert.equal(error.findings[0].added, 100);
      assert.match(error.message, /holds 100 more Session[^]*leak\.test\.mjs/);
      assert.deepEqual(error.snapshots, []);
    }
  });

  test('a signal ends it, whatever the action does', async t => {
    const dir = scratch(t);
    const never = () => new Promise(() => {});
    for (const action of [never, round => round > 1 && never()]) {
      const [control, reason] = [new AbortController(), new Error('enough')];
      const end = expectNoLeak(action, { dir, signal: control.signal });
      setTimeout(() => control.abort(reason), 200);
      await assert.rejects(end, reason);
      assert.deepEqual(fs.readdirSync(dir), []);
    }
  });

  test('snapshots are kept of a failure', async t => {
    const dir = scratch(t);
    const error = await failure(leaking, { dir });
    assert.equal(error.snapshots.length, 3);
    for (const file of error.snapshots) {
      assert.ok(file.startsWith(dir) && fs.statSync(file).size > 1e6);
      assert.ok(error.message.includes(file));
      const { process: { inside } } = JSON.parse(fs.readFileSync(`${file}.process.json`, 'utf8'));
      assert.ok(inside.rss > inside.heap_used);
    }
    await expectNoLeak(clean, { dir: path.join(dir, 'clean') });
    assert.deepEqual(fs.readdirSync(path.join(dir, 'clean')), []);
    await expectNoLeak(clean, { dir: path.join(dir, 'always'), keep: true });
    assert.equal(fs.readdirSync(path.join(dir, 'always')).length, 1);
  });

  test('limits and what they allow', async () => {
    const oneMore = () => { kept.push(new Session(0)); };
    const filling = () => { kept.push(new Array(20_000).fill(0)); };
    for (const [action, options, outcome] of [
      // One object a round is less than the noise, unless its class is named.
      [oneMore, { classes: { Session: 0 } }, ['class[Session].count > +0']],
      [oneMore, { classes: { Session: 10 }, leaks: false }, 'kept'],
      [oneMore, { classes: { Session: 9 }, leaks: false }, ['class[Session].count > +9']],
      [leaking, { leaks: false, growth: '1 GB' }, 'kept'],
      // Far more than what the engine frees meanwhile, such as code that was not used for some time.
      [filling, { leaks: false, growth: '200 kB' }, ['total.size > +200 kB']],
      [leaking, { leaks: '1 MB' }, 'kept'],
      [leaking, { ignore: ['variable kept*'] }, 'kept'],
      // With two snapshots, a cache that fills once looks like a leak.
      [clean, { snapshots: 2, warmup: 3, rounds: 1, leaks: false, growth: '1 MB' }, 'kept'],
    ]) {
      const result = await expectNoLeak(action, { keep: false, ...options }).catch(error => error);
      const found = result instanceof LeakError ? result.checks.map(check => check.rule) : result.passed ? 'kept' : result;
      const told = `${JSON.stringify(options)}: ${result.message ?? found}`;
      if (outcome === 'kept') assert.equal(found, 'kept', told);
      else assert.ok(outcome.every(rule => found.includes(rule)), told);
    }
  });

  test('rounds are counted', async () => {
    const rounds = [];
    await expectNoLeak(round => { rounds.push(round); }, { warmup: 1, rounds: 2, snapshots: 3 });
    assert.deepEqual(rounds, [0, 1, 2, 3, 4]);
  });

  test('what is wrong is an error of its own', async () => {
    await assert.rejects(expectNoLeak(42), TypeError);
    await assert.rejects(expectNoLeak(clean, { snapshots: 1 }), { message: /snapshots must be a whole number of at least 2/ });
    await assert.rejects(expectNoLeak(clean, { leaks: false }), { message: /nothing to expect/ });
    await assert.rejects(expectNoLeak(() => { throw new Error('mine'); }), { message: 'mine' });
    await assert.rejects(expectNoLeak(clean, { signal: AbortSignal.abort() }), { name: 'AbortError' });
    await assert.rejects(expectNoLeak(clean, { class: { Session: 0 } }), { message: /no option class; it has warmup/ });
    await assert.rejects(expectNoLeak(clean, { cwd: '/' }), { name: 'TypeError', message: /no option cwd/ });
    await assert.rejects(expectNoLeak(clean, { growth: '5 MBB' }), { name: 'HeapquarryError', kind: 'limit' });
  });
});

describe('a module', () => {
  const MODULE = `
    class Job { constructor(i) { this.id = i; this.data = new Array(50).fill(i); } }
    const jobs = [];
    export default function clean() { for (let i = 0; i < 20; i++) new Job(i); }
    export async function leaking() { await null; for (let i = 0; i < 20; i++) jobs.push(new Job(i)); }
    export function throwing() { throw new RangeError('mine'); }
    export function exiting() { process.exit(3); }
  `;
  test('runs in a process of its own', async t => {
    const file = path.join(scratch(t), 'jobs.mjs');
    fs.writeFileSync(file, MODULE);
    for (let run = 0; run < RUNS; run++) {
      await expectNoLeak(pathToFileURL(file), { classes: { Job: 0 } });
      const error = await failure(file, { export: 'leaking', keep: false });
      assert.equal(error.findings[0].leaked, 'Job', error.message);
      assert.match(error.findings[0].made_at.place, /jobs\.mjs:2/);
    }
    await assert.rejects(expectNoLeak(file, { export: 'throwing' }), { name: 'RangeError', message: 'mine' });
    await assert.rejects(expectNoLeak(file, { export: 'exiting' }), { message: /ended with 3/ });
    await assert.rejects(expectNoLeak(file, { export: 'none' }), { message: /exports no function none/ });
    await assert.rejects(expectNoLeak('jobs.mjs'), { message: /absolute path/ });
  });
});

describe('test runners', () => {
  const TEST = (from, heapquarry) => `
    ${from}
    ${heapquarry}
    class Session { constructor() { this.data = new Array(50).fill(1); } }
    const sessions = [];
    test('clean', async () => { await expectNoLeak(() => { new Session(); }, { classes: { Session: 0 } }); }, 60_000);
    test('leaking', async () => {
      await expectNoLeak(() => { for (let i = 0; i < 20; i++) sessions.push(new Session()); }, { keep: false });
    }, 60_000);
  `;
  const run = (dir, program, args) => new Promise(resolve => {
    const env = { ...process.env, NO_COLOR: '1', CI: '1' };
    delete env.NODE_TEST_CONTEXT;
    const options = { cwd: dir, env, timeout: 120_000 };
    execFile(program, args, options, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, text: stdout + stderr }));
  });
  const project = (t, modules) => {
    const dir = scratch(t);
    fs.mkdirSync(path.join(dir, 'node_modules'));
    for (const [name, folder] of Object.entries(modules)) {
      fs.symlinkSync(folder, path.join(dir, 'node_modules', name), 'junction');
    }
    return dir;
  };
  // The oldest that is supported, and the newest ones.
  for (const name of ['vitest-1', 'vitest', 'vitest-4', 'vitest-5']) {
    test(`Vitest: ${name}`, { skip: runs(name) ? false : 'this Node is too old' }, async t => {
      const dir = project(t, { heapquarry: source, vitest: path.join(modules, name) });
      fs.writeFileSync(path.join(dir, 'leak.test.mjs'), TEST("import { test } from 'vitest';", "import { expectNoLeak } from 'heapquarry/test';"));
      for (const pool of RUNS > 2 ? ['forks', 'threads'] : ['threads']) {
        const { code, text } = await run(dir, process.execPath, [path.join(modules, name, 'vitest.mjs'), 'run', `--pool=${pool}`]);
        assert.equal(code, 1, text);
        assert.match(text, /1 failed \| 1 passed/, text);
        assert.match(text, /holds 200 more Session/);
      }
    });
  }

  for (const name of ['jest-28', 'jest']) {
    test(`Jest: ${name}`, { skip: runs(name) ? false : 'this Node is too old' }, async t => {
      const dir = project(t, { heapquarry: source });
      fs.writeFileSync(path.join(dir, 'package.json'), '{"name":"x","jest":{"transform":{}}}');
      fs.writeFileSync(path.join(dir, 'leak.test.js'), TEST('', "const { expectNoLeak } = require('heapquarry/test');"));
      const { code, text } = await run(dir, process.execPath, [path.join(modules, name, 'bin/jest.js'), '--rootDir', dir]);
      assert.equal(code, 1, text);
      assert.match(text, /1 failed, 1 passed/, text);
      assert.match(text, /holds 200 more Session/);
    });
  }

  test('node:test', async t => {
    const dir = project(t, { heapquarry: source });
    fs.writeFileSync(path.join(dir, 'leak.test.mjs'), TEST("import { test as plain } from 'node:test';\nconst test = (name, run) => plain(name, run);", "import { expectNoLeak } from 'heapquarry/test';"));
    const { code, text } = await run(dir, process.execPath, ['--test', 'leak.test.mjs']);
    assert.equal(code, 1, text);
    assert.match(text, /pass 1\b[^]*fail 1\b/, text);
    assert.match(text, /holds 200 more Session/);
  });
});

describe('a page', { skip: chromium ? false : 'there is no Chromium' }, () => {
  let browser;
  before(async () => { browser = await launch(); });
  after(() => browser.close());

  async function both(page, act) {
    for (let run = 0; run < RUNS; run++) {
      const report = await expectNoLeak(page, page => act(page, 'visit()'), { classes: { Session: 0 } });
      assert.deepEqual(report.findings, []);
      const error = await failure(page, (page, round) => act(page, `leak(${round})`), { keep: false });
      assert.ok(error instanceof LeakError, error.stack);
      const [{ leaked, owner, added }] = error.findings;
      assert.deepEqual([leaked, owner, added], ['Session', 'kept', 200]);
    }
  }

  /** A browser records what it painted after each click, for as long as the page lives: that is no leak. */
  async function clicked(page) {
    const report = await expectNoLeak(page, page => page.click('button'), { classes: { Session: 0 } });
    assert.deepEqual(report.findings, []);
  }

  for (const name of ['puppeteer-core-13', 'puppeteer-core', 'puppeteer-core-25']) test(`of Puppeteer: ${name}`, { skip: runs(name) ? false : 'this Node is too old' }, async () => {
    const connected = await (await import(pathToFileURL(require.resolve(name)))).default.connect({ browserWSEndpoint: browser.endpoint });
    const page = await connected.newPage();
    await page.goto(PAGE);
    await both(page, (page, text) => page.evaluate(text));
    await clicked(page);
    await page.close();
    await connected.disconnect();
  });

  for (const name of ['playwright-core-1.20', 'playwright-core']) test(`of Playwright: ${name}`, async () => {
    const connected = await require(name).chromium.connectOverCDP(browser.endpoint);
    const page = await connected.contexts()[0].newPage();
    await page.goto(PAGE);
    await both(page, (page, text) => page.evaluate(text));
    await clicked(page);
    await page.close();
    await connected.close();
  });

  test('by the protocol', async () => {
    const CDP = require('chrome-remote-interface');
    const target = await CDP.New({ port: browser.port, url: encodeURI(PAGE) });
    const client = await CDP({ port: browser.port, target });
    await client.send('Runtime.enable');
    await both(client, async (client, expression) => {
      const { exceptionDetails } = await client.send('Runtime.evaluate', { expression });
      assert.equal(exceptionDetails, undefined);
    });
    await client.close();
  });
});
