// Runs programs that leak, each in its own way, and their clean twins, watches them, and holds the verdicts against the
// truth: the table below. docs/process.md has the figures.
//
// node run.mjs --heapquarry=PATH --scratch=DIR [--nodes=20,22,24] [--runs=1] [--for=2min] [--jobs=2] [--only=NAME,…]
//   [--groups=DIR] [--strict]
//
// With --groups each program has a control group of its own below that folder, as in a container: otherwise the cache
// of files is also that of all others of the group, and hides what `page-cache` does.
// --nodes are versions of Node, from the npm package `node`; without it the installed one runs. What was seen stays in the
// scratch folder, a directory of tables for each run: `UPDATE_WATCHES=DIR/watches cargo test --workspace --test watches`
// adds them to the corpus. With --strict a wrong verdict is an error. Verdicts are kept there too: what was run is not
// run again.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

const text = { type: 'string' };
const { values: options } = parseArgs({
  options: {
    heapquarry: text, scratch: text, nodes: text, runs: text, for: text, jobs: text, only: text, groups: text,
    strict: { type: 'boolean' },
  },
});
const scratch = path.resolve(options.scratch ?? 'target/process');
const programs = path.join(import.meta.dirname, 'programs');

// What grows; nothing does in a clean twin, whether or not the engine has given back what it took.
const BOUNDED = ['bounded', 'not_given_back'];
const CASES = [
  { name: 'heap-leak', causes: ['heap'], grows: true },
  { name: 'heap-leak', args: ['clean'], causes: BOUNDED },
  { name: 'buffer-leak', causes: ['buffers'], grows: true },
  { name: 'buffer-leak', args: ['slice'], causes: ['buffers'], grows: true },
  { name: 'buffer-leak', args: ['clean'], causes: BOUNDED },
  { name: 'native-leak', args: ['env'], causes: ['native'], grows: true },
  { name: 'native-leak', args: ['env', 'clean'], causes: BOUNDED },
  { name: 'native-leak', args: ['zlib'], causes: ['native'], grows: true },
  { name: 'native-leak', args: ['zlib', 'clean'], causes: BOUNDED },
  { name: 'native-leak', args: ['wasm'], causes: ['wasm'], grows: true },
  { name: 'native-leak', args: ['wasm', 'clean'], causes: BOUNDED },
  { name: 'native-leak', args: ['worker'], causes: ['other_isolates'], grows: true },
  { name: 'native-leak', args: ['worker', 'clean'], causes: BOUNDED },
  { name: 'fragmentation', args: ['threads'], causes: ['fragmentation'], grows: true },
  { name: 'fragmentation', args: ['threads', 'clean'], causes: BOUNDED },
  { name: 'fragmentation', args: ['peak'], causes: ['fragmentation'] },
  { name: 'fragmentation', args: ['peak', 'clean'], causes: BOUNDED },
  { name: 'page-cache', causes: ['page_cache'], grows: true },
  { name: 'page-cache', args: ['clean'], causes: BOUNDED },
  { name: 'big-limit', flags: ['--max-old-space-size=4096'], causes: BOUNDED },
  { name: 'big-limit', flags: ['--max-old-space-size=192'], suffix: 'small', causes: BOUNDED },
].map(found => ({ args: [], flags: [], grows: false, ...found }));
const titleOf = ({ name, args, suffix }) => [name, ...args, suffix].filter(Boolean).join('-');

function nodeOf(version) {
  const prefix = path.join(scratch, 'npm', version);
  const binary = path.join(prefix, 'node_modules', 'node', 'bin', 'node');
  if (!fs.existsSync(binary)) {
    fs.mkdirSync(prefix, { recursive: true });
    execFileSync('npm', ['install', '--prefix', prefix, '--no-audit', '--no-fund', `node@${version}`], { stdio: ['ignore', 'ignore', 'inherit'] });
  }
  return binary;
}

