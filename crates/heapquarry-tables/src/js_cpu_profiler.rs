//! CPU profiles (`.cpuprofile`, and those inside of traces and containers). Names follow TraceStreamer's
//! `js_cpu_profiler_*` tables, then the DevTools protocol (`Profiler.Profile`).

use crate::{Table, declare::table};

/// The tables that every CPU profile writes, even without rows.
pub static JS_CPU_PROFILER_TABLES: [&Table; 6] = [
    &JS_CPU_PROFILER_FILES,
    &JS_CPU_PROFILER_INFO,
    &JS_CPU_PROFILER_NODE,
    &JS_CPU_PROFILER_SAMPLE,
    &JS_CPU_PROFILER_TICK,
    &JS_CPU_PROFILER_TRACE_ID,
];

table! {
    /// One row for each CPU profile.
    JS_CPU_PROFILER_FILES js_cpu_profiler_files "One row for each CPU profile, with its totals." {
        file_id: Int32 Sequence "The document, as in source.";
        file_name: Text Text "Name of the document, as in source.";
        start_time_us: Int64 Number ?null in Microseconds "Start in microseconds of the engine's clock, usually a monotonic one; for a profile in a trace, of the trace's clock.";
        end_time_us: Int64 Number ?null in Microseconds "End in microseconds, on the same clock.";
        node_count: Int64 Number "Nodes read.";
        sample_count: Int64 Number "Samples read.";
        hit_count: Int64 Number "Sum of the nodes' hit counts.";
        sampled_time_us: Int64 Number in Microseconds "Sum of the samples' durations in microseconds.";
        start_time_ns: Int64 Number ?null in Nanoseconds "Start in nanoseconds of the device's boot-time clock, or of the trace's clock; NULL outside of containers and traces.";
        end_time_ns: Int64 Number ?null in Nanoseconds "End in nanoseconds, on the same clock.";
        trace_file_id: Int32 Number ?null "The trace that contains it, as in source; NULL if none does.";
        trace_event_index: Int64 Number ?null "The event that begins it (`Profile`) or holds it (`CpuProfile`), as in trace_event.event_index; NULL if the trace has only its chunks.";
        profile_id: Text Text ?null "Its id in the trace; other processes can use the same id.";
        pid: Int64 Number ?null "The profiled process, as in process.pid; NULL if the trace does not have it.";
        pid_text: Text Text ?null "The profiled process, if it is text.";
        tid: Int64 Number ?null "The profiled thread, as in thread.tid; not the thread that wrote the samples.";
        tid_text: Text Text ?null "The profiled thread, if it is text.";
        time_source: Text Text ?null "What times were reckoned from: `timeDeltas` or `timestamps`; `samples` or `hits` if the file has no times, and the time from start to end was shared out over them; NULL if there are none.";
        untimed_sample_count: Int64 Number "Samples whose dur_us is unknown, without the last sample of a profile that has no end. Sums of times lack them.";
    }
}

table! {
    /// Other members at the top of a profile.
    JS_CPU_PROFILER_INFO js_cpu_profiler_info "Other members at the top of a profile: title, thread, ArkTS's totals by state." {
        file_id: Int32 Ascending "The document, as in source.";
        key: Text Text "Name of the member: `title`, `uid`, `tid`, `gcTime`, and so on.";
        int_value: Int64 Number ?null "Its value, if it is an integer.";
        str_value: Text Text ?null "Its value, if it is anything else.";
    }
}

