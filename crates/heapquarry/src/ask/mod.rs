//! The questions that people and CI ask about an input: what is in it, why is something there, what grew, are limits
//! kept. Each answer is a [`Report`]; what a kind of input has to say stands in a module of its own.

mod heap;
mod output;

use crate::{Error, ErrorKind, LoadOptions, Result, Source};
use heapquarry_report::{Budget, Facts, Report, Rule, Section, Vocabulary, check as hold};
use output::Output;
use std::{fs, path::Path};

/// What [`why`] is asked of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhyOf {
    /// The object of this id.
    Id(i64),
    /// Objects of the classes whose name fits; `*` stands for anything.
    Class(String),
}

/// How [`diff`] works.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiffOptions<'a> {
    /// [Expressions](heapquarry_report::rule): what the last input is not to exceed.
    pub fail_on: &'a [String],
    /// Write the differences as Parquet tables into this directory.
    pub output: Option<&'a Path>,
    /// Replace the directory if it is there; only one that heapquarry wrote, or an empty one.
    pub force: bool,
    /// Rows of each table that people see.
    pub top: usize,
}

/// What came of a comparison.
struct Compared {
    /// The figures of the base, if there are limits.
    base: Option<Facts>,
    /// What is to be known before the numbers are believed.
    notes: Vec<String>,
    sections: Vec<Section>,
}

/// An input that has been read and analysed.
enum Subject {
    Heap(Box<heap::Subject>),
}

impl Subject {
    /// Reads an input; one that is to be compared with another must be of its kind, and speaks of the same things by the same
    /// names.
    fn open(source: &Source, like: Option<&Subject>, options: &LoadOptions<'_>) -> Result<Self> {
        let like = like.map(|Subject::Heap(heap)| &**heap);
        heap::Subject::open(source, like, options).map(|heap| Subject::Heap(Box::new(heap)))
    }

    /// Its figures, if it is whole.
    fn facts(&self, source: &Source) -> Result<Facts> {
        match self {
            Subject::Heap(heap) => heap.facts(source),
        }
    }

    /// What differs from those before it, of which the first is the base.
    fn compare(
        &self,
        source: &Source,
        before: &[Source],
        diff: &DiffOptions<'_>,
        output: Option<Output>,
        options: &LoadOptions<'_>,
    ) -> Result<Compared> {
        match self {
            Subject::Heap(heap) => heap.compare(source, before, diff, output, options),
        }
    }

    /// What is to be known before its numbers are believed.
    fn note(&self) -> Option<String> {
        match self {
            Subject::Heap(heap) => heap.note.clone(),
        }
    }

    fn summary(&self, top: usize) -> Vec<Section> {
        match self {
            Subject::Heap(heap) => heap.summary(top),
        }
    }
}

/// What can be said about an input, without reading all of it.
fn vocabulary(_source: &Source) -> Result<Vocabulary> {
    Ok(&heap::VOCABULARY)
}

/// Says what is in an input: for a heap its sizes by category, classes, biggest retainers, duplicate strings and detached
/// nodes. Lists of single things have `top` rows; classes are all there, and people see `top` of them.
///
/// # Errors
/// If the input cannot be read.
pub fn summary(source: &Source, top: usize, options: &LoadOptions<'_>) -> Result<Report> {
    let subject = Subject::open(source, None, options)?;
    let notes = subject.note().into_iter().collect();
    Ok(report("heapquarry summary", source.to_string(), notes, subject.summary(top)))
}

/// Says why objects of a heap are still there: up to `top` shortest ways from the root to an object, or one to each of `top`
/// objects of a class.
///
/// # Errors
/// If the input cannot be read, is no heap, or has no such object.
pub fn why(source: &Source, of: &WhyOf, top: usize, options: &LoadOptions<'_>) -> Result<Report> {
    let Subject::Heap(heap) = Subject::open(source, None, options)?;
    let notes = heap.note.iter().cloned().collect();
    Ok(report("heapquarry why", source.to_string(), notes, heap.why(source, of, top)?))
}

/// Says what differs between the first and the last of some inputs of one kind, and what grew all the time.
///
/// # Errors
/// If an input cannot be read, an expression is none, or the output cannot be written.
pub fn diff(
    sources: &[Source],
    diff: &DiffOptions<'_>,
    options: &LoadOptions<'_>,
) -> Result<Report> {
    let [before @ .., current] = sources else { return Err(too_few(sources)) };
    let [base, ..] = before else { return Err(too_few(sources)) };
    // A wrong expression is said before gigabytes are read.
    let vocabulary = vocabulary(current)?;
    let rules: Vec<Rule> = diff
        .fail_on
        .iter()
        .map(|text| Rule::parse(text, vocabulary).map_err(|e| Error::new(ErrorKind::Limit(e))))
        .collect::<Result<_>>()?;
    let output = diff.output.map(|path| Output::create(path, diff.force)).transpose()?;
    let last = Subject::open(current, None, options)?;
    let facts = (!rules.is_empty()).then(|| last.facts(current)).transpose()?;
    let Compared { base: base_facts, mut notes, sections } =
        last.compare(current, before, diff, output, options)?;
    notes.extend(last.note());
    let checks = facts.map(|facts| hold(&rules, &facts, base_facts.as_ref())).unwrap_or_default();
    let report = report("heapquarry diff", format!("{base} → {current}"), notes, sections);
    Ok(Report { checks, ..report })
}

fn too_few(sources: &[Source]) -> Error {
    let path = sources.first().map(|source| source.path.clone()).unwrap_or_default();
    Error::new(ErrorKind::NotThere { path, what: "second input to compare with".into() })
}

/// Holds an input against the budget in a TOML file ([`heapquarry_report::budget`]); limits to growth are measured from the
/// baseline, and skipped without one.
///
/// # Errors
/// If an input cannot be read, or the budget is none.
pub fn check(
    source: &Source,
    budget: &Path,
    baseline: Option<&Source>,
    options: &LoadOptions<'_>,
) -> Result<Report> {
    let text = fs::read_to_string(budget).map_err(|error| {
        Error::new(ErrorKind::Input { path: budget.into(), doing: "read", source: error })
    })?;
    let budget = Budget::parse(&text, &budget.to_string_lossy(), vocabulary(source)?)
        .map_err(|error| Error::new(ErrorKind::Budget(error)))?;
    let subject = Subject::open(source, None, options)?;
    let facts = subject.facts(source)?;
    let mut notes: Vec<String> = subject.note().into_iter().collect();
    let mut title = source.to_string();
    let mut base = None;
    if let Some(source) = baseline {
        let subject = Subject::open(source, Some(&subject), options)?;
        base = Some(subject.facts(source)?);
        notes.extend(subject.note());
        title = format!("{source} → {title}");
    }
    let mut report = report("heapquarry check", title, notes, Vec::new());
    report.checks = hold(&budget.rules, &facts, base.as_ref());
    Ok(report)
}

fn report(
    command: &'static str,
    subject: String,
    notes: Vec<String>,
    sections: Vec<Section>,
) -> Report {
    Report { command, subject, notes, sections, checks: Vec::new() }
}
