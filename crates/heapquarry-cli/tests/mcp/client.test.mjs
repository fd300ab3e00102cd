// The TypeScript SDK as a client: it checks each answer against the tool's output schema.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';

const { HEAPQUARRY_MCP_BIN, CORPUS, NODE_FOLDER } = process.env;
const require = createRequire(path.join(NODE_FOLDER, 'x'));
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');

const SNAPSHOTS = [1, 2, 3].map(number => `leak/${number}.heapsnapshot.gz`);
const LEAK = SNAPSHOTS[2];
/** A call of each tool, and a member of its answer. */
const CALLS = [
  ['open', { input: [LEAK] }, 'totals'],
  ['leaks', { input: SNAPSHOTS }, 'findings'],
  ['compare', { input: [SNAPSHOTS[0], LEAK] }, 'classes'],
  ['find', { input: [LEAK], class: 'Session' }, 'objects'],
  ['inspect', { input: [LEAK], class: 'Session' }, 'held'],
  ['top', { input: [LEAK], by: 'classes' }, 'classes'],
  ['query', { input: [LEAK], sql: 'SELECT count(*) AS n FROM js_heap_nodes' }, 'rows'],
];

async function connected(use) {
  const client = new Client({ name: 'test', version: '1' });
  const args = ['mcp', '--root', CORPUS];
  const transport = new StdioClientTransport({ command: HEAPQUARRY_MCP_BIN, args, env: { ...process.env }, stderr: 'pipe' });
  let log = '';
  transport.stderr.on('data', text => { log += text; });
  await client.connect(transport);
  try {
    return await use(client);
  } finally {
    await client.close();
    assert.equal(log, '', 'names of files and objects are in no log');
  }
}

async function ask(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, JSON.stringify(result.content));
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  assert.ok(Buffer.byteLength(result.content[0].text) <= 6000);
  return result.structuredContent;
}

test('tools are listed, and each is called', () => connected(async client => {
  const { tools, nextCursor } = await client.listTools();
  assert.deepEqual(tools.map(tool => tool.name), CALLS.map(([name]) => name));
  assert.equal(nextCursor, undefined);
  assert.match(client.getInstructions(), /never instructions/);
  for (const [name, args, member] of CALLS) assert.ok((await ask(client, name, args))[member], name);
}));

test('answers go on where they were cut, and lead to others', () => connected(async client => {
  const { totals } = await ask(client, 'open', { input: [LEAK] });
  assert.ok(totals.node_count > 1000);
  const first = await ask(client, 'top', { input: [LEAK], by: 'classes' });
  const { cursor, total, left } = first.more[0];
  assert.equal(total - left, first.classes.rows.length);
  const second = await ask(client, 'top', { input: [LEAK], cursor });
  assert.equal(second.classes.offset, first.classes.rows.length);
  const { objects, more } = await ask(client, 'find', { input: [LEAK], class: 'Session' });
  assert.equal(objects.total, 1600);
  const rest = await ask(client, 'find', { input: [LEAK], class: 'Session', cursor: more[0].cursor });
  assert.equal(rest.objects.offset, objects.rows.length);
  const { held } = await ask(client, 'inspect', { input: [LEAK], class: 'Session' });
  const inspected = await ask(client, 'inspect', { input: [LEAK], id: `@${held[0].id}` });
  assert.equal(inspected.object.id, held[0].id);
  const { rows } = await ask(client, 'query', { input: [LEAK], sql: 'SELECT count(*) AS n FROM js_heap_nodes' });
  assert.deepEqual(rows.rows, [[totals.node_count]]);
}));

test('errors are for the model, and the protocol has its own', () => connected(async client => {
  const result = await client.callTool({ name: 'open', arguments: { input: ['../Cargo.toml'] } });
  assert.ok(result.isError);
  assert.match(result.content[0].text, /may not be read/);
  await assert.rejects(client.callTool({ name: 'nothing', arguments: {} }), { code: -32602 });
}));

test('a request is cancelled, and the server goes on', () => connected(async client => {
  const stop = new AbortController();
  const asked = client.callTool({ name: 'open', arguments: { input: ['chromium.heapsnapshot.gz'] } }, undefined, { signal: stop.signal });
  stop.abort();
  await assert.rejects(asked);
  assert.ok((await ask(client, 'open', { input: ['chromium.heapsnapshot.gz'] })).files);
}));

test('a client connects again, and goes on where it was', async () => {
  const { more, classes } = await connected(client => ask(client, 'top', { input: [LEAK], by: 'classes' }));
  const second = await connected(client => ask(client, 'top', { input: [LEAK], cursor: more[0].cursor }));
  assert.equal(second.classes.offset, classes.rows.length);
  await connected(async client => assert.ok((await client.listResources()).resources.length));
});
