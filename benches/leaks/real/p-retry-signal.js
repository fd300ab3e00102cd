// TRUTH {"package": "p-retry", "leaking": "5.1.2", "fixed": "6.0.0", "files": ["index.js"], "owner": ["AbortSignal|shutdown|signal"], "leaked": ["Listener|closure|function"], "reported": "sindresorhus/p-retry#71"}
const { run, N } = require('../lib/harness');
const shutdown = new AbortController();
let pRetry;
run({
  async setup() { pRetry = (await import('p-retry')).default; },
  async round() { for (let i = 0; i < N; i++) await pRetry(async () => 'answer ' + i, { signal: shutdown.signal }); },
});
