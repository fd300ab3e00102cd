//! What the scheduler of Linux did with the threads.

use super::{Subject, Subjects};
use crate::trace::schedule::{WaitState, wait};
use std::collections::HashMap;

const RUNS: usize = 0;
const RUNNING: usize = 1;
const READY: usize = 2;
const BLOCKED: usize = 3;
const SLEEPING: usize = 4;

impl Subject {
    pub(super) fn schedule_subjects(&self) -> Subjects {
        let mut threads: HashMap<i32, [f64; 5]> = HashMap::new();
        for state in self.states() {
            let numbers = threads.entry(state.tid).or_default();
            let of = match wait(&self.timeline, state.state) {
                None => {
                    numbers[RUNS] += 1.0;
                    RUNNING
                }
                Some(WaitState::Ready) => READY,
                Some(WaitState::Blocked) => BLOCKED,
                Some(WaitState::Sleeping) => SLEEPING,
            };
            numbers[of] += state.dur.unwrap_or(0) as f64;
        }
        let mut found = Subjects::new();
        for (tid, numbers) in threads {
            let role = match self.timeline.processes.scheduled(tid) {
                Some(utid) => self.thread_role(utid).to_vec(),
                None => vec![String::new(), "thread".into()],
            };
            let sums = found.entry(role).or_insert_with(|| vec![0.0; numbers.len()]);
            sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        }
        found
    }
}
