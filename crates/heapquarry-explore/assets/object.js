// One object: what is in it, what holds it, what it holds.

import { copyButton, el, formats } from './shared.js';
import { ask } from './api.js';
import { bytes, distanceText, fact, failure, growing, objectLink, shortened, table, valueLink } from './parts.js';
import { address, go } from './route.js';
import { Tree } from './tree.js';

/** @typedef {import('./route.js').Route} Route */

/** Rows of each list at first, and of each further page. */
const ROWS = 50;

const name = { class: 'name' };
const number = { number: true };
const value = { title: 'Value', ...name, cell: (/** @type {any} */ row) => valueLink(row) };
const retained = { title: 'Retained', ...number, cell: (/** @type {any} */ row) => bytes(row.retained_size) };
const type = { title: 'Class', ...name, cell: (/** @type {any} */ row) => row.class_name ?? '' };
const id = { title: 'Id', class: 'id', cell: (/** @type {any} */ row) => (row.id === null ? '' : `@${row.id}`) };

const LISTS = {
  fields: ['Fields', [{ title: 'Name', ...name, cell: (/** @type {any} */ row) => row.name }, value, type, id, retained]],
  entries: ['Entries', [{ title: 'Key', ...name, cell: (/** @type {any} */ row) => (row.key_id === null ? row.key : objectLink(row.key_id, shortened(row.key))) }, value, type, id, retained]],
  elements: ['Elements', [{ title: 'Index', ...number, cell: (/** @type {any} */ row) => String(row.index) }, value, type, id, retained]],
  variables: ['Variables that it sees', [{ title: 'Name', ...name, cell: (/** @type {any} */ row) => row.name }, { title: 'Scope', ...name, cell: (/** @type {any} */ row) => row.scope }, value, id, retained]],
  internal: ['References of the engine', [{ title: 'Name', ...name, cell: (/** @type {any} */ row) => row.edge }, { title: 'Type', cell: (/** @type {any} */ row) => row.edge_type }, value, type, id, retained]],
};

const TABS = { contents: 'Contents', held_by: 'Held by', path: 'Path', dominates: 'Dominates', dominators: 'Dominators', allocated: 'Allocated by', engine: 'Engine' };

/** Keys of the tabs: Shift is for other views. */
export const TAB_KEYS = /** @type {Record<string, string>} */ ({ c: 'contents', r: 'held_by', p: 'path', d: 'dominates' });

/**
 * The view of an object, of a heap that tells where objects were allocated or of one that does not.
 * @param {boolean} hasStacks
 * @returns {(route: Route, signal: AbortSignal) => Promise<any>}
 */
export const object = hasStacks => (route, signal) => objectView(hasStacks, route, signal);

/**
 * @param {boolean} hasStacks
 * @param {Route} route
 * @param {AbortSignal} signal
 */
