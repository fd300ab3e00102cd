// Leaks that people reported and that were repaired, found again by heapquarry: each program of real/ uses a package of
// npm in the release that leaks, and in the one that does not. The first line says what is to be found: package, releases,
// further packages ("with"; two releases if they differ), the files that the repair changed, owner and class, and where
// it was reported.
//
// node real.mjs --heapquarry=PATH --scratch=DIR [--nodes=22,24] [--only=NAME,…] [--jobs=2] [--strict]
//
// --nodes are further versions of Node, from the npm package `node`.
// Packages are installed into the scratch folder without running anything of them; nothing of them is kept here. Whether a
// release leaks is decided by Node's own count of bytes in use, before heapquarry is asked.
import fs from 'node:fs';
import path from 'node:path';
import { ask, checkNames, close, fileOf, fits, forAll, home, nodes, npm, ofNode, options, play, record, scratch, share, suite, table } from './lib/driver.mjs';

const ROUNDS = 3;
/** Rounds in which bytes are counted, and those of them that are the warm-up. */
const MEASURED = 14, WARM = 4;
/** The least growth of a round that is a leak, in bytes, and the most that the repaired release may grow, as a share of
 * the leak: caches and code still grow a little. */
const GROWS = 4000, STILL_GROWS = 0.1;
/** What is expected, as shares of the leaks. */
const BAR = { first: 0.95, package: 0.95, file: 0.9 };

const root = path.join(scratch, 'real');
const releases = ['leaking', 'fixed'];
const folderOf = (program, release) => path.join(root, release, program.name);
const snapshots = (program, release, version = '') => path.join(folderOf(program, release), 'snapshots', version);

/** A folder with the program beside its packages: a module is looked for from where the program is. */
function install(program, release) {
  const folder = folderOf(program, release);
  fs.mkdirSync(folder, { recursive: true });
  fs.copyFileSync(program.file, path.join(folder, `${program.name}.js`));
  fs.cpSync(path.join(home, 'lib'), path.join(root, release, 'lib'), { recursive: true });
  const dependencies = { [program.package]: program[release] };
  for (const [name, versions] of Object.entries(program.with ?? {})) {
    dependencies[name] = [versions].flat().at(-releases.indexOf(release));
  }
  const manifest = JSON.stringify({ private: true, dependencies });
  const file = path.join(folder, 'package.json');
  if (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === manifest) return;
  fs.rmSync(path.join(folder, 'node_modules'), { recursive: true, force: true });
  fs.rmSync(snapshots(program, release), { recursive: true, force: true });
  fs.writeFileSync(file, manifest);
  npm(folder, ['--ignore-scripts']);
}

/** By how many bytes the program grows in a round: a quarter of the rounds after the warm-up grow by less. */
async function growth(node, program, release) {
  const file = path.join(folderOf(program, release), `${program.name}.js`);
  const used = JSON.parse(await play(ofNode(node.file), file, { MEASURE: String(MEASURED) }));
  const steps = used.slice(WARM).map((bytes, i) => bytes - used[WARM + i - 1]).sort((a, b) => a - b);
  return steps[steps.length >> 2];
}

/** Records the program in both releases, and tells by how much these grow. */
async function prepare(node, program) {
  const grows = {};
  for (const release of releases) {
    install(program, release);
    const folder = snapshots(program, release, node.version), measured = path.join(folder, 'growth');
    const file = path.join(folderOf(program, release), `${program.name}.js`);
    await record(ofNode(node.file), file, folder, ROUNDS);
    if (!fs.existsSync(measured)) fs.writeFileSync(measured, String(await growth(node, program, release)));
    grows[release] = +fs.readFileSync(measured, 'utf8');
  }
  return grows;
}

/** Whether the first finding is the leak, and what it says of it. */
function judge(program, [first = { scripts: [] }, ...others]) {
  const isLeak = one => fits(program.owner, one.owner, one.way) && fits(program.leaked, one.classes);
  const text = `${first.way}\n${first.scripts.join('\n')}`;
  return {
    first: isLeak(first),
    later: others.some(isLeak),
    package: new RegExp(`(^|[ /(])${program.package}/`, 'm').test(text),
    file: program.files.some(file => text.includes(`${program.package}/${file}`)),
    said: `${first.owner} holds more ${first.leaked}; ${first.way}; ${first.scripts.map(script => script.replace(/.*node_modules\//, '')).join(', ')}`,
  };
}

const all = suite(path.join(home, 'real'));
checkNames(all);
const misses = [];

/** Records and asks about all programs in a Node, and gives its row of the table. */
async function row(node) {
  const name = `Node ${node.version.slice(1)}`;
  const miss = text => misses.push(`${name}: ${text}`);
  const judged = [];
  await forAll(all, async program => {
    let grows;
    try {
      grows = await prepare(node, program);
    } catch (error) {
      console.error(error.message);
      miss(`${program.name} failed`);
      return;
    }
    const { leaking, fixed } = grows;
    if (leaking < GROWS || fixed >= STILL_GROWS * leaking) miss(`${program.name}: grows by ${leaking} and ${fixed} bytes a round`);
    const filesOf = release => Array.from({ length: ROUNDS }, (_, i) => fileOf(snapshots(program, release, node.version), i + 1));
    const [found, twin] = releases.map(release => ask(filesOf(release)));
    const one = { ...judge(program, found), twin: twin.length };
    judged.push(one);
    if (one.first && one.package && one.file && !one.twin) return;
    console.error(`  ${name}: ${program.name}: ${JSON.stringify(one)}${one.twin ? `, repaired: ${twin[0].owner} holds more ${twin[0].leaked}` : ''}`);
  });
  const sums = {
    first: share(judged, one => one.first),
    package: share(judged, one => one.package),
    file: share(judged, one => one.file),
  };
  for (const [name, [n, of]] of Object.entries(sums)) if (n < BAR[name] * of) miss(`${name} ${n} of ${of}`);
  const twins = share(judged, one => one.twin);
  if (twins[0]) miss(`${twins[0]} repaired releases with findings`);
  return [name, ...[...Object.values(sums), twins].map(([n, of]) => `${n}/${of}`)];
}

const rows = [];
for (const node of nodes()) rows.push(await row(node));
const head = ['', 'owner and class in the first finding', 'its package', 'a file of the repair', 'repaired releases with findings'];
console.log(table(head, rows));
close(misses);
