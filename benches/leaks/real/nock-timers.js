// TRUTH {"package": "nock", "leaking": "13.5.4", "fixed": "13.5.5", "files": ["lib/common.js"], "owner": ["immediates|timeouts|Set"], "leaked": ["Immediate|Timeout"], "reported": "nock/nock#2771"}
const { run, N } = require('../lib/harness');
const http = require('http'), nock = require('nock');
const ask = () => new Promise((done, fail) => http.get('http://shop.test/price', response => response.resume().on('end', done)).on('error', fail));
run({
  setup() { nock('http://shop.test').persist().get('/price').reply(200, { cents: 12 }); nock.enableNetConnect('127.0.0.1'); },
  async round() { for (let i = 0; i < N / 3; i++) await ask(); },
});
