// Chromium, where it is installed, and pages for the tests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const known = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Path of Chromium, or undefined. */
export const chromium = known.find(file => file && fs.existsSync(file));

/** Nothing that reaches out. */
export const flags = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
];

/** Starts Chromium with a profile of its own. */
export async function launch() {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'heapquarry-chromium-'));
  const args = [...flags, `--user-data-dir=${dir}`, '--remote-debugging-port=0', 'about:blank'];
  const child = spawn(chromium, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  // Helper processes inherit standard error, which closes when the last of them ends. Until then they write into the
  // profile.
  const gone = once(child, 'close');
  // A test that crashes leaves no browser behind.
  const end = () => child.kill();
  process.once('exit', end);
  let text = '';
  const endpoint = await new Promise((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', part => {
      text += part;
      const found = /DevTools listening on (ws:\S+)/.exec(text);
      if (found) resolve(found[1]);
    });
    child.on('exit', code => reject(new Error(`Chromium ended with ${code}: ${text}`)));
  });
  return {
    endpoint,
    port: Number(new URL(endpoint).port),
    async close() {
      process.removeListener('exit', end);
      child.kill();
      await gone;
      fs.rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A page with a class whose instances it keeps, or not, and a button that does not. */
export const PAGE = `data:text/html,<!doctype html><title>t</title><body><button onclick="visit(), show()">visit</button><p id="shown"></p><script>
class Session { constructor() { this.items = new Array(30).fill(0); this.node = document.createElement('div'); } }
const kept = [];
function visit() { for (let i = 0; i < 20; i++) new Session(); console.log(new Session()); }
let visits = 0;
function show() { document.getElementById('shown').textContent = 'visit ' + ++visits; }
function leak() { for (let i = 0; i < 20; i++) kept.push(new Session()); }
</script>`;
