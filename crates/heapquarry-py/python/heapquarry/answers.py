"""The answers of questions, as the command prints them with ``--json``."""

# Generated from the answers of crates/heapquarry-query; do not edit.
# UPDATE_GOLDEN=1 cargo test --workspace --test generated

from __future__ import annotations

from typing import List, Literal, Optional, TypedDict, Union

import sys

if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    from typing_extensions import NotRequired


class HeapSummaryAnswer(TypedDict):
    """A heap."""

    caveats: List[Caveat]
    """Why numbers may rest on less than the whole input, or mean less than they seem to."""
    inputs: List[str]
    """The inputs as given, the earliest first."""
    verb: str
    """The verb: `summary`."""
    version: int
    """Version of this form; now 2."""
    kind: Literal["heap"]
    """Always `heap`."""
    classes: ClassSizeList
    """Classes by retained size, the largest first."""
    detached: DetachedClassList
    """Detached DOM nodes by class."""
    duplicate_strings: DuplicateStringList
    """Strings of which there are several copies, by what one copy of each would save."""
    kept: List[KeptOnlyBy]
    """What is kept alive only by detached DOM nodes, the console, event handlers or variables, and what nothing keeps alive."""
    native_contexts: NativeContextList
    """Native contexts by size, if there are several."""
    off_heap: OffHeapMemory
    """Memory outside of the heap, by the objects that hold it: who has the buffers."""
    owners: NotRequired[Optional[Owners]]
    """What belongs to each package, script or function; absent unless asked for."""
    process: NotRequired[Optional[ProcessMemory]]
    """The resident memory of the process when the snapshot was taken; absent if it is not stored with it."""
    retainers: ObjectSizeList
    """The program's objects that retain most."""
    statistics: List[CategorySize]
    """Sizes by category, as in DevTools' statistics, the largest first. They add up to the size of the heap."""
    totals: Totals
    """Sizes and counts of the whole heap."""
    unread_variables: UnreadVariableList
    """Captured variables that no function reads, by what their values retain."""


class ProfileSummaryAnswer(TypedDict):
    """A profile."""

    caveats: List[Caveat]
    """Why numbers may rest on less than the whole input, or mean less than they seem to."""
    inputs: List[str]
    """The inputs as given, the earliest first."""
    verb: str
    """The verb: `summary`."""
    version: int
    """Version of this form; now 2."""
    kind: Literal["profile"]
    """Always `profile`."""
    functions: FunctionValueList
    """Functions by their own values, the largest first."""
    functions_by_total: FunctionValueList
    """The first functions by total value."""
    packages: PackageValueList
    """Packages by their functions' own values. Each own value belongs to exactly one package."""
    title: str
    """What it is: `CPU profile`, `Profile of cpu (nanoseconds)`."""
    totals: ProfileTotals
    """Sums over the whole profile."""
    unit: str
    """What its values are: `us` of time, `bytes`, `samples`, or the unit of a pprof profile."""
    urls: ScriptValueList
    """Scripts by their functions' own values."""


class TraceSummaryAnswer(TypedDict):
    """A trace."""

    caveats: List[Caveat]
    """Why numbers may rest on less than the whole input, or mean less than they seem to."""
    inputs: List[str]
    """The inputs as given, the earliest first."""
    verb: str
    """The verb: `summary`."""
    version: int
    """Version of this form; now 2."""
    kind: Literal["trace"]
    """Always `trace`."""
    counters: CounterSeriesList
    """Counter series by number of values."""
    cpu_profiles: NotRequired[Optional[ProfileSummary]]
    """The CPU profiles in the trace, merged; absent if there are none."""
    cpus: NotRequired[Optional[CpuActivityList]]
    """CPUs by number; absent without events of the scheduler."""
    gpus: NotRequired[Optional[GpuActivityList]]
    """Streams of GPUs by device; absent if no slice ran on a GPU."""
    issues: List[Issue]
    """Repairs and anomalies by code."""
    operations: OperationTimeList
    """Asynchronous operations by name and category, by total time."""
    processes: ProcessActivityList
    """Processes by time in slices."""
    scheduled_threads: NotRequired[Optional[ScheduledThreadList]]
    """Threads by time on CPUs; absent without events of the scheduler."""
    script_calls: NotRequired[Optional[ScriptCalls]]
    """Slices that run or compile scripts, by what they call; absent if no slice tells."""
    slices: SliceTimeList
    """Slices by name and category, by self time."""
    slices_by_total: SliceTimeList
    """The first of them by total time."""
    threads: ThreadActivityList
    """Threads by time in slices."""
    totals: TraceTotals
    """Counts over the whole trace, or the part of it that was asked for."""


class ProfilesSummaryAnswer(TypedDict):
    """Several profiles of one kind."""

    caveats: List[Caveat]
    """Why numbers may rest on less than the whole input, or mean less than they seem to."""
    inputs: List[str]
    """The inputs as given, the earliest first."""
    verb: str
    """The verb: `summary`."""
    version: int
    """Version of this form; now 2."""
    kind: Literal["profiles"]
    """Always `profiles`."""
    each: NotRequired[Optional[OneProfileList]]
    """Each profile, in the order in which they were given; absent unless asked for."""
    functions: FunctionValueList
    """Functions by their own values, the largest first."""
    functions_by_total: FunctionValueList
    """The first functions by total value."""
    packages: PackageValueList
    """Packages by their functions' own values. Each own value belongs to exactly one package."""
    title: str
    """What it is: `CPU profile`, `Profile of cpu (nanoseconds)`."""
    totals: ProfileTotals
    """Sums over the whole profile."""
    unit: str
    """What its values are: `us` of time, `bytes`, `samples`, or the unit of a pprof profile."""
    urls: ScriptValueList
    """Scripts by their functions' own values."""


class TracesSummaryAnswer(TypedDict):
    """Several traces."""

    caveats: List[Caveat]
    """Why numbers may rest on less than the whole input, or mean less than they seem to."""
    inputs: List[str]
    """The inputs as given, the earliest first."""
    verb: str
    """The verb: `summary`."""
    version: int
    """Version of this form; now 2."""
    kind: Literal["traces"]
    """Always `traces`."""
    cpu_profiles: NotRequired[Optional[ProfileSummary]]
    """The CPU profiles in the traces, merged; absent if there are none."""
    each: NotRequired[Optional[OneTraceList]]
    """Each trace, in the order in which they were given; absent unless asked for."""
    operations: OperationTimeList
    """Asynchronous operations by name and category, by total time."""
    script_calls: NotRequired[Optional[ScriptCalls]]
    """Slices that run or compile scripts, by what they call; absent if no slice tells."""
    slices: SliceTimeList
    """Slices by name and category, by self time."""
    slices_by_total: SliceTimeList
    """The first of them by total time."""
    totals: TraceTotals
    """Sums over the traces; the duration is the sum of theirs."""
    trace_count: int
    """Number of traces."""


class IsolatesSummaryAnswer(TypedDict):
    """The heaps of the isolates of a process."""

    caveats: List[Caveat]
    """Why numbers may rest on less than the whole input, or mean less than they seem to."""
    inputs: List[str]
    """The inputs as given, the earliest first."""
    verb: str
    """The verb: `summary`."""
    version: int
    """Version of this form; now 2."""
    kind: Literal["isolates"]
    """Always `isolates`."""
    isolates: IsolateHeapList
    """The isolates, the largest first."""
    process: NotRequired[Optional[ProcessMemory]]
    """The resident memory of the whole process, right before the first snapshot; absent if it is not stored."""
    totals: IsolateTotals
    """Sums over all of them."""


class WatchSummaryAnswer(TypedDict):
    """A watch of a process."""

    caveats: List[Caveat]
    """Why numbers may rest on less than the whole input, or mean less than they seem to."""
    inputs: List[str]
    """The inputs as given, the earliest first."""
    verb: str
    """The verb: `summary`."""
    version: int
    """Version of this form; now 2."""
    kind: Literal["watch"]
    """Always `watch`."""
    advice: List[Advice]
    """What to do next."""
    allocations: Optional[LivingAllocations]
    """Which calls made what lives; `null` if that is not known, and a caveat says why."""
    collections: Optional[Collections]
    """Collections of garbage; `null` if they are not known."""
    duration: int
    """Time from the first to the last sample. Unit: ns."""
    event_loop: Optional[EventLoop]
    """The event loop; `null` if the process does not tell."""
    group: Optional[GroupMemory]
    """The control group at the end; `null` if there is none."""
    growth: List[PartGrowth]
    """How each part of the memory moved, after the warm-up. Only what lives decides; the others are to compare."""
    live_count: int
    """Number of samples right after a collection that was asked for."""
    longest_answer: Optional[int]
    """The longest that the process took to answer: its own work, or our questions. Unit: ns."""
    memory: List[MemoryKind]
    """Resident memory by what its maps are for, when they were last read. Empty if they could not be read."""
    most_workers: Optional[int]
    """Most workers that ran between two samples; `null` if the process does not tell."""
    sample_count: int
    """Number of samples."""
    verdict: WatchVerdict
    """What grows, and how sure that is."""


class Caveat(TypedDict):
    """Why numbers may rest on less than the whole input, or mean less than they seem to."""

    input: NotRequired[Optional[str]]
    """The input that it is about; absent if it is about all of them."""
    kind: Literal["truncated", "repaired", "values", "mismatch", "remark"]
    """What kind of reason it is."""
    text: str
    """The reason, in words."""


class ClassSizeList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[ClassSize]
    """These rows."""
    total: int
    """Number of all rows."""


class DetachedClassList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[DetachedClass]
    """These rows."""
    total: int
    """Number of all rows."""


class DuplicateStringList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[DuplicateString]
    """These rows."""
    total: int
    """Number of all rows."""


class KeptOnlyBy(TypedDict):
    """What nothing but one kind of holder keeps alive."""

    by: str
    """The kind of holder."""
    count: int
    """Number of nodes."""
    share_percent: Optional[float]
    """Share of the heap. Unit: percent."""
    size: int
    """Their shallow size. Unit: bytes."""


class NativeContextList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[NativeContext]
    """These rows."""
    total: int
    """Number of all rows."""


class OffHeapMemory(TypedDict):
    """Memory outside of the heap, by the objects that hold it."""

    owners: OffHeapOwnerList
    """Who holds it, by size. They add up to it."""
    size: int
    """All of it, as far as the snapshot has it: contents of buffers, memories of WebAssembly, strings outside of the heap, objects of the embedder. Unit: bytes."""
    unsized_string_count: int
    """Number of strings outside of the heap whose size the snapshot does not say: V8 before 13.6."""


class Owners(TypedDict):
    """What belongs to each package, script or function of a heap. Each byte belongs to exactly one owner: the sizes add up to the size of the heap."""

    by: Literal["package", "script", "function"]
    """What it is put together by."""
    owners: OwnerSizeList
    """The owners by what they take themselves, the largest first."""


class ProcessMemory(TypedDict):
    """The resident memory of a process right before its heap snapshot was taken."""

    parts: List[MemoryPart]
    """What it is for; those parts that are known, and the rest. They add up to `rss`."""
    rss: int
    """All of it. Unit: bytes."""
    text: str
    """What it is for, in a sentence."""
    untouched: int
    """What the process says that its buffers have, beyond what is resident: never touched, or swapped out. Unit: bytes."""


class ObjectSizeList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[ObjectSize]
    """These rows."""
    total: int
    """Number of all rows."""


class CategorySize(TypedDict):
    """The size of a category."""

    category: str
    """Name of the category: `code`, `strings`, `js_arrays`, `typed_arrays`, `native`, `system` or `other`."""
    count: int
    """Number of its nodes."""
    meaning: str
    """What belongs to it."""
    share_percent: Optional[float]
    """Share of the heap. Unit: percent."""
    size: int
    """Size of its nodes. Unit: bytes."""


