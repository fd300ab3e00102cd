//! What differs between inputs, and what grew all the time.

mod answer;
mod view;

pub use answer::{DiffAnswer, Difference};

use crate::{
    By, Session, Wanted,
    answer::{Answered, Caveat, CaveatKind, Figure, Limits},
    check, heap,
    listing::SHOWN,
    other_format,
    output::Output,
    question::{Question, question},
    runs,
    subjects::{Subject, compared},
    too_few, trace,
};
use arrow_array::RecordBatch;
use heapquarry::{Result, RunOptions, Source, engine::Locate};
use heapquarry_formats::{Format, Kind};
use heapquarry_report::{Facts, Rule, Vocabulary};
use heapquarry_tables::Table;
use std::path::PathBuf;

question! {
    /// Show what grew between snapshots of one process, or what changed between profiles or traces
    ///
    /// Compares the last input with the first. Snapshots are compared class by class, as in DevTools, and object by
    /// object. With three or more snapshots it also tells what grows from each to the next, as `leaks` does. Profiles
    /// are compared function by function. Traces are compared by the names of slices, threads, frames, counters and GPU
    /// streams. Several runs of profiles and traces before a change and after it are compared by their medians.
    pub struct Diff {
        /// Treat changes of times and values of profiles and traces up to this share as noise
        #[arg(long, value_name = "SHARE", default_value = "3%", value_parser = crate::args::share)]
        pub noise: f64 = 0.03,

        /// Exit with 1 if this limit is exceeded, such as `retained>+5%`, `class[Session].count>+10 and +1%`,
        /// `function[render].self_share>+2pp` or `slice[parse].p95>5 ms`; `any` if anything in a trace or profile got
        /// worse; can be repeated
        #[arg(long, value_name = "LIMIT")]
        pub fail_on: Vec<String> = Vec::new(),

        /// Write the differences as Parquet tables to this directory
        #[arg(short, long, value_name = "DIR")]
        pub output: Option<PathBuf> = None,

        /// Replace an existing output directory that heapquarry wrote
        #[arg(long, requires = "output")]
        pub force: bool = false,

        /// Rows per list [default: 20; in JSON all classes, functions and suspects, and all lists of traces]
        #[arg(long, value_name = "N")]
        pub top: Option<usize> = None,

        /// Also list the engine's own classes of heaps
        #[arg(long)]
        pub engine: bool = false,

        /// Also list the growth of heaps by package, script or function, and of profiles (also those in traces) by
        /// package or script: each byte and each sample belongs to exactly one of them
        #[arg(long, value_enum, value_name = "WHAT")]
        pub by: Option<By> = None,

        /// The inputs after a change are runs of one program: limits apply to the median of each figure
        #[arg(skip)]
        pub runs: bool = false,

        /// How many inputs at the beginning are runs before a change; more than one of profiles and traces only
        #[arg(skip = 1usize)]
        pub base_runs: usize = 1,

        /// Figures of the last input as well, with or without limits
        #[arg(skip)]
        pub figures: bool = false,
    }
}

impl Question for Diff {
    const VERB: &'static str = "diff";
    type Answer = DiffAnswer;

    fn other_paths(&mut self) -> Vec<&mut PathBuf> {
        self.output.iter_mut().collect()
    }

    fn ask(&self, session: &Session) -> Result<Answered<DiffAnswer>> {
        let (sources, options) = (session.sources(), session.options());
        let [before @ .., current] = &sources[..] else { return Err(too_few(&sources)) };
        if before.is_empty() {
            return Err(too_few(&sources));
        }
        // A wrong expression is said before gigabytes are read.
        let located = current.locate(options)?;
        let format = located.format();
        let rules = |vocabulary: Vocabulary| -> Result<Vec<Rule>> {
            self.fail_on.iter().map(|text| rule(text, format, vocabulary)).collect()
        };
        let early = compared(format).map(&rules).transpose()?;
        if self.base_runs > 1 && format.kind() == Kind::Heap {
            let wanted = "profiles or traces, to compare several runs of the base";
            return Err(other_format(current, wanted, format));
        }
        let output = self.output.as_deref();
        let output = output.map(|path| Output::create(path, self.force, &sources)).transpose()?;
        let heaps = match (format.kind(), &early) {
            (Kind::Heap, Some(rules)) => {
                let how = self.comparing(current, before, rules, options);
                Some((heap::diff::First::read(&how, session.last().held())?, how))
            }
            _ => None,
        };
        let beside = heaps.as_ref().map(|(first, _)| first.beside(options));
        let beside = beside.as_ref().unwrap_or(options);
        let last = session.under(beside).subject(sources.len() - 1, located)?;
        let rules = early.map_or_else(|| rules(last.compared()), Ok)?;
        let Compared { found, caveats, facts, base } = match (&last, heaps) {
            (Subject::Heap(heap), Some((first, how))) => {
                let facts = self.facts((&last, current), before, Wanted::by(&rules), beside)?;
                let mut compared = heap.compare(Comparing { output, ..how }, first, self)?;
                compared.caveats.extend(last.caveats());
                if self.runs && before.len() > 1 {
                    let more = "; the tables compare the last one";
                    compared.caveats.push(check::runs_caveat(before.len(), more));
                }
                Compared { facts, ..compared }
            }
            (Subject::Trace(last), _) => {
                trace::diff::compare(last, &sources, output, self, options)?
            }
            (Subject::Profile(last), _) => {
                let mut compared =
                    last.compare(&sources, output, self, Wanted::by(&rules), options)?;
                compared.caveats.extend(last.notes.clone());
                compared
            }
            (Subject::Heap(_) | Subject::Process(_), _) => {
                return Err(crate::incomparable(
                    current,
                    crate::process::WATCH,
                    "heaps, profiles or traces",
                ));
            }
        };
        let checks = match &facts {
            Some(facts) => check::hold(&rules, facts, base.as_ref(), &last)?,
            None => Vec::new(),
        };
        let figures = facts.filter(|_| self.figures).map(|facts| Figure::all(&facts, &checks));
        let limits = Limits::of(&checks);
        let answer = DiffAnswer { found, limits, figures: figures.unwrap_or_default() };
        let shown = self.top.unwrap_or(SHOWN);
        let answered = session.answered(Self::VERB, caveats, answer, shown)?;
        Ok(Answered { checks, ..answered })
    }
}

