// What `watch` costs a server under load: requests in a second, the 99th percentile of latency, and on Linux the time of
// the processor that a request takes, in turn without and with it. The runs without it, one after the other, tell how
// far such figures differ by themselves. docs/process.md has the figures.
//
// node load.mjs --heapquarry=PATH --scratch=DIR [--node=24] [--rounds=8] [--seconds=10] [--connections=20] [--rate=N]
//
// --node is a version of Node, from the npm package `node`; without it the installed one runs. With --rate so many
// requests come in a second; without it as many as the server takes. The load is that of autocannon, from npm.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { once } from 'node:events';
import { setTimeout as rest } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const text = { type: 'string' };
const { values: options } = parseArgs({
  options: { heapquarry: text, scratch: text, node: text, rounds: text, seconds: text, connections: text, rate: text },
});
const scratch = path.resolve(options.scratch ?? 'target/process');
const seconds = Number(options.seconds ?? 10);
const rounds = Number(options.rounds ?? 8);

/** A program of an npm package. */
function installed(name, version, file) {
  const prefix = path.join(scratch, 'npm', name === 'node' ? version : name);
  const program = path.join(prefix, 'node_modules', name, file);
  if (!fs.existsSync(program)) {
    fs.mkdirSync(prefix, { recursive: true });
    execFileSync('npm', ['install', '--prefix', prefix, '--no-audit', '--no-fund', `${name}@${version}`], { stdio: ['ignore', 'ignore', 'inherit'] });
  }
  return program;
}
const autocannon = installed('autocannon', '8', 'autocannon.js');
const node = options.node ? installed('node', options.node, 'bin/node') : process.execPath;

/** What a program says at its end. */
async function output(child) {
  let said = '';
  child.stdout.on('data', data => (said += data));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${child.spawnargs.join(' ')} ended with ${code}`);
  return JSON.parse(said);
}

/** Hundredths of a second that a process has used of processors. */
function used(pid) {
  const stat = `/proc/${pid}/stat`;
  if (!fs.existsSync(stat)) return NaN;
  const fields = fs.readFileSync(stat, 'utf8').split(') ')[1].split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** Requests in a second, the 99th percentile of their latency in milliseconds, and the microseconds that one takes. */
async function loaded(port) {
  const before = used(server.pid);
  const args = ['--json', '--duration', String(seconds), '--connections', options.connections ?? '20'];
  if (options.rate) args.push('--overallRate', options.rate);
  const child = spawn(process.execPath, [autocannon, ...args, `http://127.0.0.1:${port}/`], { stdio: ['ignore', 'pipe', 'ignore'] });
  const { requests, latency, errors, non2xx } = await output(child);
  if (errors || non2xx) throw new Error(`${errors} errors, ${non2xx} answers that are none`);
  return { rate: requests.average, p99: latency.p99, cpu: ((used(server.pid) - before) * 1e4) / requests.total };
}

/** A watch until it is interrupted: one of a few seconds would collect more often than one of hours. */
const watching = inspector =>
  spawn(options.heapquarry ?? 'heapquarry', ['watch', inspector, '--warm-up', '1s', '--json'], { stdio: ['ignore', 'pipe', 'ignore'] });

const server = spawn(node, ['--inspect=0', path.join(import.meta.dirname, 'programs', 'server.js')], { stdio: ['ignore', 'pipe', 'pipe'] });
const [inspector, port] = await Promise.all([
  once(server.stderr, 'data').then(([data]) => String(data).match(/:(\d+)\//)[1]),
  once(server.stdout, 'data').then(([data]) => String(data).trim()),
]);
server.stderr.resume();

const runs = { without: [], with: [] };
let [collections, longest] = [0, 0];
const load = [os.loadavg()[0]];
try {
  await loaded(port);
  for (let round = 0; round < rounds; round++) {
    runs.without.push(await loaded(port));
    const watch = watching(inspector);
    const said = output(watch);
    await rest(1000);
    runs.with.push(await loaded(port));
    watch.kill('SIGINT');
    const answer = await said;
    collections += answer.live_count;
    longest = Math.max(longest, answer.longest_answer / 1e6);
    load.push(os.loadavg()[0]);
  }
} finally {
  server.kill();
}

const median = values => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const percent = value => `${value >= 1 ? '+' : ''}${((value - 1) * 100).toFixed(1)} %`;
const shown = (name, ratios) => `${name} ${percent(median(ratios))} (${percent(Math.min(...ratios))} to ${percent(Math.max(...ratios))})`;
const figures = [
  ['requests in a second', run => run.rate, ''], ['99th percentile', run => run.p99, ' ms'], ['processor time of a request', run => run.cpu, ' us'],
];
for (const [name, figure, unit] of figures) {
  const [without, withIt] = [runs.without.map(figure), runs.with.map(figure)];
  // A run with it is held against the two around it.
  const ratios = withIt.map((value, at) => value / ((without[at] + (without[at + 1] ?? without[at])) / 2));
  const noise = without.slice(1).map((value, at) => value / without[at]);
  console.log(`${name}: ${median(without).toFixed(0)}${unit} without, ${median(withIt).toFixed(0)}${unit} with; ${shown('watch', ratios)}; ${shown('by itself', noise)}`);
}
console.log(`${collections} collections in ${rounds} watches, longest answer ${longest.toFixed(0)} ms; load ${Math.min(...load).toFixed(1)} to ${Math.max(...load).toFixed(1)}`);
