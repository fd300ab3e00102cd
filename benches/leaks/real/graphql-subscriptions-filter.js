// TRUTH {"package": "graphql-subscriptions", "leaking": "1.2.0", "fixed": "1.2.1", "with": {"graphql": "15.8.0"}, "files": ["dist/with-filter.js"], "owner": ["Promise|pullQueue|PubSubAsyncIterator|getNextPromise"], "leaked": ["Promise|closure|function|resolve"], "reported": "apollographql/graphql-subscriptions#209"}
// A subscriber to whom none of the news belongs.
const { run, N } = require('../lib/harness');
const { PubSub, withFilter } = require('graphql-subscriptions');
const news = new PubSub();
const mine = withFilter(() => news.asyncIterator('news'), () => false)();
let first;
run({
  setup() { first = mine.next(); },
  async round(r) { for (let i = 0; i < N; i++) { await news.publish('news', { r, i }); await new Promise(setImmediate); } },
});
