// The forms of reports, held against the schemas of what reads them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { corpus, require, root, scratch } from './setup.mjs';

const schema = name => fs.readFileSync(path.join(root, 'npm/test/schemas', name), 'utf8');

function run(args) {
  try {
    return execFileSync(process.env.HEAPQUARRY_BINARY, args, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    assert.equal(error.status, 1, `${args}: ${error.stderr}`);
    return error.stdout;
  }
}

/** Reports with everything that such a report can have: kept, exceeded and skipped limits, several runs, odd names, none. */
function reports(t, format) {
  const dir = scratch(t);
  const file = (name, text) => {
    fs.writeFileSync(path.join(dir, name), text);
    return path.join(dir, name);
  };
  const heap = file('heap.toml', '[total]\nsize = ["1 kB", "1 GB", "+1%"]\n[class."*"]\ncount = "+0"\nretained = "1 TB"\n[class."a<b>&\\"\\u001b"]\ncount = 1\noptional = true\n');
  const cpu = file('cpu.toml', '[total]\nbusy = "1 us"\n[function."*"]\nself_share = ["1%", "+1pp"]\n');
  const [a, b, c] = ['node18', 'node20-internals', 'node22'].map(name => corpus(`${name}.heapsnapshot.gz`));
  const [p, q] = ['node12', 'current'].map(name => corpus(`profiles/${name}.cpuprofile`));
  return [
    ['check', c, '--budget', heap],
    ['check', c, '--budget', heap, '--baseline', a],
    ['check', a, b, c, '--runs', '--budget', heap, '--baseline', a],
    ['check', q, '--budget', cpu, '--baseline', p],
    ['diff', a, c],
    ['diff', a, c, '--fail-on', 'class[(string)].count>+1', '--fail-on', 'size > 1 GB'],
    ['diff', p, q, '--fail-on', 'busy>+1%'],
  ].map(args => run([...args, '--format', format]));
}

function validate(t, format) {
  const Ajv = require('ajv');
  const check = new (Ajv.default ?? Ajv)().compile(JSON.parse(schema(`${format}.json`)));
  return reports(t, format).map(text => {
    const report = JSON.parse(text);
    assert.ok(check(report), `${JSON.stringify(check.errors)}\n${text.slice(0, 2000)}`);
    return report;
  });
}

test('bencher', t => {
  const [check, , runs, cpu, diff] = validate(t, 'bencher');
  assert.ok(check.total.size.value > 1e6 && check.total.count.value > 1e4);
  assert.ok(runs.total.size.lower_value <= runs.total.size.value && runs.total.size.value <= runs.total.size.upper_value);
  assert.ok(Object.keys(cpu).some(name => name.startsWith('function/')));
  assert.deepEqual(Object.keys(diff), ['total']);
});

test('benchmark-action', t => {
  const all = validate(t, 'benchmark-action');
  for (const report of all) {
    const names = report.map(entry => entry.name);
    // An entry of the same name would replace the other.
    assert.equal(new Set(names).size, names.length);
  }
  assert.ok(all[0].some(({ name, unit }) => name === 'total size' && unit === 'bytes'));
  assert.ok(all[2].every(({ range }) => / to /.test(range)));
});

test('junit', async t => {
  const { validateXML } = require('xmllint-wasm');
  const check = async xml => validateXML({ xml: [{ fileName: 'report.xml', contents: xml }], schema: [schema('junit.xsd')] });
  for (const xml of reports(t, 'junit')) {
    const { valid, errors } = await check(xml);
    assert.ok(valid, `${errors.map(error => error.message).join('\n')}\n${xml.slice(0, 2000)}`);
  }
  assert.equal((await check('<testsuites><testcase/></testsuites>')).valid, false);
});
