// TRUTH {"package": "rxjs", "leaking": "5.1.0", "fixed": "5.1.1", "files": ["Subscriber.js", "Subscription.js", "util/subscribeToResult.js"], "owner": ["_subscriptions|SwitchMapSubscriber"], "leaked": ["Subscri"], "reported": "ReactiveX/rxjs#2355"}
const { run, N } = require('../lib/harness');
const { Observable, Subject } = require('rxjs');
const searches = new Subject();
let last = 0;
searches.switchMap(text => Observable.timer(1000).mapTo(text)).subscribe(text => { last = text; });
run({ round(r) { for (let i = 0; i < N; i++) searches.next(`text ${r} ${i}`); } });
