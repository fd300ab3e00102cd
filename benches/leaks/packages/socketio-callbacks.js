// TRUTH {"owner": ["_callbacks|\\bsocket\\b"], "leaked": ["closure|function|onPrice"], "kind": "Array"}
const { run, N } = require('../lib/harness');
const { io } = require('socket.io-client');
const socket = io('http://127.0.0.1:9', { autoConnect: false, reconnection: false });
class View { constructor(i) { this.rows = [i, 'r' + i]; const view = this; socket.on('price', function onPrice(p) { view.rows.push(p); }); } } // @made
run({ round() { for (let i = 0; i < N; i++) new View(i); } });
