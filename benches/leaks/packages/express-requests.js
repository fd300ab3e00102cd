// TRUTH {"owner": ["\\binFlight\\b"], "leaked": ["IncomingMessage"], "kind": "Map"}
const { run, N } = require('../lib/harness');
const { serve, get } = require('../lib/http');
const app = require('express')();
const inFlight = new Map(); let next = 0;              // removed on 'finish' of the request, which never comes
app.use((req, res, go) => { const id = ++next; inFlight.set(id, req); req.on('finish', () => inFlight.delete(id)); go(); });
app.get('/:name', (req, res) => res.send('hello ' + req.params.name));
run({ async setup() { await serve(app); }, async round(r) { for (let i = 0; i < N / 4; i++) await get(`/user${r}-${i}`); } });
