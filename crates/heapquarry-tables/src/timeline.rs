//! What the events of a trace mean. Names follow Perfetto's tables where it has them
//! (<https://perfetto.dev/docs/analysis/sql-tables>); times are in nanoseconds of the trace's clock.

use crate::{Table, table};

/// The tables that are concluded from the events of a trace, empty if need be.
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
    SLICE "slice" "One row for each slice of a thread: a complete event (`X`), or a beginning (`B`) with its end, in file order of where they begin." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Ascending "The event that begins it, as in trace_event.event_index or ftrace_event.event_index.";
        ts: Int64 Ascending "Start.";
        dur: Int64 Number "Duration; -1 for one that has no end.";
        track_id: Int64 Number "Its track, as in track: that of its thread, so the same as utid.";
        category: Text Text ?null "Its categories, a list with commas.";
        name: Text Text ?null "Its name.";
        depth: Int32 Number "Number of slices around it.";
        parent_id: Int64 Number ?null "The innermost slice that contains it wholly.";
        arg_set_id: Int64 Ascending ?null "The event that its arguments are of, as in args: its beginning, or its end if only that has some. The view slice_args has those of both.";
        thread_ts: Int64 Number ?null "Start by the clock of the thread (`tts`).";
        thread_dur: Int64 Number ?null "Duration by the clock of the thread.";
        thread_instruction_count: Int64 Number ?null "Instructions that the thread had run at the start (`ticount`).";
        thread_instruction_delta: Int64 Number ?null "Instructions that the thread ran meanwhile.";
        utid: Int64 Number "Its thread, as in thread.";
        self_dur: Int64 Number ?null "The part of dur that no slice within covers; NULL if dur is not known.";
        ending: Label Label "`complete`; `matched`: a beginning with its end; `implied`: one whose end is missing, closed by the end of a slice around it; `open`: one without an end; `unknown`: a complete event without a duration, or with one below 0.";
        is_overlapping: Int32 Number "1 if it outlives the slice in which it began, which is against the format; otherwise 0.";
        end_event_index: Int64 Number ?null "The event that ends it, if it is of its own.";
        stack_id: Text Text ?null "The stack where it began (`sf`), as in stack_frame.frame_id.";
        end_stack_id: Text Text ?null "The stack where it ended (`esf`, or `sf` of the end).";
    }
}

table! {
    /// What slices, instants and counters lie on.
    TRACK "track" "One row for each thread, operation, series of a counter, and process with instants: what events that belong together lie on." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Sequence "Number of the track. That of a thread is its utid.";
        name: Text Text ?null "Name of an asynchronous operation: that of its first event. Of a counter: name, id and series, as Perfetto writes them.";
        type: Label Label "As in Perfetto: `thread_execution`, `chrome_process_instant`, `legacy_chrome_global_instants`, `legacy_async_global_slice` and `legacy_async_process_slice` for asynchronous operations whose id means the same in all processes or just in its own, `json_counter`; from marks in ftrace `atrace_async_slice`, `atrace_async_slice_for_track` and `atrace_counter`.";
        parent_id: Int64 Number ?null "NULL; tracks of this format have no parents.";
        utid: Int64 Number ?null "The thread, if it is one's.";
        upid: Int64 Number ?null "The process; that of an asynchronous operation is the one where it began.";
        category: Text Text ?null "Categories of an asynchronous operation.";
        async_id: Text Text ?null "Id of an asynchronous operation or of a counter.";
        id_kind: Label Label ?null "Where the id stands: `id`, `local` or `global`.";
        scope: Text Text ?null "What the id belongs to.";
        counter_name: Text Text ?null "Name of a counter, which may have several series.";
        counter_key: Text Text ?null "The member of its arguments that is the series.";
    }
}

table! {
    /// Threads.
    THREAD "thread" "One row for each thread that has events or a name, in order of first mention." {
        file_id: Int32 Constant "The document, as in source.";
        utid: Int64 Sequence "Number of the thread; unlike tid it is no other process's.";
        tid: Int64 Number ?null "`tid`, if it is a whole number.";
        tid_text: Text Text ?null "`tid`, if it is anything else.";
        name: Text Text ?null "Its name; the last one if it was given several.";
        start_ts: Int64 Number ?null "When its first event starts.";
        end_ts: Int64 Number ?null "When its last event ends.";
        upid: Int64 Number "Its process, as in process.";
        is_main_thread: Int32 Number ?null "1 if tid and pid are the same number, 0 if they differ.";
        sort_index: Int64 Number ?null "Where it wants to stand among the threads of its process.";
    }
}

