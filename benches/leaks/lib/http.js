'use strict';
// A server on a port of its own, and requests to it one after the other over one connection.
const http = require('http');
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
let port;
exports.serve = app => new Promise(done => { const server = http.createServer(app); server.keepAliveTimeout = 0; server.listen(0, '127.0.0.1', () => { port = server.address().port; done(server); }); });
exports.get = path => new Promise((done, fail) => http.get({ port, path, host: '127.0.0.1', agent }, res => { let text = ''; res.on('data', d => text += d); res.on('end', () => done(text)); }).on('error', fail));
