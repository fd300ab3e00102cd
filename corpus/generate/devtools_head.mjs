// Prints what the newest engine of Chrome DevTools, out of the npm package chrome-devtools-mcp, computes of a snapshot:
// native contexts, what is retained by what, and the captured variables that nobody reads. The engine of devtools.mjs
// is older and does not know these.
//
// usage: node corpus/generate/devtools_head.mjs SNAPSHOT
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

const PACKAGE = 'chrome-devtools-mcp@1.11.0';
const corpus = fileURLToPath(new URL('..', import.meta.url));

function engine() {
  const prefix = process.env.CHROME_DEVTOOLS_MCP ?? join(corpus, '..', 'target', 'corpus', 'devtools-head');
  const built = join(prefix, 'node_modules', 'chrome-devtools-mcp', 'build', 'src', 'third_party');
  const main = join(built, 'devtools-heap-snapshot-worker.js');
  if (!existsSync(main)) {
    mkdirSync(prefix, { recursive: true });
    // Its scripts and the packages that it needs are for a browser.
    const options = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts', '--omit=optional'];
    execFileSync('npm', ['install', ...options, '--prefix', prefix, PACKAGE], {
      stdio: ['ignore', process.stderr, 'inherit'],
    });
  }
  return pathToFileURL(main).href;
}

// Runs in the engine's thread, which offers its classes to tests.
async function columns(path) {
  const { HeapSnapshot, HeapSnapshotLoader } = globalThis.HeapSnapshotWorker;
  const loader = new HeapSnapshotLoader.HeapSnapshotLoader({ sendEvent() {} });
  for await (const chunk of globalThis.chunks(path)) {
    loader.write(chunk);
  }
  loader.close();
  await loader.parsingComplete;
  const channel = new MessageChannel();
  new HeapSnapshot.SecondaryInitManager(channel.port2);
  const snapshot = await loader.buildSnapshot(channel.port1);
  channel.port1.close();
  const node = snapshot.createNode(0);
  const column = value => Array.from({ length: snapshot.nodeCount }, (_, i) => {
    node.nodeIndex = i * snapshot.nodeFieldCount;
    return value(i);
  });
  const id = i => snapshot.nodes.getValue(i * snapshot.nodeFieldCount + snapshot.nodeIdOffset);
  const retained = name => {
    const filter = snapshot.createNamedFilter(name);
    return column(() => Number(filter(node)));
  };
  const owner = i => snapshot.nodeNativeContextAttribution[i];
  return JSON.stringify({
    columns: {
      id: column(id),
      native_context_id: column(i => owner(i) < 0 ? null : id(owner(i))),
      is_context_shared: column(i => Number(owner(i) === -2)),
      retained_by_detached: retained('objectsRetainedByDetachedDomNodes'),
      retained_by_console: retained('objectsRetainedByConsole'),
      retained_by_event_handlers: retained('objectsRetainedByEventHandlers'),
      retained_by_contexts: retained('objectsRetainedByContexts'),
    },
    native_contexts: snapshot.getNativeContextSizes(),
    contexts: snapshot.analyzeContexts(),
  });
}

const [path] = process.argv.slice(2);
const start = `
  const { createReadStream } = require('node:fs');
  const { createGunzip } = require('node:zlib');
  globalThis.self = globalThis;
  // Node 20 does not have it.
  Promise.withResolvers ??= function () {
    let resolve, reject;
    const promise = new Promise((...both) => ([resolve, reject] = both));
    return { promise, resolve, reject };
  };
  globalThis.chunks = path => {
    const bytes = createReadStream(path);
    const stream = path.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
    return stream.setEncoding('utf8');
  };
  import(${JSON.stringify(engine())});
`;
const worker = new Worker(start, { eval: true });
worker.on('error', error => {
  throw error;
});
worker.on('message', message => {
  if (message === 'workerReady') {
    const source = `(${columns})(${JSON.stringify(resolve(path))})`;
    worker.postMessage({ callId: 1, disposition: 'evaluateForTest', source });
  } else if (message.callId === 1) {
    if (message.error || !message.result?.startsWith('{')) {
      throw new Error(message.error ?? message.result);
    }
    process.stdout.write(message.result, () => process.exit());
  }
});
