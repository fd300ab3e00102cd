// TRUTH {"none": true}
const { run, N } = require('../lib/harness');
const winston = require('winston'), { Writable } = require('stream');
const sink = new Writable({ write(chunk, encoding, done) { done(); } });
const logger = winston.createLogger({ transports: [new winston.transports.Stream({ stream: sink })] });
run({ round(r) { for (let i = 0; i < N; i++) logger.child({ request: r + ':' + i }).info('request ' + i); } });
