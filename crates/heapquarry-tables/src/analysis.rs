//! The tables of `convert --analyze`: the numbers that Chrome DevTools shows of a heap.

use crate::{Table, declare::table};

/// The tables of the analysis.
pub static JS_HEAP_ANALYSIS_TABLES: [&Table; 7] = [
    &JS_HEAP_ANALYSIS,
    &JS_HEAP_CLASS,
    &JS_HEAP_STATISTICS,
    &JS_HEAP_DUPLICATE_STRING,
    &JS_HEAP_NATIVE_CONTEXT,
    &JS_HEAP_CONTEXT_VARIABLE,
    &JS_HEAP_PACKAGE,
];

table! {
    /// Results for each node.
    JS_HEAP_ANALYSIS js_heap_analysis "One row for each node, in file order: what Chrome DevTools computes for it. Written with `--analyze`." {
        file_id: Int32 Constant "The document, as in source.";
        node_index: Int64 Sequence "Position of the node in the file, from 0.";
        id: Int64 Ascending ?null "The engine's id of the object, as in js_heap_nodes.";
        class_name: Text Text "Its class: the constructor's name, the properties of a plain object, or a name in parentheses for nodes without a constructor, such as (string).";
        distance: Int32 Number "Edges on the shortest path from a global object, which has distance 1; 100,000,000 and more if only the engine holds it; -5 if it is unreachable.";
        shallow_size: Int64 Number in Bytes "Its own size in bytes, including storage that it alone owns.";
        retained_size: Int64 Number in Bytes "Bytes that freeing it would free: its size and that of all nodes that it dominates.";
        dominator_id: Int64 Number ?null "Id of its immediate dominator: the closest node on every path from the root. The root dominates itself.";
        detachedness: Int32 Number "0 unknown, 1 attached to the document, 2 detached from it; known for DOM nodes and the nodes below them.";
        retained_native_size: Int64 Number ?null in Bytes "Native memory in bytes of it and all nodes that it dominates (ArkTS); NULL if the file has no such field.";
        class_index: Int32 Number "The class, as class_index of js_heap_class.";
        function_name: Text Text ?null "Name of a closure, as JavaScript's `name` gives it: `bound f` for a bound function; NULL for other nodes and functions without a name.";
        script_name: Text Text ?null "Path or URL of the script that a closure is written in; NULL for other nodes, for functions of the engine, and for code without a name, such as that of `eval`.";
        native_context_id: Int64 Number ?null "Id of the native context (the realm of a window, a frame or a vm context) that the node belongs to; NULL if it belongs to none, or to several.";
        is_context_shared: Int32 Number in Flag "1 if it belongs to several native contexts, otherwise 0.";
        retained_by_detached: Int32 Number in Flag "1 if nothing keeps it alive but detached DOM nodes, otherwise 0; 1 for these nodes themselves.";
        retained_by_console: Int32 Number in Flag "1 if nothing keeps it alive but the DevTools console, otherwise 0.";
        retained_by_event_handlers: Int32 Number in Flag "1 if nothing keeps it alive but functions that listen to DOM events, otherwise 0; 1 for these functions themselves.";
        retained_by_contexts: Int32 Number in Flag "1 if nothing keeps it alive but contexts, the variables that functions capture, otherwise 0; 1 for contexts themselves.";
        is_stack_root: Int32 Number in Flag "1 if the stack refers to it, otherwise 0.";
        is_unreachable: Int32 Number in Flag "1 if no path of strong references leads from the root to it, otherwise 0.";
    }
}

table! {
    /// Totals of each class.
    JS_HEAP_CLASS js_heap_class "One row for each class with instances of any size, sorted by retained size. Written with `--analyze`." {
        file_id: Int32 Constant "The document, as in source.";
        class_name: Text Text "Name of the class, as in js_heap_analysis.";
        class_key: Text Text "Key of the class, the same in all snapshots: `,name`, or `script,line,column,name` if the position of the constructor is known.";
        count: Int64 Number "Instances that have a size.";
        distance: Int32 Number "The least distance of an instance; -5 if one is unreachable.";
        shallow_size: Int64 Number in Bytes "Sum of the instances' shallow sizes in bytes.";
        retained_size: Int64 Number in Bytes "Bytes that freeing all instances would free: the sum of their retained sizes, without instances inside another instance.";
        class_index: Int32 Number "Number of the class within the document.";
    }
}

