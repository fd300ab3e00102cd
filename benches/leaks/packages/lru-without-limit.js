// TRUTH {"owner": ["LRUCache|\\bcache\\b|keyMap|valList"], "leaked": ["Profile|string"], "kind": "Map"}
const { run, N } = require('../lib/harness');
const { LRUCache } = require('lru-cache');
class Profile { constructor(i) { this.i = i; this.tags = ['t' + i, 'u' + i]; } }                 // @made
const cache = new LRUCache({ ttl: 3_600_000, ttlAutopurge: false, maxSize: 1e12, sizeCalculation: () => 1 });
run({ round(r) { for (let i = 0; i < N; i++) cache.set(`user:${r}:${i}`, new Profile(i)); return cache.size; } });
