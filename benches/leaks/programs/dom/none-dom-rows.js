// TRUTH {"none": true}
const table = document.createElement('table');
document.body.append(table);
class Row { constructor(i) { this.el = document.createElement('tr'); this.el.textContent = 'row ' + i; this.el.addEventListener('click', () => this.el.remove()); } }
window.round = r => { table.replaceChildren(); for (let i = 0; i < 150; i++) table.append(new Row(i + r).el); };
