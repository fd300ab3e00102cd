// TRUTH {"package": "websocket", "leaking": "1.0.30", "fixed": "1.0.31", "files": ["lib/WebSocketServer.js"], "owner": ["pendingRequests|WebSocketServer"], "leaked": ["WebSocketRequest"], "reported": "theturtle32/WebSocket-Node#339"}
// Two servers share one port, and each leaves the requests of the other alone; this one ends its own.
const { run, N } = require('../lib/harness');
const net = require('net');
const { serve } = require('../lib/http');
const { server: WebSocketServer } = require('websocket');
const head = 'GET /other HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
let port;
const visit = () => new Promise(done => { const socket = net.connect(port, '127.0.0.1', () => { socket.write(head); }); socket.resume().on('close', done); });
run({
  async setup() {
    const server = await serve((request, response) => response.end());
    port = server.address().port;
    server.on('upgrade', (request, socket) => { if (request.url === '/other') socket.end('HTTP/1.1 503 Busy\r\n\r\n'); });
    new WebSocketServer({ httpServer: server }).on('request', request => { if (request.resource === '/mine') request.accept(null, request.origin); });
  },
  async round() { for (let i = 0; i < N / 15; i++) await visit(); },
});
