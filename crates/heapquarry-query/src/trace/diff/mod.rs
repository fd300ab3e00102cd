//! Compares runs of a program before a change with runs after it.

mod answer;
mod view;

use answer::changes;
pub use answer::{
    Changes, ComparedTrace, CounterChange, FigureChange, FrameChange, GpuChange, MainThreadChange,
    OperationChange, ScheduledThreadChange, SliceChange, SubjectChange, ThreadChange, TraceDiff,
};

use super::{
    figures::{Figures, name},
    list::{COMPARED, Figure, Kind, Lists, WITH_CHANGES},
    tables::{Run, tables},
};
use crate::{
    answer::{Caveat, CaveatKind, Nanos},
    diff::{Compared, Diff, Difference, written},
    output::Output,
    profile::{self, diff::ProfileDiff},
    refuse_incomparable,
    runs::{self, Judging, Side, Sides},
};
use heapquarry::{Result, RunOptions, Source, engine::Locate};
use heapquarry_formats::Format;
use heapquarry_report::{Facts, runs::Noise};

/// Less time is a difference that clocks and schedulers make.
const LEAST_NS: f64 = 10_000.0;

/// Compares traces, of which the last has been read. One is in memory at a time.
pub(crate) fn compare(
    last: &Figures,
    sources: &[Source],
    output: Option<Output>,
    diff: &Diff,
    run: &RunOptions,
) -> Result<Compared> {
    let sides = Sides::new(sources, diff.base_runs, diff.runs);
    let open = |source: &Source| {
        let located = source.locate(run)?;
        refuse_incomparable(source, located.format(), Format::Trace)?;
        Figures::open(source, located, run)
    };
    let mut whose = WhoseTime::default();
    let mut read = |side, sources: &[Source]| {
        let open = |source| {
            let figures = open(source)?;
            Ok(whose.measured(figures, source, side, diff))
        };
        sources.iter().map(open).collect::<Result<Vec<Figures>>>()
    };
    let (before, between) = (read(Some(Side::Before), sides.before)?, read(None, sides.between)?);
    let (at_last, others) = sides.after.split_last().expect("at least one");
    let mut after = read(Some(Side::After), others)?;
    after.push(whose.measured(last.clone(), at_last, Some(Side::After), diff));
    let comparison = Comparison { before, after, noise: diff.noise };

    let all = || comparison.before.iter().chain(&between).chain(&comparison.after);
    let mut caveats: Vec<Caveat> = all().flat_map(|figures| figures.notes.clone()).collect();
    caveats.extend(sides.caution());
    let changes = COMPARED.iter().map(|&list| (list, comparison.changes(list)));
    let changes: Vec<(Lists, Vec<Row>)> = changes.filter(|(_, rows)| !rows.is_empty()).collect();
    let traces = sides.all().zip(all()).map(|((side, source), figures)| {
        let name = source.to_string();
        compared(name, side, figures)
    });
    let mut found = difference(traces.collect(), &changes, diff.top);
    found.by = diff.by;
    if diff.by.is_some() {
        found.cpu_profiles =
            last.profile.as_ref().and_then(|like| whose.between(like, diff)).map(Box::new);
        caveats.extend(whose.caveat());
    }

    let run = |((side, source), figures): ((Option<Side>, &Source), _)| Run {
        path: source.to_string(),
        side: side.map_or("", Side::word),
        figures,
    };
    if output.is_some() {
        let runs: Vec<Run<'_>> = sides.all().zip(all()).map(run).collect();
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
            for row in rows.iter().filter(|row| row.has_grown() && list.list().more_is_worse) {
                let subject = format!("{} {}", list.list().key, name(*list, &row.key));
                runs::add_worse(&mut facts_now, &subject, row);
            }
        }
        now = Some(facts_now);
    }
    Ok(Compared { found: Difference::Trace(found.into()), caveats, facts: now, base })
}

/// Whose time it is, as the CPU profiles in traces tell.
#[derive(Default)]
struct WhoseTime {
    measured: Vec<profile::diff::Measured>,
    /// Traces on a side without a CPU profile.
    without: Vec<String>,
}

impl WhoseTime {
    /// Measures the CPU profiles of a trace, if that is wanted, and forgets them.
    fn measured(
        &mut self,
        mut figures: Figures,
        source: &Source,
        side: Option<Side>,
        diff: &Diff,
    ) -> Figures {
        let profile = figures.profile.take();
        if diff.by.is_some() {
            match profile {
                Some(profile) => self.measured.push(profile.measured(source, side, diff.by)),
                None if side.is_some() => self.without.push(source.to_string()),
                None => {}
            }
        }
        figures
    }

    /// What differs; `None` if a trace on a side does not tell. `like` is one of the profiles.
    fn between(&mut self, like: &profile::Subject, diff: &Diff) -> Option<ProfileDiff> {
        let measured = std::mem::take(&mut self.measured);
        self.without.is_empty().then(|| like.between(measured, diff).1)
    }

    /// Which traces do not tell.
    fn caveat(self) -> Option<Caveat> {
        let names = self.without.join(", ");
        let text = format!("no CPU profile was read of {names}, so nothing tells whose time it is");
        (!self.without.is_empty()).then_some(Caveat { kind: CaveatKind::Remark, input: None, text })
    }
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
        cpu_profiles: None,
        by: None,
    }
}

/// The runs of both sides.
struct Comparison {
    before: Vec<Figures>,
    after: Vec<Figures>,
    noise: f64,
}

/// A subject of a list, in all runs.
pub(super) type Row = runs::Row<Vec<String>>;

impl Comparison {
    /// The subjects of a list that any run has: first those that changed, those that grew most before others.
    fn changes(&self, list: Lists) -> Vec<Row> {
        let judging = |figure: &Figure| {
            let is_time = matches!(figure.kind, Kind::Time | Kind::Level);
            Judging {
                absent: figure.kind.absent(),
                noise: Noise { share: self.noise, amount: if is_time { LEAST_NS } else { 0.0 } },
                per_sample: 0.0,
                decides: figure.decides,
            }
        };
        let judging: Vec<Judging> = list.list().figures.iter().map(judging).collect();
        let [before, after] = [&self.before, &self.after]
            .map(|runs| runs.iter().map(|run| run.of(list)).collect::<Vec<_>>());
        runs::rows(&before, &after, &judging)
    }
}
