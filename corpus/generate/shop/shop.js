// A shop of two packages with 500 routes and a memoized function, which takes three snapshots.
//
// usage: node --expose-gc shop.js FOLDER
'use strict';
const path = require('path');
const v8 = require('v8');
const { memoize } = require('./packages/memo/memo');
const { Router } = require('./packages/router/router');

const router = new Router();
const price = memoize(item => `${item} costs ${String(item).length} coins`.padEnd(60, '.'));

for (let n = 0; n < 500; n++) router.add(`/items/${n}`, path => price(path));

// Alive as long as the process.
global.shop = router;

for (let round = 1; round <= 3; round++) {
  for (let n = 0; n < 500; n++) router.answer(`/items/${n}`);
  for (let n = 0; n < 2000; n++) price(`special offer ${round} ${n}`);
  global.gc();
  v8.writeHeapSnapshot(path.join(process.argv[2], `${round}.heapsnapshot`));
}
