import type { Readable } from 'node:stream';
import type {
  CheckAnswer, ClassShowAnswer, DiffAnswer, FindAnswer, HeapDiffAnswer, HeapSummaryAnswer, LeaksAnswer, ObjectShowAnswer,
  ObjectsFindAnswer, StringsFindAnswer, SummaryAnswer, WhyAnswer,
} from './answers.js';

export * from './answers.js';

/** Options of each run. */
export interface RunOptions {
  /** Ends the command; the promise is rejected with the signal's reason. */
  signal?: AbortSignal;
  /** Working directory of the command. */
  cwd?: string;
}

/** Options of the work. */
export interface WorkOptions extends RunOptions {
  /** Worker threads; one per core if not given. */
  threads?: number;
  /** Refuse an analysis that needs more memory by an estimate, such as `8GB`. */
  memory?: string;
  /** Most bytes of temporary files per input, such as `20GB`. */
  maxSpool?: string;
  /** Use nothing that is kept of earlier runs, and keep nothing. */
  noCache?: boolean;
  /** Take out what is private in the inputs before they are read, as `heapquarry redact --level` does. */
  redact?: 'values' | 'names' | 'full';
  /** Path of a secret file. */
  redactKey?: string;
  /** Names, or the strings of `Class.property`, that are kept. */
  redactKeep?: string | string[];
  /** Patterns of what is taken out. */
  redactDeny?: string | string[];
}

/** Names of sources. */
export interface NameOptions {
  /** Source maps, to name functions and classes of heaps as their sources do: files, folders or patterns. */
  sourceMap?: string | string[];
}

/** A part of a trace, or some values of a profile; `*` in names matches any text. */
export interface PartOptions {
  /** Only these processes, by name or id. */
  process?: string | string[];
  /** Only these threads, by name or id. */
  thread?: string | string[];
  /** Only events of these categories. */
  category?: string | string[];
  /** Only what begins there or later: seconds after the start of the trace, or the name of an event. */
  from?: number | string;
  /** Only what begins there or before: the same, or the end of an event. */
  until?: number | string;
  /** Of a pprof profile, these values. */
  sampleType?: string;
}

/** How many rows lists of single objects have. */
export interface TopOptions extends WorkOptions {
  top?: number;
}

/** What sizes and times are put together by. */
export interface ByOptions {
  by?: 'package' | 'script' | 'function';
}

/** An object by its id, or the objects of classes; `*` matches any text. */
export type ObjectOptions = { node: number | string; class?: undefined } | { class: string | string[]; node?: undefined };

export type WhyOptions = TopOptions & NameOptions & ObjectOptions & {
  /** Only objects that this earlier snapshot of the same process does not have. */
  newSince?: string;
  /** The shortest paths, as DevTools shows them. */
  shortest?: boolean;
};

export type ShowOptions = TopOptions & NameOptions & ObjectOptions & {
  /** Rows of each list to leave out before the first that is shown. */
  offset?: number;
};

export interface SummaryOptions extends TopOptions, NameOptions, PartOptions, ByOptions {}

/** What is found fits all of these. */
export interface FindOptions extends TopOptions, NameOptions, PartOptions {
  /** Objects of this class; `*` matches any text. */
  class?: string | string[];
  /** Objects with this name or class, functions with this name or script, slices with this name; `*` matches any text. */
  name?: string | string[];
  /** Strings that contain this text; functions and slices whose name does. */
  text?: string;
  /** Strings with a match of this regular expression of the crate regex, likewise. */
  regex?: string;
  /** Objects with these ids. */
  node?: number | string | (number | string)[];
  /** Objects of at least this size, such as `1MB`. */
  minSize?: number | string;
  /** Detached DOM nodes, or all others. */
  detached?: boolean;
  /** Objects that this earlier snapshot of the same process does not have. */
  newSince?: string;
  /** List the texts of strings instead of objects: equal strings are one. */
  strings?: boolean;
  /** Sort by what would be freed with an object (of functions and slices: total), or by its own size (self). */
  sort?: 'retained' | 'own';
  /** Rows to leave out before the first that is shown. */
  offset?: number;
}

/** Limits on an answer. */
export interface LimitOptions extends TopOptions {
  /** Limits such as `class[Session].count > +10`; `passed` says whether they are kept. */
  failOn?: string | string[];
}

export interface DiffOptions extends LimitOptions, NameOptions, PartOptions, ByOptions {
  /**
   * Profiles or traces of several runs before a change, instead of paths; five or more let a rank test tell changes from
   * chance.
   */
  before?: string[];
  /** Profiles or traces of several runs after it. */
  after?: string[];
  /** Write the differences as Parquet tables to this directory. */
  output?: string;
  /** Replace an existing output directory that heapquarry wrote. */
  force?: boolean;
  /** List the engine's own classes of heaps among the others. */
  engine?: boolean;
  /** Changes of figures of traces up to this share are noise, such as `5%`. */
  noise?: string;
  /** The inputs after the first are runs of one program: limits apply to the median of each figure. */
  runs?: boolean;
}

export interface LeaksOptions extends LimitOptions, NameOptions, ByOptions {
  /** Places that may grow, by owner or way; `*` matches any text. */
  ignore?: string | string[];
  /** Fail if a snapshot is damaged. */
  strict?: boolean;
}

export interface CheckOptions extends WorkOptions, PartOptions {
  /** Path of the budget. */
  budget?: string;
  /** Baseline of limits on growth: an input, or a file that `saveBaseline` wrote. */
  baseline?: string;
  /** Write the figures to this file, as a baseline for later runs. */
  saveBaseline?: string;
  /** Write a budget that these inputs keep, with room, to `budget`, or to `budget.toml`. */
  init?: boolean;
  /** Replace an existing budget. */
  force?: boolean;
}

