// TRUTH {"none": true}
const { run, N } = require('../lib/harness');
const { serve, get } = require('../lib/http');
const express = require('express'), session = require('express-session');
const app = express(), store = new session.MemoryStore();
app.use(session({ secret: 'x', resave: false, saveUninitialized: true, store }));
app.get('/:name', (req, res) => { req.session.name = req.params.name; res.on('finish', () => setImmediate(() => store.clear())); res.send('hello'); });
run({ async setup() { await serve(app); }, async round(r) { for (let i = 0; i < N / 4; i++) await get(`/user${r}-${i}`); } });
