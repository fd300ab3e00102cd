// TRUTH {"package": "p-timeout", "leaking": "6.1.2", "fixed": "6.1.3", "files": ["index.js"], "owner": ["AbortSignal|shutdown|signal"], "leaked": ["Listener|closure|function"], "reported": "sindresorhus/p-timeout#42"}
// One signal for the shutdown of the program is given to each task.
const { run, N } = require('../lib/harness');
const shutdown = new AbortController();
let pTimeout;
run({
  async setup() { pTimeout = (await import('p-timeout')).default; },
  async round() { for (let i = 0; i < N; i++) await pTimeout(Promise.resolve(i), { milliseconds: 1000, signal: shutdown.signal }); },
});
