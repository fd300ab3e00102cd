//! Compares runs of a program before a change with runs after it.

use super::{
    figures::{Figures, Subjects, name},
    list::{COMPARED, Figure, Kind, List, Lists, WITH_CHANGES},
    tables::{Run, tables},
};
use crate::{DiffOptions, check, output::Output, refuse_incomparable, report, sections::table};
use heapquarry::{Result, RunOptions, Source, engine::Located};
use heapquarry_formats::Format;
use heapquarry_report::{
    Body, Cell, Column, FROM_NOTHING, Facts, Report, Rule, Section, Unit, measures,
    runs::{Change, Judgement, Noise, can_decide, judge, rank_test},
};
use std::collections::BTreeSet;

/// Less time is a difference that clocks and schedulers make.
const LEAST_NS: f64 = 10_000.0;

/// The inputs of a comparison.
struct Sides<'a> {
    before: &'a [Source],
    /// Between the first and the last; they are only listed.
    between: &'a [Source],
    after: &'a [Source],
}

impl<'a> Sides<'a> {
    /// The first inputs are the runs before; the others are those after, or the last one is.
    fn new(sources: &'a [Source], options: &DiffOptions) -> Self {
        let (before, rest) = sources.split_at(options.base_runs.clamp(1, sources.len() - 1));
        let after = if options.runs { 0 } else { rest.len() - 1 };
        let (between, after) = rest.split_at(after);
        Sides { before, between, after }
    }
}

/// Compares traces, of which the last has been opened. One is in memory at a time.
pub(crate) fn diff(
    sources: &[Source],
    last: Located,
    options: &DiffOptions,
    rules: &[Rule],
    output: Option<Output>,
    run: &RunOptions,
) -> Result<Report> {
    let sides = Sides::new(sources, options);
    let open = |source: &Source| {
        let located = source.locate(run)?;
        refuse_incomparable(source, located.format(), Format::Trace)?;
        Figures::open(source, located, run)
    };
    let current = Figures::open(&sources[sources.len() - 1], last, run)?;
    let read = |sources: &[Source]| sources.iter().map(open).collect::<Result<Vec<Figures>>>();
    let (before, between) = (read(sides.before)?, read(sides.between)?);
    let mut after = read(&sides.after[..sides.after.len() - 1])?;
    after.push(current);
    let comparison = Comparison { before, after, noise: options.noise };

    let all = || comparison.before.iter().chain(&between).chain(&comparison.after);
    let mut notes: Vec<String> = all().flat_map(|figures| crate::texts(&figures.notes)).collect();
    notes.extend(comparison.caution());
    let words = [("before", sides.before), ("", sides.between), ("after", sides.after)];
    let words = words.iter().flat_map(|(word, of)| of.iter().map(move |source| (*word, source)));
    let mut sections = vec![traces(words.clone().zip(all()))];
    let changes = COMPARED.iter().map(|&list| (list, comparison.changes(list)));
    let changes: Vec<(Lists, Vec<Row>)> = changes.filter(|(_, rows)| !rows.is_empty()).collect();
    let of_list = |(list, rows): &(Lists, Vec<Row>)| comparison.section(*list, rows, options.top);
    sections.extend(changes.iter().map(of_list));

    if let Some(output) = output {
        let run = |((side, source), figures): ((_, &Source), _)| Run {
            path: source.to_string(),
            side,
            figures,
        };
        let runs: Vec<Run<'_>> = words.zip(all()).map(run).collect();
        let written = output.write(sources.iter(), tables(&runs, &changes).into_iter())?;
        notes.extend(written.map(|warning| warning.to_string()));
    }

    let title = format!("{} → {}", several(sides.before), several(sides.after));
    let mut report = report("heapquarry diff", title, notes, sections);
    if !rules.is_empty() || options.measures {
        let facts = |figures: &[Figures], sources: &[Source]| -> Result<Facts> {
            let runs = figures.iter().zip(sources);
            let runs = runs.map(|(figures, source)| figures.facts(source, &WITH_CHANGES));
            Ok(Facts::median(&runs.collect::<Result<Vec<_>>>()?))
        };
        let mut now = facts(&comparison.after, sides.after)?;
        let base = facts(&comparison.before, sides.before)?;
        for (list, rows) in &changes {
            for row in rows.iter().filter(|row| row.is_worse(*list)) {
                let subject = format!("{} {}", list.list().key, name(*list, &row.names));
                now.add("worse", subject.trim_end(), &[row.growth().unwrap_or(FROM_NOTHING)]);
            }
        }
        report.checks = check::held(rules, &now, Some(&base))?;
        report.measures = measures(&now, &report.checks);
    }
    Ok(report)
}

/// Reads an expression of `--fail-on`; `any` is anything that got worse.
pub(crate) fn rule(text: &str, format: Format) -> Result<Rule> {
    let expression = if text.trim() == "any" { "worse.growth > 0%" } else { text };
    check::limit(expression, format, &WITH_CHANGES)
}

