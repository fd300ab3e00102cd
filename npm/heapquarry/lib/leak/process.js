'use strict';
// This process: V8 writes its snapshot straight to a file.
const timers = require('node:timers');
const v8 = require('node:v8');
const vm = require('node:vm');

/** The collector, with or without `--expose-gc`. */
function collector() {
  if (typeof globalThis.gc === 'function') return globalThis.gc;
  v8.setFlagsFromString('--expose-gc');
  return vm.runInNewContext('gc');
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
      v8.writeHeapSnapshot(file);
    },
    async close() {},
  };
}

module.exports = { ofProcess };
