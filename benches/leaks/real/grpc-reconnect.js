// TRUTH {"package": "@grpc/grpc-js", "leaking": "1.4.3", "fixed": "1.4.4", "files": ["build/src/subchannel.js", "build/src/channelz.js"], "owner": ["sockets"], "leaked": ["getInfo|ref|closure|function"], "reported": "grpc/grpc-node#1941"}
// The server drops the connection after each call.
const { run, N } = require('../lib/harness');
const grpc = require('@grpc/grpc-js'), http2 = require('http2');
const sessions = new Set();
let client;
const ready = () => new Promise((done, fail) => {
  client.waitForReady(Date.now() + 20000, error => (error ? fail(error) : done()));
});
run({
  async setup() {
    const server = http2.createServer();
    server.on('session', session => { sessions.add(session); session.on('close', () => sessions.delete(session)); });
    await new Promise(done => server.listen(0, '127.0.0.1', done));
    client = new grpc.Client(`127.0.0.1:${server.address().port}`, grpc.credentials.createInsecure());
  },
  async round() {
    const channel = client.getChannel();
    for (let i = 0; i < N / 3; i++) {
      await ready();
      const state = channel.getConnectivityState(false);
      const dropped = new Promise(done => channel.watchConnectivityState(state, Date.now() + 20000, done));
      for (const session of sessions) session.close();
      await dropped;
    }
  },
});