/// The first of some inputs, and how many more there are.
fn several(sources: &[Source]) -> String {
    match sources {
        [] => String::new(),
        [one] => one.to_string(),
        [first, more @ ..] => format!("{first} and {} more", more.len()),
    }
}

/// The inputs, with their figures as a whole.
fn traces<'a>(all: impl Iterator<Item = ((&'static str, &'a Source), &'a Figures)>) -> Section {
    let list = Lists::Whole.list();
    let rows = all.map(|((word, source), figures)| {
        let mut row = vec![Cell::name(source.to_string()), Cell::text(word)];
        let whole = figures.of(Lists::Whole).values().next();
        let cell = |(at, figure): (usize, &Figure)| {
            number(figure.kind, whole.map_or(f64::NAN, |whole| whole[at]))
        };
        row.extend(list.figures.iter().enumerate().map(cell));
        row
    });
    let rows = rows.collect();
    let mut columns = vec![Column::new("name", "Trace"), Column::new("side", "Side")];
    columns.extend(list.figures.iter().map(|f| Column::optional(f.key, f.title)));
    table("traces", "Traces", columns, rows, usize::MAX, "")
}

/// The runs of both sides.
struct Comparison {
    before: Vec<Figures>,
    after: Vec<Figures>,
    noise: f64,
}

/// A subject of a list, in all runs.
pub(super) struct Row {
    pub(super) names: Vec<String>,
    /// By figure: the medians, and what the change means.
    pub(super) figures: Vec<Judged>,
    /// The figure that changed; of a subject that has not, the first that could.
    pub(super) decisive: usize,
    change: Change,
    /// Whether no run before has it, or no run after.
    is_new: bool,
    is_gone: bool,
}

/// A figure in all runs.
pub(super) struct Judged {
    before: Vec<f64>,
    after: Vec<f64>,
    pub(super) found: Judgement,
}

impl Judged {
    fn delta(&self) -> f64 {
        self.found.after - self.found.before
    }
}

impl Row {
    fn of(&self) -> &Judged {
        &self.figures[self.decisive]
    }

    fn is_worse(&self, list: Lists) -> bool {
        self.change == Change::More && list.list().more_is_worse
    }

    /// The change of the decisive figure as a share of the earlier value.
    fn growth(&self) -> Option<i64> {
        let Judgement { before, .. } = self.of().found;
        let share = self.of().delta() / before.abs() * 1e6;
        (before != 0.0 && share.is_finite()).then_some(share.round() as i64)
    }

    pub(super) fn word(&self) -> &'static str {
        match self.change {
            Change::Same => "same",
            Change::More if self.is_new => "new",
            Change::Less if self.is_gone => "gone",
            Change::More => "more",
            Change::Less => "less",
        }
    }
}

impl Comparison {
    /// Caveats: truncated or repaired input, and what else makes the numbers doubtful.
    fn caution(&self) -> Option<String> {
        let (before, after) = (self.before.len(), self.after.len());
        if before.min(after) < 2 || can_decide(before, after) {
            return None;
        }
        let (low, high): (Vec<f64>, Vec<f64>) =
            ((0..before).map(|_| 0.0).collect(), (0..after).map(|_| 1.0).collect());
        let percent = 100.0 * rank_test(&low, &high);
        Some(format!(
            "{before} runs and {after} are too few for the rank test: chance alone separates them in {percent:.0} % of all \
             cases; with five a side it does in 1 %"
        ))
    }

    /// The subjects of a list that any run has: first those that changed, those that grew most before others.
    fn changes(&self, list: Lists) -> Vec<Row> {
        let of = |runs: &[Figures]| -> BTreeSet<Vec<String>> {
            runs.iter().flat_map(|run| run.of(list).keys().cloned()).collect()
        };
        let (before, after) = (of(&self.before), of(&self.after));
        let row = |names: &Vec<String>| {
            let [is_new, is_gone] = [&before, &after].map(|side| !side.contains(names));
            Row { is_new, is_gone, ..self.row(list.list(), list, names.clone()) }
        };
        let mut rows: Vec<Row> = before.union(&after).map(row).collect();
        let rank = |row: &Row| match row.change {
            Change::More => 0,
            Change::Less => 1,
            Change::Same => 2,
        };
        // Equal ones stay in the order of their names.
        rows.sort_by(|a, b| {
            let weight = |row: &Row| row.of().delta().abs();
            rank(a).cmp(&rank(b)).then(weight(b).total_cmp(&weight(a)))
        });
        rows
    }

