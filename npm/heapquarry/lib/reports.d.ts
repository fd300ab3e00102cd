// What the command prints with --json; docs/commands.md#json says what each member means. Sizes are bytes, shares percent.
// Tests hold these types against the output for real files. Those of diff are by hand, all others are generated: answers.d.ts.

export * from './answers.js';

export interface Report {
  /** Read them before you trust the numbers: one says that an input is truncated. */
  notes: string[];
}

/** A result with limits. */
export interface Limited {
  /** Whether all limits are kept; `undefined` without limits. */
  passed?: boolean;
  checks?: Check[];
}

export interface Check {
  rule: string;
  scope: string;
  name: string;
  quantity: string;
  limit: string;
  file: string | null;
  line: number | null;
  outcome: 'passed' | 'exceeded' | 'skipped';
  matched: number;
  findings: Finding[];
  /** The one that is nearest to the limit, or farthest over it. */
  closest: Finding | null;
}

export interface Finding {
  name: string;
  actual: number;
  base: number | null;
  /** How much more there may be; negative if the limit is exceeded. */
  room: number;
  /** Of several runs. */
  least: number | null;
  most: number | null;
  /** Names whose growth comes with this one. */
  with: string[];
}

// --- heaps

export interface Snapshot {
  name: string;
  size: number;
  size_delta: number;
  node_count: number;
  node_count_delta: number;
}

export interface HeapDiff extends Report, Limited {
  snapshots: Snapshot[];
  suspects: {
    class_name: string;
    class_key: string;
    counts: number[];
    count_delta: number;
    size_delta: number;
    retained_delta: number;
  }[];
  classes: {
    class_name: string;
    class_key: string;
    added_count: number;
    removed_count: number;
    count_delta: number;
    added_size: number;
    removed_size: number;
    size_delta: number;
    base_retained_size: number;
    retained_size: number;
    retained_delta: number;
    is_engine: 0 | 1;
  }[];
  engine?: { class_count: number; count_delta: number; size_delta: number; largest_retained_delta: number };
  objects: {
    tree: string;
    class_name: string;
    depth: number;
    id: number;
    name: string;
    base_retained_size: number | null;
    retained_size: number;
    retained_delta: number;
  }[];
  /** Of three snapshots or more. */
  findings?: DiffLeak[];
}

/** A finding of `leaks`, in the older form that `diff` has. */
export interface DiffLeak {
  /** Who holds it: `Class.field`, a variable or a global. */
  owner: string;
  /** The way there from a variable, the global object or a function. */
  via: string;
  container: string;
  containers: number;
  container_id: number | null;
  kind: 'count' | 'references' | 'bytes' | 'moving' | 'unheld';
  leaked: string | null;
  content: { cls: string; counts: number[] } | null;
  counts: number[] | null;
  added: number | null;
  bytes: number;
  steps: number[];
  even: number;
  kept: number | null;
  confidence: 'high' | 'medium' | 'low';
  /** `file:line`. */
  made_at: string | null;
  location: { script: string; line: number; column: number; what: string } | null;
  /** Where a package makes it, if `made_at` is the program's own part of it. */
  stored_by: { script: string; line: number; column: number; what: string } | null;
  /** The code of who holds it. */
  held_at: { script: string; line: number; column: number; what: string } | null;
  also_held_by: string[];
  grows_with: string[];
  groups: { label: string; cls: string; counts: number[]; bytes: number[] }[];
  path: { edge_type: string; edge: string; holder: string; id: number | null }[];
}

// --- profiles

/**
 * What is measured: `time_us` in CPU profiles, `size` in sampling heap profiles, `samples` in self-profiling traces, `value`
 * in pprof profiles whose values are neither times nor bytes.
 */
export type Measure = 'time_us' | 'size' | 'samples' | 'value';

type Numbers<K extends string> = { [key in K]: number };
type Shares<K extends string> = { [key in K]: number | null };

