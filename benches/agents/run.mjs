// Follows docs/agents.md mechanically, through the server that an agent asks: opens three snapshots, and makes the first
// call that each answer proposes. Holds what the answers say of owner, class, package and place against the truth, beside
// what `heapquarry leaks` says of the same snapshots. What cannot be told in three calls and 3,000 tokens does not count.
//
// node run.mjs --heapquarry=PATH --scratch=DIR [--only=NAME,…] [--quiet]
//
// The command needs the feature `mcp`. The drivers in benches/leaks have recorded the snapshots before, in the same
// scratch folder: `run.mjs` those of programs that leak on purpose, `real.mjs` those of leaks that people reported.
import path from 'node:path';
import { ask, checkNames, fileOf, fits, home, isThere, options, scratch, share, suite, table } from '../leaks/lib/driver.mjs';
import { follow, heapquarry, median } from './client.mjs';

const ROUNDS = 3;
/** The most that an answer to "what leaks?" may take. */
const CALLS = 3, TOKENS = 3000;

/** Programs with the folder of their snapshots. */
const suites = {
  'made up': ['programs', 'packages'].flatMap(folder => suite(path.join(home, folder)).map(program => [program, path.join(scratch, process.version, program.name)])),
  reported: suite(path.join(home, 'real')).map(program => [program, path.join(scratch, 'real', 'leaking', program.name, 'snapshots', process.version)]),
};
checkNames(Object.values(suites).flat().map(([program]) => program));

/** Whether owner, class, package and place are right; `null` where there is no truth. */
function judge(program, { owner, way, classes, text }) {
  const isMadeIn = line => new RegExp(`(^|[^\\w.-])${path.basename(program.file)}:${line}(?!\\d)`, 'm').test(text);
  const places = program.package ? program.files.map(file => text.includes(`${program.package}/${file}`)) : program.made.map(isMadeIn);
  return {
    owner: fits(program.owner, owner, way),
    class: fits(program.leaked, classes),
    package: program.package ? new RegExp(`(^|[ /("])${program.package}/`, 'm').test(text) : null,
    place: places.length ? places.some(Boolean) : null,
  };
}

/** What the command says first. */
const said = ([first = { scripts: [] }]) => ({ ...first, text: `${first.way}\n${first.made}\n${first.scripts.join('\n')}` });

/** What the server has told when its three answers are there. */
function told([, leaks, inspected]) {
  const [first = {}] = leaks?.findings ?? [];
  const { owner, way, leaked, groups } = first;
  return { owner, way, classes: `${leaked} ${JSON.stringify(groups)}`, text: Object.values(first).flat().concat(JSON.stringify(inspected ?? {})).join('\n') };
}

const PARTS = ['owner', 'class', 'package', 'place'];
const rows = [];
for (const [name, all] of Object.entries(suites)) {
  const judged = [];
  for (const [program, folder] of all) {
    if (program.none || !isThere(folder, ROUNDS)) continue;
    const files = Array.from({ length: ROUNDS }, (_, i) => fileOf(folder, i + 1));
    const byCommand = judge(program, said(ask(files)));
    const server = await heapquarry(options.heapquarry, folder);
    const answers = await follow(server, files.map(file => path.basename(file)));
    await server.close();
    const { calls, tokens, seconds } = server;
    const byServer = calls <= CALLS && tokens <= TOKENS ? judge(program, told(answers)) : {};
    judged.push({ byCommand, byServer, calls, tokens, seconds });
    if (!options.quiet && PARTS.some(part => byCommand[part] !== byServer[part])) console.error(`  ${program.name}: ${JSON.stringify({ byCommand, byServer, calls, tokens })}`);
  }
  if (!judged.length) continue;
  const shares = of => PARTS.map(part => share(judged.filter(one => one.byCommand[part] !== null), one => one[of][part])).map(([n, all]) => (all ? `${n}/${all}` : ''));
  const tokens = judged.map(one => one.tokens);
  const cost = [Math.max(...judged.map(one => one.calls)), median(tokens), Math.max(...tokens), median(judged.map(one => one.seconds)).toFixed(2)];
  rows.push([`${name}: \`heapquarry leaks\``, ...shares('byCommand'), 1, '', '', '']);
  rows.push([`${name}: its server, by docs/agents.md`, ...shares('byServer'), ...cost.map(String)]);
}
console.log(table(['', ...PARTS, 'calls at most', 'tokens, median', 'tokens at most', 'seconds, median'], rows));
