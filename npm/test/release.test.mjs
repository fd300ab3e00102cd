// The step of the release workflow that publishes to npm, as a runner runs it, against a registry on loopback.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { require, root, scratch } from './setup.mjs';

const { parse } = require('yaml');
const { jobs } = parse(fs.readFileSync(path.join(root, '.github/workflows/release.yml'), 'utf8'));

/** A registry that takes packages, and refuses those of a name for now and a version that it has. */
async function registry(t) {
  const state = { packages: new Map(), published: [], refused: undefined };
  const server = http.createServer(async (request, response) => {
    const name = decodeURIComponent(request.url.slice(1).replace(/\?.*/, ''));
    const there = state.packages.get(name);
    if (request.method !== 'PUT') {
      response.writeHead(there ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(there ?? {}));
      return;
    }
    let body = '';
    for await (const chunk of request) body += chunk;
    const sent = JSON.parse(body);
    const [version] = Object.keys(sent.versions);
    if (name === state.refused || there?.versions[version]) {
      response.writeHead(403).end('{"error":"refused"}');
      return;
    }
    state.packages.set(name, { ...sent, versions: { ...there?.versions, ...sent.versions } });
    state.published.push(`${name}@${version}`);
    response.writeHead(201).end('{}');
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  return { state, port: server.address().port };
}

/** Packs a package of this name and version into `tarballs`. */
function pack(dir, name, version) {
  const folder = path.join(dir, 'packages', name);
  fs.mkdirSync(folder, { recursive: true });
  fs.mkdirSync(path.join(dir, 'tarballs'), { recursive: true });
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name, version }));
  const done = spawnSync('npm', ['pack', folder, '--pack-destination', path.join(dir, 'tarballs')], { cwd: dir, encoding: 'utf8', timeout: 300_000 });
  assert.equal(done.status, 0, done.stderr);
}

/** Runs the step without what this machine says of npm. */
function run(dir, script) {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_config_/i.test(name));
  const options = { cwd: dir, env: { ...Object.fromEntries(own), HOME: dir }, timeout: 300_000 };
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], options);
  return new Promise(resolve => {
    let log = '';
    child.stdout.on('data', text => { log += text; });
    child.stderr.on('data', text => { log += text; });
    child.on('close', code => resolve({ code, log }));
  });
}

test('publishing goes on where it stopped', async t => {
  const dir = scratch(t);
  const { state, port } = await registry(t);
  fs.writeFileSync(path.join(dir, '.npmrc'), `registry=http://127.0.0.1:${port}/\n//127.0.0.1:${port}/:_authToken=x\nfetch-retries=0\nupdate-notifier=false\n`);
  // The shim comes last, because it names the other.
  const names = ['@heapquarry/linux-x64', 'heapquarry'];
  for (const name of names) pack(dir, name, '0.1.0');
  const [{ run: script }] = jobs.publish.steps.filter(step => step.run?.includes('npm publish'));
  state.refused = 'heapquarry';
  const stopped = await run(dir, script);
  assert.ok(stopped.code > 0, stopped.log);
  assert.deepEqual(state.published, ['@heapquarry/linux-x64@0.1.0'], stopped.log);
  state.refused = undefined;
  for (let again = 0; again < 2; again += 1) {
    const done = await run(dir, script);
    assert.equal(done.code, 0, done.log);
    assert.deepEqual(state.published, names.map(name => `${name}@0.1.0`));
  }
});

test('nothing is built before the tag is held against the version', () => {
  for (const [name, { needs }] of Object.entries(jobs)) {
    assert.ok(name === 'versions' || [needs].flat().length > 0, name);
  }
  const [check] = jobs.versions.steps.filter(step => step.run);
  assert.match(check.run, /--only=versions .*--tag=/);
  const [pypi] = jobs.publish.steps.filter(step => step.uses?.startsWith('pypa/'));
  assert.equal(pypi.with['skip-existing'], true);
});
