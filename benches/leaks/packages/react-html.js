// TRUTH {"owner": ["\\bhtmlByUrl\\b"], "leaked": ["string"], "kind": "dictionary"}
const { run, N } = require('../lib/harness');
const { createElement: h } = require('react'), { renderToString } = require('react-dom/server');
const htmlByUrl = {};
const Page = ({ name }) => h('main', null, h('h1', null, 'Hello ' + name), h('ul', null, [1, 2, 3].map(i => h('li', { key: i }, name + i))));
run({ round(r) { for (let i = 0; i < N / 2; i++) { const url = `/u/${r}/${i}`; htmlByUrl[url] ??= renderToString(h(Page, { name: 'user' + i })); } } });
