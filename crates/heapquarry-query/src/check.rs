//! Limits: a budget, a baseline, and several runs.

use super::{Subject, heap, profile, report, trace, vocabulary};
use heapquarry::{Error, ErrorKind, Result, RunOptions, Source, options, start_of, write_file};
use heapquarry_formats::Format;
use heapquarry_report::{
    Budget, Check, Facts, Report, Rule, Vocabulary, baseline, check as compare, measures, unknown,
    unmatched,
};
use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

options! {
    /// How [`check()`] works.
    #[derive(Clone, Debug, Default)]
    pub struct CheckOptions {
        /// The budget: a TOML file ([`heapquarry_report::budget`]).
        pub budget: Option<PathBuf>,
        /// What limits on growth are measured from: another input, or what `save_baseline` wrote. Without it they are
        /// skipped.
        pub baseline: Option<Source>,
        /// Write the figures to this file, as a baseline for later runs.
        pub save_baseline: Option<PathBuf>,
    }
}

/// Checks an input against a budget. Several inputs are runs of one program: limits apply to the median of each figure.
///
/// # Errors
/// If an input cannot be read, the budget is invalid or limits what does not exist, or the baseline cannot be written.
pub fn check(sources: &[Source], how: &CheckOptions, options: &RunOptions) -> Result<Report> {
    let [first, others @ ..] = sources else { return Err(super::too_few(sources)) };
    // An invalid budget is reported before gigabytes are read.
    let located = first.locate(options)?;
    let format = located.format();
    let rules = |vocabulary| match &how.budget {
        Some(path) => budget(path, format, vocabulary).map(|budget| budget.rules),
        None => Ok(Vec::new()),
    };
    let early = vocabulary(format).map(rules).transpose()?;
    let subject = Subject::open(first, located, options)?;
    let vocabulary = subject.vocabulary();
    let rules = early.map_or_else(|| rules(vocabulary), Ok)?;
    let mut notes: Vec<String> = subject.note().into_iter().collect();
    let mut runs = vec![subject.facts(first)?];
    for source in others {
        let run = subject.open_like(source, options)?;
        runs.push(run.facts(source)?);
        notes.extend(run.note());
    }
    if !others.is_empty() {
        notes.push(runs_note(runs.len()));
    }
    let facts = Facts::median(&runs);
    drop(runs);
    let mut title = first.to_string();
    if !others.is_empty() {
        title = format!("{title} and {} more", others.len());
    }
    let mut base = None;
    if let Some(source) = &how.baseline {
        base = Some(match read_baseline(source, subject.kind(), vocabulary)? {
            Some(facts) => facts,
            None => {
                let subject = subject.open_like(source, options)?;
                notes.extend(subject.note());
                subject.facts(source)?
            }
        });
        title = format!("{source} → {title}");
    }
    let checks = hold(&rules, &facts, base.as_ref(), &subject)?;
    if let Some(path) = &how.save_baseline {
        save_baseline(path, &facts, subject.kind(), sources)?;
    }
    let report = report("heapquarry check", title, notes, Vec::new());
    Ok(Report { measures: measures(&facts, &checks), checks, ..report })
}

pub(super) fn runs_note(runs: usize) -> String {
    format!("median of {runs} runs, with the least and the greatest")
}

/// Checks facts against rules. A rule that applies to nothing is an error.
pub(super) fn hold(
    rules: &[Rule],
    facts: &Facts,
    base: Option<&Facts>,
    subject: &Subject,
) -> Result<Vec<Check>> {
    let mut checks = held(rules, facts, base)?;
    if let Subject::Heap(heap) = subject {
        checks.iter_mut().for_each(|check| heap.join_findings(check));
    }
    Ok(checks)
}

/// Checks facts against rules, each finding on its own.
pub(super) fn held(rules: &[Rule], facts: &Facts, base: Option<&Facts>) -> Result<Vec<Check>> {
    if let Some(rule) = unmatched(rules, facts, base) {
        return Err(Error::new(ErrorKind::Unmatched(rule)));
    }
    match unknown(rules, facts, base) {
        Some(rule) => Err(Error::new(ErrorKind::UnknownQuantity(rule))),
        None => Ok(compare(rules, facts, base)),
    }
}

