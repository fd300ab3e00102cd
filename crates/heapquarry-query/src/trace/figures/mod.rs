//! The figures of a trace that are compared and limited. They are small: a trace is read, measured and forgotten before
//! the next one is read.

mod counters;
mod frames;
mod gpu;
mod schedule;
mod slices;
mod threads;

use super::{
    Subject,
    list::{List, Lists},
};
use crate::{
    answer::{Caveat, lost_times},
    profile,
    runs::subjects as subjects_of,
};
use heapquarry::{Error, ErrorKind, Result, RunOptions, Source, Status, engine::Located};
use heapquarry_report::{Facts, Vocabulary};
use heapquarry_timeline::{Ident, Key, percentile, roles::role};
use std::sync::Arc;

/// The figures of a subject, in the order of its list; NaN for those that it does not have.
pub(super) type Numbers = Vec<f64>;

/// The subjects of a list by their names, without what differs between runs.
pub(super) type Subjects = crate::runs::Subjects<Vec<String>>;

/// The figures of one trace.
#[derive(Clone)]
pub(crate) struct Figures {
    /// By list.
    subjects: Vec<Subjects>,
    /// Caveats: truncated or repaired input, and what else makes the numbers doubtful.
    pub(crate) notes: Vec<Caveat>,
    /// The CPU profiles in it, as one.
    pub(super) profile: Option<Arc<profile::Subject>>,
    is_partial: bool,
    /// Which times are unknown.
    lost_times: Option<String>,
}

impl Figures {
    /// Reads a trace, and measures it.
    pub(crate) fn open(source: &Source, located: Located, options: &RunOptions) -> Result<Self> {
        Ok(Subject::open(source, located, options)?.figures())
    }

    pub(super) fn of(&self, list: Lists) -> &Subjects {
        &self.subjects[list as usize]
    }

    /// The figures as limits know them, if the trace is complete.
    pub(crate) fn facts(&self, source: &Source, vocabulary: Vocabulary) -> Result<Facts> {
        if self.is_partial {
            return Err(Error::new(ErrorKind::Truncated(source.path.clone())));
        }
        let mut facts = Facts::new(vocabulary);
        if let Some(why) = &self.lost_times {
            for scope in vocabulary {
                for quantity in scope.quantities {
                    facts.set_unknown(scope.name, quantity.name, why);
                }
            }
        }
        for (list, subjects) in Lists::ALL.iter().zip(&self.subjects) {
            let List { scope: Some(scope), figures, .. } = list.list() else { continue };
            for (names, numbers) in subjects {
                let numbers = figures.iter().zip(numbers).map(|(figure, n)| figure.kind.fact(*n));
                facts.add(scope, &name(*list, names), &numbers.collect::<Vec<i64>>());
            }
        }
        Ok(facts)
    }
}

/// The name of a subject in limits: `Renderer/CrRendererMain`, `Renderer/heap.used`; without what is not known.
pub(super) fn name(list: Lists, names: &[String]) -> String {
    let known = |name: &&String| !name.is_empty();
    if list == Lists::Counters
        && let [process, counter, series] = names
    {
        let counter = [counter, series].into_iter().filter(known).cloned();
        let counter = counter.collect::<Vec<_>>().join(".");
        return if process.is_empty() { counter } else { format!("{process}/{counter}") };
    }
    names.iter().filter(known).cloned().collect::<Vec<_>>().join("/")
}

impl Subject {
    pub(crate) fn figures(&self) -> Figures {
        let mut subjects = vec![Subjects::new(); Lists::ALL.len()];
        let mut add = |list: Lists, found: Subjects| subjects[list as usize] = found;
        let [titles, names, categories] = self.slice_subjects();
        add(Lists::Slices, titles);
        add(Lists::SliceNames, names);
        add(Lists::Categories, categories);
        add(Lists::Operations, self.operation_subjects());
        let tasks = self.tasks();
        add(Lists::Threads, tasks.threads());
        add(Lists::Processes, tasks.processes());
        add(Lists::MainThreads, tasks.main_threads());
        let (frames, _) = self.frames();
        let dropped = frames.values().map(|numbers| numbers[frames::DROPPED]).sum();
        add(Lists::Frames, frames);
        add(Lists::Counters, self.counter_subjects());
        add(Lists::Gpus, self.gpu_subjects());
        add(Lists::Schedule, self.schedule_subjects());
        let whole = self.whole(tasks.of_main_threads(), dropped);
        add(Lists::Whole, subjects_of(std::iter::once((Vec::new(), whole))));
        Figures {
            subjects,
            is_partial: self.status == Status::Truncated,
            lost_times: lost_times(&self.log),
            notes: self.notes.clone(),
            profile: self.profile.clone(),
        }
    }

