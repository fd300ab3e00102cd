'use strict';
// A page, by the DevTools protocol.
const fs = require('node:fs');
const { setTimeout: wait } = require('node:timers/promises');

/** Collections before a snapshot: what finalizers release goes with the next one. */
const COLLECTIONS = 3;
/** Milliseconds for tasks of the page between two collections. */
const BETWEEN = 20;

const isPage = target => target !== null && typeof target === 'object' &&
  ['createCDPSession', 'context', 'target', 'send'].some(name => typeof target[name] === 'function');

/** A session of the page, and whether it is ours. */
async function connect(page) {
  // Puppeteer, new and old; Playwright; a session of either, or of chrome-remote-interface.
  if (typeof page.createCDPSession === 'function') return [await page.createCDPSession(), true];
  if (typeof page.context === 'function') return [await page.context().newCDPSession(page), true];
  if (typeof page.send === 'function') return [page, false];
  return [await page.target().createCDPSession(), true];
}

async function ofPage(page, action) {
  const [session, isOurs] = await connect(page);
  await session.send('HeapProfiler.enable');
  return {
    act: round => action(page, round),
    async snapshot(file) {
      // The protocol keeps what was logged alive; nothing does so without it.
      await session.send('Runtime.discardConsoleEntries');
      for (let i = 0; i < COLLECTIONS; i++) {
        await session.send('HeapProfiler.collectGarbage');
        await wait(BETWEEN);
      }
      await write(session, file);
    },
    async close() {
      if (isOurs) await session.detach().catch(() => {});
    },
  };
}

/** Takes a snapshot; its pieces go to the file as they come. */
async function write(session, file) {
  const out = fs.openSync(file, 'wx', 0o600);
  let failure;
  const piece = ({ chunk }) => {
    try {
      fs.writeSync(out, chunk);
    } catch (error) {
      failure ??= error;
    }
  };
  const event = 'HeapProfiler.addHeapSnapshotChunk';
  session.on(event, piece);
  try {
    await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  } finally {
    (session.off ?? session.removeListener).call(session, event, piece);
    fs.closeSync(out);
  }
  if (failure) throw failure;
}

module.exports = { isPage, ofPage };
