//! Heap snapshots and heap timelines (`.heapsnapshot`, `.heaptimeline`). Names and meanings follow
//! TraceStreamer's `js_heap_*` tables, then V8's own words.

use crate::{Table, declare::table};

/// The tables that every heap snapshot writes, even without rows.
pub static JS_HEAP_TABLES: [&Table; 12] = [
    &JS_HEAP_FILES,
    &JS_HEAP_INFO,
    &JS_HEAP_NODES,
    &JS_HEAP_EDGES,
    &JS_HEAP_STRING,
    &JS_HEAP_LOCATION,
    &JS_HEAP_SAMPLE,
    &JS_HEAP_TRACE_FUNCTION_INFO,
    &JS_HEAP_TRACE_NODE,
    &JS_HEAP_SCOPE,
    &JS_HEAP_SCOPE_CONTEXT_VAR,
    &JS_HEAP_SCOPE_USE,
];

table! {
    /// One row for each snapshot.
    JS_HEAP_FILES js_heap_files "One row for each snapshot or timeline, with its totals." {
        file_id: Int32 Sequence "The document, as in source.";
        file_name: Text Text "Name of the document, as in source.";
        start_time_ns: Int64 Number ?null in Nanoseconds "Start of the recording in nanoseconds of the device's boot-time clock; NULL outside of containers.";
        end_time_ns: Int64 Number ?null in Nanoseconds "End of the recording in nanoseconds of the device's boot-time clock; NULL outside of containers.";
        self_size: Int64 Number in Bytes "Sum of the nodes' self sizes in bytes.";
        node_count: Int64 Number "Nodes read.";
        edge_count: Int64 Number "Edges read.";
        string_count: Int64 Number "Strings read.";
        declared_node_count: Int64 Number ?null "Nodes according to the header.";
        declared_edge_count: Int64 Number ?null "Edges according to the header.";
        extra_native_bytes: Int64 Number ?null in Bytes "Native memory outside the heap, in bytes, according to the header (V8 since 2024).";
        node_field_count: Int32 Number "Fields of a node record in this file: a raw node reference is node_index times this.";
        root_node_index: Int64 Number "The root node, as position in js_heap_nodes: 0 unless the header says otherwise.";
    }
}

table! {
    /// The enumerations and counts of the header.
    JS_HEAP_INFO js_heap_info "The header's enumerations and counts, with TraceStreamer's rows and order." {
        file_id: Int32 Ascending "The document, as in source.";
        key: Text Text "`node_types`, `edge_types`, `node_count`, `edge_count` or `trace_function_count`.";
        r#type: Int32 Number "0 for names of types and for counts, 1 for the type of a further field.";
        int_value: Int64 Number ?null "The count; -1 for names.";
        str_value: Text Text "The name; empty for counts.";
        ordinal: Int32 Number "Position within key and type, from 0; for `node_types` and `edge_types` of type 0, the number of the type in the file.";
    }
}

table! {
    /// The nodes.
    JS_HEAP_NODES js_heap_nodes "One row for each node of the heap graph, in file order; of JavaScriptCore, by ascending id in the file." {
        file_id: Int32 Constant "The document, as in source.";
        node_index: Int64 Sequence "Position of the node in the file, from 0; of JavaScriptCore, by ascending id in the file.";
        r#type: Label Label ?null "Type by the file's own enumeration; a number without a name there stays a number. JavaScriptCore has no types: docs/jsc.md says how they follow from class and flags.";
        name: Text Text ?null "Name: class of an object, text of a string, and so on. NULL with `--names id`, where the string is missing, and for strings of JavaScriptCore, whose text the file does not have.";
        name_id: Int32 Number ?null "The name as string_index of js_heap_string.";
        id: Int64 Ascending ?null "The engine's id of the object, the same in all snapshots of one process; of JavaScriptCore's snapshots for debugging, the address of the cell.";
        self_size: Int64 Number ?null in Bytes "Size of the object itself, in bytes.";
        edge_count: Int32 Number ?null "Number of edges that start here.";
        trace_node_id: Int32 LocalReference ?null "Where it was allocated, as id of js_heap_trace_node; 0 if unknown, NULL if the file has no such field.";
        detachedness: Int32 Number ?null "0 unknown, 1 attached, 2 detached; NULL if the file has no such field.";
        native_size: Int64 Number ?null in Bytes "Native memory held by the object, in bytes (ArkTS); NULL if the file has no such field.";
    }
}

