// TRUTH {"owner": ["\\bsubscribers\\b"], "leaked": ["WebSocket|Subscriber"], "kind": "Set", "second": {"owner": ["."]}}
const { run, sleep } = require('../lib/harness');
const { WebSocketServer, WebSocket } = require('ws');
const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
class Channel { constructor() { this.subscribers = new Set(); } }
class Subscriber { constructor(socket) { this.socket = socket; this.since = Date.now(); this.queue = []; } } // @made
const channel = new Channel();
server.on('connection', socket => channel.subscribers.add(new Subscriber(socket)));   // and nobody hears 'close'
const once = () => new Promise(done => { const c = new WebSocket(`ws://127.0.0.1:${server.address().port}`); c.on('open', () => c.close()); c.on('close', done); });
run({ async round() { for (let i = 0; i < 40; i++) await once(); await sleep(50); } });
