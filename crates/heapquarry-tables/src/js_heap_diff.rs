//! Tables of a comparison of heaps: what `heapquarry diff -o DIR` writes.

use crate::{Table, table};

/// The tables of a comparison, in the order in which they are documented. Conversions do not write them.
pub static JS_HEAP_DIFF_TABLES: [&Table; 4] =
    [&JS_HEAP_DIFF_SNAPSHOT, &JS_HEAP_DIFF_CLASS, &JS_HEAP_DIFF_SERIES, &JS_HEAP_DIFF_OBJECT];

table! {
    /// The snapshots that were compared.
    JS_HEAP_DIFF_SNAPSHOT "js_heap_diff_snapshot" "The snapshots that `heapquarry diff` compared, in the order of time: the first is the base, the last the current one." {
        file_id: Int32 Sequence "Number of the snapshot in this comparison, from 0; the other js_heap_diff tables refer to it.";
        path: Text Text "The input as given.";
        size: Int64 Number "Size of the heap in bytes, with native memory outside it: DevTools' total.";
        node_count: Int64 Number "Nodes.";
    }
}

table! {
    /// Classes whose instances came or went.
    JS_HEAP_DIFF_CLASS "js_heap_diff_class" "DevTools' comparison: classes with instances that only one of two snapshots has, by id. An instance that is in both does not count, even if its size changed. Sizes are shallow sizes in bytes." {
        file_id: Int32 Constant "The current snapshot, as in js_heap_diff_snapshot.";
        base_file_id: Int32 Constant "The base, as in js_heap_diff_snapshot.";
        class_name: Text Text "Name of the class, as in js_heap_class.";
        class_key: Text Text "Key of the class, as in js_heap_class.";
        added_count: Int64 Number "Instances that only the current snapshot has.";
        removed_count: Int64 Number "Instances that only the base has.";
        added_size: Int64 Number "Size of the added ones.";
        removed_size: Int64 Number "Size of the removed ones.";
        count_delta: Int64 Number "added_count less removed_count.";
        size_delta: Int64 Number "added_size less removed_size.";
        base_retained_size: Int64 Number "What the class's instances retain in the base.";
        retained_size: Int64 Number "What they retain in the current snapshot.";
    }
}

table! {
    /// Totals of each class in each snapshot.
    JS_HEAP_DIFF_SERIES "js_heap_diff_series" "Totals of each class in each of the snapshots compared; no row where a snapshot has no instance. Plain objects are classified as in the last snapshot." {
        file_id: Int32 Ascending "The snapshot, as in js_heap_diff_snapshot.";
        class_name: Text Text "Name of the class, as in js_heap_class.";
        class_key: Text Text "Key of the class, as in js_heap_class.";
        count: Int64 Number "Instances that have a size.";
        shallow_size: Int64 Number "Their size in bytes.";
        retained_size: Int64 Number "What would be free without them, in bytes.";
        suspected: Int32 Number "1 if, of three or more snapshots, each has more instances than the one before; else 0.";
    }
}

table! {
    /// Objects that retain more than they did.
    JS_HEAP_DIFF_OBJECT "js_heap_diff_object" "Objects of the current snapshot that retain more than in the base, and new ones; without the engine's own, code and grouping nodes." {
        file_id: Int32 Constant "The current snapshot, as in js_heap_diff_snapshot.";
        base_file_id: Int32 Constant "The base, as in js_heap_diff_snapshot.";
        id: Int64 Reference "The engine's id of the object.";
        class_name: Text Text "Name of its class, as in js_heap_class.";
        base_retained_size: Int64 Number ?null "What it retained in the base, in bytes; NULL if it is new.";
        retained_size: Int64 Number "What it retains, in bytes.";
        retained_delta: Int64 Number "By how much that grew: all of it, if the object is new.";
    }
}
