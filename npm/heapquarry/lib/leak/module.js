'use strict';
// A module in a process of its own, away from what a test runner does.
const { fork } = require('node:child_process');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

const isModule = target => target instanceof URL || typeof target === 'string';

/** @param {string | URL} target @param {{ export?: string, execArgv?: string[], env?: object, cwd?: string }} options */
async function ofModule(target, { export: name = 'default', execArgv = [], env, cwd }) {
  const url = urlOf(target);
  const child = fork(path.join(__dirname, 'child.js'), {
    execArgv: ['--expose-gc', ...execArgv],
    env: { ...process.env, ...env },
    cwd,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ask = message => new Promise((resolve, reject) => {
    const settle = (how, value) => {
      child.removeListener('message', answer);
      child.removeListener('exit', gone);
      how(value);
    };
    const answer = ({ error }) => (error ? settle(reject, revive(error)) : settle(resolve));
    const gone = (code, signal) => settle(reject, new Error(`the process of ${url} ended with ${signal ?? code}`));
    child.on('message', answer).on('exit', gone);
    child.send(message, error => error && settle(reject, error));
  });
  const subject = {
    act: round => ask({ act: round }),
    snapshot: file => ask({ snapshot: file }),
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise(done => child.once('exit', done));
      child.kill();
      await gone;
    },
  };
  try {
    await ask({ load: url, name });
  } catch (error) {
    await subject.close();
    throw error;
  }
  return subject;
}

function urlOf(target) {
  if (target instanceof URL) return target.href;
  if (/^[a-z]+:\/\//i.test(target)) return new URL(target).href;
  if (!path.isAbsolute(target)) throw new TypeError(`the module must be a URL or an absolute path, not ${target}`);
  return pathToFileURL(target).href;
}

/** An error of the other process. */
function revive({ name, message, stack }) {
  return Object.assign(new Error(message), { name, stack });
}

module.exports = { isModule, ofModule };
