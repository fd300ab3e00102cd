//! Counters: the series of each process.

use super::{Subject, Subjects, subjects_of};
use heapquarry_timeline::{Ident, Value};
use std::collections::HashMap;

#[derive(Clone, Copy)]
struct Values {
    count: f64,
    min: f64,
    max: f64,
    sum: f64,
}

impl Subject {
    pub(super) fn counter_subjects(&self) -> Subjects {
        let (events, counters) = (&self.timeline.events, &self.timeline.counters);
        let processes = self.timeline.processes.processes.iter().zip(0..);
        let upids: HashMap<Ident, u32> =
            processes.map(|(process, upid)| (process.pid, upid)).collect();
        let names: Vec<Vec<String>> = counters
            .series
            .iter()
            .map(|series| {
                let process = upids.get(&series.pid).map(|&upid| self.process_role(upid));
                let [name, key] = [series.name, series.key].map(|key| self.string(key).to_string());
                // Most counters have one series, which has no name worth telling.
                let key = if key == "value" || key == name { String::new() } else { key };
                vec![process.unwrap_or_default(), name, key]
            })
            .collect();
        // Series of the same names are one.
        let mut places: HashMap<&Vec<String>, usize> = HashMap::new();
        let place_of = |names| {
            let next = places.len();
            *places.entry(names).or_insert(next)
        };
        let place_of: Vec<usize> = names.iter().map(place_of).collect();
        let mut found: Vec<Option<Values>> = vec![None; places.len()];
        for at in 0..counters.len() {
            let value = counters.get(events, at);
            let number = match value.value {
                Value::Int(number) => number as f64,
                Value::Float(number) if number.is_finite() => number,
                Value::Float(_) | Value::Text(_) => continue,
            };
            if !self.is_wanted(value.event) {
                continue;
            }
            let none = Values { count: 0.0, min: number, max: number, sum: 0.0 };
            let values = found[place_of[value.series as usize]].get_or_insert(none);
            values.count += 1.0;
            values.min = values.min.min(number);
            values.max = values.max.max(number);
            values.sum += number;
        }
        let numbers = |(names, place): (&Vec<String>, usize)| {
            let Values { count, min, max, sum } = found[place]?;
            Some((names.clone(), vec![count, min, max, sum / count]))
        };
        subjects_of(places.into_iter().filter_map(numbers))
    }
}
