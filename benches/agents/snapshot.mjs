// Writes three heap snapshots of one process, as Node 20 does, in which sessions leak. They are made, not recorded: they
// take no memory, and can be of any size.
import fs from 'node:fs';
import path from 'node:path';
import { fileOf } from '../leaks/lib/driver.mjs';

/** What is to be found, as the first line of a program says it. */
export const truth = { owner: ['sessions of SessionStore', 'SessionStore\\.sessions'], leaked: ['Session'] };

const META = {
  node_fields: ['type', 'name', 'id', 'self_size', 'edge_count', 'trace_node_id', 'detachedness'],
  node_types: [
    ['hidden', 'array', 'string', 'object', 'code', 'closure', 'regexp', 'number', 'native', 'synthetic', 'concatenated string', 'sliced string', 'symbol', 'bigint', 'object shape'],
    'string', 'number', 'number', 'number', 'number', 'number',
  ],
  edge_fields: ['type', 'name_or_index', 'to_node'],
  edge_types: [['context', 'element', 'property', 'internal', 'hidden', 'shortcut', 'weak'], 'string_or_number', 'node'],
  trace_function_info_fields: ['function_id', 'name', 'script_name', 'script_id', 'line', 'column'],
  trace_node_fields: ['id', 'function_info_index', 'count', 'size', 'children'],
  sample_fields: ['timestamp_us', 'last_assigned_id'],
  location_fields: ['object_index', 'script_id', 'line', 'column'],
};
const TYPE = Object.fromEntries(META.node_types[0].map((name, i) => [name, i]));
const EDGE = Object.fromEntries(META.edge_types[0].map((name, i) => [name, i]));
const FIELDS = META.node_fields.length;

const NAMES = ['', '(GC roots)', 'global', 'SessionStore', 'Map', '(table)', 'Array', '(object elements)', 'User', 'Address', 'Session', 'store', 'sessions', 'users', 'table', 'elements', 'name', 'address', 'user'];
const NAME = Object.fromEntries(NAMES.map((name, i) => [name, i]));
/** Nodes before those of users, and of each user: the user, its name, its address. */
const FIRST = 9, OF_USER = 3;
const SESSIONS = 2000;
/** Bytes of a user, about. */
const BYTES_OF_USER = 155;

/** Writes the snapshots, each of about so many bytes, into a folder, unless they are there. */
export function write(folder, bytes) {
  fs.mkdirSync(folder, { recursive: true });
  const users = Math.max(1, Math.round(bytes / BYTES_OF_USER));
  for (const round of [1, 2, 3]) if (!fs.existsSync(fileOf(folder, round))) one(fileOf(folder, round), users, SESSIONS * round);
}

function one(file, users, sessions) {
  const out = new Output(`${file}.part`);
  const user = i => FIRST + OF_USER * i, session = i => FIRST + OF_USER * users + i;
  const nodes = FIRST + OF_USER * users + sessions, edges = 9 + users + sessions + 2 * users + sessions;
  out.text(`{"snapshot":{"meta":${JSON.stringify(META)},"node_count":${nodes},"edge_count":${edges},"trace_function_count":0},\n"nodes":[`);
  let id = 1;
  const node = (type, name, size, count) => {
    out.row(`${TYPE[type]},${name},${id},${size},${count},0,0`);
    id += 2;
  };
  node('synthetic', NAME[''], 0, 2);
  node('synthetic', NAME['(GC roots)'], 0, 1);
  node('object', NAME.global, 64, 2);
  node('object', NAME.SessionStore, 32, 1);
  node('object', NAME.Map, 32, 1);
  node('array', NAME['(table)'], 16 + 24 * sessions, sessions);
  node('object', NAME.Array, 32, 1);
  node('array', NAME['(object elements)'], 16 + 8 * users, users);
  node('hidden', NAME[''], 0, 1);
  for (let i = 0; i < users; i++) {
    node('object', NAME.User, 56, 2);
    node('string', NAMES.length + i, 32, 0);
    node('object', NAME.Address, 40, 0);
  }
  for (let i = 0; i < sessions; i++) node('object', NAME.Session, 72, 1);
  out.text('],\n"edges":[');
  const edge = (type, name, to) => out.row(`${EDGE[type]},${name},${to * FIELDS}`);
  edge('element', 1, 1);
  edge('shortcut', NAME.global, 2);
  edge('element', 1, 8);
  edge('property', NAME.store, 3);
  edge('property', NAME.users, 6);
  edge('property', NAME.sessions, 4);
  edge('internal', NAME.table, 5);
  for (let i = 0; i < sessions; i++) edge('internal', i, session(i));
  edge('internal', NAME.elements, 7);
  for (let i = 0; i < users; i++) edge('element', i, user(i));
  edge('internal', NAME.global, 2);
  for (let i = 0; i < users; i++) {
    edge('property', NAME.name, user(i) + 1);
    edge('property', NAME.address, user(i) + 2);
  }
  for (let i = 0; i < sessions; i++) edge('property', NAME.user, user(i % users));
  out.text('],\n"trace_function_infos":[],"trace_tree":[],"samples":[],"locations":[],\n"strings":[');
  for (const name of NAMES) out.row(JSON.stringify(name));
  for (let i = 0; i < users; i++) out.row(`"user ${i} of the shop"`);
  out.text(']}');
  out.close();
  fs.renameSync(`${file}.part`, file);
}

/** A file that is written in large pieces. */
class Output {
  parts = [];
  length = 0;
  isFirst = true;

  constructor(file) {
    this.file = fs.openSync(file, 'w');
  }

  /** What stands between rows. */
  text(text) {
    this.push(text);
    this.isFirst = true;
  }

  row(text) {
    this.push(this.isFirst ? text : `,\n${text}`);
    this.isFirst = false;
  }

  push(text) {
    this.parts.push(text);
    this.length += text.length;
    if (this.length > 1 << 20) this.flush();
  }

  flush() {
    fs.writeSync(this.file, this.parts.join(''));
    [this.parts, this.length] = [[], 0];
  }

  close() {
    this.flush();
    fs.closeSync(this.file);
  }
}
