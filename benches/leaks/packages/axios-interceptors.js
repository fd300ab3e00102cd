// TRUTH {"owner": ["interceptors|InterceptorManager|handlers"], "leaked": ["fulfilled|Object|\\{"], "kind": "Array"}
const { run, N } = require('../lib/harness');
const axios = require('axios');
const api = axios.create({ baseURL: 'http://127.0.0.1:9' });
function withToken(token) { api.interceptors.request.use(config => { config.headers.authorization = token; return config; }); return api; } // @made
run({ round(r) { for (let i = 0; i < N; i++) withToken(`token-${r}-${i}-${'x'.repeat(20)}`); } });
