//! State that spans lines: threads, marks, and scheduler events.

use super::{
    line::Row,
    marks,
    sched::{self, SchedRecord},
    threads::Threads,
};
use heapquarry_timeline::{Events, Key, Sched, SchedEvent, SchedEvents};
use std::collections::BTreeMap;

/// State of a part of the text.
#[derive(Debug, Default)]
pub(super) struct Piece {
    threads: Threads,
    /// The marks, and the strings of scheduler events.
    events: Events,
    scheduled: SchedEvents,
}

impl Piece {
    /// Memory of its strings and threads, in bytes, about.
    fn memory(&self) -> u64 {
        self.events.strings().memory() + self.threads.memory()
    }

    /// Adds the row of a line; returns whether it was understood.
    pub(super) fn note(&mut self, line: u64, row: &Row<'_>) -> bool {
        let (record, mark) = (sched::read(row), marks::read(row));
        let known = record.ok().flatten();
        self.threads.note(row, known);
        if let Ok(Some(mark)) = mark {
            self.threads.belongs(row.tid, mark.process_of_thread());
            mark.add(&mut self.events, line, row);
        }
        let waker = i32::try_from(row.tid).unwrap_or(-1);
        let mut key = |text: &str| self.events.string(text);
        let what = match known {
            Some(SchedRecord::Switch { prev, state, next, priority }) => Sched::Switch {
                cpu: row.cpu,
                prev: prev.tid,
                prev_state: key(state),
                next: next.tid,
                next_prio: priority,
            },
            Some(SchedRecord::Wake { task, is_new: true }) => Sched::New { tid: task.tid, waker },
            Some(SchedRecord::Wake { task, is_new: false }) => Sched::Wake { tid: task.tid, waker },
            Some(SchedRecord::Blocked { tid, io_wait, function }) => {
                Sched::Blocked { tid, io_wait, function: key(function) }
            }
            None => return record.is_ok() && mark.is_ok(),
        };
        self.scheduled.push(SchedEvent { ts: row.ts, what });
        true
    }
}

/// Accumulates scheduler events, marks and threads of ftrace text, for [`System::join`].
#[derive(Debug, Default)]
pub struct System {
    /// Keyed by their first lines.
    pieces: BTreeMap<u64, Piece>,
    /// Memory of their strings and threads.
    bytes: u64,
}

impl System {
    /// Adds the part that begins with that line.
    pub(super) fn add(&mut self, first: u64, piece: Piece) {
        self.bytes += piece.memory();
        self.pieces.insert(first, piece);
    }

    /// Memory of strings and threads, in bytes, about.
    pub fn memory(&self) -> u64 {
        self.bytes
    }

    /// Adds rows that were decoded earlier, with their numbers, which must be greater than all before.
    pub fn add_rows<'r>(&mut self, rows: impl Iterator<Item = (u64, Row<'r>)>) {
        let (mut piece, mut first) = (Piece::default(), None);
        for (number, row) in rows {
            first.get_or_insert(number);
            // Problems were logged when the row was first read.
            piece.note(number, &row);
        }
        if let Some(first) = first {
            self.add(first, piece);
        }
    }

    /// Appends another system, whose lines come later.
    pub fn append(&mut self, other: System) {
        self.bytes += other.bytes;
        self.pieces.extend(other.pieces);
    }

    /// Adds the threads and the marks to the events of the document that contains the text, and returns the scheduler
    /// events. Their keys refer to these events.
    pub fn join(mut self, events: &mut Events) -> SchedEvents {
        let mut threads = Threads::default();
        for piece in self.pieces.values_mut() {
            threads.append(std::mem::take(&mut piece.threads));
        }
        let process_of = threads.describe(events);
        let mut scheduled = SchedEvents::default();
        for mut piece in self.pieces.into_values() {
            piece.events.resolve_processes(&process_of);
            events.append(&piece.events);
            let strings = piece.events.strings();
            let keys: Vec<Key> = strings.iter().map(|text| events.string(text)).collect();
            let key = |key: Key| keys.get(key.0 as usize).copied().unwrap_or(Key::NONE);
            scheduled.append(&piece.scheduled, key);
        }
        scheduled
    }
}
