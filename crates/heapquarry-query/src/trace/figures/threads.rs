//! What threads and processes did, by their roles, and how long main threads did not answer.

use super::{Durations, Intervals, Numbers, Subject, Subjects, subjects_of};
use crate::trace::LONG_NS;
use heapquarry_timeline::Ident;
use std::collections::HashMap;

/// The outermost slices of all threads.
pub(super) struct Tasks {
    /// By process and thread.
    threads: Vec<Thread>,
}

struct Thread {
    role: [String; 2],
    is_main: bool,
    durations: Durations,
    /// The time in any slice.
    busy: f64,
}

impl Subject {
    pub(super) fn tasks(&self) -> Tasks {
        let slices = &self.timeline.slices;
        let found = &self.timeline.processes;
        let mut intervals = vec![Intervals::default(); found.threads.len()];
        for (event, utid, start, dur) in self.slices_of_threads() {
            // An open slice lasts for ever; what is in it counts.
            let is_around = |slice| slices.self_dur(slice).is_some() && self.is_wanted(slice);
            if self.is_wanted(event) && !slices.parent(event).is_some_and(is_around) {
                intervals[utid as usize].0.push((start, start.saturating_add(dur)));
            }
        }
        let threads = intervals.into_iter().zip(self.thread_roles()).zip(&found.threads);
        let threads = threads.filter(|((intervals, _), _)| !intervals.0.is_empty());
        let threads = threads.map(|((intervals, role), thread)| {
            let pid = found.processes[thread.upid as usize].pid;
            let is_first = thread.tid == pid && matches!(pid, Ident::Number(_));
            let durations = intervals.0.iter().map(|(start, end)| end.saturating_sub(*start));
            let durations = Durations(durations.collect());
            let (is_main, busy) = (is_first || is_main(&role[1]), intervals.covered().0);
            Thread { role, is_main, durations, busy }
        });
        Tasks { threads: threads.collect() }
    }
}

/// Whether a thread of that name answers users: `CrRendererMain`, `main`, `MainThread`.
fn is_main(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with("main") || name.starts_with("main thread") || name == "mainthread"
}

impl Tasks {
    pub(super) fn threads(&self) -> Subjects {
        self.by(|_| true, |role| role.to_vec())
    }

    pub(super) fn processes(&self) -> Subjects {
        self.by(|_| true, |role| vec![role[0].clone()])
    }

    /// Main threads that were blocked at all.
    pub(super) fn main_threads(&self) -> Subjects {
        let subjects = self.by(|thread| thread.is_main, |role| role.to_vec());
        let blocked = subjects.into_iter().filter(|(_, numbers)| numbers[LONG_TASKS] > 0.0);
        let of = |numbers: Numbers| vec![numbers[LONG_TASKS], numbers[BLOCKING], numbers[LONGEST]];
        subjects_of(blocked.map(|(role, numbers)| (role, of(numbers))))
    }

    /// Long tasks of main threads, and the blocking.
    pub(super) fn of_main_threads(&self) -> [f64; 2] {
        let main = self.by(|thread| thread.is_main, |_| Vec::new());
        main.into_values().next().map_or([0.0; 2], |n| [n[LONG_TASKS], n[BLOCKING]])
    }

    fn by(
        &self,
        is_wanted: impl Fn(&Thread) -> bool,
        name: impl Fn(&[String; 2]) -> Vec<String>,
    ) -> Subjects {
        let mut found: HashMap<Vec<String>, (Durations, f64)> = HashMap::new();
        for thread in self.threads.iter().filter(|thread| is_wanted(thread)) {
            let (durations, busy) = found.entry(name(&thread.role)).or_default();
            durations.0.extend_from_slice(&thread.durations.0);
            *busy += thread.busy;
        }
        let of = |(role, (durations, busy))| (role, numbers(durations, busy));
        subjects_of(found.into_iter().map(of))
    }
}

const LONGEST: usize = 3;
const LONG_TASKS: usize = 4;
const BLOCKING: usize = 5;

fn numbers(mut durations: Durations, busy: f64) -> Numbers {
    let long = || durations.0.iter().filter(|&&dur| dur >= LONG_NS);
    let blocking = long().map(|dur| (dur - LONG_NS) as f64).sum();
    let (count, long) = (durations.0.len() as f64, long().count() as f64);
    vec![count, busy, durations.percentile(95), durations.longest(), long, blocking]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn main_threads_have_names() {
        for (name, expected) in [
            ("CrRendererMain", true),
            ("main", true),
            ("MainThread", true),
            ("Main Thread", true),
            ("Compositor", false),
            ("domain-worker", false),
        ] {
            assert_eq!(is_main(name), expected, "{name}");
        }
    }

    #[test]
    fn what_lasts_beyond_50_ms_blocks() {
        let numbers = numbers(Durations(vec![10, LONG_NS - 1, LONG_NS, LONG_NS + 7]), 5.0);
        let longest = (LONG_NS + 7) as f64;
        assert_eq!(numbers, [4.0, 5.0, longest, longest, 2.0, 7.0]);
    }
}
