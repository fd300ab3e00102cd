//! What the scheduler did in all of the text, and the rows that come of it.

use super::{
    line::Row,
    sched::{self, Told},
    threads::{Numbered, Threads},
};
use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch};
use heapquarry_tables::{PROCESS, SCHED, THREAD, THREAD_STATE, Table, arrays};
use heapquarry_timeline::{Key, Sched, SchedEvent, Schedule, State, Strings, schedule};
use std::{collections::BTreeMap, sync::Arc};

/// What a piece of the text tells of threads and their schedule.
#[derive(Debug, Default)]
pub(super) struct Piece {
    threads: Threads,
    events: Vec<SchedEvent>,
    /// States and functions.
    strings: Strings,
}

impl Piece {
    /// Takes notice of a row; whether it was understood.
    pub(super) fn note(&mut self, row: &Row<'_>) -> bool {
        let told = sched::read(row);
        let known = told.ok().flatten();
        self.threads.note(row, known);
        let waker = i32::try_from(row.tid).unwrap_or(-1);
        let what = match known {
            Some(Told::Switch { prev, state, next, priority }) => Sched::Switch {
                cpu: row.cpu,
                prev: prev.tid,
                prev_state: self.strings.intern(state),
                next: next.tid,
                next_prio: priority,
            },
            Some(Told::Wake { task, is_new: true }) => Sched::New { tid: task.tid, waker },
            Some(Told::Wake { task, is_new: false }) => Sched::Wake { tid: task.tid, waker },
            Some(Told::Blocked { tid, io_wait, function }) => {
                Sched::Blocked { tid, io_wait, function: self.strings.intern(function) }
            }
            None => return told.is_ok(),
        };
        self.events.push(SchedEvent { ts: row.ts, what });
        true
    }
}

/// What all pieces tell, which come in any order.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    /// By their first lines.
    pieces: BTreeMap<u64, (Threads, Vec<SchedEvent>)>,
    strings: Strings,
}

impl Pieces {
    /// Adds the piece that begins with that line.
    pub(super) fn add(&mut self, first: u64, piece: Piece) {
        let Piece { threads, mut events, strings } = piece;
        let keys: Vec<Key> = strings.iter().map(|text| self.strings.intern(text)).collect();
        for event in &mut events {
            match &mut event.what {
                Sched::Switch { prev_state: key, .. } | Sched::Blocked { function: key, .. } => {
                    *key = keys[key.0 as usize];
                }
                Sched::Wake { .. } | Sched::New { .. } => {}
            }
        }
        self.pieces.insert(first, (threads, events));
    }

    /// Finds out what it all means.
    pub(super) fn conclude(self) -> Concluded {
        let Pieces { pieces, strings } = self;
        let mut threads = Threads::default();
        let mut events = Vec::with_capacity(pieces.values().map(|(_, events)| events.len()).sum());
        for (more_threads, more_events) in pieces.into_values() {
            threads.append(more_threads);
            events.extend(more_events);
        }
        let is_runnable = |state| strings.get(state).is_some_and(|state| state.starts_with('R'));
        let schedule = schedule(events, is_runnable);
        Concluded { threads: threads.number(), schedule, strings, slices: 0, states: 0 }
    }
}

/// The schedule, as rows that are handed out.
pub(super) struct Concluded {
    threads: Numbered,
    schedule: Schedule,
    strings: Strings,
    /// Rows that were handed out.
    slices: usize,
    states: usize,
}

impl Concluded {
    /// The next rows, at most so many.
    pub(super) fn next(
        &mut self,
        file_id: i32,
        rows: usize,
    ) -> Option<(&'static Table, RecordBatch)> {
        let slices = self.slices..self.schedule.slices.len().min(self.slices.saturating_add(rows));
        if !slices.is_empty() {
            self.slices = slices.end;
            return Some((&SCHED, self.sched(file_id, slices)));
        }
        let states = self.states..self.schedule.states.len().min(self.states.saturating_add(rows));
        if !states.is_empty() {
            self.states = states.end;
            return Some((&THREAD_STATE, self.thread_states(file_id, states)));
        }
        None
    }

    /// Threads and processes.
    pub(super) fn small(&self, file_id: i32) -> Vec<(&'static Table, RecordBatch)> {
        vec![(&THREAD, self.threads.threads(file_id)), (&PROCESS, self.threads.processes(file_id))]
    }

    fn text(&self, keys: impl Iterator<Item = Key>) -> ArrayRef {
        arrays::text(keys.map(|key| self.strings.get(key)))
    }

    fn sched(&self, file_id: i32, range: std::ops::Range<usize>) -> RecordBatch {
        let ids = range.start as i64..range.end as i64;
        let slices = &self.schedule.slices[range];
        let each = || slices.iter();
        let cpus: ArrayRef = Arc::new(Int32Array::from_iter_values(each().map(|slice| slice.cpu)));
        SCHED.batch(vec![
            arrays::constant_i32(Some(file_id), slices.len()),
            int64(ids),
            int64(each().map(|slice| slice.ts)),
            int64(each().map(|slice| slice.dur.unwrap_or(-1))),
            cpus.clone(),
            int64(each().map(|slice| self.threads.utid(slice.tid))),
            self.text(each().map(|slice| slice.end_state)),
            int64(each().map(|slice| slice.priority.into())),
            cpus,
            int64(each().map(|slice| slice.tid.into())),
        ])
    }

    fn thread_states(&self, file_id: i32, range: std::ops::Range<usize>) -> RecordBatch {
        let ids = range.start as i64..range.end as i64;
        let states = &self.schedule.states[range];
        let each = || states.iter();
        let cpu = |state: State| match state {
            State::Running(cpu) => Some(cpu),
            _ => None,
        };
        let cpus: ArrayRef = Arc::new(each().map(|row| cpu(row.state)).collect::<Int32Array>());
        let name = |state: State| match state {
            State::Running(_) => Some("Running"),
            State::Runnable => Some("R"),
            State::Left(key) => self.strings.get(key),
        };
        let waker = |tid: i32| Some(self.threads.utid(tid)).filter(|&utid| utid >= 0);
        THREAD_STATE.batch(vec![
            arrays::constant_i32(Some(file_id), states.len()),
            int64(ids),
            int64(each().map(|row| row.ts)),
            int64(each().map(|row| row.dur.unwrap_or(-1))),
            cpus.clone(),
            int64(each().map(|row| self.threads.utid(row.tid))),
            arrays::text(each().map(|row| name(row.state))),
            Arc::new(each().map(|row| row.io_wait.map(i32::from)).collect::<Int32Array>()),
            self.text(each().map(|row| row.blocked_function)),
            Arc::new(each().map(|row| row.waker.and_then(waker)).collect::<Int64Array>()),
            cpus,
            int64(each().map(|row| row.tid.into())),
        ])
    }
}

fn int64(values: impl Iterator<Item = i64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values))
}
