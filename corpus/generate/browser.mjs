// A headless Chromium, spoken to over the DevTools protocol on a pipe.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** The browser has ended by itself. On a busy machine it sometimes does as it starts. */
class Gone extends Error {}

/**
 * Opens a page of its own, has `use` work with it, and ends the browser with all its helpers. `use` gets `post(method, params)`, which
 * answers what the page answers, and `listeners`, a map from the names of events to functions. If the browser ends by itself, all is
 * done once more.
 */
export async function browse(chromium, use) {
  try {
    await browseOnce(chromium, use);
  } catch (error) {
    if (!(error instanceof Gone)) throw error;
    console.error(`${error.message}; once more`);
    await browseOnce(chromium, use);
  }
}

async function browseOnce(chromium, use) {
  const profile = mkdtempSync(join(tmpdir(), 'heapquarry-chromium-'));
  const child = spawn(
    chromium,
    ['--headless', '--no-sandbox', '--disable-gpu', '--disable-extensions', `--user-data-dir=${profile}`, '--remote-debugging-pipe'],
    // A group of processes of its own, to end its helpers with it.
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true },
  );
  const exited = new Promise(resolve => child.on('exit', (code, signal) => resolve(signal ?? code)));
  const gone = exited.then(status => {
    throw new Gone(`${chromium} ended: ${status}`);
  });
  gone.catch(() => {}); // The browser ends in any case, when nobody waits for this any more.
  child.stdio[3].on('error', () => {}); // Written to when it had ended.

  // Messages are JSON texts, each ended by a NUL byte.
  const replies = new Map();
  const listeners = new Map();
  let pending = Buffer.alloc(0);
  child.stdio[4].on('data', data => {
    pending = Buffer.concat([pending, data]);
    for (let end; (end = pending.indexOf(0)) >= 0; pending = pending.subarray(end + 1)) {
      const message = JSON.parse(pending.subarray(0, end));
      if (message.id) replies.get(message.id)(message);
      else listeners.get(message.method)?.(message.params);
    }
  });
  let count = 0;
  function send(method, params = {}, sessionId) {
    const id = ++count;
    child.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + '\0');
    return new Promise((resolve, reject) =>
      replies.set(id, m => (m.error ? reject(new Error(`${method}: ${m.error.message}`)) : resolve(m.result))));
  }

  async function work() {
    const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
    const loaded = new Promise(resolve => listeners.set('Page.loadEventFired', resolve));
    const post = (method, params) => send(method, params, sessionId);
    const open = async url => {
      await post('Page.enable');
      await post('Page.navigate', { url });
      await loaded;
    };
    await use({ post, listeners, open });
  }

  try {
    await Promise.race([work(), gone]);
    await Promise.race([send('Browser.close').then(() => exited), exited, setTimeout(2_000)]);
  } finally {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // All of them are gone.
    }
    await exited;
    try {
      rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    } catch (error) {
      console.error(`left behind: ${error.message}`);
    }
  }
}
