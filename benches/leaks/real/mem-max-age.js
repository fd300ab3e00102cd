// TRUTH {"package": "mem", "leaking": "3.0.1", "fixed": "4.0.0", "files": ["index.js"], "owner": ["cache"], "leaked": ["\\{data, maxAge\\}|data"], "reported": "changelog of 4.0.0"}
// A memoized function whose results are old after a millisecond.
const { run, N } = require('../lib/harness');
const price = require('mem')(id => ({ id, cents: id.length }), { maxAge: 1 });
run({ round(r) { for (let i = 0; i < N; i++) price(`article-${r}-${i}`); } });
