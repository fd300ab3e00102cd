// What the drivers of the suites share: their options, programs, recordings and questions.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the suites. */
export const home = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Arguments of the driver, `--NAME=VALUE` or `--NAME`. */
export const options = Object.fromEntries(process.argv.slice(2).map(arg => {
  const [, name, value] = /^--([a-z]+)(?:=(.*))?$/.exec(arg) ?? [];
  if (!name) throw new Error(`unknown argument ${arg}`);
  return [name, value ?? true];
}));
export const list = text => (text ? String(text).split(',') : []);
export const scratch = path.resolve(options.scratch ?? 'target/leaks');
/** Names of programs; the others are left out. */
export const only = list(options.only);

// --- what is to be found

/** The first line of a program says what is to be found, @made marks the line where it is made. */
function truth(file) {
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  const expected = JSON.parse(/TRUTH (\{.*\})/.exec(lines[0])[1]);
  const made = lines.flatMap((line, i) => (i > 0 && line.includes('@made') ? [i + 1] : []));
  return { name: path.basename(file, '.js'), file, made, ...expected };
}

export function suite(folder) {
  const names = fs.readdirSync(folder).filter(name => name.endsWith('.js')).sort();
  return names.map(name => truth(path.join(folder, name))).filter(p => !only.length || only.includes(p.name));
}

/** An error if a name of --only is in none of the suites. */
export function checkNames(programs) {
  const unknown = only.filter(name => !programs.some(program => program.name === name));
  if (unknown.length) throw new Error(`no such program: ${unknown.join(', ')}`);
}

// --- snapshots

export const fileOf = (folder, round) => path.join(folder, `${round}.heapsnapshot`);

/** Whether all rounds are recorded; the file `running` tells an interrupted run. */
export function isThere(folder, rounds) {
  return fs.existsSync(fileOf(folder, rounds)) && !fs.existsSync(path.join(folder, 'running'));
}

/** How a Node runs programs. */
export const ofNode = file => [file, '--expose-gc'];

/** The Node that runs this, and those of --nodes, from the package `node`: the file and the version of each. */
export function nodes() {
  const others = list(options.nodes).map(version => {
    const modules = npm(path.join(scratch, 'npm'), [`node${version}@npm:node@${version}`]);
    return path.join(modules, `node${version}`, 'bin', 'node');
  });
  return [process.execPath, ...others].map(file => ({ file, version: execFileSync(file, ['--version'], { encoding: 'utf8' }).trim() }));
}

/** Runs a program by a command, and gives what it prints. */
export async function play([command, ...args], file, env) {
  const cwd = path.dirname(file);
  const run = spawn(command, [...args, path.basename(file)], { cwd, env: { ...process.env, ...env }, timeout: 300_000, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '', errors = '';
  run.stdout.on('data', text => { output += text; });
  run.stderr.on('data', text => { errors += text; });
  const [status, signal] = await once(run, 'close');
  if (status !== 0) throw new Error(`${path.basename(file, '.js')}: ${signal ?? status}: ${errors}`);
  return output;
}

/** Runs a program by a command; it writes a snapshot after each round. */
export async function record(command, file, folder, rounds, env = {}) {
  if (isThere(folder, rounds)) return;
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'running'), '');
  await play(command, file, { OUT: folder, SNAPS: String(rounds), ...env });
  fs.rmSync(path.join(folder, 'running'));
}

/** Does the work for all, some at a time. */
export async function forAll(all, work) {
  const waiting = [...all];
  const worker = async () => {
    for (let next; (next = waiting.shift());) await work(next);
  };
  await Promise.all(Array.from({ length: +(options.jobs ?? 2) }, worker));
}

/** Installs what the folder's package.json and `names` ask for; nothing of a package is run. */
export function npm(prefix, names = []) {
  fs.mkdirSync(prefix, { recursive: true });
  const args = ['install', '--silent', '--no-audit', '--no-fund', '--prefix', prefix, ...names];
  execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  return path.join(prefix, 'node_modules');
}

// --- answers

/** Every script that a finding names. */
function scripts(finding) {
  if (!finding || typeof finding !== 'object') return [];
  const own = typeof finding.script_name === 'string' ? [finding.script_name] : [];
  return [...new Set([...own, ...Object.values(finding).flatMap(scripts)])];
}

/** What the suites look at in a finding. */
const told = finding => ({
  owner: finding.owner, way: finding.way, leaked: finding.leaked, classes: `${finding.leaked} ${JSON.stringify(finding.groups)}`,
  made: finding.made_at?.place, scripts: scripts(finding),
});

/** The findings of `heapquarry leaks`, best first. */
export function ask(files) {
  const out = execFileSync(path.resolve(options.heapquarry), ['leaks', ...files, '--json', '--quiet'], { encoding: 'utf8', maxBuffer: 1 << 28 });
  return JSON.parse(out).findings.map(told);
}

export const fits = (patterns, ...texts) => patterns.some(p => texts.some(text => new RegExp(p).test(text ?? '')));

// --- tables

export const table = (head, rows) => [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n');
export const share = (list, test) => [list.filter(test).length, list.length];

/** With --strict what is below the bar is an error. */
export function close(misses) {
  if (!options.strict || !misses.length) return;
  console.error(`below the bar:\n  ${misses.join('\n  ')}`);
  process.exitCode = 1;
}
