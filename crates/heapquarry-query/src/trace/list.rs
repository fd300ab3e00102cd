//! What is compared and limited of a trace: lists of subjects, with their figures.

use super::diff::FigureChange;
use crate::{
    answer::{AnyNumber, answer},
    runs::{Judged, WORSE},
};
use heapquarry_report::{
    Quantity, Scope, Together, Unit, WHOLE,
    starter::{ANY, Limited, Starter},
};

/// Subjects of one kind, and what is measured of them.
pub(super) struct List {
    /// Its name in JSON, and in tables.
    pub(super) key: &'static str,
    pub(super) title: &'static str,
    /// The scope of limits, if there are some.
    pub(super) scope: Option<&'static str>,
    /// The parts of a subject's name: in JSON, and for people.
    pub(super) names: &'static [(&'static str, &'static str)],
    pub(super) figures: &'static [Figure],
    /// Whether more of them is worse.
    pub(super) more_is_worse: bool,
}

/// A figure of the subjects of a list.
pub(super) struct Figure {
    /// Its name in JSON.
    pub(super) key: &'static str,
    pub(super) title: &'static str,
    pub(super) kind: Kind,
    /// Whether it decides that a subject has changed.
    pub(super) decides: bool,
}

/// What a figure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A number of things; 0 where there is no subject.
    Count,
    /// Nanoseconds that add up; 0 where there is no subject.
    Time,
    /// Nanoseconds of one thing; nothing where there is no subject.
    Level,
    /// A value of a counter; nothing where there is no subject.
    Value,
}

impl Kind {
    pub(super) const fn unit(self) -> Unit {
        match self {
            Kind::Count => Unit::Count,
            Kind::Time | Kind::Level => Unit::Nanos,
            Kind::Value => Unit::Thousandths,
        }
    }

    /// A number of this kind, as answers have it; `None` if it is not known.
    pub(super) fn told(self, number: f64) -> Option<AnyNumber> {
        let number = if self == Kind::Value { number } else { number.round() };
        (!number.is_nan()).then_some(AnyNumber(number))
    }

    /// The unit of its whole numbers.
    pub(super) const fn whole_unit(self) -> Unit {
        match self {
            Kind::Value => Unit::Count,
            kind => kind.unit(),
        }
    }

    /// Its value where there is no subject.
    pub(super) fn absent(self) -> f64 {
        match self {
            Kind::Count | Kind::Time => 0.0,
            Kind::Level | Kind::Value => f64::NAN,
        }
    }

    /// A number of this kind, as an integer of its unit; 0 if it is not known.
    pub(super) fn fact(self, number: f64) -> i64 {
        let scale = if self == Kind::Value { 1000.0 } else { 1.0 };
        // Saturates, and turns NaN to 0.
        (number * scale).round() as i64
    }
}

type Both = (&'static [Figure], &'static [Quantity]);

