//! The meaning of trace events. Names follow Perfetto's tables where these exist
//! (<https://perfetto.dev/docs/analysis/sql-tables>); times are in nanoseconds of the trace's clock.

use crate::{Table, declare::table};

/// The tables that are derived from the events of a trace; without rows if nothing fills them.
pub static TIMELINE_TABLES: [&Table; 13] = [
    &SLICE,
    &TRACK,
    &THREAD,
    &PROCESS,
    &COUNTER,
    &FLOW,
    &ASYNC_SLICE,
    &INSTANT,
    &OBJECT,
    &OBJECT_SNAPSHOT,
    &CLOCK_SYNC,
    &CONTEXT,
    &ID_LINK,
];

table! {
    /// Slices of threads.
    SLICE slice "One row for each slice of a thread, a complete event (`X`) or a beginning (`B`) with its end, in file order of the beginnings." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Ascending "The event that begins it, as in trace_event.event_index or ftrace_event.event_index.";
        ts: Int64 Ascending in Nanoseconds "Start time in nanoseconds.";
        dur: Int64 Number in Nanoseconds Open "Duration in nanoseconds; -1 if the slice has no end.";
        track_id: Int64 Number "Its track, as in track: that of its thread, so it equals utid.";
        category: Text Text ?null "Its categories, separated by commas.";
        name: Text Text ?null "Its name.";
        depth: Int32 Number "Number of slices that contain it.";
        parent_id: Int64 Number ?null "The innermost slice that fully contains it; its end may be later by one in the last decimal place of the file's times.";
        arg_set_id: Int64 Ascending ?null "The event that has its arguments, as in args: its beginning, or its end if only that has some. The view slice_args merges both.";
        thread_ts: Int64 Number ?null in Nanoseconds "Start in nanoseconds of the thread's clock (`tts`).";
        thread_dur: Int64 Number ?null in Nanoseconds "Duration in nanoseconds of the thread's clock.";
        thread_instruction_count: Int64 Number ?null "Instructions that the thread had executed at the start (`ticount`).";
        thread_instruction_delta: Int64 Number ?null "Instructions that the thread executed during the slice.";
        utid: Int64 Number "Its thread, as in thread.";
        self_dur: Int64 Number ?null in Nanoseconds "The part of dur that no nested slice covers, in nanoseconds, without what is later than the end of its parent; NULL if dur is unknown.";
        ending: Label Label "`complete`: a complete event; `matched`: a beginning with its end; `implied`: a beginning without an end, closed by the end of the slice around it; `open`: a beginning without an end; `unknown`: a complete event without a duration, or with a negative one.";
        is_overlapping: Int32 Number in Flag "1 if it ends after the slice in which it began, by more than the last decimal place of the file's times, which the format forbids; otherwise 0.";
        end_event_index: Int64 Number ?null "The event that ends it, if that is a separate event.";
        stack_id: Text Text ?null "The stack where it began (`sf`), as in stack_frame.frame_id.";
        end_stack_id: Text Text ?null "The stack where it ended (`esf`, or `sf` of the end).";
        is_aggregate: Int32 Number in Flag "1 if it is no work of its own, but a sum or repetition of other slices that the producer adds: clang's `Total …`, Bazel's thread `Critical Path`, PyTorch's thread `PyTorch Profiler`; otherwise 0.";
    }
}

table! {
    /// Tracks of slices, instants and counters.
    TRACK track "One row for each thread, asynchronous operation, series of a counter, and process with instants: events that belong together share a track." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Sequence "Number of the track. For a thread, its utid.";
        name: Text Text ?null "Name of an asynchronous operation: that of its first event. For a counter: name, id and series, as Perfetto writes them.";
        r#type: Label Label "As in Perfetto: `thread_execution`; `chrome_process_instant`, `legacy_chrome_global_instants`; `legacy_async_global_slice` and `legacy_async_process_slice` for asynchronous operations whose id is global or belongs to a process; `json_counter`; for marks in ftrace `atrace_async_slice`, `atrace_async_slice_for_track` and `atrace_counter`.";
        parent_id: Int64 Number ?null "Always NULL; tracks of this format have no parents.";
        utid: Int64 Number ?null "The thread, for a track of a thread.";
        upid: Int64 Number ?null "The process; for an asynchronous operation, the one where it began.";
        category: Text Text ?null "Categories of an asynchronous operation.";
        async_id: Text Text ?null "Id of an asynchronous operation or of a counter.";
        id_kind: Label Label ?null "Member that has the id: `id`, `local` or `global`.";
        scope: Text Text ?null "Scope of the id.";
        counter_name: Text Text ?null "Name of a counter, which may have several series.";
        counter_key: Text Text ?null "The member of its arguments that has the series.";
    }
}