table! {
    /// Processes.
    PROCESS "process" "One row for each process, in order of first mention." {
        file_id: Int32 Constant "The document, as in source.";
        upid: Int64 Sequence "Number of the process.";
        pid: Int64 Number ?null "`pid`, if it is a whole number.";
        pid_text: Text Text ?null "`pid`, if it is anything else.";
        name: Text Text ?null "Its name; the last one if it was given several.";
        start_ts: Int64 Number ?null "When its first event starts.";
        end_ts: Int64 Number ?null "When its last event ends.";
        labels: Text Text ?null "What it says of itself besides, each once, with commas: a page's title, say.";
        sort_index: Int64 Number ?null "Where it wants to stand among the processes.";
    }
}

table! {
    /// Values of counters.
    COUNTER "counter" "One row for each number in a counter event (`C`), in file order." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Sequence "Number of the row.";
        ts: Int64 Ascending "When.";
        track_id: Int64 Number "The series, as in track.";
        value: Float64 Number "The value, the nearest there is.";
        int_value: Int64 Number ?null "The value exactly, if it is a whole number.";
        event_index: Int64 Ascending "The event, as in trace_event.";
    }
}

table! {
    /// Arrows from slice to slice.
    FLOW "flow" "One row for each arrow of a flow: from its start or a step (`s`, `t`, `flow_out`) to its next step or end (`t`, `f`, `flow_in`)." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Sequence "Number of the arrow.";
        slice_out: Int64 Number ?null "The slice where it starts, as in slice or async_slice; NULL if there is none at that place.";
        slice_in: Int64 Number ?null "The slice where it ends, likewise.";
        flow_id: Text Text ?null "Id of the flow: `id` or `bind_id`.";
        name: Text Text ?null "Name of the event where it ends.";
        category: Text Text ?null "Categories of the event where it ends.";
        version: Int32 Number "1: from events of its own (`s`, `t`, `f`); 2: from slices with `bind_id`.";
        out_event_index: Int64 Number "The event where it starts.";
        in_event_index: Int64 Ascending "The event where it ends.";
        ts_out: Int64 Number "When it starts.";
        ts_in: Int64 Number "When it ends.";
    }
}

table! {
    /// Slices of asynchronous operations.
    ASYNC_SLICE "async_slice" "One row for each slice of an asynchronous operation (`b`, `n`, `e`; legacy: `S`, `T`, `p`, `F`), in file order of where they begin." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Ascending "The event that stands for it, as in trace_event.event_index: the one that begins it, if there is one.";
        ts: Int64 Ascending "Start.";
        dur: Int64 Number "Duration; -1 for one that has no end, 0 for an instant.";
        track_id: Int64 Number "Its operation, as in track.";
        category: Text Text ?null "Its categories, a list with commas.";
        name: Text Text ?null "Its name; of a step what it is called (`args.step`).";
        depth: Int32 Number "Number of slices around it.";
        parent_id: Int64 Number ?null "The slice in which it lies.";
        arg_set_id: Int64 Number ?null "The event that its arguments are of, as in args: its beginning, or its end if only that has some. The view slice_args has those of both.";
        thread_ts: Int64 Number ?null "`tts` where it began, if it means something (`use_async_tts`).";
        thread_dur: Int64 Number ?null "`tts` where it ended, less that.";
        utid: Int64 Number ?null "The thread where it began.";
        upid: Int64 Number "The process where it began.";
        ending: Label Label "`matched`; `implied`: its end is missing, closed by the end of a slice around it; `open`: without an end; `no_begin`: without a beginning, so that it starts with the operation; `instant`; `step`: of the legacy form.";
        end_event_index: Int64 Number ?null "The event that ends it, or before which a step lasts.";
    }
}

table! {
    /// Points in time.
    INSTANT "instant" "One row for each event without a duration (`i`, `I`, marks `R`, samples `P`), in file order." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Ascending "The event, as in trace_event.event_index or ftrace_event.event_index.";
        ts: Int64 Ascending "When.";
        track_id: Int64 Number "What it lies on, as in track: a thread, a process or the whole trace.";
        category: Text Text ?null "Its categories, a list with commas.";
        name: Text Text ?null "Its name.";
        arg_set_id: Int64 Ascending ?null "Its arguments, as in args.";
        utid: Int64 Number ?null "The thread that wrote it.";
        upid: Int64 Number "The process that wrote it.";
        scope: Label Label "`thread`, `process` or `global`.";
        ph: Label Label "Phase: `i`, `I`, `R` or `P`.";
        slice_id: Int64 Number ?null "The innermost slice of its thread around it, as in slice.";
        stack_id: Text Text ?null "The stack, as in stack_frame.frame_id.";
    }
}