    /// The figures of the whole trace.
    fn whole(&self, [long_tasks, blocking]: [f64; 2], dropped: f64) -> Numbers {
        let events = &self.timeline.events;
        let asked = || events.all().filter(|&event| self.is_asked(event));
        let slices = asked().filter(|&e| self.timeline.slices.ending(e).is_some()).count();
        let duration = self.span().map_or(0, |(start, end)| end.saturating_sub(start));
        let counts = [asked().count(), slices].map(|count| count as f64);
        vec![duration as f64, counts[0], counts[1], long_tasks, blocking, dropped]
    }

    pub(super) fn string(&self, key: Key) -> &str {
        self.timeline.events.strings().get(key).unwrap_or("")
    }

    /// What a process does in each run, whatever its id is.
    fn process_role(&self, upid: u32) -> String {
        let process = &self.timeline.processes.processes[upid as usize];
        let ids = numbers([process.pid]);
        // PyTorch calls all processes alike, and has the device in the labels.
        let labels = process.labels.iter().map(|&label| self.string(label));
        let device = labels.into_iter().find(|label| is_device(label));
        match device {
            Some(device) => role(device, &[]),
            None => match process.pid {
                Ident::Text(name) if self.string(process.name).is_empty() => {
                    role(self.string(name), &[])
                }
                _ => role(self.string(process.name), &ids),
            },
        }
    }

    /// What a thread does in each run, whatever its ids are.
    fn thread_role(&self, utid: u32) -> [String; 2] {
        let processes = &self.timeline.processes;
        let thread = &processes.threads[utid as usize];
        let pid = processes.processes[thread.upid as usize].pid;
        let name = match (self.string(thread.name), thread.tid) {
            ("", Ident::Text(name)) => role(self.string(name), &[]),
            ("", tid) if tid == pid => "main".into(),
            ("", _) => "thread".into(),
            (name, tid) => role(name, &numbers([tid, pid])),
        };
        [self.process_role(thread.upid), name]
    }

    /// The roles of all threads.
    fn thread_roles(&self) -> Vec<[String; 2]> {
        (0..self.timeline.processes.threads.len() as u32).map(|t| self.thread_role(t)).collect()
    }
}

/// Whether a label names a device: `GPU 0`, `MTIA 17`.
fn is_device(label: &str) -> bool {
    let parts = label.split_once(' ');
    parts.is_some_and(|(kind, number)| {
        !kind.is_empty()
            && kind.bytes().all(|b| b.is_ascii_uppercase())
            && number.parse::<u32>().is_ok()
    })
}

fn numbers<const N: usize>(ids: [Ident; N]) -> Vec<i64> {
    let number = |ident| match ident {
        Ident::Number(number) => Some(number),
        Ident::None | Ident::Text(_) => None,
    };
    ids.into_iter().filter_map(number).collect()
}

/// A number that may be unknown.
fn known(value: Option<i64>) -> f64 {
    value.map_or(f64::NAN, |value| value as f64)
}

/// Some durations.
#[derive(Clone, Debug, Default)]
struct Durations(Vec<i64>);

impl Durations {
    fn sum(&self) -> f64 {
        self.0.iter().map(|&dur| dur as f64).sum()
    }

    fn percentile(&mut self, percent: usize) -> f64 {
        known(percentile(&mut self.0, percent))
    }

    fn longest(&self) -> f64 {
        known(self.0.iter().copied().max())
    }
}

/// Intervals of time, of which some overlap.
#[derive(Clone, Debug, Default)]
struct Intervals(Vec<(i64, i64)>);

impl Intervals {
    /// The time that any of them covers, and the gaps between them.
    fn covered(mut self) -> (f64, Durations) {
        self.0.sort_unstable();
        let (mut covered, mut gaps) = (0.0, Durations::default());
        let mut end: Option<i64> = None;
        for (start, stop) in self.0 {
            let from = end.map_or(start, |end| start.max(end));
            if let Some(end) = end.filter(|&end| start > end) {
                gaps.0.push(start.saturating_sub(end));
            }
            covered += stop.saturating_sub(from).max(0) as f64;
            end = Some(end.unwrap_or(stop).max(stop));
        }
        (covered, gaps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_devices() {
        for (label, expected) in
            [("GPU 0", true), ("MTIA 17", true), ("CPU", false), ("GPU x", false), (" 1", false)]
        {
            assert_eq!(is_device(label), expected, "{label}");
        }
    }

    #[test]
    fn intervals_are_covered_once() {
        for (intervals, covered, gaps) in [
            (&[][..], 0.0, &[][..]),
            (&[(0, 10)], 10.0, &[]),
            (&[(20, 25), (0, 10)], 15.0, &[10]),
            (&[(0, 10), (2, 4), (5, 15), (15, 16)], 16.0, &[]),
            (&[(0, 0), (5, 5), (6, 9)], 3.0, &[5, 1]),
        ] {
            let (time, between) = Intervals(intervals.to_vec()).covered();
            assert_eq!((time, &between.0[..]), (covered, gaps), "{intervals:?}");
        }
    }
}
