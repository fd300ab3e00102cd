// Writes a heap snapshot of the page of a Chromium to a file, and says how long that took: what `heapquarry capture` is
// measured beside.
//
// usage: node client.mjs PORT OUT        with Node 22 or later
import { openSync, statSync, writeSync } from 'node:fs';

const [, , port, out] = process.argv;
const targets = await (await fetch(`http://localhost:${port}/json`)).json();
const socket = new WebSocket(targets.find(target => target.type === 'page').webSocketDebuggerUrl);
await new Promise(done => { socket.onopen = done; });
const file = openSync(out, 'w');
const start = performance.now();
await new Promise(done => {
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    if (message.method === 'HeapProfiler.addHeapSnapshotChunk') writeSync(file, message.params.chunk);
    else if (message.id === 1) done();
  };
  socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.takeHeapSnapshot', params: { reportProgress: false } }));
});
console.log(`${((performance.now() - start) / 1000).toFixed(1)} s, ${(statSync(out).size / 1e6).toFixed(0)} MB`);
process.exit(0);
