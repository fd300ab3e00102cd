// What the command prints with --json; docs/commands.md#json says what each member means. Sizes are bytes, shares percent.
// Tests hold these types against the output for real files.

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

export interface HeapSummary extends Report {
  totals: {
    size: number;
    node_count: number;
    edge_count: number;
    class_count: number;
    unreached_count: number;
    detached_count: number;
    detached_size: number;
    detached_wrapper_count: number;
  };
  statistics: {
    category: string;
    meaning: string | null;
    size: number;
    share_percent: number | null;
    count: number;
  }[];
  classes: {
    class_name: string;
    class_key: string;
    count: number;
    distance: number;
    shallow_size: number;
    retained_size: number;
    retained_percent: number | null;
  }[];
  retainers: {
    class_name: string;
    id: number;
    name: string;
    distance: number;
    shallow_size: number;
    retained_size: number;
    retained_percent: number | null;
  }[];
  duplicate_strings: { string: string; count: number; size: number; waste: number }[];
  detached: {
    class_name: string;
    count: number;
    shallow_size: number;
    id: number;
    retained_size: number;
  }[];
  kept: { by: string; count: number; size: number; share_percent: number | null }[];
  unread_variables: {
    name: string;
    context_name: string;
    context_id: number | null;
    value_class: string;
    value_id: number | null;
    retained_size: number;
  }[];
  native_contexts: {
    name: string;
    id: number | null;
    count: number;
    shallow_size: number;
    share_percent: number | null;
    retained_size: number | null;
  }[];
}

export interface Why extends Report {
  /** Only for classes. */
  groups?: {
    count: number;
    class_name: string;
    way: string;
    id: number;
    shallow_size: number;
    retained_size: number;
  }[];
  objects: {
    object: {
      class_name: string;
      count: number;
      id: number;
      ids: number[];
      way: string;
      name: string;
      type: string;
      distance: number;
      shallow_size: number;
      retained_size: number;
      retainer_count: number;
    };
    paths: {
      steps: {
        edge: string;
        index: number | null;
        edge_type: string;
        class_name: string;
        name: string;
        id: number;
        distance: number;
        retained_size: number;
      }[];
    }[];
  }[];
}

interface Target {
  value: string;
  class_name: string;
  id: number;
  retained_size: number;
}

/** An object. */
export interface ShownObject extends Report {
  object: {
    class_name: string;
    id: number;
    name: string;
    type: string;
    place: string | null;
    script_name: string | null;
    line: number | null;
    column: number | null;
    distance: number;
    shallow_size: number;
    retained_size: number;
    prototype: string | null;
    prototype_id: number | null;
    dominator: string | null;
    dominator_id: number | null;
    field_count: number;
    element_count: number;
    entry_count: number;
    variable_count: number;
    internal_count: number;
  };
  fields: (Target & { name: string; edge_type: string })[];
  elements: (Target & { index: number })[];
  entries: (Target & { key: string; key_id: number | null })[];
  variables: (Target & { name: string; scope: string | null })[];
  internal: (Target & { edge: string; edge_type: string })[];
  dominated: (Target & { shallow_size: number })[];
  retainers: (Target & { edge: string; count: number })[];
}

/** The objects of classes. */
export interface ShownClass extends Report {
  class: { count: number; class_count: number; shallow_size: number; retained_size: number };
  objects: (Target & { distance: number; shallow_size: number })[];
  fields: { name: string; count: number; value_class: string; class_count: number }[];
}

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
  findings?: Leak[];
}

