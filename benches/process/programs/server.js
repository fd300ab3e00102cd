// node server.js [SESSIONS=8000]
// A server without a leak: each request reads and replaces a session, and answers with JSON. Says its port.
'use strict';
const http = require('http');
const most = +process.argv[2] || 8000;
const items = Array.from({ length: 20000 }, (_, id) => ({ id, name: `item ${id}`, tags: [`t${id % 7}`, `t${id % 11}`] }));
const sessions = new Map();
let next = 0;
const server = http.createServer((request, response) => {
  sessions.set(next % most, { id: next, seen: items.slice(next % 19900, (next % 19900) + 20), token: `${next}-${Math.random()}` });
  next += 1;
  const body = JSON.stringify(sessions.get((next * 31) % most) ?? { id: next });
  response.setHeader('content-type', 'application/json');
  response.end(body);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
