//! The tables of a comparison of profiles, written by `heapquarry diff -o DIR`.

use crate::{Table, declare::table};

/// The tables of a comparison, in the order in which they are documented. Conversions do not write them.
pub static JS_PROFILE_DIFF_TABLES: [&Table; 2] =
    [&JS_PROFILE_DIFF_PROFILE, &JS_PROFILE_DIFF_FUNCTION];

table! {
    /// The profiles that were compared.
    JS_PROFILE_DIFF_PROFILE js_profile_diff_profile "The profiles that `heapquarry diff` compared: the first is the base, the last the current one." {
        file_id: Int32 Sequence "Number of the profile in this comparison, from 0; js_profile_diff_function refers to it.";
        path: Text Text "The input as given.";
        unit: Label Label "Unit of the values in this comparison: `us` (CPU profiles), `bytes` (sampling heap profiles), `samples` (self-profiling traces).";
        total_value: Int64 Number "Sum over all samples, or size of all nodes.";
        busy_value: Int64 Number "Total without `(idle)`; for self-profiling traces, the samples with a stack.";
        sample_count: Int64 Number "Number of samples.";
        function_count: Int64 Number "Number of functions, by name, script, line and column.";
        side: Label Label "`before`, `after`, or empty for one that is only listed.";
    }
}

table! {
    /// Functions that differ.
    JS_PROFILE_DIFF_FUNCTION js_profile_diff_function "Functions whose values differ between base and current profile; of several runs these are their medians. A function is matched by name and script, an anonymous one by position too." {
        file_id: Int32 Constant "The current profile, as in js_profile_diff_profile.";
        base_file_id: Int32 Constant "The base, as in js_profile_diff_profile.";
        function_name: Text Text "Name of the function; empty for an anonymous one.";
        url: Text Text "Name or URL of its script; empty if it has none.";
        line_number: Int32 Number ?null "Its line, from 1; NULL if unknown, or if the row stands for several functions.";
        base_self_value: Int64 Number "Self value in the base.";
        self_value: Int64 Number "Self value.";
        self_delta: Int64 Number "Growth of the self value.";
        base_total_value: Int64 Number "Total value in the base: self value and everything that it calls.";
        total_value: Int64 Number "Total value: self value and everything that it calls.";
        total_delta: Int64 Number "Growth of the total value.";
        base_self_percent: Float64 Number ?null in Percent "base_self_value as a percentage of busy_value; NULL for `(idle)`.";
        self_percent: Float64 Number ?null in Percent "self_value as a percentage of busy_value; NULL for `(idle)`.";
        base_total_percent: Float64 Number ?null in Percent "base_total_value as a percentage of busy_value; NULL for `(idle)`.";
        total_percent: Float64 Number ?null in Percent "total_value as a percentage of busy_value; NULL for `(idle)`.";
        change: Label Label "What the self value did beyond noise: `more`, `less` or `same`; `new` or `gone` if no profile of the other side has the function.";
        p_value: Float64 Number ?null "Probability of ranks like these, or less even ones, if nothing has changed; NULL unless both sides have two profiles.";
    }
}
