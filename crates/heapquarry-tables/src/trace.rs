//! Traces in the Trace Event Format, as written, before analysis.

use crate::{Table, declare::table};

/// The tables of a trace as written.
pub static TRACE_TABLES: [&Table; 6] =
    [&TRACE_EVENT, &ARGS, &SCRIPT_CALL, &TRACE_METADATA, &STACK_FRAME, &TRACE_SAMPLE];

table! {
    /// Events as written.
    TRACE_EVENT trace_event "One row for each event of a trace, in file order, with all its members. Whatever a column cannot hold exactly is in `extra`." {
        file_id: Int32 Constant "The document, as in source.";
        event_index: Int64 Sequence "Position of the event in its document, from 0.";
        byte_offset: Int64 Ascending in Bytes "Offset of its `{` in the (decompressed) document, in bytes.";
        ph: Label Label ?null "Phase: `B`, `E`, `X`, …; as written, so it may be longer than one character.";
        name: Text Text ?null "`name`.";
        category: Text Text ?null "`cat`: categories, separated by commas.";
        ts: Int64 Ascending ?null in Nanoseconds "Time in nanoseconds, exact from the decimal text of `ts`, which is in microseconds; NULL if it is missing or not a number.";
        dur: Int64 Number ?null in Nanoseconds "`dur` in nanoseconds.";
        tts: Int64 Ascending ?null in Nanoseconds "`tts`, the clock of the thread, in nanoseconds.";
        tdur: Int64 Number ?null in Nanoseconds "`tdur`, the duration by the clock of the thread, in nanoseconds.";
        pid: Int64 Number ?null "`pid`, if it is a whole number, or text that is one.";
        pid_text: Text Text ?null "`pid`, if it is text.";
        tid: Int64 Number ?null "`tid`, if it is a whole number, or text that is one.";
        tid_text: Text Text ?null "`tid`, if it is text.";
        id: Text Text ?null "`id`, `id2.local` or `id2.global`: text as it is, a number as its digits.";
        id_kind: Label Label ?null "Kind of id: `id`, text; `id_number`, a number; `local`, `global`: members of `id2`. NULL if there is no id.";
        scope: Text Text ?null "`scope` of the id.";
        bind_id: Text Text ?null "`bind_id`, the flow that the event belongs to.";
        args: Text Text ?null "`args` as JSON, byte for byte if it is valid; otherwise repaired: `NaN` becomes \"NaN\".";
        extra: Text Text ?null "A JSON object with all other members, and with values that no column holds exactly; NULL if there are none.";
    }
}

table! {
    /// Members of arguments.
    ARGS args "One row for each scalar in the arguments of events, and for each empty object or array." {
        file_id: Int32 Constant "The document, as in source.";
        arg_set_id: Int64 Ascending "The event that has the arguments, as in trace_event.event_index.";
        flat_key: Text Text "Path of the member without array positions: `args.data.url`.";
        key: Text Text "Path of the member: `args.data.frames[0].url`.";
        int_value: Int64 Number ?null "A whole number; 1 or 0 for `true` or `false`.";
        string_value: Text Text ?null "Text; the digits of a number that int_value and real_value do not hold exactly; `{}` or `[]`.";
        real_value: Float64 Number ?null "Any other number, rounded to a double.";
        value_type: Label Label "`int`, `real`, `string`, `bool`, `null`, or `json` for an empty object or array.";
    }
}

table! {
    /// Calls into scripts.
    SCRIPT_CALL script_call "One row for each event that runs or compiles a script and says which: `FunctionCall`, `EvaluateScript`, `v8.compile`, `v8.produceCache`, as Chromium writes them." {
        file_id: Int32 Constant "The document, as in source.";
        event_index: Int64 Ascending "The event, as in trace_event.event_index and slice.id.";
        function_name: Text Text ?null "Name of the function (`functionName`); empty for an anonymous one, NULL for a script.";
        script_id: Int64 Number ?null "The engine's id of the script; 0 if it has none.";
        url: Text Text ?null "Name or URL of the script; empty if it has none.";
        line_number: Int32 Number ?null "Line of the function or script, from 1; NULL if unknown. Lines of js_cpu_profiler_node count from 0.";
        column_number: Int32 Number ?null "Column of the function or script, from 1; NULL if unknown.";
        original_name: Text Text ?null "Name of the called function in its source, empty for a function without one. NULL without a source map, if it does not tell, and for a script that runs or compiles as a whole. `summary`, `find`, long tasks and pages show it before `function_name`: `put [I]`.";
        original_source: Text Text ?null "Path or URL of the source. NULL without a source map, and where no source covers the place.";
        original_line: Int32 Number ?null "Line in the source, from 1.";
        original_column: Int32 Number ?null "Column in the source, from 1.";
    }
}

table! {
    /// Metadata of the trace.
    TRACE_METADATA trace_metadata "One row for each member of the trace's object that is not a list of events, frames or samples, and for each member of such a member." {
        file_id: Int32 Ascending "The document, as in source.";
        name: Text Text "Path of the member: `displayTimeUnit`, `otherData.version`, `metadata.command_line`.";
        key_type: Label Label "Type of its value: `int`, `real`, `string`, `bool`, `null`, or `json` for an object or array.";
        int_value: Int64 Number ?null "A whole number; 1 or 0 for `true` or `false`.";
        str_value: Text Text ?null "Anything else: text as it is, otherwise JSON; NULL if it is longer than 16 MiB.";
        byte_offset: Int64 Ascending in Bytes "Offset of its value in the (decompressed) document, in bytes.";
    }
}

table! {
    /// Call stacks that events and samples refer to.
    STACK_FRAME stack_frame "One row for each member of `stackFrames`." {
        file_id: Int32 Ascending "The document, as in source.";
        frame_id: Text Text "Its key, which `sf` and `esf` of events and samples refer to.";
        name: Text Text ?null "`name`.";
        category: Text Text ?null "`category`.";
        parent_id: Text Text ?null "`parent`: frame_id of the caller; NULL for an outermost frame.";
        extra: Text Text ?null "A JSON object with all other members, such as `line` and `column`.";
    }
}

table! {
    /// Samples of the whole trace.
    TRACE_SAMPLE trace_sample "One row for each member of `samples`." {
        file_id: Int32 Ascending "The document, as in source.";
        sample_index: Int64 Ascending "Position in `samples`, from 0.";
        ts: Int64 Ascending ?null in Nanoseconds "Time in nanoseconds.";
        cpu: Int64 Number ?null "`cpu`.";
        pid: Int64 Number ?null "`pid`, which most producers omit.";
        pid_text: Text Text ?null "`pid`, if it is text.";
        tid: Int64 Number ?null "`tid`.";
        tid_text: Text Text ?null "`tid`, if it is text.";
        name: Text Text ?null "Name of the sampled event.";
        stack_frame_id: Text Text ?null "`sf`: the innermost frame, as in stack_frame.frame_id.";
        weight: Float64 Number ?null "`weight`.";
        extra: Text Text ?null "A JSON object with all other members, and with values that no column holds exactly.";
    }
}
