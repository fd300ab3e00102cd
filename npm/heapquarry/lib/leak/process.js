'use strict';
// This process: V8 writes its snapshot straight to a file.
const fs = require('node:fs');
const timers = require('node:timers');
const v8 = require('node:v8');
const vm = require('node:vm');

/** The collector, with or without `--expose-gc`. */
function collector() {
  if (typeof globalThis.gc === 'function') return globalThis.gc;
  v8.setFlagsFromString('--expose-gc');
  return vm.runInNewContext('gc');
}

/** The memory of this process, as `heapquarry capture` stores it beside a snapshot (docs/process.md). */
function ofMemory() {
  const { rss, heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage();
  const heap = v8.getHeapStatistics();
  return {
    time_us: Date.now() * 1000,
    inside: {
      rss,
      heap_total: heapTotal,
      heap_used: heapUsed,
      heap_physical: heap.total_physical_size,
      heap_limit: heap.heap_size_limit,
      external,
      array_buffers: arrayBuffers,
      malloced: heap.malloced_memory,
    },
  };
}

/** Of another size than `file_bytes`, the snapshot is another one. */
function writeBeside(file, memory) {
  const beside = { version: 1, file_bytes: fs.statSync(file).size, process: memory };
  fs.writeFileSync(`${file}.process.json`, JSON.stringify(beside));
}

function ofProcess(action) {
  const collect = collector();
  return {
    act: round => action(round),
    async snapshot(file) {
      // What finalizers release goes with V8's own collection, before it writes.
      collect();
      // Of the module, because test runners replace the global one.
      await new Promise(done => timers.setImmediate(done));
      const memory = ofMemory();
      v8.writeHeapSnapshot(file);
      writeBeside(file, memory);
    },
    async close() {},
  };
}

module.exports = { ofProcess };