class Totals(TypedDict):
    """Sizes and counts of a whole heap."""

    class_count: int
    """Number of classes."""
    detached_count: int
    """Number of DOM nodes outside of any document."""
    detached_size: int
    """Their shallow size. Unit: bytes."""
    detached_wrapper_count: int
    """Number of the embedder's detached objects that are no DOM nodes."""
    edge_count: int
    """Number of edges."""
    node_count: int
    """Number of nodes."""
    size: int
    """Shallow size of all nodes, with native memory outside the heap: DevTools' total. Unit: bytes."""
    unreached_count: int
    """Number of nodes that cannot be reached from the root."""


class UnreadVariableList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[UnreadVariable]
    """These rows."""
    total: int
    """Number of all rows."""


class FunctionValueList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[FunctionValue]
    """These rows."""
    total: int
    """Number of all rows."""


class PackageValueList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[PackageValue]
    """These rows."""
    total: int
    """Number of all rows."""


class ProfileTotals(TypedDict):
    """Sums over a whole profile."""

    busy_value: NotRequired[Optional[int]]
    """The part of it in which something ran; absent if profiles of this kind do not tell."""
    function_count: int
    """Number of functions."""
    gc_value: NotRequired[Optional[int]]
    """The part of it in which garbage was collected; absent if profiles of this kind do not tell."""
    node_count: int
    """Number of nodes of the call tree."""
    profile_count: int
    """Number of profiles that were merged."""
    sample_count: int
    """Number of samples."""
    value: int
    """Sum of all values, in the unit of the profile."""


class ScriptValueList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[ScriptValue]
    """These rows."""
    total: int
    """Number of all rows."""


class CounterSeriesList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[CounterSeries]
    """These rows."""
    total: int
    """Number of all rows."""


class ProfileSummary(TypedDict):
    """What is in a profile, or in several that were merged."""

    functions: FunctionValueList
    """Functions by their own values, the largest first."""
    functions_by_total: FunctionValueList
    """The first functions by total value."""
    packages: PackageValueList
    """Packages by their functions' own values. Each own value belongs to exactly one package."""
    title: str
    """What it is: `CPU profile`, `Profile of cpu (nanoseconds)`."""
    totals: ProfileTotals
    """Sums over the whole profile."""
    unit: str
    """What its values are: `us` of time, `bytes`, `samples`, or the unit of a pprof profile."""
    urls: ScriptValueList
    """Scripts by their functions' own values."""


class CpuActivityList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[CpuActivity]
    """These rows."""
    total: int
    """Number of all rows."""


class GpuActivityList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[GpuActivity]
    """These rows."""
    total: int
    """Number of all rows."""


class Issue(TypedDict):
    """Repairs and anomalies of one code."""

    code: str
    """The code, as in `import_log`."""
    count: int
    """Number of times that it occurred."""
    message: str
    """The first of them, in words."""
    offset: Optional[int]
    """Offset of the first in bytes, if known."""
    severity: str
    """How severe it is."""


class OperationTimeList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[OperationTime]
    """These rows."""
    total: int
    """Number of all rows."""


class ProcessActivityList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[ProcessActivity]
    """These rows."""
    total: int
    """Number of all rows."""


class ScheduledThreadList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[ScheduledThread]
    """These rows."""
    total: int
    """Number of all rows."""


class ScriptCalls(TypedDict):
    """Slices that run or compile a script and say which: `FunctionCall`, `EvaluateScript`, `v8.compile` and `v8.produceCache` of Chromium. Other slices are in none of these times."""

    functions: CalledFunctionList
    """What they call, by self time."""
    packages: CalledPackageList
    """The packages of these, by self time. Each self time belongs to exactly one package."""
    scripts: CalledScriptList
    """The scripts of these, by self time."""
    totals: CallTime
    """All of them."""


class SliceTimeList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[SliceTime]
    """These rows."""
    total: int
    """Number of all rows."""


class ThreadActivityList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[ThreadActivity]
    """These rows."""
    total: int
    """Number of all rows."""


class TraceTotals(TypedDict):
    """Counts over a trace."""

    counter_count: int
    """Number of counter series."""
    duration_ns: Optional[int]
    """From the start of the first event to the end of the last; absent without events. Unit: ns."""
    event_count: int
    """Number of events."""
    flow_count: int
    """Number of flows."""
    instant_count: int
    """Number of instant events."""
    operation_count: int
    """Number of asynchronous operations with a duration."""
    process_count: int
    """Number of processes."""
    slice_count: int
    """Number of slices of threads."""
    thread_count: int
    """Number of threads."""


class OneProfileList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[OneProfile]
    """These rows."""
    total: int
    """Number of all rows."""


class OneTraceList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[OneTrace]
    """These rows."""
    total: int
    """Number of all rows."""


class IsolateHeapList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[IsolateHeap]
    """These rows."""
    total: int
    """Number of all rows."""


class IsolateTotals(TypedDict):
    """Sums over several heaps."""

    edge_count: int
    """Number of their edges."""
    isolate_count: int
    """Number of heaps."""
    node_count: int
    """Number of their nodes."""
    size: int
    """Their sizes, with native memory outside of them. Unit: bytes."""


class Advice(TypedDict):
    """What to do next."""

    command: Optional[str]
    """A command that does it; `null` if it is none."""
    text: str
    """What it is for."""


_LivingAllocations = TypedDict("_LivingAllocations", {"from": "int"})


class LivingAllocations(_LivingAllocations):
    """Which calls made what lives, of all that was allocated from one time to another: estimates from samples."""

    early_size: int
    """The part of it that is from the first half of all that was allocated: it has lived longest. Unit: bytes."""
    interval: int
    """Bytes from one sample to the next, on average. Unit: bytes."""
    sample_count: int
    """Number of samples that live."""
    size: int
    """What lives. Unit: bytes."""
    stack_count: int
    """Number of call stacks of which something lives."""
    stacks: List[AllocationStack]
    """The first 20 of them, those whose objects have lived longest first."""
    until: int
    """When it was read. Unit: ns."""


class Collections(TypedDict):
    """Collections of garbage."""

    major_count: int
    """Those of the whole heap."""
    minor_count: int
    """Those of young objects."""


class EventLoop(TypedDict):
    """The event loop."""

    longest_delay: int
    """Its longest delay. Unit: ns."""
    utilization: Optional[float]
    """Part of the time in which it was busy, from 0 to 1; `null` if the process does not tell."""


class GroupMemory(TypedDict):
    """Memory of a control group."""

    file_cache: Optional[int]
    """Its cache of files. Unit: bytes."""
    limit: Optional[int]
    """Most that it may take; `null` without a limit, too. Unit: bytes."""
    oom_kill_count: Optional[int]
    """How often processes of it were ended at its limit."""
    used: Optional[int]
    """What it takes, with its cache of files. Unit: bytes."""


class PartGrowth(TypedDict):
    """How a part of the memory moved."""

    chance: float
    """Probability that independent level figures would rise like this, by Mann and Kendall, from 0 to 1. Figures at any time depend on each other, so that it says nothing of `rss` and `heap_used`."""
    change: int
    """Their difference. Unit: bytes."""
    first: int
    """Size at the first figure, on the line. Unit: bytes."""
    last: int
    """Size at the last figure, on the line. Unit: bytes."""
    meaning: str
    """What it is, in words."""
    part: str
    """The part: `live_heap`, `live_buffers`, `native`, `allocator_free` and others."""
    point_count: int
    """Number of points of the line: the figures, or of more than 200 the medians of neighbours."""
    slope: int
    """Growth, by Theil and Sen. Unit: bytes per hour."""
    slope_high: int
    """With a probability of 95 % the growth is at most this. Unit: bytes per hour."""
    slope_low: int
    """With a probability of 95 % the growth is at least this. Unit: bytes per hour."""
    spread: int
    """How far the figures are from the line: a standard deviation, from the median of the distances. Unit: bytes."""


class MemoryKind(TypedDict):
    """Resident memory for one purpose."""

    kind: str
    """The kind: `v8`, `brk`, `arena`, `mmap`, `file` and others."""
    map_count: int
    """Number of maps."""
    meaning: str
    """What it is for, in words."""
    pss: Optional[int]
    """Resident memory with a part of each page that several processes share; `null` if it is not known. Unit: bytes."""
    rss: Optional[int]
    """Resident memory; `null` if it is not known. Unit: bytes."""


class WatchVerdict(TypedDict):
    """What grows, and how sure that is."""

    also_growing: List[str]
    """Other parts that grow, by a tenth of it or more."""
    cause: Literal["heap", "buffers", "wasm", "other_isolates", "native", "fragmentation", "only_rss", "page_cache", "not_given_back", "bounded", "not_sure"]
    """What grows, or what else the memory does."""
    certainty: Literal["high", "low", "none"]
    """How sure it is."""
    chance: Optional[float]
    """Probability that level memory would rise like this, by Mann and Kendall, from 0 to 1."""
    is_growing: bool
    """Whether it goes on growing."""
    made_by: Optional[str]
    """If the heap grows, the calls that made most of what stays, innermost first, and how much that is; `null` if they are not known."""
    needed_duration: Optional[int]
    """How long a watch takes, about, that would tell, if growth cannot be excluded; `null` if there is a verdict, or too few figures for an estimate. Unit: ns."""
    slope: Optional[int]
    """Growth, by Theil and Sen; of level memory that of the live heap. `null` without figures. Unit: bytes per hour."""
    slope_high: Optional[int]
    """With a probability of 95 % the growth is at most this. Unit: bytes per hour."""
    slope_low: Optional[int]
    """With a probability of 95 % the growth is at least this. Unit: bytes per hour."""
    spread: Optional[int]
    """How far the figures are from a line: a standard deviation, from the median of the distances. Unit: bytes."""
    text: str
    """The verdict in words."""
    unseen_slope: Optional[int]
    """Growth of the live heap that would not have been seen in this time; `null` if any would not. Unit: bytes per hour."""


class ClassSize(TypedDict):
    """The objects of a class."""

    class_key: str
    """What the class is told apart by: its name, and where it is defined."""
    class_name: str
    """Name of the class, as DevTools shows it."""
    count: int
    """Number of its objects that have a size."""
    distance: int
    """Least distance of its objects."""
    original: NotRequired[Optional[Original]]
    """What a source map tells of the class."""
    retained_percent: Optional[float]
    """Share of the heap that they retain. Unit: percent."""
    retained_size: int
    """What would be freed with all of its objects. Unit: bytes."""
    shallow_size: int
    """What its objects take themselves. Unit: bytes."""


class DetachedClass(TypedDict):
    """Detached DOM nodes of a class."""

    class_name: str
    """Name of the class."""
    count: int
    """Number of its detached nodes."""
    id: int
    """The one that retains most. Unit: id."""
    retained_size: int
    """What that one retains. Unit: bytes."""
    shallow_size: int
    """What they take themselves. Unit: bytes."""


class DuplicateString(TypedDict):
    """A string with several copies."""

    count: int
    """Number of copies."""
    size: int
    """Size of all copies. Unit: bytes."""
    string: str
    """Its text."""
    waste: int
    """What one copy would save. Unit: bytes."""


class NativeContext(TypedDict):
    """A native context: a page, a frame, or a realm of Node."""

    count: int
    """Number of its nodes."""
    id: Optional[int]
    """Its id; absent where it is no single one. Unit: id."""
    name: str
    """Its name; `(shared by several)` and `(none)` stand for what belongs to no single one."""
    retained_size: Optional[int]
    """What the context retains. Unit: bytes."""
    shallow_size: int
    """Their shallow size. Unit: bytes."""
    share_percent: Optional[float]
    """Share of the heap. Unit: percent."""


class OffHeapOwnerList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[OffHeapOwner]
    """These rows."""
    total: int
    """Number of all rows."""


