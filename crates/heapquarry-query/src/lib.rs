//! The questions that people and CI ask about heaps, profiles and traces: what is in them, why is something there, what
//! leaks, what grew, are limits kept.
//!
//! Each answer is a [`Report`]; what a kind of input has to say stands in a module of its own.
#![forbid(unsafe_code)]

pub mod answer;
#[cfg(feature = "args")]
mod args;
mod calls;
mod check;
mod export;
pub mod heap;
mod output;
mod page;
mod parts;
pub mod profile;
mod question;
mod sections;
mod session;
mod summary;
pub mod trace;
mod view;

pub use answer::{Answer, Answered};
pub use check::{Check, CheckAnswer};
pub use export::{ExportFormat, export, export_difference};
pub use heap::{explore::Explorer, leaks::Leaks, show::Show, why::Why};
pub use page::page;
pub use question::Question;
pub use session::Session;
pub use summary::{Summary, SummaryAnswer};
pub use view::View;

use answer::Caveat;
use arrow_array::RecordBatch;
use heapquarry::{Error, ErrorKind, Result, RunOptions, Source, engine::Located, options};
use heapquarry_formats::{Format, Kind, ProfileKind};
use heapquarry_report::{Facts, Report, Rule, Section, Vocabulary, measures};
use heapquarry_tables::Table;
use output::Output;
use std::{path::PathBuf, sync::Arc};

/// Which objects of a heap a question is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Objects {
    /// The object of this id.
    Id(i64),
    /// Objects of the classes whose name fits one of these; `*` stands for anything.
    Classes(Vec<String>),
}

impl Objects {
    /// The object of an id, or else those of classes.
    pub(crate) fn new(node: Option<i64>, classes: &[String]) -> Self {
        node.map_or_else(|| Objects::Classes(classes.to_vec()), Objects::Id)
    }
}

options! {
    /// How [`diff`] works.
    #[derive(Clone, Debug)]
    pub struct DiffOptions {
        /// [Expressions](heapquarry_report::rule): what the last input is not to exceed.
        pub fail_on: Vec<String>,
        /// Write the differences as Parquet tables into this directory.
        pub output: Option<PathBuf>,
        /// Replace the directory if it is there; only one that holds nothing but what heapquarry wrote, or nothing at
        /// all.
        pub force: bool,
        /// Rows of each table that people see.
        pub top: usize,
        /// Whether people see the engine's own classes among the others.
        pub engine: bool,
        /// Whether figures of the last input are wanted besides those with limits: [`Report::measures`].
        pub measures: bool,
        /// Whether the inputs after the first are runs of one program: limits apply to the median of their figures.
        pub runs: bool,
        /// How many inputs at the beginning are runs of the base; more than one of traces only.
        pub base_runs: usize,
        /// Of traces: changes up to this share of a figure do not count.
        pub noise: f64,
    }
}

impl Default for DiffOptions {
    fn default() -> Self {
        DiffOptions {
            fail_on: Vec::new(),
            output: None,
            force: false,
            top: TOP,
            engine: false,
            measures: false,
            runs: false,
            base_runs: 1,
            noise: NOISE,
        }
    }
}

/// The noise of a comparison of traces unless something else is asked for: 3 %.
const NOISE: f64 = 0.03;

/// Rows of a table that people see unless something else is asked for.
const TOP: usize = 20;

/// A comparison that is wanted of the last of some inputs.
struct Comparing<'a> {
    source: &'a Source,
    /// Those before it, of which the first is the base.
    before: &'a [Source],
    /// Whether the figures of the base are wanted.
    with_facts: bool,
    top: usize,
    engine: bool,
    /// The least number of inputs before it from which leaks are looked for.
    series: usize,
    output: Option<Output>,
    options: &'a RunOptions,
}

