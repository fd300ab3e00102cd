// Profiles of a small piece of work, for every major of Node that has an inspector.
//
// usage: node profile.js cpu|heap OUT
'use strict';
const fs = require('fs');
const { Session } = require('inspector');

const [, , mode, out] = process.argv;
const session = new Session();
session.connect();
function post(method, params) {
  let result;
  session.post(method, params || {}, (error, answer) => {
    if (error) throw new Error(`${method}: ${error.message}`);
    result = answer;
  });
  return result;
}

const kept = [];
class Parser {
  parse(text) {
    const parsed = JSON.parse(text);
    kept.push(parsed.list.map(item => ({ item, text: `${item}: ${text.length}` })));
    return parsed;
  }
}
function fibonacci(n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
const names = {
  'with "quotes" and \\'(text) {
    return text.replace(/[aeiou]/g, c => c.toUpperCase());
  },
};
function work() {
  const parser = new Parser();
  for (let i = 0; i < 20; i++) {
    parser.parse(JSON.stringify({ list: Array.from({ length: 200 }, (_, k) => k * i) }));
    fibonacci(16);
    names['with "quotes" and \\']('the quick brown fox '.repeat(200));
    eval('(function () { for (let i = 0; i < 2e4; i++) Math.sqrt(i); })()');
  }
}

if (mode === 'cpu') {
  post('Profiler.enable');
  post('Profiler.setSamplingInterval', { interval: 500 });
  post('Profiler.start');
  const end = Date.now() + 60;
  do work(); while (Date.now() < end);
  fs.writeFileSync(out, JSON.stringify(post('Profiler.stop').profile));
} else {
  post('HeapProfiler.startSampling', { samplingInterval: 16384 });
  work();
  fs.writeFileSync(out, JSON.stringify(post('HeapProfiler.stopSampling').profile));
}
