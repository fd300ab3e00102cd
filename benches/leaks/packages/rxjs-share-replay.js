// TRUTH {"owner": ["observers|\\bticks\\b|Subject"], "leaked": ["Subscriber|Operator|Subject"], "kind": "Array"}
const { run, N } = require('../lib/harness');
const { Subject, shareReplay, map } = require('rxjs');
const ticks = new Subject();
const quote = symbol => ticks.pipe(map(t => ({ symbol, t })), shareReplay(1)); // @made  without refCount it never leaves its source
run({ round() { for (let i = 0; i < N; i++) quote('S' + i).subscribe(() => {}).unsubscribe(); ticks.next(1); } });
