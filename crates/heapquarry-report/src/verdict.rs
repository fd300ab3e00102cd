//! Results of checks for people: a table of exceeded limits, and one line.

use crate::{
    Body, Cell, Check, Column, Finding, Outcome, Report, Section, Table,
    printable::{cut, printable},
};

/// Maximum number of listed findings; a rule for every class may have thousands.
const MAX_LISTED: usize = 50;

/// Maximum length of a name in a sentence.
const MAX_NAME: usize = 120;

/// The exceeded limits, in the order of the rules; `None` if there are none.
pub(crate) fn section(report: &Report) -> Option<Section> {
    let rows: Vec<_> = report
        .exceeded()
        .flat_map(|check| check.findings.iter().map(|finding| row(check, finding)))
        .collect();
    let columns = vec![
        Column::new("name", "What"),
        Column::new("quantity", "Quantity"),
        Column::new("actual", "Now"),
        Column::new("limit", "Limit"),
        Column::optional("base", "Before"),
        Column::optional("growth", "Growth"),
    ];
    (!rows.is_empty()).then(|| Section {
        key: "checks",
        title: "Over the limit".into(),
        body: Body::Table(Table {
            columns,
            rows,
            shown: Some(MAX_LISTED),
            json_only: 0,
            omitted: 0,
            none: "",
        }),
    })
}

fn row(check: &Check, finding: &Finding) -> Vec<Cell> {
    let rule = &check.rule;
    let unit = rule.unit();
    vec![
        Cell::name(subject(rule.scope(), &finding.name)),
        Cell::text(rule.quantity()),
        Cell::Number(finding.actual, unit),
        Cell::text(rule.limit.to_string()),
        finding.base.map_or(Cell::Empty, |base| Cell::Number(base, unit)),
        finding.growth().map_or(Cell::Empty, |growth| Cell::Change(growth, unit)),
    ]
}

/// A name with its scope.
pub(crate) fn subject(scope: &str, name: &str) -> String {
    match name {
        "" => scope.into(),
        name => format!("{scope} {name}"),
    }
}

/// A finding in one line: `class Session: count is 120, the limit is +10 (before: 100)`.
pub(crate) fn sentence(check: &Check, finding: &Finding) -> String {
    let rule = &check.rule;
    let unit = rule.unit();
    let mut text = format!(
        "{}: {} is {}, the limit is {}",
        cut(&printable(&subject(rule.scope(), &finding.name)), MAX_NAME),
        rule.quantity(),
        unit.format(finding.actual),
        rule.limit
    );
    if let (Some(base), Some(growth)) = (finding.base, finding.growth()) {
        text += &format!(" (before: {}, {})", unit.format(base), unit.format_change(growth));
    }
    text
}

/// How many checks had which outcome, in one line.
pub(crate) fn line(checks: &[Check]) -> String {
    let count = |outcome| checks.iter().filter(|check| check.outcome == outcome).count();
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    let exceeded = count(Outcome::Exceeded);
    let mut text = match exceeded {
        0 => format!("{} limit{} kept", count(Outcome::Passed), plural(count(Outcome::Passed))),
        n => format!("{n} of {} limit{} exceeded", checks.len(), plural(checks.len())),
    };
    match count(Outcome::Skipped) {
        0 => {}
        n => text += &format!("; {n} not checked: growth needs a baseline"),
    }
    text
}
