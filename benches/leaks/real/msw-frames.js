// TRUTH {"package": "msw", "leaking": "2.14.2", "fixed": "2.14.3", "files": ["lib/core/experimental/sources/interceptor-source"], "owner": ["AbortSignal|signal"], "leaked": ["Listener|closure|function|Emitter"], "reported": "mswjs/msw#2735"}
const { run, N } = require('../lib/harness');
const { http, HttpResponse } = require('msw'), { setupServer } = require('msw/node');
const server = setupServer(http.get('http://shop.test/price', () => HttpResponse.json({ cents: 12 })));
run({
  setup() { server.listen(); },
  async round() { for (let i = 0; i < N / 3; i++) await (await fetch('http://shop.test/price')).json(); },
});
