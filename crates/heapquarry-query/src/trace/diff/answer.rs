//! What differs between traces.

use super::Row;
use crate::{
    By,
    answer::{AnyNumber, Nanos, Share, answer},
    profile::diff::ProfileDiff,
    runs::{ChangeKind, Judged, Side},
    trace::list::{
        CounterFigures, FrameFigures, GpuFigures, Lists, MainThreadFigures, OperationFigures,
        ScheduleFigures, SliceFigures, ThreadFigures,
    },
};
use serde::Serialize;

answer! {
    /// What differs between traces of a program, or of several runs before and after a change. A list is absent if no
    /// trace has such subjects.
    pub struct TraceDiff {
        /// The traces, in the order given.
        pub traces: Vec<ComparedTrace>,
        /// Main threads that were blocked.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub main_threads: Option<Changes<MainThreadChange>>,
        /// Frames.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub frames: Option<Changes<FrameChange>>,
        /// Slices of threads.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub slices: Option<Changes<SliceChange>>,
        /// Asynchronous operations.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub operations: Option<Changes<OperationChange>>,
        /// Streams of GPUs; `all streams` is a device as a whole.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub gpus: Option<Changes<GpuChange>>,
        /// Threads by their slices.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub threads: Option<Changes<ThreadChange>>,
        /// Threads by their time on CPUs.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub scheduled_threads: Option<Changes<ScheduledThreadChange>>,
        /// Counters.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub counters: Option<Changes<CounterChange>>,
        /// Functions of the CPU profiles in the traces, and their packages or scripts, if that is asked for and each
        /// trace on a side has one.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub cpu_profiles: Option<Box<ProfileDiff>>,
        /// What people see by, if not by all.
        #[serde(skip)]
        pub(crate) by: Option<By>,
    }

    /// A trace that was compared, or that lies between.
    pub struct ComparedTrace {
        /// Its name as given.
        pub name: String,
        /// On which side it is; `null` between the first and the last.
        pub side: Option<Side>,
        /// From the start of the first event to the end of the last.
        pub duration_ns: Nanos,
        /// Number of events.
        pub event_count: u64,
        /// Number of slices of threads.
        pub slice_count: u64,
        /// Number of outermost slices of main threads that last 50 ms or more.
        pub long_task_count: u64,
        /// Total blocking time of these: what each lasts beyond 50 ms.
        pub blocking_ns: Nanos,
        /// Number of dropped frames.
        pub dropped_count: u64,
    }

    /// How a subject changed, told by one of its figures.
    pub struct SubjectChange {
        /// What happened to it.
        pub change: ChangeKind,
        /// The figure that changed, as `figures` calls it; of a subject that did not, the first that could.
        pub changed: &'static str,
        /// This figure before; of several runs the median. Its unit is that of the figure.
        pub before: Option<AnyNumber>,
        /// This figure after.
        pub after: Option<AnyNumber>,
        /// Its change.
        pub delta: Option<AnyNumber>,
        /// Its change as a share of the value before; `null` from 0.
        pub delta_percent: Option<Share>,
        /// Of several runs: the probability that chance alone separates them like this, by a rank test.
        pub p_value: Option<f64>,
        /// Its values in the runs before.
        pub runs_before: Vec<AnyNumber>,
        /// Its values in the runs after.
        pub runs_after: Vec<AnyNumber>,
    }
}

/// A figure before and after; of several runs the medians. `null`: there was nothing to measure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "{T}FigureChange"))]
pub struct FigureChange<T> {
    /// Before.
    pub before: Option<T>,
    /// After.
    pub after: Option<T>,
    /// The change.
    pub delta: Option<T>,
}

impl<T: From<AnyNumber>> FigureChange<T> {
    pub(in crate::trace) fn of(judged: Option<&Judged>) -> Self {
        let told = |number: f64| (!number.is_nan()).then(|| T::from(AnyNumber(number)));
        let [before, after, delta] = match judged {
            Some(judged) => [judged.found.before, judged.found.after, judged.delta()].map(told),
            None => [None, None, None],
        };
        FigureChange { before, after, delta }
    }
}

