// Colours that people with any colour vision tell apart: Paul Tol's schemes "light" (for areas with dark text) and, for
// changes, the ends of "sunset" (https://personal.sron.nl/~pault/).

const PALETTE = ['#77aadd', '#ee8866', '#eedd88', '#ffaabb', '#99ddff', '#44bb99', '#bbcc33', '#aaaa00'];
const OTHER = '#d8d8d8';
const LESS = '#6ea6cd';
const MORE = '#f67e4b';

const dark = matchMedia('(prefers-color-scheme: dark)');

function channels(color) {
  return [1, 3, 5].map(at => parseInt(color.slice(at, at + 2), 16));
}

/** A colour between two, at a share of the way to the second. */
function mix(from, to, part) {
  const [a, b] = [channels(from), channels(to)];
  return `#${a.map((value, at) => Math.round(value + (b[at] - value) * part).toString(16).padStart(2, '0')).join('')}`;
}

/** The colours of the page, as its style sheet has them. */
function theme() {
  const style = getComputedStyle(document.documentElement);
  const of = name => style.getPropertyValue(name).trim();
  return { paper: of('--paper'), ink: of('--ink'), soft: of('--soft'), line: of('--line'), accent: of('--accent') };
}

/** An area's colour: less bright on a dark page. */
function area(color) {
  return dark.matches ? mix(color, '#000000', 0.22) : color;
}

/** The colour of a change: part is from -1 (all went) to 1 (all is new). */
function change(part) {
  const strength = Math.min(1, Math.abs(part));
  return mix(OTHER, part < 0 ? LESS : MORE, strength);
}
