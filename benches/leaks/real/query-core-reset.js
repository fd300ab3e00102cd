// TRUTH {"package": "@tanstack/query-core", "leaking": "5.12.1", "fixed": "5.14.0", "files": ["build/modern/mutationObserver.cjs"], "owner": ["#mutations|MutationCache"], "leaked": ["Mutation"], "reported": "TanStack/query#6509"}
// A form that is sent and cleared again and again.
const { run, N, sleep } = require('../lib/harness');
const { MutationObserver, QueryClient } = require('@tanstack/query-core');
const form = new MutationObserver(new QueryClient(), { mutationFn: async id => ({ id }), gcTime: 1 });
form.subscribe(() => {});
run({
  async round() {
    for (let i = 0; i < N / 3; i++) { await form.mutate(i); form.reset(); }
    await sleep(50);
  },
});
