// TRUTH {"package": "axios", "leaking": "0.21.4", "fixed": "0.22.0", "files": ["lib/adapters/http.js", "lib/cancel/CancelToken.js"], "owner": ["CancelToken|\\btoken\\b|source"], "leaked": ["PromiseReaction|onCanceled|closure|function"], "reported": "axios/axios#3001"}
// One token cancels all requests of the program.
const { run, N } = require('../lib/harness');
const { serve } = require('../lib/http');
const axios = require('axios'), { Agent } = require('http');
const source = axios.CancelToken.source(), agent = new Agent({ keepAlive: true, maxSockets: 1 });
let url;
run({
  async setup() { const server = await serve((request, response) => response.end('{"price": 12}')); url = `http://127.0.0.1:${server.address().port}/`; },
  async round(r) { for (let i = 0; i < N / 3; i++) await axios.get(`${url}${r}/${i}`, { cancelToken: source.token, httpAgent: agent }); },
});
