//! Profiles in the format of pprof: the messages of `perftools.profiles.Profile`, and the call tree of their stacks.
//! <https://github.com/google/pprof/blob/main/proto/profile.proto>

use crate::{Table, declare::table};

/// The tables that every pprof profile writes, even without rows.
pub static PPROF_TABLES: [&Table; 12] = [
    &PPROF_FILES,
    &PPROF_COMMENT,
    &PPROF_SAMPLE_TYPE,
    &PPROF_SAMPLE,
    &PPROF_VALUE,
    &PPROF_LABEL,
    &PPROF_NODE,
    &PPROF_NODE_VALUE,
    &PPROF_LOCATION,
    &PPROF_LINE,
    &PPROF_FUNCTION,
    &PPROF_MAPPING,
];

table! {
    /// One row for each profile.
    PPROF_FILES pprof_files "One row for each pprof profile, with its totals." {
        file_id: Int32 Sequence "The document, as in source.";
        file_name: Text Text "Name of the document, as in source.";
        time_ns: Int64 Number ?null in Nanoseconds Instant "Time of the recording in nanoseconds since 1970; NULL if not given.";
        duration_ns: Int64 Number ?null in Nanoseconds "Duration of the recording in nanoseconds; NULL if not given.";
        period: Int64 Number ?null "Events between two samples, in period_unit; NULL if not given.";
        period_type: Text Text ?null "What is counted between samples: `cpu`, `space`.";
        period_unit: Text Text ?null "Unit of the period: `nanoseconds`, `bytes`.";
        default_value_index: Int32 Number ?null "The values that queries take, as in pprof_sample_type: those that default_sample_type names, else the last ones. NULL if there are none.";
        default_sample_type: Text Text ?null "The type of values that the file wants to be shown first; NULL if not given.";
        drop_frames: Text Text ?null "Regular expression: such functions, and all that they call, are to be left out by viewers. Nothing is left out here.";
        keep_frames: Text Text ?null "Regular expression: functions that are kept although drop_frames names them.";
        doc_url: Text Text ?null "Where the profile is documented.";
        sample_count: Int64 Number "Samples read.";
        node_count: Int64 Number "Nodes of the call tree.";
        location_count: Int64 Number "Locations read.";
        function_count: Int64 Number "Functions read.";
        mapping_count: Int64 Number "Mappings read.";
    }
}

table! {
    /// Free text.
    PPROF_COMMENT pprof_comment "Comments on a profile." {
        file_id: Int32 Ascending "The document, as in source.";
        comment_index: Int64 Number "Position of the comment, from 0.";
        comment: Text Text ?null "The text.";
    }
}

table! {
    /// Types of values.
    PPROF_SAMPLE_TYPE pprof_sample_type "One row for each type of values that samples have." {
        file_id: Int32 Ascending "The document, as in source.";
        value_index: Int32 Number "Position of the type, from 0; the values of a sample are in this order.";
        value_type: Text Text ?null "What the values are: `cpu`, `alloc_space`, `samples`.";
        unit: Text Text ?null "Their unit: `nanoseconds`, `bytes`, `count`.";
        total_value: Int64 Number "Sum over all samples.";
    }
}

table! {
    /// The samples.
    PPROF_SAMPLE pprof_sample "One row for each sample, in file order." {
        file_id: Int32 Constant "The document, as in source.";
        sample_index: Int64 Sequence "Position of the sample in the file, from 0.";
        node_index: Int64 Number "The innermost call, as in pprof_node; its ancestors are the rest of the stack. -1 for an empty stack.";
    }
}

table! {
    /// The values of samples.
    PPROF_VALUE pprof_value "One row for each value of each sample." {
        file_id: Int32 Constant "The document, as in source.";
        sample_index: Int64 Ascending "The sample, as in pprof_sample.";
        value_index: Int32 Number "The type of the value, as in pprof_sample_type.";
        sample_value: Int64 Number "The value, in the unit of its type.";
    }
}

table! {
    /// The labels of samples.
    PPROF_LABEL pprof_label "One row for each label of each sample: thread, request, size of an allocation." {
        file_id: Int32 Constant "The document, as in source.";
        sample_index: Int64 Ascending "The sample, as in pprof_sample.";
        label_key: Text Text ?null "Name of the label.";
        str_value: Text Text ?null "Its value, if it is text.";
        num_value: Int64 Number ?null "Its value, if it is a number.";
        num_unit: Text Text ?null "Unit of the number; NULL if not given.";
    }
}

