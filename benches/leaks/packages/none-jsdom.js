// TRUTH {"none": true}
const { run } = require('../lib/harness');
const { JSDOM } = require('jsdom');
const { document } = new JSDOM('<body></body>').window;
run({ round() { for (let i = 0; i < 60; i++) { const el = document.createElement('div'); el.textContent = 'tip ' + i; document.body.append(el); el.remove(); } } });
