//! What the memory of a process did.

use crate::answer::{Bytes, BytesChange, BytesPerHour, Nanos, answer};

answer! {
    /// What the memory of a process did while it was watched.
    pub struct WatchAnswer {
        /// What grows, and how sure that is.
        pub verdict: WatchVerdict,
        /// What to do next.
        pub advice: Vec<Advice>,
        /// Time from the first to the last sample.
        pub duration: Nanos,
        /// Number of samples.
        pub sample_count: u64,
        /// Number of samples right after a collection that was asked for.
        pub live_count: u64,
        /// How each part of the memory moved, after the warm-up. Only what lives decides; the others are to compare.
        pub growth: Vec<PartGrowth>,
        /// Resident memory by what its maps are for, when they were last read. Empty if they could not be read.
        pub memory: Vec<MemoryKind>,
        /// Collections of garbage; `null` if they are not known.
        pub collections: Option<Collections>,
        /// The event loop; `null` if the process does not tell.
        pub event_loop: Option<EventLoop>,
        /// Most workers that ran between two samples; `null` if the process does not tell.
        pub most_workers: Option<u64>,
        /// The longest that the process took to answer: its own work, or our questions.
        pub longest_answer: Option<Nanos>,
        /// The control group at the end; `null` if there is none.
        pub group: Option<GroupMemory>,
        /// Which calls made what lives; `null` if that is not known, and a caveat says why.
        pub allocations: Option<LivingAllocations>,
    }

    /// What grows, and how sure that is.
    pub struct WatchVerdict {
        /// What grows, or what else the memory does.
        pub cause: GrowthCause,
        /// Whether it goes on growing.
        pub is_growing: bool,
        /// How sure it is.
        pub certainty: Certainty,
        /// The verdict in words.
        pub text: String,
        /// Growth, by Theil and Sen; of level memory that of the live heap. `null` without figures.
        pub slope: Option<BytesPerHour>,
        /// With a probability of 95 % the growth is at least this.
        pub slope_low: Option<BytesPerHour>,
        /// With a probability of 95 % the growth is at most this.
        pub slope_high: Option<BytesPerHour>,
        /// How far the figures are from a line: a standard deviation, from the median of the distances.
        pub spread: Option<Bytes>,
        /// Probability that level memory would rise like this, by Mann and Kendall, from 0 to 1.
        pub chance: Option<f64>,
        /// Other parts that grow, by a tenth of it or more.
        pub also_growing: Vec<&'static str>,
        /// Growth of the live heap that would not have been seen in this time; `null` if any would not.
        pub unseen_slope: Option<BytesPerHour>,
        /// How long a watch takes, about, that would tell, if growth cannot be excluded; `null` if there is a verdict,
        /// or too few figures for an estimate.
        pub needed_duration: Option<Nanos>,
        /// If the heap grows, the calls that made most of what stays, innermost first, and how much that is; `null` if
        /// they are not known.
        pub made_by: Option<String>,
    }

    /// What to do next.
    pub struct Advice {
        /// What it is for.
        pub text: &'static str,
        /// A command that does it; `null` if it is none.
        pub command: Option<String>,
    }

    /// How a part of the memory moved.
    pub struct PartGrowth {
        /// The part: `live_heap`, `live_buffers`, `native`, `allocator_free` and others.
        pub part: &'static str,
        /// What it is, in words.
        pub meaning: &'static str,
        /// Number of points of the line: the figures, or of more than 200 the medians of neighbours.
        pub point_count: u64,
        /// Size at the first figure, on the line.
        pub first: Bytes,
        /// Size at the last figure, on the line.
        pub last: Bytes,
        /// Their difference.
        pub change: BytesChange,
        /// Growth, by Theil and Sen.
        pub slope: BytesPerHour,
        /// With a probability of 95 % the growth is at least this.
        pub slope_low: BytesPerHour,
        /// With a probability of 95 % the growth is at most this.
        pub slope_high: BytesPerHour,
        /// How far the figures are from the line: a standard deviation, from the median of the distances.
        pub spread: Bytes,
        /// Probability that independent level figures would rise like this, by Mann and Kendall, from 0 to 1. Figures
        /// at any time depend on each other, so that it says nothing of `rss` and `heap_used`.
        pub chance: f64,
    }

    /// Resident memory for one purpose.
    pub struct MemoryKind {
        /// The kind: `v8`, `brk`, `arena`, `mmap`, `file` and others.
        pub kind: &'static str,
        /// What it is for, in words.
        pub meaning: &'static str,
        /// Number of maps.
        pub map_count: u64,
        /// Resident memory; `null` if it is not known.
        pub rss: Option<Bytes>,
        /// Resident memory with a part of each page that several processes share; `null` if it is not known.
        pub pss: Option<Bytes>,
    }

    /// Collections of garbage.
    pub struct Collections {
        /// Those of young objects.
        pub minor_count: u64,
        /// Those of the whole heap.
        pub major_count: u64,
    }

    /// The event loop.
    pub struct EventLoop {
        /// Its longest delay.
        pub longest_delay: Nanos,
        /// Part of the time in which it was busy, from 0 to 1; `null` if the process does not tell.
        pub utilization: Option<f64>,
    }

    /// Memory of a control group.
    pub struct GroupMemory {
        /// What it takes, with its cache of files.
        pub used: Option<Bytes>,
        /// Most that it may take; `null` without a limit, too.
        pub limit: Option<Bytes>,
        /// Its cache of files.
        pub file_cache: Option<Bytes>,
        /// How often processes of it were ended at its limit.
        pub oom_kill_count: Option<u64>,
    }

    /// Which calls made what lives, of all that was allocated from one time to another: estimates from samples.
    pub struct LivingAllocations {
        /// When it began, since the first sample.
        pub from: Nanos,
        /// When it was read.
        pub until: Nanos,
        /// Bytes from one sample to the next, on average.
        pub interval: Bytes,
        /// What lives.
        pub size: Bytes,
        /// The part of it that is from the first half of all that was allocated: it has lived longest.
        pub early_size: Bytes,
        /// Number of samples that live.
        pub sample_count: u64,
        /// Number of call stacks of which something lives.
        pub stack_count: u64,
        /// The first 20 of them, those whose objects have lived longest first.
        pub stacks: Vec<AllocationStack>,
    }

    /// What one call stack made and still lives.
    pub struct AllocationStack {
        /// What lives.
        pub size: Bytes,
        /// The part of it that is from the first half of all that was allocated.
        pub early_size: Bytes,
        /// Number of samples that live.
        pub sample_count: u64,
        /// The functions, innermost first. A function that was inlined counts as a part of that which called it.
        pub frames: Vec<AllocationFrame>,
    }

    /// A function on a call stack.
    pub struct AllocationFrame {
        /// Its name; `(anonymous)` if it has none.
        pub function_name: String,
        /// Its place, short: the last two parts of the script's address, and the line.
        pub place: Option<String>,
        /// The address of its script; empty for the engine and native code.
        pub url: String,
        /// Its line, from 1.
        pub line: Option<i64>,
        /// Its column, from 1.
        pub column: Option<i64>,
    }
}

answer! {
    /// What grows, or what else the memory does.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum GrowthCause {
        /// What lives in the heap grows.
        Heap,
        /// Buffers, or other memory that objects own, grow.
        Buffers,
        /// WebAssembly memories grow.
        Wasm,
        /// Heaps of workers grow, or there are more of them.
        OtherIsolates,
        /// Native memory grows that no object owns.
        Native,
        /// The allocator keeps memory that was freed.
        Fragmentation,
        /// Only RSS grows: native memory or fragmentation.
        OnlyRss,
        /// The cache of files of the control group grows, not the process.
        PageCache,
        /// What lives is level; the engine has not given back what it once needed.
        NotGivenBack,
        /// Nothing grows.
        Bounded,
        /// There was not enough to know.
        NotSure,
    }
}

answer! {
    /// How sure a verdict is.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    pub enum Certainty {
        /// Chance would do this once in 100 times or less.
        High,
        /// It may be wrong; more time makes it sure.
        Low,
        /// There is no verdict.
        None,
    }
}