table! {
    /// The call tree.
    PPROF_NODE pprof_node "One row for each node of the call tree, callers first: a line of a location as called from one place. An inlined call has a node of its own, below the function that it is inlined into." {
        file_id: Int32 Constant "The document, as in source.";
        node_index: Int64 Sequence "Position of the node, from 0.";
        parent_index: Int64 Number "node_index of the caller; -1 for an outermost call.";
        depth: Int32 Number "Number of callers: 0 for an outermost call.";
        location_id: Int64 Number "The location, as in pprof_location.";
        line_index: Int32 Number "The line of the location, as in pprof_line: 0, or more for a call that others are inlined into.";
        function_id: Int64 Number ?null "The function, as in pprof_function; NULL if the location has no lines.";
        function_name: Text Text ?null "Name of the function; NULL if unknown.";
        url: Text Text ?null "File of the function; NULL if unknown.";
        line_number: Int32 Number ?null "Line where the function begins, from 1; NULL if unknown.";
        at_line_number: Int32 Number ?null "Line that ran or made the call, from 1; NULL if unknown.";
        at_column_number: Int32 Number ?null "Column that ran or made the call, from 1; NULL if unknown.";
        address: Int64 Number ?null "Address of the instruction; NULL if not given. Addresses from 2^63 on are negative.";
        mapping_name: Text Text ?null "File of the mapping that the location is in: the binary or library; NULL if unknown.";
    }
}

table! {
    /// Sums over the call tree.
    PPROF_NODE_VALUE pprof_node_value "One row for each node of the call tree and each type of values of which it has any." {
        file_id: Int32 Constant "The document, as in source.";
        value_index: Int32 Ascending "The type of the values, as in pprof_sample_type.";
        node_index: Int64 Ascending "The node, as in pprof_node.";
        self_value: Int64 Number "Sum over the samples with this node at the top of the stack.";
        total_value: Int64 Number "self_value of the node and all nodes below it.";
    }
}

table! {
    /// The locations.
    PPROF_LOCATION pprof_location "One row for each location: an address, or a place in the source." {
        file_id: Int32 Constant "The document, as in source.";
        location_id: Int64 Number "Id of the location.";
        mapping_id: Int64 Number ?null "The mapping, as in pprof_mapping; NULL if not given.";
        address: Int64 Number ?null "Address of the instruction; NULL if not given. Addresses from 2^63 on are negative.";
        is_folded: Int32 Number in Flag "1 if other functions may have the same code at this address, so that the lines are only one possibility; else 0.";
        line_count: Int64 Number "Lines of the location: more than one if calls are inlined, 0 if it is only an address.";
    }
}

table! {
    /// The lines of locations.
    PPROF_LINE pprof_line "One row for each line of each location. Line 0 is the innermost call; the last one is the function that the others are inlined into." {
        file_id: Int32 Constant "The document, as in source.";
        location_id: Int64 Number "The location, as in pprof_location.";
        line_index: Int32 Number "Position of the line in the location, from 0.";
        function_id: Int64 Number ?null "The function, as in pprof_function.";
        line_number: Int32 Number ?null "Line in the source, from 1; NULL if not given.";
        column_number: Int32 Number ?null "Column in the source, from 1; NULL if not given.";
    }
}

table! {
    /// The functions.
    PPROF_FUNCTION pprof_function "One row for each function." {
        file_id: Int32 Constant "The document, as in source.";
        function_id: Int64 Number "Id of the function.";
        function_name: Text Text ?null "Name for people.";
        system_name: Text Text ?null "Name as the system knows it, such as a mangled C++ name.";
        url: Text Text ?null "File of the function.";
        line_number: Int32 Number ?null "Line where the function begins, from 1; NULL if not given.";
    }
}

table! {
    /// The mappings.
    PPROF_MAPPING pprof_mapping "One row for each mapping: a program or a library in memory." {
        file_id: Int32 Constant "The document, as in source.";
        mapping_id: Int64 Number "Id of the mapping. The first one is the main program.";
        memory_start: Int64 Number "Address of its first byte. Addresses from 2^63 on are negative.";
        memory_limit: Int64 Number "Address after its last byte.";
        file_offset: Int64 Number in Bytes "Offset in the file that corresponds to memory_start, in bytes.";
        file_name: Text Text ?null "The file: a path, or a name such as `[vdso]`.";
        build_id: Text Text ?null "Identifies the build of the file.";
        has_functions: Int32 Number in Flag "1 if locations in it have functions, else 0.";
        has_filenames: Int32 Number in Flag "1 if locations in it have files, else 0.";
        has_line_numbers: Int32 Number in Flag "1 if locations in it have lines, else 0.";
        has_inline_frames: Int32 Number in Flag "1 if locations in it have inlined calls, else 0.";
    }
}
