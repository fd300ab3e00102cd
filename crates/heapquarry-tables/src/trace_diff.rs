//! The tables of a comparison of traces, written by `heapquarry diff -o DIR`.

use crate::{Table, declare::table};

/// The tables of a comparison, in the order in which they are documented. Conversions do not write them.
pub static TRACE_DIFF_TABLES: [&Table; 3] =
    [&TRACE_DIFF_TRACE, &TRACE_DIFF_FIGURE, &TRACE_DIFF_RUN];

table! {
    /// The traces that were compared.
    TRACE_DIFF_TRACE trace_diff_trace "The traces that `heapquarry diff` compared, in the order given." {
        file_id: Int32 Sequence "Number of the trace in this comparison, from 0; trace_diff_run refers to it.";
        path: Text Text "The input as given.";
        side: Label Label "`before`, `after`, or empty for one that is only listed.";
    }
}

table! {
    /// What was compared.
    TRACE_DIFF_FIGURE trace_diff_figure "One row for each figure of each subject that any of the traces has: a slice by name, a thread, a counter. Subjects that changed come first in each list." {
        file_id: Int32 Constant "The last of the traces that were compared, as in trace_diff_trace.";
        list: Label Label "What the subject is: `main_threads`, `frames`, `slices`, `operations`, `gpus`, `threads`, `scheduled_threads`, `counters`; as in the JSON report.";
        process_name: Text Text ?null "Process of the subject, or device; NULL if it is not a part of its name.";
        thread_name: Text Text ?null "Its thread, or stream.";
        name: Text Text ?null "Name of the slice, operation, frame or counter.";
        category: Text Text ?null "Category of the slice or operation.";
        series: Text Text ?null "Series of the counter.";
        figure: Label Label "What was measured: `count`, `self_time_ns`, `p95_ns`, …; as in the JSON report.";
        before: Float64 Number ?null "Its median over the traces before, in nanoseconds for figures that end with `_ns`; NULL if none has it.";
        after: Float64 Number ?null "The same after.";
        delta: Float64 Number ?null "after less before.";
        p_value: Float64 Number ?null "Probability of ranks like these, or less even ones, if nothing has changed; NULL unless both sides have two traces.";
        change: Label Label "What this figure did beyond noise: `more`, `less` or `same`.";
        is_decisive: Int32 Number "1 for the figure that says whether the subject changed, 0 for others.";
        subject_change: Label Label "What the subject did: `new`, `gone`, `more`, `less` or `same`.";
    }
}

table! {
    /// The values behind the medians.
    TRACE_DIFF_RUN trace_diff_run "One row for each figure of each subject in each trace that was compared." {
        file_id: Int32 Number "The trace, as in trace_diff_trace.";
        list: Label Label "As in trace_diff_figure.";
        process_name: Text Text ?null "As in trace_diff_figure.";
        thread_name: Text Text ?null "As in trace_diff_figure.";
        name: Text Text ?null "As in trace_diff_figure.";
        category: Text Text ?null "As in trace_diff_figure.";
        series: Text Text ?null "As in trace_diff_figure.";
        figure: Label Label "As in trace_diff_figure.";
        value: Float64 Number ?null "The value in this trace; NULL if it has none.";
    }
}
