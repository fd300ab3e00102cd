//! Arguments of events.

use crate::{EventIndex, Key, Value, column::Column};

/// Arguments as name and value. The arguments of an event are consecutive.
#[derive(Clone, Debug, Default)]
pub(crate) struct Args {
    events: Column,
    names: Column,
    /// Kinds of values, as indices into this order of [`Value`].
    kinds: Column,
    /// Integers, keys, or the bits of floating-point numbers.
    values: Column,
}

const INT: i64 = 0;
const FLOAT: i64 = 1;
const TEXT: i64 = 2;

impl Args {
    pub(crate) fn push(&mut self, event: EventIndex, name: Key, value: Value) {
        let (kind, value) = match value {
            Value::Int(int) => (INT, int),
            Value::Float(float) => (FLOAT, float.to_bits() as i64),
            Value::Text(text) => (TEXT, text.0.into()),
        };
        self.events.push(Some(event.0 as i64));
        self.names.push(Some(name.0.into()));
        self.kinds.push(Some(kind));
        self.values.push(Some(value));
    }

    /// Appends the arguments of other events, which follow the `first` events of this list.
    pub(crate) fn append(&mut self, other: &Args, first: u64, key: impl Fn(Key) -> Key) {
        for (event, name, value) in (0..other.len()).map(|at| other.at(at)) {
            let value = match value {
                Value::Text(text) => Value::Text(key(text)),
                number => number,
            };
            self.push(EventIndex(first + event.0), key(name), value);
        }
    }

    pub(crate) fn len(&self) -> u64 {
        self.events.len()
    }

    /// Event, name and value at a position.
    pub(crate) fn at(&self, at: u64) -> (EventIndex, Key, Value) {
        // The only number that columns do not keep; it is also the bits of -0.0.
        let of = |column: &Column| column.get(at).unwrap_or(i64::MIN);
        let value = match (of(&self.kinds), of(&self.values)) {
            (INT, value) => Value::Int(value),
            (FLOAT, bits) => Value::Float(f64::from_bits(bits as u64)),
            (_, key) => Value::Text(Key(key as u32)),
        };
        (EventIndex(of(&self.events) as u64), Key(of(&self.names) as u32), value)
    }

    /// The arguments of an event.
    pub(crate) fn all(&self, event: EventIndex) -> impl Iterator<Item = (Key, Value)> + '_ {
        let start = self.events.rank(event.0 as i64);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_kind_come_back() {
        let values = [
            Value::Int(0),
            Value::Int(i64::MIN),
            Value::Int(i64::MAX),
            Value::Float(0.0),
            Value::Float(-0.0),
            Value::Float(f64::INFINITY),
            Value::Float(f64::NAN),
            Value::Float(f64::MIN_POSITIVE),
            Value::Text(Key(0)),
            Value::Text(Key(u32::MAX - 1)),
            Value::Text(Key::NONE),
        ];
        let mut args = Args::default();
        // Enough to fill blocks, with several arguments per event.
        for at in 0..300 {
            args.push(EventIndex(at / 7), Key(at as u32), values[at as usize % values.len()]);
        }
        let mut twice = args.clone();
        twice.append(&args, 1000, |key| key);
        let bits = |value| match value {
            Value::Float(float) => Err(float.to_bits()),
            other => Ok(other),
        };
        for at in 0..600 {
            let (place, first) = (at % 300, at / 300 * 1000);
            let (event, name, value) = twice.at(at);
            assert_eq!((event, name), (EventIndex(first + place / 7), Key(place as u32)));
            assert_eq!(bits(value), bits(values[place as usize % values.len()]), "{at}");
        }
        for (event, expected) in [(0, 0..7), (42, 294..300), (43, 0..0), (1001, 7..14)] {
            let names: Vec<u32> = twice.all(EventIndex(event)).map(|(name, _)| name.0).collect();
            assert_eq!(names, expected.collect::<Vec<_>>(), "{event}");
        }
    }
}
