//! What `.htrace` containers and files of DevTools messages say besides the documents in them. `js_config` follows TraceStreamer.

use crate::{Table, table};

/// The tables that every `.htrace` container fills, empty if need be, besides those of the documents in it.
pub static HTRACE_TABLES: [&Table; 3] = [&HTRACE_SECTION, &HTRACE_PLUGIN, &JS_CONFIG];

/// The tables that messages of the DevTools protocol fill, empty if need be, besides those of the documents that they carry.
pub static DEVTOOLS_TABLES: [&Table; 2] = [&JS_HEAP_STATS_UPDATE, &JS_HEAP_LAST_SEEN_OBJECT_ID];

table! {
    /// The sections of a container.
    HTRACE_SECTION "htrace_section" "One row for each section of an OpenHarmony `.htrace` container: its header, and how that compares with what is there." {
        file_id: Int32 Sequence "The container, as in source.";
        section_index: Int32 Sequence "Position in the container, from 0.";
        byte_offset: Int64 Ascending "Where its header begins, in bytes.";
        byte_size: Int64 Number "Bytes up to the next section or the end, the header among them.";
        declared_byte_size: Int64 Number ?null "The same according to the header; 1024 if the writer did not come to its end.";
        data_type: Int64 Number "0 records of the profiler, 1 hiperf, 1000 output of one plugin.";
        version: Int64 Number "Version of the format, major in the high 16 bits.";
        record_count: Int64 Number "Records read.";
        segments: Int64 Number "According to the header: two for each record, or one.";
        sha256: Label Label "Whether the sum in the header fits: `ok`, `mismatch`, or `none` if it is all zeros. It is wrong in many files that are whole.";
        boottime_ns: Int64 Number ?null "The boot-time clock when the recording began; NULL if the header has no clocks.";
        realtime_ns: Int64 Number ?null "The wall clock at that moment, since 1970.";
        realtime_coarse_ns: Int64 Number ?null "The same in coarse steps.";
        monotonic_ns: Int64 Number ?null "The monotonic clock, by which the engine reckons.";
        monotonic_coarse_ns: Int64 Number ?null "The same in coarse steps.";
        monotonic_raw_ns: Int64 Number ?null "The same as the hardware has it.";
        duration_ns: Int64 Number ?null "Duration of the recording according to the header; 0 before OpenHarmony 4.1.";
        plugin_name: Text Text "The plugin of a section with data type 1000.";
        plugin_version: Text Text "Its version.";
    }
}

table! {
    /// What the records of a container are.
    HTRACE_PLUGIN "htrace_plugin" "One row for each name of records in an `.htrace` container. Only those of the ArkTS engine are read." {
        file_id: Int32 Ascending "The container, as in source.";
        name: Text Text "Name of the records: a plugin, with `_config` for its configuration.";
        records: Int64 Number "How many there are.";
        bytes: Int64 Number "Bytes of their data.";
    }
}

table! {
    /// How the engine was recorded.
    JS_CONFIG "js_config" "How the ArkTS engine was recorded: one row for each configuration in an `.htrace` container." {
        file_id: Int32 Ascending "The container, as in source.";
        pid: Int32 Number "The process.";
        type: Int32 Number "0 snapshots, 1 timeline, -1 nothing of the heap.";
        interval: Int64 Number "Seconds between snapshots.";
        capture_numeric_value: Int32 Number "1 if numbers in the heap have nodes.";
        track_allocations: Int32 Number "1 if the stacks of allocations were recorded (timeline).";
        enable_cpu_profiler: Int32 Number "1 if a CPU profile was recorded.";
        cpu_profiler_interval: Int64 Number "Microseconds between its samples.";
        split_outfile_name: Text Text "Name of a file of its own; empty if there is none.";
    }
}

table! {
    /// Sizes of a timeline while it was recorded.
    JS_HEAP_STATS_UPDATE "js_heap_stats_update" "How much of each interval of a timeline was alive, as told about every 200 ms while it was recorded (`HeapProfiler.heapStatsUpdate`)." {
        file_id: Int32 Ascending "The timeline, as in source; the container or file if none followed.";
        update_index: Int64 Sequence "Position among these rows of the input, from 0.";
        time_ns: Int64 Ascending ?null "When, in ns of boot time; NULL if the message came without a time.";
        fragment_index: Int64 Number ?null "The interval, from 0.";
        count: Int64 Number ?null "Objects of it that were alive.";
        size: Int64 Number ?null "Their size in bytes.";
    }
}

table! {
    /// Ids given out while a timeline was recorded.
    JS_HEAP_LAST_SEEN_OBJECT_ID "js_heap_last_seen_object_id" "Which object ids had been given out when, as told while a timeline was recorded (`HeapProfiler.lastSeenObjectId`)." {
        file_id: Int32 Ascending "The timeline, as in source; the container or file if none followed.";
        update_index: Int64 Sequence "Position among these rows of the input, from 0.";
        time_ns: Int64 Ascending ?null "When the message came, in ns of boot time; NULL if it came without a time.";
        last_seen_object_id: Int64 Ascending "The highest id.";
        timestamp_ms: Float64 Number ?null "The time in the message, in ms of the engine's clock.";
    }
}
