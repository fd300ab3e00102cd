// TRUTH {"package": "debug", "leaking": "4.2.0", "fixed": "4.3.0", "files": ["src/common.js"], "owner": ["instances"], "leaked": ["\\bdebug\\b|closure|function"], "reported": "changelog of 4.3.0"}
// A logger for each request.
const { run, N } = require('../lib/harness');
const createDebug = require('debug');
run({ round(r) { for (let i = 0; i < N; i++) createDebug(`app:request:${r}:${i}`)('handled'); } });
