// TRUTH {"package": "vuex", "leaking": "3.1.0", "fixed": "3.1.1", "with": {"vue": "2.6.14"}, "files": ["dist/vuex.common.js"], "owner": ["oldVm|_vm|\\bstore\\b|Store"], "leaked": ["Vue|scope"], "reported": "vuejs/vuex#1508"}
// Each page has a module of the store while it is shown.
const { run, N } = require('../lib/harness');
const Vue = require('vue'), Vuex = require('vuex');
Vue.config.productionTip = Vue.config.devtools = false;
Vue.use(Vuex);
const store = new Vuex.Store({ state: { user: 'Ann' }, getters: { name: state => state.user } });
run({
  round(r) {
    for (let i = 0; i < N / 10; i++) {
      store.registerModule('page', { namespaced: true, state: { rows: [r, i] }, getters: { count: state => state.rows.length } });
      if (store.getters['page/count'] !== 2) throw new Error('count');
      store.unregisterModule('page');
    }
  },
});
