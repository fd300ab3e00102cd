// Writes the heap snapshot of a process that keeps trees of objects, maps, closures and texts: about SIZE bytes.
// The numbers are seeded; ids and addresses are the process's own.
//
// usage: node heap.mjs OUT SIZE
//        node heap.mjs FOLDER SIZE ROUNDS   so many snapshots; between them sessions leak, and a cache changes its content
import { mkdirSync, statSync } from 'node:fs';
import { writeHeapSnapshot } from 'node:v8';

const [out, size, rounds] = process.argv.slice(2);
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
function snapshot(file) {
  writeHeapSnapshot(file);
  console.log(`${file}: ${statSync(file).size} bytes`);
}
if (!rounds) {
  snapshot(out);
} else {
  class Session {
    constructor(user) {
      this.user = user;
      this.cart = [word(), word()];
    }
  }
  class SessionStore {
    sessions = new Map();
    latest = [];
    open() {
      const session = new Session(word());
      this.sessions.set(session.user, session);
    }
  }
  const store = new SessionStore();
  globalThis.open = () => store.open();
  mkdirSync(out, { recursive: true });
  for (let round = 1; round <= rounds; round++) {
    for (let i = 0; i < 2000; i++) store.open();
    store.latest = Array.from({ length: 2000 }, () => ({ word: word() }));
    snapshot(`${out}/${round}.heapsnapshot`);
  }
}
