// Profiles of a process that runs TypeScript on all scripts of a folder of packages, `typescript` among them, for so many seconds:
// OUT.cpuprofile, a sample each 100 microseconds, and OUT.heapprofile, a sample each KiB.
//
// usage: node --max-old-space-size=8000 profiles.mjs node_modules SECONDS OUT
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const [modules, seconds, out] = process.argv.slice(2);
const ts = createRequire(resolve(modules, 'x.js'))('typescript');
const files = readdirSync(modules, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile() && /(?<!\.min)\.[cm]?js$/.test(entry.name))
  .map(entry => join(entry.parentPath ?? entry.path, entry.name))
  .filter(file => statSync(file).size < 1_500_000)
  .sort();
let next = 0;
const text = () => readFileSync(files[next++ % files.length], 'utf8');
const save = (kind, { profile }) => writeFileSync(`${out}.${kind}profile`, JSON.stringify(profile));

const session = new Session();
session.connect();
await session.post('HeapProfiler.enable');
await session.post('HeapProfiler.startSampling', { samplingInterval: 1024, stackDepth: 128 });
const kept = Array.from({ length: 300 }, () => ts.createSourceFile('x.js', text(), 99, true));
save('heap', await session.post('HeapProfiler.stopSampling'));
kept.length = 0;

await session.post('Profiler.enable');
await session.post('Profiler.setSamplingInterval', { interval: 100 });
await session.post('Profiler.start');
const end = Date.now() + 1000 * seconds;
while (Date.now() < end) {
  ts.transpileModule(text(), { compilerOptions: { target: 1, allowJs: true } });
}
save('cpu', await session.post('Profiler.stop'));