/// Subjects of a list: first those that changed, those that grew most before others.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "{T}List"))]
pub struct Changes<T> {
    /// Number of all subjects.
    pub total: u64,
    /// Number of those that changed.
    pub changed_count: u64,
    /// These subjects.
    pub rows: Vec<T>,
}

/// A row of a list, as what people see is made from it.
pub(super) trait Subject {
    const LIST: Lists;
    fn new(row: &Row) -> Self;
    /// The parts of its name, in their order.
    fn names(&self) -> Vec<&Option<String>>;
    fn change(&self) -> &SubjectChange;
}

/// At most `most` rows of a list; `None` if it has none.
pub(super) fn changes<T: Subject>(rows: &[Row], most: usize) -> Option<Changes<T>> {
    let changed = rows.iter().filter(|row| row.kind() != ChangeKind::Same);
    (!rows.is_empty()).then(|| Changes {
        total: rows.len() as u64,
        changed_count: changed.count() as u64,
        rows: rows.iter().take(most).map(T::new).collect(),
    })
}

/// Declares the subjects of lists: how they are named, and what is measured of them.
macro_rules! subjects {
    ($(#[doc = $about:literal] $name:ident $list:ident $figures:ident { $($part:ident $doc:literal;)+ })+) => {$(
        answer! {
            #[doc = $about]
            pub struct $name {
                $(#[doc = $doc] pub $part: Option<String>,)+
                /// How it changed.
                #[serde(flatten)]
                pub change: SubjectChange,
                /// All its figures.
                pub figures: $figures,
            }
        }

        impl Subject for $name {
            const LIST: Lists = Lists::$list;

            fn new(row: &Row) -> Self {
                let mut names = row.key.iter();
                $(let $part = names.next().filter(|name| !name.is_empty()).cloned();)+
                $name { $($part,)+ change: row.told(Self::LIST), figures: $figures::of(&row.figures) }
            }

            fn names(&self) -> Vec<&Option<String>> {
                vec![$(&self.$part),+]
            }

            fn change(&self) -> &SubjectChange {
                &self.change
            }
        }
    )+};
}

subjects! {
    /// A main thread that was blocked.
    MainThreadChange MainThreads MainThreadFigures {
        process_name "What its process is in each run.";
        thread_name "What it is in each run.";
    }
    /// Frames of a process.
    FrameChange Frames FrameFigures {
        process_name "What the process is in each run.";
        name "What the frames are.";
    }
    /// Slices of one name and category.
    SliceChange Slices SliceFigures {
        name "Their name, without what differs between runs.";
        category "Their category.";
    }
    /// Operations of one name and category.
    OperationChange Operations OperationFigures {
        name "Their name, without what differs between runs.";
        category "Their category.";
    }
    /// A stream of a GPU.
    GpuChange Gpus GpuFigures {
        process_name "Its device.";
        thread_name "Its name.";
    }
    /// A thread.
    ThreadChange Threads ThreadFigures {
        process_name "What its process is in each run.";
        thread_name "What it is in each run.";
    }
    /// A thread that the scheduler ran.
    ScheduledThreadChange Schedule ScheduleFigures {
        process_name "What its process is in each run.";
        thread_name "What it is in each run.";
    }
    /// A series of a counter.
    CounterChange Counters CounterFigures {
        process_name "What its process is in each run.";
        counter_name "Name of the counter.";
        series "Name of the series.";
    }
}

impl Row {
    pub(super) fn told(&self, list: Lists) -> SubjectChange {
        let figure = &list.list().figures[self.decisive];
        let judged = self.of();
        let told = |number: f64| figure.kind.told(number);
        SubjectChange {
            change: self.kind(),
            changed: figure.key,
            before: told(judged.found.before),
            after: told(judged.found.after),
            delta: told(judged.delta()),
            delta_percent: self.growth().map(|parts| Share { parts }),
            p_value: self.p_value(),
            runs_before: judged.before.iter().copied().filter_map(told).collect(),
            runs_after: judged.after.iter().copied().filter_map(told).collect(),
        }
    }
}
