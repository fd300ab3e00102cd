// TRUTH {"none": true}
const { run, N } = require('../lib/harness');
const { createElement: h } = require('react'), { renderToString } = require('react-dom/server');
const Page = ({ name }) => h('main', null, h('h1', null, 'Hello ' + name));
run({ round(r) { let n = 0; for (let i = 0; i < N / 2; i++) n += renderToString(h(Page, { name: 'user' + i + r })).length; return n; } });
