//! Figures as Bencher Metric Format, the JSON that bencher.dev takes (adapter `json`): benchmarks, their measures, and
//! of each a value; of several runs also the least and the greatest.

use crate::{Measure, Report, Unit, printable, unit::PER_PERCENT};
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// The longest name of a benchmark, in bytes.
const LONGEST: usize = 1024;

/// Writes the figures of a report.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut benchmarks: Map<String, Value> = Map::new();
    for measure in &report.measures {
        let mut metric = Map::new();
        metric.insert("value".into(), number(measure.value, measure.unit));
        if let Some((least, most)) = measure.spread {
            metric.insert("lower_value".into(), number(least, measure.unit));
            metric.insert("upper_value".into(), number(most, measure.unit));
        }
        let benchmark = benchmarks.entry(name(measure)).or_insert_with(|| json!({}));
        benchmark[measure.quantity.replace('_', "-")] = metric.into();
    }
    printable::json(&benchmarks, true, out)?;
    out.write_all(b"\n")
}

/// `class/Session`; the whole input is its scope alone.
pub(crate) fn name(measure: &Measure) -> String {
    let mut name = match measure.name.as_str() {
        "" => measure.scope.into(),
        name => format!("{}/{name}", measure.scope),
    };
    while name.len() > LONGEST {
        name.pop();
    }
    name
}

/// A number as in JSON reports: shares in percent.
pub(crate) fn number(value: i64, unit: Unit) -> Value {
    match unit {
        Unit::Share | Unit::Points => json!(value as f64 / PER_PERCENT as f64),
        Unit::Thousandths => json!(value as f64 / 1000.0),
        _ => json!(value),
    }
}