class OwnerSizeList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[OwnerSize]
    """These rows."""
    total: int
    """Number of all rows."""


class MemoryPart(TypedDict):
    """A part of the resident memory."""

    meaning: str
    """What it is, in words."""
    part: str
    """The part: `heap`, `array_buffers`, `code` and others; `rest` is what is not named."""
    share_percent: Optional[float]
    """Its share of the resident memory. Unit: percent."""
    size: int
    """Its size. Unit: bytes."""


class ObjectSize(TypedDict):
    """An object that retains much."""

    class_name: str
    """Name of its class."""
    distance: int
    """Its distance."""
    id: int
    """Its id. Unit: id."""
    name: str
    """Its name; of functions with the place where they are defined."""
    original: NotRequired[Optional[Original]]
    """What a source map tells of the function, or of the object's class."""
    retained_percent: Optional[float]
    """Share of the heap that it retains. Unit: percent."""
    retained_size: int
    """What would be freed with it. Unit: bytes."""
    shallow_size: int
    """What it takes itself. Unit: bytes."""


class UnreadVariable(TypedDict):
    """A captured variable that no live function can read."""

    context_id: int
    """Id of its context. Unit: id."""
    context_name: str
    """The function whose variables they are."""
    name: str
    """Name of the variable."""
    retained_size: int
    """What the value retains. Unit: bytes."""
    value_class: str
    """Class of the value."""
    value_id: int
    """Id of the value. Unit: id."""


class FunctionValue(TypedDict):
    """The values of a function."""

    column: Optional[int]
    """Its column, from 1."""
    function_name: str
    """Its name; `(anonymous)` if it has none."""
    line: Optional[int]
    """Its line, from 1."""
    node_count: int
    """Number of places that it was called from, as nodes of the call tree."""
    original: NotRequired[Optional[Original]]
    """What a source map tells of it."""
    place: Optional[str]
    """Its place, short: the last two parts of the script's address, and the line; with a source map those of the source, then in brackets that of the script."""
    self_percent: Optional[float]
    """Share of the value that is not idle; absent for idle functions. Unit: percent."""
    self_value: int
    """Its own value, without what it calls."""
    total_percent: Optional[float]
    """Share of the value that is not idle; absent for idle functions. Unit: percent."""
    total_value: int
    """Its value with all that it calls."""
    url: str
    """The address of its script; empty for the engine and native code."""


class PackageValue(TypedDict):
    """The values of a package's functions."""

    package: str
    """Its name: of npm or JSR, a folder of the repository, the origin of a page's scripts, or how the names of the runtime's scripts begin. `(own scripts)` stands for scripts of none, `(ignored sources)` for sources of none that a source map lists as ones to be ignored, `(native)` for functions without a script."""
    self_percent: Optional[float]
    """Share of the value that is not idle. Unit: percent."""
    self_value: int
    """Their own values."""
    total_percent: Optional[float]
    """Share of the value that is not idle. Unit: percent."""
    total_value: int
    """Their values with all that they call."""


class ScriptValue(TypedDict):
    """The values of a script's functions."""

    self_percent: Optional[float]
    """Share of the value that is not idle. Unit: percent."""
    self_value: int
    """Their own values."""
    total_percent: Optional[float]
    """Share of the value that is not idle. Unit: percent."""
    total_value: int
    """Their values with all that they call."""
    url: str
    """Its address, with a source map that of a source; `(native)` stands for functions without a script."""


class CounterSeries(TypedDict):
    """A series of a counter."""

    count: int
    """Number of values."""
    counter_name: Optional[str]
    """Name of the counter."""
    id: Optional[str]
    """Id of the counter, if it has one."""
    last: Optional[Union[int, float, str]]
    """The value with the latest time."""
    max: Optional[Union[int, float, str]]
    """The greatest value."""
    min: Optional[Union[int, float, str]]
    """The least value."""
    pid: Optional[Union[int, float, str]]
    """Id of its process."""
    process_name: Optional[str]
    """Name of its process, if known."""
    series: Optional[str]
    """Name of the series."""


class CpuActivity(TypedDict):
    """A CPU."""

    busy_ns: int
    """Time in which it ran a thread other than the idle one. Unit: ns."""
    busy_percent: Optional[float]
    """Share of the recorded time. Unit: percent."""
    cpu: int
    """Its number."""
    switch_count: int
    """Number of times that it began to run a thread."""


class GpuActivity(TypedDict):
    """A stream of a GPU, or all streams of a device together."""

    busy_ns: int
    """Time in which any slice ran. Unit: ns."""
    count: int
    """Number of slices."""
    gap_count: int
    """Number of gaps between slices."""
    gap_p95_ns: Optional[int]
    """95th percentile of the gaps; absent if there are none. Unit: ns."""
    idle_ns: int
    """Time between the first slice and the last in which none ran. Unit: ns."""
    longest_gap_ns: Optional[int]
    """The longest gap; absent if there are none. Unit: ns."""
    process_name: str
    """The device."""
    thread_name: str
    """The stream; `all streams` for all of the device."""


class OperationTime(TypedDict):
    """Asynchronous operations of one name and category."""

    category: Optional[str]
    """Their category."""
    count: int
    """Number of operations."""
    longest_ns: Optional[int]
    """The longest of them. Unit: ns."""
    name: Optional[str]
    """Their name."""
    total_time_ns: int
    """Time of all with an end. Unit: ns."""
    unended_count: int
    """Number of those without an end."""


class ProcessActivity(TypedDict):
    """A process."""

    duration_ns: Optional[int]
    """From the start of the first event to the end of the last. Unit: ns."""
    end_ns: Optional[int]
    """End of the last event, in the time of the trace. Unit: ns."""
    event_count: int
    """Number of events."""
    labels: Optional[str]
    """Its labels, such as titles of pages."""
    pid: Optional[Union[int, float, str]]
    """Its id."""
    process_name: Optional[str]
    """Its name, if known."""
    self_time_ns: int
    """Time in which a thread had any slice; of a process the sum over its threads. Unit: ns."""
    slice_count: int
    """Number of slices."""
    start_ns: Optional[int]
    """Start of the first event, in the time of the trace. Unit: ns."""
    thread_count: int
    """Number of its threads."""


class ScheduledThread(TypedDict):
    """A thread that the scheduler ran."""

    blocked_ns: int
    """Time in uninterruptible waits, usually for a disk. Unit: ns."""
    longest_ready_ns: Optional[int]
    """The longest such time. Unit: ns."""
    pid: Optional[Union[int, float, str]]
    """Id of its process."""
    process_name: Optional[str]
    """Name of its process, if known."""
    ready_ns: int
    """Time in which it could have run, but had no CPU. Unit: ns."""
    run_count: int
    """Number of times that it ran."""
    running_ns: int
    """Time on CPUs. Unit: ns."""
    thread_name: Optional[str]
    """Its name, if known."""
    tid: int
    """Its id."""


class CalledFunctionList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[CalledFunction]
    """These rows."""
    total: int
    """Number of all rows."""


class CalledPackageList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[CalledPackage]
    """These rows."""
    total: int
    """Number of all rows."""


class CalledScriptList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[CalledScript]
    """These rows."""
    total: int
    """Number of all rows."""


class CallTime(TypedDict):
    """Times of slices that call scripts."""

    count: int
    """Number of slices."""
    longest_ns: Optional[int]
    """The longest of them. Unit: ns."""
    self_percent: Optional[float]
    """Share of the self time of all that call scripts. Unit: percent."""
    self_time_ns: int
    """Their time without slices within them, whatever these are. Unit: ns."""
    total_time_ns: int
    """Their time; a slice within another of these counts once. Unit: ns."""


class SliceTime(TypedDict):
    """Slices of one name and category."""

    category: Optional[str]
    """Their category."""
    count: int
    """Number of slices."""
    longest_ns: Optional[int]
    """The longest of them. Unit: ns."""
    name: Optional[str]
    """Their name."""
    self_percent: Optional[float]
    """Share of the self time of all slices. Unit: percent."""
    self_time_ns: int
    """Their time without slices below them. Unit: ns."""
    total_time_ns: int
    """Their time. Unit: ns."""


class ThreadActivity(TypedDict):
    """A thread."""

    duration_ns: Optional[int]
    """From the start of the first event to the end of the last. Unit: ns."""
    end_ns: Optional[int]
    """End of the last event, in the time of the trace. Unit: ns."""
    event_count: int
    """Number of events."""
    pid: Optional[Union[int, float, str]]
    """Id of its process."""
    process_name: Optional[str]
    """Name of its process, if known."""
    self_time_ns: int
    """Time in which a thread had any slice; of a process the sum over its threads. Unit: ns."""
    slice_count: int
    """Number of slices."""
    start_ns: Optional[int]
    """Start of the first event, in the time of the trace. Unit: ns."""
    thread_name: Optional[str]
    """Its name, if known."""
    tid: Optional[Union[int, float, str]]
    """Its id."""


class OneProfile(TypedDict):
    """One of several profiles."""

    input: str
    """The profile as given."""
    totals: ProfileTotals
    """Sums over it."""


class OneTrace(TypedDict):
    """One of several traces."""

    gpus: NotRequired[Optional[GpuActivityList]]
    """Streams of GPUs by device; absent if no slice ran on a GPU."""
    input: str
    """The trace as given."""
    self_time_ns: int
    """Time in which a thread had any slice, summed over its threads. Unit: ns."""
    totals: TraceTotals
    """Counts over it."""


class IsolateHeap(TypedDict):
    """The heap of an isolate."""

    input: str
    """The input that is this heap alone."""
    isolate: str
    """`main`, or the id of the worker among the targets of the port."""
    share_percent: Optional[float]
    """Share of the sizes of all heaps. Unit: percent."""
    title: Optional[str]
    """What it calls itself, if it does."""
    totals: Totals
    """Sizes and counts of its heap."""
    url: Optional[str]
    """What it runs, if it says so."""


class AllocationStack(TypedDict):
    """What one call stack made and still lives."""

    early_size: int
    """The part of it that is from the first half of all that was allocated. Unit: bytes."""
    frames: List[AllocationFrame]
    """The functions, innermost first. A function that was inlined counts as a part of that which called it."""
    sample_count: int
    """Number of samples that live."""
    size: int
    """What lives. Unit: bytes."""


class Original(TypedDict):
    """What a source map tells of a function or class."""

    column: int
    """Its column there, from 1."""
    line: int
    """Its line there, from 1."""
    name: NotRequired[Optional[str]]
    """Its name in the source; empty for a function without one. Absent if the map does not tell."""
    source: str
    """Path or URL of the source."""


class OffHeapOwner(TypedDict):
    """What objects of a class hold outside of the heap."""

    count: int
    """Number of blocks."""
    id: Optional[int]
    """The object that holds most of it, for `why`. Unit: id."""
    kind: str
    """What it is: `array_buffer`, `shared_array_buffer`, `wasm`, `external_string` or `native`."""
    largest: int
    """The largest block. Unit: bytes."""
    owner_class: Optional[str]
    """The class of the objects that it goes with; `null` if several others hold each, or only the engine does."""
    share_percent: Optional[float]
    """Its share of all that is outside of the heap. Unit: percent."""
    size: int
    """Their size. Unit: bytes."""
    view_count: int
    """Number of buffers, typed arrays and views on these blocks. Each keeps all of a block, however small it is."""
    within: Optional[str]
    """The class or function that these objects are in, where their own says nothing: `Cache`, of arrays in one."""


class OwnerSize(TypedDict):
    """What belongs to an owner."""

    count: int
    """Number of its objects."""
    owner: Owner
    """The owner."""
    retained_percent: Optional[float]
    """Share of the heap that they retain. Unit: percent."""
    retained_size: Optional[int]
    """What would be freed if all of them went. Of several owners it may count the same bytes: what one holds can belong to another. Absent of what is no code, and of owners after the first 4,096. Unit: bytes."""
    share_percent: Optional[float]
    """Share of the heap. Unit: percent."""
    size: int
    """What they take themselves. Unit: bytes."""


