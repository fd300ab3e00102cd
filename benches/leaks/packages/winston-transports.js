// TRUTH {"owner": ["pipes|_events|logger|awaitDrain|Logger"], "leaked": ["Transport|Stream|closure|function|on[a-z]*"], "kind": "Array"}
const { run } = require('../lib/harness');
const winston = require('winston'), { Writable } = require('stream');
require('events').setMaxListeners(0);
const logger = winston.createLogger({ transports: [] }); logger.setMaxListeners(0);
const sink = new Writable({ write(chunk, encoding, done) { done(); } }); sink.setMaxListeners(0);
run({ round() { for (let i = 0; i < 40; i++) { logger.add(new winston.transports.Stream({ stream: sink })); logger.info('request ' + i); } } }); // one for each request