/// Figures and quantities of a list, in one order.
macro_rules! figures {
    ($(#[doc = $about:literal])? $list:ident $(as $answer:ident)?;
     $($key:ident $title:literal $kind:ident $decides:literal $quantity:literal $together:ident
        $doc:literal;)+) => {
        const $list: Both = (
            &[$(Figure {
                key: stringify!($key),
                title: $title,
                kind: Kind::$kind,
                decides: $decides,
            }),+],
            &[$(
                Quantity::new($quantity, Kind::$kind.unit(), $doc).together(Together::$together)
            ),+],
        );
        figures!(@ $(#[doc = $about] $answer)? { $($key $kind $doc;)+ });
    };
    (@ { $($rest:tt)+ }) => {};
    (@ #[doc = $about:literal] $answer:ident { $($key:ident $kind:ident $doc:literal;)+ }) => {
        answer! {
            #[doc = $about]
            pub struct $answer {
                $(#[doc = $doc] pub $key: FigureChange<unit_of::$kind>,)+
            }
        }

        impl $answer {
            /// The figures, in their order.
            pub(super) fn of(figures: &[Judged]) -> Self {
                let mut figures = figures.iter();
                $(let $key = FigureChange::of(figures.next());)+
                $answer { $($key),+ }
            }
        }
    };
}

/// What the kinds of figures are in answers.
mod unit_of {
    use crate::answer::{AnyNumber, Nanos};

    pub(super) type Count = crate::answer::Count;
    pub(super) type Time = Nanos;
    pub(super) type Level = Nanos;
    pub(super) type Value = AnyNumber;
}

figures! {
    TOTAL;
    duration_ns "Duration" Time false "duration" Sum "from the first event to the end of the last";
    event_count "Events" Count false "events" Sum "events";
    slice_count "Slices" Count false "slices" Sum "slices of threads";
    long_task_count "Long tasks" Count false "long_tasks" Sum "outermost slices of main threads that last 50 ms or more";
    blocking_ns "Blocking" Time false "blocking" Sum "total blocking time of these: what each lasts beyond 50 ms";
    dropped_count "Dropped" Count false "dropped" Sum "dropped frames";
}

figures! {
    /// Figures of slices.
    SLICE as SliceFigures;
    count "Count" Count false "count" Sum "slices";
    self_time_ns "Self" Time true "self" Sum "time that no nested slice covers";
    total_time_ns "Total" Time false "total" Sum "time with nested slices; those of the same name count once";
    p50_ns "Median" Level false "p50" Unknown "median of the durations";
    p95_ns "p95" Level false "p95" Unknown "duration that 95 % of them do not exceed";
    longest_ns "Longest" Level false "max" Greatest "longest duration";
}

figures! {
    /// Figures of asynchronous operations.
    OPERATION as OperationFigures;
    count "Count" Count false "count" Sum "asynchronous operations";
    total_time_ns "Total" Time true "total" Sum "sum of their durations";
    p50_ns "Median" Level false "p50" Unknown "median of the durations";
    p95_ns "p95" Level false "p95" Unknown "duration that 95 % of them do not exceed";
    longest_ns "Longest" Level false "max" Greatest "longest duration";
}

figures! {
    /// Figures of a thread.
    THREAD as ThreadFigures;
    task_count "Tasks" Count false "count" Sum "outermost slices";
    self_time_ns "In slices" Time true "total" Sum "time in any slice";
    p95_ns "p95" Level false "p95" Unknown "duration that 95 % of the outermost slices do not exceed";
    longest_ns "Longest" Level false "max" Greatest "longest outermost slice";
    long_task_count "Long tasks" Count false "long_tasks" Sum "outermost slices of 50 ms or more";
    blocking_ns "Blocking" Time false "blocking" Sum "total blocking time of these: what each lasts beyond 50 ms";
}

// Of main threads the blocking decides.
figures! {
    /// Figures of a main thread.
    MAIN_THREAD as MainThreadFigures;
    long_task_count "Long tasks" Count false "long_tasks" Sum "outermost slices of 50 ms or more";
    blocking_ns "Blocking" Time true "blocking" Sum "total blocking time of these: what each lasts beyond 50 ms";
    longest_ns "Longest" Level false "max" Greatest "longest outermost slice";
}

figures! {
    /// Figures of frames.
    FRAME as FrameFigures;
    count "Frames" Count false "count" Sum "frames that were drawn";
    dropped_count "Dropped" Count true "dropped" Sum "frames that were not drawn in time";
    janky_count "Janky" Count true "janky" Sum "frames that took longer than others, as docs/commands.md says";
    p50_ns "Median" Level false "p50" Unknown "median of their times";
    p95_ns "p95" Level false "p95" Unknown "time that 95 % of them do not exceed";
    longest_ns "Longest" Level false "max" Greatest "longest time";
}

figures! {
    /// Figures of a counter.
    COUNTER as CounterFigures;
    count "Values" Count false "count" Sum "values";
    min "Min" Value false "min" Least "least value";
    max "Max" Value true "max" Greatest "greatest value";
    mean "Mean" Value true "mean" Unknown "mean of the values";
}

figures! {
    /// Figures of a stream of a GPU.
    GPU as GpuFigures;
    count "Kernels" Count false "count" Sum "kernels and copies";
    busy_ns "Busy" Time true "busy" Sum "time in any of them";
    idle_ns "Idle" Time true "idle" Sum "gaps between the first and the last of them";
    gap_count "Gaps" Count false "gaps" Sum "how many gaps";
    gap_p95_ns "p95 gap" Level false "p95" Unknown "gap that 95 % of them do not exceed";
    longest_gap_ns "Longest gap" Level true "max" Greatest "longest gap";
}

figures! {
    /// Figures of a thread on CPUs.
    SCHEDULE as ScheduleFigures;
    run_count "Times" Count false "count" Sum "times that it ran";
    running_ns "Running" Time true "running" Sum "time on a CPU";
    ready_ns "Ready" Time true "ready" Sum "time without a CPU, although it could run";
    blocked_ns "Blocked" Time false "blocked" Sum "time in an uninterruptible wait";
    sleeping_ns "Sleeping" Time false "sleeping" Sum "time in any other wait";
}

const THREAD_NAMES: &[(&str, &str)] = &[("process_name", "Process"), ("thread_name", "Thread")];
const TITLE: &[(&str, &str)] = &[("name", "Name"), ("category", "Category")];

/// Declares the lists.
macro_rules! lists {
    ($($name:ident $key:literal $title:literal $scope:expr, $names:expr, $both:ident, $more_is_worse:literal;)+) => {
        /// The lists.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Lists { $($name),+ }

        impl Lists {
            pub(super) const ALL: &'static [Lists] = &[$(Lists::$name),+];
        }

        static LISTS: [List; Lists::ALL.len()] = [$(List {
            key: $key,
            title: $title,
            scope: $scope,
            names: $names,
            figures: $both.0,
            more_is_worse: $more_is_worse,
        }),+];
    };
}

lists! {
    Whole "totals" "Trace" Some("total"), &[], TOTAL, true;
    MainThreads "main_threads" "Main threads that were blocked" None, THREAD_NAMES, MAIN_THREAD, true;
    Frames "frames" "Frames" Some("frame"), &[("process_name", "Process"), ("name", "Frame")], FRAME, true;
    Slices "slices" "Slices" None, TITLE, SLICE, true;
    SliceNames "slice_names" "" Some("slice"), &[("name", "Name")], SLICE, true;
    Categories "categories" "" Some("category"), &[("category", "Category")], SLICE, true;
    Operations "operations" "Asynchronous operations" Some("operation"), TITLE, OPERATION, true;
    Gpus "gpus" "GPU streams" Some("gpu"), &[("process_name", "Device"), ("thread_name", "Stream")], GPU, true;
    Threads "threads" "Threads" Some("thread"), THREAD_NAMES, THREAD, true;
    Processes "processes" "" Some("process"), &[("process_name", "Process")], THREAD, true;
    Schedule "scheduled_threads" "Threads on CPUs" Some("scheduled"), THREAD_NAMES, SCHEDULE, true;
    Counters "counters" "Counters" Some("counter"), &[("process_name", "Process"), ("counter_name", "Counter"), ("series", "Series")], COUNTER, false;
}

/// The lists of a comparison, in the order in which they are told.
pub(super) const COMPARED: &[Lists] = &[
    Lists::MainThreads,
    Lists::Frames,
    Lists::Slices,
    Lists::Operations,
    Lists::Gpus,
    Lists::Threads,
    Lists::Schedule,
    Lists::Counters,
];

impl Lists {
    pub(super) fn list(self) -> &'static List {
        &LISTS[self as usize]
    }
}

/// The scopes of limits, and then further ones.
macro_rules! scopes {
    ($($more:expr)?) => {
        [
            Scope { name: "total", names: Some(WHOLE), quantities: TOTAL.1 },
            Scope { name: "slice", names: None, quantities: SLICE.1 },
            Scope { name: "category", names: None, quantities: SLICE.1 },
            Scope { name: "thread", names: None, quantities: THREAD.1 },
            Scope { name: "process", names: None, quantities: THREAD.1 },
            Scope { name: "operation", names: None, quantities: OPERATION.1 },
            Scope { name: "frame", names: None, quantities: FRAME.1 },
            Scope { name: "gpu", names: None, quantities: GPU.1 },
            Scope { name: "scheduled", names: None, quantities: SCHEDULE.1 },
            Scope { name: "counter", names: None, quantities: COUNTER.1 },
            $($more)?
        ]
    };
}

/// What can be limited of a trace.
pub(crate) static VOCABULARY: [Scope; 10] = scopes!();

/// What users wait for, the slices that take most, and of traces of the scheduler the threads that run most.
pub(crate) static STARTER: Starter = Starter {
    scopes: &[
        Limited {
            scope: "total",
            quantities: &["blocking", "dropped"],
            most: 1,
            fits: ANY,
            optional: false,
        },
        Limited {
            scope: "slice",
            quantities: &["self", "p95"],
            most: 5,
            fits: ANY,
            optional: true,
        },
        Limited {
            scope: "scheduled",
            quantities: &["running"],
            most: 3,
            fits: ANY,
            optional: true,
        },
    ],
    growth: "[slice.\"*\"]\nself = \"+10% and +5 ms\"",
};

/// What can be limited of a comparison of traces: its figures, and what got worse.
pub(crate) static WITH_CHANGES: [Scope; 11] = scopes!(WORSE);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_scopes_have_the_same_figures() {
        for list in Lists::ALL.iter().map(|list| list.list()) {
            let Some(name) = list.scope else { continue };
            let scope = VOCABULARY.iter().find(|scope| scope.name == name).unwrap();
            assert_eq!(scope.quantities.len(), list.figures.len(), "{name}");
        }
        assert_eq!(VOCABULARY.len() + 1, WITH_CHANGES.len());
        assert_eq!(
            Lists::ALL.iter().filter(|l| l.list().scope.is_some()).count(),
            VOCABULARY.len()
        );
    }

    #[test]
    fn the_documentation_lists_what_can_be_limited() {
        let page = include_str!("../../../../docs/ci.md");
        for scope in &WITH_CHANGES {
            for quantity in scope.quantities {
                let row = format!("| `{}` | `{}` | {} |", scope.name, quantity.name, quantity.doc);
                assert!(page.contains(&row), "{row}");
            }
        }
    }

    #[test]
    fn figures_as_integers() {
        assert_eq!(Kind::Count.fact(2.0), 2);
        assert_eq!(Kind::Value.fact(0.25), 250);
        assert_eq!(Kind::Level.fact(f64::NAN), 0);
        assert_eq!(Kind::Value.fact(1e300), i64::MAX);
    }
}