async function objectView(hasStacks, route, signal) {
  const node = route.argument;
  const tab = route.parameters.get('tab') ?? 'contents';
  const [shown, held] = await Promise.all([
    ask('object', { node, top: ROWS }, signal),
    ask('retainers', { node, top: 0 }, signal),
  ]);
  const facts = shown.object;
  const named = facts.name && facts.name !== facts.class_name;
  const title = shortened(named ? `${facts.class_name} ${facts.name}` : facts.class_name);
  const command = `heapquarry show ${quoted(shown.inputs[0])} --node ${facts.id}`;
  const counts = /** @type {Record<string, number>} */ ({
    contents: shown.fields.total + shown.entries.total + shown.elements.total + shown.variables.total,
    held_by: held.retainers.total, dominates: shown.dominated.total, engine: shown.internal.total,
  });
  const problems = el('div');
  const onfail = (/** @type {unknown} */ error) => { if (!signal.aborted) problems.replaceChildren(failure(error)); };
  const links = Object.entries(TABS).filter(([key]) => hasStacks || key !== 'allocated').map(([key, text]) => el('a', {
    href: address('object', node, { tab: key === 'contents' ? undefined : key }), 'aria-current': key === tab ? 'true' : undefined,
    text: counts[key] === undefined ? text : `${text} ${formats.count(counts[key])}`,
  }));
  const body = await tabBody(tab, shown, Number(facts.id), signal, onfail);
  return {
    answer: shown,
    title: `${title} @${facts.id}`,
    content: [
      el('section', { class: 'object' },
        el('h2', {}, title, ' ', el('span', { class: 'id', text: `@${facts.id}` })),
        el('p', { class: 'tools' }, copyButton('Copy id', String(facts.id)), copyButton('Copy command', command)),
        el('dl', { class: 'facts' },
          el('div', {}, el('dt', { text: 'Class' }), el('dd', {}, el('a', { href: address('classes', '', { filter: facts.class_name }), text: shortened(facts.class_name) }))),
          fact('retained_size', 'Retained', facts.retained_size, formats.bytes), fact('shallow_size', 'Own', facts.shallow_size, formats.bytes),
          fact('distance', 'Distance', facts.distance, distanceText), fact('type', 'Type', facts.type),
          fact('retainer_count', 'Retainers', held.retainers.total, formats.count),
          facts.place ? fact('place', 'Made at', facts.place) : null,
          facts.prototype_id === null ? null : el('div', {}, el('dt', { text: 'Prototype' }), el('dd', {}, objectLink(facts.prototype_id, shortened(facts.prototype)))),
          facts.dominator_id === null ? null : el('div', {}, el('dt', { text: 'Freed only with' }), el('dd', {}, objectLink(facts.dominator_id, shortened(facts.dominator))))),
        facts.type.includes('string') ? el('details', {}, el('summary', { text: `The whole text (${formats.count(facts.name.length)} characters)` }), el('pre', { class: 'whole', text: facts.name })) : null),
      el('section', {}, el('nav', { class: 'tabs', 'aria-label': 'Views of the object' }, links), problems, body),
    ],
  };
}

/**
 * A name as a shell needs it.
 * @param {string} name
 */
