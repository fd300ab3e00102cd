// Runs the programs, takes snapshots, asks heapquarry what leaks, and holds the answers against the truth: the first line
// of each program says what is to be found, @made marks the line where it is made.
//
// node run.mjs --heapquarry=PATH --scratch=DIR [--snapshots=2,3,4] [--nodes=22,24] [--only=NAME,…] [--quiet]
//
// --nodes are further versions of Node, from the npm package `node`. The programs in packages/ use packages of npm, which
// are installed into the scratch folder. Pages (programs/dom) need Chromium and puppeteer-core, which is installed too;
// without Chromium they are skipped. Snapshots are kept in the scratch folder.
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const programs = path.join(here, 'programs');
const options = Object.fromEntries(process.argv.slice(2).map(arg => {
  const [, name, value] = /^--([a-z]+)(?:=(.*))?$/.exec(arg) ?? [];
  if (!name) throw new Error(`unknown argument ${arg}`);
  return [name, value ?? true];
}));
const list = text => (text ? String(text).split(',') : []);
const scratch = path.resolve(options.scratch ?? 'target/leaks');
const only = list(options.only);

// --- what is to be found

function truth(file) {
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  const expected = JSON.parse(/TRUTH (\{.*\})/.exec(lines[0])[1]);
  const made = lines.flatMap((line, i) => (i > 0 && line.includes('@made') ? [i + 1] : []));
  return { name: path.basename(file, '.js'), file, made, ...expected };
}

function suite(folder) {
  const names = fs.readdirSync(folder).filter(name => name.endsWith('.js')).sort();
  return names.map(name => truth(path.join(folder, name))).filter(p => !only.length || only.includes(p.name));
}

// --- snapshots

function isThere(folder, count) {
  return fs.existsSync(path.join(folder, `${count}.heapsnapshot`)) && !fs.existsSync(path.join(folder, 'running'));
}

/** Runs a program of Node; the note `running` tells an interrupted run. */
function record(node, program, folder, count) {
  if (isThere(folder, count)) return;
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'running'), '');
  const env = { ...process.env, OUT: folder, SNAPS: String(count), NODE_PATH: packages };
  const cwd = path.dirname(program.file);
  const run = spawnSync(node, ['--expose-gc', path.basename(program.file)], { cwd, env, timeout: 180_000, encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`${program.name}: ${run.error ?? run.stderr}`);
  fs.rmSync(path.join(folder, 'running'));
}

function npm(prefix, names = []) {
  fs.mkdirSync(prefix, { recursive: true });
  const args = ['install', '--silent', '--no-audit', '--no-fund', '--prefix', prefix, ...names];
  execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  return path.join(prefix, 'node_modules');
}

/** The packages that programs use. */
function installPackages() {
  const prefix = path.join(scratch, 'packages');
  fs.mkdirSync(prefix, { recursive: true });
  fs.copyFileSync(path.join(here, 'packages', 'package.json'), path.join(prefix, 'package.json'));
  return npm(prefix);
}

function nodeOf(version) {
  const modules = npm(path.join(scratch, 'npm'), [`node${version}@npm:node@${version}`]);
  const path_ = path.join(modules, `node${version}`, 'bin', 'node');
  execFileSync(path_, ['--version']);
  return path_;
}

async function recordPages(pages, folder, count, chromium) {
  const missing = pages.filter(page => !isThere(path.join(folder, page.name), count));
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
    for (let round = 1; round <= count; round++) {
      await page.evaluate(`round(${round})`);
      await new Promise(done => setTimeout(done, 100));
      await client.send('HeapProfiler.collectGarbage');
      await client.send('HeapProfiler.collectGarbage');
      const file = fs.openSync(path.join(out, `${round}.heapsnapshot`), 'w');
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

function ask(folder, count) {
  const files = Array.from({ length: count }, (_, i) => path.join(folder, `${i + 1}.heapsnapshot`));
  const out = execFileSync(path.resolve(options.heapquarry), ['leaks', ...files, '--json', '--quiet'], { encoding: 'utf8', maxBuffer: 1 << 28 });
  return JSON.parse(out).findings;
}

const fits = (patterns, ...texts) => patterns.some(p => texts.some(text => new RegExp(p).test(text ?? '')));

/** Rank by owner or way to it, and whether the owner alone, the class and the place are right. */
function judge(program, found) {
  if (program.none) return { none: true, false: found.length, first: found[0]?.owner };
  const at = found.findIndex(leak => fits(program.owner, leak.owner, leak.via));
  const leak = found[at] ?? {};
  const place = /^(.*):(\d+)$/.exec(leak.made_at ?? '');
  return {
    rank: at + 1,
    others: found.length - (at >= 0) - (program.second && found.some(leak => fits(program.second.owner, leak.owner, leak.via)) ? 1 : 0),
    strict: at === 0 && fits(program.owner, leak.owner),
    leaked: at >= 0 && fits(program.leaked, `${leak.leaked} ${JSON.stringify(leak.groups)}`),
    made: !program.made.length ? null : !!place && place[1] === path.basename(program.file) && program.made.includes(+place[2]),
    first: leak.owner, at: leak.made_at,
  };
}

function score(title, programs, folder, count) {
  const all = programs.map(program => ({ program, ...judge(program, ask(path.join(folder, program.name), count)) }));
  const leaking = all.filter(one => !one.none), harmless = all.filter(one => one.none);
  const of = (list, test) => `${list.filter(test).length}/${list.length}`;
  for (const one of all) {
    const isRight = one.none ? !one.false : one.rank === 1 && !one.others && one.leaked && one.made !== false;
    if (isRight || options.quiet) continue;
    const { program, none, ...rest } = one;
    console.error(`  ${title}: ${program.name}: ${JSON.stringify(rest)}`);
  }
  return [title, of(leaking, one => one.rank === 1), of(leaking, one => one.strict), of(leaking, one => one.leaked),
    of(leaking.filter(one => one.made !== null), one => one.made), of(harmless, one => one.false), String(leaking.reduce((n, one) => n + one.others, 0))];
}

const packages = installPackages();
const rows = [];
const counts = list(options.snapshots ?? '2,3,4').map(Number);
const browser = chromium();
if (!browser) console.error('SKIPPED the pages: there is no Chromium');
const nodes = [process.execPath, ...list(options.nodes).map(nodeOf)];
for (const node of nodes) {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  for (const count of counts) {
    const folder = path.join(scratch, `${version}-${count}`);
    for (const [name, from] of [['', programs], [', with packages', path.join(here, 'packages')]]) {
      const all = suite(from);
      all.forEach(program => record(node, program, path.join(folder, program.name), count));
      rows.push(score(`Node ${version.slice(1)}${name}, ${count} snapshots`, all, folder, count));
    }
  }
}
if (browser) {
  const version = execFileSync(browser, ['--version'], { encoding: 'utf8' }).trim().split(' ').slice(0, 2).join(' ');
  const pages = suite(path.join(programs, 'dom'));
  for (const count of counts) {
    const folder = path.join(scratch, `pages-${count}`);
    await recordPages(pages, folder, count, browser);
    rows.push(score(`${version}, ${count} snapshots`, pages, folder, count));
  }
}
const head = ['', 'first finding', 'by owner alone', 'leaked class', 'script and line', 'harmless programs with findings', 'other findings'];
console.log([head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n'));
