// TRUTH {"package": "cacheable-request", "leaking": "10.2.5", "fixed": "10.2.6", "files": ["dist/index.js"], "owner": ["Keyv|_events|\\bcache\\b"], "leaked": ["errorHandler|closure|function|onceWrapper|wrapper"], "reported": "jaredwray/cacheable-request#222"}
const { run, N } = require('../lib/harness');
const http = require('http');
const { serve } = require('../lib/http');
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
let port, request;
const get = path => new Promise((done, fail) => request({ host: '127.0.0.1', port, path, agent }, response => response.resume().on('end', done)).on('request', sent => sent.end()).on('error', fail));
run({
  async setup() {
    const server = await serve((request, response) => { response.setHeader('cache-control', 'no-store'); response.end('hello'); });
    port = server.address().port;
    const CacheableRequest = (await import('cacheable-request')).default;
    request = new CacheableRequest(http.request, new Map()).request();
  },
  async round() { for (let i = 0; i < N / 3; i++) await get('/price'); },
});