table! {
    /// The call tree.
    JS_CPU_PROFILER_NODE js_cpu_profiler_node "One row for each node of the call tree, in file order: a function as called from one place." {
        file_id: Int32 Constant "The document, as in source.";
        function_id: Int64 Ascending ?null "Id of the node. The column name is TraceStreamer's: a function has one node for each stack that leads to it.";
        function_name: Text Text ?null "Name of the function; empty for an anonymous one, in parentheses for entries that are not functions: `(root)`, `(program)`, `(idle)`, `(garbage collector)`.";
        script_id: Text Text ?null "The engine's id of the script; `0` if it has none.";
        url: Text Text ?null "Name or URL of the script; empty if it has none.";
        line_number: Int32 Number ?null "Line of the function, from 0; -1 if unknown.";
        column_number: Int32 Number ?null "Column of the function, from 0; -1 if unknown.";
        hit_count: Int64 Number ?null "Samples with this node at the top of the stack, as counted by the engine, or counted here if the file has no count.";
        parent_id: Int64 Number ?null "function_id of the caller; -1 for the root.";
        depth: Int32 Number "Number of callers: 0 for the root.";
        deopt_reason: Text Text ?null "Why the function was not optimised (`deoptReason`, `bailoutReason`); NULL if the file does not have it.";
        self_time_us: Int64 Number in Microseconds "Sum of dur_us of the samples with this node at the top, in microseconds.";
        total_time_us: Int64 Number in Microseconds "self_time_us of the node and all nodes below it, in microseconds.";
        total_hit_count: Int64 Number "hit_count of the node and all nodes below it.";
        parent_index: Int64 Number "node_index of the caller; -1 for the root.";
        node_index: Int64 Sequence "Position of the node in the file, from 0.";
        module_name: Text Text ?null "Module of the function (ArkTS); NULL if the file does not have it.";
        code_type: Text Text ?null "Kind of code (`codeType`): `JS`, `other`; only profiles in traces have it.";
        original_name: Text Text ?null "Name of the function in its source, empty for a function without one. Written with `--source-map`, otherwise NULL; NULL if the source map does not tell.";
        original_source: Text Text ?null "Path or URL of the source. NULL without a source map, and where no source covers the place.";
        original_line: Int32 Number ?null "Line in the source, from 0.";
        original_column: Int32 Number ?null "Column in the source, from 0.";
    }
}

table! {
    /// The samples.
    JS_CPU_PROFILER_SAMPLE js_cpu_profiler_sample "One row for each sample, in file order." {
        file_id: Int32 Constant "The document, as in source.";
        sample_index: Int64 Sequence "Position of the sample in the file, from 0.";
        function_id: Int64 Number ?null "The node at the top of the stack, as in js_cpu_profiler_node; its ancestors are the rest of the stack.";
        ts_us: Int64 Ascending ?null in Microseconds "Time in microseconds of the profile's clock: start_time_us and all deltas up to this one. It rarely goes back; dur_us accounts for that.";
        delta_us: Int64 Number ?null in Microseconds "Time since the previous sample, in microseconds (first sample: since the start), as in the file; it can be negative.";
        dur_us: Int64 Number ?null in Microseconds "Time to the next sample in order of time, in microseconds; for the last sample, to the end. NULL if unknown.";
        line_number: Int32 Number ?null "Line that ran, from 1; 0 if unknown (profiles in traces); NULL if the file does not have it.";
        column_number: Int32 Number ?null "Column that ran, from 1; 0 if unknown (profiles in traces); NULL if the file does not have it.";
    }
}

table! {
    /// Samples by line.
    JS_CPU_PROFILER_TICK js_cpu_profiler_tick "Samples per line of a function (`positionTicks`)." {
        file_id: Int32 Constant "The document, as in source.";
        function_id: Int64 Ascending ?null "The node, as in js_cpu_profiler_node.";
        line_number: Int32 Number ?null "Line, from 1.";
        ticks: Int64 Number ?null "Samples on this line.";
    }
}

table! {
    /// Stacks that events of a trace refer to.
    JS_CPU_PROFILER_TRACE_ID js_cpu_profiler_trace_id "One row for each stack that was sampled for an event of the trace (`trace_ids`)." {
        file_id: Int32 Ascending "The document, as in source.";
        trace_id: Int64 Number "The id that the event uses: `args.data.sampleTraceId`, or `args.sampleTraceId`.";
        function_id: Int64 Number ?null "The node at the top of the stack, as in js_cpu_profiler_node.";
    }
}