table! {
    /// The edges.
    JS_HEAP_EDGES js_heap_edges "One row for each edge of the heap graph, in file order, which groups them by owner; of JavaScriptCore, in the order of their owners in js_heap_nodes." {
        file_id: Int32 Constant "The document, as in source.";
        edge_index: Int64 Sequence "Position of the edge in the file, from 0.";
        r#type: Label Label ?null "Type by the file's own enumeration; a number without a name there stays a number. Those of JavaScriptCore are in V8's words: internal, property, element, context.";
        name: Text Text ?null "Name of the property or variable; NULL for edges with an index (elements and hidden edges), with `--names id`, and where the string is missing.";
        name_or_index: Int64 Number ?null "The number in the file: the name as string_index, or the index of an element; NULL for internal edges of JavaScriptCore.";
        from_node_id: Int64 Ascending ?null "Id of the node that owns the edge.";
        to_node_id: Int64 Reference ?null "Id of the target node; NULL if there is no such node.";
    }
}

table! {
    /// The string table.
    JS_HEAP_STRING js_heap_string "One row for each entry of the string table; of JavaScriptCore, the names of classes, those of edges, then labels." {
        file_id: Int32 Constant "The document, as in source.";
        string_index: Int32 Sequence "Position of the string in the file, from 0.";
        string: Text Text "The string, with escapes resolved.";
    }
}

table! {
    /// Where functions and objects were defined.
    JS_HEAP_LOCATION js_heap_location "Source position where an object, usually a function, was created." {
        file_id: Int32 Constant "The document, as in source.";
        node_index: Int64 Ascending ?null "The node, as position in js_heap_nodes.";
        node_id: Int64 Ascending ?null "The node, as its id.";
        script_id: Int32 Number ?null "The engine's id of the script.";
        line_number: Int32 Number ?null "Line, from 0.";
        column_number: Int32 Number ?null "Column, from 0.";
        script_node_index: Int64 Number ?null "The script's own node, as position in js_heap_nodes (V8 since 2026); NULL if the file has no such field.";
        script_name: Text Text ?null "Path or URL of the script. Written with `--analyze`, otherwise NULL; NULL if no function of the script tells it, and for code without a name, such as that of `eval`.";
        original_name: Text Text ?null "Name of the function or class in its source, empty for a function without one. Written with `--analyze` and `--source-map`, otherwise NULL; NULL if the source map does not tell.";
        original_source: Text Text ?null "Path or URL of the source. NULL without a source map, and where no source covers the place.";
        original_line: Int32 Number ?null "Line in the source, from 0.";
        original_column: Int32 Number ?null "Column in the source, from 0.";
    }
}

table! {
    /// The samples of a timeline.
    JS_HEAP_SAMPLE js_heap_sample "The samples of a timeline: the highest object id assigned at each time." {
        file_id: Int32 Constant "The document, as in source.";
        timestamp_us: Int64 Ascending ?null in Microseconds "Time in microseconds since the first sample.";
        last_assigned_id: Int64 Ascending ?null "The highest id assigned until then; a node with an odd id belongs to the first sample whose last_assigned_id is not smaller.";
    }
}

