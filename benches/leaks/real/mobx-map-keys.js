// TRUTH {"package": "mobx", "leaking": "5.11.0", "fixed": "5.13.0", "files": ["lib/mobx.js"], "owner": ["_hasMap"], "leaked": ["ObservableValue|User"], "reported": "mobxjs/mobx#2031"}
// A map that is asked about objects that it does not have.
const { run, N } = require('../lib/harness');
const { observable } = require('mobx');
const online = observable.map({}, { deep: false });
class User { constructor(id) { this.id = id; this.name = 'user ' + id; } }
run({ round(r) { for (let i = 0; i < N; i++) online.has(new User(r * N + i)); } });
