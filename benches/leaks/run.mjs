// Runs the programs, takes snapshots, asks heapquarry what leaks, and holds the answers against the truth: the first line
// of each program says what is to be found, @made marks the line where it is made.
//
// node run.mjs --heapquarry=PATH --scratch=DIR [--snapshots=2,3,4] [--nodes=22,24] [--others=deno,bun] [--sessions] [--only=NAME,…] [--jobs=2]
//   [--strict] [--quiet]
//
// --nodes are further versions of Node, from the npm package `node`; --others are other runtimes, from their packages.
// --sessions takes the snapshots of Node again, each in a session of an inspector, so that ids do not last; the first
// findings are held against those with lasting ids. The programs in packages/ use packages of npm, which are installed
// into the scratch folder. Pages (programs/dom) need Chromium and puppeteer-core, which is installed too;
// without Chromium they are skipped. Snapshots are kept in the scratch folder. With --strict what is below the bar is an
// error: see BAR.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { ask, checkNames, close, fileOf, fits, forAll, home, isThere, list, nodes, npm, ofNode, options, record, scratch, share, suite, table } from './lib/driver.mjs';

const programs = path.join(home, 'programs');

// --- snapshots

/** The rounds whose snapshots are asked about: of two both are after the warm-up. */
const roundsOf = count => (count === 2 ? [2, 3] : Array.from({ length: count }, (_, i) => i + 1));
const filesOf = (folder, count) => roundsOf(count).map(round => fileOf(folder, round));

/** Runs all programs, some at a time. */
async function recordAll(command, all, folder, rounds, env = {}) {
  await forAll(all, async program => {
    try {
      await record(command, program.file, path.join(folder, program.name), rounds, { NODE_PATH: packages, ...env });
    } catch (error) {
      console.error(error.message);
      misses.push(`${path.basename(folder)}: ${program.name} failed`);
    }
  });
}

/** The packages that programs use. */
function installPackages() {
  const prefix = path.join(scratch, 'packages');
  fs.mkdirSync(prefix, { recursive: true });
  fs.copyFileSync(path.join(home, 'packages', 'package.json'), path.join(prefix, 'package.json'));
  return npm(prefix);
}

/** Other runtimes: their packages, the program in them, and how it runs programs. */
const OTHERS = {
  deno: ['@deno/linux-x64-glibc/deno', 'run', '-A', '--unstable-detect-cjs', '--v8-flags=--expose-gc'],
  bun: ['@oven/bun-linux-x64/bin/bun', '--expose-gc'],
};

function otherOf(name) {
  const [file, ...args] = OTHERS[name];
  return [path.join(npm(path.join(scratch, 'npm'), ['--ignore-scripts', name]), file), ...args];
}

async function recordPages(pages, folder, rounds, chromium) {
  const missing = pages.filter(page => !isThere(path.join(folder, page.name), rounds));
  if (!missing.length) return;
  const puppeteer = createRequire(path.join(npm(path.join(scratch, 'npm'), ['puppeteer-core']), 'x'))('puppeteer-core');
  const args = ['--no-sandbox', '--disable-gpu', '--allow-file-access-from-files'];
  const browser = await puppeteer.launch({ executablePath: chromium, args, headless: true });
  for (const program of missing) {
    const out = path.join(folder, program.name);
    fs.mkdirSync(out, { recursive: true });
    const html = path.join(out, 'page.html');
    fs.writeFileSync(html, `<!doctype html><meta charset=utf8><body><h1>${program.name}</h1><script src="file://${program.file}"></script>`);
    const page = await browser.newPage();
    await page.goto(`file://${html}`);
    const client = await page.createCDPSession();
    await client.send('HeapProfiler.enable');
    for (let round = 1; round <= rounds; round++) {
      await page.evaluate(`round(${round})`);
      await new Promise(done => setTimeout(done, 100));
      await client.send('HeapProfiler.collectGarbage');
      await client.send('HeapProfiler.collectGarbage');
      const file = fs.openSync(fileOf(out, round), 'w');
      const write = event => fs.writeSync(file, event.chunk);
      client.on('HeapProfiler.addHeapSnapshotChunk', write);
      await client.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
      client.off('HeapProfiler.addHeapSnapshotChunk', write);
      fs.closeSync(file);
    }
    await page.close();
  }
  await browser.close();
}

function chromium() {
  const known = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  return known.find(file => file && fs.existsSync(file));
}

// --- answers

/** Rank by owner or way to it, and whether the owner alone, the class and the place are right. */
function judge(program, found) {
  if (program.none) return { none: true, false: found.length, first: found[0]?.owner };
  const at = found.findIndex(leak => fits(program.owner, leak.owner, leak.way));
  const leak = found[at] ?? {};
  const place = /^(.*):(\d+)$/.exec(leak.made ?? '');
  return {
    rank: at + 1,
    others: found.length - (at >= 0) - (program.second && found.some(leak => fits(program.second.owner, leak.owner, leak.way)) ? 1 : 0),
    strict: at === 0 && fits(program.owner, leak.owner),
    leaked: at >= 0 && fits(program.leaked, leak.classes),
    made: !program.made.length ? null : !!place && place[1] === path.basename(program.file) && program.made.includes(+place[2]),
    first: found[0]?.owner, leaks: found[0]?.leaked, at: leak.made,
  };
}

