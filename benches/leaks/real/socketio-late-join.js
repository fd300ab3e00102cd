// TRUTH {"package": "socket.io", "leaking": "4.5.1", "fixed": "4.5.2", "with": {"socket.io-client": "4.5.1"}, "files": ["dist/socket.js"], "owner": ["rooms|sids|Adapter"], "leaked": ["Set|string|Socket"], "reported": "changelog of 4.5.2"}
// A visitor leaves while the server still looks up to which rooms it belongs.
const { run, N } = require('../lib/harness');
const { Server } = require('socket.io'), { io } = require('socket.io-client');
let port;
const visit = () => new Promise(done => { const socket = io(`http://127.0.0.1:${port}`, { transports: ['websocket'], forceNew: true, reconnection: false }); socket.on('connect', () => socket.disconnect()); socket.on('disconnect', () => setTimeout(done, 5)); });
run({
  async setup() {
    const server = require('http').createServer();
    await new Promise(done => server.listen(0, '127.0.0.1', done));
    port = server.address().port;
    new Server(server).on('connection', socket => socket.on('disconnect', () => setTimeout(() => socket.join(`user ${socket.id}`), 1)));
  },
  async round() { for (let i = 0; i < N / 10; i++) await visit(); },
});