/** The port of an inspector, as Node says it. */
const portOf = child =>
  new Promise((resolve, reject) => {
    let said = '';
    child.stderr.on('data', data => {
      said += data;
      const port = said.match(/ws:\/\/[^:]+:(\d+)\//)?.[1];
      if (port) resolve(port);
    });
    child.once('exit', () => reject(new Error(said)));
  });

const outputOf = child =>
  new Promise((resolve, reject) => {
    let [out, err] = ['', ''];
    child.stdout.on('data', data => (out += data));
    child.stderr.on('data', data => (err += data));
    child.once('close', code => (code === 0 ? resolve(out) : reject(new Error(err))));
  });

/** The verdict on one run of a program. */
async function judged(node, version, found, run) {
  const file = path.join(programs, `${found.name}.js`);
  const child = spawn(node, ['--inspect=0', ...found.flags, file, ...found.args], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  const group = options.groups && path.join(options.groups, `${titleOf(found)}-${child.pid}`);
  try {
    if (group) {
      fs.mkdirSync(group);
      fs.writeFileSync(path.join(group, 'cgroup.procs'), String(child.pid));
    }
    const output = path.join(scratch, 'watches', `node${version}`, `${titleOf(found)}-${run}`);
    fs.mkdirSync(path.dirname(output), { recursive: true });
    const args = ['watch', await portOf(child), '--for', options.for ?? '2min', '--json', '-o', output, '--force'];
    const answer = JSON.parse(await outputOf(spawn(options.heapquarry ?? 'heapquarry', args)));
    return answer.verdict;
  } finally {
    child.kill();
    await ended;
    // A failure here must not hide one above.
    if (group) await fs.promises.rmdir(group).catch(error => console.error(error.message));
  }
}

const only = options.only?.split(',');
const runs = Number(options.runs ?? 1);
const versions = options.nodes?.split(',') ?? [process.versions.node.split('.')[0]];
const cases = CASES.filter(found => !only || only.includes(titleOf(found)));

// Each verdict is a line of this file, so that a matrix of hours can be stopped and taken up again.
fs.mkdirSync(scratch, { recursive: true });
const kept = path.join(scratch, 'verdicts.jsonl');
const verdicts = fs.existsSync(kept) ? fs.readFileSync(kept, 'utf8').split('\n').filter(Boolean).map(line => JSON.parse(line)) : [];
const ofCase = (version, found) => verdicts.filter(seen => seen.node === version && seen.program === titleOf(found) && seen.run < runs);

// One run of all before the second of any: whenever it is stopped, all were run equally often.
const work = [];
for (let run = 0; run < runs; run++) {
  for (const version of versions) {
    for (const found of cases) {
      if (!ofCase(version, found).some(seen => seen.run === run)) work.push({ version, found, run });
    }
  }
}
const nodes = new Map(versions.map(version => [version, options.nodes ? nodeOf(version) : process.execPath]));

let failures = 0;
async function worker() {
  for (let job = work.shift(); job; job = work.shift()) {
    const { version, found, run } = job;
    const load = os.loadavg()[0];
    let verdict;
    try {
      verdict = await judged(nodes.get(version), version, found, run);
    } catch (error) {
      // It is no verdict: it is not kept, so that it runs again.
      console.error(`node ${version}  ${titleOf(found)} ${run}: ${error.message.trim()}`);
      failures += 1;
      continue;
    }
    const { cause, is_growing, certainty, text } = verdict;
    const is_right = found.causes.includes(cause) && is_growing === found.grows;
    const seen = { node: version, program: titleOf(found), run, is_right, cause, is_growing, certainty, load, text };
    verdicts.push(seen);
    fs.appendFileSync(kept, `${JSON.stringify(seen)}\n`);
  }
}
await Promise.all(Array.from({ length: Number(options.jobs ?? 2) }, worker));

let wrong = 0;
for (const version of versions) {
  for (const found of cases) {
    const all = ofCase(version, found);
    const right = all.filter(seen => seen.is_right);
    const sure = right.filter(seen => seen.certainty === 'high').length;
    const others = all.filter(seen => !seen.is_right).map(seen => `\n    ${seen.text ?? seen.cause}`);
    wrong += others.length;
    console.log(`node ${version}  ${titleOf(found).padEnd(24)} ${right.length} of ${all.length} right, ${sure} sure`, ...others);
  }
}
process.exitCode = failures || (options.strict && wrong) ? 1 : 0;
