// TRUTH {"none": true}
const { run, N } = require('../lib/harness');
const db = require('knex')({ client: 'pg' });
function handle(request) { const trace = query => request.queries.push(query.sql); db.on('query', trace); const sql = db('users').where({ id: request.id }).toString(); db.off('query', trace); return sql; }
run({ round(r) { for (let i = 0; i < N; i++) handle({ id: i, queries: ['q' + r] }); } });
