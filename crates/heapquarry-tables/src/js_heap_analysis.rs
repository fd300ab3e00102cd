//! What `convert --analyze` adds: the numbers that Chrome DevTools shows of a heap.

use crate::{Table, table};

/// The tables of the analysis.
pub static JS_HEAP_ANALYSIS_TABLES: [&Table; 4] =
    [&JS_HEAP_ANALYSIS, &JS_HEAP_CLASS, &JS_HEAP_STATISTICS, &JS_HEAP_DUPLICATE_STRING];

table! {
    /// What is computed of each node.
    JS_HEAP_ANALYSIS "js_heap_analysis" "One row for each node, in file order: what Chrome DevTools computes of it. Written with `--analyze`." {
        file_id: Int32 Constant "The document, as in source.";
        node_index: Int64 Sequence "Position of the node in the file, from 0.";
        id: Int64 Ascending ?null "The engine's id of the object, as in js_heap_nodes.";
        class_name: Text Text "What it is an instance of: the constructor's name, the properties of a plain object, or a name for what has no constructor, such as (string).";
        distance: Int32 Number "Edges on the shortest way from a global object, which has 1; from 100,000,000 on for what only the engine holds; -5 for what cannot be reached.";
        shallow_size: Int64 Number "Its own size in bytes, with that of storage which belongs to it alone.";
        retained_size: Int64 Number "What would be free without it, in bytes: its size and that of all that it dominates.";
        dominator_id: Int64 Number ?null "Id of the closest node that every way from the root leads through. The root dominates itself.";
        detachedness: Int32 Number "0 not known, 1 part of the document, 2 detached from it; known for nodes of the DOM and what hangs from them.";
        retained_native_size: Int64 Number ?null "Native memory held by it and all that it dominates, in bytes (ArkTS); NULL if the file has no such field.";
        class_index: Int32 Number "The class, as class_index of js_heap_class.";
    }
}

table! {
    /// Totals of each class.
    JS_HEAP_CLASS "js_heap_class" "One row for each class that has instances of any size, those that retain most first. Written with `--analyze`." {
        file_id: Int32 Constant "The document, as in source.";
        class_name: Text Text "Name of the class, as in js_heap_analysis.";
        class_key: Text Text "The same in all snapshots: `,name`, or `script,line,column,name` where it is known where the constructor stands.";
        count: Int64 Number "Number of instances that have a size.";
        distance: Int32 Number "The least distance of an instance; -5 if one cannot be reached.";
        shallow_size: Int64 Number "Sum of the instances' shallow sizes in bytes.";
        retained_size: Int64 Number "What would be free without all instances, in bytes: the sum of their retained sizes, without those inside of another instance.";
        class_index: Int32 Number "Number of the class within the document.";
    }
}

table! {
    /// Sizes by category.
    JS_HEAP_STATISTICS "js_heap_statistics" "Sizes by category, as in DevTools' statistics. Written with `--analyze`." {
        file_id: Int32 Constant "The document, as in source.";
        category: Label Label "total; native and, within it, typed_arrays; v8_heap (total without native) and, within it, code, strings, js_arrays, system (of the engine itself).";
        size: Int64 Number "Bytes.";
    }
}

table! {
    /// Strings that are there more than once.
    JS_HEAP_DUPLICATE_STRING "js_heap_duplicate_string" "Strings that more than one node holds, those that take most memory first. Written with `--analyze`." {
        file_id: Int32 Constant "The document, as in source.";
        string: Text Text "The string, as far as the file gives it: V8 cuts at 1,024 characters.";
        count: Int64 Number "Number of nodes that hold it and have a size.";
        size: Int64 Number "Sum of their shallow sizes in bytes.";
    }
}
