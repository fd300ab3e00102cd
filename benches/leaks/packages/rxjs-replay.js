// TRUTH {"owner": ["_buffer|\\bevents\\b"], "leaked": ["ShopEvent"], "kind": "Array"}
const { run, N } = require('../lib/harness');
const { ReplaySubject } = require('rxjs');
class ShopEvent { constructor(i) { this.kind = 'sale' + i; this.at = { day: i, hour: i % 24 }; } } // @made
const events = new ReplaySubject();                    // without a size it keeps all
run({ round(r) { for (let i = 0; i < N; i++) events.next(new ShopEvent(r * 1000 + i)); } });
