// Generated from the definition of the command; do not edit.
// UPDATE_GOLDEN=1 cargo test --workspace --test generated
import type * as Answers from './answers.js';
import type { RunOptions } from './index.js';

/** Options of every question. */
export interface WorkOptions extends RunOptions {
  /** Worker threads, at most 8 per core [default: one per core] */
  threads?: number;
  /** Most bytes of temporary files per input, such as 20GB [default: 100 times the size of the input, at least 1GiB] */
  maxSpool?: number | string;
  /** Source maps, to name functions and classes as their sources do: a .map file, a folder with such, a pattern as `dist/**\/*.map`, or a script with its map in it [default: HEAPQUARRY_SOURCE_MAPS] */
  sourceMap?: string | string[];
  /** Refuse what needs more memory by an estimate, such as 8GB [default: the limit of the container] */
  memory?: number | string;
  /** Use nothing that is kept of earlier runs, and keep nothing */
  noCache?: boolean;
}

/** Options of `summary`. */
export interface SummaryOptions extends WorkOptions {
  /** Rows per list [default: 20; in JSON all classes, functions and scripts, and all lists of traces] */
  top?: number;
  /** List whose it is, by package, script or function. Of a heap: sizes, each byte in exactly one of them, and what would be freed without them. Of profiles, and CPU profiles of a trace: self and total values */
  by?: 'package' | 'script' | 'function';
  /** Of several inputs, also what is in each: totals, and how busy and idle GPUs were */
  each?: boolean;
  /** Only this process, by name or id; * matches any text */
  process?: string | string[];
  /** Only this thread, likewise */
  thread?: string | string[];
  /** Only events of this category, likewise */
  category?: string | string[];
  /** Only what begins there or later: seconds after the start of the trace, or the name of an event */
  from?: number | string;
  /** Only what begins there or before: the same, or the end of an event */
  until?: number | string;
  /** Of a pprof profile, these values, such as alloc_space [default: the profile's default type] */
  sampleType?: string;
}

/** Options of `why`. */
export interface WhyOptions extends WorkOptions {
  /** The object with this id, as DevTools and the tables show it */
  node?: number | string;
  /** Objects of this class; * matches any text */
  class?: string | string[];
  /** Only objects that this earlier snapshot of the same process does not have */
  newSince?: string;
  /** The shortest paths, as DevTools shows them */
  shortest?: boolean;
  /** Maximum number of paths of the node, or of groups of objects that are shown with their path */
  top?: number;
}

/** Options of `show`. */
export interface ShowOptions extends WorkOptions {
  /** The object with this id, as DevTools and the tables show it */
  node?: number | string;
  /** Objects of this class; * matches any text */
  class?: string | string[];
  /** Rows of each list to leave out before the first that is shown */
  offset?: number;
  /** Rows of each list */
  top?: number;
}

/** Options of `find`. */
export interface FindOptions extends WorkOptions {
  /** Objects of this class; * matches any text */
  class?: string | string[];
  /** Objects with this name or class, functions with this name or script, slices with this name; * matches any text */
  name?: string | string[];
  /** Strings that contain this text; functions and slices whose name does */
  text?: string;
  /** Strings with a match of this regular expression, likewise; (?i) ignores case */
  regex?: string;
  /** The object with this id */
  node?: number | string | (number | string)[];
  /** Objects of at least this size, by what they are sorted by, such as 1MB */
  minSize?: number | string;
  /** Detached DOM nodes; with =false all others */
  detached?: boolean;
  /** Objects that this earlier snapshot of the same process does not have */
  newSince?: string;
  /** List the texts of strings instead of objects: equal strings are one, with the size of all copies */
  strings?: boolean;
  /** Sort by what would be freed with an object (of functions and slices: total), or by its own size (self) */
  sort?: 'retained' | 'own';
  /** Rows to leave out before the first that is shown */
  offset?: number;
  /** Rows to show */
  top?: number;
  /** Only this process, by name or id; * matches any text */
  process?: string | string[];
  /** Only this thread, likewise */
  thread?: string | string[];
  /** Only events of this category, likewise */
  category?: string | string[];
  /** Only what begins there or later: seconds after the start of the trace, or the name of an event */
  from?: number | string;
  /** Only what begins there or before: the same, or the end of an event */
  until?: number | string;
  /** Of a pprof profile, these values, such as alloc_space [default: the profile's default type] */
  sampleType?: string;
}

/** Options of `leaks`. */
export interface LeaksOptions extends WorkOptions {
  /** Exit with 1 if something leaks: `any`, so many findings or more (`3`), one that grows by more than a size (`100kB`), or an expression as `leak[SessionStore*].growth > 1 MB` or `leaks.count > 2`; several may be given */
  failOn?: string | string[];
  /** Leave out places that may grow, by owner or way, such as `Cache.entries`; * matches any text */
  ignore?: string | string[];
  /** Findings to show; JSON has all */
  top?: number;
  /** Also list what grew from the first to the last snapshot by package, script or function */
  by?: 'package' | 'script' | 'function';
  /** Fail if a snapshot is damaged */
  strict?: boolean;
}

