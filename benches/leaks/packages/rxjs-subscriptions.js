// TRUTH {"owner": ["observers|\\bprices\\b|Subject"], "leaked": ["Subscriber|Operator"], "kind": "Array"}
const { run, N } = require('../lib/harness');
const { Subject, map, filter } = require('rxjs');
const prices = new Subject();
class Chart { constructor(i) { this.points = [i, i + 1]; prices.pipe(filter(p => p > i), map(p => p * 2)).subscribe(p => this.points.push(p)); } } // @made
run({ round() { for (let i = 0; i < N; i++) new Chart(1e9 + i); prices.next(3); } });