table! {
    /// Threads.
    THREAD thread "One row for each thread that has events or a name, in order of first mention." {
        file_id: Int32 Constant "The document, as in source.";
        utid: Int64 Sequence "Number of the thread; unlike tid, unique across processes.";
        tid: Int64 Number ?null "`tid`, if it is a whole number.";
        tid_text: Text Text ?null "`tid`, if it is anything else.";
        name: Text Text ?null "Its name; the last one if it has several.";
        start_ts: Int64 Number ?null in Nanoseconds "Start time of its first event, in nanoseconds.";
        end_ts: Int64 Number ?null in Nanoseconds "End time of its last event, in nanoseconds.";
        upid: Int64 Number "Its process, as in process.";
        is_main_thread: Int32 Number ?null in Flag "1 if tid and pid are equal, 0 if they differ.";
        sort_index: Int64 Number ?null "Its requested position among the threads of its process.";
    }
}

table! {
    /// Processes.
    PROCESS process "One row for each process, in order of first mention." {
        file_id: Int32 Constant "The document, as in source.";
        upid: Int64 Sequence "Number of the process.";
        pid: Int64 Number ?null "`pid`, if it is a whole number.";
        pid_text: Text Text ?null "`pid`, if it is anything else.";
        name: Text Text ?null "Its name; the last one if it has several.";
        start_ts: Int64 Number ?null in Nanoseconds "Start time of its first event, in nanoseconds.";
        end_ts: Int64 Number ?null in Nanoseconds "End time of its last event, in nanoseconds.";
        labels: Text Text ?null "Its labels, each once, separated by commas, such as the title of a page.";
        sort_index: Int64 Number ?null "Its requested position among the processes.";
    }
}

table! {
    /// Values of counters.
    COUNTER counter "One row for each number in a counter event (`C`), in file order." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Sequence "Number of the row.";
        ts: Int64 Ascending in Nanoseconds "Time in nanoseconds.";
        track_id: Int64 Number "The series, as in track.";
        value: Float64 Number "The value, rounded to a double.";
        int_value: Int64 Number ?null "The exact value, if it is a whole number.";
        event_index: Int64 Ascending "The event, as in trace_event.";
    }
}

table! {
    /// Arrows from slice to slice.
    FLOW flow "One row for each arrow of a flow: from its start or a step (`s`, `t`, `flow_out`) to its next step or end (`t`, `f`, `flow_in`)." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Sequence "Number of the arrow.";
        slice_out: Int64 Number ?null "The slice where it starts, as in slice or async_slice; NULL if there is none at that time.";
        slice_in: Int64 Number ?null "The slice where it ends, as in slice or async_slice; NULL if there is none at that time.";
        flow_id: Text Text ?null "Id of the flow: `id` or `bind_id`.";
        name: Text Text ?null "Name of the event where it ends.";
        category: Text Text ?null "Categories of the event where it ends.";
        version: Int32 Number "1: from separate events (`s`, `t`, `f`); 2: from slices with `bind_id`.";
        out_event_index: Int64 Number "The event where it starts.";
        in_event_index: Int64 Ascending "The event where it ends.";
        ts_out: Int64 Number in Nanoseconds "Time where it starts, in nanoseconds.";
        ts_in: Int64 Number in Nanoseconds "Time where it ends, in nanoseconds.";
    }
}

table! {
    /// Slices of asynchronous operations.
    ASYNC_SLICE async_slice "One row for each slice of an asynchronous operation (`b`, `n`, `e`; legacy: `S`, `T`, `p`, `F`), in file order of the beginnings." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Ascending "Its event, as in trace_event.event_index: the one that begins it, if there is one.";
        ts: Int64 Ascending in Nanoseconds "Start time in nanoseconds.";
        dur: Int64 Number in Nanoseconds Open "Duration in nanoseconds; -1 if it has no end, 0 for an instant.";
        track_id: Int64 Number "Its operation, as in track.";
        category: Text Text ?null "Its categories, separated by commas.";
        name: Text Text ?null "Its name; for a step, `args.step`.";
        depth: Int32 Number "Number of slices that contain it.";
        parent_id: Int64 Number ?null "The slice that contains it.";
        arg_set_id: Int64 Number ?null "The event that has its arguments, as in args: its beginning, or its end if only that has some. The view slice_args merges both.";
        thread_ts: Int64 Number ?null in Nanoseconds "`tts` at its start, in nanoseconds; NULL unless it is meaningful (`use_async_tts`).";
        thread_dur: Int64 Number ?null in Nanoseconds "`tts` at its end minus thread_ts, in nanoseconds.";
        utid: Int64 Number ?null "The thread where it began.";
        upid: Int64 Number "The process where it began.";
        ending: Label Label "`matched`; `implied`: no end, closed by the end of the slice around it; `open`: no end; `no_begin`: no beginning, so it starts with the operation; `instant`; `step`: a step of the legacy form.";
        end_event_index: Int64 Number ?null "The event that ends it; for a step, the event until which it lasts.";
    }
}

