// The action for GitHub and the workflow in docs/ci.md: their steps, run as a runner runs them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { require, root, scratch, source } from './setup.mjs';

const { parse } = require('yaml');
const action = parse(fs.readFileSync(path.join(root, 'action.yml'), 'utf8'));

/** The workflow in the documentation. */
function workflow() {
  const page = fs.readFileSync(path.join(root, 'docs/ci.md'), 'utf8');
  const blocks = page.split('```yaml\n').slice(1).map(block => block.split('```')[0]);
  return parse(blocks.find(block => block.includes('uses: heapquarry/'))).jobs.memory.steps;
}

/** A runner in a folder: expressions are replaced, `run` goes to bash, and what a step appends to files has effect. */
class Runner {
  constructor(dir, ref) {
    this.dir = dir;
    this.ref = ref;
    this.temp = path.join(dir, 'temp');
    fs.mkdirSync(this.temp);
    this.bin = path.join(dir, 'bin');
    fs.mkdirSync(this.bin);
    // The package as an installation links it.
    fs.symlinkSync(path.join(source, 'bin/heapquarry.js'), path.join(this.bin, 'heapquarry'));
    this.cache = path.join(dir, 'cache');
    this.log = '';
  }

  replace(text, context) {
    return String(text).replace(/\$\{\{\s*([\w.-]+)\s*\}\}/g, (_, name) => {
      assert.ok(name in context, name);
      return context[name];
    });
  }

  run(script, env = {}) {
    const files = Object.fromEntries(['GITHUB_PATH', 'GITHUB_OUTPUT', 'GITHUB_STEP_SUMMARY'].map(name => [name, path.join(this.temp, name)]));
    const result = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
      cwd: this.dir,
      encoding: 'utf8',
      env: { ...process.env, ...files, ...env, RUNNER_TEMP: this.temp, PATH: `${this.bin}${path.delimiter}${process.env.PATH}` },
    });
    this.log += result.stdout + result.stderr;
    return result.status;
  }

  read(name) {
    const file = path.join(this.temp, name);
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  }

  /** Runs the action. */
  use(given) {
    const inputs = Object.fromEntries(Object.entries(action.inputs).map(([name, { required, default: value }]) => {
      assert.ok(!required || name in given, name);
      return [`inputs.${name}`, given[name] ?? value];
    }));
    assert.ok(Object.keys(given).every(name => name in action.inputs));
    for (const step of action.runs.steps.filter(step => step.run)) {
      assert.equal(step.shell, 'bash');
      // What a stranger may choose must not stand in a script.
      assert.doesNotMatch(step.run, /\$\{\{/);
      const env = Object.fromEntries(Object.entries(step.env).map(([name, value]) => [name, this.replace(value, inputs)]));
      const status = this.run(step.run, env);
      if (status !== 0) return status;
    }
    return 0;
  }

  /** Runs a workflow; its status is that of the first step that fails. */
  work(steps) {
    const context = { 'github.sha': 'abc', 'github.ref': this.ref };
    for (const step of steps) {
      if (step.if && step.if !== `github.ref == '${this.ref}'`) continue;
      let status = 0;
      if (step.run) status = this.run(this.replace(step.run, context));
      else if (step.uses.startsWith('heapquarry/')) status = this.use(step.with);
      else if (step.uses.startsWith('actions/cache/save')) fs.copyFileSync(path.join(this.dir, step.with.path), this.cache);
      else if (step.uses.startsWith('actions/cache/restore') && fs.existsSync(this.cache)) fs.copyFileSync(this.cache, path.join(this.dir, step.with.path));
      if (status !== 0) return status;
    }
    return 0;
  }
}

const PROGRAM = `
class Session { constructor(i) { this.id = i; } }
globalThis.sessions = Array.from({ length: Number(process.env.SESSIONS ?? 10) }, (_, i) => new Session(i));
require('node:v8').writeHeapSnapshot(process.argv[2]);
`;

function project(t, budget, ref = 'refs/heads/main') {
  const dir = scratch(t);
  fs.mkdirSync(path.join(dir, 'test'));
  fs.writeFileSync(path.join(dir, 'test/memory.js'), PROGRAM);
  fs.writeFileSync(path.join(dir, 'heap.toml'), budget);
  return new Runner(dir, ref);
}

test('a change that grows beyond the baseline of the main branch fails', t => {
  const runner = project(t, '[class.Session]\ncount = "+5"\n');
  assert.equal(runner.work(workflow()), 0, runner.log);
  assert.match(runner.log, /was not checked: growth needs a baseline/);
  assert.ok(fs.statSync(runner.cache).size < 200_000, 'a baseline is a small file');
  assert.match(runner.read('GITHUB_OUTPUT'), /passed=true/);

  runner.ref = 'refs/pull/1/merge';
  assert.equal(runner.work(workflow()), 0, runner.log);
  assert.match(runner.log, /class Session: count is 10, the limit is \+5, 5 left/);

  process.env.SESSIONS = '16';
  t.after(() => delete process.env.SESSIONS);
  assert.equal(runner.work(workflow()), 1, runner.log);
  assert.match(runner.log, /::error file=heap\.toml,line=2,.*class Session: count is 16/);
  assert.match(runner.read('GITHUB_OUTPUT'), /passed=false/);
  assert.match(runner.read('GITHUB_STEP_SUMMARY'), /❌ 1 of 1 limit exceeded/);
  assert.match(fs.readFileSync(path.join(runner.dir, 'heapquarry.xml'), 'utf8'), /failures="1"/);
});

test('names are arguments, whatever is in them, and an error is no pass', t => {
  const runner = project(t, '[class.Session]\ncount = 100\n');
  const odd = '$(touch pwned) `touch pwned` "a b".heapsnapshot';
  fs.writeFileSync(path.join(runner.dir, 'write.js'), PROGRAM);
  assert.equal(runner.run('node write.js "$ODD" && node write.js 2.heapsnapshot', { ODD: odd }), 0, runner.log);
  assert.equal(runner.use({ input: `${odd}\n2.heapsnapshot\n`, budget: 'heap.toml' }), 0, runner.log);
  assert.match(runner.log, /median of 2 runs/);
  assert.ok(!fs.existsSync(path.join(runner.dir, 'pwned')));
  fs.rmSync(path.join(runner.dir, 'heapquarry.xml'));
  assert.equal(runner.use({ input: 'none.heapsnapshot', budget: 'heap.toml' }), 2);
  assert.match(runner.log, /cannot open input \(none\.heapsnapshot\)/);
  assert.ok(!fs.existsSync(path.join(runner.dir, 'heapquarry.xml')), 'no answer is no report');
  fs.writeFileSync(path.join(runner.dir, 'heap.toml'), '[class.Sesion]\ncount = 100\n');
  assert.equal(runner.use({ input: '2.heapsnapshot', budget: 'heap.toml' }), 2);
  assert.match(runner.log, /did you mean Session\?/);
});

test('an installation that fails says why', t => {
  const runner = project(t, '[total]\ncount = 1\n');
  const [{ run }] = action.runs.steps;
  const env = { VERSION: 'none', HEAPQUARRY_BINARY: '', npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0' };
  assert.notEqual(runner.run(run, env), 0);
  assert.match(runner.log, /ECONNREFUSED/);
});
