// TRUTH {"package": "rxjs", "leaking": "6.5.4", "fixed": "6.5.5", "files": ["internal/observable/dom/fetch.js"], "owner": ["AbortSignal|shutdown|signal"], "leaked": ["Listener|closure|function"], "reported": "ReactiveX/rxjs#5305"}
// Enough requests for what Node keeps of them to be full.
const { run, N } = require('../lib/harness');
const { serve } = require('../lib/http');
const { fromFetch } = require('rxjs/fetch');
const shutdown = new AbortController();
let url;
run({
  async setup() { const server = await serve((request, response) => response.end('{"price": 12}')); url = `http://127.0.0.1:${server.address().port}/`; },
  async round(r) { for (let i = 0; i < N; i++) await (await fromFetch(`${url}${r}/${i}`, { signal: shutdown.signal }).toPromise()).text(); },
});
