// TRUTH {"owner": ["\\bdata\\b|NodeCache|\\bcache\\b"], "leaked": ["Quote|\\{.*v.*\\}|Object"], "kind": "dictionary"}
const { run, N } = require('../lib/harness');
const NodeCache = require('node-cache');
class Quote { constructor(i) { this.symbol = 'S' + i; this.price = i + 0.25; } } // @made
const cache = new NodeCache({ stdTTL: 0, checkperiod: 0, useClones: false });
run({ round(r) { for (let i = 0; i < N; i++) cache.set(`q:${r}:${i}`, new Quote(i)); } });
