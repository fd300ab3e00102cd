//! CPU profiles (`.cpuprofile`, and those inside of traces and containers). Names follow TraceStreamer's
//! `js_cpu_profiler_*` tables, then the DevTools protocol (`Profiler.Profile`).

use crate::{Table, table};

/// The tables that every CPU profile fills, empty if need be.
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
    JS_CPU_PROFILER_FILES "js_cpu_profiler_files" "One row for each CPU profile: its totals." {
        file_id: Int32 Sequence "The document, as in source.";
        file_name: Text Text "Name of the document, as in source.";
        start_time_us: Int64 Number ?null "Start in microseconds of the clock that the engine took, mostly a monotonic one; of a profile in a trace by the clock of that.";
        end_time_us: Int64 Number ?null "End, likewise.";
        node_count: Int64 Number "Nodes read.";
        sample_count: Int64 Number "Samples read.";
        hit_count: Int64 Number "Sum of the nodes' hit counts.";
        sampled_time_us: Int64 Number "Sum of the samples' durations in microseconds.";
        start_time_ns: Int64 Number ?null "Start in ns of the device's boot-time clock, or of the trace's; NULL where only a container would tell.";
        end_time_ns: Int64 Number ?null "End, likewise.";
        trace_file_id: Int32 Number ?null "The trace that it is in, as in source; NULL if it is none's.";
        trace_event_index: Int64 Number ?null "The event that begins it (`Profile`) or holds it (`CpuProfile`), as in trace_event.event_index; NULL if the trace has only its chunks.";
        profile_id: Text Text ?null "Its id in the trace, which other processes can have too.";
        pid: Int64 Number ?null "The process that was profiled, if the trace says so, as in process.pid.";
        pid_text: Text Text ?null "The same, if it is a text.";
        tid: Int64 Number ?null "The thread that was profiled, as in thread.tid; not the one that wrote the samples down.";
        tid_text: Text Text ?null "The same, if it is a text.";
    }
}

table! {
    /// What else stands at the top of a profile.
    JS_CPU_PROFILER_INFO "js_cpu_profiler_info" "What else the top of a profile says: title, thread, ArkTS's totals by state." {
        file_id: Int32 Ascending "The document, as in source.";
        key: Text Text "Name of the member: `title`, `uid`, `tid`, `gcTime`, and so on.";
        int_value: Int64 Number ?null "Its value, if it is an integer.";
        str_value: Text Text ?null "Its value, if it is anything else.";
    }
}

table! {
    /// The call tree.
    JS_CPU_PROFILER_NODE "js_cpu_profiler_node" "One row for each node of the call tree, in file order: a function as called from one place." {
        file_id: Int32 Constant "The document, as in source.";
        function_id: Int64 Ascending ?null "Id of the node. The name is TraceStreamer's: one function has as many nodes as there are stacks that lead to it.";
        function_name: Text Text ?null "Name of the function; empty for an anonymous one, in parentheses for what is none: `(root)`, `(program)`, `(idle)`, `(garbage collector)`.";
        script_id: Text Text ?null "The engine's id of the script; `0` for what has none.";
        url: Text Text ?null "Name or URL of the script; empty for what has none.";
        line_number: Int32 Number ?null "Line of the function, from 0; -1 if not known.";
        column_number: Int32 Number ?null "Column of the function, from 0; -1 if not known.";
        hit_count: Int64 Number ?null "Samples with this node at the top of the stack, as the engine counted them; counted here if the file does not say.";
        parent_id: Int64 Number ?null "function_id of the caller; -1 for the root.";
        depth: Int32 Number "Calls above it: 0 for the root.";
        deopt_reason: Text Text ?null "Why the function was not optimised (`deoptReason`, `bailoutReason`); NULL if the file does not say.";
        self_time_us: Int64 Number "Sum of dur_us of the samples with this node at the top, in microseconds.";
        total_time_us: Int64 Number "The same with all nodes below it.";
        total_hit_count: Int64 Number "hit_count with all nodes below it.";
        parent_index: Int64 Number "node_index of the caller; -1 for the root.";
        node_index: Int64 Sequence "Position of the node in the file, from 0.";
        module_name: Text Text ?null "Module of the function (ArkTS); NULL if the file does not say.";
        code_type: Text Text ?null "What kind of code it is (`codeType`): `JS`, `other`; only profiles in traces say.";
    }
}

table! {
    /// The samples.
    JS_CPU_PROFILER_SAMPLE "js_cpu_profiler_sample" "One row for each sample, in file order: what ran when." {
        file_id: Int32 Constant "The document, as in source.";
        sample_index: Int64 Sequence "Position of the sample in the file, from 0.";
        function_id: Int64 Number ?null "The node at the top of the stack, as in js_cpu_profiler_node: its ancestors are the stack.";
        ts_us: Int64 Ascending ?null "When, in microseconds of the profile's clock: start_time_us and all deltas up to this one. In rare profiles it goes back; dur_us reckons with that.";
        delta_us: Int64 Number ?null "Time since the sample before it (of the first: since the start), as the file has it: it can be negative.";
        dur_us: Int64 Number ?null "Time to the next sample in order of time; of the last one to the end. NULL if not known.";
        line_number: Int32 Number ?null "Line that ran, from 1, 0 if not known (profiles in traces); NULL if the file does not say.";
        column_number: Int32 Number ?null "Column that ran, likewise.";
    }
}

table! {
    /// Samples by line.
    JS_CPU_PROFILER_TICK "js_cpu_profiler_tick" "How often samples hit a line of a function (`positionTicks`)." {
        file_id: Int32 Constant "The document, as in source.";
        function_id: Int64 Ascending ?null "The node, as in js_cpu_profiler_node.";
        line_number: Int32 Number ?null "Line, from 1.";
        ticks: Int64 Number ?null "Samples that hit it.";
    }
}

table! {
    /// Stacks that events of a trace refer to.
    JS_CPU_PROFILER_TRACE_ID "js_cpu_profiler_trace_id" "One row for each stack that was sampled for an event of the trace (`trace_ids`)." {
        file_id: Int32 Ascending "The document, as in source.";
        trace_id: Int64 Number "What the event has for it: `args.data.sampleTraceId`, or `args.sampleTraceId`.";
        function_id: Int64 Number ?null "The node at the top of the stack, as in js_cpu_profiler_node.";
    }
}