function score(title, programs, folder, count) {
  const recorded = programs.filter(({ name }) => isThere(path.join(folder, name), roundsOf(count).at(-1)));
  const all = recorded.map(program => ({ program, ...judge(program, ask(filesOf(path.join(folder, program.name), count))) }));
  const leaking = all.filter(one => !one.none), harmless = all.filter(one => one.none);
  for (const { program, first, leaks } of leaking) firsts.set(`${title}: ${program.name}`, `${first} holds more ${leaks}`);
  for (const one of all) {
    const isRight = one.none ? !one.false : one.strict && !one.others && one.leaked && one.made !== false;
    if (isRight || options.quiet) continue;
    const { program, none, ...rest } = one;
    console.error(`  ${title}: ${program.name}: ${JSON.stringify(rest)}`);
  }
  const sums = {
    first: share(leaking, one => one.rank === 1),
    owner: share(leaking, one => one.strict),
    leaked: share(leaking, one => one.leaked),
    made: share(leaking.filter(one => one.made !== null), one => one.made),
    harmless: share(harmless, one => one.false),
  };
  if (!title.endsWith(WITHOUT_IDS)) misses.push(...below(count, sums).map(miss => `${title}: ${miss}`));
  const others = leaking.reduce((n, one) => n + one.others, 0);
  return [title, ...Object.values(sums).map(([n, all]) => `${n}/${all}`), String(others)];
}

// --- the bar

/**
 * What is expected, as shares of the programs. Two snapshots do not tell a cache that fills once from a leak: one of
 * the programs that do not leak is there for that.
 */
const BAR = { first: 1, sameWithoutIds: 0.9, firstOfTwo: 39 / 41, owner: 0.95, leaked: 0.95, made: 0.9, falseOfTwo: 1 };

function below(count, { first, owner, leaked, made, harmless }) {
  const misses = [];
  const hold = (name, [n, all], least) => { if (n < least * all) misses.push(`${name} ${n} of ${all}`); };
  hold('first finding', first, count === 2 ? BAR.firstOfTwo : BAR.first);
  hold('owner', owner, BAR.owner);
  hold('leaked class', leaked, BAR.leaked);
  hold('script and line', made, BAR.made);
  if (harmless[0] > (count === 2 ? BAR.falseOfTwo : 0)) misses.push(`${harmless[0]} harmless programs with findings`);
  return misses;
}

const everything = [programs, path.join(home, 'packages'), path.join(programs, 'dom')].map(suite);
const [plain, withPackages, pages] = everything;
checkNames(everything.flat());
const packages = withPackages.length ? installPackages() : '';
const rows = [], misses = [], firsts = new Map();
const counts = list(options.snapshots ?? '2,3,4').map(Number);
const browser = pages.length ? chromium() : undefined;
if (pages.length && !browser) console.error('SKIPPED the pages: there is no Chromium');
const rounds = Math.max(...counts.map(count => roundsOf(count).at(-1)));
const sessions = options.sessions ? [{}, { SESSIONS: '1' }] : [{}];
const WITHOUT_IDS = ', ids that do not last';
for (const { file, version } of nodes()) {
  for (const [name, all] of [['', plain], [', with packages', withPackages]]) {
    if (!all.length) continue;
    for (const env of sessions) {
      const folder = path.join(scratch, env.SESSIONS ? `${version}-sessions` : version);
      await recordAll(ofNode(file), all, folder, rounds, env);
      const ids = env.SESSIONS ? WITHOUT_IDS : '';
      for (const count of counts) rows.push(score(`Node ${version.slice(1)}${name}, ${count} snapshots${ids}`, all, folder, count));
    }
  }
}
for (const name of list(options.others)) {
  const command = otherOf(name);
  const version = /\d+\.\d+\.\d+/.exec(execFileSync(command[0], ['--version'], { encoding: 'utf8' }))[0];
  const folder = path.join(scratch, `${name}-${version}`);
  await recordAll(command, plain, folder, rounds);
  for (const count of counts) rows.push(score(`${name} ${version}, ${count} snapshots`, plain, folder, count));
}
if (browser) {
  const version = execFileSync(browser, ['--version'], { encoding: 'utf8' }).trim().split(' ').slice(0, 2).join(' ');
  const folder = path.join(scratch, 'pages');
  await recordPages(pages, folder, rounds, browser);
  for (const count of counts) rows.push(score(`${version}, ${count} snapshots`, pages, folder, count));
}
const head = ['', 'first finding', 'by owner alone', 'leaked class', 'script and line', 'harmless programs with findings', 'other findings'];
console.log(table(head, rows));
if (options.sessions) {
  const pairs = [...firsts].filter(([title]) => title.includes(WITHOUT_IDS)).map(([title, first]) => [title, first, firsts.get(title.replace(WITHOUT_IDS, ''))]);
  const others = pairs.filter(([, first, before]) => first !== before);
  for (const [title, first, before] of others) console.error(`  ${title}: ${first}, not ${before}`);
  const same = pairs.length - others.length;
  console.log(`\nThe first finding is that with lasting ids: ${same}/${pairs.length}`);
  if (same < BAR.sameWithoutIds * pairs.length) misses.push(`${others.length} of ${pairs.length} first findings change where ids do not last`);
}
close(misses);
