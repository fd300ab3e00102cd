// The tarballs, installed into an empty folder by each package manager.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { built, corpus, scratch } from './setup.mjs';
import { serve } from './registry.mjs';

const INPUT = corpus('handmade/v8-timeline.heaptimeline');
/** A heap of 5.5 MB, packed, and how many nodes V8 says that it has. */
const HEAP = corpus('node24-numeric.heapsnapshot.gz');
const NODES = 62767;
/** Most seconds from the start of an installation to the first right answer, where the machine is quiet. */
const LIMIT = Number(process.env.HEAPQUARRY_FIRST_ANSWER ?? Infinity);
const bin = name => path.join(built, 'test/node_modules', name);
let registry;
before(async () => { registry = await serve(built); });
after(() => registry.close());

/** The command of the package, not that of the environment. */
const environment = dir => ({
  PATH: process.env.PATH,
  HOME: dir,
  npm_config_registry: registry.url,
  npm_config_cache: path.join(dir, '.npm'),
  PNPM_HOME: path.join(dir, '.pnpm'),
  XDG_DATA_HOME: path.join(dir, '.data'),
  npm_config_update_notifier: 'false',
  YARN_NPM_REGISTRY_SERVER: registry.url,
  YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
  YARN_ENABLE_GLOBAL_CACHE: 'false',
  YARN_ENABLE_TELEMETRY: '0',
  YARN_PNP_ENABLE_ESM_LOADER: 'true',
});

function run(dir, program, args, env = {}) {
  return new Promise(resolve => {
    const options = { cwd: dir, env: { ...environment(dir), ...env }, timeout: 120_000, maxBuffer: 1 << 28 };
    execFile(program, args, options, (error, stdout, stderr) => resolve({ code: error ? error.code : 0, stdout, stderr }));
  });
}

async function ok(...args) {
  const result = await run(...args);
  assert.equal(result.code, 0, `${args.slice(1)}: ${result.stdout}${result.stderr}`);
  return result.stdout;
}

const node = process.execPath;
const managers = {
  npm: {
    install: ['npm', ['install', '--no-audit', '--no-fund', 'heapquarry']],
    exec: ['npx', ['--no-install']],
    node: [node, []],
  },
  pnpm: {
    install: [node, [bin('pnpm/bin/pnpm.cjs'), 'add', 'heapquarry']],
    exec: [node, [bin('pnpm/bin/pnpm.cjs'), 'exec']],
    node: [node, []],
  },
  'yarn pnp': {
    install: [node, [bin('@yarnpkg/cli-dist/bin/yarn.js'), 'add', 'heapquarry']],
    exec: [node, [bin('@yarnpkg/cli-dist/bin/yarn.js'), 'exec']],
    node: [node, [bin('@yarnpkg/cli-dist/bin/yarn.js'), 'node']],
  },
};

const CJS = `const { summary, binary } = require('heapquarry'); const { expectNoLeak } = require('heapquarry/test');
summary(process.argv[2]).then(s => console.log(s.totals.node_count, typeof expectNoLeak, binary()));`;
const ESM = `import { summary, binary } from 'heapquarry'; import { expectNoLeak } from 'heapquarry/test';
console.log((await summary(process.argv[2])).totals.node_count, typeof expectNoLeak, binary());`;

