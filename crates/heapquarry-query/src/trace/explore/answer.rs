//! Parts of a trace, as a page shows them.

use crate::{
    answer::{AnyNumber, List, Nanos, NumberOrText, answer},
    trace::{
        calls::Called,
        schedule::WaitState,
        summary::{GpuActivity, SliceTime},
    },
};

answer! {
    /// What a trace has over time.
    pub struct TracksAnswer {
        /// Start of the first event, in the time of the trace.
        pub start_ns: Nanos,
        /// From there to the end of the last. All other times count from the start.
        pub duration_ns: Nanos,
        /// Tracks by process: those with most time in slices come first.
        pub tracks: Vec<TraceTrack>,
    }

    /// Something that has a place of its own over time.
    pub struct TraceTrack {
        /// Its number.
        pub track: u32,
        /// What it shows.
        pub kind: TrackKind,
        /// Its name: that of the thread, the category of operations, that of the counter.
        pub name: String,
        /// Name of its process, with its id.
        pub process: String,
        /// Slices below each other, at most.
        pub depth: u32,
        /// Number of slices, instants or values.
        pub count: u64,
    }

    /// What a track shows.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    pub enum TrackKind {
        /// Slices of a thread.
        Slices,
        /// Instants of a thread or process, or of all.
        Instants,
        /// Asynchronous operations of a process.
        Operations,
        /// Values of a counter.
        Counter,
    }

    /// What can be seen of some tracks.
    pub struct DrawnAnswer {
        /// The tracks.
        pub tracks: Vec<DrawnTrack>,
        /// Names of slices.
        pub names: Vec<String>,
    }

    /// What can be seen of a track, as columns.
    pub struct DrawnTrack {
        /// Its number.
        pub track: u32,
        /// Its slices, instants or operations.
        pub boxes: SliceBoxes,
        /// Its values, if it is a counter.
        pub values: CounterValues,
    }

    /// Slices, as columns: an element of each for each box.
    #[derive(Default)]
    pub struct SliceBoxes {
        /// Their numbers. A box of several slices has the longest of them.
        pub slice: Vec<u64>,
        /// Their names, as positions in the list that is beside.
        pub name: Vec<u32>,
        /// Their rows, from the top.
        pub depth: Vec<u32>,
        /// Their starts in nanoseconds.
        pub start: Vec<i64>,
        /// Their durations in nanoseconds. What has no end lasts until the end of the trace.
        pub dur: Vec<i64>,
        /// How many slices are in one box.
        pub count: Vec<u64>,
    }

    /// Values of a counter, as columns: an element of each for each part of the time that can be told apart.
    #[derive(Default)]
    pub struct CounterValues {
        /// Their times in nanoseconds.
        pub start: Vec<i64>,
        /// The least value.
        pub least: Vec<AnyNumber>,
        /// The greatest value.
        pub most: Vec<AnyNumber>,
        /// The last value.
        pub last: Vec<AnyNumber>,
    }

    /// A slice with what is around and within it.
    pub struct SliceAnswer {
        /// The slice.
        pub slice: SliceFacts,
        /// The slices around it, the nearest first.
        pub above: Vec<SliceRow>,
        /// The slices directly within it, in the order of time.
        pub children: List<SliceRow>,
        /// What ran within it, by name, category and function, by self time: itself and all slices within it.
        pub ran: List<RanTime>,
        /// Times in which its thread did not run, the longest first; none without events of the scheduler.
        pub waits: List<Wait>,
        /// The slices from which arrows lead here.
        pub flows_in: List<SliceRow>,
        /// The slices to which arrows lead from here.
        pub flows_out: List<SliceRow>,
    }

    /// What is known of a slice.
    pub struct SliceFacts {
        /// Its number here.
        pub slice: u64,
        /// Its id in the tables.
        pub id: u64,
        /// Whether it is part of an asynchronous operation.
        pub is_operation: bool,
        /// Its name.
        pub name: Option<String>,
        /// Its category.
        pub category: Option<String>,
        /// What it calls, if it is known to call a script.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub called: Option<Called>,
        /// Its start, from that of the trace on.
        pub start_ns: Nanos,
        /// Its start, in the time of the trace.
        pub ts_ns: Nanos,
        /// Its duration; absent without an end.
        pub duration_ns: Option<Nanos>,
        /// Its time without slices within it; absent without an end, and for operations.
        pub self_time_ns: Option<Nanos>,
        /// Its duration by the clock of the thread: how long it had a CPU.
        pub thread_duration_ns: Option<Nanos>,
        /// How long its thread did not run meanwhile, by the events of the scheduler, or else by the clock of the
        /// thread; absent without both.
        pub waited_ns: Option<Nanos>,
        /// Number of slices around it.
        pub depth: u32,
        /// Name of its thread.
        pub thread_name: Option<String>,
        /// Id of its thread.
        pub tid: Option<NumberOrText>,
        /// Name of its process.
        pub process_name: Option<String>,
        /// Id of its process.
        pub pid: Option<NumberOrText>,
        /// The track that shows it.
        pub track: Option<u32>,
        /// Whether it has arguments.
        pub has_arguments: bool,
    }

    /// A slice in a list.
    pub struct SliceRow {
        /// Its number here.
        pub slice: u64,
        /// Its name.
        pub name: Option<String>,
        /// What it calls, if it is known to call a script.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub called: Option<Called>,
        /// Its start, from that of the trace on.
        pub start_ns: Nanos,
        /// Its duration; absent without an end.
        pub duration_ns: Option<Nanos>,
        /// Number of slices around it.
        pub depth: u32,
        /// The track that shows it.
        pub track: Option<u32>,
    }

    /// A time in which the thread of a slice did not run.
    pub struct Wait {
        /// Its start, from that of the trace on; not before that of the slice.
        pub start_ns: Nanos,
        /// How long it lasted within the slice.
        pub duration_ns: Nanos,
        /// Why it did not run.
        pub state: WaitState,
        /// The function of the kernel in which it waited, if known.
        pub blocked_function: Option<String>,
        /// The thread that ended the wait, if known.
        pub waker: Option<String>,
        /// The slice in which that thread did so.
        pub waker_slice: Option<SliceRow>,
    }

    /// Frames, and GPUs.
    pub struct FramesAnswer {
        /// Frames by process, as `diff` has them.
        pub frames: Vec<FrameTimes>,
        /// Frames that took longer than others, the longest first; then those that were dropped.
        pub late: List<LateFrame>,
        /// Streams of GPUs, as `summary` has them; absent if no slice ran on a GPU.
        pub gpus: Option<List<GpuActivity>>,
    }

    /// The frames of processes of one role.
    pub struct FrameTimes {
        /// Name of the processes.
        pub process_name: String,
        /// What is measured: `frame`, or the work for one.
        pub name: String,
        /// Frames that were drawn.
        pub count: u64,
        /// Frames that were not drawn in time.
        pub dropped_count: u64,
        /// Frames that took longer than others, as docs/commands.md says.
        pub janky_count: u64,
        /// Median of their times; absent if none is known.
        pub p50_ns: Option<Nanos>,
        /// Time that 95 % of them do not exceed.
        pub p95_ns: Option<Nanos>,
        /// The longest time.
        pub longest_ns: Option<Nanos>,
    }

    /// A frame that was dropped, or took longer than others.
    pub struct LateFrame {
        /// The mark of the frame, or the work for it.
        #[serde(flatten)]
        pub slice: SliceRow,
        /// Name of its process, with its id.
        pub process: String,
        /// How long it took: of a mark since the one before it. Absent of one that was dropped.
        pub time_ns: Option<Nanos>,
    }

    /// Slices of one name and category within another slice; if they call a script, of one function of it.
    pub struct RanTime {
        /// Their name.
        pub name: Option<String>,
        /// Their category.
        pub category: Option<String>,
        /// What they call, if they are known to call a script.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub called: Option<Called>,
        /// Number of slices.
        pub count: u64,
        /// Their time without slices within them.
        pub self_time_ns: Nanos,
    }

    /// The arguments of a slice.
    pub struct ArgumentsAnswer {
        /// They as JSON, as written; absent if it has none.
        pub arguments: Option<String>,
    }

    /// Pictures of the screen.
    pub struct PicturesAnswer {
        /// The pictures, in the order of time.
        pub pictures: List<Picture>,
        /// How many more the trace has: of pictures 64 MB are kept at most.
        pub left_out: u64,
    }

    /// What was on the screen.
    pub struct Picture {
        /// When, from the start of the trace on.
        pub start_ns: Nanos,
        /// The picture, as a `data:` address.
        pub image: String,
    }

    /// The slices that begin in a range of time.
    pub struct AreaAnswer {
        /// Slices by name and category, by self time, as `summary` has them with `--from` and `--until`.
        pub slices: List<SliceTime>,
    }

    /// Slices with a text in their name, or in that of the function that they call.
    pub struct FoundAnswer {
        /// The slices, the longest first.
        pub slices: List<SliceRow>,
        /// The sum of their durations.
        pub total_time_ns: Nanos,
    }

    /// Outermost slices of 50 ms and more: while one runs, its thread answers nothing.
    pub struct LongTasksAnswer {
        /// The longest first.
        pub tasks: List<LongTask>,
    }

    /// An outermost slice that lasts long.
    pub struct LongTask {
        /// The slice.
        #[serde(flatten)]
        pub slice: SliceRow,
        /// Its thread.
        pub thread: String,
        /// By how much it lasts longer than 50 ms.
        pub over_ns: Nanos,
        /// What ran in it: the first by self time.
        pub ran: Vec<RanTime>,
    }
}