class CalledFunction(TypedDict):
    """Slices of one name that call one function, or run one script."""

    column: Optional[int]
    """Its column, from 1; absent if it is not known, and of a script as a whole."""
    count: int
    """Number of slices."""
    function_name: NotRequired[Optional[str]]
    """Name of the function; `(anonymous)` if it has none, absent of a script as a whole."""
    line: Optional[int]
    """Its line, from 1; absent if it is not known."""
    longest_ns: Optional[int]
    """The longest of them. Unit: ns."""
    original: NotRequired[Optional[Original]]
    """What a source map tells of it."""
    place: Optional[str]
    """Where it is, short: the last two parts of the script's address, and the line; with a source map those of the source, then in brackets that of the script."""
    self_percent: Optional[float]
    """Share of the self time of all that call scripts. Unit: percent."""
    self_time_ns: int
    """Their time without slices within them, whatever these are. Unit: ns."""
    slice_name: str
    """Their name."""
    total_time_ns: int
    """Their time; a slice within another of these counts once. Unit: ns."""
    url: str
    """The address of the script; empty if it has none."""


class CalledPackage(TypedDict):
    """Slices that call functions of one package."""

    count: int
    """Number of slices."""
    longest_ns: Optional[int]
    """The longest of them. Unit: ns."""
    package: str
    """Its name."""
    self_percent: Optional[float]
    """Share of the self time of all that call scripts. Unit: percent."""
    self_time_ns: int
    """Their time without slices within them, whatever these are. Unit: ns."""
    total_time_ns: int
    """Their time; a slice within another of these counts once. Unit: ns."""


class CalledScript(TypedDict):
    """Slices that call functions of one script, or of one source."""

    count: int
    """Number of slices."""
    longest_ns: Optional[int]
    """The longest of them. Unit: ns."""
    self_percent: Optional[float]
    """Share of the self time of all that call scripts. Unit: percent."""
    self_time_ns: int
    """Their time without slices within them, whatever these are. Unit: ns."""
    total_time_ns: int
    """Their time; a slice within another of these counts once. Unit: ns."""
    url: str
    """The address of the script, with a source map that of a source; `(native)` stands for none."""


class AllocationFrame(TypedDict):
    """A function on a call stack."""

    column: Optional[int]
    """Its column, from 1."""
    function_name: str
    """Its name; `(anonymous)` if it has none."""
    line: Optional[int]
    """Its line, from 1."""
    place: Optional[str]
    """Its place, short: the last two parts of the script's address, and the line."""
    url: str
    """The address of its script; empty for the engine and native code."""


class Owner(TypedDict):
    """A package, script or function, or what is no code."""

    column: NotRequired[Optional[int]]
    """A function's column, from 1."""
    kind: Literal["code", "engine", "unattributed", "outside"]
    """What it is."""
    line: NotRequired[Optional[int]]
    """A function's line, from 1."""
    name: str
    """Its name: of a package, the path or URL of a script, of a function."""
    script: NotRequired[Optional[str]]
    """Path or URL of a function's script; with a source map of its source."""


SummaryAnswer = Union[HeapSummaryAnswer, ProfileSummaryAnswer, TraceSummaryAnswer, ProfilesSummaryAnswer, TracesSummaryAnswer, IsolatesSummaryAnswer, WatchSummaryAnswer]


class WhyAnswer(TypedDict):
    """An answer with what is to be known of it."""

    caveats: List[Caveat]
    """Why numbers may rest on less than the whole input, or mean less than they seem to."""
    groups: NotRequired[Optional[PathGroupList]]
    """Objects of the wanted classes by the path to them; absent if one object was asked for."""
    inputs: List[str]
    """The inputs as given, the earliest first."""
    objects: List[ObjectPaths]
    """The object, or the first of each of the first groups, with paths to it."""
    verb: str
    """The verb: `summary`."""
    version: int
    """Version of this form; now 2."""


class PathGroupList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[PathGroup]
    """These rows."""
    total: int
    """Number of all rows."""


class ObjectPaths(TypedDict):
    """An object with paths to it."""

    object: HeldObject
    """The object."""
    paths: List[RetainingPath]
    """Paths from it up to the root, through different retainers."""


class PathGroup(TypedDict):
    """Objects of one class that are reached by one path."""

    class_name: str
    """Name of their class."""
    count: int
    """Number of objects."""
    id: int
    """The one that retains most. Unit: id."""
    retained_size: int
    """What the one that retains most would free. Unit: bytes."""
    shallow_size: int
    """What all of them take themselves. Unit: bytes."""
    way: str
    """The path to them: `variable cache[].user`. An element of a collection is written `[]`."""


class HeldObject(TypedDict):
    """An object, or the first of several that are reached by one path."""

    class_name: str
    """Name of its class."""
    count: int
    """Number of objects that are reached by its path."""
    distance: int
    """Its distance."""
    function_way: NotRequired[Optional[str]]
    """If its path begins at `this` of a function: the path to that function."""
    id: int
    """Its id. Unit: id."""
    ids: List[int]
    """Ids of the first of them, its own first."""
    name: str
    """Its name; of functions with the place where they are defined."""
    original: NotRequired[Optional[Original]]
    """What a source map tells of the function, or of the object's class."""
    retained_size: int
    """What would be freed with it. Unit: bytes."""
    retainer_count: int
    """Number of its retainers, as DevTools counts them."""
    shallow_size: int
    """What it takes itself. Unit: bytes."""
    type: str
    """Its type: `object`, `closure`, `string` and others."""
    way: str
    """The path to it; empty if no path is known."""


class RetainingPath(TypedDict):
    """A path from an object up."""

    reaches_root: bool
    """Whether it ends at the root."""
    steps: List[PathStep]
    """Its references, the one to the object first."""


class PathStep(TypedDict):
    """A reference, and the object that has it."""

    class_name: str
    """Class of the object that has the reference."""
    distance: int
    """Its distance."""
    edge: str
    """Name of the property or variable; of an element its index in brackets."""
    edge_type: str
    """Type of the edge: `property`, `element`, `context`, `internal` and others."""
    id: int
    """Its id. Unit: id."""
    index: Optional[int]
    """Index of the element; absent for others."""
    name: str
    """Its name."""
    retained_size: int
    """What would be freed with it. Unit: bytes."""


class ObjectShowAnswer(TypedDict):
    """One object."""

    caveats: List[Caveat]
    """Why numbers may rest on less than the whole input, or mean less than they seem to."""
    inputs: List[str]
    """The inputs as given, the earliest first."""
    verb: str
    """The verb: `summary`."""
    version: int
    """Version of this form; now 2."""
    of: Literal["object"]
    """Always `object`."""
    dominated: DominatedObjectList
    """What it alone holds, the largest first."""
    elements: ElementList
    """Its elements."""
    entries: MapEntryList
    """Entries of a Map or Set."""
    fields: FieldList
    """Its properties; of a scope its variables."""
    internal: InternalReferenceList
    """References of the engine."""
    object: ObjectFacts
    """What it is."""
    retainers: RetainerGroupList
    """What holds it, by class and name of the reference."""
    variables: VariableList
    """Variables that a function sees, the innermost scope first."""


_ClassShowAnswer = TypedDict("_ClassShowAnswer", {"class": "ClassTotals"})


class ClassShowAnswer(_ClassShowAnswer):
    """The objects of classes."""

    caveats: List[Caveat]
    """Why numbers may rest on less than the whole input, or mean less than they seem to."""
    inputs: List[str]
    """The inputs as given, the earliest first."""
    verb: str
    """The verb: `summary`."""
    version: int
    """Version of this form; now 2."""
    of: Literal["class"]
    """Always `class`."""
    fields: ClassFieldList
    """Their properties."""
    objects: InstanceList
    """The objects, the largest first."""


class DominatedObjectList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[DominatedObject]
    """These rows."""
    total: int
    """Number of all rows."""


class ElementList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[Element]
    """These rows."""
    total: int
    """Number of all rows."""


class MapEntryList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[MapEntry]
    """These rows."""
    total: int
    """Number of all rows."""


class FieldList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[Field]
    """These rows."""
    total: int
    """Number of all rows."""


class InternalReferenceList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[InternalReference]
    """These rows."""
    total: int
    """Number of all rows."""


class ObjectFacts(TypedDict):
    """What an object is."""

    class_name: str
    """Name of its class."""
    column: Optional[int]
    """Its column, from 1."""
    distance: int
    """Its distance."""
    dominator: Optional[str]
    """Its dominator, in words: the nearest object without which it would be freed."""
    dominator_id: Optional[int]
    """Id of its dominator. Unit: id."""
    id: int
    """Its id. Unit: id."""
    line: Optional[int]
    """Its line, from 1."""
    name: str
    """Its name; of functions with the place where they are defined."""
    original: NotRequired[Optional[Original]]
    """What a source map tells of that place."""
    place: Optional[str]
    """Where the function, or the constructor of the object's class, is written: `file:line:column`."""
    prototype: Optional[str]
    """Its prototype, in words."""
    prototype_id: Optional[int]
    """Id of its prototype. Unit: id."""
    retained_size: int
    """What would be freed with it. Unit: bytes."""
    script_name: Optional[str]
    """The script of that place, whole."""
    shallow_size: int
    """What it takes itself. Unit: bytes."""
    type: str
    """Its type: `object`, `closure`, `string` and others."""


class RetainerGroupList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[RetainerGroup]
    """These rows."""
    total: int
    """Number of all rows."""


class VariableList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[Variable]
    """These rows."""
    total: int
    """Number of all rows."""


class ClassTotals(TypedDict):
    """Sums over the objects of classes."""

    class_count: int
    """Number of classes."""
    count: int
    """Number of objects."""
    retained_size: int
    """What would be freed with the objects of each class, summed over the classes. Unit: bytes."""
    shallow_size: int
    """What they take themselves. Unit: bytes."""


class ClassFieldList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[ClassField]
    """These rows."""
    total: int
    """Number of all rows."""


class InstanceList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[Instance]
    """These rows."""
    total: int
    """Number of all rows."""


class DominatedObject(TypedDict):
    """An object that nothing else holds."""

    class_name: Optional[str]
    """Name of its class; absent for what is in no file, such as small integers in a Map."""
    id: Optional[int]
    """Its id. Unit: id."""
    retained_size: Optional[int]
    """What would be freed with it. Unit: bytes."""
    shallow_size: int
    """What it takes itself. Unit: bytes."""
    value: str
    """The value as a program would write it, or the name of its class."""


class Element(TypedDict):
    """An element of an array."""

    class_name: Optional[str]
    """Name of its class; absent for what is in no file, such as small integers in a Map."""
    id: Optional[int]
    """Its id. Unit: id."""
    index: Union[int, float, str]
    """Its index; what is no index is text."""
    retained_size: Optional[int]
    """What would be freed with it. Unit: bytes."""
    value: str
    """The value as a program would write it, or the name of its class."""


class MapEntry(TypedDict):
    """An entry of a Map or Set."""

    class_name: Optional[str]
    """Name of its class; absent for what is in no file, such as small integers in a Map."""
    id: Optional[int]
    """Its id. Unit: id."""
    key: str
    """Its key."""
    key_id: Optional[int]
    """Id of the key; absent for small integers and constants, which V8 does not write. Unit: id."""
    retained_size: Optional[int]
    """What would be freed with it. Unit: bytes."""
    value: str
    """The value as a program would write it, or the name of its class."""


class Field(TypedDict):
    """A property or variable."""

    class_name: Optional[str]
    """Name of its class; absent for what is in no file, such as small integers in a Map."""
    edge_type: str
    """`property`, or `context` for a variable."""
    id: Optional[int]
    """Its id. Unit: id."""
    name: str
    """Its name."""
    retained_size: Optional[int]
    """What would be freed with it. Unit: bytes."""
    value: str
    """The value as a program would write it, or the name of its class."""