impl Diff {
    /// Whether figures are needed: they have limits, or are asked for.
    pub(crate) fn needs_facts(&self) -> bool {
        !self.fail_on.is_empty() || self.figures
    }

    /// How heaps are compared, but for the output.
    fn comparing<'a>(
        &self,
        source: &'a Source,
        before: &'a [Source],
        rules: &[Rule],
        options: &'a RunOptions,
    ) -> Comparing<'a> {
        Comparing {
            source,
            before: if self.runs { &before[..1] } else { before },
            facts: (!self.fail_on.is_empty()).then(|| Wanted::by(rules)),
            by: self.by,
            series: 2,
            output: None,
            options,
        }
    }

    /// The figures of the last heap, of several runs their medians, if they are needed.
    fn facts(
        &self,
        (last, source): (&Subject, &Source),
        before: &[Source],
        wanted: Wanted,
        options: &RunOptions,
    ) -> Result<Option<Facts>> {
        if !self.needs_facts() {
            return Ok(None);
        }
        let mut runs = vec![last.facts(source, wanted)?];
        for run in before[1..].iter().filter(|_| self.runs) {
            runs.push(last.open_like(run, options)?.facts(run, wanted)?);
        }
        Ok(Some(Facts::median(&runs)))
    }
}

/// A comparison that is wanted of the last of some inputs.
pub(crate) struct Comparing<'a> {
    pub(crate) source: &'a Source,
    /// Those before it, of which the first is the base.
    pub(crate) before: &'a [Source],
    /// Which figures of the base are wanted, if any.
    pub(crate) facts: Option<Wanted>,
    /// What the growth of heaps is told by besides classes and objects.
    pub(crate) by: Option<By>,
    /// The least number of inputs before it from which leaks are looked for.
    pub(crate) series: usize,
    pub(crate) output: Option<Output>,
    pub(crate) options: &'a RunOptions,
}

impl Comparing<'_> {
    /// Writes what was found, if that is wanted. Returns what is to be known of the output.
    pub(crate) fn write(
        &mut self,
        tables: impl Iterator<Item = (&'static Table, RecordBatch)>,
    ) -> Result<Option<Caveat>> {
        let compared = self.before.iter().chain([self.source]);
        written(self.output.take(), compared, tables)
    }
}

/// Reads an expression of `--fail-on`; `any` is anything that got worse, of inputs that are compared in this way.
fn rule(text: &str, format: Format, vocabulary: Vocabulary) -> Result<Rule> {
    let has_worse = vocabulary.iter().any(|scope| scope.name == runs::WORSE.name);
    let is_any = has_worse && text.trim() == "any";
    check::limit(if is_any { "worse.growth > 0%" } else { text }, format, vocabulary)
}

/// Writes what was found into an output, if there is one. Returns what is to be known of it.
pub(crate) fn written<'a>(
    output: Option<Output>,
    compared: impl Iterator<Item = &'a Source>,
    tables: impl Iterator<Item = (&'static Table, RecordBatch)>,
) -> Result<Option<Caveat>> {
    let Some(output) = output else { return Ok(None) };
    let remark = |warning: heapquarry_sink::Error| Caveat {
        kind: CaveatKind::Remark,
        input: None,
        text: warning.to_string(),
    };
    Ok(output.write(compared, tables)?.map(remark))
}

/// What came of a comparison.
pub(crate) struct Compared {
    pub(crate) found: Difference,
    pub(crate) caveats: Vec<Caveat>,
    /// The figures of the last input, of several runs their medians, if they are needed.
    pub(crate) facts: Option<Facts>,
    /// The figures of the base, if there are limits.
    pub(crate) base: Option<Facts>,
}
