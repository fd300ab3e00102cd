//! The threads of a text: those of its rows, and those in arguments of scheduler events.

use super::{line::Row, sched::SchedRecord};
use crate::HashMap;
use heapquarry_timeline::{Events, Ident, Key};
use std::collections::BTreeMap;

/// Threads of a part of the text, or of all of it.
#[derive(Debug, Default)]
pub(super) struct Threads {
    threads: HashMap<i64, Thread>,
}

#[derive(Clone, Debug, Default)]
struct Thread {
    /// The last name.
    comm: Option<String>,
    tgid: Option<i64>,
    /// The process that the thread names in its marks; the kernel's own value has precedence.
    own_pid: Option<i64>,
    /// Time span of its rows.
    span: Option<(i64, i64)>,
}

impl Threads {
    /// Memory that they take, in bytes, about.
    pub(super) fn memory(&self) -> u64 {
        let name = |thread: &Thread| thread.comm.as_ref().map_or(0, String::len);
        let names: usize = self.threads.values().map(name).sum();
        (names + self.threads.len() * size_of::<(i64, Thread)>()) as u64
    }

    /// Adds a row, and its scheduler event.
    pub(super) fn note(&mut self, row: &Row<'_>, record: Option<SchedRecord<'_>>) {
        let thread = self.threads.entry(row.tid).or_default();
        thread.name(row.comm);
        thread.tgid = row.tgid.or(thread.tgid);
        thread.extend((row.ts, row.ts));
        let named = match record {
            Some(SchedRecord::Switch { prev, next, .. }) => [Some(prev), Some(next)],
            Some(SchedRecord::Wake { task, .. }) => [Some(task), None],
            Some(SchedRecord::Blocked { tid, .. }) => {
                self.threads.entry(tid.into()).or_default();
                [None, None]
            }
            None => [None, None],
        };
        for task in named.into_iter().flatten() {
            self.threads.entry(task.tid.into()).or_default().name(task.comm);
        }
    }

    /// Adds the process that a thread names as its own.
    pub(super) fn belongs(&mut self, tid: i64, pid: Option<i64>) {
        let thread = self.threads.entry(tid).or_default();
        thread.own_pid = pid.or(thread.own_pid);
    }

    /// Appends the threads of the next part.
    pub(super) fn append(&mut self, piece: Threads) {
        for (tid, theirs) in piece.threads {
            let ours = self.threads.entry(tid).or_default();
            ours.comm = theirs.comm.or(ours.comm.take());
            ours.tgid = theirs.tgid.or(ours.tgid);
            ours.own_pid = theirs.own_pid.or(ours.own_pid);
            theirs.span.into_iter().for_each(|span| ours.extend(span));
        }
    }

    /// Adds the threads to events, in order of their ids, and sets the process of each. If the text does not have it,
    /// it is the process of a thread with the same id that has events.
    pub(super) fn describe(self, events: &mut Events) -> impl Fn(Ident) -> Ident + use<> {
        let mut pids: HashMap<i64, Ident> = HashMap::default();
        for id in events.thread_ids() {
            if let Ident::Number(tid) = id.tid {
                // An id that several processes use is ambiguous.
                let known = pids.entry(tid).or_insert(id.pid);
                if *known != id.pid {
                    *known = Ident::None;
                }
            }
        }
        let threads: BTreeMap<i64, Thread> = self.threads.into_iter().collect();
        for (tid, thread) in threads {
            let other = || pids.get(&tid).copied().unwrap_or(Ident::None);
            // The idle threads of all CPUs form a process of their own.
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
