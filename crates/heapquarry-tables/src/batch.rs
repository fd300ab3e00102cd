//! The tables that only batches have (`convert --batch`).

use crate::{Table, declare::table};

/// The tables of batches, in the order in which they are documented. Other conversions do not write them.
pub static BATCH_TABLES: [&Table; 3] = [&BATCH_INPUT, &JS_HEAP_SUSPECT, &PROFILE_FUNCTION];

table! {
    /// When inputs were captured.
    BATCH_INPUT batch_input "When each document of a batch was captured. Written by `convert --batch`." {
        file_id: Int32 Sequence "The document, as in source.";
        captured_at: Timestamp Number ?null "When it was captured, in UTC; NULL if unknown.";
        captured_at_from: Label Label ?null "Where that is from: `input` if the document says it (the time of a pprof profile, the start of a recording of DevTools); `file` for when the file or object was last written; NULL if unknown.";
    }
}

table! {
    /// Objects that accumulate memory.
    JS_HEAP_SUSPECT js_heap_suspect "The objects of a heap whose bytes are spread over many others, by what each holds without those listed with it: at most 12 objects that hold 1 % or more. Written by `convert --batch` with `--keep summary`." {
        file_id: Int32 Constant "The document, as in source.";
        class_name: Text Text "Class of the object, as in js_heap_class.";
        name: Text Text "The object as DevTools shows it, at most 60 characters; functions with their places.";
        held_by: Text Text "The way from the root to the object: what holds it.";
        node_index: Int64 Number "Position of the object in the file, from 0.";
        id: Int64 Number ?null "The engine's id of the object.";
        retained_size: Int64 Number in Bytes "Bytes that freeing it would free.";
        own_size: Int64 Number in Bytes "The same without the other objects of this table that it holds, in bytes.";
    }
}

table! {
    /// Totals of functions.
    PROFILE_FUNCTION profile_function "One row for each function of a profile of any kind, sorted by self value; the profiles in a trace are summed. Written by `convert --batch` with `--keep summary`: the first 1,000 of each profile." {
        file_id: Int32 Constant "The document, as in source.";
        function_name: Text Text "Name of the function, or the engine's entry, such as `(idle)`; empty for an anonymous function.";
        url: Text Text "Name or URL of its script; empty if it has none.";
        line_number: Int32 Number ?null "Its line, from 1; NULL if unknown.";
        column_number: Int32 Number ?null "Its column, from 1; NULL if unknown.";
        unit: Label Label "Unit of the values: `us` (time), `bytes` or `samples`; of a pprof profile those of its default type are taken.";
        self_value: Int64 Number "Its own value.";
        total_value: Int64 Number "Its value with everything that it calls. Calls of itself count once.";
    }
}