describe('installed by', () => {
  for (const [name, manager] of Object.entries(managers)) {
    test(name, async t => {
      const dir = scratch(t);
      fs.writeFileSync(path.join(dir, 'package.json'), '{"name":"empty","private":true}');
      if (name === 'yarn pnp') fs.writeFileSync(path.join(dir, 'yarn.lock'), '');
      fs.writeFileSync(path.join(dir, 'a.cjs'), CJS);
      fs.writeFileSync(path.join(dir, 'a.mjs'), ESM);
      const [install, installArgs] = manager.install;
      const began = performance.now();
      await ok(dir, install, installArgs);
      const [exec, execArgs] = manager.exec;
      const answer = JSON.parse(await ok(dir, exec, [...execArgs, 'heapquarry', 'summary', HEAP, '--json']));
      const seconds = (performance.now() - began) / 1000;
      assert.equal(answer.totals.node_count, NODES);
      t.diagnostic(`first answer ${seconds.toFixed(1)} s after the installation began`);
      assert.ok(seconds <= LIMIT, `${seconds} s, ${LIMIT} at most`);
      const text = await ok(dir, exec, [...execArgs, 'heapquarry', 'summary', INPUT]);
      assert.match(text, /Classes/);
      // Exit codes and errors pass through the shim.
      const failed = await run(dir, exec, [...execArgs, 'heapquarry', 'summary', 'none.heapsnapshot']);
      assert.equal(failed.code, 2);
      assert.match(failed.stdout + failed.stderr, /error: cannot open input \(none\.heapsnapshot\)/);
      for (const script of ['a.cjs', 'a.mjs']) {
        const [program, args] = manager.node;
        const out = await ok(dir, program, [...args, script, INPUT]);
        assert.match(out, /^\d+ function .*bin.heapquarry(\.exe)?\s*$/, out);
      }
    });
  }

  test('no package manager fetched the command of another platform', () => {
    const own = `heapquarry-${process.platform}-${process.arch}-`;
    const strangers = registry.fetched.filter(file => !file.startsWith(own) && !/^heapquarry-\d/.test(file));
    assert.deepEqual(strangers, []);
    assert.ok(registry.fetched.length >= 6, registry.fetched.join());
  });
});

// What docs/npm.md says: nothing of heapquarry comes from a registry.
test('the tarballs are installed as files', async t => {
  const dir = scratch(t);
  fs.writeFileSync(path.join(dir, 'package.json'), '{"name":"empty","private":true}');
  const empty = http.createServer((request, response) => response.writeHead(404).end('{}'));
  await new Promise(done => empty.listen(0, '127.0.0.1', done));
  t.after(() => empty.close());
  const own = new RegExp(`^heapquarry-(${process.platform}-${process.arch}-)?\\d.*\\.tgz$`);
  const files = fs.readdirSync(built).filter(file => own.test(file)).map(file => path.join(built, file));
  assert.equal(files.length, 2, files.join());
  const env = { npm_config_registry: `http://127.0.0.1:${empty.address().port}/` };
  const installed = await run(dir, 'npm', ['install', '--no-audit', '--no-fund', '--save-dev', ...files], env);
  assert.equal(installed.code, 0, installed.stderr);
  const answer = JSON.parse(await ok(dir, 'npx', ['--no-install', 'heapquarry', 'summary', HEAP, '--json']));
  assert.equal(answer.totals.node_count, NODES);
});

test('without the package of the platform the error says what to do', async t => {
  const dir = scratch(t);
  fs.writeFileSync(path.join(dir, 'package.json'), '{"name":"empty","private":true}');
  await ok(dir, 'npm', ['install', '--no-audit', '--no-fund', '--omit=optional', 'heapquarry']);
  const { code, stderr } = await run(dir, 'npx', ['--no-install', 'heapquarry', 'summary', INPUT]);
  assert.equal(code, 2);
  for (const part of ['@heapquarry/', 'npm/cli#4828', '--omit=optional', 'HEAPQUARRY_BINARY']) {
    assert.ok(stderr.includes(part), stderr);
  }
  const own = process.env.HEAPQUARRY_BINARY;
  const set = await run(dir, 'npx', ['--no-install', 'heapquarry', '--version'], { HEAPQUARRY_BINARY: own });
  assert.equal(set.code, 0, set.stderr);
  const wrong = await run(dir, 'npx', ['--no-install', 'heapquarry', '--version'], { HEAPQUARRY_BINARY: '/nowhere' });
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /HEAPQUARRY_BINARY names no file: \/nowhere/);
});
