// How long a heap snapshot stops a process, and how long `capture` says beforehand that it will: heaps of several
// kinds and sizes, under several versions of Node. What is compared is the processor time of the snapshot, so that
// other work on the machine counts little. docs/capture.md has the figures.
//
// node pause.mjs --heapquarry=PATH --scratch=DIR [--nodes=20,22,24] [--sizes=10,20,40,80] [--jobs=1]
//
// --nodes are versions of Node, from the npm package `node`. What was measured is kept in the scratch folder, and is
// not measured again.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

const text = { type: 'string' };
const { values: options } = parseArgs({
  options: { heapquarry: text, scratch: text, nodes: text, sizes: text, jobs: text },
});
const scratch = path.resolve(options.scratch ?? 'target/process');
const versions = (options.nodes ?? '20,22,24').split(',');
const sizes = (options.sizes ?? '10,20,40,80').split(',').map(Number);
const KINDS = ['objects', 'closures', 'list', 'dictionaries', 'strings'];
/** Besides them: what takes minutes before V8 11.5 unless `capture` prevents it. */
const SLOW = { kind: 'script', size: 20 };

function nodeOf(version) {
  const prefix = path.join(scratch, 'npm', version);
  const binary = path.join(prefix, 'node_modules', 'node', 'bin', 'node');
  if (!fs.existsSync(binary)) {
    fs.mkdirSync(prefix, { recursive: true });
    const words = ['install', '--prefix', prefix, '--no-audit', '--no-fund', `node@${version}`];
    execFileSync('npm', words, { stdio: ['ignore', 'ignore', 'inherit'] });
  }
  return binary;
}

/** What is said on a stream, from the first match of a pattern on. */
const said = (child, stream, pattern) =>
  new Promise((resolve, reject) => {
    let all = '';
    child[stream].on('data', data => {
      all += data;
      const found = all.match(pattern);
      if (found) resolve(found[1]);
    });
    child.once('close', () => reject(new Error(`without ${pattern}: ${all}`)));
  });

/** Waits for the end of a command, whose failure is an error with what it said. */
const outcome = child =>
  new Promise((resolve, reject) => {
    let all = '';
    child.stderr.on('data', data => (all += data));
    child.once('close', code => (code === 0 ? resolve() : reject(new Error(`exit code ${code}: ${all}`))));
  });

/** Seconds that were predicted, and those of the processor that the snapshot took. */
async function measured(version, { kind, size }) {
  const program = path.join(import.meta.dirname, 'programs', 'heaps.js');
  const args = ['--inspect=0', '--max-old-space-size=4096', program, kind, String(size)];
  const child = spawn(nodeOf(version), args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  try {
    const ready = said(child, 'stdout', /ready (\d+)/);
    const port = await said(child, 'stderr', /ws:\/\/[^:]+:(\d+)\//);
    child.stderr.resume();
    const heap = Number(await ready);
    const took = said(child, 'stdout', /took ([\d.]+)/);
    const words = ['capture', port, '--raw', '/dev/null', '--force'];
    const capture = spawn(options.heapquarry ?? 'heapquarry', words, { stdio: ['ignore', 'ignore', 'pipe'] });
    const predicting = said(capture, 'stderr', /stops for about ([\d.]+ \w+)/);
    const [told] = await Promise.all([predicting, outcome(capture)]);
    const [number, unit] = told.split(' ');
    const predicted = Number(number) * { s: 1, ms: 1e-3, min: 60 }[unit];
    return { heap, predicted, took: Number(await took) };
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

fs.mkdirSync(scratch, { recursive: true });
const kept = path.join(scratch, 'pauses.jsonl');
const lines = fs.existsSync(kept) ? fs.readFileSync(kept, 'utf8').split('\n') : [];
const done = lines.filter(Boolean).map(line => JSON.parse(line));
const heaps = [...KINDS.flatMap(kind => sizes.map(size => ({ kind, size }))), SLOW];
const of = (version, { kind, size }) =>
  done.find(seen => seen.node === version && seen.kind === kind && seen.size === size);
const all = heaps.flatMap(heap => versions.map(version => ({ version, heap })));
const work = all.filter(({ version, heap }) => !of(version, heap));

async function worker() {
  for (let job = work.shift(); job; job = work.shift()) {
    const { version, heap } = job;
    const found = { node: version, ...heap, ...(await measured(version, heap)) };
    done.push(found);
    fs.appendFileSync(kept, `${JSON.stringify(found)}\n`);
  }
}
await Promise.all(Array.from({ length: Number(options.jobs ?? 1) }, worker));

console.log('| heap | MB | '.concat(versions.map(version => `Node ${version}`).join(' | '), ' |'));
const within = Object.fromEntries(versions.map(version => [version, 0]));
for (const heap of heaps) {
  const cells = versions.map(version => {
    const { predicted, took } = of(version, heap);
    const factor = predicted / took;
    if (heap !== SLOW && factor >= 0.5 && factor <= 2) within[version] += 1;
    return `${predicted.toFixed(2)} / ${took.toFixed(2)} s, ${factor.toFixed(2)}`;
  });
  console.log(`| ${heap.kind} | ${heap.size} | ${cells.join(' | ')} |`);
}
const sums = versions.map(version => `${within[version]} of ${heaps.length - 1} (Node ${version})`);
console.log(`within a factor of 2: ${sums.join(', ')}`);
