// Something for `node --trace-event-categories` to write down: timers, files, marks and measures, a promise.
'use strict';
const fs = require('fs');
const { performance } = require('perf_hooks');

function fibonacci(n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
performance.mark('begin');
fs.writeFileSync('kept.txt', 'ä "quoted" text\n');
setTimeout(() => {
  fibonacci(18);
  performance.mark('end');
  performance.measure('from begin to "end"', 'begin', 'end');
  fs.promises.readFile('kept.txt').then(text => fs.unlink('kept.txt', () => text.length));
}, 5);
