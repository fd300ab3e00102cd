// Shows the view that the address names.

import { el, formats, live, replace, share } from './shared.js';
import { ask, stayAlive } from './api.js';
import { changes } from './changes.js';
import { classes, objects } from './classes.js';
import { containment } from './containment.js';
import { find as findInHeap } from './find.js';
import { flame, time } from './flame.js';
import { frames } from './frames.js';
import { growth } from './growth.js';
import { map } from './map.js';
import { mark, markDialog, marksLink, marksView, showMarks } from './marks.js';
import { TAB_KEYS, object } from './object.js';
import { overview } from './overview.js';
import { owners } from './owners.js';
import { failure } from './parts.js';
import { bottomUp, callTree, functions, oneFunction, packages, partOf, profileOverview } from './profile.js';
import { sql } from './sql.js';
import { findInTrace, found, longTasks, timeline, traceOverview } from './trace.js';
import { watch } from './watch.js';
import { address, current, go } from './route.js';

/**
 * @typedef {import('./route.js').Route} Route
 * @typedef {{ answer: any, title: string, content: any[], focus?: HTMLElement }} View
 */

/**
 * A view: with a title it is one of those that are listed. `within` is the one that leads to it.
 * @typedef {{ title?: string, within?: string, show: (route: Route, signal: AbortSignal) => Promise<View> }} Screen
 */

/** @type {Record<string, Screen>} */
const OF_PROFILES = {
  flame: { title: 'Flame graph', show: flame },
  time: { title: 'Time', show: time },
  tree: { title: 'Call tree', show: callTree },
  callers: { title: 'Bottom-up', show: bottomUp },
  functions: { title: 'Functions', show: functions },
  packages: { title: 'Packages', show: packages },
  function: { within: 'functions', show: oneFunction },
};

/** What every input has. @type {Record<string, Screen>} */
const OF_ALL = { marks: { show: (_, signal) => marksView(signal) } };

/** What the last of several inputs has besides, or instead. @type {Record<string, Record<string, Screen>>} */
const OF_SERIES = {
  heap: {
    overview: { title: 'Overview', show: (_, signal) => overview(true, signal) },
    classes: { title: 'Classes', show: classes(true) },
    class: { within: 'classes', show: objects(true) },
    growth: { title: 'Growth', show: (_, signal) => growth(signal) },
  },
  profile: { changes: { title: 'Changes', show: changes } },
};

/**
 * The screens of each kind of input; what the search field finds; the parameters that all its screens share.
 * @type {Record<string, { screens: Record<string, Screen>, search: string, find: (text: string) => void, shared: (parameters: URLSearchParams) => Record<string, string> }>}
 */
const KINDS = {
  heap: {
    screens: {
      overview: { title: 'Overview', show: (_, signal) => overview(false, signal) },
      classes: { title: 'Classes', show: classes(false) },
      map: { title: 'Map', show: map },
      containment: { title: 'Containment', show: containment },
      owners: { title: 'Owners', show: owners },
      find: { title: 'Find', show: findInHeap },
      class: { within: 'classes', show: objects(false) },
      object: { show: object(false) },
    },
    search: 'Name, or @id',
    find: text => go(/^@?\d+$/.test(text) ? address('object', text.replace('@', '')) : address('find', '', { name: text.includes('*') ? text : `*${text}*` })),
    shared: () => ({}),
  },
  profile: {
    screens: { overview: { title: 'Overview', show: (_, signal) => profileOverview(signal) }, ...OF_PROFILES },
    search: 'Function or script',
    find: text => go(address('functions', '', { ...partOf(current().parameters), filter: text })),
    shared: partOf,
  },
  trace: {
    screens: {
      overview: { title: 'Overview', show: (_, signal) => traceOverview(signal) },
      timeline: { title: 'Timeline', show: timeline },
      long_tasks: { title: 'Long tasks', show: (_, signal) => longTasks(signal) },
      frames: { title: 'Frames', show: (_, signal) => frames(signal) },
      found: { show: found },
    },
    search: 'Slice, time, or @id',
    find: findInTrace,
    shared: () => ({}),
  },
  watch: {
    screens: { overview: { title: 'Overview', show: (_, signal) => watch(signal) } },
    search: '',
    find: () => {},
    shared: () => ({}),
  },
};
let kind = KINDS.heap;
const listed = () => Object.entries(kind.screens).filter(([, screen]) => screen.title);

