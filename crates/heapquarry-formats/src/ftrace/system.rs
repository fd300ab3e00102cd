//! What all of the text tells besides its rows: threads, marks, and what the scheduler did.

use super::{
    line::Row,
    marks,
    sched::{self, Told},
    threads::Threads,
};
use heapquarry_timeline::{Events, Key, Sched, SchedEvent, SchedEvents};
use std::collections::BTreeMap;

/// What a piece of the text tells.
#[derive(Debug, Default)]
pub(super) struct Piece {
    threads: Threads,
    /// The marks, and the strings of the scheduler's events.
    events: Events,
    scheduled: SchedEvents,
}

impl Piece {
    /// Takes notice of the row on that line; whether it was understood.
    pub(super) fn note(&mut self, line: u64, row: &Row<'_>) -> bool {
        let (told, mark) = (sched::read(row), marks::read(row));
        let known = told.ok().flatten();
        self.threads.note(row, known);
        if let Ok(Some(mark)) = mark {
            self.threads.belongs(row.tid, mark.process_of_thread());
            mark.add(&mut self.events, line, row);
        }
        let waker = i32::try_from(row.tid).unwrap_or(-1);
        let mut key = |text: &str| self.events.string(text);
        let what = match known {
            Some(Told::Switch { prev, state, next, priority }) => Sched::Switch {
                cpu: row.cpu,
                prev: prev.tid,
                prev_state: key(state),
                next: next.tid,
                next_prio: priority,
            },
            Some(Told::Wake { task, is_new: true }) => Sched::New { tid: task.tid, waker },
            Some(Told::Wake { task, is_new: false }) => Sched::Wake { tid: task.tid, waker },
            Some(Told::Blocked { tid, io_wait, function }) => {
                Sched::Blocked { tid, io_wait, function: key(function) }
            }
            None => return told.is_ok() && mark.is_ok(),
        };
        self.scheduled.push(SchedEvent { ts: row.ts, what });
        true
    }
}

/// What ftrace text tells besides its rows, for [`System::join`].
#[derive(Debug, Default)]
pub struct System {
    /// By their first lines.
    pieces: BTreeMap<u64, Piece>,
}

impl System {
    /// Adds the piece that begins with that line.
    pub(super) fn add(&mut self, first: u64, piece: Piece) {
        self.pieces.insert(first, piece);
    }

    /// Takes notice of rows that were decoded before, with their numbers, which must be greater than all before.
    pub fn add_rows<'r>(&mut self, rows: impl Iterator<Item = (u64, Row<'r>)>) {
        let (mut piece, mut first) = (Piece::default(), None);
        for (number, row) in rows {
            first.get_or_insert(number);
            // What is not understood was logged when it was read.
            piece.note(number, &row);
        }
        self.pieces.extend(first.map(|first| (first, piece)));
    }

    /// Appends what others found.
    pub fn append(&mut self, other: System) {
        self.pieces.extend(other.pieces);
    }

    /// Adds the threads and the marks to the events of the document that the text is part of, if there are any, and returns
    /// what the scheduler did. Keys in there are those of the events.
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
