// Generated from the answers of crates/heapquarry-query; do not edit.
// UPDATE_GOLDEN=1 cargo test --workspace --test generated

/** A heap. */
export interface HeapSummaryAnswer {
  /** Why numbers may rest on less than the whole input, or mean less than they seem to. */
  caveats: Caveat[];
  /** The inputs as given, the earliest first. */
  inputs: string[];
  /** The verb: `summary`. */
  verb: string;
  /** Version of this form; now 2. */
  version: number;
  /** Always `heap`. */
  kind: 'heap';
  /** Classes by retained size, the largest first. */
  classes: ClassSizeList;
  /** Detached DOM nodes by class. */
  detached: DetachedClassList;
  /** Strings of which there are several copies, by what one copy of each would save. */
  duplicate_strings: DuplicateStringList;
  /** What is kept alive only by detached DOM nodes, the console, event handlers or variables, and what nothing keeps alive. */
  kept: KeptOnlyBy[];
  /** Native contexts by size, if there are several. */
  native_contexts: NativeContextList;
  /** Memory outside of the heap, by the objects that hold it: who has the buffers. */
  off_heap: OffHeapMemory;
  /** What belongs to each package, script or function; absent unless asked for. */
  owners?: Owners | null;
  /** The resident memory of the process when the snapshot was taken; absent if it is not stored with it. */
  process?: ProcessMemory | null;
  /** The program's objects that retain most. */
  retainers: ObjectSizeList;
  /** Sizes by category, as in DevTools' statistics, the largest first. They add up to the size of the heap. */
  statistics: CategorySize[];
  /** Sizes and counts of the whole heap. */
  totals: Totals;
  /** Captured variables that no function reads, by what their values retain. */
  unread_variables: UnreadVariableList;
}

/** A profile. */
export interface ProfileSummaryAnswer {
  /** Why numbers may rest on less than the whole input, or mean less than they seem to. */
  caveats: Caveat[];
  /** The inputs as given, the earliest first. */
  inputs: string[];
  /** The verb: `summary`. */
  verb: string;
  /** Version of this form; now 2. */
  version: number;
  /** Always `profile`. */
  kind: 'profile';
  /** Functions by their own values, the largest first. */
  functions: FunctionValueList;
  /** The first functions by total value. */
  functions_by_total: FunctionValueList;
  /** Packages by their functions' own values. Each own value belongs to exactly one package. */
  packages: PackageValueList;
  /** What it is: `CPU profile`, `Profile of cpu (nanoseconds)`. */
  title: string;
  /** Sums over the whole profile. */
  totals: ProfileTotals;
  /** What its values are: `us` of time, `bytes`, `samples`, or the unit of a pprof profile. */
  unit: string;
  /** Scripts by their functions' own values. */
  urls: ScriptValueList;
}

/** A trace. */
export interface TraceSummaryAnswer {
  /** Why numbers may rest on less than the whole input, or mean less than they seem to. */
  caveats: Caveat[];
  /** The inputs as given, the earliest first. */
  inputs: string[];
  /** The verb: `summary`. */
  verb: string;
  /** Version of this form; now 2. */
  version: number;
  /** Always `trace`. */
  kind: 'trace';
  /** Counter series by number of values. */
  counters: CounterSeriesList;
  /** The CPU profiles in the trace, merged; absent if there are none. */
  cpu_profiles?: ProfileSummary | null;
  /** CPUs by number; absent without events of the scheduler. */
  cpus?: CpuActivityList | null;
  /** Streams of GPUs by device; absent if no slice ran on a GPU. */
  gpus?: GpuActivityList | null;
  /** Repairs and anomalies by code. */
  issues: Issue[];
  /** Asynchronous operations by name and category, by total time. */
  operations: OperationTimeList;
  /** Processes by time in slices. */
  processes: ProcessActivityList;
  /** Threads by time on CPUs; absent without events of the scheduler. */
  scheduled_threads?: ScheduledThreadList | null;
  /** Slices that run or compile scripts, by what they call; absent if no slice tells. */
  script_calls?: ScriptCalls | null;
  /** Slices by name and category, by self time. */
  slices: SliceTimeList;
  /** The first of them by total time. */
  slices_by_total: SliceTimeList;
  /** Threads by time in slices. */
  threads: ThreadActivityList;
  /** Counts over the whole trace, or the part of it that was asked for. */
  totals: TraceTotals;
}

/** Several profiles of one kind. */
export interface ProfilesSummaryAnswer {
  /** Why numbers may rest on less than the whole input, or mean less than they seem to. */
  caveats: Caveat[];
  /** The inputs as given, the earliest first. */
  inputs: string[];
  /** The verb: `summary`. */
  verb: string;
  /** Version of this form; now 2. */
  version: number;
  /** Always `profiles`. */
  kind: 'profiles';
  /** Each profile, in the order in which they were given; absent unless asked for. */
  each?: OneProfileList | null;
  /** Functions by their own values, the largest first. */
  functions: FunctionValueList;
  /** The first functions by total value. */
  functions_by_total: FunctionValueList;
  /** Packages by their functions' own values. Each own value belongs to exactly one package. */
  packages: PackageValueList;
  /** What it is: `CPU profile`, `Profile of cpu (nanoseconds)`. */
  title: string;
  /** Sums over the whole profile. */
  totals: ProfileTotals;
  /** What its values are: `us` of time, `bytes`, `samples`, or the unit of a pprof profile. */
  unit: string;
  /** Scripts by their functions' own values. */
  urls: ScriptValueList;
}

/** Several traces. */
export interface TracesSummaryAnswer {
  /** Why numbers may rest on less than the whole input, or mean less than they seem to. */
  caveats: Caveat[];
  /** The inputs as given, the earliest first. */
  inputs: string[];
  /** The verb: `summary`. */
  verb: string;
  /** Version of this form; now 2. */
  version: number;
  /** Always `traces`. */
  kind: 'traces';
  /** The CPU profiles in the traces, merged; absent if there are none. */
  cpu_profiles?: ProfileSummary | null;
  /** Each trace, in the order in which they were given; absent unless asked for. */
  each?: OneTraceList | null;
  /** Asynchronous operations by name and category, by total time. */
  operations: OperationTimeList;
  /** Slices that run or compile scripts, by what they call; absent if no slice tells. */
  script_calls?: ScriptCalls | null;
  /** Slices by name and category, by self time. */
  slices: SliceTimeList;
  /** The first of them by total time. */
  slices_by_total: SliceTimeList;
  /** Sums over the traces; the duration is the sum of theirs. */
  totals: TraceTotals;
  /** Number of traces. */
  trace_count: number;
}

/** The heaps of the isolates of a process. */
export interface IsolatesSummaryAnswer {
  /** Why numbers may rest on less than the whole input, or mean less than they seem to. */
  caveats: Caveat[];
  /** The inputs as given, the earliest first. */
  inputs: string[];
  /** The verb: `summary`. */
  verb: string;
  /** Version of this form; now 2. */
  version: number;
  /** Always `isolates`. */
  kind: 'isolates';
  /** The isolates, the largest first. */
  isolates: IsolateHeapList;
  /** The resident memory of the whole process, right before the first snapshot; absent if it is not stored. */
  process?: ProcessMemory | null;
  /** Sums over all of them. */
  totals: IsolateTotals;
}

/** A watch of a process. */
export interface WatchSummaryAnswer {
  /** Why numbers may rest on less than the whole input, or mean less than they seem to. */
  caveats: Caveat[];
  /** The inputs as given, the earliest first. */
  inputs: string[];
  /** The verb: `summary`. */
  verb: string;
  /** Version of this form; now 2. */
  version: number;
  /** Always `watch`. */
  kind: 'watch';
  /** What to do next. */
  advice: Advice[];
  /** Which calls made what lives; `null` if that is not known, and a caveat says why. */
  allocations: LivingAllocations | null;
  /** Collections of garbage; `null` if they are not known. */
  collections: Collections | null;
  /** Time from the first to the last sample. Unit: ns. */
  duration: number;
  /** The event loop; `null` if the process does not tell. */
  event_loop: EventLoop | null;
  /** The control group at the end; `null` if there is none. */
  group: GroupMemory | null;
  /** How each part of the memory moved, after the warm-up. Only what lives decides; the others are to compare. */
  growth: PartGrowth[];
  /** Number of samples right after a collection that was asked for. */
  live_count: number;
  /** The longest that the process took to answer: its own work, or our questions. Unit: ns. */
  longest_answer: number | null;
  /** Resident memory by what its maps are for, when they were last read. Empty if they could not be read. */
  memory: MemoryKind[];
  /** Most workers that ran between two samples; `null` if the process does not tell. */
  most_workers: number | null;
  /** Number of samples. */
  sample_count: number;
  /** What grows, and how sure that is. */
  verdict: WatchVerdict;
}

/** Why numbers may rest on less than the whole input, or mean less than they seem to. */
export interface Caveat {
  /** The input that it is about; absent if it is about all of them. */
  input?: string | null;
  /** What kind of reason it is. */
  kind: 'truncated' | 'repaired' | 'values' | 'mismatch' | 'remark';
  /** The reason, in words. */
  text: string;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface ClassSizeList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: ClassSize[];
  /** Number of all rows. */
  total: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface DetachedClassList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: DetachedClass[];
  /** Number of all rows. */
  total: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface DuplicateStringList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: DuplicateString[];
  /** Number of all rows. */
  total: number;
}

/** What nothing but one kind of holder keeps alive. */
export interface KeptOnlyBy {
  /** The kind of holder. */
  by: string;
  /** Number of nodes. */
  count: number;
  /** Share of the heap. Unit: percent. */
  share_percent: number | null;
  /** Their shallow size. Unit: bytes. */
  size: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface NativeContextList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: NativeContext[];
  /** Number of all rows. */
  total: number;
}

/** Memory outside of the heap, by the objects that hold it. */
export interface OffHeapMemory {
  /** Who holds it, by size. They add up to it. */
  owners: OffHeapOwnerList;
  /** All of it, as far as the snapshot has it: contents of buffers, memories of WebAssembly, strings outside of the heap, objects of the embedder. Unit: bytes. */
  size: number;
  /** Number of strings outside of the heap whose size the snapshot does not say: V8 before 13.6. */
  unsized_string_count: number;
}

/** What belongs to each package, script or function of a heap. Each byte belongs to exactly one owner: the sizes add up to the size of the heap. */
export interface Owners {
  /** What it is put together by. */
  by: 'package' | 'script' | 'function';
  /** The owners by what they take themselves, the largest first. */
  owners: OwnerSizeList;
}

/** The resident memory of a process right before its heap snapshot was taken. */
export interface ProcessMemory {
  /** What it is for; those parts that are known, and the rest. They add up to `rss`. */
  parts: MemoryPart[];
  /** All of it. Unit: bytes. */
  rss: number;
  /** What it is for, in a sentence. */
  text: string;
  /** What the process says that its buffers have, beyond what is resident: never touched, or swapped out. Unit: bytes. */
  untouched: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface ObjectSizeList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: ObjectSize[];
  /** Number of all rows. */
  total: number;
}

/** The size of a category. */
export interface CategorySize {
  /** Name of the category: `code`, `strings`, `js_arrays`, `typed_arrays`, `native`, `system` or `other`. */
  category: string;
  /** Number of its nodes. */
  count: number;
  /** What belongs to it. */
  meaning: string;
  /** Share of the heap. Unit: percent. */
  share_percent: number | null;
  /** Size of its nodes. Unit: bytes. */
  size: number;
}