table! {
    /// Sizes by category.
    JS_HEAP_STATISTICS js_heap_statistics "Sizes by category, as in DevTools' statistics. Written with `--analyze`." {
        file_id: Int32 Constant "The document, as in source.";
        category: Label Label "total; its parts native and v8_heap; typed_arrays, a part of native; code, strings, js_arrays and system (of the engine itself), parts of v8_heap.";
        size: Int64 Number in Bytes "Size in bytes.";
    }
}

table! {
    /// Strings that occur more than once.
    JS_HEAP_DUPLICATE_STRING js_heap_duplicate_string "Strings of several nodes, sorted by size. Cut texts are equal only in nodes of one size. Written with `--analyze`." {
        file_id: Int32 Constant "The document, as in source.";
        string: Text Text "The string as far as the file has it: V8 cuts at 1,024 characters.";
        count: Int64 Number "Nodes that hold it and have a size.";
        size: Int64 Number in Bytes "Sum of their shallow sizes in bytes.";
    }
}

table! {
    /// Sizes by native context.
    JS_HEAP_NATIVE_CONTEXT js_heap_native_context "Nodes and sizes that belong to each native context (the realm of a window, a frame or a vm context), in file order; then those that several share, and those that belong to none. Written with `--analyze`." {
        file_id: Int32 Constant "The document, as in source.";
        kind: Label Label "context for a native context, shared for what belongs to several, none for what belongs to none.";
        id: Int64 Number ?null "Id of the native context, as in js_heap_analysis.native_context_id; NULL for shared and none.";
        node_index: Int64 Number ?null "The native context, as node_index of js_heap_nodes; NULL for shared and none.";
        count: Int64 Number "Nodes that belong to it.";
        shallow_size: Int64 Number in Bytes "Sum of their shallow sizes in bytes.";
        retained_size: Int64 Number ?null in Bytes "Bytes that freeing the native context would free; NULL for shared and none.";
    }
}

table! {
    /// Captured variables that nobody reads.
    JS_HEAP_CONTEXT_VARIABLE js_heap_context_variable "Variables that functions captured and that no live function can read any more, by context in file order: what they hold is kept for nothing. Written with `--analyze`." {
        file_id: Int32 Constant "The document, as in source.";
        context_index: Int64 Ascending "The context that holds it, as node_index of js_heap_nodes.";
        context_id: Int64 Ascending ?null "Id of the context.";
        context_name: Text Text "Whose variables the context holds: `variables of f (app.js)`, or the name of the node.";
        name: Text Text "Name of the variable.";
        value_index: Int64 Number "Its value, as node_index of js_heap_nodes.";
        value_id: Int64 Number ?null "Id of its value.";
        value_retained_size: Int64 Number in Bytes "Retained size of its value in bytes; the variable is not all that holds it if others do too.";
        basis: Label Label "How it is known: scopes if the file says which scope uses which variable (V8 of 2026 and later), closures if only contexts that no function leads to are known to be unread.";
    }
}

table! {
    /// Sizes by package.
    JS_HEAP_PACKAGE js_heap_package "Nodes and sizes that belong to each package, the largest first: each node belongs to the nearest dominator whose function, class or context comes from a script. Computed beside the dominators, while the edges are in memory; with `--source-map`, packages are those of the sources. Written with `--analyze`." {
        file_id: Int32 Constant "The document, as in source.";
        package: Text Text "Its name: of npm or JSR, a folder of the repository, an origin, how the names of the runtime's scripts begin, or in parentheses what has none: (own scripts), (ignored sources), (engine), (unattributed), (outside the heap).";
        kind: Label Label "code for a package; engine for code, hidden nodes and roots that no script holds alone; unattributed for what several parts of the program hold, or functions of the engine; outside for native memory outside the heap.";
        count: Int64 Number "Nodes that belong to it.";
        shallow_size: Int64 Number in Bytes "Sum of their shallow sizes in bytes. Those of all rows add up to the category `total` of js_heap_statistics.";
        retained_size: Int64 Number ?null in Bytes "Bytes that would be freed if all its nodes went. Of several packages they can be the same bytes. NULL for what is no code.";
    }
}
