//! Limits: a budget, a baseline, and several runs.

mod answer;
mod view;

pub use answer::CheckAnswer;

use crate::{
    Session, Wanted,
    answer::{Answered, Caveat, CaveatKind, Figure, Limits, UnknownQuantity},
    heap, process, profile,
    question::{Question, question},
    subjects::{Subject, vocabulary},
    trace,
};
use heapquarry::{
    Error, ErrorKind, Place, Result, RunOptions, Source,
    engine::{Locate, Located},
    require_local, start_of, write_file,
};
use heapquarry_formats::{Format, Kind};
use heapquarry_report::{
    Budget, Check as Held, Facts, Rule, Vocabulary, baseline, check, check_each, starter::starter,
    unknown, unmatched,
};
use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

question! {
    /// Check an input against a budget; exit with 1 and list what exceeds its limit
    pub struct Check {
        /// Write a first budget, with limits that these inputs keep with some room. Several inputs are runs of one
        /// program
        #[arg(long, conflicts_with = "baseline")]
        pub init: bool = false,

        /// Replace an existing budget
        #[arg(long, requires = "init")]
        pub force: bool = false,

        /// The inputs are runs of one program: limits apply to the median of each figure, and the spread is shown
        #[arg(long)]
        pub runs: bool = false,

        /// Hold each of several traces or profiles to the limits, not their sums
        #[arg(long, conflicts_with_all = ["runs", "init", "save_baseline"])]
        pub each: bool = false,

        /// Budget file: limits in TOML [default with --init: budget.toml]
        #[arg(long, value_name = "FILE", required_unless_present_any = ["save_baseline", "init"])]
        pub budget: Option<PathBuf> = None,

        /// Baseline for limits on growth: an input, or a file of --save-baseline. Without it, such limits are reported
        /// as skipped
        #[arg(long, value_name = "BASE", value_parser = crate::args::source())]
        #[schemars(with = "Option<String>")]
        pub baseline: Option<Source> = None,

        /// Write the figures to this file (JSON), as a small baseline for later runs. An existing file is replaced only
        /// if it is a baseline
        #[arg(long, value_name = "FILE")]
        pub save_baseline: Option<PathBuf> = None,
    }
}

impl Question for Check {
    const VERB: &'static str = "check";
    type Answer = CheckAnswer;

    fn ask(&self, session: &Session) -> Result<Answered<CheckAnswer>> {
        let (sources, options) = (session.sources(), session.options());
        let are_runs = self.runs || self.init;
        let Some(first) = sources.first() else { return Err(crate::too_few(&sources)) };
        let are_several = sources.len() > 1 && !are_runs;
        // What cannot be written is said before gigabytes are read.
        let inputs: Vec<&Path> = sources.iter().filter_map(|input| input.on_disk()).collect();
        let new = self.budget.as_deref().unwrap_or(Path::new(BUDGET));
        if self.init {
            require_local(new)?;
            Place::of(new, self.force, &inputs)?;
        }
        // An invalid budget is reported before gigabytes are read.
        let found = Found::of(first, options)?;
        let described = found.describe();
        if are_several && !found.adds_up() {
            let wanted = "traces or profiles, to check several that are no runs of one program";
            let path = first.path.clone();
            return Err(Error::new(ErrorKind::OtherFormat { path, wanted, found: described }));
        }
        let rules = |vocabulary| match &self.budget {
            Some(path) if !self.init => {
                budget(path, described, vocabulary).map(|budget| budget.rules)
            }
            _ => Ok(Vec::new()),
        };
        let early = found.vocabulary().map(rules).transpose()?;
        let subject = match found {
            Found::Input(located) => session.subject(0, located)?,
            Found::Watch(subject) => subject,
        };
        let vocabulary = subject.vocabulary();
        let mut rules = early.map_or_else(|| rules(vocabulary), Ok)?;
        let mut caveats = subject.caveats();
        // A baseline has all that later limits may need.
        let wanted = match self.save_baseline {
            Some(_) => Wanted { packages: true },
            None => Wanted::by(&rules),
        };
        let mut runs = vec![subject.facts(first, wanted)?];
        for source in &sources[1..] {
            let run = subject.open_like(source, options)?;
            runs.push(run.facts(source, wanted)?);
            caveats.extend(run.caveats());
        }
        let facts = if are_several { Facts::sum(&runs) } else { Facts::median(&runs) };
        if runs.len() > 1 {
            caveats.push(match (are_several, self.each) {
                (false, _) => runs_caveat(runs.len(), ""),
                (true, false) => {
                    sums_caveat(runs.len(), "limits apply to sums over all, not to medians of runs")
                }
                (true, true) => sums_caveat(runs.len(), "limits apply to each"),
            });
        }
        let each = sources.iter().map(ToString::to_string).zip(runs);
        let each: Vec<(String, Facts)> = each.filter(|_| are_several && self.each).collect();
        let mut base = None;
        if let Some(source) = &self.baseline {
            base = Some(match read_baseline(source, subject.kind(), vocabulary)? {
                Some(facts) => facts,
                None => {
                    let subject = subject.open_like(source, options)?;
                    caveats.extend(subject.caveats());
                    subject.facts(source, wanted)?
                }
            });
        }
        if self.init {
            rules = init(new, self.force, &sources, (&facts, sources.len()), &subject)?;
            let text = format!("{} was written: limits that these inputs keep", new.display());
            caveats.push(Caveat { kind: CaveatKind::Remark, input: None, text });
        }
        let checks = match each[..] {
            [] => hold(&rules, &facts, base.as_ref(), &subject)?,
            _ => hold_each(&rules, &each, &facts, base.as_ref())?,
        };
        if let Some(path) = &self.save_baseline {
            save_baseline(path, &facts, subject.kind(), &inputs)?;
        }
        let answer = CheckAnswer {
            kind: subject.kind(),
            baseline: self.baseline.as_ref().map(ToString::to_string),
            figures: Figure::all(&facts, &checks),
            unknown: UnknownQuantity::all(&facts),
            limits: Limits::of(&checks),
        };
        let answered = session.answered(Self::VERB, caveats, answer, usize::MAX)?;
        Ok(Answered { checks, ..answered })
    }