/** Sizes and counts of a whole heap. */
export interface Totals {
  /** Number of classes. */
  class_count: number;
  /** Number of DOM nodes outside of any document. */
  detached_count: number;
  /** Their shallow size. Unit: bytes. */
  detached_size: number;
  /** Number of the embedder's detached objects that are no DOM nodes. */
  detached_wrapper_count: number;
  /** Number of edges. */
  edge_count: number;
  /** Number of nodes. */
  node_count: number;
  /** Shallow size of all nodes, with native memory outside the heap: DevTools' total. Unit: bytes. */
  size: number;
  /** Number of nodes that cannot be reached from the root. */
  unreached_count: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface UnreadVariableList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: UnreadVariable[];
  /** Number of all rows. */
  total: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface FunctionValueList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: FunctionValue[];
  /** Number of all rows. */
  total: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface PackageValueList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: PackageValue[];
  /** Number of all rows. */
  total: number;
}

/** Sums over a whole profile. */
export interface ProfileTotals {
  /** The part of it in which something ran; absent if profiles of this kind do not tell. */
  busy_value?: number | null;
  /** Number of functions. */
  function_count: number;
  /** The part of it in which garbage was collected; absent if profiles of this kind do not tell. */
  gc_value?: number | null;
  /** Number of nodes of the call tree. */
  node_count: number;
  /** Number of profiles that were merged. */
  profile_count: number;
  /** Number of samples. */
  sample_count: number;
  /** Sum of all values, in the unit of the profile. */
  value: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface ScriptValueList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: ScriptValue[];
  /** Number of all rows. */
  total: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface CounterSeriesList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: CounterSeries[];
  /** Number of all rows. */
  total: number;
}

/** What is in a profile, or in several that were merged. */
export interface ProfileSummary {
  /** Functions by their own values, the largest first. */
  functions: FunctionValueList;
  /** The first functions by total value. */
  functions_by_total: FunctionValueList;
  /** Packages by their functions' own values. Each own value belongs to exactly one package. */
  packages: PackageValueList;
  /** What it is: `CPU profile`, `Profile of cpu (nanoseconds)`. */
  title: string;
  /** Sums over the whole profile. */
  totals: ProfileTotals;
  /** What its values are: `us` of time, `bytes`, `samples`, or the unit of a pprof profile. */
  unit: string;
  /** Scripts by their functions' own values. */
  urls: ScriptValueList;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface CpuActivityList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: CpuActivity[];
  /** Number of all rows. */
  total: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface GpuActivityList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: GpuActivity[];
  /** Number of all rows. */
  total: number;
}

/** Repairs and anomalies of one code. */
export interface Issue {
  /** The code, as in `import_log`. */
  code: string;
  /** Number of times that it occurred. */
  count: number;
  /** The first of them, in words. */
  message: string;
  /** Offset of the first in bytes, if known. */
  offset: number | null;
  /** How severe it is. */
  severity: string;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface OperationTimeList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: OperationTime[];
  /** Number of all rows. */
  total: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface ProcessActivityList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: ProcessActivity[];
  /** Number of all rows. */
  total: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface ScheduledThreadList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: ScheduledThread[];
  /** Number of all rows. */
  total: number;
}

/** Slices that run or compile a script and say which: `FunctionCall`, `EvaluateScript`, `v8.compile` and `v8.produceCache` of Chromium. Other slices are in none of these times. */
export interface ScriptCalls {
  /** What they call, by self time. */
  functions: CalledFunctionList;
  /** The packages of these, by self time. Each self time belongs to exactly one package. */
  packages: CalledPackageList;
  /** The scripts of these, by self time. */
  scripts: CalledScriptList;
  /** All of them. */
  totals: CallTime;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface SliceTimeList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: SliceTime[];
  /** Number of all rows. */
  total: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface ThreadActivityList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: ThreadActivity[];
  /** Number of all rows. */
  total: number;
}

/** Counts over a trace. */
export interface TraceTotals {
  /** Number of counter series. */
  counter_count: number;
  /** From the start of the first event to the end of the last; absent without events. Unit: ns. */
  duration_ns: number | null;
  /** Number of events. */
  event_count: number;
  /** Number of flows. */
  flow_count: number;
  /** Number of instant events. */
  instant_count: number;
  /** Number of asynchronous operations with a duration. */
  operation_count: number;
  /** Number of processes. */
  process_count: number;
  /** Number of slices of threads. */
  slice_count: number;
  /** Number of threads. */
  thread_count: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface OneProfileList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: OneProfile[];
  /** Number of all rows. */
  total: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface OneTraceList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: OneTrace[];
  /** Number of all rows. */
  total: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface IsolateHeapList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: IsolateHeap[];
  /** Number of all rows. */
  total: number;
}

/** Sums over several heaps. */
export interface IsolateTotals {
  /** Number of their edges. */
  edge_count: number;
  /** Number of heaps. */
  isolate_count: number;
  /** Number of their nodes. */
  node_count: number;
  /** Their sizes, with native memory outside of them. Unit: bytes. */
  size: number;
}

/** What to do next. */
export interface Advice {
  /** A command that does it; `null` if it is none. */
  command: string | null;
  /** What it is for. */
  text: string;
}

/** Which calls made what lives, of all that was allocated from one time to another: estimates from samples. */
export interface LivingAllocations {
  /** The part of it that is from the first half of all that was allocated: it has lived longest. Unit: bytes. */
  early_size: number;
  /** When it began, since the first sample. Unit: ns. */
  from: number;
  /** Bytes from one sample to the next, on average. Unit: bytes. */
  interval: number;
  /** Number of samples that live. */
  sample_count: number;
  /** What lives. Unit: bytes. */
  size: number;
  /** Number of call stacks of which something lives. */
  stack_count: number;
  /** The first 20 of them, those whose objects have lived longest first. */
  stacks: AllocationStack[];
  /** When it was read. Unit: ns. */
  until: number;
}

/** Collections of garbage. */
export interface Collections {
  /** Those of the whole heap. */
  major_count: number;
  /** Those of young objects. */
  minor_count: number;
}

/** The event loop. */
export interface EventLoop {
  /** Its longest delay. Unit: ns. */
  longest_delay: number;
  /** Part of the time in which it was busy, from 0 to 1; `null` if the process does not tell. */
  utilization: number | null;
}

/** Memory of a control group. */
export interface GroupMemory {
  /** Its cache of files. Unit: bytes. */
  file_cache: number | null;
  /** Most that it may take; `null` without a limit, too. Unit: bytes. */
  limit: number | null;
  /** How often processes of it were ended at its limit. */
  oom_kill_count: number | null;
  /** What it takes, with its cache of files. Unit: bytes. */
  used: number | null;
}

/** How a part of the memory moved. */
export interface PartGrowth {
  /** Probability that independent level figures would rise like this, by Mann and Kendall, from 0 to 1. Figures at any time depend on each other, so that it says nothing of `rss` and `heap_used`. */
  chance: number;
  /** Their difference. Unit: bytes. */
  change: number;
  /** Size at the first figure, on the line. Unit: bytes. */
  first: number;
  /** Size at the last figure, on the line. Unit: bytes. */
  last: number;
  /** What it is, in words. */
  meaning: string;
  /** The part: `live_heap`, `live_buffers`, `native`, `allocator_free` and others. */
  part: string;
  /** Number of points of the line: the figures, or of more than 200 the medians of neighbours. */
  point_count: number;
  /** Growth, by Theil and Sen. Unit: bytes per hour. */
  slope: number;
  /** With a probability of 95 % the growth is at most this. Unit: bytes per hour. */
  slope_high: number;
  /** With a probability of 95 % the growth is at least this. Unit: bytes per hour. */
  slope_low: number;
  /** How far the figures are from the line: a standard deviation, from the median of the distances. Unit: bytes. */
  spread: number;
}

/** Resident memory for one purpose. */
export interface MemoryKind {
  /** The kind: `v8`, `brk`, `arena`, `mmap`, `file` and others. */
  kind: string;
  /** Number of maps. */
  map_count: number;
  /** What it is for, in words. */
  meaning: string;
  /** Resident memory with a part of each page that several processes share; `null` if it is not known. Unit: bytes. */
  pss: number | null;
  /** Resident memory; `null` if it is not known. Unit: bytes. */
  rss: number | null;
}

/** What grows, and how sure that is. */
export interface WatchVerdict {
  /** Other parts that grow, by a tenth of it or more. */
  also_growing: string[];
  /** What grows, or what else the memory does. */
  cause: 'heap' | 'buffers' | 'wasm' | 'other_isolates' | 'native' | 'fragmentation' | 'only_rss' | 'page_cache' | 'not_given_back' | 'bounded' | 'not_sure';
  /** How sure it is. */
  certainty: 'high' | 'low' | 'none';
  /** Probability that level memory would rise like this, by Mann and Kendall, from 0 to 1. */
  chance: number | null;
  /** Whether it goes on growing. */
  is_growing: boolean;
  /** If the heap grows, the calls that made most of what stays, innermost first, and how much that is; `null` if they are not known. */
  made_by: string | null;
  /** How long a watch takes, about, that would tell, if growth cannot be excluded; `null` if there is a verdict, or too few figures for an estimate. Unit: ns. */
  needed_duration: number | null;
  /** Growth, by Theil and Sen; of level memory that of the live heap. `null` without figures. Unit: bytes per hour. */
  slope: number | null;
  /** With a probability of 95 % the growth is at most this. Unit: bytes per hour. */
  slope_high: number | null;
  /** With a probability of 95 % the growth is at least this. Unit: bytes per hour. */
  slope_low: number | null;
  /** How far the figures are from a line: a standard deviation, from the median of the distances. Unit: bytes. */
  spread: number | null;
  /** The verdict in words. */
  text: string;
  /** Growth of the live heap that would not have been seen in this time; `null` if any would not. Unit: bytes per hour. */
  unseen_slope: number | null;
}

/** The objects of a class. */
export interface ClassSize {
  /** What the class is told apart by: its name, and where it is defined. */
  class_key: string;
  /** Name of the class, as DevTools shows it. */
  class_name: string;
  /** Number of its objects that have a size. */
  count: number;
  /** Least distance of its objects. */
  distance: number;
  /** What a source map tells of the class. */
  original?: Original | null;
  /** Share of the heap that they retain. Unit: percent. */
  retained_percent: number | null;
  /** What would be freed with all of its objects. Unit: bytes. */
  retained_size: number;
  /** What its objects take themselves. Unit: bytes. */
  shallow_size: number;
}

/** Detached DOM nodes of a class. */
export interface DetachedClass {
  /** Name of the class. */
  class_name: string;
  /** Number of its detached nodes. */
  count: number;
  /** The one that retains most. Unit: id. */
  id: number;
  /** What that one retains. Unit: bytes. */
  retained_size: number;
  /** What they take themselves. Unit: bytes. */
  shallow_size: number;
}

/** A string with several copies. */
export interface DuplicateString {
  /** Number of copies. */
  count: number;
  /** Size of all copies. Unit: bytes. */
  size: number;
  /** Its text. */
  string: string;
  /** What one copy would save. Unit: bytes. */
  waste: number;
}

/** A native context: a page, a frame, or a realm of Node. */
export interface NativeContext {
  /** Number of its nodes. */
  count: number;
  /** Its id; absent where it is no single one. Unit: id. */
  id: number | null;
  /** Its name; `(shared by several)` and `(none)` stand for what belongs to no single one. */
  name: string;
  /** What the context retains. Unit: bytes. */
  retained_size: number | null;
  /** Their shallow size. Unit: bytes. */
  shallow_size: number;
  /** Share of the heap. Unit: percent. */
  share_percent: number | null;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface OffHeapOwnerList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: OffHeapOwner[];
  /** Number of all rows. */
  total: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface OwnerSizeList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: OwnerSize[];
  /** Number of all rows. */
  total: number;
}

