#!/usr/bin/env node
'use strict';
// Runs the command of this platform with the same arguments, streams and exit code.
const { spawn } = require('node:child_process');
const { binary } = require('../lib/binary.js');

let path;
try {
  path = binary();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exit(2);
}
const child = spawn(path, process.argv.slice(2), { stdio: 'inherit' });
child.on('error', error => {
  console.error(`error: cannot run ${path}: ${error.message}`);
  process.exitCode = 2;
});
// What is sent to this process is passed on. The command ends by itself, and leaves nothing behind. A terminal sends an
// interrupt to both: the command takes two at once for one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => {
  if (!signal) {
    process.exitCode = code;
    return;
  }
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