class InternalReference(TypedDict):
    """A reference of the engine."""

    class_name: Optional[str]
    """Name of its class; absent for what is in no file, such as small integers in a Map."""
    edge: str
    """Its name."""
    edge_type: str
    """Its type: `internal`, `hidden`, `weak`, `shortcut`."""
    id: Optional[int]
    """Its id. Unit: id."""
    retained_size: Optional[int]
    """What would be freed with it. Unit: bytes."""
    value: str
    """The value as a program would write it, or the name of its class."""


class RetainerGroup(TypedDict):
    """Objects of one class that hold an object by the same name."""

    class_name: Optional[str]
    """Name of its class; absent for what is in no file, such as small integers in a Map."""
    count: int
    """Number of these objects."""
    edge: str
    """Name of the reference; `[]` stands for any index."""
    id: Optional[int]
    """Its id. Unit: id."""
    retained_size: Optional[int]
    """What would be freed with it. Unit: bytes."""
    value: str
    """The value as a program would write it, or the name of its class."""


class Variable(TypedDict):
    """A captured variable."""

    class_name: Optional[str]
    """Name of its class; absent for what is in no file, such as small integers in a Map."""
    id: Optional[int]
    """Its id. Unit: id."""
    name: str
    """Its name."""
    retained_size: Optional[int]
    """What would be freed with it. Unit: bytes."""
    scope: str
    """The scope that has it."""
    value: str
    """The value as a program would write it, or the name of its class."""


class ClassField(TypedDict):
    """A property of the objects of a class."""

    class_count: int
    """Number of classes that its values have."""
    count: int
    """Number of objects that have it."""
    name: str
    """Its name."""
    value_class: str
    """The class that most of its values have."""


class Instance(TypedDict):
    """An object of a class."""

    class_name: Optional[str]
    """Name of its class; absent for what is in no file, such as small integers in a Map."""
    distance: int
    """Its distance."""
    id: Optional[int]
    """Its id. Unit: id."""
    retained_size: Optional[int]
    """What would be freed with it. Unit: bytes."""
    shallow_size: int
    """What it takes itself. Unit: bytes."""
    value: str
    """The value as a program would write it, or the name of its class."""


ShowAnswer = Union[ObjectShowAnswer, ClassShowAnswer]


class ObjectsFindAnswer(TypedDict):
    """Objects of a heap."""

    caveats: List[Caveat]
    """Why numbers may rest on less than the whole input, or mean less than they seem to."""
    inputs: List[str]
    """The inputs as given, the earliest first."""
    verb: str
    """The verb: `summary`."""
    version: int
    """Version of this form; now 2."""
    of: Literal["objects"]
    """Always `objects`."""
    objects: FoundObjectList
    """The objects, the largest first."""
    shallow_size: int
    """What all of them take themselves. Unit: bytes."""


class StringsFindAnswer(TypedDict):
    """Texts of strings of a heap."""

    caveats: List[Caveat]
    """Why numbers may rest on less than the whole input, or mean less than they seem to."""
    inputs: List[str]
    """The inputs as given, the earliest first."""
    verb: str
    """The verb: `summary`."""
    version: int
    """Version of this form; now 2."""
    of: Literal["strings"]
    """Always `strings`."""
    shallow_size: int
    """What all of the strings take themselves. Unit: bytes."""
    strings: FoundStringList
    """The texts, the largest first. Equal strings are one."""


class FunctionsFindAnswer(TypedDict):
    """Functions of a profile."""

    caveats: List[Caveat]
    """Why numbers may rest on less than the whole input, or mean less than they seem to."""
    inputs: List[str]
    """The inputs as given, the earliest first."""
    verb: str
    """The verb: `summary`."""
    version: int
    """Version of this form; now 2."""
    of: Literal["functions"]
    """Always `functions`."""
    functions: FunctionValueList
    """The functions, those with the largest values first."""
    unit: str
    """What the values are: `us` of time, `bytes`, `samples`, or the unit of a pprof profile."""


class SlicesFindAnswer(TypedDict):
    """Slices of a trace."""

    caveats: List[Caveat]
    """Why numbers may rest on less than the whole input, or mean less than they seem to."""
    inputs: List[str]
    """The inputs as given, the earliest first."""
    verb: str
    """The verb: `summary`."""
    version: int
    """Version of this form; now 2."""
    of: Literal["slices"]
    """Always `slices`."""
    script_calls: NotRequired[Optional[CalledFunctionList]]
    """The functions and scripts that slices call, likewise: by their name or address, in the file and in the source; absent if no slice tells what it calls."""
    slices: SliceTimeList
    """The slices by name and category, those that took most time first."""


class FoundObjectList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[FoundObject]
    """These rows."""
    total: int
    """Number of all rows."""


class FoundStringList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[FoundString]
    """These rows."""
    total: int
    """Number of all rows."""


class FoundObject(TypedDict):
    """An object, and what has it."""

    class_name: Optional[str]
    """Name of its class; absent for what is in no file, such as small integers in a Map."""
    distance: int
    """Its distance."""
    id: Optional[int]
    """Its id. Unit: id."""
    owner: Optional[Target]
    """The nearest object of the program on that path; `null` if there is none."""
    retained_size: Optional[int]
    """What would be freed with it. Unit: bytes."""
    shallow_size: int
    """What it takes itself. Unit: bytes."""
    value: str
    """The value as a program would write it, or the name of its class."""
    way: str
    """The path that keeps it alive; empty if none is known. An element of a collection is written `[]`."""


class FoundString(TypedDict):
    """Strings of one text."""

    count: int
    """Number of strings."""
    id: int
    """The one that retains most, of equal ones the first in the file. Unit: id."""
    is_whole: bool
    """Whether that is all of it. Otherwise strings that begin alike are one only if they are of the same size."""
    owner: Optional[Target]
    """The nearest object of the program on that path; `null` if there is none."""
    retained_size: int
    """What each of them retains, added up. Unit: bytes."""
    shallow_size: int
    """What all of them take themselves. Unit: bytes."""
    string: str
    """The text, as far as the file has it."""
    way: str
    """The path that keeps that one alive; empty if none is known."""


class Target(TypedDict):
    """A node as a value in a program."""

    class_name: Optional[str]
    """Name of its class; absent for what is in no file, such as small integers in a Map."""
    id: Optional[int]
    """Its id. Unit: id."""
    retained_size: Optional[int]
    """What would be freed with it. Unit: bytes."""
    value: str
    """The value as a program would write it, or the name of its class."""


FindAnswer = Union[ObjectsFindAnswer, StringsFindAnswer, FunctionsFindAnswer, SlicesFindAnswer]


class LeaksAnswer(TypedDict):
    """An answer with what is to be known of it."""

    caveats: List[Caveat]
    """Why numbers may rest on less than the whole input, or mean less than they seem to."""
    checks: NotRequired[List[LimitCheck]]
    """The limits, in the order in which they were given; absent if there are none."""
    explained: int
    """Growth of all findings together. Unit: bytes."""
    findings: List[Leak]
    """The places that grow in every step, the worst first; all of them."""
    growth: int
    """Growth of the heap from the first snapshot to the last. Unit: bytes."""
    ignored: int
    """Growth of the places that were ignored. Unit: bytes."""
    ignored_count: int
    """Number of places that grow and were ignored."""
    inputs: List[str]
    """The inputs as given, the earliest first."""
    owners: NotRequired[Optional[OwnerChanges]]
    """What grew by package, script or function, whether in every step or not; absent unless asked for."""
    passed: NotRequired[Optional[bool]]
    """Whether all limits are kept; absent if there are none."""
    snapshots: List[SnapshotSize]
    """The snapshots, in the order of time."""
    suspicions: List[Suspicion]
    """What holds or gathers much in the last snapshot, where there are one or two: of more, growth says more. What the program's own code holds comes first, then that of packages, then that of the engine. None is a finding, and no limit counts them."""
    verb: str
    """The verb: `summary`."""
    version: int
    """Version of this form; now 2."""


class LimitCheck(TypedDict):
    """A limit, and what it was held against."""

    closest: Optional[LimitFinding]
    """What is nearest to the limit, or farthest over it; `null` if it applied to nothing."""
    file: Optional[str]
    """The budget that it stands in; `null` if it is no budget's."""
    findings: List[LimitFinding]
    """What exceeds the limit, most first. If nothing does, and it is for a single name, that one."""
    limit: str
    """The limit in words: `+5% and +64 KiB`."""
    line: Optional[int]
    """Its line there, from 1."""
    matched: int
    """Number of names that it applied to."""
    name: str
    """The names that it applies to, in which `*` stands for anything; empty for the whole input."""
    outcome: Literal["passed", "exceeded", "skipped"]
    """Whether it is kept."""
    quantity: str
    """What is limited: `count`, `size` and others."""
    rule: str
    """The limit as an expression: `class[Session].count > 100`."""
    scope: str
    """What it is about: `total`, `class`, `leak`, `function` and others."""
    unit: str
    """The unit of the numbers: `count`, `bytes`, `us`, `ns`, `percent`, or `number` without one."""


class Leak(TypedDict):
    """A place that grows in every step."""

    added: Optional[int]
    """Number of objects in the last snapshot less that in the first."""
    also_held_by: List[str]
    """Owners that hold most of the same objects, too: all of them must let go."""
    confidence: Literal["high", "medium", "low"]
    """How sure it is: `low` of two snapshots, `medium` if growth is uneven, or it is not known what stays or who holds it, else `high`."""
    container: Container
    """What the objects are in; of several the one that holds most."""
    content: Optional[LeakContent]
    """What is in the objects, if these are containers themselves."""
    counts: Optional[List[int]]
    """Number of objects in each snapshot; `null` where bytes grow."""
    cure: Optional[Cure]
    """What usually frees what leaks, by what holds it; `null` where the structure does not tell."""
    even_percent: float
    """The least step as a share of the greatest: 100 is even growth. Unit: percent."""
    groups: List[LeakGroup]
    """The places that grow, one for each class and way."""
    grows_with: List[str]
    """Other fields of the same object, of numbers or strings, that grow with it; their bytes are included."""
    growth: int
    """Growth from the first snapshot to the last, with all that the objects hold and the room of their container. Unit: bytes."""
    growth_each: Optional[int]
    """Growth divided by the number of objects that were added. Unit: bytes."""
    held_at: Optional[SourceLocation]
    """The code of who holds them, where that is another place."""
    kept_percent: Optional[float]
    """Survivors of the first snapshot: the share of its objects that the last one has; `null` if that is not known. Unit: percent."""
    kind: Literal["count", "references", "bytes", "moving", "unheld"]
    """What grows: objects (`count`), references to objects that were there already (`references`), an object or its storage (`bytes`), objects that move between several places (`moving`), or objects that nothing is shown to hold, so that the owner is a guess (`unheld`)."""
    leaked: Optional[str]
    """Class of the objects, or function as `name()`; of several classes that of most. Records are told by their properties, `?` behind those that not all are known to have. `null` where no objects are counted."""
    leaked_percent: Optional[float]
    """How many of the objects that were added are of that class; `null` if all are. Unit: percent."""
    made_at: Optional[SourceLocation]
    """Where the objects are made: the constructor of their class, the function, or the first function that sees the variable. A place of the program comes before one in a package."""
    owner: str
    """Who holds it: `Class.field`, a variable or a global."""
    path: List[HoldingStep]
    """What holds the container, what holds that, and so on up to the root."""
    steps: List[int]
    """Growth in each step, in bytes, without the room of the container, which grows in leaps."""
    stored_by: Optional[SourceLocation]
    """Where a package makes them, if `made_at` is a part of it that says more: the program's callback in a package's listener, or the function that a task of a package is to run."""
    text: str
    """The finding in one paragraph: what grows, who holds it, where it is made, what usually frees it."""
    way: str
    """The way to the owner from a variable, the global object or a function: `variable shop.store.sessions of leak.js`."""


