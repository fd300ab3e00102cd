// TRUTH {"owner": ["[Rr]outer|\\bstack\\b"], "leaked": ["Layer|Route|closure|handle"], "kind": "Array"}
const { run, N } = require('../lib/harness');
const { serve, get } = require('../lib/http');
const app = require('express')();
app.get('/', (req, res) => { app.get('/never', (q, s) => s.send(req.url)); res.send('ok'); }); // @made
run({ async setup() { await serve(app); }, async round() { for (let i = 0; i < N / 4; i++) await get('/'); } });
