//! Arguments of events.

use crate::{Key, Value, column::Column};

/// Arguments: name and value. Those of an event stand one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Args {
    events: Column,
    names: Column,
    /// What values are: a position in this order of [`Value`].
    kinds: Column,
    /// Whole numbers, keys, or the bits of floating-point numbers.
    values: Column,
}

const INT: i64 = 0;
const FLOAT: i64 = 1;
const TEXT: i64 = 2;

impl Args {
    pub(crate) fn push(&mut self, event: u64, name: Key, value: Value) {
        let (kind, value) = match value {
            Value::Int(int) => (INT, int),
            Value::Float(float) => (FLOAT, float.to_bits() as i64),
            Value::Text(text) => (TEXT, text.0.into()),
        };
        self.events.push(Some(event as i64));
        self.names.push(Some(name.0.into()));
        self.kinds.push(Some(kind));
        self.values.push(Some(value));
    }

    /// Appends those of other events, which come behind `first` others.
    pub(crate) fn append(&mut self, other: &Args, first: u64, key: impl Fn(Key) -> Key) {
        for (event, name, value) in (0..other.len()).map(|at| other.at(at)) {
            let value = match value {
                Value::Text(text) => Value::Text(key(text)),
                number => number,
            };
            self.push(first + event, key(name), value);
        }
    }

    pub(crate) fn len(&self) -> u64 {
        self.events.len()
    }

    /// Event, name and value at a position.
    pub(crate) fn at(&self, at: u64) -> (u64, Key, Value) {
        let of = |column: &Column| column.get(at).unwrap_or(i64::MIN);
        let value = match (of(&self.kinds), of(&self.values)) {
            (INT, value) => Value::Int(value),
            (FLOAT, bits) => Value::Float(f64::from_bits(bits as u64)),
            (_, key) => Value::Text(Key(key as u32)),
        };
        (of(&self.events) as u64, Key(of(&self.names) as u32), value)
    }

    /// Those of an event.
    pub(crate) fn all(&self, event: u64) -> impl Iterator<Item = (Key, Value)> + '_ {
        let start = self.events.rank(event as i64);
        (start..self.len())
            .map(|at| self.at(at))
            .take_while(move |&(of, ..)| of == event)
            .map(|(_, name, value)| (name, value))
    }

    pub(crate) fn clear(&mut self) {
        self.events.clear();
        self.names.clear();
        self.kinds.clear();
        self.values.clear();
    }
}
