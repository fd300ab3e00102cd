//! What is in a trace.

use crate::{
    By,
    answer::{Issue, List, Nanos, NumberOrText, Share, answer},
    profile::summary::ProfileSummary,
    trace::calls::ScriptCalls,
};

answer! {
    /// What is in a trace.
    pub struct TraceSummary {
        /// Counts over the whole trace, or the part of it that was asked for.
        pub totals: TraceTotals,
        /// Processes by time in slices.
        pub processes: List<ProcessActivity>,
        /// Threads by time in slices.
        pub threads: List<ThreadActivity>,
        /// CPUs by number; absent without events of the scheduler.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub cpus: Option<List<CpuActivity>>,
        /// Threads by time on CPUs; absent without events of the scheduler.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub scheduled_threads: Option<List<ScheduledThread>>,
        /// Streams of GPUs by device; absent if no slice ran on a GPU.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub gpus: Option<List<GpuActivity>>,
        /// Slices by name and category, by self time.
        pub slices: List<SliceTime>,
        /// The first of them by total time.
        pub slices_by_total: List<SliceTime>,
        /// The CPU profiles in the trace, merged; absent if there are none.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub cpu_profiles: Option<ProfileSummary>,
        /// Slices that run or compile scripts, by what they call; absent if no slice tells.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub script_calls: Option<ScriptCalls>,
        /// What people see the CPU profiles, or without one the calls of scripts, by, if not the whole trace.
        #[serde(skip)]
        pub(crate) by: Option<By>,
        /// Asynchronous operations by name and category, by total time.
        pub operations: List<OperationTime>,
        /// Counter series by number of values.
        pub counters: List<CounterSeries>,
        /// Repairs and anomalies by code.
        pub issues: Vec<Issue>,
    }

    /// Counts over a trace.
    #[derive(Default)]
    pub struct TraceTotals {
        /// From the start of the first event to the end of the last; absent without events.
        pub duration_ns: Option<Nanos>,
        /// Number of events.
        pub event_count: u64,
        /// Number of processes.
        pub process_count: u64,
        /// Number of threads.
        pub thread_count: u64,
        /// Number of slices of threads.
        pub slice_count: u64,
        /// Number of asynchronous operations with a duration.
        pub operation_count: u64,
        /// Number of instant events.
        pub instant_count: u64,
        /// Number of flows.
        pub flow_count: u64,
        /// Number of counter series.
        pub counter_count: u64,
    }

    /// Events of a process or thread.
    pub struct Activity {
        /// Number of events.
        pub event_count: u64,
        /// Number of slices.
        pub slice_count: u64,
        /// Time in which a thread had any slice; of a process the sum over its threads.
        pub self_time_ns: Nanos,
        /// From the start of the first event to the end of the last.
        pub duration_ns: Option<Nanos>,
        /// Start of the first event, in the time of the trace.
        pub start_ns: Option<Nanos>,
        /// End of the last event, in the time of the trace.
        pub end_ns: Option<Nanos>,
    }

    /// A process.
    pub struct ProcessActivity {
        /// Its name, if known.
        pub process_name: Option<String>,
        /// Its id.
        pub pid: Option<NumberOrText>,
        /// Its labels, such as titles of pages.
        pub labels: Option<String>,
        /// Number of its threads.
        pub thread_count: u64,
        /// Its events.
        #[serde(flatten)]
        pub activity: Activity,
    }

    /// A thread.
    pub struct ThreadActivity {
        /// Its name, if known.
        pub thread_name: Option<String>,
        /// Its id.
        pub tid: Option<NumberOrText>,
        /// Name of its process, if known.
        pub process_name: Option<String>,
        /// Id of its process.
        pub pid: Option<NumberOrText>,
        /// Its events.
        #[serde(flatten)]
        pub activity: Activity,
    }

    /// A CPU.
    pub struct CpuActivity {
        /// Its number.
        pub cpu: i32,
        /// Number of times that it began to run a thread.
        pub switch_count: u64,
        /// Time in which it ran a thread other than the idle one.
        pub busy_ns: Nanos,
        /// Share of the recorded time.
        pub busy_percent: Option<Share>,
    }

    /// A thread that the scheduler ran.
    pub struct ScheduledThread {
        /// Its name, if known.
        pub thread_name: Option<String>,
        /// Its id.
        pub tid: i32,
        /// Name of its process, if known.
        pub process_name: Option<String>,
        /// Id of its process.
        pub pid: Option<NumberOrText>,
        /// Number of times that it ran.
        pub run_count: u64,
        /// Time on CPUs.
        pub running_ns: Nanos,
        /// Time in which it could have run, but had no CPU.
        pub ready_ns: Nanos,
        /// The longest such time.
        pub longest_ready_ns: Option<Nanos>,
        /// Time in uninterruptible waits, usually for a disk.
        pub blocked_ns: Nanos,
    }

    /// A stream of a GPU, or all streams of a device together.
    pub struct GpuActivity {
        /// The device.
        pub process_name: String,
        /// The stream; `all streams` for all of the device.
        pub thread_name: String,
        /// Number of slices.
        pub count: u64,
        /// Time in which any slice ran.
        pub busy_ns: Nanos,
        /// Time between the first slice and the last in which none ran.
        pub idle_ns: Nanos,
        /// Number of gaps between slices.
        pub gap_count: u64,
        /// 95th percentile of the gaps; absent if there are none.
        pub gap_p95_ns: Option<Nanos>,
        /// The longest gap; absent if there are none.
        pub longest_gap_ns: Option<Nanos>,
    }

    /// Slices of one name and category.
    pub struct SliceTime {
        /// Their name.
        pub name: Option<String>,
        /// Their category.
        pub category: Option<String>,
        /// Number of slices.
        pub count: u64,
        /// Their time without slices below them.
        pub self_time_ns: Nanos,
        /// Share of the self time of all slices.
        pub self_percent: Option<Share>,
        /// Their time.
        pub total_time_ns: Nanos,
        /// The longest of them.
        pub longest_ns: Option<Nanos>,
    }

    /// Asynchronous operations of one name and category.
    pub struct OperationTime {
        /// Their name.
        pub name: Option<String>,
        /// Their category.
        pub category: Option<String>,
        /// Number of operations.
        pub count: u64,
        /// Number of those without an end.
        pub unended_count: u64,
        /// Time of all with an end.
        pub total_time_ns: Nanos,
        /// The longest of them.
        pub longest_ns: Option<Nanos>,
    }

    /// A series of a counter.
    pub struct CounterSeries {
        /// Name of the counter.
        pub counter_name: Option<String>,
        /// Id of the counter, if it has one.
        pub id: Option<String>,
        /// Name of the series.
        pub series: Option<String>,
        /// Name of its process, if known.
        pub process_name: Option<String>,
        /// Id of its process.
        pub pid: Option<NumberOrText>,
        /// Number of values.
        pub count: u64,
        /// The least value.
        pub min: Option<NumberOrText>,
        /// The greatest value.
        pub max: Option<NumberOrText>,
        /// The value with the latest time.
        pub last: Option<NumberOrText>,
    }
}
