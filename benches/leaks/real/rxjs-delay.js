// TRUTH {"package": "rxjs", "leaking": "6.0.0", "fixed": "6.1.0", "files": ["internal/operators/delay.js"], "owner": ["DelaySubscriber|_subscriptions"], "leaked": ["AsyncAction"], "reported": "ReactiveX/rxjs#3605"}
// Values come one after the other, so that the delay is idle between them.
const { run, N, sleep } = require('../lib/harness');
const { Subject } = require('rxjs'), { delay } = require('rxjs/operators');
const prices = new Subject();
let last = 0;
prices.pipe(delay(0)).subscribe(price => { last = price; });
run({ async round() { for (let i = 0; i < N / 2; i++) { prices.next(i); await sleep(2); } } });