const byId = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const main = byId('main');
const search = /** @type {HTMLInputElement} */ (byId('search'));

/** The questions of the view before are of no use any more. */
let asking = new AbortController();

async function show() {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  const route = current();
  const shared = kind.shared(route.parameters);
  replace(byId('screens'), listed().map(([name, screen], at) => el('li', {}, el('a', {
    href: address(name, '', shared), title: at < 9 ? `Key ${at + 1}` : undefined, 'aria-current': isWithin(route.screen, name) ? 'true' : undefined, text: screen.title,
  }))));
  // On a small screen they are a line that scrolls.
  byId('screens').querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  const screen = kind.screens[route.screen];
  if (!screen) {
    replace(main, el('p', { class: 'note' }, 'There is no such view. ', el('a', { href: address('overview'), text: 'Overview' })));
    return;
  }
  // What is there stays until the answer comes; after a moment it looks old.
  const dim = setTimeout(() => main.classList.add('old'), 150);
  const isTyped = document.activeElement instanceof HTMLInputElement && document.activeElement !== search;
  try {
    const view = await screen.show(route, signal);
    if (signal.aborted) return;
    caveats(view.answer);
    replace(main, view.content);
    main.dataset.view = location.hash;
    document.title = `${view.title} - heapquarry`;
    live.textContent = view.title;
    if (!isTyped) scrollTo(0, 0);
    (view.focus ?? main).focus({ preventScroll: true });
  } catch (error) {
    if (!signal.aborted) {
      replace(main, el('section', {}, el('h2', { text: 'This cannot be shown' }), failure(error, show),
        el('p', {}, el('a', { href: address('overview'), text: 'Overview' }))));
      main.focus({ preventScroll: true });
    }
  } finally {
    clearTimeout(dim);
    if (!signal.aborted) main.classList.remove('old');
  }
}

/**
 * Whether a screen is reached through one of those that are listed.
 * @param {string} screen
 * @param {string} listed
 */
function isWithin(screen, listed) {
  return screen === listed || kind.screens[screen]?.within === listed;
}

/** What is looked at, and what makes its numbers doubtful, is on every view. @param {any} answer */
function caveats(answer) {
  /** @type {string[]} */
  const inputs = answer?.inputs ?? [];
  const names = inputs.map(input => input.replace(/[/\\]+$/, '').replace(/^.*[/\\]/, '')).join(', ');
  replace(byId('inputs'), names ? el('bdi', { title: inputs.join('\n'), text: names }) : null);
  const found = answer?.caveats ?? [];
  replace(byId('caveats'), found.map((/** @type {any} */ caveat) => el('p', { class: 'note', text: caveat.input ? `${caveat.input}: ${caveat.text}` : caveat.text })));
}

// ---------------------------------------------------------------- while the input is read