class OwnerChanges(TypedDict):
    """What belongs to each package, script or function, and how it changed from the first to the last snapshot."""

    by: Literal["package", "script", "function"]
    """What it is put together by."""
    owners: OwnerChangeList
    """The owners by growth of what they take themselves, the largest first."""


class SnapshotSize(TypedDict):
    """The size of a snapshot."""

    name: str
    """Its name as given; of a directory with several documents with its number."""
    node_count: int
    """Number of nodes."""
    node_count_delta: int
    """Change of this number since the first snapshot."""
    rss: NotRequired[Optional[int]]
    """Resident memory of its process right before; absent if it is not stored with it. Unit: bytes."""
    size: int
    """Shallow size of all nodes. Unit: bytes."""
    size_delta: int
    """Change of the size since the first snapshot. Unit: bytes."""


class Suspicion(TypedDict):
    """What holds or gathers much in one snapshot: a place to look at. Whether it grows, nobody knows."""

    count: Optional[int]
    """Number of entries, listeners or timers; `null` of what holds much."""
    id: Optional[int]
    """The id of who holds them. Unit: id."""
    kind: Literal["holder", "collection", "listeners", "timers"]
    """What is suspicious."""
    name: str
    """What it is called: the object, the class of the collection, the event of the listeners, or the class of all listeners or timers."""
    package: Optional[str]
    """What the code belongs to that holds it: `(own scripts)`, a package, `node:` of the runtime; `null` if it is not known, or of global variables, which any script can have made."""
    retained: Optional[int]
    """What it holds with all that is below it; `null` for all objects of a class. Unit: bytes."""
    text: str
    """The suspicion in one sentence."""
    way: Optional[str]
    """The way from the root to who holds them; `null` for all objects of a class."""


_LimitFinding = TypedDict("_LimitFinding", {"with": "List[str]"})


class LimitFinding(_LimitFinding):
    """A number that was held against a limit."""

    actual: Optional[float]
    """The number."""
    base: Optional[float]
    """The number that growth is measured from; `null` without one."""
    input: NotRequired[Optional[str]]
    """The input that it is of, where each of several is checked; absent otherwise."""
    least: Optional[float]
    """The least of several runs, of which `actual` is the median."""
    most: Optional[float]
    """The greatest of several runs."""
    name: str
    """Whose number it is; empty for the whole input."""
    room: Optional[float]
    """How much more there may be; negative if the limit is exceeded."""


class Container(TypedDict):
    """What leaked objects are in."""

    class_name: str
    """Its class; empty where it has no name of its own."""
    count: int
    """Number of containers of this place."""
    id: Optional[int]
    """Its id in the last snapshot. Unit: id."""


class LeakContent(TypedDict):
    """What is in leaked objects that are containers."""

    class_name: str
    """Class, or function as `name()`."""
    counts: List[int]
    """Number of objects in each snapshot."""


class Cure(TypedDict):
    """What usually frees what leaks: a guess from what holds it, as nobody has read the program."""

    kind: Literal["remove_listener", "clear_timer", "settle_promise", "unregister", "add_once", "bound_size", "release_key", "bound_cache", "delete_entry", "delete_property", "take_out", "unlink", "wrap_once"]
    """What kind of edit it is."""
    text: str
    """The edit, in words."""


class LeakGroup(TypedDict):
    """A place that grows."""

    class_name: str
    """Class of what is there."""
    counts: List[int]
    """Number of objects in each snapshot."""
    label: str
    """What leads to it: a name, `[]` for an element of a collection, `~` for what several hold."""
    sizes: List[int]
    """Their size in each snapshot in bytes, with all that they hold."""


class SourceLocation(TypedDict):
    """A place in the source of a program."""

    column: int
    """Its column, from 1."""
    line: int
    """Its line, from 1."""
    original: NotRequired[Optional[Original]]
    """What a source map tells of the place."""
    package: Optional[str]
    """The installed package that the script, or with a source map its source, belongs to; `null` for the program's own."""
    place: str
    """The place in short, `leak.js:13`: file and line, in a package with the path from the package's name on; with a source map that of the source, then in brackets that of the script."""
    script_name: str
    """Path or address of the script."""
    what: str
    """What stands there: the name of a class or function, or `seen by` a function."""


class HoldingStep(TypedDict):
    """A reference on the way up, and the object that has it."""

    class_name: str
    """Class of the object that has the reference; `scope` for the variables of a function."""
    edge: str
    """Name of the property or variable; of an element its index in brackets."""
    edge_type: str
    """Type of the edge: `property`, `element`, `context`, `internal` and others."""
    id: Optional[int]
    """Its id. Unit: id."""
    is_storage: bool
    """Whether it is mere storage of the object above it."""


class OwnerChangeList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[OwnerChange]
    """These rows."""
    total: int
    """Number of all rows."""


class OwnerChange(TypedDict):
    """How what belongs to an owner changed."""

    base_size: int
    """What they took themselves in the first snapshot. Unit: bytes."""
    count_delta: int
    """Change of the number of its objects. Unit: count."""
    owner: Owner
    """The owner."""
    retained_delta: Optional[int]
    """Change of what they retain; absent where it is not known of one of the snapshots. Unit: bytes."""
    retained_size: Optional[int]
    """What would be freed if all of its objects went; absent of what is no code, and of owners after the first 4,096 of a snapshot. Unit: bytes."""
    size: int
    """What they take themselves in the last. Unit: bytes."""
    size_delta: int
    """Change of this size. The changes of all owners add up to that of the heap. Unit: bytes."""


class HeapDiffAnswer(TypedDict):
    """Heaps."""

    caveats: List[Caveat]
    """Why numbers may rest on less than the whole input, or mean less than they seem to."""
    checks: NotRequired[List[LimitCheck]]
    """The limits, in the order in which they were given; absent if there are none."""
    figures: NotRequired[List[Figure]]
    """Figures of the last input, and those that limits are about; absent unless they are asked for."""
    inputs: List[str]
    """The inputs as given, the earliest first."""
    passed: NotRequired[Optional[bool]]
    """Whether all limits are kept; absent if there are none."""
    verb: str
    """The verb: `summary`."""
    version: int
    """Version of this form; now 2."""
    kind: Literal["heap"]
    """Always `heap`."""
    classes: ClassChangeList
    """Classes with added or removed instances, by growth of what they retain; those of the engine come last, unless they are to be listed among the others."""
    engine: NotRequired[Optional[EngineClasses]]
    """What the engine's own classes come to; absent if there are none, or they are listed among the others."""
    findings: NotRequired[Optional[List[Leak]]]
    """The places that grow in every step, the worst first, as `leaks` finds them; absent of two snapshots."""
    objects: ObjectGrowthList
    """The first objects by growth of what they retain, each after what holds it alone."""
    owners: NotRequired[Optional[OwnerChanges]]
    """What belongs to each package, script or function; absent unless asked for."""
    snapshots: List[SnapshotSize]
    """The snapshots, in the order of time."""
    suspects: GrowingClassList
    """Classes with more instances in each snapshot than in the one before, by growth of what they retain; none of two snapshots."""


class ProfileDiffAnswer(TypedDict):
    """Profiles."""

    caveats: List[Caveat]
    """Why numbers may rest on less than the whole input, or mean less than they seem to."""
    checks: NotRequired[List[LimitCheck]]
    """The limits, in the order in which they were given; absent if there are none."""
    figures: NotRequired[List[Figure]]
    """Figures of the last input, and those that limits are about; absent unless they are asked for."""
    inputs: List[str]
    """The inputs as given, the earliest first."""
    passed: NotRequired[Optional[bool]]
    """Whether all limits are kept; absent if there are none."""
    verb: str
    """The verb: `summary`."""
    version: int
    """Version of this form; now 2."""
    kind: Literal["profile"]
    """Always `profile`."""
    changed_count: int
    """Number of functions whose own value changed beyond noise."""
    functions: FunctionChangeList
    """Functions that differ, by growth of their own values; of several runs first those that changed beyond noise."""
    functions_by_total: FunctionChangeList
    """The first functions that grew, by growth of total value."""
    owners: NotRequired[Optional[ValuesByOwner]]
    """What differs by package or script, if that is asked for."""
    profiles: List[ComparedProfile]
    """The profiles, in the order given."""
    unit: str
    """What the values are: `us` of time, `bytes`, `samples`, or the unit of a pprof profile."""


class TraceDiffAnswer(TypedDict):
    """Traces."""

    caveats: List[Caveat]
    """Why numbers may rest on less than the whole input, or mean less than they seem to."""
    checks: NotRequired[List[LimitCheck]]
    """The limits, in the order in which they were given; absent if there are none."""
    figures: NotRequired[List[Figure]]
    """Figures of the last input, and those that limits are about; absent unless they are asked for."""
    inputs: List[str]
    """The inputs as given, the earliest first."""
    passed: NotRequired[Optional[bool]]
    """Whether all limits are kept; absent if there are none."""
    verb: str
    """The verb: `summary`."""
    version: int
    """Version of this form; now 2."""
    kind: Literal["trace"]
    """Always `trace`."""
    counters: NotRequired[Optional[CounterChangeList]]
    """Counters."""
    cpu_profiles: NotRequired[Optional[ProfileDiff]]
    """Functions of the CPU profiles in the traces, and their packages or scripts, if that is asked for and each trace on a side has one."""
    frames: NotRequired[Optional[FrameChangeList]]
    """Frames."""
    gpus: NotRequired[Optional[GpuChangeList]]
    """Streams of GPUs; `all streams` is a device as a whole."""
    main_threads: NotRequired[Optional[MainThreadChangeList]]
    """Main threads that were blocked."""
    operations: NotRequired[Optional[OperationChangeList]]
    """Asynchronous operations."""
    scheduled_threads: NotRequired[Optional[ScheduledThreadChangeList]]
    """Threads by their time on CPUs."""
    slices: NotRequired[Optional[SliceChangeList]]
    """Slices of threads."""
    threads: NotRequired[Optional[ThreadChangeList]]
    """Threads by their slices."""
    traces: List[ComparedTrace]
    """The traces, in the order given."""


class Figure(TypedDict):
    """A figure of an input."""

    least: Optional[float]
    """The least of several runs."""
    most: Optional[float]
    """The greatest of several runs."""
    name: str
    """Whose number it is; empty for the whole input."""
    quantity: str
    """What is measured: `count`, `size` and others."""
    scope: str
    """What it is about: `total`, `class`, `function` and others."""
    unit: str
    """The unit of the numbers: `count`, `bytes`, `us`, `ns`, `percent`, or `number` without one."""
    value: Optional[float]
    """The number; of several runs the median."""


class ClassChangeList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[ClassChange]
    """These rows."""
    total: int
    """Number of all rows."""


class EngineClasses(TypedDict):
    """What the engine's own classes come to."""

    class_count: int
    """Number of classes."""
    count_delta: int
    """Change of the number of their instances. Unit: count."""
    largest_retained_delta: int
    """The largest growth of what one of the classes retains; their sum would count much twice. Unit: bytes."""
    size_delta: int
    """Change of what these take themselves. Unit: bytes."""


class ObjectGrowthList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[ObjectGrowth]
    """These rows."""
    total: int
    """Number of all rows."""


class GrowingClassList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[GrowingClass]
    """These rows."""
    total: int
    """Number of all rows."""


class FunctionChangeList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[FunctionChange]
    """These rows."""
    total: int
    """Number of all rows."""


class ValuesByOwner(TypedDict):
    """What differs by package or script. Each own value belongs to exactly one."""

    by: Literal["package", "script", "function"]
    """What the values are put together by."""
    owners: OwnerValueChangeList
    """Those that differ, by growth of their functions' own values."""


