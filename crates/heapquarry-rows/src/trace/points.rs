//! `instant`, `counter`, `clock_sync`.

use super::{
    TraceRows,
    columns::{int64, labels, optional, positions},
};
use arrow_array::{Float64Array, RecordBatch};
use heapquarry_tables::{arrays, clock_sync, counter, instant};
use heapquarry_timeline::{EventIndex, Flags, Key, LEGACY_CLOCK_SYNC, Phase, Value};
use std::{ops::Range, sync::Arc};

impl TraceRows<'_> {
    /// Rows of `instant`: those of these events.
    pub(super) fn instants(&self, of: Range<u64>) -> RecordBatch {
        let timeline = self.timeline;
        let events = &timeline.events;
        let points: Vec<EventIndex> =
            EventIndex::each(of).filter(|&event| events.is_instant(event)).collect();
        let each = || points.iter().copied();
        let scope = |event: EventIndex| match events.flags(event) {
            flags if flags.has(Flags::GLOBAL_SCOPE) => 2,
            flags if flags.has(Flags::PROCESS_SCOPE) => 1,
            _ => 0,
        };
        const PHASES: [Phase; 4] =
            [Phase::Instant, Phase::LegacyInstant, Phase::Mark, Phase::Sample];
        const LABELS: [&str; 4] = ["i", "I", "R", "P"];
        let phase = |event| PHASES.iter().position(|&phase| phase == events.phase(event));
        let track = |event| timeline.tracks.of_instant(events, &timeline.processes, event);
        let args = |event| Some(event).filter(|&event| events.flags(event).has(Flags::ARGS));
        instant::Columns {
            file_id: self.file_id(points.len()),
            id: self.numbers(each()),
            ts: self.times(&points),
            track_id: positions(each().map(track)),
            category: self.categories(&points),
            name: self.names(&points),
            arg_set_id: self.optional_numbers(each().map(args)),
            utid: self.utids(&points),
            upid: self.upids(&points),
            scope: labels(&["thread", "process", "global"], each().map(|event| Some(scope(event)))),
            ph: labels(&LABELS, each().map(phase)),
            slice_id: self.optional_numbers(each().map(|event| timeline.slice_of(event))),
            stack_id: self.text(each().map(|event| events.stack(event).0)),
        }
        .into_batch()
    }

    /// Rows of `counter`.
    pub(super) fn counters(&self, places: Range<usize>) -> RecordBatch {
        let timeline = self.timeline;
        let rows = places.len();
        let ids = places.start as i64..places.end as i64;
        let values: Vec<_> = places.map(|at| timeline.counters.get(&timeline.events, at)).collect();
        let events: Vec<EventIndex> = values.iter().map(|value| value.event).collect();
        let float = |value: Value| match value {
            Value::Int(int) => int as f64,
            Value::Float(float) => float,
            Value::Text(_) => f64::NAN,
        };
        let int = |value: Value| match value {
            Value::Int(int) => Some(int),
            _ => None,
        };
        counter::Columns {
            file_id: self.file_id(rows),
            id: int64(ids),
            ts: self.times(&events),
            track_id: positions(values.iter().map(|value| timeline.tracks.of_series(value.series))),
            value: Arc::new(Float64Array::from_iter_values(values.iter().map(|v| float(v.value)))),
            int_value: optional(values.iter().map(|v| int(v.value))),
            event_index: self.numbers(events.iter().copied()),
        }
        .into_batch()
    }

    /// Rows of `clock_sync`.
    pub(super) fn clock_syncs(&self, places: Range<usize>) -> RecordBatch {
        let syncs = &self.timeline.clock_syncs[places];
        let events: Vec<EventIndex> = syncs.iter().map(|sync| sync.event).collect();
        let text = |key| self.timeline.events.strings().get(key);
        let sync_id = |event: EventIndex, key: Key| {
            text(key)
                .or_else(|| text(self.timeline.events.name(event))?.strip_prefix(LEGACY_CLOCK_SYNC))
        };
        clock_sync::Columns {
            file_id: self.file_id(syncs.len()),
            id: self.numbers(events.iter().copied()),
            ts: optional(events.iter().map(|&event| self.timeline.events.ts(event))),
            sync_id: arrays::text(syncs.iter().map(|sync| sync_id(sync.event, sync.sync_id))),
            issue_ts: optional(syncs.iter().map(|sync| sync.issue_ts)),
            other_ts: optional(syncs.iter().map(|sync| sync.other_ts)),
            utid: self.utids(&events),
            upid: self.upids(&events),
        }
        .into_batch()
    }
}