export interface Leak {
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

export interface LeakReport extends Report, Limited {
  snapshots: Snapshot[];
  /** Worst first. */
  findings: Leak[];
}

export interface CheckReport extends Report {
  passed: boolean;
  checks: Check[];
}

// --- profiles

/**
 * What is measured: `time_us` in CPU profiles, `size` in sampling heap profiles, `samples` in self-profiling traces, `value`
 * in pprof profiles whose values are neither times nor bytes.
 */
export type Measure = 'time_us' | 'size' | 'samples' | 'value';

type Numbers<K extends string> = { [key in K]: number };
type Shares<K extends string> = { [key in K]: number | null };

export type ProfileFunction<M extends Measure> = {
  function_name: string;
  place: string | null;
  url: string;
  line: number | null;
  column: number | null;
  node_count: number;
} & Numbers<`self_${M}` | `total_${M}`> & Shares<'self_percent' | 'total_percent'>;

interface Profile<M extends Measure, Totals> extends Report {
  totals: { node_count: number; function_count: number } & Totals;
  functions: ProfileFunction<M>[];
  functions_by_total: ProfileFunction<M>[];
  urls: ({ url: string } & Numbers<`self_${M}` | `total_${M}`> & Shares<'self_percent' | 'total_percent'>)[];
}

export type CpuProfileSummary =
  Profile<'time_us', Numbers<'time_us' | 'busy_time_us' | 'gc_time_us' | 'sample_count'>>;
export type HeapProfileSummary = Profile<'size', Numbers<'size' | 'sample_count'>>;
export type SelfProfileSummary =
  Profile<'samples', Numbers<'sample_count' | 'busy_sample_count' | 'trace_count'>>;

/** A pprof profile whose values are neither times nor bytes; others are CPU or heap profiles. */
export type ValueProfileSummary = Profile<'value', Numbers<'value' | 'sample_count'>>;

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

interface Lane {
  event_count: number;
  slice_count: number;
  self_time_ns: number;
  duration_ns: number | null;
  start_ns: number | null;
  end_ns: number | null;
}

export interface Slices {
  name: string | null;
  category: string | null;
  count: number;
  self_time_ns: number;
  self_percent: number | null;
  total_time_ns: number;
  longest_ns: number | null;
}

export interface TraceSummary extends Report {
  totals: {
    duration_ns: number | null;
    event_count: number;
    process_count: number;
    thread_count: number;
    slice_count: number;
    operation_count: number;
    instant_count: number;
    flow_count: number;
    counter_count: number;
  };
  processes: (Lane & {
    process_name: string | null;
    pid: number | string | null;
    labels: string | null;
    thread_count: number;
  })[];
  threads: (Lane & {
    thread_name: string | null;
    tid: number | string | null;
    process_name: string | null;
    pid: number | string | null;
  })[];
  cpus?: { cpu: number; switch_count: number; busy_ns: number; busy_percent: number | null }[];
  scheduled_threads?: {
    thread_name: string | null;
    tid: number | string | null;
    process_name: string | null;
    pid: number | string | null;
    run_count: number;
    running_ns: number;
    ready_ns: number;
    longest_ready_ns: number | null;
    blocked_ns: number;
  }[];
  slices: Slices[];
  slices_by_total: Slices[];
  cpu_profiles?: CpuProfileSummary['totals'] & { profile_count: number };
  functions?: ProfileFunction<'time_us'>[];
  functions_by_total?: ProfileFunction<'time_us'>[];
  operations: {
    name: string | null;
    category: string | null;
    count: number;
    unended_count: number;
    total_time_ns: number;
    longest_ns: number | null;
  }[];
  counters: {
    counter_name: string | null;
    id: string | null;
    series: string | null;
    process_name: string | null;
    pid: number | string | null;
    count: number;
    min: number | null;
    max: number | null;
    last: number | null;
  }[];
  issues: { code: string; severity: string; count: number; offset: number | null; message: string }[];
}

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

export type Summary =
  | HeapSummary | CpuProfileSummary | HeapProfileSummary | SelfProfileSummary | ValueProfileSummary
  | TraceSummary;
export type Diff =
  HeapDiff | CpuProfileDiff | HeapProfileDiff | SelfProfileDiff | ValueProfileDiff | TraceDiff;
