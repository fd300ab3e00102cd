// TRUTH {"none": true}
const { run, N } = require('../lib/harness');
const { Subject, ReplaySubject, map } = require('rxjs');
const prices = new Subject(), last = new ReplaySubject(100);
run({ round(r) { for (let i = 0; i < N; i++) { const s = prices.pipe(map(p => p * i)).subscribe(() => {}); prices.next(i); last.next({ r, i }); s.unsubscribe(); } } });