/** A part of the resident memory. */
export interface MemoryPart {
  /** What it is, in words. */
  meaning: string;
  /** The part: `heap`, `array_buffers`, `code` and others; `rest` is what is not named. */
  part: string;
  /** Its share of the resident memory. Unit: percent. */
  share_percent: number | null;
  /** Its size. Unit: bytes. */
  size: number;
}

/** An object that retains much. */
export interface ObjectSize {
  /** Name of its class. */
  class_name: string;
  /** Its distance. */
  distance: number;
  /** Its id. Unit: id. */
  id: number;
  /** Its name; of functions with the place where they are defined. */
  name: string;
  /** What a source map tells of the function, or of the object's class. */
  original?: Original | null;
  /** Share of the heap that it retains. Unit: percent. */
  retained_percent: number | null;
  /** What would be freed with it. Unit: bytes. */
  retained_size: number;
  /** What it takes itself. Unit: bytes. */
  shallow_size: number;
}

/** A captured variable that no live function can read. */
export interface UnreadVariable {
  /** Id of its context. Unit: id. */
  context_id: number;
  /** The function whose variables they are. */
  context_name: string;
  /** Name of the variable. */
  name: string;
  /** What the value retains. Unit: bytes. */
  retained_size: number;
  /** Class of the value. */
  value_class: string;
  /** Id of the value. Unit: id. */
  value_id: number;
}

/** The values of a function. */
export interface FunctionValue {
  /** Its column, from 1. */
  column: number | null;
  /** Its name; `(anonymous)` if it has none. */
  function_name: string;
  /** Its line, from 1. */
  line: number | null;
  /** Number of places that it was called from, as nodes of the call tree. */
  node_count: number;
  /** What a source map tells of it. */
  original?: Original | null;
  /** Its place, short: the last two parts of the script's address, and the line; with a source map those of the source, then in brackets that of the script. */
  place: string | null;
  /** Share of the value that is not idle; absent for idle functions. Unit: percent. */
  self_percent: number | null;
  /** Its own value, without what it calls. */
  self_value: number;
  /** Share of the value that is not idle; absent for idle functions. Unit: percent. */
  total_percent: number | null;
  /** Its value with all that it calls. */
  total_value: number;
  /** The address of its script; empty for the engine and native code. */
  url: string;
}

/** The values of a package's functions. */
export interface PackageValue {
  /** Its name: of npm or JSR, a folder of the repository, the origin of a page's scripts, or how the names of the runtime's scripts begin. `(own scripts)` stands for scripts of none, `(ignored sources)` for sources of none that a source map lists as ones to be ignored, `(native)` for functions without a script. */
  package: string;
  /** Share of the value that is not idle. Unit: percent. */
  self_percent: number | null;
  /** Their own values. */
  self_value: number;
  /** Share of the value that is not idle. Unit: percent. */
  total_percent: number | null;
  /** Their values with all that they call. */
  total_value: number;
}

/** The values of a script's functions. */
export interface ScriptValue {
  /** Share of the value that is not idle. Unit: percent. */
  self_percent: number | null;
  /** Their own values. */
  self_value: number;
  /** Share of the value that is not idle. Unit: percent. */
  total_percent: number | null;
  /** Their values with all that they call. */
  total_value: number;
  /** Its address, with a source map that of a source; `(native)` stands for functions without a script. */
  url: string;
}

/** A series of a counter. */
export interface CounterSeries {
  /** Number of values. */
  count: number;
  /** Name of the counter. */
  counter_name: string | null;
  /** Id of the counter, if it has one. */
  id: string | null;
  /** The value with the latest time. */
  last: number | number | string | null;
  /** The greatest value. */
  max: number | number | string | null;
  /** The least value. */
  min: number | number | string | null;
  /** Id of its process. */
  pid: number | number | string | null;
  /** Name of its process, if known. */
  process_name: string | null;
  /** Name of the series. */
  series: string | null;
}

/** A CPU. */
export interface CpuActivity {
  /** Time in which it ran a thread other than the idle one. Unit: ns. */
  busy_ns: number;
  /** Share of the recorded time. Unit: percent. */
  busy_percent: number | null;
  /** Its number. */
  cpu: number;
  /** Number of times that it began to run a thread. */
  switch_count: number;
}

/** A stream of a GPU, or all streams of a device together. */
export interface GpuActivity {
  /** Time in which any slice ran. Unit: ns. */
  busy_ns: number;
  /** Number of slices. */
  count: number;
  /** Number of gaps between slices. */
  gap_count: number;
  /** 95th percentile of the gaps; absent if there are none. Unit: ns. */
  gap_p95_ns: number | null;
  /** Time between the first slice and the last in which none ran. Unit: ns. */
  idle_ns: number;
  /** The longest gap; absent if there are none. Unit: ns. */
  longest_gap_ns: number | null;
  /** The device. */
  process_name: string;
  /** The stream; `all streams` for all of the device. */
  thread_name: string;
}

/** Asynchronous operations of one name and category. */
export interface OperationTime {
  /** Their category. */
  category: string | null;
  /** Number of operations. */
  count: number;
  /** The longest of them. Unit: ns. */
  longest_ns: number | null;
  /** Their name. */
  name: string | null;
  /** Time of all with an end. Unit: ns. */
  total_time_ns: number;
  /** Number of those without an end. */
  unended_count: number;
}

/** A process. */
export interface ProcessActivity {
  /** From the start of the first event to the end of the last. Unit: ns. */
  duration_ns: number | null;
  /** End of the last event, in the time of the trace. Unit: ns. */
  end_ns: number | null;
  /** Number of events. */
  event_count: number;
  /** Its labels, such as titles of pages. */
  labels: string | null;
  /** Its id. */
  pid: number | number | string | null;
  /** Its name, if known. */
  process_name: string | null;
  /** Time in which a thread had any slice; of a process the sum over its threads. Unit: ns. */
  self_time_ns: number;
  /** Number of slices. */
  slice_count: number;
  /** Start of the first event, in the time of the trace. Unit: ns. */
  start_ns: number | null;
  /** Number of its threads. */
  thread_count: number;
}

/** A thread that the scheduler ran. */
export interface ScheduledThread {
  /** Time in uninterruptible waits, usually for a disk. Unit: ns. */
  blocked_ns: number;
  /** The longest such time. Unit: ns. */
  longest_ready_ns: number | null;
  /** Id of its process. */
  pid: number | number | string | null;
  /** Name of its process, if known. */
  process_name: string | null;
  /** Time in which it could have run, but had no CPU. Unit: ns. */
  ready_ns: number;
  /** Number of times that it ran. */
  run_count: number;
  /** Time on CPUs. Unit: ns. */
  running_ns: number;
  /** Its name, if known. */
  thread_name: string | null;
  /** Its id. */
  tid: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface CalledFunctionList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: CalledFunction[];
  /** Number of all rows. */
  total: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface CalledPackageList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: CalledPackage[];
  /** Number of all rows. */
  total: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface CalledScriptList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: CalledScript[];
  /** Number of all rows. */
  total: number;
}

/** Times of slices that call scripts. */
export interface CallTime {
  /** Number of slices. */
  count: number;
  /** The longest of them. Unit: ns. */
  longest_ns: number | null;
  /** Share of the self time of all that call scripts. Unit: percent. */
  self_percent: number | null;
  /** Their time without slices within them, whatever these are. Unit: ns. */
  self_time_ns: number;
  /** Their time; a slice within another of these counts once. Unit: ns. */
  total_time_ns: number;
}

/** Slices of one name and category. */
export interface SliceTime {
  /** Their category. */
  category: string | null;
  /** Number of slices. */
  count: number;
  /** The longest of them. Unit: ns. */
  longest_ns: number | null;
  /** Their name. */
  name: string | null;
  /** Share of the self time of all slices. Unit: percent. */
  self_percent: number | null;
  /** Their time without slices below them. Unit: ns. */
  self_time_ns: number;
  /** Their time. Unit: ns. */
  total_time_ns: number;
}

/** A thread. */
export interface ThreadActivity {
  /** From the start of the first event to the end of the last. Unit: ns. */
  duration_ns: number | null;
  /** End of the last event, in the time of the trace. Unit: ns. */
  end_ns: number | null;
  /** Number of events. */
  event_count: number;
  /** Id of its process. */
  pid: number | number | string | null;
  /** Name of its process, if known. */
  process_name: string | null;
  /** Time in which a thread had any slice; of a process the sum over its threads. Unit: ns. */
  self_time_ns: number;
  /** Number of slices. */
  slice_count: number;
  /** Start of the first event, in the time of the trace. Unit: ns. */
  start_ns: number | null;
  /** Its name, if known. */
  thread_name: string | null;
  /** Its id. */
  tid: number | number | string | null;
}

/** One of several profiles. */
export interface OneProfile {
  /** The profile as given. */
  input: string;
  /** Sums over it. */
  totals: ProfileTotals;
}

/** One of several traces. */
export interface OneTrace {
  /** Streams of GPUs by device; absent if no slice ran on a GPU. */
  gpus?: GpuActivityList | null;
  /** The trace as given. */
  input: string;
  /** Time in which a thread had any slice, summed over its threads. Unit: ns. */
  self_time_ns: number;
  /** Counts over it. */
  totals: TraceTotals;
}

/** The heap of an isolate. */
export interface IsolateHeap {
  /** The input that is this heap alone. */
  input: string;
  /** `main`, or the id of the worker among the targets of the port. */
  isolate: string;
  /** Share of the sizes of all heaps. Unit: percent. */
  share_percent: number | null;
  /** What it calls itself, if it does. */
  title: string | null;
  /** Sizes and counts of its heap. */
  totals: Totals;
  /** What it runs, if it says so. */
  url: string | null;
}

/** What one call stack made and still lives. */
export interface AllocationStack {
  /** The part of it that is from the first half of all that was allocated. Unit: bytes. */
  early_size: number;
  /** The functions, innermost first. A function that was inlined counts as a part of that which called it. */
  frames: AllocationFrame[];
  /** Number of samples that live. */
  sample_count: number;
  /** What lives. Unit: bytes. */
  size: number;
}

/** What a source map tells of a function or class. */
export interface Original {
  /** Its column there, from 1. */
  column: number;
  /** Its line there, from 1. */
  line: number;
  /** Its name in the source; empty for a function without one. Absent if the map does not tell. */
  name?: string | null;
  /** Path or URL of the source. */
  source: string;
}

/** What objects of a class hold outside of the heap. */
export interface OffHeapOwner {
  /** Number of blocks. */
  count: number;
  /** The object that holds most of it, for `why`. Unit: id. */
  id: number | null;
  /** What it is: `array_buffer`, `shared_array_buffer`, `wasm`, `external_string` or `native`. */
  kind: string;
  /** The largest block. Unit: bytes. */
  largest: number;
  /** The class of the objects that it goes with; `null` if several others hold each, or only the engine does. */
  owner_class: string | null;
  /** Its share of all that is outside of the heap. Unit: percent. */
  share_percent: number | null;
  /** Their size. Unit: bytes. */
  size: number;
  /** Number of buffers, typed arrays and views on these blocks. Each keeps all of a block, however small it is. */
  view_count: number;
  /** The class or function that these objects are in, where their own says nothing: `Cache`, of arrays in one. */
  within: string | null;
}

/** What belongs to an owner. */
export interface OwnerSize {
  /** Number of its objects. */
  count: number;
  /** The owner. */
  owner: Owner;
  /** Share of the heap that they retain. Unit: percent. */
  retained_percent: number | null;
  /** What would be freed if all of them went. Of several owners it may count the same bytes: what one holds can belong to another. Absent of what is no code, and of owners after the first 4,096. Unit: bytes. */
  retained_size: number | null;
  /** Share of the heap. Unit: percent. */
  share_percent: number | null;
  /** What they take themselves. Unit: bytes. */
  size: number;
}

