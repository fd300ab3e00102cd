//! The tables of a comparison of heaps, written by `heapquarry diff -o DIR`.

use crate::{Table, declare::table};

/// The tables of a comparison, in the order in which they are documented. Conversions do not write them.
pub static JS_HEAP_DIFF_TABLES: [&Table; 4] =
    [&JS_HEAP_DIFF_SNAPSHOT, &JS_HEAP_DIFF_CLASS, &JS_HEAP_DIFF_SERIES, &JS_HEAP_DIFF_OBJECT];

table! {
    /// The snapshots that were compared.
    JS_HEAP_DIFF_SNAPSHOT js_heap_diff_snapshot "The snapshots that `heapquarry diff` compared, in order of time: the first is the base, the last the current one." {
        file_id: Int32 Sequence "Number of the snapshot in this comparison, from 0; the other js_heap_diff tables refer to it.";
        path: Text Text "The input as given.";
        size: Int64 Number in Bytes "Size of the heap in bytes, native memory outside of it included: DevTools' total.";
        node_count: Int64 Number "Number of nodes.";
    }
}

table! {
    /// Classes whose instances came or went.
    JS_HEAP_DIFF_CLASS js_heap_diff_class "DevTools' comparison: classes with instances in only one of two snapshots, by id. An instance in both is not counted, even if its size changed. Sizes are shallow sizes in bytes." {
        file_id: Int32 Constant "The current snapshot, as in js_heap_diff_snapshot.";
        base_file_id: Int32 Constant "The base, as in js_heap_diff_snapshot.";
        class_name: Text Text "Name of the class, as in js_heap_class.";
        class_key: Text Text "Key of the class, as in js_heap_class.";
        added_count: Int64 Number "Instances that only the current snapshot has.";
        removed_count: Int64 Number "Instances that only the base has.";
        added_size: Int64 Number in Bytes "Size of the added instances, in bytes.";
        removed_size: Int64 Number in Bytes "Size of the removed instances, in bytes.";
        count_delta: Int64 Number "added_count minus removed_count.";
        size_delta: Int64 Number in Bytes "added_size minus removed_size, in bytes.";
        base_retained_size: Int64 Number in Bytes "Retained size of the class in the base, in bytes.";
        retained_size: Int64 Number in Bytes "Retained size of the class in the current snapshot, in bytes.";
    }
}

table! {
    /// Totals of each class in each snapshot.
    JS_HEAP_DIFF_SERIES js_heap_diff_series "Totals of each class in each compared snapshot; no row where a snapshot has no instance. Plain objects are classified as in the last snapshot." {
        file_id: Int32 Ascending "The snapshot, as in js_heap_diff_snapshot.";
        class_name: Text Text "Name of the class, as in js_heap_class.";
        class_key: Text Text "Key of the class, as in js_heap_class.";
        count: Int64 Number "Instances that have a size.";
        shallow_size: Int64 Number in Bytes "Their size in bytes.";
        retained_size: Int64 Number in Bytes "Bytes that freeing all instances would free.";
        suspected: Int32 Number "1 if, of three or more snapshots, each has more instances than the one before; otherwise 0.";
    }
}

table! {
    /// Objects that retain more than in the base.
    JS_HEAP_DIFF_OBJECT js_heap_diff_object "Objects of the current snapshot that retain more than in the base, and new ones; without the engine's own objects, code and grouping nodes." {
        file_id: Int32 Constant "The current snapshot, as in js_heap_diff_snapshot.";
        base_file_id: Int32 Constant "The base, as in js_heap_diff_snapshot.";
        id: Int64 Reference "The engine's id of the object.";
        class_name: Text Text "Name of its class, as in js_heap_class.";
        base_retained_size: Int64 Number ?null in Bytes "Retained size in the base, in bytes; NULL if the object is new.";
        retained_size: Int64 Number in Bytes "Retained size, in bytes.";
        retained_delta: Int64 Number in Bytes "Growth of the retained size, in bytes: all of it, if the object is new.";
    }
}
