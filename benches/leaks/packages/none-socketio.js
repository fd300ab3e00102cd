// TRUTH {"none": true}
const { run, N } = require('../lib/harness');
const { io } = require('socket.io-client');
const socket = io('http://127.0.0.1:9', { autoConnect: false, reconnection: false });
class View { constructor(i) { this.rows = [i, 'r' + i]; this.onPrice = p => this.rows.push(p); socket.on('price', this.onPrice); } close() { socket.off('price', this.onPrice); } }
run({ round() { const views = []; for (let i = 0; i < N; i++) { views.push(new View(i)); if (views.length > 40) views.shift().close(); } views.forEach(v => v.close()); } });
