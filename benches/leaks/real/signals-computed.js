// TRUTH {"package": "@preact/signals-core", "leaking": "1.0.1", "fixed": "1.1.1", "files": ["dist/signals-core.js"], "owner": ["_d\\b|ROOT"], "leaked": ["\\bf\\b|Signal"], "reported": "preactjs/signals#117"}
// Each page reads a price twice, outside of any effect.
const { run, N } = require('../lib/harness');
const { computed, signal } = require('@preact/signals-core');
run({
  round() {
    for (let i = 0; i < N; i++) {
      const price = signal(i), total = computed(() => price.value * 2);
      if (total.value !== total.value) throw new Error('total');
    }
  },
});
