//! Traces in the Trace Event Format: what stands in the file, before anything is concluded from it.

use crate::{Table, table};

/// The tables of what stands in a trace, empty if need be.
pub static TRACE_TABLES: [&Table; 5] =
    [&TRACE_EVENT, &ARGS, &TRACE_METADATA, &STACK_FRAME, &TRACE_SAMPLE];

table! {
    /// Every event as it was.
    TRACE_EVENT "trace_event" "One row for each event of a trace, in file order, with all its members: what does not fit a column exactly stands in `extra`." {
        file_id: Int32 Constant "The document, as in source.";
        event_index: Int64 Sequence "Position of the event in its document, from 0.";
        byte_offset: Int64 Ascending "Where its `{` stands in the (decompressed) document.";
        ph: Label Label ?null "Phase: `B`, `E`, `X`, …; as it stands in the file, so it may be longer than one character.";
        name: Text Text ?null "`name`.";
        category: Text Text ?null "`cat`: a list with commas.";
        ts: Int64 Ascending ?null "Time in nanoseconds, exact from the decimal text of `ts`, which is in microseconds; NULL if there is none that is a number.";
        dur: Int64 Number ?null "`dur` in nanoseconds.";
        tts: Int64 Ascending ?null "`tts`, the clock of the thread, in nanoseconds.";
        tdur: Int64 Number ?null "`tdur`, the duration by the clock of the thread, in nanoseconds.";
        pid: Int64 Number ?null "`pid`, if it is a whole number or a text that is one.";
        pid_text: Text Text ?null "`pid`, if it is a text.";
        tid: Int64 Number ?null "`tid`, if it is a whole number or a text that is one.";
        tid_text: Text Text ?null "`tid`, if it is a text.";
        id: Text Text ?null "`id`, `id2.local` or `id2.global`: a text as it is, a number as its digits.";
        id_kind: Label Label ?null "What id is: `id`, a text; `id_number`, the same as a number; `local`, `global`: those of `id2`. NULL if there is no id.";
        scope: Text Text ?null "`scope`, which the id belongs to.";
        bind_id: Text Text ?null "`bind_id`, the flow that the event belongs to.";
        args: Text Text ?null "`args` as JSON, byte for byte where that is valid; otherwise repaired: `NaN` becomes \"NaN\".";
        extra: Text Text ?null "A JSON object of all other members, and of those that no column holds as they were; NULL if there are none.";
    }
}

table! {
    /// Members of arguments, one by one.
    ARGS "args" "One row for each scalar in the arguments of events, and for each empty object or array." {
        file_id: Int32 Constant "The document, as in source.";
        arg_set_id: Int64 Ascending "The event that they are of, as in trace_event.event_index.";
        flat_key: Text Text "Path of the member without positions in arrays: `args.data.url`.";
        key: Text Text "Path of the member: `args.data.frames[0].url`.";
        int_value: Int64 Number ?null "A whole number; 1 or 0 for `true` or `false`.";
        string_value: Text Text ?null "A text; the digits of a number that int_value and real_value do not hold exactly; `{}` or `[]`.";
        real_value: Float64 Number ?null "Any other number, the nearest there is.";
        value_type: Label Label "`int`, `real`, `string`, `bool`, `null`, or `json` for an empty object or array.";
    }
}

table! {
    /// What the trace says of itself.
    TRACE_METADATA "trace_metadata" "One row for each member of the trace's object that is no list of events, frames or samples, and for each member of such a member." {
        file_id: Int32 Ascending "The document, as in source.";
        name: Text Text "Member: `displayTimeUnit`, `otherData.version`, `metadata.command_line`.";
        key_type: Label Label "What its value is: `int`, `real`, `string`, `bool`, `null`, or `json` for an object or array.";
        int_value: Int64 Number ?null "A whole number; 1 or 0 for `true` or `false`.";
        str_value: Text Text ?null "Anything else: a text as it is, otherwise as JSON; NULL if it has more than 16 MiB.";
        byte_offset: Int64 Ascending "Where its value stands in the (decompressed) document.";
    }
}

table! {
    /// Call stacks that events and samples refer to.
    STACK_FRAME "stack_frame" "One row for each member of `stackFrames`." {
        file_id: Int32 Ascending "The document, as in source.";
        frame_id: Text Text "Its key, which `sf` and `esf` of events and samples refer to.";
        name: Text Text ?null "`name`.";
        category: Text Text ?null "`category`.";
        parent_id: Text Text ?null "`parent`: frame_id of the caller; NULL for an outermost one.";
        extra: Text Text ?null "A JSON object of all other members, such as `line` and `column`.";
    }
}

table! {
    /// Samples of the whole trace.
    TRACE_SAMPLE "trace_sample" "One row for each member of `samples`." {
        file_id: Int32 Ascending "The document, as in source.";
        sample_index: Int64 Ascending "Position in `samples`, from 0.";
        ts: Int64 Ascending ?null "Time in nanoseconds.";
        cpu: Int64 Number ?null "`cpu`.";
        pid: Int64 Number ?null "`pid`, which most producers leave out.";
        pid_text: Text Text ?null "`pid`, if it is a text.";
        tid: Int64 Number ?null "`tid`.";
        tid_text: Text Text ?null "`tid`, if it is a text.";
        name: Text Text ?null "What was sampled.";
        stack_frame_id: Text Text ?null "`sf`: the innermost frame, as in stack_frame.frame_id.";
        weight: Float64 Number ?null "`weight`.";
        extra: Text Text ?null "A JSON object of all other members, and of those that no column holds as they were.";
    }
}
