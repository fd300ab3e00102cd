// TRUTH {"package": "@vue/reactivity", "leaking": "3.5.6", "fixed": "3.5.7", "files": ["dist/reactivity.cjs"], "owner": ["targetMap|depsMap|WeakMap"], "leaked": ["Dep\\b"], "reported": "vuejs/core#11979"}
// A view shows one order after the other, each by its number.
const { run, N } = require('../lib/harness');
const { effect, reactive, ref } = require('@vue/reactivity');
const orders = reactive({}), shown = ref(0);
effect(() => orders[`order ${shown.value}`]);
run({ round() { for (let i = 0; i < N; i++) shown.value++; } });
