//! The memory of a running process, as `heapquarry watch` sees it, and `capture` beside each heap snapshot.

use crate::{Table, declare::table};

/// The tables of a watch, in the order in which they are documented. Conversions write those of a sample, if it is
/// stored with a snapshot.
pub static PROCESS_TABLES: [&Table; 6] = [
    &PROCESS_WATCH,
    &PROCESS_SAMPLE,
    &PROCESS_MAP,
    &HEAP_SPACE_SAMPLE,
    &PROCESS_COLLECTION,
    &PROCESS_ALLOCATION,
];

/// The tables of captures of several isolates.
pub static ISOLATE_TABLES: [&Table; 1] = [&ISOLATE];

table! {
    /// Isolates.
    ISOLATE isolate "One row for each document of `capture --all`: which isolate of the process it is of. Each has a heap of its own." {
        file_id: Int32 Sequence "The document, as in source.";
        isolate_id: Text Text "`main` for the main thread; for a worker its id among the targets of the port, such as `worker-5` in Node.";
        title: Text Text ?null "What it calls itself; NULL if it does not, and if the capture was redacted.";
        url: Text Text ?null "What it runs; NULL if it does not say so, and if the capture was redacted.";
    }
}

table! {
    /// Watches.
    PROCESS_WATCH process_watch "One row for each recording of `heapquarry watch -o DIR`: what is not said at each sample." {
        file_id: Int32 Sequence "Number of the recording, as in source.";
        warm_up_us: Int64 Number in Microseconds "Time before the first figures that count, in microseconds.";
        minor_collection_count: Int64 Number ?null "Collections of young objects; NULL if they are not known.";
        major_collection_count: Int64 Number ?null "Collections of the whole heap; NULL if they are not known.";
        allocations_from_us: Int64 Number ?null in Microseconds "When the process began to note its allocations, in microseconds since the first sample; NULL if process_allocation is not known.";
        allocations_until_us: Int64 Number ?null in Microseconds "When they were read, in microseconds since the first sample.";
        allocation_interval: Int64 Number ?null in Bytes "Bytes from one allocation that was noted to the next, on average.";
    }
}

table! {
    /// Samples of the memory of a process.
    PROCESS_SAMPLE process_sample "Memory of a running process at a time. Written by `heapquarry watch -o DIR`, and of heap snapshots by `capture` and `convert` if it was stored beside them: one row for each, from right before the snapshot. NULL: the process or the system does not say it. Sizes are in bytes." {
        file_id: Int32 Constant "Number of the recording, from 0; of a snapshot its document, as in source.";
        sample_index: Int64 Sequence "Position of the sample in the recording, from 0.";
        sampled_at: Timestamp Number "When, in UTC.";
        elapsed_us: Int64 Ascending in Microseconds "When, in microseconds since the first sample.";
        took_us: Int64 Number in Microseconds "How long the process took to answer, in microseconds.";
        live_by: Label Label ?null "How garbage was removed right before: `measured` (`vm.measureMemory`) or `forced`; then heap_used and external are those of what lives. NULL if it was not.";
        rss: Int64 Number ?null in Bytes "Resident memory of the process, in bytes, as the system says.";
        rss_anon: Int64 Number ?null in Bytes "The anonymous part of it, in bytes.";
        rss_file: Int64 Number ?null in Bytes "Its pages of files, in bytes.";
        rss_shmem: Int64 Number ?null in Bytes "Its shared memory, in bytes.";
        swap: Int64 Number ?null in Bytes "What was swapped out, in bytes.";
        thread_count: Int64 Number ?null "Number of threads.";
        heap_total: Int64 Number ?null in Bytes "Heap of the main isolate with what is free in it, in bytes.";
        heap_used: Int64 Number ?null in Bytes "What lives in that heap, or is not collected yet, in bytes.";
        heap_physical: Int64 Number ?null in Bytes "Its touched pages, in bytes.";
        heap_limit: Int64 Number ?null in Bytes "Most that it may take, in bytes.";
        external_size: Int64 Number ?null in Bytes "Memory outside of the heap that objects own, in bytes.";
        array_buffers: Int64 Number ?null in Bytes "Memory of array buffers, in bytes; a part of it is in external_size, too.";
        malloced: Int64 Number ?null in Bytes "Memory of V8's zones, in bytes.";
        native_context_count: Int64 Number ?null "Native contexts of the main isolate.";
        detached_context_count: Int64 Number ?null "Those that are detached and still live.";
        loop_delay_mean_ns: Int64 Number ?null in Nanoseconds "Mean delay of the event loop since the sample before, in nanoseconds.";
        loop_delay_max_ns: Int64 Number ?null in Nanoseconds "Longest delay of the event loop since the sample before, in nanoseconds.";
        loop_utilization: Float64 Number ?null "Part of the time since the sample before in which the event loop was busy, from 0 to 1.";
        group_used: Int64 Number ?null in Bytes "What the control group takes with its cache of files, in bytes.";
        group_limit: Int64 Number ?null in Bytes "Most that the control group may take, in bytes; NULL without a limit, too.";
        group_cache: Int64 Number ?null in Bytes "Its cache of files, in bytes.";
        group_inactive_file: Int64 Number ?null in Bytes "The part of the cache that gives way first, in bytes.";
        group_oom_kill_count: Int64 Number ?null "How often processes of the group were ended at its limit.";
        malloc_used: Int64 Number ?null in Bytes "What glibc's malloc has given out, without large blocks, in bytes; known where maps were read.";
        malloc_free: Int64 Number ?null in Bytes "What it keeps free, in bytes.";
        malloc_unknown: Int64 Number ?null in Bytes "What could not be followed, in bytes.";
        transferred: Int64 Number ?null in Bytes "Bytes that the process had read from and written to files, pipes and sockets.";
        group_is_root: Int32 Number ?null in Flag "1 if the control group is that of the whole machine, as far as can be told, otherwise 0; NULL without a group.";
        worker_count: Int64 Number ?null "Workers of the process that ran at some time since the sample before; NULL if it does not tell.";
    }
}

