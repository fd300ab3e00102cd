// TRUTH {"package": "@reduxjs/toolkit", "leaking": "1.9.1", "fixed": "1.9.2", "files": ["dist/redux-toolkit.cjs.development.js"], "owner": ["AbortSignal|signal"], "leaked": ["Listener|closure|function|notifyRejection"], "reported": "reduxjs/redux-toolkit#3020"}
// A listener that runs as long as the program, and takes one action after the other.
const { run, N } = require('../lib/harness');
const { configureStore, createListenerMiddleware } = require('@reduxjs/toolkit');
const listeners = createListenerMiddleware();
const store = configureStore({ reducer: (state = 0, action) => (action.type === 'tick' ? action.n : state), middleware: [listeners.middleware] });
listeners.startListening({ type: 'start', effect: async (action, api) => { for (;;) await api.take(next => next.type === 'tick'); } });
run({
  setup() { store.dispatch({ type: 'start' }); },
  async round() { for (let n = 0; n < N; n++) { store.dispatch({ type: 'tick', n }); await new Promise(setImmediate); } },
});
