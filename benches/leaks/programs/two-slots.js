// TRUTH {"owner": ["Journal\\.(\\{|front\\b|back\\b)"], "leaked": ["JournalEntry"], "kind": "moving"}
const { run, N } = require('../lib/harness');
class JournalEntry { constructor(i) { this.i = i; this.text = 'entry ' + i; } } // @made
class Journal {
  constructor() { this.front = []; this.back = []; this.turns = 0; }
  add(e) { this.front.push(e); }
  turn() { const all = [...this.front, ...this.back], few = all.splice(0, 5); [this.front, this.back] = ++this.turns % 2 ? [few, all] : [all, few]; }
}
const journal = new Journal();
run({ round(r) { for (let i = 0; i < N; i++) journal.add(new JournalEntry(i)); journal.turn(); } });
