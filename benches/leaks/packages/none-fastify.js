// TRUTH {"none": true}
const { run, N } = require('../lib/harness');
const app = require('fastify')();
const history = [];
app.addHook('onResponse', async request => { history.push(request); if (history.length > 50) history.shift(); });
app.get('/:name', async request => ({ hello: request.params.name }));
run({ async setup() { await app.ready(); }, async round(r) { for (let i = 0; i < N / 4; i++) await app.inject(`/user${r}-${i}`); } });
