// TRUTH {"owner": ["cache|MapCache|__data__|\\blayout\\b"], "leaked": ["Box|string|Object"], "kind": "Map"}
const { run, N } = require('../lib/harness');
const { memoize } = require('lodash');
class Box { constructor(w, h) { this.w = w; this.h = h; this.corners = [[0, 0], [w, h]]; } } // @made
const layout = memoize((w, h) => new Box(w, h), (w, h) => `${w}x${h}`);
run({ round(r) { for (let i = 0; i < N; i++) layout(r * 1000 + i, i); } });