class ComparedProfile(TypedDict):
    """A profile that was compared, with its changes since the first."""

    busy_value: NotRequired[Optional[int]]
    """The part of it in which something ran; absent if profiles of this kind do not tell."""
    busy_value_delta: NotRequired[Optional[int]]
    """Change of this part."""
    function_count: int
    """Number of functions."""
    name: str
    """Its name as given."""
    sample_count: int
    """Number of samples."""
    side: Optional[Literal["before", "after"]]
    """On which side it is; `null` between the first and the last."""
    value: int
    """Sum of all values, in the unit of the profiles."""
    value_delta: int
    """Change of the sum."""


class CounterChangeList(TypedDict):
    """Subjects of a list: first those that changed, those that grew most before others."""

    changed_count: int
    """Number of those that changed."""
    rows: List[CounterChange]
    """These subjects."""
    total: int
    """Number of all subjects."""


class ProfileDiff(TypedDict):
    """What differs between the first and the last of some profiles of one kind, or between several runs before and after a change, whose values are medians."""

    changed_count: int
    """Number of functions whose own value changed beyond noise."""
    functions: FunctionChangeList
    """Functions that differ, by growth of their own values; of several runs first those that changed beyond noise."""
    functions_by_total: FunctionChangeList
    """The first functions that grew, by growth of total value."""
    owners: NotRequired[Optional[ValuesByOwner]]
    """What differs by package or script, if that is asked for."""
    profiles: List[ComparedProfile]
    """The profiles, in the order given."""
    unit: str
    """What the values are: `us` of time, `bytes`, `samples`, or the unit of a pprof profile."""


class FrameChangeList(TypedDict):
    """Subjects of a list: first those that changed, those that grew most before others."""

    changed_count: int
    """Number of those that changed."""
    rows: List[FrameChange]
    """These subjects."""
    total: int
    """Number of all subjects."""


class GpuChangeList(TypedDict):
    """Subjects of a list: first those that changed, those that grew most before others."""

    changed_count: int
    """Number of those that changed."""
    rows: List[GpuChange]
    """These subjects."""
    total: int
    """Number of all subjects."""


class MainThreadChangeList(TypedDict):
    """Subjects of a list: first those that changed, those that grew most before others."""

    changed_count: int
    """Number of those that changed."""
    rows: List[MainThreadChange]
    """These subjects."""
    total: int
    """Number of all subjects."""


class OperationChangeList(TypedDict):
    """Subjects of a list: first those that changed, those that grew most before others."""

    changed_count: int
    """Number of those that changed."""
    rows: List[OperationChange]
    """These subjects."""
    total: int
    """Number of all subjects."""


class ScheduledThreadChangeList(TypedDict):
    """Subjects of a list: first those that changed, those that grew most before others."""

    changed_count: int
    """Number of those that changed."""
    rows: List[ScheduledThreadChange]
    """These subjects."""
    total: int
    """Number of all subjects."""


class SliceChangeList(TypedDict):
    """Subjects of a list: first those that changed, those that grew most before others."""

    changed_count: int
    """Number of those that changed."""
    rows: List[SliceChange]
    """These subjects."""
    total: int
    """Number of all subjects."""


class ThreadChangeList(TypedDict):
    """Subjects of a list: first those that changed, those that grew most before others."""

    changed_count: int
    """Number of those that changed."""
    rows: List[ThreadChange]
    """These subjects."""
    total: int
    """Number of all subjects."""


class ComparedTrace(TypedDict):
    """A trace that was compared, or that lies between."""

    blocking_ns: int
    """Total blocking time of these: what each lasts beyond 50 ms. Unit: ns."""
    dropped_count: int
    """Number of dropped frames."""
    duration_ns: int
    """From the start of the first event to the end of the last. Unit: ns."""
    event_count: int
    """Number of events."""
    long_task_count: int
    """Number of outermost slices of main threads that last 50 ms or more."""
    name: str
    """Its name as given."""
    side: Optional[Literal["before", "after"]]
    """On which side it is; `null` between the first and the last."""
    slice_count: int
    """Number of slices of threads."""


class ClassChange(TypedDict):
    """A class with added or removed instances."""

    added_count: int
    """Number of instances that only the last snapshot has."""
    added_size: int
    """What the added instances take themselves. Unit: bytes."""
    base_retained_size: int
    """What all instances of the first snapshot retained together. Unit: bytes."""
    class_key: str
    """Its key: classes of one name differ in it."""
    class_name: str
    """Its name."""
    count_delta: int
    """Added less removed instances. Unit: count."""
    is_engine: bool
    """Whether it is the engine's own: its instances are no objects of the program, but come and go with its code."""
    original: NotRequired[Optional[Original]]
    """What a source map tells of the class."""
    removed_count: int
    """Number of instances that only the first has."""
    removed_size: int
    """What the removed instances took themselves. Unit: bytes."""
    retained_delta: int
    """Change of what they retain. Unit: bytes."""
    retained_size: int
    """What all instances of the last retain together. Unit: bytes."""
    size_delta: int
    """Size of added less removed instances. Unit: bytes."""


class ObjectGrowth(TypedDict):
    """An object that retains more than in the first snapshot."""

    base_retained_size: Optional[int]
    """What it retained in the first snapshot; absent if it is new. Unit: bytes."""
    class_name: str
    """Name of its class."""
    depth: int
    """How many of these objects hold it alone: each one that does comes before it."""
    id: int
    """Its id. Unit: id."""
    name: str
    """Its name; of functions with the place where they are defined."""
    retained_delta: int
    """By how much this grew. Unit: bytes."""
    retained_size: int
    """What it retains. Unit: bytes."""


class GrowingClass(TypedDict):
    """A class that grows from each snapshot to the next."""

    class_key: str
    """Its key: classes of one name differ in it."""
    class_name: str
    """Its name."""
    count_delta: int
    """Change of this number from the first to the last. Unit: count."""
    counts: List[int]
    """Number of instances in each snapshot."""
    original: NotRequired[Optional[Original]]
    """What a source map tells of the class."""
    retained_delta: int
    """Change of what they retain together. Unit: bytes."""
    size_delta: int
    """Change of what they take themselves. Unit: bytes."""


class FunctionChange(TypedDict):
    """A function that differs. Shares are of the value that is not idle, and absent of idle functions and where all was idle."""

    base_self_percent: Optional[float]
    """Share of its own value in the first profile. Unit: percent."""
    base_self_value: int
    """Its own value in the first profile, without what it calls."""
    base_total_percent: Optional[float]
    """Share of its total value in the first profile. Unit: percent."""
    base_total_value: int
    """Its value in the first profile, with all that it calls."""
    change: Literal["more", "less", "new", "gone", "same"]
    """What its own value did beyond noise."""
    function_name: str
    """Its name; `(anonymous)` if it has none."""
    line: Optional[int]
    """Its line there in the last profile, from 1, or else in the first; absent if it has several."""
    p_value: Optional[float]
    """Of several runs: the probability that chance alone separates its own values like this, by a rank test."""
    place: Optional[str]
    """Its place, short: the last two parts of the script's address, and the line."""
    runs_after: NotRequired[List[int]]
    """Its own values in the runs after; absent unless a side has several."""
    runs_before: NotRequired[List[int]]
    """Its own values in the runs before; absent unless a side has several."""
    self_percent: Optional[float]
    """Share of its own value in the last profile. Unit: percent."""
    self_percent_delta: Optional[float]
    """Change of this share. Unit: percentage points."""
    self_value: int
    """Its own value in the last profile."""
    self_value_delta: int
    """Change of its own value."""
    total_percent: Optional[float]
    """Share of its total value in the last profile. Unit: percent."""
    total_percent_delta: Optional[float]
    """Change of this share. Unit: percentage points."""
    total_value: int
    """Its value in the last profile, with all that it calls."""
    total_value_delta: int
    """Change of its total value."""
    url: str
    """The address of its script, with a source map that of its source; empty for the engine and native code."""


class OwnerValueChangeList(TypedDict):
    """Some rows of a list, the most important first, and how many there are in all."""

    offset: NotRequired[int]
    """Number of rows before these; absent if they are the first."""
    rows: List[OwnerValueChange]
    """These rows."""
    total: int
    """Number of all rows."""


class CounterChange(TypedDict):
    """A series of a counter."""

    after: Optional[float]
    """This figure after."""
    before: Optional[float]
    """This figure before; of several runs the median. Its unit is that of the figure."""
    change: Literal["more", "less", "new", "gone", "same"]
    """What happened to it."""
    changed: str
    """The figure that changed, as `figures` calls it; of a subject that did not, the first that could."""
    counter_name: Optional[str]
    """Name of the counter."""
    delta: Optional[float]
    """Its change."""
    delta_percent: Optional[float]
    """Its change as a share of the value before; `null` from 0. Unit: percent."""
    figures: CounterFigures
    """All its figures."""
    p_value: Optional[float]
    """Of several runs: the probability that chance alone separates them like this, by a rank test."""
    process_name: Optional[str]
    """What its process is in each run."""
    runs_after: List[float]
    """Its values in the runs after."""
    runs_before: List[float]
    """Its values in the runs before."""
    series: Optional[str]
    """Name of the series."""


class FrameChange(TypedDict):
    """Frames of a process."""

    after: Optional[float]
    """This figure after."""
    before: Optional[float]
    """This figure before; of several runs the median. Its unit is that of the figure."""
    change: Literal["more", "less", "new", "gone", "same"]
    """What happened to it."""
    changed: str
    """The figure that changed, as `figures` calls it; of a subject that did not, the first that could."""
    delta: Optional[float]
    """Its change."""
    delta_percent: Optional[float]
    """Its change as a share of the value before; `null` from 0. Unit: percent."""
    figures: FrameFigures
    """All its figures."""
    name: Optional[str]
    """What the frames are."""
    p_value: Optional[float]
    """Of several runs: the probability that chance alone separates them like this, by a rank test."""
    process_name: Optional[str]
    """What the process is in each run."""
    runs_after: List[float]
    """Its values in the runs after."""
    runs_before: List[float]
    """Its values in the runs before."""


class GpuChange(TypedDict):
    """A stream of a GPU."""

    after: Optional[float]
    """This figure after."""
    before: Optional[float]
    """This figure before; of several runs the median. Its unit is that of the figure."""
    change: Literal["more", "less", "new", "gone", "same"]
    """What happened to it."""
    changed: str
    """The figure that changed, as `figures` calls it; of a subject that did not, the first that could."""
    delta: Optional[float]
    """Its change."""
    delta_percent: Optional[float]
    """Its change as a share of the value before; `null` from 0. Unit: percent."""
    figures: GpuFigures
    """All its figures."""
    p_value: Optional[float]
    """Of several runs: the probability that chance alone separates them like this, by a rank test."""
    process_name: Optional[str]
    """Its device."""
    runs_after: List[float]
    """Its values in the runs after."""
    runs_before: List[float]
    """Its values in the runs before."""
    thread_name: Optional[str]
    """Its name."""


class MainThreadChange(TypedDict):
    """A main thread that was blocked."""

    after: Optional[float]
    """This figure after."""
    before: Optional[float]
    """This figure before; of several runs the median. Its unit is that of the figure."""
    change: Literal["more", "less", "new", "gone", "same"]
    """What happened to it."""
    changed: str
    """The figure that changed, as `figures` calls it; of a subject that did not, the first that could."""
    delta: Optional[float]
    """Its change."""
    delta_percent: Optional[float]
    """Its change as a share of the value before; `null` from 0. Unit: percent."""
    figures: MainThreadFigures
    """All its figures."""
    p_value: Optional[float]
    """Of several runs: the probability that chance alone separates them like this, by a rank test."""
    process_name: Optional[str]
    """What its process is in each run."""
    runs_after: List[float]
    """Its values in the runs after."""
    runs_before: List[float]
    """Its values in the runs before."""
    thread_name: Optional[str]
    """What it is in each run."""