    fn other_sources(&mut self) -> Vec<&mut Source> {
        self.baseline.iter_mut().collect()
    }

    fn other_paths(&mut self) -> Vec<&mut PathBuf> {
        self.budget.iter_mut().chain(&mut self.save_baseline).collect()
    }
}

/// What an input is, before much of it is read.
enum Found {
    /// A heap, a profile or a trace.
    Input(Located),
    /// What was seen of a process.
    Watch(Subject),
}

impl Found {
    fn of(source: &Source, options: &RunOptions) -> Result<Self> {
        match Subject::watched(source, options)? {
            Some(subject) => Ok(Found::Watch(subject)),
            None => source.locate(options).map(Found::Input),
        }
    }

    fn describe(&self) -> &'static str {
        match self {
            Found::Input(located) => located.format().describe(),
            Found::Watch(_) => process::WATCH,
        }
    }

    /// What can be limited of it; `None` if only its content tells.
    fn vocabulary(&self) -> Option<Vocabulary> {
        match self {
            Found::Input(located) => vocabulary(located.format()),
            Found::Watch(subject) => Some(subject.vocabulary()),
        }
    }

    /// Whether several of them can be added up.
    fn adds_up(&self) -> bool {
        match self {
            Found::Input(located) => located.format().kind() != Kind::Heap,
            Found::Watch(_) => false,
        }
    }
}

/// That numbers are those of several runs, and what else is to be said of that.
pub(crate) fn runs_caveat(runs: usize, more: &str) -> Caveat {
    let text = format!("median of {runs} runs, with the least and the greatest{more}");
    Caveat { kind: CaveatKind::Remark, input: None, text }
}

/// What limits of several inputs are about.
fn sums_caveat(inputs: usize, what: &str) -> Caveat {
    let text = format!("{inputs} inputs: {what}");
    Caveat { kind: CaveatKind::Remark, input: None, text }
}

/// Checks the facts of each input against rules, of which each must apply to something in one of them.
fn hold_each(
    rules: &[Rule],
    each: &[(String, Facts)],
    all: &Facts,
    base: Option<&Facts>,
) -> Result<Vec<Held>> {
    require_known(rules, all, each.iter().map(|(_, facts)| facts), base)?;
    Ok(check_each(rules, each, base))
}

/// Checks facts against rules. A rule that applies to nothing is an error.
pub(crate) fn hold(
    rules: &[Rule],
    facts: &Facts,
    base: Option<&Facts>,
    subject: &Subject,
) -> Result<Vec<Held>> {
    let mut checks = held(rules, facts, base)?;
    if let Subject::Heap(heap) = subject {
        checks.iter_mut().for_each(|check| heap.join_findings(check));
    }
    Ok(checks)
}

