// TRUTH {"owner": ["\\bpast\\b|\\bhistory\\b|currentState|\\bstate\\b"], "leaked": ["Object|\\{|Array"], "kind": "Array"}
const { run, N } = require('../lib/harness');
const { legacy_createStore: createStore } = require('redux');
const reducer = (state = { present: { n: 0 }, past: [] }, action) => action.type === 'add' ? { present: { n: action.n, note: 'n' + action.n }, past: [...state.past, state.present] } : state; // @made
const store = createStore(reducer);
run({ round(r) { for (let i = 0; i < N; i++) store.dispatch({ type: 'add', n: r * 1000 + i }); return store.getState().past.length; } });
