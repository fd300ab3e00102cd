// TRUTH {"package": "@smithy/node-http-handler", "leaking": "3.1.1", "fixed": "3.1.2", "with": {"@smithy/protocol-http": "4.0.4"}, "files": ["dist-cjs/index.js"], "owner": ["AbortSignal|shutdown|signal"], "leaked": ["Listener|closure|function|onAbort"], "reported": "smithy-lang/smithy-typescript#1318"}
const { run, N } = require('../lib/harness');
const { serve } = require('../lib/http');
const { NodeHttpHandler } = require('@smithy/node-http-handler'), { HttpRequest } = require('@smithy/protocol-http');
const shutdown = new AbortController(), handler = new NodeHttpHandler();
let port;
run({
  async setup() { const server = await serve((request, response) => response.end('hello')); port = server.address().port; },
  async round() {
    for (let i = 0; i < N / 3; i++) {
      const request = new HttpRequest({ protocol: 'http:', hostname: '127.0.0.1', port, path: `/${i}`, method: 'GET' });
      const { response } = await handler.handle(request, { abortSignal: shutdown.signal });
      for await (const chunk of response.body) chunk.toString();
    }
  },
});
