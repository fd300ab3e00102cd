// TRUTH {"none": true}
const onResize = () => {};
window.round = r => { for (let i = 0; i < 8; i++) { const frame = document.createElement('iframe'); document.body.append(frame); frame.contentWindow.name = 'f' + i; window.addEventListener('resize', onResize); frame.remove(); } };
