// TRUTH {"owner": ["MemoryStore\\.sessions|\\bsessions\\b"], "leaked": ["string"], "kind": "dictionary"}
const { run, N } = require('../lib/harness');
const { serve, get } = require('../lib/http');
const express = require('express'), session = require('express-session');
const app = express();                                 // robots keep no cookie: each request is a new session
app.use(session({ secret: 'x', resave: false, saveUninitialized: true, store: new session.MemoryStore() }));
app.get('/:name', (req, res) => { req.session.name = req.params.name; res.send('hello'); });
run({ async setup() { await serve(app); }, async round(r) { for (let i = 0; i < N / 4; i++) await get(`/user${r}-${i}`); } });
