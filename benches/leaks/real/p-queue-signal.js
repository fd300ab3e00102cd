// TRUTH {"package": "p-queue", "leaking": "9.0.0", "fixed": "9.0.1", "files": ["dist/index.js"], "owner": ["AbortSignal|shutdown|signal"], "leaked": ["Listener|closure|function"], "reported": "sindresorhus/p-queue#235"}
const { run, N } = require('../lib/harness');
const shutdown = new AbortController();
let queue;
run({
  async setup() { queue = new (await import('p-queue')).default({ concurrency: 4 }); },
  async round() { for (let i = 0; i < N; i++) await queue.add(async () => i, { signal: shutdown.signal }); },
});