/** Slices of one name that call one function, or run one script. */
export interface CalledFunction {
  /** Its column, from 1; absent if it is not known, and of a script as a whole. */
  column: number | null;
  /** Number of slices. */
  count: number;
  /** Name of the function; `(anonymous)` if it has none, absent of a script as a whole. */
  function_name?: string | null;
  /** Its line, from 1; absent if it is not known. */
  line: number | null;
  /** The longest of them. Unit: ns. */
  longest_ns: number | null;
  /** What a source map tells of it. */
  original?: Original | null;
  /** Where it is, short: the last two parts of the script's address, and the line; with a source map those of the source, then in brackets that of the script. */
  place: string | null;
  /** Share of the self time of all that call scripts. Unit: percent. */
  self_percent: number | null;
  /** Their time without slices within them, whatever these are. Unit: ns. */
  self_time_ns: number;
  /** Their name. */
  slice_name: string;
  /** Their time; a slice within another of these counts once. Unit: ns. */
  total_time_ns: number;
  /** The address of the script; empty if it has none. */
  url: string;
}

/** Slices that call functions of one package. */
export interface CalledPackage {
  /** Number of slices. */
  count: number;
  /** The longest of them. Unit: ns. */
  longest_ns: number | null;
  /** Its name. */
  package: string;
  /** Share of the self time of all that call scripts. Unit: percent. */
  self_percent: number | null;
  /** Their time without slices within them, whatever these are. Unit: ns. */
  self_time_ns: number;
  /** Their time; a slice within another of these counts once. Unit: ns. */
  total_time_ns: number;
}

/** Slices that call functions of one script, or of one source. */
export interface CalledScript {
  /** Number of slices. */
  count: number;
  /** The longest of them. Unit: ns. */
  longest_ns: number | null;
  /** Share of the self time of all that call scripts. Unit: percent. */
  self_percent: number | null;
  /** Their time without slices within them, whatever these are. Unit: ns. */
  self_time_ns: number;
  /** Their time; a slice within another of these counts once. Unit: ns. */
  total_time_ns: number;
  /** The address of the script, with a source map that of a source; `(native)` stands for none. */
  url: string;
}

/** A function on a call stack. */
export interface AllocationFrame {
  /** Its column, from 1. */
  column: number | null;
  /** Its name; `(anonymous)` if it has none. */
  function_name: string;
  /** Its line, from 1. */
  line: number | null;
  /** Its place, short: the last two parts of the script's address, and the line. */
  place: string | null;
  /** The address of its script; empty for the engine and native code. */
  url: string;
}

/** A package, script or function, or what is no code. */
export interface Owner {
  /** A function's column, from 1. */
  column?: number | null;
  /** What it is. */
  kind: 'code' | 'engine' | 'unattributed' | 'outside';
  /** A function's line, from 1. */
  line?: number | null;
  /** Its name: of a package, the path or URL of a script, of a function. */
  name: string;
  /** Path or URL of a function's script; with a source map of its source. */
  script?: string | null;
}

export type SummaryAnswer = HeapSummaryAnswer | ProfileSummaryAnswer | TraceSummaryAnswer | ProfilesSummaryAnswer | TracesSummaryAnswer | IsolatesSummaryAnswer | WatchSummaryAnswer;

/** An answer with what is to be known of it. */
export interface WhyAnswer {
  /** Why numbers may rest on less than the whole input, or mean less than they seem to. */
  caveats: Caveat[];
  /** Objects of the wanted classes by the path to them; absent if one object was asked for. */
  groups?: PathGroupList | null;
  /** The inputs as given, the earliest first. */
  inputs: string[];
  /** The object, or the first of each of the first groups, with paths to it. */
  objects: ObjectPaths[];
  /** The verb: `summary`. */
  verb: string;
  /** Version of this form; now 2. */
  version: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface PathGroupList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: PathGroup[];
  /** Number of all rows. */
  total: number;
}

/** An object with paths to it. */
export interface ObjectPaths {
  /** The object. */
  object: HeldObject;
  /** Paths from it up to the root, through different retainers. */
  paths: RetainingPath[];
}

/** Objects of one class that are reached by one path. */
export interface PathGroup {
  /** Name of their class. */
  class_name: string;
  /** Number of objects. */
  count: number;
  /** The one that retains most. Unit: id. */
  id: number;
  /** What the one that retains most would free. Unit: bytes. */
  retained_size: number;
  /** What all of them take themselves. Unit: bytes. */
  shallow_size: number;
  /** The path to them: `variable cache[].user`. An element of a collection is written `[]`. */
  way: string;
}

/** An object, or the first of several that are reached by one path. */
export interface HeldObject {
  /** Name of its class. */
  class_name: string;
  /** Number of objects that are reached by its path. */
  count: number;
  /** Its distance. */
  distance: number;
  /** If its path begins at `this` of a function: the path to that function. */
  function_way?: string | null;
  /** Its id. Unit: id. */
  id: number;
  /** Ids of the first of them, its own first. */
  ids: number[];
  /** Its name; of functions with the place where they are defined. */
  name: string;
  /** What a source map tells of the function, or of the object's class. */
  original?: Original | null;
  /** What would be freed with it. Unit: bytes. */
  retained_size: number;
  /** Number of its retainers, as DevTools counts them. */
  retainer_count: number;
  /** What it takes itself. Unit: bytes. */
  shallow_size: number;
  /** Its type: `object`, `closure`, `string` and others. */
  type: string;
  /** The path to it; empty if no path is known. */
  way: string;
}

/** A path from an object up. */
export interface RetainingPath {
  /** Whether it ends at the root. */
  reaches_root: boolean;
  /** Its references, the one to the object first. */
  steps: PathStep[];
}

/** A reference, and the object that has it. */
export interface PathStep {
  /** Class of the object that has the reference. */
  class_name: string;
  /** Its distance. */
  distance: number;
  /** Name of the property or variable; of an element its index in brackets. */
  edge: string;
  /** Type of the edge: `property`, `element`, `context`, `internal` and others. */
  edge_type: string;
  /** Its id. Unit: id. */
  id: number;
  /** Index of the element; absent for others. */
  index: number | null;
  /** Its name. */
  name: string;
  /** What would be freed with it. Unit: bytes. */
  retained_size: number;
}

/** One object. */
export interface ObjectShowAnswer {
  /** Why numbers may rest on less than the whole input, or mean less than they seem to. */
  caveats: Caveat[];
  /** The inputs as given, the earliest first. */
  inputs: string[];
  /** The verb: `summary`. */
  verb: string;
  /** Version of this form; now 2. */
  version: number;
  /** Always `object`. */
  of: 'object';
  /** What it alone holds, the largest first. */
  dominated: DominatedObjectList;
  /** Its elements. */
  elements: ElementList;
  /** Entries of a Map or Set. */
  entries: MapEntryList;
  /** Its properties; of a scope its variables. */
  fields: FieldList;
  /** References of the engine. */
  internal: InternalReferenceList;
  /** What it is. */
  object: ObjectFacts;
  /** What holds it, by class and name of the reference. */
  retainers: RetainerGroupList;
  /** Variables that a function sees, the innermost scope first. */
  variables: VariableList;
}

/** The objects of classes. */
export interface ClassShowAnswer {
  /** Why numbers may rest on less than the whole input, or mean less than they seem to. */
  caveats: Caveat[];
  /** The inputs as given, the earliest first. */
  inputs: string[];
  /** The verb: `summary`. */
  verb: string;
  /** Version of this form; now 2. */
  version: number;
  /** Always `class`. */
  of: 'class';
  /** Sums over all of them. */
  class: ClassTotals;
  /** Their properties. */
  fields: ClassFieldList;
  /** The objects, the largest first. */
  objects: InstanceList;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface DominatedObjectList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: DominatedObject[];
  /** Number of all rows. */
  total: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface ElementList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: Element[];
  /** Number of all rows. */
  total: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface MapEntryList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: MapEntry[];
  /** Number of all rows. */
  total: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface FieldList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: Field[];
  /** Number of all rows. */
  total: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface InternalReferenceList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: InternalReference[];
  /** Number of all rows. */
  total: number;
}

/** What an object is. */
export interface ObjectFacts {
  /** Name of its class. */
  class_name: string;
  /** Its column, from 1. */
  column: number | null;
  /** Its distance. */
  distance: number;
  /** Its dominator, in words: the nearest object without which it would be freed. */
  dominator: string | null;
  /** Id of its dominator. Unit: id. */
  dominator_id: number | null;
  /** Its id. Unit: id. */
  id: number;
  /** Its line, from 1. */
  line: number | null;
  /** Its name; of functions with the place where they are defined. */
  name: string;
  /** What a source map tells of that place. */
  original?: Original | null;
  /** Where the function, or the constructor of the object's class, is written: `file:line:column`. */
  place: string | null;
  /** Its prototype, in words. */
  prototype: string | null;
  /** Id of its prototype. Unit: id. */
  prototype_id: number | null;
  /** What would be freed with it. Unit: bytes. */
  retained_size: number;
  /** The script of that place, whole. */
  script_name: string | null;
  /** What it takes itself. Unit: bytes. */
  shallow_size: number;
  /** Its type: `object`, `closure`, `string` and others. */
  type: string;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface RetainerGroupList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: RetainerGroup[];
  /** Number of all rows. */
  total: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface VariableList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: Variable[];
  /** Number of all rows. */
  total: number;
}

/** Sums over the objects of classes. */
export interface ClassTotals {
  /** Number of classes. */
  class_count: number;
  /** Number of objects. */
  count: number;
  /** What would be freed with the objects of each class, summed over the classes. Unit: bytes. */
  retained_size: number;
  /** What they take themselves. Unit: bytes. */
  shallow_size: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface ClassFieldList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: ClassField[];
  /** Number of all rows. */
  total: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface InstanceList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: Instance[];
  /** Number of all rows. */
  total: number;
}

/** An object that nothing else holds. */
export interface DominatedObject {
  /** Name of its class; absent for what is in no file, such as small integers in a Map. */
  class_name: string | null;
  /** Its id. Unit: id. */
  id: number | null;
  /** What would be freed with it. Unit: bytes. */
  retained_size: number | null;
  /** What it takes itself. Unit: bytes. */
  shallow_size: number;
  /** The value as a program would write it, or the name of its class. */
  value: string;
}

/** An element of an array. */
export interface Element {
  /** Name of its class; absent for what is in no file, such as small integers in a Map. */
  class_name: string | null;
  /** Its id. Unit: id. */
  id: number | null;
  /** Its index; what is no index is text. */
  index: number | number | string;
  /** What would be freed with it. Unit: bytes. */
  retained_size: number | null;
  /** The value as a program would write it, or the name of its class. */
  value: string;
}

/** An entry of a Map or Set. */
export interface MapEntry {
  /** Name of its class; absent for what is in no file, such as small integers in a Map. */
  class_name: string | null;
  /** Its id. Unit: id. */
  id: number | null;
  /** Its key. */
  key: string;
  /** Id of the key; absent for small integers and constants, which V8 does not write. Unit: id. */
  key_id: number | null;
  /** What would be freed with it. Unit: bytes. */
  retained_size: number | null;
  /** The value as a program would write it, or the name of its class. */
  value: string;
}

/** A property or variable. */
export interface Field {
  /** Name of its class; absent for what is in no file, such as small integers in a Map. */
  class_name: string | null;
  /** `property`, or `context` for a variable. */
  edge_type: string;
  /** Its id. Unit: id. */
  id: number | null;
  /** Its name. */
  name: string;
  /** What would be freed with it. Unit: bytes. */
  retained_size: number | null;
  /** The value as a program would write it, or the name of its class. */
  value: string;
}

