// Records this process with pprof-nodejs: wall.pb.gz with labels, heap.pb.gz, and heap.pb that is not compressed.
//
// usage, in a folder with node_modules: node record_pprof.cjs FOLDER
const fs = require('node:fs');
const path = require('node:path');
const pprof = require(path.join(process.cwd(), 'node_modules/@datadog/pprof'));

const folder = process.argv[2];
const kept = [];

function work(milliseconds) {
  const end = Date.now() + milliseconds;
  for (let x = 0; Date.now() < end; x += Math.sqrt(x + kept.length)) {
    if (kept.length < 20_000) kept.push({ x, text: 'a'.repeat(50) + x });
  }
}

(async () => {
  pprof.heap.start(4096, 64);
  let wall;
  // Until both contexts are sampled, however slow the machine is.
  for (let time = 100, found = false; !found; time *= 2) {
    pprof.time.start({ intervalMicros: 1000, durationMillis: 60_000, withContexts: true });
    pprof.time.setContext({ user: 'ann' });
    work(2 * time);
    pprof.time.setContext({ user: 'bob', order: 3 });
    work(time);
    await new Promise(done => setTimeout(done, 10));
    wall = pprof.time.stop(false, ({ context }) => context?.context ?? {});
    found = ['work', 'ann', 'bob'].every(word => wall.stringTable.strings.includes(word));
  }
  const heap = pprof.heap.profile();
  fs.writeFileSync(path.join(folder, 'wall.pb.gz'), await pprof.encode(wall));
  fs.writeFileSync(path.join(folder, 'heap.pb.gz'), await pprof.encode(heap));
  fs.writeFileSync(path.join(folder, 'heap.pb'), heap.encode());
})();