function quoted(name) {
  return /^[\w./#+:@-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

/**
 * @param {string} tab
 * @param {any} shown
 * @param {number} node
 * @param {AbortSignal} signal
 * @param {(error: unknown) => void} onfail
 */
async function tabBody(tab, shown, node, signal, onfail) {
  const list = (/** @type {keyof typeof LISTS} */ key) => {
    const [title, columns] = /** @type {[string, any[]]} */ (LISTS[key]);
    const more = async (/** @type {number} */ offset) => (await ask('object', { node, offset, top: ROWS }, signal))[key];
    return shown[key].total ? growing(title, columns, shown[key], more) : null;
  };
  if (tab === 'engine') return list('internal') ?? el('p', { class: 'none', text: 'The engine refers to nothing from here.' });
  if (tab === 'held_by') return retainers(node, signal, onfail);
  if (tab === 'dominates') return dominated(node, signal, onfail);
  if (tab === 'dominators') return dominators(node, signal);
  if (tab === 'path') return paths(node, signal);
  if (tab === 'allocated') return allocated(node, signal);
  const lists = [list('fields'), list('entries'), list('elements'), list('variables')].filter(Boolean);
  const groups = shown.retainers.total ? heldBy(shown) : null;
  if (!lists.length) lists.push(el('p', { class: 'none', text: 'It has no fields, entries or elements. What the engine keeps in it is under Engine.' }));
  const tree = shown.fields.total + shown.elements.total + shown.internal.total > 0 && el('p', {}, el('a', { href: address('containment', node), text: 'All references as a tree' }));
  return el('div', {}, lists, tree, groups);
}

/** Who holds it, by class and name. @param {any} shown */
function heldBy(shown) {
  return el('div', {}, el('h3', { text: 'Held by, in groups' }), table('Held by, in groups', [
    { title: 'Name', ...name, cell: row => row.edge }, { title: 'Of', ...name, cell: row => valueLink(row) }, type,
    { title: 'Objects', ...number, cell: row => formats.count(row.count) }, retained,
  ], shown.retainers.rows).element);
}

/**
 * @param {number} node
 * @param {AbortSignal} signal
 * @param {(error: unknown) => void} onfail
 */
async function retainers(node, signal, onfail) {
  const tree = new Tree({
    label: 'Held by', root: node, onfail,
    empty: 'Nothing but the root holds it.',
    id: row => row.id, count: row => row.retainer_count, open: to => go(address('object', to, { tab: 'held_by' })),
    text: row => [el('b', { text: shortened(row.edge) }), ' of ', objectLink(row.id, shortened(row.name || row.class_name)), el('span', { class: 'soft', text: ` @${row.id}` })],
    columns: [
      { title: 'Distance', cell: row => distanceText(row.distance) },
      { title: 'Retained', cell: row => bytes(row.retained_size) },
    ],
    load: async (of, offset, top) => (await ask('retainers', { node: of, offset, top }, signal)).retainers,
  });
  await tree.start();
  return tree.element;
}

/**
 * @param {number} node
 * @param {AbortSignal} signal
 * @param {(error: unknown) => void} onfail
 */
async function dominated(node, signal, onfail) {
  const tree = new Tree({
    label: 'What it alone holds', root: node, onfail,
    empty: 'It holds nothing alone: nothing else would be freed with it.',
    id: row => row.id, count: row => row.dominated_count, open: to => go(address('object', to, { tab: 'dominates' })),
    text: row => [valueLink(row), el('span', { class: 'soft' }, ' ', el('bdi', { text: shortened(row.class_name) }), ` @${row.id}`)],
    columns: [
      { title: 'Own', cell: row => bytes(row.shallow_size) },
      { title: 'Retained', cell: row => bytes(row.retained_size) },
    ],
    load: async (of, offset, top) => (await ask('dominated', { node: of, offset, top }, signal)).dominated,
  });
  await tree.start();
  return el('div', {}, el('p', {}, el('a', { href: address('map', node), text: 'See it as a map' })), tree.element);
}

/**
 * @param {number} node
 * @param {AbortSignal} signal
 */
async function dominators(node, signal) {
  const load = async (/** @type {number} */ offset) => (await ask('dominators', { node, offset, top: ROWS }, signal)).dominators;
  const list = await load(0);
  if (!list.total) return el('p', { class: 'none', text: 'It is the root.' });
  return growing('Would be freed only with', [value, type, id, { title: 'Own', ...number, cell: (/** @type {any} */ row) => bytes(row.shallow_size) }, retained], list, load);
}

/**
 * @param {number} node
 * @param {AbortSignal} signal
 */
async function allocated(node, signal) {
  const load = async (/** @type {number} */ offset) => (await ask('allocated', { node, offset, top: ROWS }, signal)).stack;
  const list = await load(0);
  if (!list.total) return el('p', { class: 'none', text: 'The file does not say where it was allocated: objects that were there before the recording have no stack.' });
  return growing('Allocated by', [
    { title: 'Function', ...name, cell: (/** @type {any} */ row) => (row.function === null ? row.function_name : el('a', { href: address('function', row.function), text: shortened(row.function_name) })) },
    { title: 'Where', ...name, cell: (/** @type {any} */ row) => row.place ?? '' },
  ], list, load);
}

/**
 * @param {number} node
 * @param {AbortSignal} signal
 */
async function paths(node, signal) {
  const [usual, shortest] = await Promise.all([ask('why', { node }, signal), ask('why', { node, shortest: true }, signal)]);
  const draw = (/** @type {string} */ title, /** @type {any} */ why) => {
    const [{ object: held, paths: found }] = why.objects;
    const way = [held.function_way, held.way].filter(Boolean).join(', through ');
    return el('div', {}, el('h3', { text: title }), way ? el('p', { class: 'lead', text: way }) : null,
      found.length ? null : el('p', { class: 'none', text: 'No path is known.' }),
      found.map((/** @type {any} */ path) => el('ol', { class: 'way' }, path.steps.map((/** @type {any} */ step) => el('li', {},
        el('b', { text: shortened(step.edge) }), ' of ', objectLink(step.id, shortened(step.name || step.class_name)), el('span', { class: 'soft' }, ` @${step.id}, `, bytes(step.retained_size)))),
        path.reaches_root ? null : el('li', { class: 'soft', text: 'and so on' }))));
  };
  return el('div', {}, draw('As a program would write it', usual), draw('The shortest', shortest));
}