/** A reference of the engine. */
export interface InternalReference {
  /** Name of its class; absent for what is in no file, such as small integers in a Map. */
  class_name: string | null;
  /** Its name. */
  edge: string;
  /** Its type: `internal`, `hidden`, `weak`, `shortcut`. */
  edge_type: string;
  /** Its id. Unit: id. */
  id: number | null;
  /** What would be freed with it. Unit: bytes. */
  retained_size: number | null;
  /** The value as a program would write it, or the name of its class. */
  value: string;
}

/** Objects of one class that hold an object by the same name. */
export interface RetainerGroup {
  /** Name of its class; absent for what is in no file, such as small integers in a Map. */
  class_name: string | null;
  /** Number of these objects. */
  count: number;
  /** Name of the reference; `[]` stands for any index. */
  edge: string;
  /** Its id. Unit: id. */
  id: number | null;
  /** What would be freed with it. Unit: bytes. */
  retained_size: number | null;
  /** The value as a program would write it, or the name of its class. */
  value: string;
}

/** A captured variable. */
export interface Variable {
  /** Name of its class; absent for what is in no file, such as small integers in a Map. */
  class_name: string | null;
  /** Its id. Unit: id. */
  id: number | null;
  /** Its name. */
  name: string;
  /** What would be freed with it. Unit: bytes. */
  retained_size: number | null;
  /** The scope that has it. */
  scope: string;
  /** The value as a program would write it, or the name of its class. */
  value: string;
}

/** A property of the objects of a class. */
export interface ClassField {
  /** Number of classes that its values have. */
  class_count: number;
  /** Number of objects that have it. */
  count: number;
  /** Its name. */
  name: string;
  /** The class that most of its values have. */
  value_class: string;
}

/** An object of a class. */
export interface Instance {
  /** Name of its class; absent for what is in no file, such as small integers in a Map. */
  class_name: string | null;
  /** Its distance. */
  distance: number;
  /** Its id. Unit: id. */
  id: number | null;
  /** What would be freed with it. Unit: bytes. */
  retained_size: number | null;
  /** What it takes itself. Unit: bytes. */
  shallow_size: number;
  /** The value as a program would write it, or the name of its class. */
  value: string;
}

export type ShowAnswer = ObjectShowAnswer | ClassShowAnswer;

/** Objects of a heap. */
export interface ObjectsFindAnswer {
  /** Why numbers may rest on less than the whole input, or mean less than they seem to. */
  caveats: Caveat[];
  /** The inputs as given, the earliest first. */
  inputs: string[];
  /** The verb: `summary`. */
  verb: string;
  /** Version of this form; now 2. */
  version: number;
  /** Always `objects`. */
  of: 'objects';
  /** The objects, the largest first. */
  objects: FoundObjectList;
  /** What all of them take themselves. Unit: bytes. */
  shallow_size: number;
}

/** Texts of strings of a heap. */
export interface StringsFindAnswer {
  /** Why numbers may rest on less than the whole input, or mean less than they seem to. */
  caveats: Caveat[];
  /** The inputs as given, the earliest first. */
  inputs: string[];
  /** The verb: `summary`. */
  verb: string;
  /** Version of this form; now 2. */
  version: number;
  /** Always `strings`. */
  of: 'strings';
  /** What all of the strings take themselves. Unit: bytes. */
  shallow_size: number;
  /** The texts, the largest first. Equal strings are one. */
  strings: FoundStringList;
}

/** Functions of a profile. */
export interface FunctionsFindAnswer {
  /** Why numbers may rest on less than the whole input, or mean less than they seem to. */
  caveats: Caveat[];
  /** The inputs as given, the earliest first. */
  inputs: string[];
  /** The verb: `summary`. */
  verb: string;
  /** Version of this form; now 2. */
  version: number;
  /** Always `functions`. */
  of: 'functions';
  /** The functions, those with the largest values first. */
  functions: FunctionValueList;
  /** What the values are: `us` of time, `bytes`, `samples`, or the unit of a pprof profile. */
  unit: string;
}

/** Slices of a trace. */
export interface SlicesFindAnswer {
  /** Why numbers may rest on less than the whole input, or mean less than they seem to. */
  caveats: Caveat[];
  /** The inputs as given, the earliest first. */
  inputs: string[];
  /** The verb: `summary`. */
  verb: string;
  /** Version of this form; now 2. */
  version: number;
  /** Always `slices`. */
  of: 'slices';
  /** The functions and scripts that slices call, likewise: by their name or address, in the file and in the source; absent if no slice tells what it calls. */
  script_calls?: CalledFunctionList | null;
  /** The slices by name and category, those that took most time first. */
  slices: SliceTimeList;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface FoundObjectList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: FoundObject[];
  /** Number of all rows. */
  total: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface FoundStringList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: FoundString[];
  /** Number of all rows. */
  total: number;
}

/** An object, and what has it. */
export interface FoundObject {
  /** Name of its class; absent for what is in no file, such as small integers in a Map. */
  class_name: string | null;
  /** Its distance. */
  distance: number;
  /** Its id. Unit: id. */
  id: number | null;
  /** The nearest object of the program on that path; `null` if there is none. */
  owner: Target | null;
  /** What would be freed with it. Unit: bytes. */
  retained_size: number | null;
  /** What it takes itself. Unit: bytes. */
  shallow_size: number;
  /** The value as a program would write it, or the name of its class. */
  value: string;
  /** The path that keeps it alive; empty if none is known. An element of a collection is written `[]`. */
  way: string;
}

/** Strings of one text. */
export interface FoundString {
  /** Number of strings. */
  count: number;
  /** The one that retains most, of equal ones the first in the file. Unit: id. */
  id: number;
  /** Whether that is all of it. Otherwise strings that begin alike are one only if they are of the same size. */
  is_whole: boolean;
  /** The nearest object of the program on that path; `null` if there is none. */
  owner: Target | null;
  /** What each of them retains, added up. Unit: bytes. */
  retained_size: number;
  /** What all of them take themselves. Unit: bytes. */
  shallow_size: number;
  /** The text, as far as the file has it. */
  string: string;
  /** The path that keeps that one alive; empty if none is known. */
  way: string;
}

/** A node as a value in a program. */
export interface Target {
  /** Name of its class; absent for what is in no file, such as small integers in a Map. */
  class_name: string | null;
  /** Its id. Unit: id. */
  id: number | null;
  /** What would be freed with it. Unit: bytes. */
  retained_size: number | null;
  /** The value as a program would write it, or the name of its class. */
  value: string;
}

export type FindAnswer = ObjectsFindAnswer | StringsFindAnswer | FunctionsFindAnswer | SlicesFindAnswer;

/** An answer with what is to be known of it. */
export interface LeaksAnswer {
  /** Why numbers may rest on less than the whole input, or mean less than they seem to. */
  caveats: Caveat[];
  /** The limits, in the order in which they were given; absent if there are none. */
  checks?: LimitCheck[];
  /** Growth of all findings together. Unit: bytes. */
  explained: number;
  /** The places that grow in every step, the worst first; all of them. */
  findings: Leak[];
  /** Growth of the heap from the first snapshot to the last. Unit: bytes. */
  growth: number;
  /** Growth of the places that were ignored. Unit: bytes. */
  ignored: number;
  /** Number of places that grow and were ignored. */
  ignored_count: number;
  /** The inputs as given, the earliest first. */
  inputs: string[];
  /** What grew by package, script or function, whether in every step or not; absent unless asked for. */
  owners?: OwnerChanges | null;
  /** Whether all limits are kept; absent if there are none. */
  passed?: boolean | null;
  /** The snapshots, in the order of time. */
  snapshots: SnapshotSize[];
  /** What holds or gathers much in the last snapshot, where there are one or two: of more, growth says more. What the program's own code holds comes first, then that of packages, then that of the engine. None is a finding, and no limit counts them. */
  suspicions: Suspicion[];
  /** The verb: `summary`. */
  verb: string;
  /** Version of this form; now 2. */
  version: number;
}

/** A limit, and what it was held against. */
export interface LimitCheck {
  /** What is nearest to the limit, or farthest over it; `null` if it applied to nothing. */
  closest: LimitFinding | null;
  /** The budget that it stands in; `null` if it is no budget's. */
  file: string | null;
  /** What exceeds the limit, most first. If nothing does, and it is for a single name, that one. */
  findings: LimitFinding[];
  /** The limit in words: `+5% and +64 KiB`. */
  limit: string;
  /** Its line there, from 1. */
  line: number | null;
  /** Number of names that it applied to. */
  matched: number;
  /** The names that it applies to, in which `*` stands for anything; empty for the whole input. */
  name: string;
  /** Whether it is kept. */
  outcome: 'passed' | 'exceeded' | 'skipped';
  /** What is limited: `count`, `size` and others. */
  quantity: string;
  /** The limit as an expression: `class[Session].count > 100`. */
  rule: string;
  /** What it is about: `total`, `class`, `leak`, `function` and others. */
  scope: string;
  /** The unit of the numbers: `count`, `bytes`, `us`, `ns`, `percent`, or `number` without one. */
  unit: string;
}

/** A place that grows in every step. */
export interface Leak {
  /** Number of objects in the last snapshot less that in the first. */
  added: number | null;
  /** Owners that hold most of the same objects, too: all of them must let go. */
  also_held_by: string[];
  /** How sure it is: `low` of two snapshots, `medium` if growth is uneven, or it is not known what stays or who holds it, else `high`. */
  confidence: 'high' | 'medium' | 'low';
  /** What the objects are in; of several the one that holds most. */
  container: Container;
  /** What is in the objects, if these are containers themselves. */
  content: LeakContent | null;
  /** Number of objects in each snapshot; `null` where bytes grow. */
  counts: number[] | null;
  /** What usually frees what leaks, by what holds it; `null` where the structure does not tell. */
  cure: Cure | null;
  /** The least step as a share of the greatest: 100 is even growth. Unit: percent. */
  even_percent: number;
  /** The places that grow, one for each class and way. */
  groups: LeakGroup[];
  /** Other fields of the same object, of numbers or strings, that grow with it; their bytes are included. */
  grows_with: string[];
  /** Growth from the first snapshot to the last, with all that the objects hold and the room of their container. Unit: bytes. */
  growth: number;
  /** Growth divided by the number of objects that were added. Unit: bytes. */
  growth_each: number | null;
  /** The code of who holds them, where that is another place. */
  held_at: SourceLocation | null;
  /** Survivors of the first snapshot: the share of its objects that the last one has; `null` if that is not known. Unit: percent. */
  kept_percent: number | null;
  /** What grows: objects (`count`), references to objects that were there already (`references`), an object or its storage (`bytes`), objects that move between several places (`moving`), or objects that nothing is shown to hold, so that the owner is a guess (`unheld`). */
  kind: 'count' | 'references' | 'bytes' | 'moving' | 'unheld';
  /** Class of the objects, or function as `name()`; of several classes that of most. Records are told by their properties, `?` behind those that not all are known to have. `null` where no objects are counted. */
  leaked: string | null;
  /** How many of the objects that were added are of that class; `null` if all are. Unit: percent. */
  leaked_percent: number | null;
  /** Where the objects are made: the constructor of their class, the function, or the first function that sees the variable. A place of the program comes before one in a package. */
  made_at: SourceLocation | null;
  /** Who holds it: `Class.field`, a variable or a global. */
  owner: string;
  /** What holds the container, what holds that, and so on up to the root. */
  path: HoldingStep[];
  /** Growth in each step, in bytes, without the room of the container, which grows in leaps. */
  steps: number[];
  /** Where a package makes them, if `made_at` is a part of it that says more: the program's callback in a package's listener, or the function that a task of a package is to run. */
  stored_by: SourceLocation | null;
  /** The finding in one paragraph: what grows, who holds it, where it is made, what usually frees it. */
  text: string;
  /** The way to the owner from a variable, the global object or a function: `variable shop.store.sessions of leak.js`. */
  way: string;
}