impl Comparing<'_> {
    /// Writes what was found, if that is wanted. Returns what is to be known of the output.
    fn write(
        &mut self,
        tables: impl Iterator<Item = (&'static Table, RecordBatch)>,
    ) -> Result<Option<String>> {
        let compared = self.before.iter().chain([self.source]);
        let Some(output) = self.output.take() else { return Ok(None) };
        Ok(output.write(compared, tables)?.map(|warning| warning.to_string()))
    }
}

/// What came of a comparison.
struct Compared {
    /// The figures of the base, if there are limits.
    base: Option<Facts>,
    /// Caveats: truncated or repaired input, and what else makes the numbers doubtful.
    notes: Vec<String>,
    sections: Vec<Section>,
}

/// An input that has been read and analysed, of a kind that can be compared and held against limits.
enum Subject {
    Heap(Arc<heap::Subject>),
    Profile(Arc<profile::Subject>),
    Trace(Box<trace::Figures>),
}

impl Subject {
    /// Reads an input.
    fn open(source: &Source, located: Located, options: &RunOptions) -> Result<Self> {
        Ok(match located.format().kind() {
            Kind::Profile(_) => {
                Subject::Profile(Arc::new(profile::Subject::open(source, located, options)?))
            }
            Kind::Heap => {
                Subject::Heap(Arc::new(heap::Subject::open(source, located, None, options)?))
            }
            Kind::Trace => {
                Subject::Trace(Box::new(trace::Figures::open(source, located, options)?))
            }
        })
    }

    /// Reads an input that is to be compared with this one: it must be of its kind, and speaks of the same things by
    /// the same names.
    fn open_like(&self, source: &Source, options: &RunOptions) -> Result<Self> {
        let located = source.locate(options)?;
        Ok(match self {
            Subject::Heap(like) => {
                let heap = heap::Subject::open(source, located, Some(like), options)?;
                Subject::Heap(Arc::new(heap))
            }
            Subject::Profile(like) => {
                Subject::Profile(Arc::new(like.open_like(source, located, options)?))
            }
            Subject::Trace(_) => {
                refuse_incomparable(source, located.format(), Format::Trace)?;
                Subject::Trace(Box::new(trace::Figures::open(source, located, options)?))
            }
        })
    }

    /// Its figures, if it is whole.
    fn facts(&self, source: &Source) -> Result<Facts> {
        match self {
            Subject::Heap(heap) => heap.facts(source),
            Subject::Profile(profile) => profile.facts(source),
            Subject::Trace(trace) => trace.facts(source, &trace::VOCABULARY),
        }
    }

    /// What can be limited of it.
    fn vocabulary(&self) -> Vocabulary {
        match self {
            Subject::Heap(_) => &heap::VOCABULARY,
            Subject::Profile(profile) => profile.vocabulary(),
            Subject::Trace(_) => &trace::VOCABULARY,
        }
    }

    /// Why its numbers may rest on less than the whole input, or mean less than they seem to.
    fn caveats(&self) -> Vec<Caveat> {
        match self {
            Subject::Heap(heap) => heap.note.iter().cloned().collect(),
            Subject::Profile(profile) => profile.notes.clone(),
            Subject::Trace(trace) => trace.notes.clone(),
        }
    }

    /// What it is, in one word.
    fn kind(&self) -> &'static str {
        match self {
            Subject::Heap(_) => "heap",
            Subject::Profile(profile) => profile.kind(),
            Subject::Trace(_) => "trace",
        }
    }
}

/// What can be limited of an input; `None` if only its content tells: whether the values of a pprof profile are times,
/// bytes or counts.
fn vocabulary(format: Format) -> Option<Vocabulary> {
    match format.kind() {
        Kind::Trace => Some(&trace::VOCABULARY),
        Kind::Profile(ProfileKind::Pprof) => None,
        Kind::Profile(kind) => Some(profile::vocabulary(kind)),
        Kind::Heap => Some(&heap::VOCABULARY),
    }
}

/// Returns an error unless an input is of the kind of one that it is compared with.
fn refuse_incomparable(source: &Source, found: Format, like: Format) -> Result<()> {
    if found.kind() == like.kind() {
        return Ok(());
    }
    Err(incomparable(source, found.describe(), like.describe()))
}

