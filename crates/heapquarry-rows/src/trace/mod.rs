//! The analysis of traces, and its rows: one file per group of tables.

mod columns;
mod flows;
mod issues;
mod objects;
mod points;
mod processes;
mod sched;
mod slices;

use arrow_array::RecordBatch;
use heapquarry_formats::{Log, TraceParts};
use heapquarry_tables::{
    ASYNC_SLICE, CLOCK_SYNC, CONTEXT, COUNTER, FLOW, FileId, ID_LINK, INSTANT, OBJECT,
    OBJECT_SNAPSHOT, PROCESS, SCHED, SLICE, THREAD, THREAD_STATE, TRACK, Table,
};
use heapquarry_timeline::{EventIndex, Phase, Timeline, analyze, schedule};
use std::ops::Range;

/// Analyses the events of a document on so many threads. Contradictions are added to its log.
pub fn conclude(parts: TraceParts, log: &mut Log, threads: usize) -> Timeline {
    let TraceParts { events, scheduled } = parts;
    let mut timeline = analyze(events, threads);
    let strings = timeline.events.strings();
    let is_runnable = |state| strings.get(state).is_some_and(|state| state.starts_with('R'));
    timeline.schedule = schedule(scheduled, is_runnable);
    issues::log(&timeline, log);
    timeline
}

/// Maximum rows per row group. All events stay in memory while rows are made, so batches are kept small.
const MOST_ROWS: usize = 32 << 10;

/// Makes the rows of the tables. Each row group can be made on its own, in any order.
pub struct TraceRows<'a> {
    file_id: FileId,
    timeline: &'a Timeline,
    row_group_rows: usize,
}

/// A row group: its table, and the function that makes its rows.
pub struct Group {
    /// The table.
    pub table: &'static Table,
    /// Events, or positions in a list of the timeline.
    of: Range<u64>,
    make: Make,
}

