//! Figures for github-action-benchmark, as its tool `customSmallerIsBetter` reads them: an array of objects with
//! `name`, `unit`, `value`, and of several runs `range`.

use crate::{
    Report, Unit,
    bencher::{name, number},
    printable,
};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Writes the figures of a report.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let entries = report.measures.iter().map(|measure| {
        let mut entry = json!({
            "name": format!("{} {}", name(measure), measure.quantity),
            "unit": unit(measure.unit),
            "value": number(measure.value, measure.unit),
            "extra": format!("{}: {}", report.command, report.subject),
        });
        if let Some((least, most)) = measure.spread {
            let (least, most) = (number(least, measure.unit), number(most, measure.unit));
            entry["range"] = format!("{least} to {most}").into();
        }
        entry
    });
    printable::json(&entries.collect::<Vec<Value>>(), true, out)?;
    out.write_all(b"\n")
}

fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Id | Unit::Plain | Unit::Count => "count",
        Unit::Bytes => "bytes",
        Unit::BytesPerHour => "bytes/h",
        Unit::Micros => "us",
        Unit::Nanos => "ns",
        Unit::Share => "%",
        Unit::Points => "pp",
        Unit::Thousandths => "value",
    }
}