/// The error of an input that cannot be compared with one of another kind.
fn incomparable(source: &Source, found: &'static str, other: &'static str) -> Error {
    Error::new(ErrorKind::Incomparable { path: source.path.clone(), found, other })
}

fn other_format(source: &Source, wanted: &'static str, found: Format) -> Error {
    let (path, found) = (source.path.clone(), found.describe());
    Error::new(ErrorKind::OtherFormat { path, wanted, found })
}

/// Caveats in words.
fn texts<'a>(caveats: impl IntoIterator<Item = &'a Caveat>) -> Vec<String> {
    caveats.into_iter().map(ToString::to_string).collect()
}

/// Says what differs between the first and the last of some inputs of one kind, and what grew all the time.
///
/// # Errors
/// If an input cannot be read, an expression is none, or the output cannot be written.
pub fn diff(sources: &[Source], diff: &DiffOptions, options: &RunOptions) -> Result<Report> {
    let [before @ .., current] = sources else { return Err(too_few(sources)) };
    let [base, ..] = before else { return Err(too_few(sources)) };
    // A wrong expression is said before gigabytes are read.
    let located = current.locate(options)?;
    let format = located.format();
    let rules = |vocabulary: Vocabulary| -> Result<Vec<Rule>> {
        let rule = |text: &String| match format.kind() {
            Kind::Trace => trace::rule(text, format),
            _ => check::limit(text, format, vocabulary),
        };
        diff.fail_on.iter().map(rule).collect()
    };
    let early = vocabulary(format).map(&rules).transpose()?;
    let output =
        || diff.output.as_deref().map(|path| Output::create(path, diff.force, sources)).transpose();
    if format.kind() == Kind::Trace {
        let rules = early.unwrap_or_default();
        return trace::diff(sources, located, diff, &rules, output()?, options);
    }
    if diff.base_runs > 1 {
        return Err(other_format(current, "traces, to compare several runs of the base", format));
    }
    let output = output()?;
    let last = Subject::open(current, located, options)?;
    let rules = early.map_or_else(|| rules(last.vocabulary()), Ok)?;
    let facts = if rules.is_empty() && !diff.measures {
        None
    } else {
        let mut runs = vec![last.facts(current)?];
        for run in before[1..].iter().filter(|_| diff.runs) {
            runs.push(last.open_like(run, options)?.facts(run)?);
        }
        Some(Facts::median(&runs))
    };
    let compared = if diff.runs { std::slice::from_ref(base) } else { before };
    let (source, with_facts, top) = (current, !rules.is_empty(), diff.top);
    let engine = diff.engine;
    let how =
        Comparing { source, before: compared, with_facts, top, engine, series: 2, output, options };
    let Compared { base: base_facts, mut notes, sections } = match &last {
        Subject::Heap(heap) => heap.compare(how)?,
        Subject::Profile(profile) => profile.compare(how)?,
        Subject::Trace(_) => unreachable!("traces are compared above"),
    };
    notes.extend(texts(&last.caveats()));
    if diff.runs && before.len() > 1 {
        notes.push(check::runs_caveat(before.len(), "; the tables compare the last one").text);
    }
    let mut report = report("heapquarry diff", format!("{base} → {current}"), notes, sections);
    if let Some(facts) = facts {
        report.checks = check::hold(&rules, &facts, base_facts.as_ref(), &last)?;
        report.measures = measures(&facts, &report.checks);
    }
    Ok(report)
}

fn too_few(sources: &[Source]) -> Error {
    let path = sources.first().map(|source| source.path.clone()).unwrap_or_default();
    Error::new(ErrorKind::NotFound { path, what: "second input to compare with".into() })
}

fn report(
    command: &'static str,
    subject: String,
    notes: Vec<String>,
    sections: Vec<Section>,
) -> Report {
    let command = command.into();
    Report { command, subject, notes, sections, ..Report::default() }
}
