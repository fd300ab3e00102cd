//! A report as JSON: an object with `notes`, a member per section, in order, and `checks` if there are limits. Numbers
//! are plain: bytes, micro- or nanoseconds, counts; shares are in percent. Nothing is cut.

use crate::{
    Body, Cell, Check, Column, Finding, Origin, Report, Rule, Section, Unit, Value,
    unit::{FROM_NOTHING, PER_PERCENT},
};
use serde::{
    Serialize, Serializer,
    ser::{SerializeMap, SerializeSeq},
};
use std::io::{self, Write};

/// Writes a report and a line end.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    crate::printable::json(&Whole(report), true, out)?;
    out.write_all(b"\n")
}

struct Whole<'a>(&'a Report);

impl Serialize for Whole<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("notes", &self.0.notes)?;
        for section in &self.0.sections {
            map.serialize_entry(section.key, &Shape(&section.body))?;
        }
        if !self.0.checks.is_empty() {
            map.serialize_entry("passed", &self.0.exceeded().next().is_none())?;
            map.serialize_entry("checks", &Checks(&self.0.checks))?;
        }
        map.end()
    }
}

struct Shape<'a>(&'a Body);

impl Serialize for Shape<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Body::Values(values) => Values(values).serialize(serializer),
            Body::Table(table) => {
                serializer.collect_seq(table.rows.iter().map(|row| Row(&table.columns, row)))
            }
            Body::List(items) => serializer.collect_seq(items.iter().map(|item| Item(item))),
        }
    }
}

struct Item<'a>(&'a [Section]);

impl Serialize for Item<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for section in self.0 {
            match &section.body {
                Body::Values(values) if section.key.is_empty() => {
                    for value in members(values) {
                        map.serialize_entry(value.key, &value.cell)?;
                    }
                }
                body => map.serialize_entry(section.key, &Shape(body))?,
            }
        }
        map.end()
    }
}

struct Values<'a>(&'a [Value]);

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(members(self.0).map(|value| (value.key, &value.cell)))
    }
}

/// All values except those that are not in JSON.
fn members(values: &[Value]) -> impl Iterator<Item = &Value> {
    values.iter().filter(|value| !value.key.is_empty())
}

struct Row<'a>(&'a [Column], &'a [Cell]);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().zip(self.1).map(|(column, cell)| (column.key, cell)))
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Cell::Empty => serializer.serialize_none(),
            Cell::Text(text) => serializer.serialize_str(text),
            Cell::Name(name) => serializer.serialize_str(name),
            Cell::Float(n) => serializer.serialize_f64(*n),
            Cell::Word(n, _) => serializer.serialize_i64(*n),
            Cell::List(cells) => serializer.collect_seq(cells),
            Cell::Record(members) => {
                serializer.collect_map(members.iter().map(|(key, cell)| (key, cell)))
            }
            Cell::Number(n, unit) | Cell::Change(n, unit) => {
                Number(*n, *unit).serialize(serializer)
            }
        }
    }
}

struct Number(i64, Unit);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.1 {
            // Growth from 0 is no number.
            Unit::Share | Unit::Points if self.0 == FROM_NOTHING => serializer.serialize_none(),
            Unit::Share | Unit::Points => {
                serializer.serialize_f64(self.0 as f64 / PER_PERCENT as f64)
            }
            Unit::Thousandths => serializer.serialize_f64(self.0 as f64 / 1000.0),
            _ => serializer.serialize_i64(self.0),
        }
    }
}

struct Checks<'a>(&'a [Check]);

impl Serialize for Checks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(self.0.len()))?;
        for check in self.0 {
            seq.serialize_element(&One(check))?;
        }
        seq.end()
    }
}

struct One<'a>(&'a Check);

impl Serialize for One<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Check { rule, outcome, matched, findings, closest } = self.0;
        let (file, line) = match &rule.origin {
            Origin::Expression => (None, None),
            Origin::File { path, line } => (Some(path), Some(line)),
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("rule", &rule.to_string())?;
        map.serialize_entry("scope", rule.scope())?;
        map.serialize_entry("name", &rule.pattern.to_string())?;
        map.serialize_entry("quantity", rule.quantity())?;
        map.serialize_entry("limit", &rule.limit.to_string())?;
        map.serialize_entry("file", &file)?;
        map.serialize_entry("line", &line)?;
        map.serialize_entry("outcome", outcome.name())?;
        map.serialize_entry("matched", matched)?;
        let findings: Vec<_> = findings.iter().map(|f| Found(f, rule)).collect();
        map.serialize_entry("findings", &findings)?;
        map.serialize_entry("closest", &closest.as_ref().map(|f| Found(f, rule)))?;
        map.end()
    }
}

struct Found<'a>(&'a Finding, &'a Rule);

impl Serialize for Found<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Found(finding, rule) = self;
        let number = |n| Number(n, rule.unit());
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &finding.name)?;
        map.serialize_entry("actual", &number(finding.actual))?;
        map.serialize_entry("base", &finding.base.map(number))?;
        map.serialize_entry("room", &number(rule.room(finding)))?;
        map.serialize_entry("least", &finding.spread.map(|(least, _)| number(least)))?;
        map.serialize_entry("most", &finding.spread.map(|(_, most)| number(most)))?;
        map.serialize_entry("with", &finding.with)?;
        map.end()
    }
}
