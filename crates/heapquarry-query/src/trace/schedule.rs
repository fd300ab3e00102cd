//! What CPUs ran, and how long threads waited.

use super::{
    Subject,
    summary::{CpuActivity, ScheduledThread},
};
use crate::answer::{List, Nanos, Share, answer};
use heapquarry_base::Order;
use heapquarry_timeline::{State, ThreadState, Timeline};
use std::{cmp::Reverse, collections::HashMap};

answer! {
    /// Why a thread does not run.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    pub enum WaitState {
        /// It could run, but has no CPU.
        Ready,
        /// An uninterruptible wait, usually for a disk.
        Blocked,
        /// Any other wait.
        Sleeping,
    }
}

/// Why a thread in a state does not run; `None` while it does.
pub(super) fn wait(timeline: &Timeline, state: State) -> Option<WaitState> {
    let left = match state {
        State::Running(_) => return None,
        State::Runnable => return Some(WaitState::Ready),
        State::Left(key) => timeline.events.strings().get(key).unwrap_or_default(),
    };
    Some(match left.chars().next() {
        Some('R') => WaitState::Ready,
        Some('D') => WaitState::Blocked,
        _ => WaitState::Sleeping,
    })
}

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

    /// CPUs by number.
    pub(super) fn cpus(&self, top: Option<usize>) -> List<CpuActivity> {
        let schedule = &self.timeline.schedule;
        let mut cpus: HashMap<i32, Cpu> = HashMap::new();
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
        let mut cpus: Vec<(i32, Cpu)> = cpus.into_iter().collect();
        cpus.order_by_key(|&(number, _)| number);
        List::of(cpus, top, |(number, cpu)| CpuActivity {
            cpu: number,
            switch_count: cpu.switches,
            busy_ns: Nanos(cpu.busy),
            busy_percent: Share::of(cpu.busy.unsigned_abs(), cpu.whole.unsigned_abs()),
        })
    }

    /// Threads by running time.
    pub(super) fn scheduled(&self, top: Option<usize>) -> List<ScheduledThread> {
        let Self { timeline, .. } = self;
        let mut threads: HashMap<i32, Numbers> = HashMap::new();
        for state in self.states() {
            let thread = threads.entry(state.tid).or_default();
            let dur = state.dur.unwrap_or(0);
            let total = match wait(timeline, state.state) {
                None => {
                    thread.times += 1;
                    &mut thread.running
                }
                Some(WaitState::Blocked) => &mut thread.blocked,
                Some(WaitState::Sleeping) => continue,
                Some(WaitState::Ready) => {
                    thread.longest_ready = thread.longest_ready.max(state.dur);
                    &mut thread.ready
                }
            };
            *total = total.saturating_add(dur);
        }
        let mut threads: Vec<(i32, Numbers)> = threads.into_iter().collect();
        threads.order_by_key(|(tid, of)| (Reverse(of.running), Reverse(of.ready), *tid));
        List::of(threads, top, |(tid, numbers)| {
            let thread = timeline.processes.scheduled(tid);
            let thread = thread.map(|utid| &timeline.processes.threads[utid as usize]);
            let process = thread.map(|thread| &timeline.processes.processes[thread.upid as usize]);
            ScheduledThread {
                thread_name: thread.and_then(|thread| self.text(thread.name)),
                tid,
                process_name: process.and_then(|process| self.text(process.name)),
                pid: process.and_then(|process| self.ident(process.pid)),
                run_count: numbers.times,
                running_ns: Nanos(numbers.running),
                ready_ns: Nanos(numbers.ready),
                longest_ready_ns: numbers.longest_ready.map(Nanos),
                blocked_ns: Nanos(numbers.blocked),
            }
        })
    }
}
