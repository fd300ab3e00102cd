// Makes corpus/*.gz and the recordings of corpus/profiles and corpus/traces with the real producers: Node of several majors, installed with npm below target/,
// and a headless Chromium if one is at hand.
//
// usage: node corpus/generate/all.mjs [NAME...]     only the recordings whose name contains a NAME
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const generate = fileURLToPath(new URL('.', import.meta.url));
const corpus = join(generate, '..');
const scratch = join(corpus, '..', 'target', 'corpus');
// A heap knows the paths of its program, its engine and its output, and the environment. So that recordings do
// not tell whose machine made them, everything runs from here.
const stage = join(tmpdir(), 'heapquarry-corpus');
const MAX_BYTES = 2_000_000;

// name, Node version, what program.js records
const NODE_RECORDINGS = [
  ['node8.heapsnapshot', '8.17.0', 'snapshot'],
  ['node12-insession.heaptimeline', '12.22.12', 'timeline-insession'],
  ['node18.heapsnapshot', '18.20.8', 'snapshot'],
  ['node20-internals.heapsnapshot', '20.20.2', 'internals'],
  ['node22.heapsnapshot', '22.23.3', 'snapshot'],
  ['node24-numeric.heapsnapshot', '24.21.0', 'numeric'],
  ['node24.heaptimeline', '24.21.0', 'timeline'],
  ['node26.heapsnapshot', '26.10.0', 'snapshot'],
];
// name, Node version, what profile.js records
const PROFILE_RECORDINGS = [
  ['node8.cpuprofile', '8.17.0', 'cpu'],
  ['node8.heapprofile', '8.17.0', 'heap'],
  ['node12.cpuprofile', '12.22.12', 'cpu'],
  ['node12.heapprofile', '12.22.12', 'heap'],
  ['node18.cpuprofile', '18.20.8', 'cpu'],
  ['node26.cpuprofile', '26.10.0', 'cpu'],
  ['node26.heapprofile', '26.10.0', 'heap'],
];
// name, Node version
const TRACE_RECORDINGS = [
  ['node18.trace.json', '18.20.8'],
  ['node26.trace.json', '26.10.0'],
];
const TYPESCRIPT = '5.9.3';
// What tsc checks.
const SHAPES = `
interface Shape { area: number; name: string }
type Named<T> = { [K in keyof T as \`get\${string & K}\`]: () => T[K] };
class Square implements Shape { name = 'square'; constructor(private side: number) {} area = this.side * this.side; }
const shapes: Named<Shape>[] = [{ getarea: () => new Square(2).area, getname: () => 'square' }];
export { shapes };
`;
// Writes corpus/names.
const ESBUILD = '0.28.2';
// Node version of corpus/leak
const LEAK_NODE = '20.20.2';
// name, script
const CHROMIUM_RECORDINGS = [
  ['chromium.heapsnapshot', 'chromium.mjs'],
  ['chromium.selfprofile.json', 'selfprofile.mjs'],
  ['chromium.trace.json', 'trace.mjs'],
];
const CHROMIUM_NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

const wanted = process.argv.slice(2);
const isWanted = name => wanted.length === 0 || wanted.some(part => name.includes(part));

function node(version) {
  const prefix = join(scratch, `node-${version}`);
  const binary = join(prefix, 'node_modules', 'node', 'bin', 'node');
  if (!existsSync(binary)) {
    mkdirSync(prefix, { recursive: true });
    const options = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', prefix];
    execFileSync('npm', ['install', ...options, `node@${version}`], { stdio: 'inherit' });
  }
  return binary;
}

function findChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const folders = process.env.PATH.split(delimiter);
  return CHROMIUM_NAMES.flatMap(name => folders.map(folder => join(folder, name))).find(path => existsSync(path));
}

function record(name, run) {
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage);
  const plain = join(stage, name);
  run(plain);
  const recorded = readFileSync(plain);
  rmSync(stage, { recursive: true });
  // Profiles are small.
  const isProfile = /profile(\.json)?$/.test(name);
  const folder = isProfile ? 'profiles' : name.endsWith('.trace.json') ? 'traces' : '';
  write(join(folder, isProfile ? name : `${name}.gz`), recorded, isProfile);
}

