// TRUTH {"package": "rxjs", "leaking": "7.3.0", "fixed": "7.3.1", "files": ["dist/cjs/internal/operators/observeOn.js"], "owner": ["_teardowns|_finalizers|Subscriber"], "leaked": ["AsyncAction|Action"], "reported": "ReactiveX/rxjs#6561"}
const { run, N, sleep } = require('../lib/harness');
const { Subject, asyncScheduler, observeOn } = require('rxjs');
const prices = new Subject();
let last = 0;
prices.pipe(observeOn(asyncScheduler)).subscribe(price => { last = price; });
run({ async round() { for (let i = 0; i < N; i++) prices.next(i); await sleep(20); } });
