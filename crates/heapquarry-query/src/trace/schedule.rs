//! What CPUs ran, and how long threads waited.

use super::{Subject, nanos};
use crate::sections::table;
use heapquarry_report::{Cell, Column, Section, Unit};
use heapquarry_timeline::{State, ThreadState};
use std::{cmp::Reverse, collections::BTreeMap};

/// Totals of a CPU.
#[derive(Clone, Copy, Debug, Default)]
struct Cpu {
    switches: u64,
    busy: i64,
    /// Including the time of the idle thread.
    whole: i64,
}

/// Totals of a thread.
#[derive(Clone, Copy, Debug, Default)]
struct Numbers {
    times: u64,
    running: i64,
    /// Runnable, but without a CPU.
    ready: i64,
    longest_ready: Option<i64>,
    /// In an uninterruptible wait, usually for a disk.
    blocked: i64,
}

impl Subject {
    /// The states of threads that are asked for.
    pub(super) fn states(&self) -> impl Iterator<Item = ThreadState> {
        let schedule = &self.timeline.schedule;
        let states = (0..schedule.states()).map(|at| schedule.state(at));
        states.filter(|state| self.selection.has_state(&self.timeline, state.tid, state.ts))
    }

    /// CPUs by number, and threads sorted by running time; empty without scheduler events.
    pub(super) fn schedule(&self, top: usize) -> Vec<Section> {
        match self.timeline.schedule.slices() {
            0 => Vec::new(),
            _ => vec![self.cpus(top), self.scheduled(top)],
        }
    }

    fn cpus(&self, top: usize) -> Section {
        let schedule = &self.timeline.schedule;
        let mut cpus: BTreeMap<i32, Cpu> = BTreeMap::new();
        let slices = (0..schedule.slices()).map(|at| schedule.slice(at));
        for slice in slices.filter(|s| self.selection.has_state(&self.timeline, s.tid, s.ts)) {
            let cpu = cpus.entry(slice.cpu).or_default();
            let dur = slice.dur.unwrap_or(0);
            cpu.switches += 1;
            cpu.whole = cpu.whole.saturating_add(dur);
            if slice.tid != 0 {
                cpu.busy = cpu.busy.saturating_add(dur);
            }
        }
        let rows = cpus.into_iter().map(|(number, cpu)| {
            vec![
                Cell::Number(number.into(), Unit::Plain),
                Cell::count(cpu.switches),
                nanos(cpu.busy),
                Cell::share(cpu.busy.unsigned_abs(), cpu.whole.unsigned_abs()),
            ]
        });
        let columns = vec![
            Column::new("cpu", "CPU"),
            Column::new("switch_count", "Switches"),
            Column::new("busy_ns", "Busy"),
            Column::optional("busy_percent", "Share"),
        ];
        table("cpus", "CPUs", columns, rows.collect(), top, "")
    }

    fn scheduled(&self, top: usize) -> Section {
        let Self { timeline, .. } = self;
        let mut threads: BTreeMap<i32, Numbers> = BTreeMap::new();
        let is_state = |key, first: char| {
            timeline.events.strings().get(key).is_some_and(|state| state.starts_with(first))
        };
        for state in self.states() {
            let thread = threads.entry(state.tid).or_default();
            let dur = state.dur.unwrap_or(0);
            let total = match state.state {
                State::Running(_) => {
                    thread.times += 1;
                    &mut thread.running
                }
                State::Left(key) if is_state(key, 'D') => &mut thread.blocked,
                State::Left(key) if !is_state(key, 'R') => continue,
                State::Left(_) | State::Runnable => {
                    thread.longest_ready = thread.longest_ready.max(state.dur);
                    &mut thread.ready
                }
            };
            *total = total.saturating_add(dur);
        }
        let mut threads: Vec<(i32, Numbers)> = threads.into_iter().collect();
        threads.sort_unstable_by_key(|(tid, numbers)| {
            (Reverse(numbers.running), Reverse(numbers.ready), *tid)
        });
        let rows = threads.into_iter().map(|(tid, numbers)| {
            let thread = timeline.processes.scheduled(tid);
            let thread = thread.map(|utid| &timeline.processes.threads[utid as usize]);
            let process = thread.map(|thread| &timeline.processes.processes[thread.upid as usize]);
            vec![
                thread.map_or(Cell::Empty, |thread| self.text(thread.name)),
                Cell::Number(tid.into(), Unit::Plain),
                process.map_or(Cell::Empty, |process| self.text(process.name)),
                process.map_or(Cell::Empty, |process| self.ident(process.pid)),
                Cell::count(numbers.times),
                nanos(numbers.running),
                nanos(numbers.ready),
                numbers.longest_ready.map_or(Cell::Empty, nanos),
                nanos(numbers.blocked),
            ]
        });
        let columns = vec![
            Column::new("thread_name", "Thread"),
            Column::new("tid", "Tid"),
            Column::optional("process_name", "Process"),
            Column::optional("pid", "Pid"),
            Column::new("run_count", "Times"),
            Column::new("running_ns", "Running"),
            Column::new("ready_ns", "Ready"),
            Column::optional("longest_ready_ns", "Longest"),
            Column::new("blocked_ns", "Blocked"),
        ];
        table("scheduled_threads", "Threads on CPUs", columns, rows.collect(), top, "")
    }
}
