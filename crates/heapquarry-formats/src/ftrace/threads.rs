//! The threads that a text names: in its rows, and as arguments of the scheduler's.

use super::{line::Row, sched::Told};
use crate::HashMap;
use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch};
use heapquarry_tables::{PROCESS, THREAD, Type, arrays};
use std::{collections::BTreeMap, sync::Arc};

/// What a piece of the text, or all of it, tells of threads.
#[derive(Debug, Default)]
pub(super) struct Threads {
    threads: HashMap<i64, Thread>,
}

#[derive(Clone, Debug, Default)]
struct Thread {
    /// The last one that was told.
    comm: Option<String>,
    tgid: Option<i64>,
    /// Of its rows.
    span: Option<(i64, i64)>,
}

impl Threads {
    /// Takes notice of a row and of what it tells.
    pub(super) fn note(&mut self, row: &Row<'_>, told: Option<Told<'_>>) {
        let thread = self.threads.entry(row.tid).or_default();
        thread.name(row.comm);
        thread.tgid = row.tgid.or(thread.tgid);
        thread.extend((row.ts, row.ts));
        let named = match told {
            Some(Told::Switch { prev, next, .. }) => [Some(prev), Some(next)],
            Some(Told::Wake { task, .. }) => [Some(task), None],
            Some(Told::Blocked { tid, .. }) => {
                self.threads.entry(tid.into()).or_default();
                [None, None]
            }
            None => [None, None],
        };
        for task in named.into_iter().flatten() {
            self.threads.entry(task.tid.into()).or_default().name(task.comm);
        }
    }

    /// Appends what the next piece tells.
    pub(super) fn append(&mut self, piece: Threads) {
        for (tid, theirs) in piece.threads {
            let ours = self.threads.entry(tid).or_default();
            ours.comm = theirs.comm.or(ours.comm.take());
            ours.tgid = theirs.tgid.or(ours.tgid);
            theirs.span.into_iter().for_each(|span| ours.extend(span));
        }
    }

    /// Numbers threads and processes, by their ids.
    pub(super) fn number(self) -> Numbered {
        let threads: BTreeMap<i64, Thread> = self.threads.into_iter().collect();
        let mut tgids: Vec<Option<i64>> =
            threads.iter().map(|(&tid, thread)| thread.tgid_of(tid)).collect();
        tgids.sort_unstable();
        tgids.dedup();
        let utids = threads.keys().copied().zip(0..).collect();
        Numbered { threads, tgids, utids }
    }
}

impl Thread {
    fn name(&mut self, comm: &str) {
        let is_name = comm != "<...>" && comm != "<idle>";
        if is_name && self.comm.as_deref() != Some(comm) {
            self.comm = Some(comm.into());
        }
    }

    fn extend(&mut self, (from, to): (i64, i64)) {
        self.span = Some(match self.span {
            Some((start, end)) => (start.min(from), end.max(to)),
            None => (from, to),
        });
    }

    /// The idle thread of all CPUs is a process of its own.
    fn tgid_of(&self, tid: i64) -> Option<i64> {
        if tid == 0 { Some(0) } else { self.tgid }
    }
}

/// Threads with their numbers.
#[derive(Debug, Default)]
pub(super) struct Numbered {
    threads: BTreeMap<i64, Thread>,
    /// Those of the processes, the unknown one first.
    tgids: Vec<Option<i64>>,
    utids: HashMap<i64, i64>,
}

impl Numbered {
    /// Number of a thread that the text names.
    pub(super) fn utid(&self, tid: i32) -> i64 {
        self.utids.get(&i64::from(tid)).copied().unwrap_or(-1)
    }

    fn upid(&self, tgid: Option<i64>) -> usize {
        self.tgids.partition_point(|&other| other < tgid)
    }

    /// Name of a thread; all idle ones are one.
    fn comm(&self, tid: i64) -> Option<&str> {
        if tid == 0 { Some("swapper") } else { self.threads.get(&tid)?.comm.as_deref() }
    }

    /// Rows of `thread`.
    pub(super) fn threads(&self, file_id: i32) -> RecordBatch {
        let rows = self.threads.len();
        let each = || self.threads.iter();
        let ints = |of: &dyn Fn((&i64, &Thread)) -> Option<i64>| -> ArrayRef {
            Arc::new(each().map(of).collect::<Int64Array>())
        };
        THREAD.batch(vec![
            arrays::constant_i32(Some(file_id), rows),
            Arc::new(Int64Array::from_iter_values(0..rows as i64)),
            ints(&|(&tid, _)| Some(tid)),
            arrays::nulls(Type::Text, rows),
            arrays::text(each().map(|(&tid, _)| self.comm(tid))),
            ints(&|(_, thread)| thread.span.map(|(start, _)| start)),
            ints(&|(_, thread)| thread.span.map(|(_, end)| end)),
            ints(&|(&tid, thread)| Some(self.upid(thread.tgid_of(tid)) as i64)),
            Arc::new(
                each()
                    .map(|(&tid, thread)| Some(i32::from(thread.tgid_of(tid)? == tid)))
                    .collect::<Int32Array>(),
            ),
            arrays::nulls(Type::Int64, rows),
        ])
    }

    /// Rows of `process`: named as their first threads are.
    pub(super) fn processes(&self, file_id: i32) -> RecordBatch {
        let rows = self.tgids.len();
        let mut spans: Vec<Option<(i64, i64)>> = vec![None; rows];
        for (&tid, thread) in &self.threads {
            let whole = &mut spans[self.upid(thread.tgid_of(tid))];
            if let Some((from, to)) = thread.span {
                let (start, end) = whole.unwrap_or((from, to));
                *whole = Some((start.min(from), end.max(to)));
            }
        }
        PROCESS.batch(vec![
            arrays::constant_i32(Some(file_id), rows),
            Arc::new(Int64Array::from_iter_values(0..rows as i64)),
            Arc::new(self.tgids.iter().copied().collect::<Int64Array>()),
            arrays::nulls(Type::Text, rows),
            arrays::text(self.tgids.iter().map(|tgid| self.comm((*tgid)?))),
            Arc::new(spans.iter().map(|span| span.map(|(start, _)| start)).collect::<Int64Array>()),
            Arc::new(spans.iter().map(|span| span.map(|(_, end)| end)).collect::<Int64Array>()),
            arrays::nulls(Type::Text, rows),
            arrays::nulls(Type::Int64, rows),
        ])
    }
}
