// TRUTH {"owner": ["\\bremoved\\b|Tooltip"], "leaked": ["HTML|Element|Tooltip"], "kind": "Array"}
const { run } = require('../lib/harness');
const { JSDOM } = require('jsdom');
const { document } = new JSDOM('<body></body>').window;
const removed = [];
class Tooltip { constructor(i) { this.el = document.createElement('div'); this.el.textContent = 'tip ' + i; document.body.append(this.el); } close() { this.el.remove(); removed.push(this); } } // @made
run({ round() { for (let i = 0; i < 60; i++) new Tooltip(i).close(); } });
