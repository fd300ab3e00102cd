// Where things are.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
/** The command: `cargo xtask test` names the one that it built. */
process.env.HEAPQUARRY_BINARY ??= path.join(root, 'target/debug/heapquarry');
/** Tarballs, and packages that the tests need: `cargo xtask test` makes both. */
export const built = process.env.HEAPQUARRY_NPM ?? path.join(root, 'target/npm');
/** Loads a package that the tests need. */
export const require = createRequire(path.join(built, 'test', 'x'));
/** The package under test, as it is in the source tree. */
export const source = path.join(root, 'npm/heapquarry');

export const corpus = name => path.join(root, 'corpus', name);

/** A folder that is removed after the test. */
export function scratch(test) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'heapquarry-npm-'));
  test.after(() => fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  return dir;
}
