//! Compares runs of a program before a change with runs after it.

mod answer;
mod view;

use answer::changes;
pub use answer::{
    ChangeKind, Changes, ComparedTrace, CounterChange, FigureChange, FrameChange, GpuChange,
    MainThreadChange, OperationChange, ScheduledThreadChange, Side, SliceChange, SubjectChange,
    ThreadChange, TraceDiff,
};

use super::{
    figures::{Figures, Subjects, name},
    list::{COMPARED, Figure, Kind, List, Lists, WITH_CHANGES},
    tables::{Run, tables},
};
use crate::{
    answer::{Caveat, CaveatKind, Nanos},
    check,
    diff::{Compared, Diff, Difference, written},
    output::Output,
    refuse_incomparable,
};
use heapquarry::{Result, RunOptions, Source, engine::Locate};
use heapquarry_formats::Format;
use heapquarry_report::{
    FROM_NOTHING, Facts, Rule,
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
    fn new(sources: &'a [Source], diff: &Diff) -> Self {
        let (before, rest) = sources.split_at(diff.base_runs.clamp(1, sources.len() - 1));
        let after = if diff.runs { 0 } else { rest.len() - 1 };
        let (between, after) = rest.split_at(after);
        Sides { before, between, after }
    }
}

/// Compares traces, of which the last has been read. One is in memory at a time.
pub(crate) fn compare(
    last: &Figures,
    sources: &[Source],
    output: Option<Output>,
    diff: &Diff,
    run: &RunOptions,
) -> Result<Compared> {
    let sides = Sides::new(sources, diff);
    let open = |source: &Source| {
        let located = source.locate(run)?;
        refuse_incomparable(source, located.format(), Format::Trace)?;
        Figures::open(source, located, run)
    };
    let read = |sources: &[Source]| sources.iter().map(open).collect::<Result<Vec<Figures>>>();
    let (before, between) = (read(sides.before)?, read(sides.between)?);
    let mut after = read(&sides.after[..sides.after.len() - 1])?;
    after.push(last.clone());
    let comparison = Comparison { before, after, noise: diff.noise };

    let all = || comparison.before.iter().chain(&between).chain(&comparison.after);
    let mut caveats: Vec<Caveat> = all().flat_map(|figures| figures.notes.clone()).collect();
    caveats.extend(comparison.caution());
    let words = [
        (Some(Side::Before), sides.before),
        (None, sides.between),
        (Some(Side::After), sides.after),
    ];
    let words = words.iter().flat_map(|(side, of)| of.iter().map(move |source| (*side, source)));
    let changes = COMPARED.iter().map(|&list| (list, comparison.changes(list)));
    let changes: Vec<(Lists, Vec<Row>)> = changes.filter(|(_, rows)| !rows.is_empty()).collect();
    let traces = words.clone().zip(all()).map(|((side, source), figures)| {
        let name = source.to_string();
        compared(name, side, figures)
    });
    let found = difference(traces.collect(), &changes, diff.top);

    let run = |((side, source), figures): ((Option<Side>, &Source), _)| Run {
        path: source.to_string(),
        side: side.map_or("", Side::word),
        figures,
    };
    if output.is_some() {
        let runs: Vec<Run<'_>> = words.zip(all()).map(run).collect();
        let tables = tables(&runs, &changes).into_iter();
        caveats.extend(written(output, sources.iter(), tables)?);
    }

    let (mut now, mut base) = (None, None);
    if diff.needs_facts() {
        let facts = |figures: &[Figures], sources: &[Source]| -> Result<Facts> {
            let runs = figures.iter().zip(sources);
            let runs = runs.map(|(figures, source)| figures.facts(source, &WITH_CHANGES));
            Ok(Facts::median(&runs.collect::<Result<Vec<_>>>()?))
        };
        let mut facts_now = facts(&comparison.after, sides.after)?;
        base = Some(facts(&comparison.before, sides.before)?);
        for (list, rows) in &changes {
            for row in rows.iter().filter(|row| row.is_worse(*list)) {
                let subject = format!("{} {}", list.list().key, name(*list, &row.names));
                let growth = row.growth().unwrap_or(FROM_NOTHING);
                facts_now.add("worse", subject.trim_end(), &[growth]);
            }
        }
        now = Some(facts_now);
    }
    Ok(Compared { found: Difference::Trace(found.into()), caveats, facts: now, base })
}

/// A trace, with its figures as a whole.
fn compared(name: String, side: Option<Side>, figures: &Figures) -> ComparedTrace {
    let whole = figures.of(Lists::Whole).values().next();
    let number = |key: &str| {
        let at = Lists::Whole.list().figures.iter().position(|figure| figure.key == key);
        let number = whole.zip(at).and_then(|(whole, at)| whole.get(at));
        // Saturates; none of them is negative.
        number.map_or(0, |number| number.round() as i64)
    };
    let count = |key| u64::try_from(number(key)).unwrap_or(0);
    ComparedTrace {
        name,
        side,
        duration_ns: Nanos(number("duration_ns")),
        event_count: count("event_count"),
        slice_count: count("slice_count"),
        long_task_count: count("long_task_count"),
        blocking_ns: Nanos(number("blocking_ns")),
        dropped_count: count("dropped_count"),
    }
}

/// What was found; of each list at most `top` rows.
fn difference(
    traces: Vec<ComparedTrace>,
    lists: &[(Lists, Vec<Row>)],
    top: Option<usize>,
) -> TraceDiff {
    let most = top.unwrap_or(usize::MAX);
    let of = |wanted: Lists| {
        let found = lists.iter().find(|(list, _)| *list == wanted);
        found.map_or(&[][..], |(_, rows)| rows)
    };
    TraceDiff {
        traces,
        main_threads: changes(of(Lists::MainThreads), most),
        frames: changes(of(Lists::Frames), most),
        slices: changes(of(Lists::Slices), most),
        operations: changes(of(Lists::Operations), most),
        gpus: changes(of(Lists::Gpus), most),
        threads: changes(of(Lists::Threads), most),
        scheduled_threads: changes(of(Lists::Schedule), most),
        counters: changes(of(Lists::Counters), most),
    }
}

/// Reads an expression of `--fail-on`; `any` is anything that got worse.
pub(crate) fn rule(text: &str, format: Format) -> Result<Rule> {
    let expression = if text.trim() == "any" { "worse.growth > 0%" } else { text };
    check::limit(expression, format, &WITH_CHANGES)
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
}

impl Comparison {
    /// Caveats: truncated or repaired input, and what else makes the numbers doubtful.
    fn caution(&self) -> Option<Caveat> {
        let (before, after) = (self.before.len(), self.after.len());
        if before.min(after) < 2 || can_decide(before, after) {
            return None;
        }
        let (low, high): (Vec<f64>, Vec<f64>) =
            ((0..before).map(|_| 0.0).collect(), (0..after).map(|_| 1.0).collect());
        let percent = 100.0 * rank_test(&low, &high);
        let text = format!(
            "{before} runs and {after} are too few for the rank test: chance alone separates them in {percent:.0} % of all \
             cases; with five a side it does in 1 %"
        );
        Some(Caveat { kind: CaveatKind::Remark, input: None, text })
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
}