/** Options of `diff`. */
export interface DiffOptions extends WorkOptions {
  /** Profiles or traces of several runs before a change; five or more let a rank test tell changes from chance */
  before?: string | string[];
  /** Profiles or traces of several runs after it */
  after?: string | string[];
  /** Changes of figures of traces and profiles up to this share are noise */
  noise?: string;
  /** Exit with 1 if this limit is exceeded, such as `retained>+5%`, `class[Session].count>+10 and +1%`, `function[render].self_share>+2pp` or `slice[parse].p95>5 ms`; `any` if anything in a trace or profile got worse */
  failOn?: string | string[];
  /** Write the differences as Parquet tables to this directory */
  output?: string;
  /** Replace an existing output directory that heapquarry wrote */
  force?: boolean;
  /** Rows per list [default: 20; in JSON all classes, functions and suspects, and all lists of traces] */
  top?: number;
  /** List the engine's own classes of heaps among the others */
  engine?: boolean;
  /** Also list what grew of heaps by package, script or function, and of profiles by package or script: each byte and each sample belongs to exactly one of them. Traces have CPU profiles */
  by?: 'package' | 'script' | 'function';
  /** The inputs after the first are runs of one program: limits apply to the median of each figure */
  runs?: boolean;
  /** Only this process, by name or id; * matches any text */
  process?: string | string[];
  /** Only this thread, likewise */
  thread?: string | string[];
  /** Only events of this category, likewise */
  category?: string | string[];
  /** Only what begins there or later: seconds after the start of the trace, or the name of an event */
  from?: number | string;
  /** Only what begins there or before: the same, or the end of an event */
  until?: number | string;
  /** Of a pprof profile, these values, such as alloc_space [default: the profile's default type] */
  sampleType?: string;
}

/** Options of `check`. */
export interface CheckOptions extends WorkOptions {
  /** Write a budget that these inputs keep, with room: a start to make your own from. Several inputs are runs of one program */
  init?: boolean;
  /** Replace an existing budget */
  force?: boolean;
  /** Each of several traces or profiles must keep the limits; without it their sums must */
  each?: boolean;
  /** Budget file: limits in TOML [default with init: budget.toml] */
  budget?: string;
  /** Baseline of limits on growth: an input, or a file of saveBaseline; without it they are reported as skipped */
  baseline?: string;
  /** Write the figures to this file, as a small baseline for later runs (JSON); of what exists, it replaces only another baseline */
  saveBaseline?: string;
  /** Only this process, by name or id; * matches any text */
  process?: string | string[];
  /** Only this thread, likewise */
  thread?: string | string[];
  /** Only events of this category, likewise */
  category?: string | string[];
  /** Only what begins there or later: seconds after the start of the trace, or the name of an event */
  from?: number | string;
  /** Only what begins there or before: the same, or the end of an event */
  until?: number | string;
  /** Of a pprof profile, these values, such as alloc_space [default: the profile's default type] */
  sampleType?: string;
}

/** Summarise a heap, profile, trace or watch */
export function summary<T extends Answers.SummaryAnswer = Answers.HeapSummaryAnswer>(paths: string | string[], options?: SummaryOptions): Promise<T>;
/** Show what keeps objects alive: the paths of references from a root */
export function why(path: string, options?: WhyOptions): Promise<Answers.WhyAnswer>;
/** Show what is in an object, and what holds it */
export function show<T extends Answers.ShowAnswer = Answers.ObjectShowAnswer>(path: string, options?: ShowOptions): Promise<T>;
/** Find objects of a heap, functions of a profile, slices of a trace */
export function find<T extends Answers.FindAnswer = Answers.ObjectsFindAnswer>(path: string, options?: FindOptions): Promise<T>;
/** Name what leaks: the places that grow in every step between heap snapshots of one process */
export function leaks(paths: string | string[], options?: LeaksOptions): Promise<Answers.LeaksAnswer>;
/** Show what grew between snapshots of one process, or what changed between profiles or traces */
export function diff<T extends Answers.DiffAnswer = Answers.HeapDiffAnswer>(paths: string[], options?: DiffOptions): Promise<T>;
/** Check an input against a budget; exit with 1 and list what exceeds its limit */
export function check(paths: string | string[], options?: CheckOptions): Promise<Answers.CheckAnswer>;

/** The questions about one input. */
export interface Questions {
  /** Summarise a heap, profile, trace or watch */
  summary<T extends Answers.SummaryAnswer = Answers.HeapSummaryAnswer>(options?: SummaryOptions): Promise<T>;
  /** Show what keeps objects alive: the paths of references from a root */
  why(options?: WhyOptions): Promise<Answers.WhyAnswer>;
  /** Show what is in an object, and what holds it */
  show<T extends Answers.ShowAnswer = Answers.ObjectShowAnswer>(options?: ShowOptions): Promise<T>;
  /** Find objects of a heap, functions of a profile, slices of a trace */
  find<T extends Answers.FindAnswer = Answers.ObjectsFindAnswer>(options?: FindOptions): Promise<T>;
  /** Name what leaks: the places that grow in every step between heap snapshots of one process */
  leaks(options?: LeaksOptions): Promise<Answers.LeaksAnswer>;
  /** Check an input against a budget; exit with 1 and list what exceeds its limit */
  check(options?: CheckOptions): Promise<Answers.CheckAnswer>;
}
