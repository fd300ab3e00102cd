// TRUTH {"owner": ["\\bclosedFrames\\b"], "leaked": ["Window|Frame|HTMLIFrameElement|iframe"], "kind": "Array"}
const closedFrames = [];
class Frame { constructor(i) { this.el = document.createElement('iframe'); document.body.append(this.el); this.window = this.el.contentWindow; this.window.name = 'frame ' + i; } close() { this.el.remove(); closedFrames.push(this); } } // @made
window.round = r => { for (let i = 0; i < 8; i++) new Frame(i).close(); };
