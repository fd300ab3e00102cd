// A trace of a headless Chromium while it opens page.html and scripts run in it, with samples of a CPU profile.
//
// usage: node trace.mjs CHROMIUM OUT
import { readFileSync, writeFileSync } from 'node:fs';
import { browse } from './browser.mjs';

const [, , chromium, out] = process.argv;
const CATEGORIES = ['devtools.timeline', 'v8', 'blink.user_timing', 'loading', 'latencyInfo', 'disabled-by-default-v8.cpu_profiler'];
const WORK = `
performance.mark('begin');
(function fibonacci(n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); })(24);
performance.measure('work', 'begin');
new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve, 20)))`;

await browse(chromium, async ({ post, listeners, open }) => {
  const events = [];
  listeners.set('Tracing.dataCollected', params => events.push(...params.value));
  const complete = new Promise(resolve => listeners.set('Tracing.tracingComplete', resolve));
  await post('Tracing.start', { traceConfig: { includedCategories: CATEGORIES, excludedCategories: ['*'] } });
  await open(`data:text/html;base64,${readFileSync(new URL('page.html', import.meta.url)).toString('base64')}`);
  await post('Runtime.evaluate', { expression: WORK, awaitPromise: true });
  await post('Tracing.end');
  await complete;
  const lines = events.map(event => JSON.stringify(event));
  writeFileSync(out, `{"traceEvents":[\n${lines.join(',\n')}\n],"metadata":{"source":"DevTools","dataOrigin":"TraceEvents"}}\n`);
});
