'use strict';
// The process of a module: loads it, runs its action, writes snapshots.
const { ofProcess } = require('./process.js');

let subject;

async function load(url, name) {
  const module = await import(url);
  // Of a CommonJS module, `default` is all that it exports.
  const action = module[name] ?? module.default?.[name];
  if (typeof action !== 'function') throw new TypeError(`${url} exports no function ${name}`);
  subject = ofProcess(action);
}

process.on('message', async ({ load: url, name, act, snapshot }) => {
  try {
    if (url !== undefined) await load(url, name);
    else if (snapshot !== undefined) await subject.snapshot(snapshot);
    else await subject.act(act);
    process.send({});
  } catch (error) {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
    process.send({ error: { name, message, stack } });
  }
});
process.on('disconnect', () => process.exit());
