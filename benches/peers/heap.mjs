// Writes the heap snapshot of a process that keeps trees of objects, maps, closures and texts: about SIZE bytes.
// The numbers are seeded; ids and addresses are the process's own.
//
// usage: node heap.mjs OUT SIZE
import { statSync } from 'node:fs';
import { writeHeapSnapshot } from 'node:v8';

const [out, size] = process.argv.slice(2);
let seed = 42;
const below = limit => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) % limit;
const word = () => below(2 ** 31).toString(36);

class Token {
  constructor(depth) {
    this.kind = below(40);
    this.start = below(2 ** 31);
    this.text = below(10) ? null : word();
    this.children = depth ? Array.from({ length: 1 + below(4) }, () => new Token(depth - 1)) : [];
    this.children.forEach(child => (child.parent = this));
  }
}
function file() {
  const tree = new Token(7);
  const index = new Map(Array.from({ length: 30 }, () => [word(), { line: below(1000), tree }]));
  return { tree, index, print: () => tree.text + index.size };
}

// The engine itself is about 5 MB, a file 1.5 MB.
globalThis.kept = [];
for (let bytes = 5e6; bytes < size; bytes += 1_500_000) kept.push(file());
writeHeapSnapshot(out);
console.log(`${out}: ${statSync(out).size} bytes`);
