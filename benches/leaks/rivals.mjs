// What other tools say of the leaks of real.mjs, asked about the same snapshots: DevTools' comparison of the last
// snapshot with the first, by each of its columns, and memlab. A line counts as right if it names the owner, the class
// that leaks, or the container by its id, so these are judged more kindly than `heapquarry leaks`.
//
// node rivals.mjs --heapquarry=PATH --scratch=DIR [--only=NAME,…]
//
// real.mjs has recorded the snapshots before. DevTools' comparison is that of `heapquarry diff`, which has the same
// numbers.
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { ask, checkNames, fileOf, fits, home, isThere, npm, options, scratch, suite, table } from './lib/driver.mjs';

const ROUNDS = 3;
/** Lines in which the leak is looked for besides the first. */
const FIRST_LINES = 5;
const MEMLAB = 'memlab@2.0.5';

const modules = npm(path.join(scratch, 'memlab'), ['--ignore-scripts', MEMLAB]);
const work = path.join(scratch, 'memlab', 'work');
const read = (command, args) => execFileSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28, timeout: 300_000, stdio: ['ignore', 'pipe', 'ignore'] });
/** What memlab says; it writes its lists to the standard error. */
function memlab(...args) {
  const command = [path.join(modules, '@memlab/cli/bin/memlab.js'), ...args, '--work-dir', work];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8', maxBuffer: 1 << 28, timeout: 300_000 });
  if (status !== 0) throw new Error(`memlab ${args[0]}: ${status}: ${stderr}`);
  return stdout + stderr;
}
const bullets = said => said.split('\n').filter(line => line.includes('· '));

/** The classes that grew, sorted by a column of DevTools' comparison. */
function comparison(files, column) {
  const said = read(path.resolve(options.heapquarry), ['diff', files[0], files.at(-1), '--json', '--quiet', '--top', '100000']);
  const rows = JSON.parse(said).classes.rows.filter(row => row[column] > 0);
  return rows.sort((a, b) => b[column] - a[column]).map(row => row.class_name);
}

/** Each tool with what it lists for snapshots, the worst first. */
const tools = {
  '`heapquarry leaks 1 2 3`': files => ask(files).map(one => `${one.owner} ${one.way} ${one.classes}`),
  'DevTools, comparison of 3 with 1, by "Size Delta"': files => comparison(files, 'size_delta'),
  'DevTools, comparison of 3 with 1, by "# Delta"': files => comparison(files, 'count_delta'),
  'DevTools, growth of "Retained Size" from 1 to 3': files => comparison(files, 'retained_delta'),
  '`memlab analyze unbound-collection --snapshot-dir DIR`': files => bullets(memlab('analyze', 'unbound-collection', '--snapshot-dir', path.dirname(files[0]))),
  '`memlab analyze unbound-object --snapshot-dir DIR`': files => bullets(memlab('analyze', 'unbound-object', '--snapshot-dir', path.dirname(files[0]))),
  '`memlab find-leaks --baseline 1 --target 2 --final 3`': ([first, second, third]) => memlab('find-leaks', '--baseline', first, '--target', second, '--final', third).split('Similar leaks in this run').slice(1),
};

const all = suite(path.join(home, 'real'));
checkNames(all);
const folder = (release, program) => path.join(scratch, 'real', release, program.name, 'snapshots', process.version);
const there = all.filter(program => isThere(folder('leaking', program), ROUNDS));
const filesOf = dir => Array.from({ length: ROUNDS }, (_, i) => fileOf(dir, i + 1));
const containers = new Map(there.map(program => {
  const out = read(path.resolve(options.heapquarry), ['leaks', ...filesOf(folder('leaking', program)), '--json', '--quiet']);
  return [program, JSON.parse(out).findings[0]?.container.id];
}));
const rows = Object.entries(tools).map(([name, lines]) => {
  let first = 0, soon = 0, noisy = 0, twins = 0;
  for (const program of there) {
    const isRight = line => fits([...program.owner, ...program.leaked], line) || line.includes(`@${containers.get(program)})`);
    const at = lines(filesOf(folder('leaking', program))).findIndex(isRight);
    first += at === 0;
    soon += at >= 0 && at < FIRST_LINES;
    if (!isThere(folder('fixed', program), ROUNDS)) continue;
    twins++;
    noisy += lines(filesOf(folder('fixed', program))).length > 0;
  }
  fs.rmSync(work, { recursive: true, force: true });
  return [name, `${first}/${there.length}`, `${soon}/${there.length}`, `${noisy}/${twins}`];
});
console.log(table(['', 'first line', `first ${FIRST_LINES} lines`, 'repaired releases with lines'], rows));
