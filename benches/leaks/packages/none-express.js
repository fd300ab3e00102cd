// TRUTH {"none": true}
const { run, N } = require('../lib/harness');
const { serve, get } = require('../lib/http');
const express = require('express'); const app = express();
const inFlight = new Map(); let next = 0;
app.use(express.json(), (req, res, go) => { const id = ++next; inFlight.set(id, req); res.on('close', () => inFlight.delete(id)); go(); });
app.get('/:name', (req, res) => res.send('hello ' + req.params.name));
run({ async setup() { await serve(app); }, async round(r) { for (let i = 0; i < N / 4; i++) await get(`/user${r}-${i}`); } });
