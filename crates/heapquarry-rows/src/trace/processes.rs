//! `process`, `thread`, `track`.

use super::{
    TraceRows,
    columns::{id_kinds, int64, labels, not_a_number, number, optional},
};
use arrow_array::{ArrayRef, Int32Array, RecordBatch};
use heapquarry_tables::{Type, arrays, process, thread, track};
use heapquarry_timeline::{Id, Key, Process, Series, Thread, Track, Tree};
use std::{ops::Range, sync::Arc};

impl TraceRows<'_> {
    /// Rows of `process`.
    pub(super) fn processes(&self, places: Range<usize>) -> RecordBatch {
        let upids = places.start as i64..places.end as i64;
        let processes: &[Process] = &self.timeline.processes.processes[places];
        let each = || processes.iter();
        let label = |&key: &Key| self.timeline.events.strings().get(key);
        let labels = |process: &Process| {
            let labels: Vec<&str> = process.labels.iter().filter_map(label).collect();
            (!labels.is_empty()).then(|| labels.join(","))
        };
        process::Columns {
            file_id: self.file_id(processes.len()),
            upid: int64(upids),
            pid: optional(each().map(|process| number(process.pid))),
            pid_text: self.text(each().map(|process| not_a_number(process.pid))),
            name: self.text(each().map(|process| process.name)),
            start_ts: optional(each().map(|process| process.span.map(|(start, _)| start))),
            end_ts: optional(each().map(|process| process.span.map(|(_, end)| end))),
            labels: arrays::text(each().map(labels)),
            sort_index: optional(each().map(|process| process.sort_index)),
        }
        .into_batch()
    }

    /// Rows of `thread`.
    pub(super) fn threads(&self, places: Range<usize>) -> RecordBatch {
        let utids = places.start as i64..places.end as i64;
        let processes = &self.timeline.processes.processes;
        let threads: &[Thread] = &self.timeline.processes.threads[places];
        let each = || threads.iter();
        let is_main = |thread: &Thread| {
            let pid = number(processes[thread.upid as usize].pid)?;
            Some(i32::from(number(thread.tid)? == pid))
        };
        thread::Columns {
            file_id: self.file_id(threads.len()),
            utid: int64(utids),
            tid: optional(each().map(|thread| number(thread.tid))),
            tid_text: self.text(each().map(|thread| not_a_number(thread.tid))),
            name: self.text(each().map(|thread| thread.name)),
            start_ts: optional(each().map(|thread| thread.span.map(|(start, _)| start))),
            end_ts: optional(each().map(|thread| thread.span.map(|(_, end)| end))),
            upid: int64(each().map(|thread| thread.upid.into())),
            is_main_thread: Arc::new(each().map(is_main).collect::<Int32Array>()),
            sort_index: optional(each().map(|thread| thread.sort_index)),
        }
        .into_batch()
    }

    /// Rows of `track`.
    pub(super) fn tracks(&self, places: Range<usize>) -> RecordBatch {
        let ids = places.start as i64..places.end as i64;
        let tracks: Vec<Track> = places.map(|at| self.timeline.tracks.get(at as u64)).collect();
        let each = || tracks.iter().map(|&track| self.describe(track));
        let column = |of: fn(&Described) -> Key| self.text(each().map(|track| of(&track)));
        let kind_names: &'static [&'static str] = &[
            "thread_execution",
            "chrome_process_instant",
            "legacy_chrome_global_instants",
            "legacy_async_global_slice",
            "legacy_async_process_slice",
            "json_counter",
            "atrace_async_slice",
            "atrace_async_slice_for_track",
            "atrace_counter",
        ];
        track::Columns {
            file_id: self.file_id(tracks.len()),
            id: int64(ids),
            name: self.track_names(&tracks),
            r#type: labels(kind_names, each().map(|track| Some(track.kind))),
            parent_id: arrays::nulls(Type::Int64, tracks.len()),
            utid: optional(each().map(|track| track.utid.map(i64::from))),
            upid: optional(each().map(|track| track.upid.map(i64::from))),
            category: column(|track| track.category),
            async_id: column(|track| track.id.map_or(Key::NONE, |id| id.text)),
            id_kind: id_kinds(each().map(|track| track.id)),
            scope: column(|track| track.id.map_or(Key::NONE, |id| id.scope)),
            counter_name: column(|track| track.counter_name),
            counter_key: column(|track| track.counter_key),
        }
        .into_batch()
    }

    fn tree(&self, tree: u32) -> Tree {
        self.timeline.async_slices.tree(&self.timeline.events, tree)
    }

    fn series(&self, series: u32) -> Series {
        self.timeline.counters.series[series as usize]
    }

    fn describe(&self, track: Track) -> Described {
        let timeline = self.timeline;
        let events = &timeline.events;
        let bare = Described {
            kind: 0,
            utid: None,
            upid: None,
            category: Key::NONE,
            id: None,
            counter_name: Key::NONE,
            counter_key: Key::NONE,
        };
        match track {
            Track::Thread(utid) => {
                let upid = timeline.processes.threads[utid as usize].upid;
                Described { utid: Some(utid), upid: Some(upid), ..bare }
            }
            Track::Process(upid) => Described { kind: 1, upid: Some(upid), ..bare },
            Track::Global => Described { kind: 2, ..bare },
            Track::Async(tree) => {
                let tree = self.tree(tree);
                let id = events.id(tree.first);
                let has_name = id.is_some_and(|id| id.scope.some().is_some());
                Described {
                    kind: match (events.has_number(tree.first), tree.is_local) {
                        (true, _) if has_name => 7,
                        (true, _) => 6,
                        (false, true) => 4,
                        (false, false) => 3,
                    },
                    upid: Some(timeline.processes.upid(events, tree.first)),
                    category: events.category(tree.first),
                    id,
                    ..bare
                }
            }
            Track::Counter(series, upid) => {
                let series = self.series(series);
                Described {
                    kind: if is_of_ftrace(series) { 8 } else { 5 },
                    upid: Some(upid),
                    id: series.id,
                    counter_name: series.name,
                    counter_key: series.key,
                    ..bare
                }
            }
        }
    }

    fn track_names(&self, tracks: &[Track]) -> ArrayRef {
        let events = &self.timeline.events;
        let text = |key: Key| events.strings().get(key);
        arrays::text(tracks.iter().map(|&track| match track {
            Track::Async(tree) => {
                let first = self.tree(tree).first;
                let own = events.id(first).filter(|_| events.has_number(first));
                let own = own.and_then(|id| text(id.scope));
                own.or_else(|| text(events.name(first))).map(String::from)
            }
            Track::Counter(series, _) => {
                let series = self.series(series);
                if is_of_ftrace(series) {
                    return text(series.name).map(String::from);
                }
                let id = series.id.and_then(|id| text(id.text));
                let id = id.map_or(String::new(), |id| format!(" id: {id}"));
                let (name, key) = (text(series.name), text(series.key));
                Some(format!("{}{id} {}", name.unwrap_or(""), key.unwrap_or("")))
            }
            _ => None,
        }))
    }
}

/// Counters of ftrace have one series without a name.
fn is_of_ftrace(series: Series) -> bool {
    series.key == Key::NONE
}

/// Name and type of a track.
struct Described {
    kind: usize,
    utid: Option<u32>,
    upid: Option<u32>,
    category: Key,
    id: Option<Id>,
    counter_name: Key,
    counter_key: Key,
}
