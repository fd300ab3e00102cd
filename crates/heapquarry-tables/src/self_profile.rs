//! Traces of the JS Self-Profiling API (`Profiler.stop()`), bare or in the envelopes of the services that collect them.

use crate::{Table, declare::table};

/// The tables that every self-profiling trace writes, even without rows.
pub static SELF_PROFILE_TABLES: [&Table; 6] = [
    &SELF_PROFILE_FILES,
    &SELF_PROFILE_INFO,
    &SELF_PROFILE_SAMPLE,
    &SELF_PROFILE_STACK,
    &SELF_PROFILE_FRAME,
    &SELF_PROFILE_RESOURCE,
];

table! {
    /// One row for each trace.
    SELF_PROFILE_FILES self_profile_files "One row for each self-profiling trace, with its totals." {
        file_id: Int32 Sequence "The document, as in source.";
        file_name: Text Text "Name of the document, as in source.";
        json_path: Text Text "Path of the trace in its input, from the outer to the inner member: `trace` or `event.trace`; empty if it is the input itself.";
        epoch_origin_ms: Float64 Number ?null in Milliseconds Instant "Milliseconds to add to timestamp_ms to get milliseconds since 1970, if the envelope has the origin (`clocksOrigin`, `timeOrigin`).";
        sample_interval_ms: Float64 Number ?null in Milliseconds "Interval of samples in milliseconds, if the envelope has it (`sampleInterval`).";
        sample_count: Int64 Number "Samples read.";
        stack_count: Int64 Number "Stacks read.";
        frame_count: Int64 Number "Frames read.";
        resource_count: Int64 Number "Resources read.";
    }
}

table! {
    /// Other values of the envelope.
    SELF_PROFILE_INFO self_profile_info "Other values in the envelopes of a trace: application, session, view, clock drift." {
        file_id: Int32 Ascending "The document, as in source.";
        key: Text Text "Path of the member: `event.session.id`.";
        value: Text Text "Its value: text as it is, anything else as JSON.";
    }
}

table! {
    /// The samples.
    SELF_PROFILE_SAMPLE self_profile_sample "One row for each sample." {
        file_id: Int32 Ascending "The document, as in source.";
        sample_index: Int64 Ascending "Position of the sample in its trace, from 0.";
        timestamp_ms: Float64 Number ?null in Milliseconds "Time in milliseconds since the time origin of the page; negative if before it.";
        stack_id: Int32 Number ?null "The stack, as in self_profile_stack; -1 if no script visible to the page ran.";
        marker: Label Label ?null "Activity of the browser: `script`, `gc`, `style`, `layout`, `paint`, `other`; NULL if not given.";
        dur_ms: Float64 Number ?null in Milliseconds "Time to the next sample in file order, in milliseconds; NULL for the last one.";
    }
}

table! {
    /// The stacks.
    SELF_PROFILE_STACK self_profile_stack "One row for each stack: a frame, and the stack of its caller." {
        file_id: Int32 Ascending "The document, as in source.";
        stack_id: Int32 Ascending "Position of the stack in its trace, from 0.";
        frame_id: Int32 Number ?null "The innermost frame, as in self_profile_frame.";
        parent_id: Int32 Number ?null "The stack of its caller; -1 if there is none.";
        depth: Int32 Number "Number of callers: 0 for an outermost frame.";
        sample_count: Int64 Number "Samples with this stack.";
        total_sample_count: Int64 Number "sample_count of this stack and of all stacks on top of it.";
    }
}

table! {
    /// The frames.
    SELF_PROFILE_FRAME self_profile_frame "One row for each frame. A function can have several." {
        file_id: Int32 Ascending "The document, as in source.";
        frame_id: Int32 Ascending "Position of the frame in its trace, from 0.";
        name: Text Text ?null "Name of the function; empty for an anonymous one.";
        resource_id: Int32 Number ?null "The script, as in self_profile_resource; NULL for built-in functions.";
        line_number: Int32 Number ?null "Line where the function is defined, from 1; NULL for built-in functions.";
        column_number: Int32 Number ?null "Column where the function is defined, from 1; NULL for built-in functions.";
        original_name: Text Text ?null "Name of the function in its source, empty for a function without one. Written with `--source-map`, otherwise NULL; NULL if the source map does not tell.";
        original_source: Text Text ?null "Path or URL of the source. NULL without a source map, and where no source covers the place.";
        original_line: Int32 Number ?null "Line in the source, from 1.";
        original_column: Int32 Number ?null "Column in the source, from 1.";
    }
}

table! {
    /// The scripts.
    SELF_PROFILE_RESOURCE self_profile_resource "One row for each script." {
        file_id: Int32 Ascending "The document, as in source.";
        resource_id: Int32 Ascending "Position of the script in its trace, from 0.";
        url: Text Text ?null "Its URL.";
    }
}