/** What belongs to each package, script or function, and how it changed from the first to the last snapshot. */
export interface OwnerChanges {
  /** What it is put together by. */
  by: 'package' | 'script' | 'function';
  /** The owners by growth of what they take themselves, the largest first. */
  owners: OwnerChangeList;
}

/** The size of a snapshot. */
export interface SnapshotSize {
  /** Its name as given; of a directory with several documents with its number. */
  name: string;
  /** Number of nodes. */
  node_count: number;
  /** Change of this number since the first snapshot. */
  node_count_delta: number;
  /** Resident memory of its process right before; absent if it is not stored with it. Unit: bytes. */
  rss?: number | null;
  /** Shallow size of all nodes. Unit: bytes. */
  size: number;
  /** Change of the size since the first snapshot. Unit: bytes. */
  size_delta: number;
}

/** What holds or gathers much in one snapshot: a place to look at. Whether it grows, nobody knows. */
export interface Suspicion {
  /** Number of entries, listeners or timers; `null` of what holds much. */
  count: number | null;
  /** The id of who holds them. Unit: id. */
  id: number | null;
  /** What is suspicious. */
  kind: 'holder' | 'collection' | 'listeners' | 'timers';
  /** What it is called: the object, the class of the collection, the event of the listeners, or the class of all listeners or timers. */
  name: string;
  /** What the code belongs to that holds it: `(own scripts)`, a package, `node:` of the runtime; `null` if it is not known, or of global variables, which any script can have made. */
  package: string | null;
  /** What it holds with all that is below it; `null` for all objects of a class. Unit: bytes. */
  retained: number | null;
  /** The suspicion in one sentence. */
  text: string;
  /** The way from the root to who holds them; `null` for all objects of a class. */
  way: string | null;
}

/** A number that was held against a limit. */
export interface LimitFinding {
  /** The number. */
  actual: number | null;
  /** The number that growth is measured from; `null` without one. */
  base: number | null;
  /** The input that it is of, where each of several is checked; absent otherwise. */
  input?: string | null;
  /** The least of several runs, of which `actual` is the median. */
  least: number | null;
  /** The greatest of several runs. */
  most: number | null;
  /** Whose number it is; empty for the whole input. */
  name: string;
  /** How much more there may be; negative if the limit is exceeded. */
  room: number | null;
  /** Names whose growth comes with this one: one leak is one finding. */
  with: string[];
}

/** What leaked objects are in. */
export interface Container {
  /** Its class; empty where it has no name of its own. */
  class_name: string;
  /** Number of containers of this place. */
  count: number;
  /** Its id in the last snapshot. Unit: id. */
  id: number | null;
}

/** What is in leaked objects that are containers. */
export interface LeakContent {
  /** Class, or function as `name()`. */
  class_name: string;
  /** Number of objects in each snapshot. */
  counts: number[];
}

/** What usually frees what leaks: a guess from what holds it, as nobody has read the program. */
export interface Cure {
  /** What kind of edit it is. */
  kind: 'remove_listener' | 'clear_timer' | 'settle_promise' | 'unregister' | 'add_once' | 'bound_size' | 'release_key' | 'bound_cache' | 'delete_entry' | 'delete_property' | 'take_out' | 'unlink' | 'wrap_once';
  /** The edit, in words. */
  text: string;
}

/** A place that grows. */
export interface LeakGroup {
  /** Class of what is there. */
  class_name: string;
  /** Number of objects in each snapshot. */
  counts: number[];
  /** What leads to it: a name, `[]` for an element of a collection, `~` for what several hold. */
  label: string;
  /** Their size in each snapshot in bytes, with all that they hold. */
  sizes: number[];
}

/** A place in the source of a program. */
export interface SourceLocation {
  /** Its column, from 1. */
  column: number;
  /** Its line, from 1. */
  line: number;
  /** What a source map tells of the place. */
  original?: Original | null;
  /** The installed package that the script, or with a source map its source, belongs to; `null` for the program's own. */
  package: string | null;
  /** The place in short, `leak.js:13`: file and line, in a package with the path from the package's name on; with a source map that of the source, then in brackets that of the script. */
  place: string;
  /** Path or address of the script. */
  script_name: string;
  /** What stands there: the name of a class or function, or `seen by` a function. */
  what: string;
}

/** A reference on the way up, and the object that has it. */
export interface HoldingStep {
  /** Class of the object that has the reference; `scope` for the variables of a function. */
  class_name: string;
  /** Name of the property or variable; of an element its index in brackets. */
  edge: string;
  /** Type of the edge: `property`, `element`, `context`, `internal` and others. */
  edge_type: string;
  /** Its id. Unit: id. */
  id: number | null;
  /** Whether it is mere storage of the object above it. */
  is_storage: boolean;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface OwnerChangeList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: OwnerChange[];
  /** Number of all rows. */
  total: number;
}

/** How what belongs to an owner changed. */
export interface OwnerChange {
  /** What they took themselves in the first snapshot. Unit: bytes. */
  base_size: number;
  /** Change of the number of its objects. Unit: count. */
  count_delta: number;
  /** The owner. */
  owner: Owner;
  /** Change of what they retain; absent where it is not known of one of the snapshots. Unit: bytes. */
  retained_delta: number | null;
  /** What would be freed if all of its objects went; absent of what is no code, and of owners after the first 4,096 of a snapshot. Unit: bytes. */
  retained_size: number | null;
  /** What they take themselves in the last. Unit: bytes. */
  size: number;
  /** Change of this size. The changes of all owners add up to that of the heap. Unit: bytes. */
  size_delta: number;
}

/** Heaps. */
export interface HeapDiffAnswer {
  /** Why numbers may rest on less than the whole input, or mean less than they seem to. */
  caveats: Caveat[];
  /** The limits, in the order in which they were given; absent if there are none. */
  checks?: LimitCheck[];
  /** Figures of the last input, and those that limits are about; absent unless they are asked for. */
  figures?: Figure[];
  /** The inputs as given, the earliest first. */
  inputs: string[];
  /** Whether all limits are kept; absent if there are none. */
  passed?: boolean | null;
  /** The verb: `summary`. */
  verb: string;
  /** Version of this form; now 2. */
  version: number;
  /** Always `heap`. */
  kind: 'heap';
  /** Classes with added or removed instances, by growth of what they retain; those of the engine come last, unless they are to be listed among the others. */
  classes: ClassChangeList;
  /** What the engine's own classes come to; absent if there are none, or they are listed among the others. */
  engine?: EngineClasses | null;
  /** The places that grow in every step, the worst first, as `leaks` finds them; absent of two snapshots. */
  findings?: Leak[] | null;
  /** The first objects by growth of what they retain, each after what holds it alone. */
  objects: ObjectGrowthList;
  /** What belongs to each package, script or function; absent unless asked for. */
  owners?: OwnerChanges | null;
  /** The snapshots, in the order of time. */
  snapshots: SnapshotSize[];
  /** Classes with more instances in each snapshot than in the one before, by growth of what they retain; none of two snapshots. */
  suspects: GrowingClassList;
}

/** Profiles. */
export interface ProfileDiffAnswer {
  /** Why numbers may rest on less than the whole input, or mean less than they seem to. */
  caveats: Caveat[];
  /** The limits, in the order in which they were given; absent if there are none. */
  checks?: LimitCheck[];
  /** Figures of the last input, and those that limits are about; absent unless they are asked for. */
  figures?: Figure[];
  /** The inputs as given, the earliest first. */
  inputs: string[];
  /** Whether all limits are kept; absent if there are none. */
  passed?: boolean | null;
  /** The verb: `summary`. */
  verb: string;
  /** Version of this form; now 2. */
  version: number;
  /** Always `profile`. */
  kind: 'profile';
  /** Number of functions whose own value changed beyond noise. */
  changed_count: number;
  /** Functions that differ, by growth of their own values; of several runs first those that changed beyond noise. */
  functions: FunctionChangeList;
  /** The first functions that grew, by growth of total value. */
  functions_by_total: FunctionChangeList;
  /** What differs by package or script, if that is asked for. */
  owners?: ValuesByOwner | null;
  /** The profiles, in the order given. */
  profiles: ComparedProfile[];
  /** What the values are: `us` of time, `bytes`, `samples`, or the unit of a pprof profile. */
  unit: string;
}

/** Traces. */
export interface TraceDiffAnswer {
  /** Why numbers may rest on less than the whole input, or mean less than they seem to. */
  caveats: Caveat[];
  /** The limits, in the order in which they were given; absent if there are none. */
  checks?: LimitCheck[];
  /** Figures of the last input, and those that limits are about; absent unless they are asked for. */
  figures?: Figure[];
  /** The inputs as given, the earliest first. */
  inputs: string[];
  /** Whether all limits are kept; absent if there are none. */
  passed?: boolean | null;
  /** The verb: `summary`. */
  verb: string;
  /** Version of this form; now 2. */
  version: number;
  /** Always `trace`. */
  kind: 'trace';
  /** Counters. */
  counters?: CounterChangeList | null;
  /** Functions of the CPU profiles in the traces, and their packages or scripts, if that is asked for and each trace on a side has one. */
  cpu_profiles?: ProfileDiff | null;
  /** Frames. */
  frames?: FrameChangeList | null;
  /** Streams of GPUs; `all streams` is a device as a whole. */
  gpus?: GpuChangeList | null;
  /** Main threads that were blocked. */
  main_threads?: MainThreadChangeList | null;
  /** Asynchronous operations. */
  operations?: OperationChangeList | null;
  /** Threads by their time on CPUs. */
  scheduled_threads?: ScheduledThreadChangeList | null;
  /** Slices of threads. */
  slices?: SliceChangeList | null;
  /** Threads by their slices. */
  threads?: ThreadChangeList | null;
  /** The traces, in the order given. */
  traces: ComparedTrace[];
}

/** A figure of an input. */
export interface Figure {
  /** The least of several runs. */
  least: number | null;
  /** The greatest of several runs. */
  most: number | null;
  /** Whose number it is; empty for the whole input. */
  name: string;
  /** What is measured: `count`, `size` and others. */
  quantity: string;
  /** What it is about: `total`, `class`, `function` and others. */
  scope: string;
  /** The unit of the numbers: `count`, `bytes`, `us`, `ns`, `percent`, or `number` without one. */
  unit: string;
  /** The number; of several runs the median. */
  value: number | null;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface ClassChangeList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: ClassChange[];
  /** Number of all rows. */
  total: number;
}

/** What the engine's own classes come to. */
export interface EngineClasses {
  /** Number of classes. */
  class_count: number;
  /** Change of the number of their instances. Unit: count. */
  count_delta: number;
  /** The largest growth of what one of the classes retains; their sum would count much twice. Unit: bytes. */
  largest_retained_delta: number;
  /** Change of what these take themselves. Unit: bytes. */
  size_delta: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface ObjectGrowthList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: ObjectGrowth[];
  /** Number of all rows. */
  total: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface GrowingClassList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: GrowingClass[];
  /** Number of all rows. */
  total: number;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface FunctionChangeList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: FunctionChange[];
  /** Number of all rows. */
  total: number;
}

/** What differs by package or script. Each own value belongs to exactly one. */
export interface ValuesByOwner {
  /** What the values are put together by. */
  by: 'package' | 'script' | 'function';
  /** Those that differ, by growth of their functions' own values. */
  owners: OwnerValueChangeList;
}