fn budget(path: &Path, format: Format, vocabulary: Vocabulary) -> Result<Budget> {
    let text = fs::read_to_string(path).map_err(|error| cannot("read", path, error))?;
    let name = path.to_string_lossy();
    let parse = |vocabulary| Budget::parse(&text, &name, vocabulary);
    parse(vocabulary).map_err(|error| {
        other_limits(&name, format, |vocabulary| parse(vocabulary).is_ok())
            .unwrap_or_else(|| Error::new(ErrorKind::Budget(error)))
    })
}

/// Reads a limit on the figures of an input.
pub(super) fn limit(text: &str, format: Format, vocabulary: Vocabulary) -> Result<Rule> {
    Rule::parse(text, vocabulary).map_err(|error| {
        other_limits(text, format, |vocabulary| Rule::parse(text, vocabulary).is_ok())
            .unwrap_or_else(|| Error::new(ErrorKind::Limit(error)))
    })
}

/// The error of limits that are for another kind of input, if there is one that they fit.
fn other_limits(limits: &str, format: Format, fits: impl Fn(Vocabulary) -> bool) -> Option<Error> {
    let (wanted, _) = kinds().into_iter().find(|&(_, vocabulary)| fits(vocabulary))?;
    // Without how it is detected.
    let found = format.describe().split(" (").next().unwrap_or_default();
    let limits = limits.into();
    Some(Error::new(ErrorKind::OtherLimits { limits, wanted, found }))
}

/// The kinds of inputs that have limits.
fn kinds() -> [(&'static str, Vocabulary); 6] {
    use heapquarry_formats::ProfileKind::{Cpu, Heap, Pprof, SelfProfile};
    [
        ("heaps", &heap::VOCABULARY),
        ("traces", &trace::VOCABULARY),
        ("CPU profiles", profile::vocabulary(Cpu)),
        ("sampling heap profiles", profile::vocabulary(Heap)),
        ("self-profiling traces", profile::vocabulary(SelfProfile)),
        ("pprof profiles of counts", profile::vocabulary(Pprof)),
    ]
}

fn cannot(doing: &'static str, path: &Path, source: io::Error) -> Error {
    Error::new(ErrorKind::Input { path: path.into(), doing, source })
}

/// Most bytes of a file of figures: 64 MiB are a million classes.
const LARGEST_BASELINE: u64 = 64 << 20;

/// The figures in a file that [`save_baseline`] wrote; `None` if it is something else.
fn read_baseline(source: &Source, kind: &str, vocabulary: Vocabulary) -> Result<Option<Facts>> {
    let path = &source.path;
    // What cannot be opened here is reported by what reads inputs.
    let Some(mut file) = File::open(path).ok().filter(|_| source.is_plain_file()) else {
        return Ok(None);
    };
    let mut text = vec![0; 64];
    let start = file.read(&mut text).unwrap_or(0);
    text.truncate(start);
    if !baseline::is_baseline(&text) {
        return Ok(None);
    }
    let rest = file.take(LARGEST_BASELINE).read_to_end(&mut text);
    rest.map_err(|error| cannot("read", path, error))?;
    baseline::read(&text, kind, vocabulary).map(Some).map_err(|(expected, found)| {
        Error::new(ErrorKind::Baseline { path: path.clone(), expected, found })
    })
}

/// Writes the figures. Of what exists, only another baseline is replaced.
fn save_baseline(path: &Path, facts: &Facts, kind: &str, inputs: &[Source]) -> Result<()> {
    let start = start_of(path, 64);
    if start.as_deref().is_some_and(|start| !baseline::is_baseline(start)) {
        let why = "it is no baseline, so it is not replaced; give another name";
        return Err(cannot("write", path, io::Error::other(why)));
    }
    let inputs: Vec<&Path> = inputs.iter().map(|input| input.path.as_path()).collect();
    write_file(path, start.is_some(), &inputs, |out| {
        let mut out = io::BufWriter::new(out);
        let written = baseline::write(facts, kind, &mut out).and_then(|()| out.flush());
        written.map_err(|error| cannot("write", path, error))
    })
    .map(drop)
}
