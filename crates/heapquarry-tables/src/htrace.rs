//! Data of `.htrace` containers and files of DevTools messages besides their documents. `js_config` follows
//! TraceStreamer.

use crate::{Table, declare::table};

/// The tables that every `.htrace` container writes, even without rows, besides those of the documents in it.
pub static HTRACE_TABLES: [&Table; 3] = [&HTRACE_SECTION, &HTRACE_PLUGIN, &JS_CONFIG];

/// The tables that messages of the DevTools protocol write, even without rows, besides those of the documents that they
/// carry.
pub static DEVTOOLS_TABLES: [&Table; 2] = [&JS_HEAP_STATS_UPDATE, &JS_HEAP_LAST_SEEN_OBJECT_ID];

table! {
    /// The sections of a container.
    HTRACE_SECTION htrace_section "One row for each section of an OpenHarmony `.htrace` container: its header, and how that compares with the content." {
        file_id: Int32 Sequence "The container, as in source.";
        section_index: Int32 Sequence "Position in the container, from 0.";
        byte_offset: Int64 Ascending in Bytes "Offset of its header in the container, in bytes.";
        byte_size: Int64 Number in Bytes "Bytes up to the next section or the end, header included.";
        declared_byte_size: Int64 Number ?null in Bytes "Bytes of the section according to its header; 1024 if the writer did not finish.";
        data_type: Int64 Number "0 profiler records, 1 hiperf, 1000 output of one plugin.";
        version: Int64 Number "Version of the format, major version in the high 16 bits.";
        record_count: Int64 Number "Records read.";
        segments: Int64 Number "Segments according to the header: two for each record, or one.";
        sha256: Label Label "Whether the checksum in the header matches: `ok`, `mismatch`, or `none` if it is all zeros. It is wrong in many intact files.";
        boottime_ns: Int64 Number ?null in Nanoseconds "Boot-time clock at the start of the recording, in nanoseconds; NULL if the header has no clocks.";
        realtime_ns: Int64 Number ?null in Nanoseconds Instant "Wall clock at that moment, in nanoseconds since 1970.";
        realtime_coarse_ns: Int64 Number ?null in Nanoseconds Instant "Coarse wall clock, in nanoseconds since 1970.";
        monotonic_ns: Int64 Number ?null in Nanoseconds "Monotonic clock at that moment, in nanoseconds; the engine uses it.";
        monotonic_coarse_ns: Int64 Number ?null in Nanoseconds "Coarse monotonic clock, in nanoseconds.";
        monotonic_raw_ns: Int64 Number ?null in Nanoseconds "Raw monotonic clock of the hardware, in nanoseconds.";
        duration_ns: Int64 Number ?null in Nanoseconds "Duration of the recording according to the header, in nanoseconds; 0 before OpenHarmony 4.1.";
        plugin_name: Text Text "The plugin, for data type 1000; otherwise empty.";
        plugin_version: Text Text "Version of the plugin.";
    }
}

table! {
    /// Records of a container, by name.
    HTRACE_PLUGIN htrace_plugin "One row for each record name in an `.htrace` container. Only the records of the ArkTS engine are read." {
        file_id: Int32 Ascending "The container, as in source.";
        name: Text Text "Name of the records: a plugin, with `_config` for its configuration.";
        records: Int64 Number "Number of records.";
        bytes: Int64 Number in Bytes "Bytes of their data.";
    }
}

table! {
    /// Configuration of a recording.
    JS_CONFIG js_config "How the ArkTS engine was recorded: one row for each configuration in an `.htrace` container." {
        file_id: Int32 Ascending "The container, as in source.";
        pid: Int32 Number "The process.";
        r#type: Int32 Number "0 snapshots, 1 timeline, -1 no heap recording.";
        interval: Int64 Number in Seconds "Time between snapshots, in seconds.";
        capture_numeric_value: Int32 Number in Flag "1 if numbers in the heap have nodes, otherwise 0.";
        track_allocations: Int32 Number in Flag "1 if allocation stacks were recorded (timeline), otherwise 0.";
        enable_cpu_profiler: Int32 Number in Flag "1 if a CPU profile was recorded, otherwise 0.";
        cpu_profiler_interval: Int64 Number in Microseconds "Time between samples, in microseconds.";
        split_outfile_name: Text Text "Name of a separate output file; empty if there is none.";
    }
}

table! {
    /// Live sizes reported while a timeline was recorded.
    JS_HEAP_STATS_UPDATE js_heap_stats_update "How much of each interval of a timeline was live, reported about every 200 ms while it was recorded (`HeapProfiler.heapStatsUpdate`)." {
        file_id: Int32 Ascending "The timeline, as in source; the container or file if no timeline followed.";
        update_index: Int64 Sequence "Position among these rows of the input, from 0.";
        time_ns: Int64 Ascending ?null in Nanoseconds "Time of the message, in nanoseconds of boot time; NULL if the message has no time.";
        fragment_index: Int64 Number ?null "The interval, from 0.";
        count: Int64 Number ?null "Live objects of the interval.";
        size: Int64 Number ?null in Bytes "Their size in bytes.";
    }
}

table! {
    /// Object ids assigned while a timeline was recorded.
    JS_HEAP_LAST_SEEN_OBJECT_ID js_heap_last_seen_object_id "The highest object id assigned so far, reported while a timeline was recorded (`HeapProfiler.lastSeenObjectId`)." {
        file_id: Int32 Ascending "The timeline, as in source; the container or file if no timeline followed.";
        update_index: Int64 Sequence "Position among these rows of the input, from 0.";
        time_ns: Int64 Ascending ?null in Nanoseconds "Time of the message, in nanoseconds of boot time; NULL if the message has no time.";
        last_seen_object_id: Int64 Ascending "The highest assigned id.";
        timestamp_ms: Float64 Number ?null in Milliseconds "Time in the message, in milliseconds of the engine's clock.";
    }
}
