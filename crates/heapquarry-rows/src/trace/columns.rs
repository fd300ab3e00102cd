//! Columns that many tables have.

use super::TraceRows;
use arrow_array::{ArrayRef, Int32Array, Int64Array, LargeStringArray, StringArray};
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use heapquarry_tables::{Type, arrays};
use heapquarry_timeline::{EventIndex, Id, IdKind, Ident, Key, Strings};
use std::sync::Arc;

/// Text with the strings that these rows use; of all strings, a trace of many ids would have a second copy.
fn text(strings: &Strings, keys: impl Iterator<Item = Key>) -> ArrayRef {
    let mut numbers = HashMap::<Key, i32, RandomState>::default();
    let mut used = Vec::new();
    let mut number = |key: Key| {
        *numbers.entry(key).or_insert_with(|| {
            used.push(key);
            used.len() as i32 - 1
        })
    };
    let keys: Int32Array = keys.map(|key| key.some().map(&mut number)).collect();
    if used.is_empty() {
        return arrays::nulls(Type::Text, arrow_array::Array::len(&keys));
    }
    let texts = used.iter().map(|&key| strings.get(key).unwrap_or_default());
    arrays::keyed(keys, Arc::new(LargeStringArray::from_iter_values(texts)))
}

pub(super) fn int64(values: impl Iterator<Item = i64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values))
}

pub(super) fn positions(values: impl Iterator<Item = u64>) -> ArrayRef {
    int64(values.map(|value| value as i64))
}

/// Optional numbers; a single run if all are missing.
pub(super) fn optional(values: impl Iterator<Item = Option<i64>>) -> ArrayRef {
    let array: Int64Array = values.collect();
    match arrow_array::Array::null_count(&array) {
        nulls if nulls == arrow_array::Array::len(&array) => arrays::nulls(Type::Int64, nulls),
        _ => Arc::new(array),
    }
}

/// Labels as indices into `names`.
pub(super) fn labels(
    names: &'static [&'static str],
    of: impl Iterator<Item = Option<usize>>,
) -> ArrayRef {
    let keys: Int32Array = of.map(|label| label.map(|label| label as i32)).collect();
    arrays::keyed(keys, Arc::new(StringArray::from(names.to_vec())))
}

/// The member that has an id, for `id_kind`.
pub(super) fn id_kinds(ids: impl Iterator<Item = Option<Id>>) -> ArrayRef {
    labels(
        &["id", "local", "global"],
        ids.map(|id| {
            id.map(|id| match id.kind {
                IdKind::Plain => 0,
                IdKind::Local => 1,
                IdKind::Global => 2,
            })
        }),
    )
}

/// A `pid` or `tid` as a number, if it is one.
pub(super) fn number(ident: Ident) -> Option<i64> {
    match ident {
        Ident::Number(number) => Some(number),
        _ => None,
    }
}

pub(super) fn not_a_number(ident: Ident) -> Key {
    match ident {
        Ident::Text(key) => key,
        _ => Key::NONE,
    }
}

impl TraceRows<'_> {
    pub(super) fn file_id(&self, rows: usize) -> ArrayRef {
        self.file_id.column(rows)
    }

    /// Strings of the trace.
    pub(super) fn text(&self, keys: impl Iterator<Item = Key>) -> ArrayRef {
        text(self.timeline.events.strings(), keys)
    }

    /// The indices of events in the tables.
    pub(super) fn numbers(&self, events: impl Iterator<Item = EventIndex>) -> ArrayRef {
        positions(events.map(|event| self.timeline.events.number(event)))
    }

    /// Optional indices of events.
    pub(super) fn optional_numbers(
        &self,
        events: impl Iterator<Item = Option<EventIndex>>,
    ) -> ArrayRef {
        let number = |event| self.timeline.events.number(event) as i64;
        optional(events.map(|event| event.map(number)))
    }

    pub(super) fn names(&self, events: &[EventIndex]) -> ArrayRef {
        self.text(events.iter().map(|&event| self.timeline.events.name(event)))
    }

    pub(super) fn categories(&self, events: &[EventIndex]) -> ArrayRef {
        self.text(events.iter().map(|&event| self.timeline.events.category(event)))
    }

    pub(super) fn utids(&self, events: &[EventIndex]) -> ArrayRef {
        let timeline = self.timeline;
        let utid = |&event: &EventIndex| timeline.processes.utid(&timeline.events, event);
        optional(events.iter().map(|event| utid(event).map(i64::from)))
    }

    pub(super) fn upids(&self, events: &[EventIndex]) -> ArrayRef {
        let timeline = self.timeline;
        int64(events.iter().map(|&event| timeline.processes.upid(&timeline.events, event).into()))
    }

    /// Times of events that all have one.
    pub(super) fn times(&self, events: &[EventIndex]) -> ArrayRef {
        int64(events.iter().map(|&event| self.timeline.events.ts(event).unwrap_or_default()))
    }

    /// Id, the member that has it, and its scope.
    pub(super) fn ids(&self, events: &[EventIndex]) -> [ArrayRef; 3] {
        let id = |&event: &EventIndex| self.timeline.events.id(event);
        [
            self.text(events.iter().map(|event| id(event).map_or(Key::NONE, |id| id.text))),
            id_kinds(events.iter().map(id)),
            self.text(events.iter().map(|event| id(event).map_or(Key::NONE, |id| id.scope))),
        ]
    }
}
