import type { Readable } from 'node:stream';
import type {
  CheckAnswer, ClassShowAnswer, DiffAnswer, FindAnswer, HeapDiffAnswer, ObjectShowAnswer, ObjectsFindAnswer,
  StringsFindAnswer, WhyAnswer,
} from './answers.js';
import type * as Questions from './questions.js';
import type { CheckOptions, DiffOptions, FindOptions, WorkOptions } from './questions.js';

export * from './answers.js';
export * from './questions.js';

/** Options of each run. */
export interface RunOptions {
  /** Ends the command; the promise is rejected with the signal's reason. */
  signal?: AbortSignal;
  /** Working directory of the command. */
  cwd?: string;
}

/** An object by its id, or the objects of classes; `*` matches any text. */
export type ObjectOptions = { node: number | string; class?: undefined } | { class: string | string[]; node?: undefined };

/** `WhyOptions` and `ShowOptions` have one or the other. */
export type WhyOptions = Omit<Questions.WhyOptions, 'node' | 'class'> & ObjectOptions;
export type ShowOptions = Omit<Questions.ShowOptions, 'node' | 'class'> & ObjectOptions;

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

// Functions whose options decide what the answer is, or of which some are needed. All others are in questions.d.ts.

/** What keeps objects alive. */
export function why(path: string, options: WhyOptions): Promise<WhyAnswer>;
/** What is in an object, and who holds it. */
export function show(path: string, options: ShowOptions & { node: number | string }): Promise<ObjectShowAnswer>;
export function show(path: string, options: ShowOptions & { class: string | string[] }): Promise<ClassShowAnswer>;
/** Objects of a heap, functions of a profile or slices of a trace. Say which: `find<FunctionsFindAnswer>(…)`. */
export function find(path: string, options: FindOptions & { strings: true }): Promise<StringsFindAnswer>;
export function find<T extends FindAnswer = ObjectsFindAnswer>(path: string, options?: FindOptions): Promise<T>;
/** Whether limits are kept. Several paths are runs of one program, or with `each` inputs of their own: limits apply to the median of each figure. */
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
export interface Input extends Omit<Questions.Questions, 'check' | 'find' | 'show' | 'why'> {}
export class Input {
  constructor(path: string, options?: WorkOptions);
  readonly path: string;
  info(options?: InfoOptions): Promise<Info>;
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