/** Says how far the analysis is, until everything can be asked. */
async function ready() {
  const text = el('p', { role: 'status' });
  const progress = el('progress', { max: 1 });
  replace(main, el('section', {}, el('h2', { text: 'The input is read' }), text, progress));
  for (;;) {
    const status = await ask('status');
    if (status.stage === 'ready') {
      // A trace may hold CPU profiles, whose samples are not read; a timeline tells who allocated what.
      const { time: _, ...timeless } = OF_PROFILES;
      if (status.has_profile) Object.assign(KINDS.trace.screens, timeless);
      if (status.has_profile) Object.assign(KINDS.heap.screens, timeless, { flame: { title: 'Allocations', show: flame }, object: { show: object(true) } });
      if (status.is_series) Object.assign(KINDS[status.kind].screens, OF_SERIES[status.kind]);
      Object.assign(KINDS[status.kind].screens, OF_ALL, { sql: { title: 'SQL', show: sql(status.kind) } });
      return KINDS[status.kind];
    }
    if (status.stage === 'reading') {
      text.textContent = `${status.name}: ${formats.bytes(status.read)} of ${formats.bytes(status.bytes)}, ${share(status.read, status.bytes)}`;
      progress.value = status.bytes ? status.read / status.bytes : 0;
    } else {
      text.textContent = status.stage === 'opening' ? 'It is opened.' : `${status.name} is analysed.`;
      progress.removeAttribute('value');
    }
    await new Promise(done => { setTimeout(done, 100); });
  }
}

// ---------------------------------------------------------------- search and keys

/** Goes to what has a name or an id. */
function find() {
  const text = search.value.trim();
  if (text) kind.find(text);
}

const KEYS = [
  ['1 to 9', 'the screens'], ['/ or g', 'search by name, or go to an @id'], ['arrows, j k, Page, Home, End', 'move in a list or tree'],
  ['Right, Left, l h', 'open and close a step of a tree'], ['*', 'open all steps of a level'], ['Enter', 'go there'],
  ['c r p d', 'contents, held by, path, dominates of an object'], ['w s a d', 'in time: zoom in and out, move'], ['r', 'in a trace: sums of what is in view'], ['f', 'in a trace: zoom to what is chosen'], ['0', 'all of a flame graph or of the time'],
  ['m', 'mark this view, with a note'], ['Shift m', 'the marks'], ['[ ]', 'back, forward'], ['Esc', 'close; in the map and a flame graph go out; in time: all of it'], ['?', 'these keys'],
];

const help = /** @type {HTMLDialogElement} */ (el('dialog', { 'aria-label': 'Keys' }, el('h2', { text: 'Keys' }),
  el('dl', {}, KEYS.map(([key, what]) => el('div', {}, el('dt', { text: key }), el('dd', { text: what })))),
  el('button', { type: 'button', text: 'Close', onclick: () => help.close() })));

addEventListener('keydown', event => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]') || target.closest('input, select, textarea')) return;
  const chosen = listed()[Number(event.key) - 1];
  const { screen, argument, parameters } = current();
  if (chosen) go(address(chosen[0], '', kind.shared(parameters)));
  else if (event.key === '/' || event.key === 'g') search.focus();
  else if (event.key === '?') help.showModal();
  else if (event.key === 'm') markThis();
  else if (event.key === 'M') showMarks();
  else if (event.key === '[') history.back();
  else if (event.key === ']') history.forward();
  else if (screen === 'object' && TAB_KEYS[event.key]) {
    const tab = TAB_KEYS[event.key];
    go(address('object', argument, { tab: tab === 'contents' ? undefined : tab }));
  } else return;
  event.preventDefault();
});

search.addEventListener('keydown', event => {
  if (event.key === 'Enter') find();
  if (event.key === 'Escape') main.focus();
});
/** Marks the view that is shown. */
function markThis() {
  mark(location.hash || address('overview'), document.title.replace(/ - heapquarry$/, ''));
}
byId('mark').addEventListener('click', markThis);
byId('mark').after(marksLink);
byId('help').addEventListener('click', () => help.showModal());
document.querySelector('.skip')?.addEventListener('click', event => {
  event.preventDefault();
  main.focus();
});

document.body.append(live, help, markDialog);
const gone = () => document.body.prepend(el('p', { class: 'note', role: 'alert', text: 'The server has ended. Start it again with `heapquarry open`.' }));
stayAlive().then(gone, gone);
try {
  kind = await ready();
  search.hidden = !kind.search;
  search.placeholder = kind.search;
  search.setAttribute('aria-label', `Search: ${kind.search}`);
  addEventListener('hashchange', show);
  await show();
} catch (error) {
  replace(main, failure(error));
}
