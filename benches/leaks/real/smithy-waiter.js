// TRUTH {"package": "@smithy/util-waiter", "leaking": "4.0.5", "fixed": "4.0.6", "files": ["dist-cjs/index.js"], "owner": ["AbortSignal|shutdown|signal"], "leaked": ["Listener|closure|function|onAbort"], "reported": "smithy-lang/smithy-typescript#1607"}
const { run, N } = require('../lib/harness');
const { createWaiter } = require('@smithy/util-waiter');
const shutdown = new AbortController();
run({
  async round() {
    for (let i = 0; i < N; i++) await createWaiter({ client: {}, maxWaitTime: 10, abortSignal: shutdown.signal }, { bucket: i }, async () => ({ state: 'SUCCESS' }));
  },
});
