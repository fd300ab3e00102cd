//! `instant`, `counter`, `clock_sync`.

use super::{
    TraceRows,
    columns::{int64, labels, optional, positions},
};
use arrow_array::{Float64Array, RecordBatch};
use heapquarry_tables::{CLOCK_SYNC, COUNTER, INSTANT, arrays};
use heapquarry_timeline::{Flags, Key, LEGACY_CLOCK_SYNC, Phase, Value};
use std::{ops::Range, sync::Arc};

impl TraceRows<'_> {
    /// Rows of `instant`: those of these events.
    pub(super) fn instants(&self, of: Range<u64>) -> RecordBatch {
        let timeline = self.timeline;
        let events = &timeline.events;
        let points: Vec<u64> = of.filter(|&event| events.is_instant(event)).collect();
        let each = || points.iter().copied();
        let scope = |event: u64| match events.flags(event) {
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
        INSTANT.batch(vec![
            self.file_id(points.len()),
            self.numbers(each()),
            self.times(&points),
            positions(each().map(track)),
            self.categories(&points),
            self.names(&points),
            self.optional_numbers(each().map(args)),
            self.utids(&points),
            self.upids(&points),
            labels(&["thread", "process", "global"], each().map(|event| Some(scope(event)))),
            labels(&LABELS, each().map(phase)),
            self.optional_numbers(each().map(|event| timeline.slice_of(event))),
            self.text(each().map(|event| events.stack(event).0)),
        ])
    }

    /// Rows of `counter`.
    pub(super) fn counters(&self, places: Range<usize>) -> RecordBatch {
        let timeline = self.timeline;
        let rows = places.len();
        let ids = places.start as i64..places.end as i64;
        let values: Vec<_> = places.map(|at| timeline.counters.get(&timeline.events, at)).collect();
        let events: Vec<u64> = values.iter().map(|value| value.event).collect();
        let float = |value: Value| match value {
            Value::Int(int) => int as f64,
            Value::Float(float) => float,
            Value::Text(_) => f64::NAN,
        };
        let int = |value: Value| match value {
            Value::Int(int) => Some(int),
            _ => None,
        };
        COUNTER.batch(vec![
            self.file_id(rows),
            int64(ids),
            self.times(&events),
            positions(values.iter().map(|value| timeline.tracks.of_series(value.series))),
            Arc::new(Float64Array::from_iter_values(values.iter().map(|v| float(v.value)))),
            optional(values.iter().map(|v| int(v.value))),
            self.numbers(events.iter().copied()),
        ])
    }

    /// Rows of `clock_sync`.
    pub(super) fn clock_syncs(&self, places: Range<usize>) -> RecordBatch {
        let syncs = &self.timeline.clock_syncs[places];
        let events: Vec<u64> = syncs.iter().map(|sync| sync.event).collect();
        let text = |key| self.timeline.events.strings().get(key);
        let sync_id = |event: u64, key: Key| {
            text(key)
                .or_else(|| text(self.timeline.events.name(event))?.strip_prefix(LEGACY_CLOCK_SYNC))
        };
        CLOCK_SYNC.batch(vec![
            self.file_id(syncs.len()),
            self.numbers(events.iter().copied()),
            optional(events.iter().map(|&event| self.timeline.events.ts(event))),
            arrays::text(syncs.iter().map(|sync| sync_id(sync.event, sync.sync_id))),
            optional(syncs.iter().map(|sync| sync.issue_ts)),
            optional(syncs.iter().map(|sync| sync.other_ts)),
            self.utids(&events),
            self.upids(&events),
        ])
    }
}
