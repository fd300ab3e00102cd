// What viewers and uploaders of Node do first with a pprof profile: decode all messages. usage: node pprof.mjs MODULES FILE
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const [modules, file] = process.argv.slice(2);
const { Profile } = createRequire(join(resolve(modules), 'x.js'))('pprof-format');
console.log(Profile.decode(readFileSync(file)).sample.length);
