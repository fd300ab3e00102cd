//! Tables of a comparison of profiles: what `heapquarry diff -o DIR` writes.

use crate::{Table, table};

/// The tables of a comparison, in the order in which they are documented. Conversions do not write them.
pub static JS_PROFILE_DIFF_TABLES: [&Table; 2] =
    [&JS_PROFILE_DIFF_PROFILE, &JS_PROFILE_DIFF_FUNCTION];

table! {
    /// The profiles that were compared.
    JS_PROFILE_DIFF_PROFILE "js_profile_diff_profile" "The profiles that `heapquarry diff` compared: the first is the base, the last the current one." {
        file_id: Int32 Sequence "Number of the profile in this comparison, from 0; js_profile_diff_function refers to it.";
        path: Text Text "The input as given.";
        unit: Label Label "What the numbers of this comparison count: `us` (CPU profiles), `bytes` (sampling heap profiles), `samples` (self-profiling traces).";
        total_value: Int64 Number "All samples, or the size of all nodes.";
        busy_value: Int64 Number "The same without `(idle)`; of self-profiling traces the samples with a stack.";
        sample_count: Int64 Number "Samples.";
        function_count: Int64 Number "Functions, by name, script, line and column.";
    }
}

table! {
    /// Functions that differ.
    JS_PROFILE_DIFF_FUNCTION "js_profile_diff_function" "Functions that have more or less in the current profile than in the base; one is known again by name and script, an anonymous one by its position too." {
        file_id: Int32 Constant "The current profile, as in js_profile_diff_profile.";
        base_file_id: Int32 Constant "The base, as in js_profile_diff_profile.";
        function_name: Text Text "Name of the function; empty for an anonymous one.";
        url: Text Text "Name or URL of its script; empty for what has none.";
        line_number: Int32 Number ?null "Its line, from 1; NULL if not known, or if it stands for several.";
        base_self_value: Int64 Number "What it has itself in the base.";
        self_value: Int64 Number "What it has itself.";
        self_delta: Int64 Number "By how much that grew.";
        base_total_value: Int64 Number "What it has in the base, with all that it calls.";
        total_value: Int64 Number "What it has, with all that it calls.";
        total_delta: Int64 Number "By how much that grew.";
        base_self_percent: Float64 Number ?null "base_self_value as a part of busy_value; NULL for `(idle)`.";
        self_percent: Float64 Number ?null "self_value, likewise.";
        base_total_percent: Float64 Number ?null "base_total_value, likewise.";
        total_percent: Float64 Number ?null "total_value, likewise.";
    }
}
