// TRUTH {"owner": ["\\bwidgets\\b"], "leaked": ["Widget"], "kind": "Map"}
class Widget { constructor(i) { this.el = document.createElement('div'); this.el.textContent = 'widget ' + i; this.seen = []; this.observer = new ResizeObserver(entries => this.seen.push(entries.length)); this.observer.observe(this.el); } } // @made
const widgets = new Map();
let next = 0;
window.round = r => { for (let i = 0; i < 150; i++) { const w = new Widget(next); widgets.set(next++, w); document.body.append(w.el); w.el.remove(); } };