table! {
    /// Functions named by allocation stacks.
    JS_HEAP_TRACE_FUNCTION_INFO js_heap_trace_function_info "The functions of the allocation stacks." {
        file_id: Int32 Constant "The document, as in source.";
        function_index: Int32 Sequence "Position in the file, from 0.";
        function_id: Int64 Ascending ?null "The engine's id of the function.";
        name: Text Text ?null "Name of the function. NULL with `--names id` and where the string is missing.";
        script_name: Text Text ?null "Name or URL of its script. NULL as for name.";
        script_id: Int32 Number ?null "The engine's id of the script.";
        line_number: Int32 Number ?null "Line, from 1; 0 if unknown.";
        column_number: Int32 Number ?null "Column, from 1; 0 if unknown.";
        name_id: Int32 Number ?null "The name as string_index of js_heap_string.";
        script_name_id: Int32 Number ?null "The script's name as string_index of js_heap_string.";
        original_name: Text Text ?null "Name of the function in its source, empty for a function without one. Written with source maps, otherwise NULL; NULL if the source map does not tell.";
        original_source: Text Text ?null "Path or URL of the source. NULL without a source map, and where no source covers the place.";
        original_line: Int32 Number ?null "Line in the source, from 1.";
        original_column: Int32 Number ?null "Column in the source, from 1.";
    }
}

table! {
    /// The tree of allocation stacks.
    JS_HEAP_TRACE_NODE js_heap_trace_node "The tree of allocation stacks, parents before children." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Ascending ?null "Id of the stack frame, as in js_heap_nodes.trace_node_id.";
        function_info_index: Int32 Number ?null "The function, as function_index of js_heap_trace_function_info.";
        count: Int64 Number ?null "Objects allocated here, including dead ones.";
        size: Int64 Number ?null in Bytes "Their size in bytes.";
        parent_id: Int64 Number ?null "Id of the calling frame; -1 for the root.";
        depth: Int32 Number "Number of callers: 0 for the root.";
    }
}

table! {
    /// The scopes of scripts.
    JS_HEAP_SCOPE js_heap_scope "The scopes of scripts (V8 of 2026 and later), by script and parents before children: the parent of a scope is the last one before it in its script with a depth of one less." {
        file_id: Int32 Constant "The document, as in source.";
        scope_index: Int64 Sequence "Position of the scope in the file, from 0.";
        script_node_index: Int64 Number ?null "The script, as position in js_heap_nodes; NULL if there is no such node.";
        scope_id: Int32 Number ?null "Number of the scope in its script, as the internal edges `scope_id` of functions and of scope infos name it: where the scope begins, in characters from the start of the script, or one more for a constructor that is not written; -1 for a script that is wrapped in a function, -2 for the outermost scope of a script, module or eval.";
        depth: Int32 Number ?null "Scopes around it in its script: 0 for the outermost.";
        context_var_count: Int32 Number ?null "Variables that it declares and that are kept in a context: rows of js_heap_scope_context_var.";
        use_count: Int32 Number ?null "Variables kept in a context that are used in it: rows of js_heap_scope_use.";
    }
}

table! {
    /// The variables that scopes keep in contexts.
    JS_HEAP_SCOPE_CONTEXT_VAR js_heap_scope_context_var "The variables that a scope keeps in a context, because functions in it or code of the script use them (V8 of 2026 and later)." {
        file_id: Int32 Constant "The document, as in source.";
        context_var_index: Int64 Sequence "Position of the variable in the file, from 0.";
        scope_index: Int64 Ascending ?null "The scope that declares it, as scope_index of js_heap_scope; NULL if the scopes own fewer variables.";
        slot_index: Int32 Number ?null "Position among the variables of its scope, from 0, as js_heap_scope_use.slot_index names it.";
        name: Text Text ?null "Name of the variable. NULL with `--names id` and where the string is missing.";
        name_id: Int32 Number ?null "The name as string_index of js_heap_string.";
    }
}

table! {
    /// The uses of such variables.
    JS_HEAP_SCOPE_USE js_heap_scope_use "Which scopes use a variable that a scope around them, or they themselves, keep in a context (V8 of 2026 and later)." {
        file_id: Int32 Constant "The document, as in source.";
        use_index: Int64 Sequence "Position of the use in the file, from 0.";
        scope_index: Int64 Ascending ?null "The scope in which the variable is used, as scope_index of js_heap_scope; NULL if the scopes own fewer uses.";
        declaring_scope_id: Int32 Number ?null "The scope of the same script that declares the variable, as its scope_id in js_heap_scope.";
        slot_index: Int32 Number ?null "The variable, as slot_index of js_heap_scope_context_var.";
    }
}
