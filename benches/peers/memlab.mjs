// memlab: the heap with dominators and retained sizes.
//
// usage: node memlab.mjs MODULES FILE
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [modules, file] = process.argv.slice(2);
const { getFullHeapFromFile } = createRequire(join(modules, 'x.js'))('@memlab/heap-analysis');
console.log((await getFullHeapFromFile(file)).nodes.length);