    fn row(&self, of: &List, list: Lists, names: Vec<String>) -> Row {
        let side = |runs: &[Figures], at: usize, kind: Kind| -> Vec<f64> {
            let number = |subjects: &Subjects| subjects.get(&names).map(|numbers| numbers[at]);
            let values = runs.iter().map(|run| number(run.of(list)).unwrap_or(kind.absent()));
            values.filter(|value| !value.is_nan()).collect()
        };
        let judged = |(at, figure): (usize, &Figure)| {
            let (before, after) =
                (side(&self.before, at, figure.kind), side(&self.after, at, figure.kind));
            let is_time = matches!(figure.kind, Kind::Time | Kind::Level);
            let noise = Noise { share: self.noise, amount: if is_time { LEAST_NS } else { 0.0 } };
            let mut found = judge(&before, &after, noise);
            // Nothing is not a small value.
            if before.is_empty() || after.is_empty() {
                found.change = Change::Same;
            }
            if before.is_empty() {
                found.before = f64::NAN;
            }
            if after.is_empty() {
                found.after = f64::NAN;
            }
            Judged { before, after, found }
        };
        let figures: Vec<Judged> = of.figures.iter().enumerate().map(judged).collect();
        let deciding = || (0..figures.len()).filter(|&at| of.figures[at].decides);
        let changed = |change: Change| deciding().find(|&at| figures[at].found.change == change);
        // What got worse counts before what got better.
        let (decisive, change) = changed(Change::More)
            .map(|at| (at, Change::More))
            .or_else(|| changed(Change::Less).map(|at| (at, Change::Less)))
            .unwrap_or((deciding().next().unwrap_or(0), Change::Same));
        Row { names, figures, decisive, change, is_new: false, is_gone: false }
    }

    fn section(&self, list: Lists, rows: &[Row], top: usize) -> Section {
        let of = list.list();
        let has_runs = self.before.len() + self.after.len() > 2;
        let deciding = of.figures.iter().filter(|figure| figure.decides).count();
        let cells = rows.iter().map(|row| {
            let name = |name: &String| if name.is_empty() { Cell::Empty } else { Cell::name(name) };
            let mut cells: Vec<Cell> = row.names.iter().map(name).collect();
            let judged = row.of();
            let kind = of.figures[row.decisive].kind;
            let p = judged.found.p.map(|p| (p * 1e4).round() / 1e4);
            cells.extend([
                Cell::text(row.word()),
                Cell::text(of.figures[row.decisive].title),
                Cell::text(of.figures[row.decisive].key),
                number(kind, judged.found.before),
                number(kind, judged.found.after),
                change(kind, judged.delta()),
                row.growth().map_or(Cell::Empty, |growth| Cell::Change(growth, Unit::Share)),
                p.map_or(Cell::Empty, Cell::Float),
                values(kind, &judged.before),
                values(kind, &judged.after),
            ]);
            let figures = of.figures.iter().zip(&row.figures).map(|(figure, judged)| {
                let members = [
                    ("before", number(figure.kind, judged.found.before)),
                    ("after", number(figure.kind, judged.found.after)),
                    ("delta", change(figure.kind, judged.delta())),
                ];
                (figure.key, Cell::Record(members.into()))
            });
            cells.push(Cell::Record(figures.collect()));
            cells
        });
        let mut columns: Vec<Column> = Vec::new();
        for (at, (key, title)) in of.names.iter().enumerate() {
            // The last part of a name tells most, except of slices, whose categories are that.
            let is_needed = (*key == "category") == (at == 0) || of.names.len() == 1;
            columns.push(Column { optional: !is_needed, ..Column::new(key, title) });
        }
        let what = if deciding > 1 { Column::new("what", "What") } else { Column::hidden("what") };
        let p = if has_runs { Column::optional("p_value", "p") } else { Column::hidden("p_value") };
        columns.extend([
            Column::optional("change", "Change"),
            what,
            Column::hidden("changed"),
            Column::new("before", "Before"),
            Column::new("after", "After"),
            Column::new("delta", "Delta"),
            Column::new("delta_percent", "Percent"),
            p,
            Column::hidden("runs_before"),
            Column::hidden("runs_after"),
            Column::hidden("figures"),
        ]);
        let cells = cells.collect();
        let mut section = table(of.key, of.title, columns, cells, top, "nothing beyond noise");
        if let Body::Table(table) = &mut section.body {
            table.json_only = rows.iter().filter(|row| row.change == Change::Same).count();
        }
        section
    }
}

fn number(kind: Kind, value: f64) -> Cell {
    match whole(kind, value) {
        _ if value.is_nan() => Cell::Empty,
        Some(value) => Cell::Number(value, kind.whole_unit()),
        None => Cell::Float(value),
    }
}

fn change(kind: Kind, value: f64) -> Cell {
    match whole(kind, value) {
        _ if value.is_nan() => Cell::Empty,
        Some(value) => Cell::Change(value, kind.whole_unit()),
        None => Cell::Float(value),
    }
}

fn values(kind: Kind, values: &[f64]) -> Cell {
    Cell::List(values.iter().map(|&value| number(kind, value)).collect())
}

/// A number that people read as a whole one.
fn whole(kind: Kind, value: f64) -> Option<i64> {
    let is_whole = kind != Kind::Value || (value.fract() == 0.0 && value.abs() < 1e15);
    is_whole.then_some(value.round() as i64)
}
