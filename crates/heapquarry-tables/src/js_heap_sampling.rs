//! Sampling heap profiles (`.heapprofile`): `HeapProfiler.SamplingHeapProfile` of the DevTools protocol.

use crate::{Table, declare::table};

/// The tables that every sampling heap profile writes, even without rows.
pub static JS_HEAP_SAMPLING_TABLES: [&Table; 3] =
    [&JS_HEAP_SAMPLING_FILES, &JS_HEAP_SAMPLING_NODE, &JS_HEAP_SAMPLING_SAMPLE];

table! {
    /// One row for each sampling heap profile.
    JS_HEAP_SAMPLING_FILES js_heap_sampling_files "One row for each sampling heap profile, with its totals." {
        file_id: Int32 Sequence "The document, as in source.";
        file_name: Text Text "Name of the document, as in source.";
        node_count: Int64 Number "Nodes read.";
        sample_count: Int64 Number "Samples read; 0 if the file has none (before Node 12).";
        self_size: Int64 Number in Bytes "Sum of the nodes' self sizes in bytes: an estimate of the live bytes allocated while sampling.";
        sample_size: Int64 Number in Bytes "Sum of the samples' sizes in bytes. It differs from self_size because the engine rounds each sample alone: never add the two.";
    }
}

table! {
    /// The tree of allocation stacks.
    JS_HEAP_SAMPLING_NODE js_heap_sampling_node "One row for each node of the tree of allocation stacks, parents before children." {
        file_id: Int32 Constant "The document, as in source.";
        node_id: Int64 Number ?null "Id of the node; its position, from 1, if the file has no ids (before Node 12).";
        function_name: Text Text ?null "Name of the function; empty for an anonymous one, in parentheses for entries that are not functions: `(root)`, `(V8 API)`, `(PARSER)`.";
        script_id: Text Text ?null "The engine's id of the script; `0` if it has none.";
        url: Text Text ?null "Name or URL of the script; empty if it has none.";
        line_number: Int32 Number ?null "Line of the function, from 0; -1 if unknown.";
        column_number: Int32 Number ?null "Column of the function, from 0; -1 if unknown.";
        self_size: Int64 Number ?null in Bytes "Estimated live bytes allocated here.";
        parent_id: Int64 Number ?null "node_id of the caller; -1 for the root.";
        depth: Int32 Number "Number of callers: 0 for the root.";
        total_size: Int64 Number in Bytes "self_size of the node and all nodes below it, in bytes.";
        parent_index: Int64 Number "node_index of the caller; -1 for the root.";
        node_index: Int64 Sequence "Position of the node in the file, from 0.";
        original_name: Text Text ?null "Name of the function in its source, empty for a function without one. Written with `--source-map`, otherwise NULL; NULL if the source map does not tell.";
        original_source: Text Text ?null "Path or URL of the source. NULL without a source map, and where no source covers the place.";
        original_line: Int32 Number ?null "Line in the source, from 0.";
        original_column: Int32 Number ?null "Column in the source, from 0.";
    }
}

table! {
    /// The samples.
    JS_HEAP_SAMPLING_SAMPLE js_heap_sampling_sample "One row for each sampled allocation that is still live, in file order." {
        file_id: Int32 Constant "The document, as in source.";
        ordinal: Int64 Number ?null "Order of allocation: a larger number was allocated later. Gaps are objects that died.";
        node_id: Int64 Number ?null "The node, as in js_heap_sampling_node; its ancestors are the rest of the stack.";
        size: Int64 Number ?null in Bytes "Estimated bytes that the sample stands for.";
    }
}
