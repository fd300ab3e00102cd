// TRUTH {"package": "p-map", "leaking": "7.0.2", "fixed": "7.0.3", "files": ["index.js"], "owner": ["AbortSignal|shutdown|signal"], "leaked": ["Listener|closure|function"], "reported": "sindresorhus/p-map#75"}
const { run, N } = require('../lib/harness');
const shutdown = new AbortController();
let pMap;
run({
  async setup() { pMap = (await import('p-map')).default; },
  async round() { for (let i = 0; i < N; i++) await pMap([i, i + 1], async x => 'row ' + x, { signal: shutdown.signal }); },
});