table! {
    /// Objects.
    OBJECT "object" "One row for each object: an id from its creation (`N`) to its destruction (`D`), or as long as snapshots (`O`) of it are seen." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Sequence "Number of the object.";
        type_name: Text Text ?null "Its type, as at creation.";
        object_ref: Text Text "The id that events have for it; mostly an address, used again after its destruction.";
        id_kind: Label Label "Where the id stands: `id`, `local` or `global`.";
        scope: Text Text ?null "What the id belongs to.";
        category: Text Text ?null "Its categories.";
        upid: Int64 Number "Its process, as in process.";
        created_ts: Int64 Number ?null "When it was created; NULL if that is not in the trace.";
        destroyed_ts: Int64 Number ?null "When it was destroyed; NULL if that is not in the trace.";
        snapshot_count: Int64 Number "Its snapshots.";
    }
}

table! {
    /// Snapshots of objects.
    OBJECT_SNAPSHOT "object_snapshot" "One row for each snapshot of an object (`O`), in file order. What it shows is `args.snapshot` of its event." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Ascending "The event, as in trace_event.event_index, and its arguments' arg_set_id.";
        ts: Int64 Ascending "When.";
        object_id: Int64 Number "The object, as in object.id.";
        type_name: Text Text ?null "Type of the snapshot, which may be derived from that of the object.";
        base_type: Text Text ?null "`snapshot.base_type`, the type that created the object.";
        category: Text Text ?null "`snapshot.cat`, otherwise the categories of the event.";
        utid: Int64 Number ?null "The thread that wrote it.";
        upid: Int64 Number "The process that wrote it.";
    }
}

table! {
    /// Clock synchronisations.
    CLOCK_SYNC "clock_sync" "One row for each point that this trace has in common with others (`c`, legacy: `S` and `F` named `ClockSyncEvent.…`)." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Ascending "The event, as in trace_event.event_index or ftrace_event.event_index.";
        ts: Int64 Ascending ?null "When it was noted.";
        sync_id: Text Text ?null "What it is called in all traces.";
        issue_ts: Int64 Number ?null "When it was issued, by the clock of this trace, if this trace's recorder issued it.";
        other_ts: Int64 Number ?null "What the clock that sync_id names showed then (`parent_ts`, `realtime_ts` of ftrace).";
        utid: Int64 Number ?null "The thread that wrote it.";
        upid: Int64 Number "The process that wrote it.";
    }
}

table! {
    /// What threads work for.
    CONTEXT "context" "One row for each time that a thread enters a context (`(`), until it leaves it (`)`) or its object is destroyed (`D`)." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Ascending "The event that enters it, as in trace_event.event_index.";
        ts: Int64 Ascending "When it enters.";
        dur: Int64 Number "Until it leaves; -1 if it does not.";
        utid: Int64 Number ?null "The thread.";
        upid: Int64 Number "Its process.";
        name: Text Text ?null "Name of the context.";
        category: Text Text ?null "Categories of the event.";
        context_ref: Text Text "Its id; an object can have the same, as in object.object_ref.";
        id_kind: Label Label "Where the id stands: `id`, `local` or `global`.";
        scope: Text Text ?null "What the id belongs to.";
        end_event_index: Int64 Number ?null "The event that leaves or destroys it.";
    }
}

table! {
    /// Ids that mean the same.
    ID_LINK "id_link" "One row for each statement that two ids mean the same thing (`=`)." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Ascending "The event, as in trace_event.event_index or ftrace_event.event_index.";
        ts: Int64 Ascending ?null "When.";
        utid: Int64 Number ?null "The thread that wrote it.";
        upid: Int64 Number "The process that wrote it.";
        name: Text Text ?null "Name of the event.";
        category: Text Text ?null "Categories of the event.";
        link_ref: Text Text ?null "One id.";
        id_kind: Label Label ?null "Where it stands: `id`, `local` or `global`.";
        scope: Text Text ?null "What it belongs to.";
        linked_ref: Text Text ?null "The other id (`args.linked_id`).";
    }
}
