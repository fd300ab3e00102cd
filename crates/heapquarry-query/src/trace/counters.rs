//! Counter series.

use super::{Subject, summary::CounterSeries};
use crate::answer::{List, NumberOrText};
use heapquarry_base::Order;
use heapquarry_timeline::{Ident, Key, Value};
use std::{cmp::Ordering, cmp::Reverse, collections::HashMap};

/// The values of a series.
#[derive(Clone, Copy, Debug, Default)]
struct Values {
    count: u64,
    min: Option<Value>,
    max: Option<Value>,
    /// The last value, with its time.
    last: Option<(i64, Value)>,
}

impl Values {
    fn add(&mut self, ts: i64, value: Value) {
        self.count += 1;
        // NaN is neither the least nor the greatest value.
        if compare(value, value).is_some() {
            let is = |other: Option<Value>, order| {
                other.is_none_or(|other| compare(value, other) == Some(order))
            };
            self.min = if is(self.min, Ordering::Less) { Some(value) } else { self.min };
            self.max = if is(self.max, Ordering::Greater) { Some(value) } else { self.max };
        }
        if self.last.is_none_or(|(last, _)| ts >= last) {
            self.last = Some((ts, value));
        }
    }
}

/// Compares integers exactly.
fn compare(a: Value, b: Value) -> Option<Ordering> {
    let float = |value| match value {
        Value::Int(value) => value as f64,
        Value::Float(value) => value,
        Value::Text(_) => f64::NAN,
    };
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(&b)),
        _ => float(a).partial_cmp(&float(b)),
    }
}

/// What is no number has no value.
fn number(value: Value) -> Option<NumberOrText> {
    match value {
        Value::Int(value) => Some(NumberOrText::Number(value)),
        Value::Float(value) => Some(NumberOrText::Float(value)),
        Value::Text(_) => None,
    }
}

impl Subject {
    /// The series, sorted by number of values. The last value is the one with the latest time.
    pub(super) fn counters(&self, top: Option<usize>) -> List<CounterSeries> {
        let (events, counters) = (&self.timeline.events, &self.timeline.counters);
        let mut values = vec![Values::default(); counters.series.len()];
        for at in 0..counters.len() {
            let value = counters.get(events, at);
            if !self.is_asked(value.event) {
                continue;
            }
            let ts = events.ts(value.event).unwrap_or_default();
            values[value.series as usize].add(ts, value.value);
        }
        let processes = self.timeline.processes.processes.iter();
        let names: HashMap<Ident, Key> =
            processes.map(|process| (process.pid, process.name)).collect();
        let series = counters.series.iter().zip(values);
        let mut series: Vec<_> = series.filter(|(_, values)| values.count > 0).collect();
        // Equal ones stay in file order.
        series.order_by_key(|(_, values)| Reverse(values.count));
        List::of(series, top, |(series, values)| CounterSeries {
            counter_name: self.text(series.name),
            id: series.id.and_then(|id| self.text(id.text)),
            series: self.text(series.key),
            process_name: names.get(&series.pid).and_then(|&name| self.text(name)),
            pid: self.ident(series.pid),
            count: values.count,
            min: values.min.and_then(number),
            max: values.max.and_then(number),
            last: values.last.and_then(|(_, value)| number(value)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Value::{Float, Int};

    #[test]
    fn values_of_a_series() {
        for (of, [min, max, last]) in [
            (&[(0, Int(3))][..], [Int(3), Int(3), Int(3)]),
            (&[(0, Int(3)), (5, Int(-1)), (2, Int(7))], [Int(-1), Int(7), Int(-1)]),
            (&[(0, Int(3)), (0, Float(3.5))], [Int(3), Float(3.5), Float(3.5)]),
            // Not converted to double.
            (
                &[(0, Int(i64::MAX)), (1, Int(i64::MAX - 1))],
                [Int(i64::MAX - 1), Int(i64::MAX), Int(i64::MAX - 1)],
            ),
            (&[(0, Float(f64::NAN)), (1, Int(2)), (0, Int(9))], [Int(2), Int(9), Int(2)]),
            (&[(0, Float(f64::INFINITY)), (1, Int(2))], [Int(2), Float(f64::INFINITY), Int(2)]),
        ] {
            let mut values = Values::default();
            of.iter().for_each(|&(ts, value)| values.add(ts, value));
            let found = [values.min, values.max, values.last.map(|(_, value)| value)];
            assert_eq!(found, [Some(min), Some(max), Some(last)], "{of:?}");
            assert_eq!(values.count, of.len() as u64);
        }
        let mut nan = Values::default();
        nan.add(0, Float(f64::NAN));
        assert_eq!((nan.min, nan.max), (None, None));
    }
}
