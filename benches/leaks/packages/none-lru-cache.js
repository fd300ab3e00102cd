// TRUTH {"none": true}
const { run, N } = require('../lib/harness');
const { LRUCache } = require('lru-cache');
const cache = new LRUCache({ max: 250 });
run({ round(r) { for (let i = 0; i < N; i++) cache.set(`user:${r}:${i}`, { i, tags: ['t' + i] }); return cache.size; } });
