// TRUTH {"none": true}
const { run, sleep } = require('../lib/harness');
const { WebSocketServer, WebSocket } = require('ws');
const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
const subscribers = new Set();
server.on('connection', socket => { subscribers.add(socket); socket.on('close', () => subscribers.delete(socket)); });
const once = () => new Promise(done => { const c = new WebSocket(`ws://127.0.0.1:${server.address().port}`); c.on('open', () => c.close()); c.on('close', done); });
run({ async round() { for (let i = 0; i < 40; i++) await once(); await sleep(50); } });