export type FunctionDiff<M extends Measure> = {
  function_name: string;
  place: string | null;
  url: string;
} & Numbers<
  | `base_self_${M}` | `self_${M}` | `self_${M}_delta` | `base_total_${M}` | `total_${M}` | `total_${M}_delta`
> & Shares<
  | 'base_self_percent' | 'self_percent' | 'self_percent_delta'
  | 'base_total_percent' | 'total_percent' | 'total_percent_delta'
>;

interface Compared<M extends Measure, Totals> extends Report, Limited {
  profiles: ({ name: string; sample_count: number; function_count: number } & Totals)[];
  functions: FunctionDiff<M>[];
  functions_by_total: FunctionDiff<M>[];
}

export type CpuProfileDiff =
  Compared<'time_us', Numbers<'time_us' | 'time_us_delta' | 'busy_time_us' | 'busy_time_us_delta'>>;
export type HeapProfileDiff = Compared<'size', Numbers<'size' | 'size_delta'>>;
export type SelfProfileDiff =
  Compared<'samples', Numbers<'sample_count_delta' | 'busy_sample_count' | 'busy_sample_count_delta'>>;
export type ValueProfileDiff = Compared<'value', Numbers<'value' | 'value_delta'>>;

// --- traces

/** A figure before and after: medians, if there are several runs. `null` where there is nothing to measure. */
interface Compare {
  before: number | null;
  after: number | null;
  delta: number | null;
}

/** A subject of traces that changed by more than noise; in JSON all subjects. `Figures` are the names of its figures. */
export type TraceChange<Names extends string, Figures extends string> = {
  [name in Names]: string | null;
} & {
  change: 'new' | 'gone' | 'more' | 'less' | 'same';
  /** The figure that decides, in words and by its name. */
  what: string;
  changed: Figures;
  delta_percent: number | null;
  /** Of the rank test, if there are several runs. */
  p_value: number | null;
  runs_before: (number | null)[];
  runs_after: (number | null)[];
  figures: { [figure in Figures]: Compare };
} & Compare;

type SliceFigure = 'count' | 'self_time_ns' | 'total_time_ns' | 'p50_ns' | 'p95_ns' | 'longest_ns';
type ThreadName = 'process_name' | 'thread_name';

/** A list is missing if neither side has such subjects. */
export interface TraceDiff extends Report, Limited {
  traces: ({ name: string; side: 'before' | 'after' } & Numbers<
    'duration_ns' | 'event_count' | 'slice_count' | 'long_task_count' | 'blocking_ns' | 'dropped_count'
  >)[];
  main_threads?: TraceChange<ThreadName, 'long_task_count' | 'blocking_ns' | 'longest_ns'>[];
  frames?: TraceChange<
    'process_name' | 'name', 'count' | 'dropped_count' | 'janky_count' | 'p50_ns' | 'p95_ns' | 'longest_ns'
  >[];
  slices?: TraceChange<'name' | 'category', SliceFigure>[];
  operations?: TraceChange<'name' | 'category', Exclude<SliceFigure, 'self_time_ns'>>[];
  gpus?: TraceChange<
    ThreadName, 'count' | 'busy_ns' | 'idle_ns' | 'gap_count' | 'gap_p95_ns' | 'longest_gap_ns'
  >[];
  threads?: TraceChange<
    ThreadName, 'task_count' | 'self_time_ns' | 'p95_ns' | 'longest_ns' | 'long_task_count' | 'blocking_ns'
  >[];
  counters?: TraceChange<'process_name' | 'counter_name' | 'series', 'count' | 'min' | 'max' | 'mean'>[];
  scheduled_threads?: TraceChange<
    ThreadName, 'run_count' | 'running_ns' | 'ready_ns' | 'blocked_ns' | 'sleeping_ns'
  >[];
}

export type Diff =
  HeapDiff | CpuProfileDiff | HeapProfileDiff | SelfProfileDiff | ValueProfileDiff | TraceDiff;