table! {
    /// Events without a duration.
    INSTANT instant "One row for each event without a duration (`i`, `I`, marks `R`, samples `P`), in file order." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Ascending "The event, as in trace_event.event_index or ftrace_event.event_index.";
        ts: Int64 Ascending in Nanoseconds "Time in nanoseconds.";
        track_id: Int64 Number "Its track, as in track: a thread, a process or the whole trace.";
        category: Text Text ?null "Its categories, separated by commas.";
        name: Text Text ?null "Its name.";
        arg_set_id: Int64 Ascending ?null "Its arguments, as in args.";
        utid: Int64 Number ?null "The thread that wrote it.";
        upid: Int64 Number "The process that wrote it.";
        scope: Label Label "`thread`, `process` or `global`.";
        ph: Label Label "Phase: `i`, `I`, `R` or `P`.";
        slice_id: Int64 Number ?null "The innermost slice of its thread that contains it, as in slice.";
        stack_id: Text Text ?null "Its stack, as in stack_frame.frame_id.";
    }
}

table! {
    /// Objects.
    OBJECT object "One row for each object: an id from its creation (`N`) to its destruction (`D`), or as long as the trace has snapshots (`O`) of it." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Sequence "Number of the object.";
        type_name: Text Text ?null "Its type at creation.";
        object_ref: Text Text "The id that events use for it; usually an address, which can be reused after its destruction.";
        id_kind: Label Label "Member that has the id: `id`, `local` or `global`.";
        scope: Text Text ?null "Scope of the id.";
        category: Text Text ?null "Its categories.";
        upid: Int64 Number "Its process, as in process.";
        created_ts: Int64 Number ?null in Nanoseconds "Time of its creation in nanoseconds; NULL if that is not in the trace.";
        destroyed_ts: Int64 Number ?null in Nanoseconds "Time of its destruction in nanoseconds; NULL if that is not in the trace.";
        snapshot_count: Int64 Number "Number of its snapshots.";
    }
}

table! {
    /// Snapshots of objects.
    OBJECT_SNAPSHOT object_snapshot "One row for each snapshot of an object (`O`), in file order. Its content is `args.snapshot` of its event." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Ascending "The event, as in trace_event.event_index, and its arguments' arg_set_id.";
        ts: Int64 Ascending in Nanoseconds "Time in nanoseconds.";
        object_id: Int64 Number "The object, as in object.id.";
        type_name: Text Text ?null "Type of the snapshot, which may be derived from the type of the object.";
        base_type: Text Text ?null "`snapshot.base_type`, the type that created the object.";
        category: Text Text ?null "`snapshot.cat`, or else the categories of the event.";
        utid: Int64 Number ?null "The thread that wrote it.";
        upid: Int64 Number "The process that wrote it.";
    }
}

table! {
    /// Clock synchronisations.
    CLOCK_SYNC clock_sync "One row for each synchronisation point that this trace shares with others (`c`, legacy: `S` and `F` named `ClockSyncEvent.…`)." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Ascending "The event, as in trace_event.event_index or ftrace_event.event_index.";
        ts: Int64 Ascending ?null in Nanoseconds "Time when it was recorded, in nanoseconds.";
        sync_id: Text Text ?null "Its name, the same in all traces.";
        issue_ts: Int64 Number ?null in Nanoseconds "Time when it was issued, in nanoseconds of this trace's clock, if this trace's recorder issued it.";
        other_ts: Int64 Number ?null in Nanoseconds "Value of the clock that sync_id names, in nanoseconds (`parent_ts`, `realtime_ts` of ftrace).";
        utid: Int64 Number ?null "The thread that wrote it.";
        upid: Int64 Number "The process that wrote it.";
    }
}

table! {
    /// Contexts that threads enter and leave.
    CONTEXT context "One row for each time that a thread enters a context (`(`), until it leaves it (`)`) or the context's object is destroyed (`D`)." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Ascending "The event that enters it, as in trace_event.event_index.";
        ts: Int64 Ascending in Nanoseconds "Time of entering, in nanoseconds.";
        dur: Int64 Number in Nanoseconds Open "Time until it leaves, in nanoseconds; -1 if it does not.";
        utid: Int64 Number ?null "The thread.";
        upid: Int64 Number "Its process.";
        name: Text Text ?null "Name of the context.";
        category: Text Text ?null "Categories of the event.";
        context_ref: Text Text "Its id; an object can have the same, as in object.object_ref.";
        id_kind: Label Label "Member that has the id: `id`, `local` or `global`.";
        scope: Text Text ?null "Scope of the id.";
        end_event_index: Int64 Number ?null "The event that leaves or destroys it.";
    }
}

table! {
    /// Ids that refer to the same thing.
    ID_LINK id_link "One row for each statement that two ids mean the same thing (`=`)." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Ascending "The event, as in trace_event.event_index or ftrace_event.event_index.";
        ts: Int64 Ascending ?null in Nanoseconds "Time in nanoseconds.";
        utid: Int64 Number ?null "The thread that wrote it.";
        upid: Int64 Number "The process that wrote it.";
        name: Text Text ?null "Name of the event.";
        category: Text Text ?null "Categories of the event.";
        link_ref: Text Text ?null "One id.";
        id_kind: Label Label ?null "Member that has link_ref: `id`, `local` or `global`.";
        scope: Text Text ?null "Scope of link_ref.";
        linked_ref: Text Text ?null "The other id (`args.linked_id`).";
    }
}