/// Checks facts against rules, each finding on its own.
pub(crate) fn held(rules: &[Rule], facts: &Facts, base: Option<&Facts>) -> Result<Vec<Held>> {
    require_known(rules, facts, [facts], base)?;
    Ok(check(rules, facts, base))
}

/// Refuses a rule that applies to nothing in all facts, and one that limits what is not known of some.
fn require_known<'f>(
    rules: &[Rule],
    all: &Facts,
    each: impl IntoIterator<Item = &'f Facts>,
    base: Option<&Facts>,
) -> Result<()> {
    if let Some(rule) = unmatched(rules, all, base) {
        return Err(Error::new(ErrorKind::Unmatched(rule)));
    }
    match each.into_iter().find_map(|facts| unknown(rules, facts, base)) {
        Some(rule) => Err(Error::new(ErrorKind::UnknownQuantity(rule))),
        None => Ok(()),
    }
}

fn budget(path: &Path, found: &'static str, vocabulary: Vocabulary) -> Result<Budget> {
    let text = fs::read_to_string(path).map_err(|error| cannot("read", path, error))?;
    let name = path.to_string_lossy();
    let parse = |vocabulary| Budget::parse(&text, &name, vocabulary);
    parse(vocabulary).map_err(|error| {
        other_limits(&name, found, |vocabulary| parse(vocabulary).is_ok())
            .unwrap_or_else(|| Error::new(ErrorKind::Budget(error)))
    })
}

/// The budget that is written without another name.
const BUDGET: &str = "budget.toml";

/// Writes a starter budget for the figures of so many runs, and returns its rules.
fn init(
    path: &Path,
    force: bool,
    sources: &[Source],
    (facts, runs): (&Facts, usize),
    subject: &Subject,
) -> Result<Vec<Rule>> {
    let text = starter(facts, runs, subject.starter()).ok_or_else(|| {
        let why = "nothing that it would limit is known; write limits on what is known yourself";
        let first = sources.first().map_or(path, |source| &source.path);
        cannot("make a budget of", first, io::Error::other(why))
    })?;
    let rules = Budget::parse(&text, &path.to_string_lossy(), subject.vocabulary())
        .map_err(|error| Error::new(ErrorKind::Budget(error)))?
        .rules;
    let inputs: Vec<&Path> = sources.iter().filter_map(Source::on_disk).collect();
    write_file(path, force, &inputs, |out| {
        out.write_all(text.as_bytes()).map_err(|error| cannot("write", path, error))
    })?;
    Ok(rules)
}

/// Reads a limit on the figures of an input.
pub(crate) fn limit(text: &str, format: Format, vocabulary: Vocabulary) -> Result<Rule> {
    Rule::parse(text, vocabulary).map_err(|error| {
        let fits = |vocabulary| Rule::parse(text, vocabulary).is_ok();
        other_limits(text, format.describe(), fits)
            .unwrap_or_else(|| Error::new(ErrorKind::Limit(error)))
    })
}

/// The error of limits that are for another kind of input, if there is one that they fit.
fn other_limits(
    limits: &str,
    found: &'static str,
    fits: impl Fn(Vocabulary) -> bool,
) -> Option<Error> {
    let (wanted, _) = kinds().into_iter().find(|&(_, vocabulary)| fits(vocabulary))?;
    // Without how it is detected.
    let found = found.split(" (").next().unwrap_or_default();
    let limits = limits.into();
    Some(Error::new(ErrorKind::OtherLimits { limits, wanted, found }))
}

/// The kinds of inputs that have limits.
fn kinds() -> [(&'static str, Vocabulary); 7] {
    use heapquarry_formats::ProfileKind::{Cpu, Heap, Pprof, SelfProfile};
    [
        ("heaps", &heap::VOCABULARY),
        ("traces", &trace::VOCABULARY),
        ("watches of processes", &process::VOCABULARY),
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
fn save_baseline(path: &Path, facts: &Facts, kind: &str, inputs: &[&Path]) -> Result<()> {
    let start = start_of(path, 64);
    if start.as_deref().is_some_and(|start| !baseline::is_baseline(start)) {
        let why = "it is no baseline, so it is not replaced; give another name";
        return Err(cannot("write", path, io::Error::other(why)));
    }
    write_file(path, start.is_some(), inputs, |out| {
        let mut out = io::BufWriter::new(out);
        let written = baseline::write(facts, kind, &mut out).and_then(|()| out.flush());
        written.map_err(|error| cannot("write", path, error))
    })
    .map(drop)
}
