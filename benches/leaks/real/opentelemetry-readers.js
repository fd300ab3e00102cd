// TRUTH {"package": "@opentelemetry/sdk-metrics", "leaking": "1.17.0", "fixed": "1.17.1", "with": {"@opentelemetry/api": "1.4.1"}, "files": ["build/src/state/TemporalMetricProcessor.js", "build/src/state/MeterSharedState.js"], "owner": ["_unreportedAccumulations"], "leaked": ["AttributeHashMap"], "reported": "open-telemetry/opentelemetry-js#4115"}
const { run, N } = require('../lib/harness');
const { MeterProvider, MetricReader } = require('@opentelemetry/sdk-metrics');
class Reader extends MetricReader { async onForceFlush() {} async onShutdown() {} }
const readers = [new Reader(), new Reader()], provider = new MeterProvider();
for (const reader of readers) provider.addMetricReader(reader);
const orders = provider.getMeter('shop').createCounter('orders');
run({
  async round() {
    for (let i = 0; i < N; i++) {
      orders.add(1, { shop: i % 3 });
      for (const reader of readers) await reader.collect();
    }
  },
});
