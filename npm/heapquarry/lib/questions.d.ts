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
  /** Neither read nor write the cache */
  noCache?: boolean;
}

/** Options of `summary`. */
export interface SummaryOptions extends WorkOptions {
  /** Rows per list [default: 20; in JSON all classes, functions and scripts, and all lists of traces] */
  top?: number;
  /** Also sum up by package, script or function. Heap: sizes, where each byte belongs to exactly one of them, and the size that would be freed without it. Profiles, and CPU profiles of a trace: self and total values */
  by?: 'package' | 'script' | 'function';
  /** Also show each of several inputs by itself: totals, and busy and idle times of GPUs */
  each?: boolean;
  /** Only this process, by name or id; * matches any text */
  process?: string | string[];
  /** Only this thread, likewise */
  thread?: string | string[];
  /** Only events of this category, likewise */
  category?: string | string[];
  /** Only what begins at this time or later: seconds after the start of the trace, or the name of an event */
  from?: number | string;
  /** Only what begins at this time or earlier: seconds, or the name of an event, whose end counts */
  until?: number | string;
  /** Values of a pprof profile to use, such as alloc_space [default: the profile's default type] */
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
  /** Show the shortest paths, as DevTools does */
  shortest?: boolean;
  /** Paths to show, of an object or of groups of objects */
  top?: number;
}

/** Options of `show`. */
export interface ShowOptions extends WorkOptions {
  /** The object with this id, as DevTools and the tables show it */
  node?: number | string;
  /** Objects of this class; * matches any text */
  class?: string | string[];
  /** Rows to skip in each list */
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
  /** Strings that contain this text; functions and slices with this text in their name */
  text?: string;
  /** Strings with a match of this regular expression, likewise; (?i) ignores case */
  regex?: string;
  /** The object with this id */
  node?: number | string | (number | string)[];
  /** Objects of at least this size, such as 1MB; it is the size that sort sorts by */
  minSize?: number | string;
  /** Only detached DOM nodes; with =false only other objects */
  detached?: boolean;
  /** Objects that this earlier snapshot of the same process does not have */
  newSince?: string;
  /** List texts of strings instead of objects: equal strings are one row, with the size of all copies */
  strings?: boolean;
  /** Sort by retained size, which would be freed with the object, or by own size; functions and slices by total or self value */
  sort?: 'retained' | 'own';
  /** Rows to skip */
  offset?: number;
  /** Rows to show */
  top?: number;
  /** Only this process, by name or id; * matches any text */
  process?: string | string[];
  /** Only this thread, likewise */
  thread?: string | string[];
  /** Only events of this category, likewise */
  category?: string | string[];
  /** Only what begins at this time or later: seconds after the start of the trace, or the name of an event */
  from?: number | string;
  /** Only what begins at this time or earlier: seconds, or the name of an event, whose end counts */
  until?: number | string;
  /** Values of a pprof profile to use, such as alloc_space [default: the profile's default type] */
  sampleType?: string;
}

/** Options of `leaks`. */
export interface LeaksOptions extends WorkOptions {
  /** Exit with 1 if something leaks: `any` for any finding, `3` for three findings or more, `100kB` for one that grows by more, or a limit such as `leak[SessionStore*].growth > 1 MB` or `leaks.count > 2` */
  failOn?: string | string[];
  /** Leave out places that may grow, by owner or path, such as `Cache.entries`; * matches any text */
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
  /** Profiles or traces of several runs before a change; five or more let a rank test tell changes from chance. Or one heap */
  before?: string | string[];
  /** Profiles, traces or heaps of several runs after it: limits apply to the median of each figure */
  after?: string | string[];
  /** Treat changes of times and values of profiles and traces up to this share as noise */
  noise?: string;
  /** Exit with 1 if this limit is exceeded, such as `retained>+5%`, `class[Session].count>+10 and +1%`, `function[render].self_share>+2pp` or `slice[parse].p95>5 ms`; `any` if anything in a trace or profile got worse */
  failOn?: string | string[];
  /** Write the differences as Parquet tables to this directory */
  output?: string;
  /** Replace an existing output directory that heapquarry wrote */
  force?: boolean;
  /** Rows per list [default: 20; in JSON all classes, functions and suspects, and all lists of traces] */
  top?: number;
  /** Also list the engine's own classes of heaps */
  engine?: boolean;
  /** Also list the growth of heaps by package, script or function, and of profiles (also those in traces) by package or script: each byte and each sample belongs to exactly one of them */
  by?: 'package' | 'script' | 'function';
  /** Only this process, by name or id; * matches any text */
  process?: string | string[];
  /** Only this thread, likewise */
  thread?: string | string[];
  /** Only events of this category, likewise */
  category?: string | string[];
  /** Only what begins at this time or later: seconds after the start of the trace, or the name of an event */
  from?: number | string;
  /** Only what begins at this time or earlier: seconds, or the name of an event, whose end counts */
  until?: number | string;
  /** Values of a pprof profile to use, such as alloc_space [default: the profile's default type] */
  sampleType?: string;
}

/** Options of `check`. */
export interface CheckOptions extends WorkOptions {
  /** Write a first budget, with limits that these inputs keep with some room. Several inputs are runs of one program */
  init?: boolean;
  /** Replace an existing budget */
  force?: boolean;
  /** Hold each of several traces or profiles to the limits, not their sums */
  each?: boolean;
  /** Budget file: limits in TOML [default with init: budget.toml] */
  budget?: string;
  /** Baseline for limits on growth: an input, or a file of saveBaseline. Without it, such limits are reported as skipped */
  baseline?: string;
  /** Write the figures to this file (JSON), as a small baseline for later runs. An existing file is replaced only if it is a baseline */
  saveBaseline?: string;
  /** Only this process, by name or id; * matches any text */
  process?: string | string[];
  /** Only this thread, likewise */
  thread?: string | string[];
  /** Only events of this category, likewise */
  category?: string | string[];
  /** Only what begins at this time or later: seconds after the start of the trace, or the name of an event */
  from?: number | string;
  /** Only what begins at this time or earlier: seconds, or the name of an event, whose end counts */
  until?: number | string;
  /** Values of a pprof profile to use, such as alloc_space [default: the profile's default type] */
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
