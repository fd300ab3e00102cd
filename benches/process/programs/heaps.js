// node heaps.js KIND MB
// A heap of one kind, of about so many MB: how long a snapshot stops a process follows from its objects, not its bytes.
// Says `ready` with the used heap, and the processor time of each v8.writeHeapSnapshot().
//   objects       an object of four fields, with an object and an array
//   closures      functions with a context of their own
//   list          one list, as deep as it is long
//   dictionaries  objects with names that are all different
//   strings       of 40 kB
//   script        instances of a class that stands behind 5 MB of its script: before V8 11.5 the slow case
'use strict';
const v8 = require('v8');
const [kind, size] = process.argv.slice(2);
const kept = [];
let count = 0;
let last = null;
let Late = null;
const make = {
  objects: () => ({ id: count, name: `item ${count}`, at: { x: count, y: 2 }, tags: [count, count + 1, 3] }),
  closures: () => {
    const [a, b] = [count, { count }];
    return () => a + b.count;
  },
  list: () => (last = { next: last, value: count }),
  dictionaries: () => Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`key ${count} ${n}`, n])),
  strings: () => Buffer.alloc(40_000, 97 + count % 26).toString('latin1').slice(1),
  script: () => new Late(count),
}[kind];
if (kind === 'script') {
  const before = '// text that stands before it, as in a bundle\n'.repeat(5e6 / 46);
  Late = require('vm').runInThisContext(`${before}(class Late { constructor(n) { this.n = n; } })`);
}
while (process.memoryUsage().heapUsed < size * 1e6) {
  for (let n = 0; n < (kind === 'strings' ? 10 : 1000); n++, count++) {
    const made = make();
    if (kind !== 'list') kept.push(made);
  }
}
const write = v8.writeHeapSnapshot;
v8.writeHeapSnapshot = (...args) => {
  const before = process.cpuUsage();
  const told = write(...args);
  const { user, system } = process.cpuUsage(before);
  console.log(`took ${(user + system) / 1e6}`);
  return told;
};
setInterval(() => kept.length + (last?.value ?? 0), 1000);
console.log(`ready ${process.memoryUsage().heapUsed}`);