/** A profile that was compared, with its changes since the first. */
export interface ComparedProfile {
  /** The part of it in which something ran; absent if profiles of this kind do not tell. */
  busy_value?: number | null;
  /** Change of this part. */
  busy_value_delta?: number | null;
  /** Number of functions. */
  function_count: number;
  /** Its name as given. */
  name: string;
  /** Number of samples. */
  sample_count: number;
  /** On which side it is; `null` between the first and the last. */
  side: 'before' | 'after' | null;
  /** Sum of all values, in the unit of the profiles. */
  value: number;
  /** Change of the sum. */
  value_delta: number;
}

/** Subjects of a list: first those that changed, those that grew most before others. */
export interface CounterChangeList {
  /** Number of those that changed. */
  changed_count: number;
  /** These subjects. */
  rows: CounterChange[];
  /** Number of all subjects. */
  total: number;
}

/** What differs between the first and the last of some profiles of one kind, or between several runs before and after a change, whose values are medians. */
export interface ProfileDiff {
  /** Number of functions whose own value changed beyond noise. */
  changed_count: number;
  /** Functions that differ, by growth of their own values; of several runs first those that changed beyond noise. */
  functions: FunctionChangeList;
  /** The first functions that grew, by growth of total value. */
  functions_by_total: FunctionChangeList;
  /** What differs by package or script, if that is asked for. */
  owners?: ValuesByOwner | null;
  /** The profiles, in the order given. */
  profiles: ComparedProfile[];
  /** What the values are: `us` of time, `bytes`, `samples`, or the unit of a pprof profile. */
  unit: string;
}

/** Subjects of a list: first those that changed, those that grew most before others. */
export interface FrameChangeList {
  /** Number of those that changed. */
  changed_count: number;
  /** These subjects. */
  rows: FrameChange[];
  /** Number of all subjects. */
  total: number;
}

/** Subjects of a list: first those that changed, those that grew most before others. */
export interface GpuChangeList {
  /** Number of those that changed. */
  changed_count: number;
  /** These subjects. */
  rows: GpuChange[];
  /** Number of all subjects. */
  total: number;
}

/** Subjects of a list: first those that changed, those that grew most before others. */
export interface MainThreadChangeList {
  /** Number of those that changed. */
  changed_count: number;
  /** These subjects. */
  rows: MainThreadChange[];
  /** Number of all subjects. */
  total: number;
}

/** Subjects of a list: first those that changed, those that grew most before others. */
export interface OperationChangeList {
  /** Number of those that changed. */
  changed_count: number;
  /** These subjects. */
  rows: OperationChange[];
  /** Number of all subjects. */
  total: number;
}

/** Subjects of a list: first those that changed, those that grew most before others. */
export interface ScheduledThreadChangeList {
  /** Number of those that changed. */
  changed_count: number;
  /** These subjects. */
  rows: ScheduledThreadChange[];
  /** Number of all subjects. */
  total: number;
}

/** Subjects of a list: first those that changed, those that grew most before others. */
export interface SliceChangeList {
  /** Number of those that changed. */
  changed_count: number;
  /** These subjects. */
  rows: SliceChange[];
  /** Number of all subjects. */
  total: number;
}

/** Subjects of a list: first those that changed, those that grew most before others. */
export interface ThreadChangeList {
  /** Number of those that changed. */
  changed_count: number;
  /** These subjects. */
  rows: ThreadChange[];
  /** Number of all subjects. */
  total: number;
}

/** A trace that was compared, or that lies between. */
export interface ComparedTrace {
  /** Total blocking time of these: what each lasts beyond 50 ms. Unit: ns. */
  blocking_ns: number;
  /** Number of dropped frames. */
  dropped_count: number;
  /** From the start of the first event to the end of the last. Unit: ns. */
  duration_ns: number;
  /** Number of events. */
  event_count: number;
  /** Number of outermost slices of main threads that last 50 ms or more. */
  long_task_count: number;
  /** Its name as given. */
  name: string;
  /** On which side it is; `null` between the first and the last. */
  side: 'before' | 'after' | null;
  /** Number of slices of threads. */
  slice_count: number;
}

/** A class with added or removed instances. */
export interface ClassChange {
  /** Number of instances that only the last snapshot has. */
  added_count: number;
  /** What the added instances take themselves. Unit: bytes. */
  added_size: number;
  /** What all instances of the first snapshot retained together. Unit: bytes. */
  base_retained_size: number;
  /** Its key: classes of one name differ in it. */
  class_key: string;
  /** Its name. */
  class_name: string;
  /** Added less removed instances. Unit: count. */
  count_delta: number;
  /** Whether it is the engine's own: its instances are no objects of the program, but come and go with its code. */
  is_engine: boolean;
  /** What a source map tells of the class. */
  original?: Original | null;
  /** Number of instances that only the first has. */
  removed_count: number;
  /** What the removed instances took themselves. Unit: bytes. */
  removed_size: number;
  /** Change of what they retain. Unit: bytes. */
  retained_delta: number;
  /** What all instances of the last retain together. Unit: bytes. */
  retained_size: number;
  /** Size of added less removed instances. Unit: bytes. */
  size_delta: number;
}

/** An object that retains more than in the first snapshot. */
export interface ObjectGrowth {
  /** What it retained in the first snapshot; absent if it is new. Unit: bytes. */
  base_retained_size: number | null;
  /** Name of its class. */
  class_name: string;
  /** How many of these objects hold it alone: each one that does comes before it. */
  depth: number;
  /** Its id. Unit: id. */
  id: number;
  /** Its name; of functions with the place where they are defined. */
  name: string;
  /** By how much this grew. Unit: bytes. */
  retained_delta: number;
  /** What it retains. Unit: bytes. */
  retained_size: number;
}

/** A class that grows from each snapshot to the next. */
export interface GrowingClass {
  /** Its key: classes of one name differ in it. */
  class_key: string;
  /** Its name. */
  class_name: string;
  /** Change of this number from the first to the last. Unit: count. */
  count_delta: number;
  /** Number of instances in each snapshot. */
  counts: number[];
  /** What a source map tells of the class. */
  original?: Original | null;
  /** Change of what they retain together. Unit: bytes. */
  retained_delta: number;
  /** Change of what they take themselves. Unit: bytes. */
  size_delta: number;
}

/** A function that differs. Shares are of the value that is not idle, and absent of idle functions and where all was idle. */
export interface FunctionChange {
  /** Share of its own value in the first profile. Unit: percent. */
  base_self_percent: number | null;
  /** Its own value in the first profile, without what it calls. */
  base_self_value: number;
  /** Share of its total value in the first profile. Unit: percent. */
  base_total_percent: number | null;
  /** Its value in the first profile, with all that it calls. */
  base_total_value: number;
  /** What its own value did beyond noise. */
  change: 'more' | 'less' | 'new' | 'gone' | 'same';
  /** Its name; `(anonymous)` if it has none. */
  function_name: string;
  /** Its line there in the last profile, from 1, or else in the first; absent if it has several. */
  line: number | null;
  /** Of several runs: the probability that chance alone separates its own values like this, by a rank test. */
  p_value: number | null;
  /** Its place, short: the last two parts of the script's address, and the line. */
  place: string | null;
  /** Its own values in the runs after; absent unless a side has several. */
  runs_after?: number[];
  /** Its own values in the runs before; absent unless a side has several. */
  runs_before?: number[];
  /** Share of its own value in the last profile. Unit: percent. */
  self_percent: number | null;
  /** Change of this share. Unit: percentage points. */
  self_percent_delta: number | null;
  /** Its own value in the last profile. */
  self_value: number;
  /** Change of its own value. */
  self_value_delta: number;
  /** Share of its total value in the last profile. Unit: percent. */
  total_percent: number | null;
  /** Change of this share. Unit: percentage points. */
  total_percent_delta: number | null;
  /** Its value in the last profile, with all that it calls. */
  total_value: number;
  /** Change of its total value. */
  total_value_delta: number;
  /** The address of its script, with a source map that of its source; empty for the engine and native code. */
  url: string;
}

/** Some rows of a list, the most important first, and how many there are in all. */
export interface OwnerValueChangeList {
  /** Number of rows before these; absent if they are the first. */
  offset?: number;
  /** These rows. */
  rows: OwnerValueChange[];
  /** Number of all rows. */
  total: number;
}

/** A series of a counter. */
export interface CounterChange {
  /** This figure after. */
  after: number | null;
  /** This figure before; of several runs the median. Its unit is that of the figure. */
  before: number | null;
  /** What happened to it. */
  change: 'more' | 'less' | 'new' | 'gone' | 'same';
  /** The figure that changed, as `figures` calls it; of a subject that did not, the first that could. */
  changed: string;
  /** Name of the counter. */
  counter_name: string | null;
  /** Its change. */
  delta: number | null;
  /** Its change as a share of the value before; `null` from 0. Unit: percent. */
  delta_percent: number | null;
  /** All its figures. */
  figures: CounterFigures;
  /** Of several runs: the probability that chance alone separates them like this, by a rank test. */
  p_value: number | null;
  /** What its process is in each run. */
  process_name: string | null;
  /** Its values in the runs after. */
  runs_after: number[];
  /** Its values in the runs before. */
  runs_before: number[];
  /** Name of the series. */
  series: string | null;
}

/** Frames of a process. */
export interface FrameChange {
  /** This figure after. */
  after: number | null;
  /** This figure before; of several runs the median. Its unit is that of the figure. */
  before: number | null;
  /** What happened to it. */
  change: 'more' | 'less' | 'new' | 'gone' | 'same';
  /** The figure that changed, as `figures` calls it; of a subject that did not, the first that could. */
  changed: string;
  /** Its change. */
  delta: number | null;
  /** Its change as a share of the value before; `null` from 0. Unit: percent. */
  delta_percent: number | null;
  /** All its figures. */
  figures: FrameFigures;
  /** What the frames are. */
  name: string | null;
  /** Of several runs: the probability that chance alone separates them like this, by a rank test. */
  p_value: number | null;
  /** What the process is in each run. */
  process_name: string | null;
  /** Its values in the runs after. */
  runs_after: number[];
  /** Its values in the runs before. */
  runs_before: number[];
}

/** A stream of a GPU. */
export interface GpuChange {
  /** This figure after. */
  after: number | null;
  /** This figure before; of several runs the median. Its unit is that of the figure. */
  before: number | null;
  /** What happened to it. */
  change: 'more' | 'less' | 'new' | 'gone' | 'same';
  /** The figure that changed, as `figures` calls it; of a subject that did not, the first that could. */
  changed: string;
  /** Its change. */
  delta: number | null;
  /** Its change as a share of the value before; `null` from 0. Unit: percent. */
  delta_percent: number | null;
  /** All its figures. */
  figures: GpuFigures;
  /** Of several runs: the probability that chance alone separates them like this, by a rank test. */
  p_value: number | null;
  /** Its device. */
  process_name: string | null;
  /** Its values in the runs after. */
  runs_after: number[];
  /** Its values in the runs before. */
  runs_before: number[];
  /** Its name. */
  thread_name: string | null;
}

/** A main thread that was blocked. */
export interface MainThreadChange {
  /** This figure after. */
  after: number | null;
  /** This figure before; of several runs the median. Its unit is that of the figure. */
  before: number | null;
  /** What happened to it. */
  change: 'more' | 'less' | 'new' | 'gone' | 'same';
  /** The figure that changed, as `figures` calls it; of a subject that did not, the first that could. */
  changed: string;
  /** Its change. */
  delta: number | null;
  /** Its change as a share of the value before; `null` from 0. Unit: percent. */
  delta_percent: number | null;
  /** All its figures. */
  figures: MainThreadFigures;
  /** Of several runs: the probability that chance alone separates them like this, by a rank test. */
  p_value: number | null;
  /** What its process is in each run. */
  process_name: string | null;
  /** Its values in the runs after. */
  runs_after: number[];
  /** Its values in the runs before. */
  runs_before: number[];
  /** What it is in each run. */
  thread_name: string | null;
}

