//! Results of checks for people: a table of exceeded limits, and one line.

use crate::{
    Body, Cell, Check, Column, Finding, Outcome, Report, Section, Table,
    printable::{cut, printable},
};

/// Maximum number of listed findings; a rule for every class may have thousands.
const MAX_LISTED: usize = 50;

/// Said where nothing but limits is reported, and there are none.
pub(crate) const NO_LIMITS: &str = "nothing was checked: no limits were given";

/// Maximum length of a name in a sentence.
const MAX_NAME: usize = 120;

/// The exceeded limits, in the order of the rules; `None` if there are none.
pub(crate) fn section(report: &Report) -> Option<Section> {
    let rows: Vec<_> = report
        .exceeded()
        .flat_map(|check| {
            check.findings.iter().map(|finding| {
                let mut row = row(check, finding);
                row.push(with(finding).map_or(Cell::Empty, Cell::name));
                row
            })
        })
        .collect();
    let mut columns = columns();
    columns.push(Column::optional("With it"));
    (!rows.is_empty()).then(|| Section {
        key: "checks",
        title: "Over the limit".into(),
        body: Body::Table(Table { columns, rows, shown: Some(MAX_LISTED), omitted: 0, none: "" }),
    })
}

/// The limits that are kept, with the number that is nearest to each; `None` if there are none.
pub(crate) fn kept_section(report: &Report) -> Option<Section> {
    let mut rows: Vec<_> = passed(report)
        .map(|(check, finding)| {
            let rule = &check.rule;
            let mut row = row(check, finding);
            row[WHAT] = Cell::name(nearest(check, finding));
            row.push(Cell::Number(rule.room(finding), rule.unit().of_change()));
            row
        })
        .collect();
    rows.extend(absent(report).map(|check| {
        let (name, limit) = (absent_name(check), check.rule.limit.to_string());
        let mut row = vec![Cell::Empty, Cell::name(name), Cell::text(check.rule.quantity())];
        row.resize(columns().len() + 1, Cell::Empty);
        row[NOW] = Cell::text("none");
        row[LIMIT] = Cell::text(limit);
        row
    }));
    let mut columns = columns();
    columns.push(Column::new("Room"));
    (!rows.is_empty()).then(|| Section {
        key: "kept",
        title: "Within the limit".into(),
        body: Body::Table(Table { columns, rows, ..Table::default() }),
    })
}

/// The limits that are kept, a line for each.
pub(crate) fn kept(report: &Report) -> Vec<String> {
    let lines = passed(report).map(|(check, finding)| {
        let rule = &check.rule;
        let unit = rule.unit();
        format!(
            "{}: {} is {}{}, the limit is {}, {} left",
            of_input(finding, &cut(&printable(&nearest(check, finding)), MAX_NAME)),
            rule.quantity(),
            unit.format(finding.actual),
            spread(check, finding),
            rule.limit,
            unit.of_change().format(rule.room(finding))
        )
    });
    let absent = absent(report).map(|check| {
        let name = absent_name(check);
        format!(
            "{}: there is none, the limit is {}",
            cut(&printable(&name), MAX_NAME),
            check.rule.limit
        )
    });
    lines.chain(absent).collect()
}

/// Limits on what may be absent, and is.
fn absent(report: &Report) -> impl Iterator<Item = &Check> {
    let passed = report.checks.iter().filter(|check| check.outcome == Outcome::Passed);
    passed.filter(|check| check.matched == 0 && check.closest.is_none())
}

/// The name that a limit is about.
fn absent_name(check: &Check) -> String {
    subject(check.rule.scope(), &check.rule.pattern.to_string())
}

/// Checks that passed, and what is nearest to their limits.
fn passed(report: &Report) -> impl Iterator<Item = (&Check, &Finding)> {
    let passed = report.checks.iter().filter(|check| check.outcome == Outcome::Passed);
    passed.filter_map(|check| Some((check, check.closest.as_ref()?)))
}

/// The subject of a finding; of a rule for many names, how many there are.
fn nearest(check: &Check, finding: &Finding) -> String {
    let name = subject(check.rule.scope(), &finding.name);
    match check.rule.pattern.name() {
        None if check.matched > 1 => format!("{name}, closest of {}", check.matched),
        _ => name,
    }
}

/// Least and greatest number of several runs, for a sentence.
fn spread(check: &Check, finding: &Finding) -> String {
    let unit = check.rule.unit();
    let ends = finding.spread.map(|(least, most)| (unit.format(least), unit.format(most)));
    ends.map_or(String::new(), |(least, most)| format!(" ({least} to {most})"))
}

/// The columns of the subject, of the number and of its limit.
const WHAT: usize = 1;
const NOW: usize = 3;
const LIMIT: usize = 6;

fn columns() -> Vec<Column> {
    vec![
        Column::optional("Input"),
        Column::new("What"),
        Column::new("Quantity"),
        Column::new("Now"),
        Column::optional("Least"),
        Column::optional("Most"),
        Column::new("Limit"),
        Column::optional("Before"),
        Column::optional("Growth"),
    ]
}

fn row(check: &Check, finding: &Finding) -> Vec<Cell> {
    let rule = &check.rule;
    let unit = rule.unit();
    vec![
        finding.input.as_deref().map_or(Cell::Empty, Cell::name),
        Cell::name(subject(rule.scope(), &finding.name)),
        Cell::text(rule.quantity()),
        Cell::Number(finding.actual, unit),
        finding.spread.map_or(Cell::Empty, |(least, _)| Cell::Number(least, unit)),
        finding.spread.map_or(Cell::Empty, |(_, most)| Cell::Number(most, unit)),
        Cell::text(rule.limit.to_string()),
        finding.base.map_or(Cell::Empty, |base| Cell::Number(base, unit)),
        finding.growth().map_or(Cell::Empty, |growth| Cell::Change(growth, unit.of_change())),
    ]
}

/// What a finding holds that is not listed separately, in a few words.
fn with(finding: &Finding) -> Option<String> {
    let (first, rest) = finding.with.split_first()?;
    let named = rest.iter().take(2).fold(first.clone(), |text, name| format!("{text}, {name}"));
    Some(match rest.len().saturating_sub(2) {
        0 => named,
        more => format!("{named} and {more} more"),
    })
}

/// A name with its scope.
pub(crate) fn subject(scope: &str, name: &str) -> String {
    match name {
        "" => scope.into(),
        name => format!("{scope} {name}"),
    }
}

/// What is said of a finding, with its input in front where each of several is checked. The path of an input is whole.
fn of_input(finding: &Finding, text: &str) -> String {
    match &finding.input {
        Some(input) => format!("{}: {text}", printable(input)),
        None => text.into(),
    }
}

/// A finding in one line: `class Session: count is 120, the limit is +10 (before: 100)`.
pub(crate) fn sentence(check: &Check, finding: &Finding) -> String {
    let rule = &check.rule;
    let unit = rule.unit();
    let mut text = format!(
        "{}: {} is {}{}, the limit is {}",
        of_input(finding, &cut(&printable(&subject(rule.scope(), &finding.name)), MAX_NAME)),
        rule.quantity(),
        unit.format(finding.actual),
        spread(check, finding),
        rule.limit
    );
    if let (Some(base), Some(growth)) = (finding.base, finding.growth()) {
        text += &format!(
            " (before: {}, {})",
            unit.format(base),
            unit.of_change().format_change(growth)
        );
    }
    if let Some(with) = with(finding) {
        text += &format!("; with it {}", cut(&printable(&with), MAX_NAME));
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
