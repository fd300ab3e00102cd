// TRUTH {"package": "xstate", "leaking": "4.7.6", "fixed": "4.7.7", "files": ["lib/registry.js"], "owner": ["\\bchildren\\b|idMap|registry"], "leaked": ["Interpreter"], "reported": "statelyai/xstate#956"}
const { run, N } = require('../lib/harness');
const { Machine, interpret } = require('xstate');
const door = Machine({ id: 'door', initial: 'closed', states: { closed: { on: { OPEN: 'open' } }, open: {} } });
run({ round() { for (let i = 0; i < N / 3; i++) { const service = interpret(door).start(); service.send('OPEN'); service.stop(); } } });
