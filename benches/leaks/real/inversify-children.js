// TRUTH {"package": "@inversifyjs/core", "leaking": "5.2.0", "fixed": "5.3.1", "with": {"inversify": ["7.5.1", "7.5.2"]}, "files": ["lib/cjs/planning/services/PlanResultCacheService.js"], "owner": ["#subscribers"], "leaked": ["PlanResultCacheService"], "reported": "inversify/InversifyJS#1810"}
// Each request has a container of its own, in which it finds what all requests share. The repaired release clears its
// list of weak references once it has 1,024 more: there are more of them in a round.
const { run, N } = require('../lib/harness');
const { Container } = require('inversify');
const services = new Container();
services.bind('price').toConstantValue(12);
run({
  async round() {
    for (let i = 0; i < 4 * N; i++) {
      const request = new Container({ parent: services });
      request.bind('user').toConstantValue(i);
      if (request.get('price') !== 12) throw new Error('price');
      if (i % 10 === 0) await null;
    }
  },
});
