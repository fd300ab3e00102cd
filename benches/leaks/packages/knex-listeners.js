// TRUTH {"owner": ["_events|\\bdb\\b|knex|client"], "leaked": ["closure|function|onQuery|trace"], "kind": "Array"}
const { run, N } = require('../lib/harness');
const db = require('knex')({ client: 'pg' }); db.client.setMaxListeners(0); db.setMaxListeners?.(0);
function handle(request) { db.on('query', function trace(query) { request.queries.push(query.sql); }); return db('users').where({ id: request.id }).toString(); } // @made
run({ round(r) { for (let i = 0; i < N; i++) handle({ id: i, queries: ['q' + r] }); } });
