// TRUTH {"package": "undici", "leaking": "7.14.0", "fixed": "7.15.0", "files": ["lib/dispatcher/agent.js"], "owner": ["clients|Agent"], "leaked": ["Pool|Client|\\{(count, )?dispatcher\\}"], "reported": "nodejs/undici#4424"}
// A crawler: one request to each of many hosts, which close the connection.
const { run, N, sleep } = require('../lib/harness');
const http = require('http');
const { Agent, request } = require('undici');
const dispatcher = new Agent();
let port;
run({
  async setup() {
    const server = http.createServer((request, response) => response.setHeader('connection', 'close').end('hello'));
    await new Promise(done => server.listen(0, '0.0.0.0', done));
    port = server.address().port;
  },
  async round(r) {
    for (let i = 1; i <= N / 5; i++) await (await request(`http://127.0.${r}.${i}:${port}/`, { dispatcher })).body.text();
    await sleep(100);
  },
});
