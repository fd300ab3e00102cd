// TRUTH {"package": "@connectrpc/connect-node", "leaking": "2.0.3", "fixed": "2.0.4", "files": ["dist/cjs/node-universal-client.js"], "owner": ["sentinel|Promise|\\b[ps]\\b"], "leaked": ["PromiseReaction|Promise|closure|function|value|Uint8Array|Buffer"], "reported": "connectrpc/connect-es#1524"}
// The server streams prices to a client for as long as both run.
const { run, N } = require('../lib/harness');
const http = require('http');
const { createNodeHttpClient } = require('@connectrpc/connect-node');
let stream, prices;
run({
  async setup() {
    const server = http.createServer((req, res) => {
      res.writeHead(200).flushHeaders();
      stream = res;
    });
    await new Promise(done => server.listen(0, '127.0.0.1', done));
    const client = createNodeHttpClient({ httpVersion: '1.1' });
    const url = `http://127.0.0.1:${server.address().port}`;
    const { body } = await client({ url, method: 'GET', header: new Headers() });
    prices = body[Symbol.asyncIterator]();
  },
  async round(r) {
    for (let i = 0; i < N; i++) {
      stream.write(`price ${r} ${i}`);
      await prices.next();
    }
  },
});