/** Operations of one name and category. */
export interface OperationChange {
  /** This figure after. */
  after: number | null;
  /** This figure before; of several runs the median. Its unit is that of the figure. */
  before: number | null;
  /** Their category. */
  category: string | null;
  /** What happened to it. */
  change: 'more' | 'less' | 'new' | 'gone' | 'same';
  /** The figure that changed, as `figures` calls it; of a subject that did not, the first that could. */
  changed: string;
  /** Its change. */
  delta: number | null;
  /** Its change as a share of the value before; `null` from 0. Unit: percent. */
  delta_percent: number | null;
  /** All its figures. */
  figures: OperationFigures;
  /** Their name, without what differs between runs. */
  name: string | null;
  /** Of several runs: the probability that chance alone separates them like this, by a rank test. */
  p_value: number | null;
  /** Its values in the runs after. */
  runs_after: number[];
  /** Its values in the runs before. */
  runs_before: number[];
}

/** A thread that the scheduler ran. */
export interface ScheduledThreadChange {
  /** This figure after. */
  after: number | null;
  /** This figure before; of several runs the median. Its unit is that of the figure. */
  before: number | null;
  /** What happened to it. */
  change: 'more' | 'less' | 'new' | 'gone' | 'same';
  /** The figure that changed, as `figures` calls it; of a subject that did not, the first that could. */
  changed: string;
  /** Its change. */
  delta: number | null;
  /** Its change as a share of the value before; `null` from 0. Unit: percent. */
  delta_percent: number | null;
  /** All its figures. */
  figures: ScheduleFigures;
  /** Of several runs: the probability that chance alone separates them like this, by a rank test. */
  p_value: number | null;
  /** What its process is in each run. */
  process_name: string | null;
  /** Its values in the runs after. */
  runs_after: number[];
  /** Its values in the runs before. */
  runs_before: number[];
  /** What it is in each run. */
  thread_name: string | null;
}

/** Slices of one name and category. */
export interface SliceChange {
  /** This figure after. */
  after: number | null;
  /** This figure before; of several runs the median. Its unit is that of the figure. */
  before: number | null;
  /** Their category. */
  category: string | null;
  /** What happened to it. */
  change: 'more' | 'less' | 'new' | 'gone' | 'same';
  /** The figure that changed, as `figures` calls it; of a subject that did not, the first that could. */
  changed: string;
  /** Its change. */
  delta: number | null;
  /** Its change as a share of the value before; `null` from 0. Unit: percent. */
  delta_percent: number | null;
  /** All its figures. */
  figures: SliceFigures;
  /** Their name, without what differs between runs. */
  name: string | null;
  /** Of several runs: the probability that chance alone separates them like this, by a rank test. */
  p_value: number | null;
  /** Its values in the runs after. */
  runs_after: number[];
  /** Its values in the runs before. */
  runs_before: number[];
}

/** A thread. */
export interface ThreadChange {
  /** This figure after. */
  after: number | null;
  /** This figure before; of several runs the median. Its unit is that of the figure. */
  before: number | null;
  /** What happened to it. */
  change: 'more' | 'less' | 'new' | 'gone' | 'same';
  /** The figure that changed, as `figures` calls it; of a subject that did not, the first that could. */
  changed: string;
  /** Its change. */
  delta: number | null;
  /** Its change as a share of the value before; `null` from 0. Unit: percent. */
  delta_percent: number | null;
  /** All its figures. */
  figures: ThreadFigures;
  /** Of several runs: the probability that chance alone separates them like this, by a rank test. */
  p_value: number | null;
  /** What its process is in each run. */
  process_name: string | null;
  /** Its values in the runs after. */
  runs_after: number[];
  /** Its values in the runs before. */
  runs_before: number[];
  /** What it is in each run. */
  thread_name: string | null;
}

/** A package or script that differs; of several runs medians. Shares are of the value that is not idle, and absent if there is none. */
export interface OwnerValueChange {
  /** Share of the own values before. Unit: percent. */
  base_self_percent: number | null;
  /** The own values of its functions before. */
  base_self_value: number;
  /** The values of its functions before, with all that they call. */
  base_total_value: number;
  /** Name of the package, or address of the script, with a source map that of a source; `(native)` stands for functions without a script. */
  name: string;
  /** Share of the own values after. Unit: percent. */
  self_percent: number | null;
  /** Change of this share. Unit: percentage points. */
  self_percent_delta: number | null;
  /** The own values of its functions after. */
  self_value: number;
  /** Change of this value. */
  self_value_delta: number;
  /** The values of its functions after, with all that they call. */
  total_value: number;
  /** Change of this value. */
  total_value_delta: number;
}

/** Figures of a counter. */
export interface CounterFigures {
  /** values */
  count: CountFigureChange;
  /** greatest value */
  max: AnyNumberFigureChange;
  /** mean of the values */
  mean: AnyNumberFigureChange;
  /** least value */
  min: AnyNumberFigureChange;
}

/** Figures of frames. */
export interface FrameFigures {
  /** frames that were drawn */
  count: CountFigureChange;
  /** frames that were not drawn in time */
  dropped_count: CountFigureChange;
  /** frames that took longer than others, as docs/commands.md says */
  janky_count: CountFigureChange;
  /** longest time */
  longest_ns: NanosFigureChange;
  /** median of their times */
  p50_ns: NanosFigureChange;
  /** time that 95 % of them do not exceed */
  p95_ns: NanosFigureChange;
}

/** Figures of a stream of a GPU. */
export interface GpuFigures {
  /** time in any of them */
  busy_ns: NanosFigureChange;
  /** kernels and copies */
  count: CountFigureChange;
  /** how many gaps */
  gap_count: CountFigureChange;
  /** gap that 95 % of them do not exceed */
  gap_p95_ns: NanosFigureChange;
  /** gaps between the first and the last of them */
  idle_ns: NanosFigureChange;
  /** longest gap */
  longest_gap_ns: NanosFigureChange;
}

/** Figures of a main thread. */
export interface MainThreadFigures {
  /** total blocking time of these: what each lasts beyond 50 ms */
  blocking_ns: NanosFigureChange;
  /** outermost slices of 50 ms or more */
  long_task_count: CountFigureChange;
  /** longest outermost slice */
  longest_ns: NanosFigureChange;
}

/** Figures of asynchronous operations. */
export interface OperationFigures {
  /** asynchronous operations */
  count: CountFigureChange;
  /** longest duration */
  longest_ns: NanosFigureChange;
  /** median of the durations */
  p50_ns: NanosFigureChange;
  /** duration that 95 % of them do not exceed */
  p95_ns: NanosFigureChange;
  /** sum of their durations */
  total_time_ns: NanosFigureChange;
}

/** Figures of a thread on CPUs. */
export interface ScheduleFigures {
  /** time in an uninterruptible wait */
  blocked_ns: NanosFigureChange;
  /** time without a CPU, although it could run */
  ready_ns: NanosFigureChange;
  /** times that it ran */
  run_count: CountFigureChange;
  /** time on a CPU */
  running_ns: NanosFigureChange;
  /** time in any other wait */
  sleeping_ns: NanosFigureChange;
}

/** Figures of slices. */
export interface SliceFigures {
  /** slices */
  count: CountFigureChange;
  /** longest duration */
  longest_ns: NanosFigureChange;
  /** median of the durations */
  p50_ns: NanosFigureChange;
  /** duration that 95 % of them do not exceed */
  p95_ns: NanosFigureChange;
  /** time that no nested slice covers */
  self_time_ns: NanosFigureChange;
  /** time with nested slices; those of the same name count once */
  total_time_ns: NanosFigureChange;
}

/** Figures of a thread. */
export interface ThreadFigures {
  /** total blocking time of these: what each lasts beyond 50 ms */
  blocking_ns: NanosFigureChange;
  /** outermost slices of 50 ms or more */
  long_task_count: CountFigureChange;
  /** longest outermost slice */
  longest_ns: NanosFigureChange;
  /** duration that 95 % of the outermost slices do not exceed */
  p95_ns: NanosFigureChange;
  /** time in any slice */
  self_time_ns: NanosFigureChange;
  /** outermost slices */
  task_count: CountFigureChange;
}

/** A figure before and after; of several runs the medians. `null`: there was nothing to measure. */
export interface CountFigureChange {
  /** After. Unit: count. */
  after: number | null;
  /** Before. Unit: count. */
  before: number | null;
  /** The change. Unit: count. */
  delta: number | null;
}

/** A figure before and after; of several runs the medians. `null`: there was nothing to measure. */
export interface AnyNumberFigureChange {
  /** After. */
  after: number | null;
  /** Before. */
  before: number | null;
  /** The change. */
  delta: number | null;
}

/** A figure before and after; of several runs the medians. `null`: there was nothing to measure. */
export interface NanosFigureChange {
  /** After. Unit: ns. */
  after: number | null;
  /** Before. Unit: ns. */
  before: number | null;
  /** The change. Unit: ns. */
  delta: number | null;
}

export type DiffAnswer = HeapDiffAnswer | ProfileDiffAnswer | TraceDiffAnswer;

/** An answer with what is to be known of it. */
export interface CheckAnswer {
  /** The input, or the file of figures, that growth is measured from; absent without one. */
  baseline?: string | null;
  /** Why numbers may rest on less than the whole input, or mean less than they seem to. */
  caveats: Caveat[];
  /** The limits, in the order in which they were given; absent if there are none. */
  checks?: LimitCheck[];
  /** Figures of the whole input, then those that limits are about. */
  figures: Figure[];
  /** The inputs as given, the earliest first. */
  inputs: string[];
  /** What the inputs are: `heap`, `cpu_profile`, `heap_profile`, `self_profile`, `profile`, `trace` or `process`. */
  kind: string;
  /** Whether all limits are kept; absent if there are none. */
  passed?: boolean | null;
  /** What is not known of the inputs. */
  unknown: UnknownQuantity[];
  /** The verb: `summary`. */
  verb: string;
  /** Version of this form; now 2. */
  version: number;
}

/** A quantity of inputs of this kind that is not known of this one. A limit on it is an error. */
export interface UnknownQuantity {
  /** What would be measured. */
  quantity: string;
  /** What it would be about. */
  scope: string;
  /** Why it is not known. */
  why: string;
}

/** An answer with what is to be known of it. */
export interface WatchAnswer {
  /** What to do next. */
  advice: Advice[];
  /** Which calls made what lives; `null` if that is not known, and a caveat says why. */
  allocations: LivingAllocations | null;
  /** Why numbers may rest on less than the whole input, or mean less than they seem to. */
  caveats: Caveat[];
  /** Collections of garbage; `null` if they are not known. */
  collections: Collections | null;
  /** Time from the first to the last sample. Unit: ns. */
  duration: number;
  /** The event loop; `null` if the process does not tell. */
  event_loop: EventLoop | null;
  /** The control group at the end; `null` if there is none. */
  group: GroupMemory | null;
  /** How each part of the memory moved, after the warm-up. Only what lives decides; the others are to compare. */
  growth: PartGrowth[];
  /** The inputs as given, the earliest first. */
  inputs: string[];
  /** Number of samples right after a collection that was asked for. */
  live_count: number;
  /** The longest that the process took to answer: its own work, or our questions. Unit: ns. */
  longest_answer: number | null;
  /** Resident memory by what its maps are for, when they were last read. Empty if they could not be read. */
  memory: MemoryKind[];
  /** Most workers that ran between two samples; `null` if the process does not tell. */
  most_workers: number | null;
  /** Number of samples. */
  sample_count: number;
  /** The verb: `summary`. */
  verb: string;
  /** What grows, and how sure that is. */
  verdict: WatchVerdict;
  /** Version of this form; now 2. */
  version: number;
}
