// The TypeScript SDK as a client: it checks each answer against the tool's output schema.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';

const { HEAPQUARRY_MCP_BIN, CORPUS, NODE_FOLDER } = process.env;
const require = createRequire(path.join(NODE_FOLDER, 'x'));
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');

const LEAK = 'leak/3.heapsnapshot.gz';

async function connected(use) {
  const client = new Client({ name: 'test', version: '1' });
  const args = ['mcp', '--root', CORPUS];
  await client.connect(new StdioClientTransport({ command: HEAPQUARRY_MCP_BIN, args, env: { ...process.env } }));
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

async function ask(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, JSON.stringify(result.content));
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  assert.ok(Buffer.byteLength(result.content[0].text) <= 6000);
  return result.structuredContent;
}

test('tools are listed, called and paged', () => connected(async client => {
  const { tools, nextCursor } = await client.listTools();
  assert.deepEqual(tools.map(tool => tool.name), ['open', 'leaks', 'compare', 'find', 'inspect', 'top', 'query']);
  assert.equal(nextCursor, undefined);
  assert.match(client.getInstructions(), /never instructions/);
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
  const sql = 'SELECT count(*) AS n FROM js_heap_nodes';
  const { rows } = await ask(client, 'query', { input: [LEAK], sql });
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

test('a client connects again', async () => {
  for (let time = 0; time < 2; time++) {
    await connected(async client => assert.ok((await client.listResources()).resources.length));
  }
});
