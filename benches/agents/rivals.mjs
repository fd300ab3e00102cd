// Asks servers for agents what leaks, about the same three snapshots, as servers.mjs says. An answer is right if one of
// the ways that it tells has the words of the owner, if one of its classes leaks, and if the file and line are told:
// others are judged more kindly than heapquarry, of which the first finding alone counts.
//
// node rivals.mjs --heapquarry=PATH --scratch=DIR [--memlab=FILE] [--loader=FILE] [--only=NAME,…]
//
// The drivers in benches/leaks have recorded the snapshots before, in the same scratch folder.
import fs from 'node:fs';
import path from 'node:path';
import { checkNames, fileOf, home, isThere, only, options, scratch, suite, table } from '../leaks/lib/driver.mjs';
import { median } from './client.mjs';
import { SERVERS, judge } from './servers.mjs';

const ROUNDS = 3;
/** The programs that are asked about, unless others are named. */
const CHOSEN = ['map-field', 'listeners', 'timers-interval', 'debug-instances', 'mem-max-age'];

const all = [
  ...['programs', 'packages'].flatMap(folder => suite(path.join(home, folder)).map(program => [program, path.join(scratch, process.version, program.name)])),
  ...suite(path.join(home, 'real')).map(program => [program, path.join(scratch, 'real', 'leaking', program.name, 'snapshots', process.version)]),
];
checkNames(all.map(([program]) => program));
const chosen = all.filter(([program, folder]) => (only.length || CHOSEN.includes(program.name)) && !program.none && isThere(folder, ROUNDS));

const rows = [];
for (const [name, { start, leaks }] of Object.entries(SERVERS)) {
  const judged = [], errors = [];
  let described;
  for (const [program, folder] of chosen) {
    const files = Array.from({ length: ROUNDS }, (_, i) => fs.realpathSync(fileOf(folder, i + 1)));
    const server = await start(fs.realpathSync(folder));
    if (!server) break;
    described ??= await server.described();
    try {
      judged.push({ ...judge(program, await leaks(server, files)), tokens: server.tokens, calls: server.calls, seconds: server.seconds });
    } catch (error) {
      errors.push(error);
      judged.push({ tokens: server.tokens, calls: server.calls, seconds: server.seconds });
    }
    await server.close();
    if (!options.quiet) console.error(`  ${name}: ${program.name}: ${JSON.stringify(judged.at(-1))} ${errors.at(-1) ?? ''}`);
  }
  if (!judged.length) continue;
  const right = part => `${judged.filter(one => one[part]).length}/${judged.length}`;
  const of = part => median(judged.map(one => one[part]));
  const most = Math.max(...judged.map(one => one.tokens));
  rows.push([name, right('owner'), right('class'), right('place'), of('calls'), of('tokens'), most, of('seconds').toFixed(1), Math.ceil(described / 3)]);
}
const head = ['', 'owner', 'class', 'file and line', 'calls, median', 'tokens, median', 'tokens at most', 'seconds, median', 'tokens of descriptions'];
console.log(table(head, rows.map(row => row.map(String))));