class OperationChange(TypedDict):
    """Operations of one name and category."""

    after: Optional[float]
    """This figure after."""
    before: Optional[float]
    """This figure before; of several runs the median. Its unit is that of the figure."""
    category: Optional[str]
    """Their category."""
    change: Literal["more", "less", "new", "gone", "same"]
    """What happened to it."""
    changed: str
    """The figure that changed, as `figures` calls it; of a subject that did not, the first that could."""
    delta: Optional[float]
    """Its change."""
    delta_percent: Optional[float]
    """Its change as a share of the value before; `null` from 0. Unit: percent."""
    figures: OperationFigures
    """All its figures."""
    name: Optional[str]
    """Their name, without what differs between runs."""
    p_value: Optional[float]
    """Of several runs: the probability that chance alone separates them like this, by a rank test."""
    runs_after: List[float]
    """Its values in the runs after."""
    runs_before: List[float]
    """Its values in the runs before."""


class ScheduledThreadChange(TypedDict):
    """A thread that the scheduler ran."""

    after: Optional[float]
    """This figure after."""
    before: Optional[float]
    """This figure before; of several runs the median. Its unit is that of the figure."""
    change: Literal["more", "less", "new", "gone", "same"]
    """What happened to it."""
    changed: str
    """The figure that changed, as `figures` calls it; of a subject that did not, the first that could."""
    delta: Optional[float]
    """Its change."""
    delta_percent: Optional[float]
    """Its change as a share of the value before; `null` from 0. Unit: percent."""
    figures: ScheduleFigures
    """All its figures."""
    p_value: Optional[float]
    """Of several runs: the probability that chance alone separates them like this, by a rank test."""
    process_name: Optional[str]
    """What its process is in each run."""
    runs_after: List[float]
    """Its values in the runs after."""
    runs_before: List[float]
    """Its values in the runs before."""
    thread_name: Optional[str]
    """What it is in each run."""


class SliceChange(TypedDict):
    """Slices of one name and category."""

    after: Optional[float]
    """This figure after."""
    before: Optional[float]
    """This figure before; of several runs the median. Its unit is that of the figure."""
    category: Optional[str]
    """Their category."""
    change: Literal["more", "less", "new", "gone", "same"]
    """What happened to it."""
    changed: str
    """The figure that changed, as `figures` calls it; of a subject that did not, the first that could."""
    delta: Optional[float]
    """Its change."""
    delta_percent: Optional[float]
    """Its change as a share of the value before; `null` from 0. Unit: percent."""
    figures: SliceFigures
    """All its figures."""
    name: Optional[str]
    """Their name, without what differs between runs."""
    p_value: Optional[float]
    """Of several runs: the probability that chance alone separates them like this, by a rank test."""
    runs_after: List[float]
    """Its values in the runs after."""
    runs_before: List[float]
    """Its values in the runs before."""


class ThreadChange(TypedDict):
    """A thread."""

    after: Optional[float]
    """This figure after."""
    before: Optional[float]
    """This figure before; of several runs the median. Its unit is that of the figure."""
    change: Literal["more", "less", "new", "gone", "same"]
    """What happened to it."""
    changed: str
    """The figure that changed, as `figures` calls it; of a subject that did not, the first that could."""
    delta: Optional[float]
    """Its change."""
    delta_percent: Optional[float]
    """Its change as a share of the value before; `null` from 0. Unit: percent."""
    figures: ThreadFigures
    """All its figures."""
    p_value: Optional[float]
    """Of several runs: the probability that chance alone separates them like this, by a rank test."""
    process_name: Optional[str]
    """What its process is in each run."""
    runs_after: List[float]
    """Its values in the runs after."""
    runs_before: List[float]
    """Its values in the runs before."""
    thread_name: Optional[str]
    """What it is in each run."""


class OwnerValueChange(TypedDict):
    """A package or script that differs; of several runs medians. Shares are of the value that is not idle, and absent if there is none."""

    base_self_percent: Optional[float]
    """Share of the own values before. Unit: percent."""
    base_self_value: int
    """The own values of its functions before."""
    base_total_value: int
    """The values of its functions before, with all that they call."""
    name: str
    """Name of the package, or address of the script, with a source map that of a source; `(native)` stands for functions without a script."""
    self_percent: Optional[float]
    """Share of the own values after. Unit: percent."""
    self_percent_delta: Optional[float]
    """Change of this share. Unit: percentage points."""
    self_value: int
    """The own values of its functions after."""
    self_value_delta: int
    """Change of this value."""
    total_value: int
    """The values of its functions after, with all that they call."""
    total_value_delta: int
    """Change of this value."""


class CounterFigures(TypedDict):
    """Figures of a counter."""

    count: CountFigureChange
    """values"""
    max: AnyNumberFigureChange
    """greatest value"""
    mean: AnyNumberFigureChange
    """mean of the values"""
    min: AnyNumberFigureChange
    """least value"""


class FrameFigures(TypedDict):
    """Figures of frames."""

    count: CountFigureChange
    """frames that were drawn"""
    dropped_count: CountFigureChange
    """frames that were not drawn in time"""
    janky_count: CountFigureChange
    """frames that took longer than others, as docs/commands.md says"""
    longest_ns: NanosFigureChange
    """longest time"""
    p50_ns: NanosFigureChange
    """median of their times"""
    p95_ns: NanosFigureChange
    """time that 95 % of them do not exceed"""


class GpuFigures(TypedDict):
    """Figures of a stream of a GPU."""

    busy_ns: NanosFigureChange
    """time in any of them"""
    count: CountFigureChange
    """kernels and copies"""
    gap_count: CountFigureChange
    """how many gaps"""
    gap_p95_ns: NanosFigureChange
    """gap that 95 % of them do not exceed"""
    idle_ns: NanosFigureChange
    """gaps between the first and the last of them"""
    longest_gap_ns: NanosFigureChange
    """longest gap"""


class MainThreadFigures(TypedDict):
    """Figures of a main thread."""

    blocking_ns: NanosFigureChange
    """total blocking time of these: what each lasts beyond 50 ms"""
    long_task_count: CountFigureChange
    """outermost slices of 50 ms or more"""
    longest_ns: NanosFigureChange
    """longest outermost slice"""


class OperationFigures(TypedDict):
    """Figures of asynchronous operations."""

    count: CountFigureChange
    """asynchronous operations"""
    longest_ns: NanosFigureChange
    """longest duration"""
    p50_ns: NanosFigureChange
    """median of the durations"""
    p95_ns: NanosFigureChange
    """duration that 95 % of them do not exceed"""
    total_time_ns: NanosFigureChange
    """sum of their durations"""


class ScheduleFigures(TypedDict):
    """Figures of a thread on CPUs."""

    blocked_ns: NanosFigureChange
    """time in an uninterruptible wait"""
    ready_ns: NanosFigureChange
    """time without a CPU, although it could run"""
    run_count: CountFigureChange
    """times that it ran"""
    running_ns: NanosFigureChange
    """time on a CPU"""
    sleeping_ns: NanosFigureChange
    """time in any other wait"""


class SliceFigures(TypedDict):
    """Figures of slices."""

    count: CountFigureChange
    """slices"""
    longest_ns: NanosFigureChange
    """longest duration"""
    p50_ns: NanosFigureChange
    """median of the durations"""
    p95_ns: NanosFigureChange
    """duration that 95 % of them do not exceed"""
    self_time_ns: NanosFigureChange
    """time that no nested slice covers"""
    total_time_ns: NanosFigureChange
    """time with nested slices; those of the same name count once"""


class ThreadFigures(TypedDict):
    """Figures of a thread."""

    blocking_ns: NanosFigureChange
    """total blocking time of these: what each lasts beyond 50 ms"""
    long_task_count: CountFigureChange
    """outermost slices of 50 ms or more"""
    longest_ns: NanosFigureChange
    """longest outermost slice"""
    p95_ns: NanosFigureChange
    """duration that 95 % of the outermost slices do not exceed"""
    self_time_ns: NanosFigureChange
    """time in any slice"""
    task_count: CountFigureChange
    """outermost slices"""


class CountFigureChange(TypedDict):
    """A figure before and after; of several runs the medians. `null`: there was nothing to measure."""

    after: Optional[int]
    """After. Unit: count."""
    before: Optional[int]
    """Before. Unit: count."""
    delta: Optional[int]
    """The change. Unit: count."""


class AnyNumberFigureChange(TypedDict):
    """A figure before and after; of several runs the medians. `null`: there was nothing to measure."""

    after: Optional[float]
    """After."""
    before: Optional[float]
    """Before."""
    delta: Optional[float]
    """The change."""


class NanosFigureChange(TypedDict):
    """A figure before and after; of several runs the medians. `null`: there was nothing to measure."""

    after: Optional[int]
    """After. Unit: ns."""
    before: Optional[int]
    """Before. Unit: ns."""
    delta: Optional[int]
    """The change. Unit: ns."""


DiffAnswer = Union[HeapDiffAnswer, ProfileDiffAnswer, TraceDiffAnswer]


class CheckAnswer(TypedDict):
    """An answer with what is to be known of it."""

    baseline: NotRequired[Optional[str]]
    """The input, or the file of figures, that growth is measured from; absent without one."""
    caveats: List[Caveat]
    """Why numbers may rest on less than the whole input, or mean less than they seem to."""
    checks: NotRequired[List[LimitCheck]]
    """The limits, in the order in which they were given; absent if there are none."""
    figures: List[Figure]
    """Figures of the whole input, then those that limits are about."""
    inputs: List[str]
    """The inputs as given, the earliest first."""
    kind: str
    """What the inputs are: `heap`, `cpu_profile`, `heap_profile`, `self_profile`, `profile`, `trace` or `process`."""
    passed: NotRequired[Optional[bool]]
    """Whether all limits are kept; absent if there are none."""
    unknown: List[UnknownQuantity]
    """What is not known of the inputs."""
    verb: str
    """The verb: `summary`."""
    version: int
    """Version of this form; now 2."""


class UnknownQuantity(TypedDict):
    """A quantity of inputs of this kind that is not known of this one. A limit on it is an error."""

    quantity: str
    """What would be measured."""
    scope: str
    """What it would be about."""
    why: str
    """Why it is not known."""


class WatchAnswer(TypedDict):
    """An answer with what is to be known of it."""

    advice: List[Advice]
    """What to do next."""
    allocations: Optional[LivingAllocations]
    """Which calls made what lives; `null` if that is not known, and a caveat says why."""
    caveats: List[Caveat]
    """Why numbers may rest on less than the whole input, or mean less than they seem to."""
    collections: Optional[Collections]
    """Collections of garbage; `null` if they are not known."""
    duration: int
    """Time from the first to the last sample. Unit: ns."""
    event_loop: Optional[EventLoop]
    """The event loop; `null` if the process does not tell."""
    group: Optional[GroupMemory]
    """The control group at the end; `null` if there is none."""
    growth: List[PartGrowth]
    """How each part of the memory moved, after the warm-up. Only what lives decides; the others are to compare."""
    inputs: List[str]
    """The inputs as given, the earliest first."""
    live_count: int
    """Number of samples right after a collection that was asked for."""
    longest_answer: Optional[int]
    """The longest that the process took to answer: its own work, or our questions. Unit: ns."""
    memory: List[MemoryKind]
    """Resident memory by what its maps are for, when they were last read. Empty if they could not be read."""
    most_workers: Optional[int]
    """Most workers that ran between two samples; `null` if the process does not tell."""
    sample_count: int
    """Number of samples."""
    verb: str
    """The verb: `summary`."""
    verdict: WatchVerdict
    """What grows, and how sure that is."""
    version: int
    """Version of this form; now 2."""
