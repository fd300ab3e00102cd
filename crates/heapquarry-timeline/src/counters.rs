//! Counters (`C`): a series for each process, name, id and member of `args`.
//!
//! Series are independent, as in Perfetto. In the reference importer, the members of a counter's first event are its
//! series, and a series that a later event does not have is 0.

use crate::{EventIndex, Events, Id, Ident, Key, Phase, Value, column::Column, intern::Interner};

/// Identity of a counter series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Series {
    /// The process.
    pub pid: Ident,
    /// Name of the counter.
    pub name: Key,
    /// Its id.
    pub id: Option<Id>,
    /// The member of `args`.
    pub key: Key,
}

/// The values of all counters, in file order.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// The series, in order of their first values.
    pub series: Vec<Series>,
    /// The series of each value.
    of: Column,
    /// Position of each value in the arguments of all events.
    at: Column,
}

/// A value of a counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CounterValue {
    /// The event.
    pub event: EventIndex,
    /// The series, as a position in [`Counters::series`].
    pub series: u32,
    /// The value: a number.
    pub value: Value,
}

pub(crate) fn counters(events: &Events) -> Counters {
    let mut series = Interner::default();
    let mut found = Counters::default();
    for at in 0..events.args().len() {
        let (event, key, value) = events.args().at(at);
        let is_counter = events.phase(event) == Phase::Counter;
        if !is_counter || events.ts(event).is_none() || matches!(value, Value::Text(_)) {
            continue;
        }
        let (name, id) = (events.name(event), events.id(event));
        let number = series.intern(Series { pid: events.pid(event), name, id, key });
        found.of.push(Some(number.into()));
        found.at.push(Some(at as i64));
    }
    found.series = series.into_values();
    found
}

impl Counters {
    /// Number of values.
    pub fn len(&self) -> usize {
        self.of.len() as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// A value, in file order.
    ///
    /// # Panics
    /// If the index is out of bounds.
    pub fn get(&self, events: &Events, at: usize) -> CounterValue {
        let of = |column: &Column| column.get(at as u64).expect("there are so many");
        let (event, _, value) = events.args().at(of(&self.at) as u64);
        CounterValue { event, series: of(&self.of) as u32, value }
    }
}
