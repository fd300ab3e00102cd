// Asks servers of the Model Context Protocol, and counts what that costs.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm, options, scratch } from '../leaks/lib/driver.mjs';

/** Bytes of a token: ids and digits take more of them than words. */
const BYTES_OF_TOKEN = 3;

const prefix = path.join(scratch, 'agents');
fs.mkdirSync(prefix, { recursive: true });
fs.copyFileSync(path.join(path.dirname(fileURLToPath(import.meta.url)), 'package.json'), path.join(prefix, 'package.json'));
/** The packages, installed into the scratch folder without running anything of them. */
export const modules = npm(prefix, ['--ignore-scripts']);
const require = createRequire(path.join(modules, 'x'));
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');

/** What starts a server; its command follows. */
const within = options.within ? [options.within] : [];

/** A server that is asked; `tokens` and `calls` count its answers, `seconds` the time until they came. */
export class Server {
  calls = 0;
  bytes = 0;
  seconds = 0;

  static async start(command, args) {
    const server = new Server();
    const [first, ...rest] = [...within, command, ...args];
    server.client = new Client({ name: 'bench', version: '1' });
    await server.client.connect(new StdioClientTransport({ command: first, args: rest, stderr: 'ignore', env: { ...process.env } }));
    return server;
  }

  /** Bytes of the descriptions that a model reads before it asks anything. */
  async described() {
    const { tools } = await this.client.listTools();
    return Buffer.byteLength(JSON.stringify(tools));
  }

  /** The text of an answer. */
  async ask(name, args) {
    const start = performance.now();
    const result = await this.client.callTool({ name, arguments: args }, undefined, { timeout: 600_000 });
    this.seconds += (performance.now() - start) / 1000;
    const text = result.content.map(part => part.text ?? '').join('\n');
    this.calls++;
    this.bytes += Buffer.byteLength(text);
    if (result.isError) throw new Error(`${name}: ${text.slice(0, 300)}`);
    return text;
  }

  get tokens() {
    return Math.ceil(this.bytes / BYTES_OF_TOKEN);
  }

  close() {
    return this.client.close();
  }
}

/** `heapquarry mcp` that reads the files of a folder. */
export const heapquarry = (command, folder) => Server.start(path.resolve(command), ['mcp', '--root', folder]);

/** Follows docs/agents.md word by word: opens the snapshots, and makes the first call that each answer proposes. */
export async function follow(server, files) {
  const answers = [JSON.parse(await server.ask('open', { input: files }))];
  for (let next; answers.length < 3 && (next = answers.at(-1).next[0]);) {
    const [, tool, args] = /^(\w+) (.*)$/.exec(next);
    answers.push(JSON.parse(await server.ask(tool, JSON.parse(args))));
  }
  return answers;
}

export const median = numbers => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
