// TRUTH {"owner": ["\\bpages\\b"], "leaked": ["JSDOM|Window|Document"], "kind": "Array"}
const { run } = require('../lib/harness');
const { JSDOM } = require('jsdom');
const pages = [];
run({ round(r) { for (let i = 0; i < 3; i++) { const page = new JSDOM(`<p id=a>page ${r} ${i}<b>x</b></p>`); page.window.document.querySelector('#a'); pages.push(page); } } });
