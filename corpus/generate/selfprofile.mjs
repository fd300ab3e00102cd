// A trace of the JS Self-Profiling API, of a page on localhost that is allowed to take one.
//
// usage: node selfprofile.mjs CHROMIUM OUT
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { browse } from './browser.mjs';

const [, , chromium, out] = process.argv;

const PAGE = '<!doctype html><title>page</title><script src="app.js"></script>';
const APP = `
function fibonacci(n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
const parse = function () { return JSON.parse(JSON.stringify(Array.from({ length: 20000 }, (_, i) => i))); };
class View { render() { document.title = String(fibonacci(22)); return parse().map(i => i * 2); } }
const pause = ms => new Promise(resolve => setTimeout(resolve, ms));
async function record() {
  const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 10000 });
  for (let i = 0; i < 12; i++) {
    const end = performance.now() + 25;
    do new View().render(); while (performance.now() < end);
    await pause(10);
  }
  return JSON.stringify(await profiler.stop());
}
`;

const server = createServer((request, response) => {
  const isApp = request.url === '/app.js';
  response.setHeader('Content-Type', isApp ? 'text/javascript' : 'text/html');
  response.setHeader('Document-Policy', 'js-profiling');
  response.end(isApp ? APP : PAGE);
});
// A port of its own, so that recordings are alike.
await new Promise(resolve => server.listen(49_317, '127.0.0.1', resolve));
try {
  await browse(chromium, async ({ post, open }) => {
    await open('http://localhost:49317/');
    const params = { expression: 'record()', awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await post('Runtime.evaluate', params);
    if (exceptionDetails) throw new Error(exceptionDetails.exception.description);
    writeFileSync(out, result.value);
  });
} finally {
  server.close();
}
