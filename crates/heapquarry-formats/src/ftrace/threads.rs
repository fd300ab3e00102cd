//! The threads that a text names: in its rows, and as arguments of the scheduler's.

use super::{line::Row, sched::Told};
use crate::HashMap;
use heapquarry_timeline::{Events, Ident, Key};
use std::collections::BTreeMap;

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
    /// The process that it says itself, in marks; the kernel knows better.
    own_pid: Option<i64>,
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

    /// Takes notice of the process that a thread says it is of.
    pub(super) fn belongs(&mut self, tid: i64, pid: Option<i64>) {
        let thread = self.threads.entry(tid).or_default();
        thread.own_pid = pid.or(thread.own_pid);
    }

    /// Appends what the next piece tells.
    pub(super) fn append(&mut self, piece: Threads) {
        for (tid, theirs) in piece.threads {
            let ours = self.threads.entry(tid).or_default();
            ours.comm = theirs.comm.or(ours.comm.take());
            ours.tgid = theirs.tgid.or(ours.tgid);
            ours.own_pid = theirs.own_pid.or(ours.own_pid);
            theirs.span.into_iter().for_each(|span| ours.extend(span));
        }
    }

    /// Adds the threads to events, in order of their ids, and tells the process of each. Where the text does not tell it, it is
    /// that of a thread of the same id that has events.
    pub(super) fn describe(self, events: &mut Events) -> impl Fn(Ident) -> Ident + use<> {
        let mut pids: HashMap<i64, Ident> = HashMap::default();
        for id in events.thread_ids() {
            if let Ident::Number(tid) = id.tid {
                // One that several processes have tells nothing.
                let known = pids.entry(tid).or_insert(id.pid);
                if *known != id.pid {
                    *known = Ident::None;
                }
            }
        }
        let threads: BTreeMap<i64, Thread> = self.threads.into_iter().collect();
        for (tid, thread) in threads {
            let other = || pids.get(&tid).copied().unwrap_or(Ident::None);
            // The idle thread of all CPUs is a process of its own.
            let (pid, name) = match tid {
                0 => (Ident::Number(0), Some("swapper")),
                _ => {
                    let pid = thread.tgid.or(thread.own_pid).map(Ident::Number);
                    (pid.unwrap_or_else(other), thread.comm.as_deref())
                }
            };
            pids.insert(tid, pid);
            let name = name.map_or(Key::NONE, |name| events.string(name));
            events.add_thread(pid, Ident::Number(tid), name, thread.span);
        }
        move |tid| match tid {
            Ident::Number(tid) => pids.get(&tid).copied().unwrap_or(Ident::None),
            _ => Ident::None,
        }
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
}
