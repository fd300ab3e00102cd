//! Threads and processes, and their metadata events (`M`).
//!
//! Metadata can be anywhere in the file, and applies to all of it. If it is given twice, the last value counts. Other
//! data of a thread ([`Events::add_thread`]) applies where no metadata names it.

use crate::{
    EventIndex, Events, HashMap, Ident, Key, Phase, Value, column::Column, intern::Interner,
};

/// Stands for no thread or process.
const NONE: u32 = u32::MAX;

/// A process.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// Its id.
    pub pid: Ident,
    /// `process_name`.
    pub name: Key,
    /// `process_labels`, without duplicates.
    pub labels: Vec<Key>,
    /// `process_sort_index`.
    pub sort_index: Option<i64>,
    /// Start of its first event and end of its last one, in nanoseconds.
    pub span: Option<(i64, i64)>,
}

/// A thread.
#[derive(Clone, Debug, PartialEq)]
pub struct Thread {
    /// Its id.
    pub tid: Ident,
    /// Its process, as a position in [`Processes::processes`].
    pub upid: u32,
    /// `thread_name`.
    pub name: Key,
    /// `thread_sort_index`.
    pub sort_index: Option<i64>,
    /// Start of its first event and end of its last one, in nanoseconds.
    pub span: Option<(i64, i64)>,
}

/// All threads and processes, in the order of their first events.
#[derive(Clone, Debug, Default)]
pub struct Processes {
    /// The processes; the index is the `upid`.
    pub processes: Vec<Process>,
    /// The threads; the index is the `utid`.
    pub threads: Vec<Thread>,
    /// `utid` by the events' thread numbers.
    utids: Vec<u32>,
    upids: Vec<u32>,
    /// For events with a process of their own.
    owners: Column,
    /// Threads by scheduler `tid`.
    scheduled: HashMap<i64, u32>,
}

impl Processes {
    /// The thread of an event; `None` for a metadata event without one.
    pub fn utid(&self, events: &Events, event: EventIndex) -> Option<u32> {
        let utid = self.utids[events.thread_of(event) as usize];
        (utid != NONE).then_some(utid)
    }

    /// The process of an event.
    pub fn upid(&self, events: &Events, event: EventIndex) -> u32 {
        match self.owners.get(event.0) {
            Some(upid) => upid as u32,
            None => self.upids[events.thread_of(event) as usize],
        }
    }

    /// The thread with that scheduler `tid`, which belongs to one process only.
    pub fn scheduled(&self, tid: i32) -> Option<u32> {
        self.scheduled.get(&i64::from(tid)).copied()
    }
}

/// Whether a metadata event describes its thread.
fn names_thread(name: Option<&str>) -> bool {
    matches!(name, Some("thread_name" | "thread_sort_index"))
}

pub(crate) fn processes(events: &Events) -> Processes {
    let ids = events.thread_ids();
    let mut pids = Interner::default();
    let upids: Vec<u32> = ids.iter().map(|id| pids.intern(id.pid)).collect();
    let mut owners = Column::default();
    for event in EventIndex::each(0..events.owned()) {
        owners.push(events.owner(event).map(|pid| pids.intern(pid).into()));
    }
    let spans = spans(events);
    // A metadata event of a process often has a meaningless tid.
    let mut is_thread: Vec<bool> = spans.iter().map(Option::is_some).collect();
    let name = |event: EventIndex| events.strings().get(events.name(event));
    for (event, phase) in events.phases() {
        if phase != Phase::Metadata || names_thread(name(event)) {
            is_thread[events.thread_of(event) as usize] = true;
        }
    }
    for lane in events.lanes() {
        is_thread[lane.thread as usize] = true;
    }
    let mut found =
        Processes { utids: vec![NONE; ids.len()], upids, owners, ..Processes::default() };
    found.processes.extend(pids.values().iter().map(|&pid| Process {
        pid,
        name: Key::NONE,
        labels: Vec::new(),
        sort_index: None,
        span: None,
    }));
    for (thread, id) in ids.iter().enumerate().filter(|&(thread, _)| is_thread[thread]) {
        let upid = found.upids[thread];
        found.utids[thread] = found.threads.len() as u32;
        let (tid, span) = (id.tid, spans[thread]);
        found.threads.push(Thread { tid, upid, name: Key::NONE, sort_index: None, span });
        let whole = &mut found.processes[upid as usize].span;
        *whole = joined(*whole, span);
    }
    for event in events.of_phases(|phase| phase == Phase::Metadata) {
        apply(events, event, name(event).unwrap_or(""), &mut found);
    }
    for lane in events.lanes() {
        let Ident::Number(tid) = ids[lane.thread as usize].tid else { continue };
        let utid = found.utids[lane.thread as usize];
        found.scheduled.insert(tid, utid);
        let thread = &mut found.threads[utid as usize];
        thread.name = thread.name.some().unwrap_or(lane.name);
        thread.span = joined(thread.span, lane.span);
        let process = &mut found.processes[thread.upid as usize];
        process.span = joined(process.span, lane.span);
        // A process is named like its first thread.
        if process.pid == thread.tid {
            process.name = process.name.some().unwrap_or(lane.name);
        }
    }
    found
}

fn joined(a: Option<(i64, i64)>, b: Option<(i64, i64)>) -> Option<(i64, i64)> {
    match (a, b) {
        (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
        (a, b) => a.or(b),
    }
}

/// Start of the first event and end of the last event of each thread. Metadata has no meaningful time.
fn spans(events: &Events) -> Vec<Option<(i64, i64)>> {
    let mut spans = vec![None; events.thread_ids().len()];
    for (event, phase) in events.phases() {
        if phase != Phase::Metadata
            && let Some(ts) = events.ts(event)
        {
            let end = ts.saturating_add(events.dur(event).unwrap_or(0).max(0));
            let span = &mut spans[events.thread_of(event) as usize];
            *span = joined(*span, Some((ts, end)));
        }
    }
    spans
}

/// Applies a metadata event.
fn apply(events: &Events, event: EventIndex, name: &str, found: &mut Processes) {
    let thread = events.thread_of(event) as usize;
    let (utid, upid) = (found.utids[thread], found.upids[thread]);
    let process = &mut found.processes[upid as usize];
    let text = |name| events.text_arg(event, name);
    let number = |name| match events.arg(event, name)? {
        Value::Int(value) => Some(value),
        Value::Float(value) => Some(value as i64),
        Value::Text(text) => events.strings().get(text)?.parse().ok(),
    };
    match name {
        "process_name" => process.name = text("name").unwrap_or(process.name),
        "process_sort_index" => process.sort_index = number("sort_index").or(process.sort_index),
        "process_labels" => {
            if let Some(label) = text("labels").filter(|label| !process.labels.contains(label)) {
                process.labels.push(label);
            }
        }
        "thread_name" => {
            let thread = &mut found.threads[utid as usize];
            thread.name = text("name").unwrap_or(thread.name);
        }
        "thread_sort_index" => {
            let thread = &mut found.threads[utid as usize];
            thread.sort_index = number("sort_index").or(thread.sort_index);
        }
        _ => {}
    }
}
