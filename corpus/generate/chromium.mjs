// A snapshot of a page in a headless Chromium; without PAGE, of page.html.
//
// usage: node chromium.mjs CHROMIUM OUT [PAGE]
import { readFileSync, writeFileSync } from 'node:fs';
import { browse } from './browser.mjs';

const [, , chromium, out, page = new URL('page.html', import.meta.url)] = process.argv;

await browse(chromium, async ({ post, listeners, open }) => {
  await open(`data:text/html;base64,${readFileSync(page).toString('base64')}`);
  const chunks = [];
  listeners.set('HeapProfiler.addHeapSnapshotChunk', params => chunks.push(params.chunk));
  await post('HeapProfiler.enable');
  await post('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  writeFileSync(out, chunks.join(''));
});
