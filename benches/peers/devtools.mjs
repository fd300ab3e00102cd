// Chrome DevTools' engine: `parse` loads the file, `full` also makes the heap ready to be asked.
//
// usage: node devtools.mjs MODULES parse|full FILE
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, what, file] = process.argv.slice(2);
const toolkit = await import(pathToFileURL(join(modules, 'heap-snapshot-toolkit', 'index.js')).href);
const stream = createReadStream(file, { encoding: 'utf8', highWaterMark: 1 << 20 });
if (what === 'full') {
  console.log((await toolkit.parse(stream)).nodeCount);
} else {
  const loader = new toolkit.DevToolsAPI.HeapSnapshotLoader.HeapSnapshotLoader();
  for await (const chunk of stream) loader.write(chunk);
  loader.close();
  await loader.parsingComplete;
}
