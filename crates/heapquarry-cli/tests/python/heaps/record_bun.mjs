// Writes heap snapshots of this Bun process while a list grows: 1.json to 3.json for the inspector, debugging-1.json to
// debugging-3.json with what the collector knows, and v8.heapsnapshot in the form of V8.
//
// usage: bun record_bun.mjs FOLDER
import { generateHeapSnapshotForDebugging } from 'bun:jsc';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];

class Session {
  constructor(number) {
    this.number = number;
    this.user = { name: 'user ' + number };
    this.list = [{}, [number, {}]];
  }
}

class Shop {
  sessions = [];

  visit(times) {
    for (let i = 0; i < times; i++) this.sessions.push(new Session(this.sessions.length));
  }
}

globalThis.shop = new Shop();
for (const [number, times] of [100, 400, 400].entries()) {
  shop.visit(times);
  writeFileSync(join(folder, `${number + 1}.json`), JSON.stringify(Bun.generateHeapSnapshot()));
  const debugging = generateHeapSnapshotForDebugging();
  writeFileSync(join(folder, `debugging-${number + 1}.json`), JSON.stringify(debugging));
}
writeFileSync(join(folder, 'v8.heapsnapshot'), Bun.generateHeapSnapshot('v8'));