table! {
    /// Maps of a process by kind.
    PROCESS_MAP process_map "What the maps of a process are for, at some of its samples; their sum is its resident memory. Written as process_sample is." {
        file_id: Int32 Constant "The recording, as in process_sample.";
        sample_index: Int64 Ascending "The sample, as in process_sample.";
        kind: Label Label "`v8`, `code`, `wasm`, `brk`, `arena` and `mmap` (malloc), `stack`, `file`, `anonymous` (which of these is not known), `reserved`, `other`: docs/process.md.";
        map_count: Int64 Number "Number of maps.";
        size: Int64 Number in Bytes "Their addresses, in bytes.";
        rss: Int64 Number ?null in Bytes "Their resident memory, in bytes.";
        pss: Int64 Number ?null in Bytes "The same in bytes, with a part of each page that several processes share; NULL if it would have stopped the process.";
    }
}

table! {
    /// Spaces of the heap.
    HEAP_SPACE_SAMPLE heap_space_sample "The spaces of the main isolate's heap at each sample. Written as process_sample is." {
        file_id: Int32 Constant "The recording, as in process_sample.";
        sample_index: Int64 Ascending "The sample, as in process_sample.";
        space_name: Label Label "Name of the space, as V8 has it: `old_space`.";
        size: Int64 Number in Bytes "Its size in bytes.";
        used_size: Int64 Number in Bytes "Its used part, in bytes.";
        available_size: Int64 Number in Bytes "Its free part, in bytes.";
        physical_size: Int64 Number in Bytes "Its touched pages, in bytes.";
    }
}

table! {
    /// Major collections.
    PROCESS_COLLECTION process_collection "Major collections of the main isolate. Written by `heapquarry watch -o DIR`." {
        file_id: Int32 Constant "The recording, as in process_sample.";
        elapsed_us: Int64 Ascending in Microseconds "When it ended, in microseconds since the first sample.";
        used_after: Int64 Number in Bytes "Used bytes of the heap right after.";
    }
}

table! {
    /// Calls that allocated what lives.
    PROCESS_ALLOCATION process_allocation "Calls that allocated what lives, as a tree, callers before those that they call: a sampling profile of allocations. Written by `heapquarry watch -o DIR` where reading it does not stop the process for longer than `--max-pause`. Sizes are estimates." {
        file_id: Int32 Constant "The recording, as in process_sample.";
        call_index: Int64 Sequence "Position of the call in the recording, from 0.";
        caller_index: Int64 Number ?null "call_index of the caller, which is less; NULL for the root.";
        function_name: Text Text "Name of the function; empty for an anonymous one, in parentheses for what is none: `(root)`, `(V8 API)`.";
        url: Text Text "Name or URL of the script; empty if it has none.";
        line_number: Int32 Number ?null "Line of the function, from 0; NULL if unknown.";
        column_number: Int32 Number ?null "Column of the function, from 0; NULL if unknown.";
        size: Int64 Number in Bytes "What lives of the objects that were allocated here, in bytes.";
        early_size: Int64 Number in Bytes "The part of it that is from the first half of all that was allocated meanwhile, in bytes: what stays is about as large as what is younger, and a cache that renews itself has none.";
        sample_count: Int64 Number "Allocations that were noted and live.";
    }
}
