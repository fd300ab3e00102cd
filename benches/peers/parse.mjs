// What a script does first. usage: node parse.mjs FILE
import { readFileSync } from 'node:fs';

console.log(Object.keys(JSON.parse(readFileSync(process.argv[2], 'utf8'))));
