// TRUTH {"package": "axios", "leaking": "1.15.1", "fixed": "1.15.2", "files": ["dist/node/axios.cjs"], "owner": ["Socket|_events"], "leaked": ["closure|function|error|handle"], "reported": "axios/axios#10780"}
const { run, N } = require('../lib/harness');
const { serve } = require('../lib/http');
const axios = require('axios'), { Agent } = require('http');
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let url;
run({
  async setup() { const server = await serve((request, response) => response.end('{"price": 12}')); url = `http://127.0.0.1:${server.address().port}/`; },
  async round(r) { for (let i = 0; i < N / 3; i++) await axios.get(`${url}${r}/${i}`, { httpAgent: agent }); },
});
