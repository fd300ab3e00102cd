// TRUTH {"package": "mobx", "leaking": "6.13.7", "fixed": "6.15.0", "files": ["dist/mobx.cjs.development.js"], "owner": ["Store|prototype|setter|set name|\\bfn\\b|\\bres\\b"], "leaked": ["closure|function|\\bres\\b|name|context"], "reported": "mobxjs/mobx#4553"}
// Each new store wraps the setter of the class once more.
const { run, N } = require('../lib/harness');
const { makeAutoObservable } = require('mobx');
class Store { first = 'a'; constructor() { makeAutoObservable(this); } set name(text) { this.first = text; } }
run({ round() { for (let i = 0; i < N; i++) new Store(); } });