export interface InfoOptions extends RunOptions {
  /** Most bytes of temporary files per input, such as `20GB`. */
  maxSpool?: string;
}

/** What is in an input. Counts and other facts are members of their own. */
export interface Info {
  path: string;
  format: string;
  /** What wrote it, as far as its content shows. */
  producer: string | null;
  /** Bytes after decompression. */
  bytes: number;
  /** Whether it ends as it should. */
  complete: boolean;
  sections: { name: string; offset: number; bytes: number; records: number | null }[];
  [fact: string]: unknown;
}

export interface Schema {
  schema_version: number;
  tables: { name: string; doc: string; columns: SchemaColumn[] }[];
  views?: { name: string; params: string | null; doc: string; needs_analysis: boolean; sql: string }[];
}

export interface SchemaColumn {
  name: string;
  type: string;
  nullable: boolean;
  /** Unit of its numbers; `flag`: 1 is yes, 0 is no. */
  unit?: 'bytes' | 'percent' | 's' | 'ms' | 'us' | 'ns' | 'flag';
  doc: string;
}

export interface SchemaOptions extends RunOptions {
  /** Only this table. */
  table?: string;
}

export interface QueryOptions extends RunOptions {
  /** Any other flag of `heapquarry query`, in camel case. */
  [flag: string]: unknown;
}

/** The command has no answer: bad input, wrong usage, or an input or output error. */
export class HeapquarryError extends Error {
  /** What went wrong, as one word: `malformed`, `unknown_format`, `unreadable`, `not_found`, `usage`, … */
  readonly kind: string;
  /** The file or directory as given. */
  readonly path: string | null;
  /** Offset in bytes from the start of the document. */
  readonly offset: number | null;
  /** Line of a budget. */
  readonly line: number | null;
  readonly expected: string | null;
  readonly found: string | null;
  readonly advice: string | null;
  /** `null` if a signal ended the command. */
  readonly exitCode: number | null;
}

/** What is in a heap, profile or trace. Say which it is: `summary<TraceSummaryAnswer>(…)`. */
export function summary<T extends SummaryAnswer = HeapSummaryAnswer>(path: string, options?: SummaryOptions): Promise<T>;
/** What keeps objects alive. */
export function why(path: string, options: WhyOptions): Promise<WhyAnswer>;
/** What is in an object, and who holds it. */
export function show(path: string, options: ShowOptions & { node: number | string }): Promise<ObjectShowAnswer>;
export function show(path: string, options: ShowOptions & { class: string | string[] }): Promise<ClassShowAnswer>;
/** Objects of a heap, functions of a profile or slices of a trace. Say which: `find<FunctionsFindAnswer>(…)`. */
export function find(path: string, options: FindOptions & { strings: true }): Promise<StringsFindAnswer>;
export function find<T extends FindAnswer = ObjectsFindAnswer>(path: string, options?: FindOptions): Promise<T>;
/** What grew between snapshots of one process, or between profiles. */
export function diff<T extends DiffAnswer = HeapDiffAnswer>(paths: string[], options?: DiffOptions): Promise<T>;
/** What leaks: the places that grow in every step between snapshots of one process. */
export function leaks(paths: string[], options?: LeaksOptions): Promise<LeaksAnswer>;
/** Whether limits are kept. Several paths are runs of one program: limits apply to the median of each figure. */
export function check(paths: string | string[], options: CheckOptions): Promise<CheckAnswer>;
/** What is in inputs, without an analysis: of one path one object, of several an array. */
export function info(path: string, options?: InfoOptions): Promise<Info>;
export function info(paths: string[], options?: InfoOptions): Promise<Info[]>;
/** The tables and views that there are. */
export function schema(options?: SchemaOptions): Promise<Schema>;
/** Rows of an SQL query over the tables of the inputs. */
export function query<T = Record<string, unknown>>(
  inputs: string | string[], sql: string, options?: QueryOptions,
): Promise<T[]>;
/** Standard output of the command with these arguments, as it comes. The stream fails if the command does. */
export function stream(args: string[], options?: RunOptions): Readable;
/** Path of the command: `HEAPQUARRY_BINARY`, otherwise that of the package for this platform. */
export function binary(): string;

/** An input and the questions about it. */
export class Input {
  constructor(path: string, options?: WorkOptions);
  readonly path: string;
  info(options?: InfoOptions): Promise<Info>;
  summary<T extends SummaryAnswer = HeapSummaryAnswer>(options?: SummaryOptions): Promise<T>;
  why(options: WhyOptions): Promise<WhyAnswer>;
  show(options: ShowOptions & { node: number | string }): Promise<ObjectShowAnswer>;
  show(options: ShowOptions & { class: string | string[] }): Promise<ClassShowAnswer>;
  find(options: FindOptions & { strings: true }): Promise<StringsFindAnswer>;
  find<T extends FindAnswer = ObjectsFindAnswer>(options?: FindOptions): Promise<T>;
  check(options: CheckOptions): Promise<CheckAnswer>;
  /** What differs in this input from an earlier one. */
  diff<T extends DiffAnswer = HeapDiffAnswer>(base: string, options?: DiffOptions): Promise<T>;
  query<T = Record<string, unknown>>(sql: string, options?: QueryOptions): Promise<T[]>;
}

/** An input: a file in any format that the command reads, or a converted directory. Nothing is read yet. */
export function open(path: string, options?: WorkOptions): Input;
