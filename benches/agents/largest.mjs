// Asks servers for agents what leaks between three snapshots of one process, which grow until a server fails: as
// servers.mjs says, each server for itself.
//
// node largest.mjs --heapquarry=PATH --scratch=DIR [--memlab=FILE] [--loader=FILE] [--within=COMMAND] [--sizes=MB,…]
//   [--servers=NAME,…]
//
// A server has answered if it names the owner, or the class that leaks, within ten minutes for each call. What fails once
// is not asked about larger files. The snapshots are made by snapshot.mjs, and are removed again.
import fs from 'node:fs';
import path from 'node:path';
import { fileOf, list, options, scratch, table } from '../leaks/lib/driver.mjs';
import { SERVERS, judge } from './servers.mjs';
import { truth, write } from './snapshot.mjs';

const MB = 1_000_000;
const sizes = list(options.sizes ?? '125,250,500,1000,2000,4000,8000').map(Number);
const program = { ...truth, made: [], files: [], file: '' };
const wanted = list(options.servers);
const asked = Object.entries(SERVERS).filter(([name]) => !wanted.length || wanted.some(part => name.includes(part)));
/** By server: what is known of it. */
const known = new Map(asked.map(([name]) => [name, { answered: [], failed: undefined }]));

for (const size of sizes) {
  const folder = path.join(scratch, 'largest', String(size));
  write(folder, size * MB);
  const files = [1, 2, 3].map(round => fs.realpathSync(fileOf(folder, round)));
  const bytes = fs.statSync(files[2]).size;
  for (const [name, { start, leaks }] of asked) {
    const of = known.get(name);
    if (!of || of.failed) continue;
    const one = { size: Math.round(bytes / MB) };
    let server;
    try {
      server = await start(fs.realpathSync(folder));
      if (!server) {
        known.delete(name);
        continue;
      }
      const { owner, class: leaked } = judge(program, await leaks(server, files));
      Object.assign(one, { owner, leaked, seconds: Math.round(server.seconds), tokens: server.tokens });
      if (owner || leaked) of.answered.push(one);
      else of.failed = { ...one, why: 'names neither' };
    } catch (error) {
      of.failed = { ...one, seconds: Math.round(server?.seconds ?? 0), why: error.message.split('\n')[0].slice(0, 200) };
    }
    console.error(`  ${name}: ${JSON.stringify(of.failed ?? one)}`);
    await server?.close().catch(() => {});
  }
  fs.rmSync(folder, { recursive: true });
}

const rows = [...known].map(([name, { answered, failed }]) => {
  const last = answered.at(-1);
  const told = last ? [`${last.size} MB`, last.owner ? 'yes' : 'no', last.leaked ? 'yes' : 'no', `${last.seconds} s`, last.tokens] : ['none', '', '', '', ''];
  return [name, ...told, failed ? `${failed.size} MB: ${failed.why}` : 'none'];
});
console.log(table(['', 'largest file', 'owner', 'class', 'time', 'tokens', 'fails'], rows));
