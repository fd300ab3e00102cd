// The script of the page of `heapquarry open`, held against the types in its comments.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { require, root } from './setup.mjs';

test('the page keeps to its types', () => {
  const flags = ['--strict', '--noEmit', '--allowJs', '--checkJs', '--target', 'es2022', '--module', 'esnext',
    '--moduleResolution', 'bundler', '--lib', 'es2022,dom,dom.iterable', '--skipLibCheck'];
  const main = path.join(root, 'crates/heapquarry-explore/assets/main.js');
  const done = spawnSync(process.execPath, [require.resolve('typescript/bin/tsc'), ...flags, main], { encoding: 'utf8' });
  assert.equal(done.stdout, '');
  assert.equal(done.status, 0);
});