function write(file, recorded, isPlain = false) {
  const bytes = isPlain ? recorded : gzipSync(recorded, { level: 9 });
  if (bytes.length > MAX_BYTES) throw new Error(`${file} is too big: ${bytes.length} bytes`);
  writeFileSync(join(corpus, file), bytes);
  console.log(`${file}  ${bytes.length} bytes`);
}

function recordNode(version, script, mode, plain) {
  const binary = join(stage, 'node');
  const program = join(stage, script);
  copyFileSync(node(version), binary);
  copyFileSync(join(generate, script), program);
  execFileSync(binary, [program, mode, plain], { stdio: 'inherit', cwd: stage, env: { LANG: 'C.UTF-8' } });
}

// Three snapshots of one process.
function recordLeak() {
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage);
  const binary = join(stage, 'node');
  copyFileSync(node(LEAK_NODE), binary);
  copyFileSync(join(generate, 'leak.js'), join(stage, 'leak.js'));
  execFileSync(binary, ['--expose-gc', 'leak.js', '.'], { stdio: 'inherit', cwd: stage, env: { LANG: 'C.UTF-8' } });
  mkdirSync(join(corpus, 'leak'), { recursive: true });
  for (const name of ['1', '2', '3']) {
    const file = `${name}.heapsnapshot`;
    write(join('leak', `${file}.gz`), readFileSync(join(stage, file)));
  }
  rmSync(stage, { recursive: true });
}

function recordTrace(version, plain) {
  const binary = join(stage, 'node');
  copyFileSync(node(version), binary);
  copyFileSync(join(generate, 'trace.js'), join(stage, 'trace.js'));
  const options = ['--trace-event-categories', 'v8,node', '--trace-event-file-pattern', plain];
  execFileSync(binary, [...options, 'trace.js'], { stdio: 'inherit', cwd: stage, env: { LANG: 'C.UTF-8' } });
}

// A package of npm, below target/.
function installed(name, version) {
  const prefix = join(scratch, `${name}-${version}`);
  if (!existsSync(prefix)) {
    mkdirSync(prefix, { recursive: true });
    const options = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', prefix];
    execFileSync('npm', ['install', ...options, `${name}@${version}`], { stdio: 'inherit' });
  }
  return join(prefix, 'node_modules', name);
}

// The program of corpus/leak and a shop of two packages as bundles of one line, with their source maps.
function bundle() {
  const esbuild = join(installed('esbuild', ESBUILD), 'bin', 'esbuild');
  const options = ['--bundle', '--minify', '--platform=node', '--sourcemap', '--outdir=names', '--log-level=error'];
  for (const input of ['leak.js', 'shop/shop.js']) {
    execFileSync(esbuild, [join('generate', input), ...options], { stdio: 'inherit', cwd: corpus });
  }
}

function recordTypescript(plain) {
  cpSync(installed('typescript', TYPESCRIPT), join(stage, 'typescript'), { recursive: true });
  writeFileSync(join(stage, 'shapes.ts'), SHAPES);
  const options = ['--noLib', '--noEmit', '--generateTrace', 'trace', 'shapes.ts'];
  try {
    execFileSync(process.execPath, ['typescript/bin/tsc', ...options], { stdio: 'ignore', cwd: stage });
  } catch {
    // Without a library there are errors, which do not matter.
  }
  copyFileSync(join(stage, 'trace', 'trace.json'), plain);
}

mkdirSync(scratch, { recursive: true });
for (const [name, version, mode] of NODE_RECORDINGS) {
  if (isWanted(name)) record(name, plain => recordNode(version, 'program.js', mode, plain));
}
if (isWanted('leak')) recordLeak();
if (isWanted('names')) bundle();
for (const [name, version, mode] of PROFILE_RECORDINGS) {
  if (isWanted(name)) record(name, plain => recordNode(version, 'profile.js', mode, plain));
}
for (const [name, version] of TRACE_RECORDINGS) {
  if (isWanted(name)) record(name, plain => recordTrace(version, plain));
}
if (isWanted('tsc.trace.json')) record('tsc.trace.json', recordTypescript);
for (const [name, file] of CHROMIUM_RECORDINGS.filter(([name]) => isWanted(name))) {
  const chromium = findChromium();
  const script = join(generate, file);
  if (chromium) record(name, plain => execFileSync(process.execPath, [script, chromium, plain], { stdio: 'inherit' }));
  else console.log(`${name}  skipped: no Chromium found; name one in the variable CHROMIUM`);
}