/// Makes the rows of a range of events, or of entries of a list.
type Make = fn(&TraceRows<'_>, Range<u64>) -> RecordBatch;

/// The range as positions of a list in memory.
fn places(of: Range<u64>) -> Range<usize> {
    of.start as usize..of.end as usize
}

impl<'a> TraceRows<'a> {
    /// Of a document, in row groups of so many rows at most.
    pub fn new(file_id: FileId, timeline: &'a Timeline, row_group_rows: usize) -> Self {
        TraceRows { file_id, timeline, row_group_rows: row_group_rows.min(MOST_ROWS) }
    }

    /// The row groups of all tables; those of a table are in order and without gaps.
    pub fn groups(&self) -> Vec<Group> {
        let timeline = self.timeline;
        let events = &timeline.events;
        let mut groups = Vec::new();
        // Tables with a row for some of the events.
        let is_slice = |event: EventIndex| timeline.slices.ending(event).is_some();
        self.cut(&SLICE, is_slice, |rows, of| rows.slices(of), &mut groups);
        let is_instant = |event: EventIndex| events.is_instant(event);
        self.cut(&INSTANT, is_instant, |rows, of| rows.instants(of), &mut groups);
        let is_link = |event: EventIndex| events.phase(event) == Phase::LinkIds;
        self.cut(&ID_LINK, is_link, |rows, of| rows.id_links(of), &mut groups);
        // Tables with a row for each entry of a list.
        let Timeline { tracks, processes, counters, flows, async_slices, objects, .. } = timeline;
        let Timeline { clock_syncs, contexts, schedule, .. } = timeline;
        let lists: [(&'static Table, usize, Make); 12] = [
            (&TRACK, tracks.len() as usize, |rows, of| rows.tracks(places(of))),
            (&THREAD, processes.threads.len(), |rows, of| rows.threads(places(of))),
            (&PROCESS, processes.processes.len(), |rows, of| rows.processes(places(of))),
            (&COUNTER, counters.len(), |rows, of| rows.counters(places(of))),
            (&FLOW, flows.len(), |rows, of| rows.flows(places(of))),
            (&ASYNC_SLICE, async_slices.len(), |rows, of| rows.async_slices(places(of))),
            (&OBJECT, objects.objects.len(), |rows, of| rows.objects(places(of))),
            (&OBJECT_SNAPSHOT, objects.snapshots.len(), |rows, of| {
                rows.object_snapshots(places(of))
            }),
            (&CLOCK_SYNC, clock_syncs.len(), |rows, of| rows.clock_syncs(places(of))),
            (&CONTEXT, contexts.len(), |rows, of| rows.contexts(places(of))),
            (&SCHED, schedule.slices(), |rows, of| rows.sched(places(of))),
            (&THREAD_STATE, schedule.states(), |rows, of| rows.thread_states(places(of))),
        ];
        for (table, len, make) in lists {
            let len = len as u64;
            let starts = (0..len).step_by(self.row_group_rows);
            let end = |start: u64| len.min(start + self.row_group_rows as u64);
            groups.extend(starts.map(|start| Group { table, of: start..end(start), make }));
        }
        groups
    }

    /// Splits the events so that each part has the rows of one row group.
    fn cut(
        &self,
        table: &'static Table,
        has_row: impl Fn(EventIndex) -> bool,
        make: Make,
        groups: &mut Vec<Group>,
    ) {
        let (mut start, mut rows) = (0, 0);
        let events = self.timeline.events.len();
        for event in (0..events).filter(|&event| has_row(EventIndex(event))) {
            if rows == self.row_group_rows {
                groups.push(Group { table, of: start..event, make });
                (start, rows) = (event, 0);
            }
            rows += 1;
        }
        if rows > 0 {
            groups.push(Group { table, of: start..events, make });
        }
    }

    /// The rows of a group.
    pub fn batch(&self, group: &Group) -> RecordBatch {
        (group.make)(self, group.of.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{cast::AsArray, types::Int64Type};
    use heapquarry_timeline::{Event, Events, Flags, IdKind, Ident, Key, Sched, SchedEvent, Value};
    use std::collections::BTreeMap;

    /// Several events of each phase, one after the other.
    fn events() -> Events {
        let mut events = Events::default();
        for round in 0..7 {
            for (at, &phase) in (0..).zip(Phase::ALL) {
                let pid = events.string("gpu");
                let pid = if round % 2 == 0 { Ident::Number(1) } else { Ident::Text(pid) };
                let thread = events.thread(pid, Ident::Number(round % 3));
                let name =
                    events.string(if phase == Phase::Metadata { "thread_name" } else { "name" });
                let flags = match round % 3 {
                    0 => Flags::ARGS,
                    1 => Flags::GLOBAL_SCOPE,
                    _ => Flags::PROCESS_SCOPE | Flags::BIND_ENCLOSING,
                };
                let ts = Some(round * 100 + at);
                let dur = (phase == Phase::Complete).then_some(1);
                events.push(Event { ts, dur, name, flags, ..Event::new(phase, thread) });
                let id = events.string("0x1");
                if phase != Phase::Complete {
                    events.set_id(IdKind::Local, id, Key::NONE);
                }
                events.set_thread_time(Some(at), None);
                events.set_stack(id, id);
                events.set_instructions(Some(at), Some(at));
                for key in ["name", "value", "step", "sync_id", "linked_id"] {
                    let key = events.string(key);
                    if phase == Phase::Counter {
                        events.add_arg(key, Value::Int(round));
                    }
                    events.add_arg(key, Value::Text(id));
                }
            }
        }
        events
    }

    /// With a schedule of two threads.
    fn timeline() -> Timeline {
        let mut events = events();
        let state = events.string("S");
        for tid in [5, 7] {
            events.add_thread(Ident::Number(1), Ident::Number(tid), Key::NONE, None);
        }
        let scheduled = (0..7).flat_map(|ts| {
            let (prev, next) = if ts % 2 == 0 { (5, 7) } else { (7, 5) };
            let switch = Sched::Switch { cpu: 0, prev, prev_state: state, next, next_prio: 1 };
            let blocked = Sched::Blocked { tid: prev, io_wait: true, function: state };
            let wake = Sched::Wake { tid: prev, waker: next };
            [switch, blocked, wake].map(|what| SchedEvent { ts, what })
        });
        let scheduled = scheduled.collect();
        conclude(TraceParts { events, scheduled }, &mut Log::default(), 1)
    }

    fn tables(rows: usize) -> BTreeMap<&'static str, RecordBatch> {
        let timeline = timeline();
        let trace = TraceRows::new(FileId(7), &timeline, rows);
        let mut tables: BTreeMap<&str, Vec<RecordBatch>> = BTreeMap::new();
        for group in trace.groups() {
            let batch = trace.batch(&group);
            assert!((1..=rows).contains(&batch.num_rows()), "{}", group.table.name);
            let batch = group.table.expand(&batch).unwrap();
            tables.entry(group.table.name).or_default().push(batch);
        }
        let whole = tables.into_iter().map(|(name, parts)| {
            let parts = arrow_select::concat::concat_batches(&parts[0].schema(), &parts);
            (name, parts.unwrap())
        });
        whole.collect()
    }

    #[test]
    fn every_table_has_the_same_rows_whatever_the_row_groups() {
        let whole = tables(1 << 20);
        let names: Vec<&str> = whole.keys().copied().collect();
        let mut expected: Vec<&str> =
            heapquarry_tables::TIMELINE_TABLES.iter().map(|table| table.name).collect();
        expected.extend(["sched", "thread_state"]);
        expected.sort_unstable();
        assert_eq!(names, expected);
        for rows in [1, 2, 5] {
            for (name, batch) in tables(rows) {
                assert_eq!(batch.num_rows(), whole[name].num_rows(), "{name}");
                for (column, field) in batch.columns().iter().zip(batch.schema().fields()) {
                    let other = whole[name].column_by_name(field.name()).unwrap();
                    assert_eq!(column, other, "{name}.{}", field.name());
                }
            }
        }
    }

    #[test]
    fn ids_refer_to_rows_that_are_there() {
        let tables = tables(4);
        let column = |table: &str, column: &str| -> Vec<Option<i64>> {
            let array = tables[table].column_by_name(column).unwrap();
            array.as_primitive::<Int64Type>().iter().collect()
        };
        for (table, of, other, id) in [
            ("slice", "track_id", "track", "id"),
            ("slice", "utid", "thread", "utid"),
            ("slice", "parent_id", "slice", "id"),
            ("instant", "track_id", "track", "id"),
            ("instant", "slice_id", "slice", "id"),
            ("counter", "track_id", "track", "id"),
            ("async_slice", "track_id", "track", "id"),
            ("async_slice", "parent_id", "async_slice", "id"),
            ("thread", "upid", "process", "upid"),
            ("track", "utid", "thread", "utid"),
            ("track", "upid", "process", "upid"),
            ("object_snapshot", "object_id", "object", "id"),
            ("flow", "slice_in", "slice", "id"),
            ("context", "upid", "process", "upid"),
            ("sched", "utid", "thread", "utid"),
            ("thread_state", "utid", "thread", "utid"),
            ("thread_state", "waker_utid", "thread", "utid"),
        ] {
            let known = column(other, id);
            for value in column(table, of).into_iter().flatten() {
                assert!(known.contains(&Some(value)), "{table}.{of}: {value}");
            }
        }
    }
}
