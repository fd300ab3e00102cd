//! The questions that people and CI ask about heaps, profiles and traces: what is in them, why is something there, what
//! leaks, what grew, are limits kept.
//!
//! Each question has an answer of its own type, from which a [`Report`] for people is made; what a kind of input has to
//! say stands in a module of its own.
#![forbid(unsafe_code)]

pub mod answer;
#[cfg(feature = "args")]
mod args;
mod by;
mod check;
mod diff;
mod explored;
pub mod find;
mod flame;
pub mod heap;
mod kept;
mod marks;
mod output;
mod page;
mod parts;
pub mod process;
pub mod profile;
mod question;
mod row;
mod runs;
mod sections;
mod session;
mod several;
mod summary;
mod summed;
pub mod trace;
mod verbs;
mod view;

pub use answer::{Answer, Answered};
pub use by::By;
pub use check::{Check, CheckAnswer};
pub use diff::{Diff, DiffAnswer, Difference};
pub use explored::{Explored, Page};
pub use find::{Find, FindAnswer};
pub use heap::{explore::HeapExplorer, leaks::Leaks, show::Show, why::Why};
pub use marks::Marks;
pub use page::page;
pub use process::{WatchExplorer, watch::Watch};
pub use profile::explore::ProfileExplorer;
pub use question::Question;
pub use row::Row;
pub use runs::{ChangeKind, Side};
pub use session::Session;
pub use summary::{Summary, SummaryAnswer};
pub use trace::explore::TraceExplorer;
pub use verbs::{AnyQuestion, VERBS, question};
#[cfg(feature = "schema")]
pub use verbs::{schema::VerbSchemas, schemas};
pub use view::View;

use answer::Caveat;
use heapquarry::{
    Error, ErrorKind, Result, RunOptions, Source,
    engine::{Locate, Located},
};
use heapquarry_formats::{Format, Kind, ProfileKind};
use heapquarry_report::{Facts, Report, Rule, Section, Vocabulary, starter::Starter};
use std::sync::Arc;

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

/// An input that has been read and analysed, of a kind that can be compared and held against limits.
enum Subject {
    Heap(Arc<heap::Subject>),
    Profile(Arc<profile::Subject>),
    Trace(Box<trace::Figures>),
    Process(Box<process::Subject>),
}

impl Subject {
    /// What was seen of a watched process, if the input is that.
    fn watched(source: &Source, options: &RunOptions) -> Result<Option<Self>> {
        let watch = process::Subject::open(source, options)?;
        Ok(watch.map(|watch| Subject::Process(Box::new(watch))))
    }

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
        if let Subject::Process(_) = self {
            let found = Subject::watched(source, options)?;
            return found.ok_or_else(|| match source.locate(options) {
                Ok(located) => incomparable(source, located.format().describe(), process::WATCH),
                Err(error) => error,
            });
        }
        let located = source.locate(options)?;
        Ok(match self {
            Subject::Heap(like) => {
                let heap = heap::Subject::open(source, located, Some(like), options)?;
                Subject::Heap(Arc::new(heap))
            }
            Subject::Profile(like) => {
                Subject::Profile(Arc::new(like.open_like(source, located, options)?))
            }
            Subject::Trace(_) | Subject::Process(_) => {
                refuse_incomparable(source, located.format(), Format::Trace)?;
                Subject::Trace(Box::new(trace::Figures::open(source, located, options)?))
            }
        })
    }

    /// Its figures, if it is whole.
    fn facts(&self, source: &Source, wanted: Wanted) -> Result<Facts> {
        match self {
            Subject::Heap(heap) => heap.facts(source, wanted),
            Subject::Profile(profile) => profile.facts(source, wanted, profile.vocabulary()),
            Subject::Trace(trace) => trace.facts(source, &trace::VOCABULARY),
            Subject::Process(process) => Ok(process.facts()),
        }
    }

    /// What can be limited of it.
    fn vocabulary(&self) -> Vocabulary {
        match self {
            Subject::Heap(_) => &heap::VOCABULARY,
            Subject::Profile(profile) => profile.vocabulary(),
            Subject::Trace(_) => &trace::VOCABULARY,
            Subject::Process(_) => &process::VOCABULARY,
        }
    }

    /// What can be limited of a comparison of it.
    fn compared(&self) -> Vocabulary {
        match self {
            Subject::Heap(_) => &heap::VOCABULARY,
            Subject::Profile(profile) => profile.compared(),
            Subject::Trace(_) => &trace::WITH_CHANGES,
            Subject::Process(_) => &process::VOCABULARY,
        }
    }

    /// What a starter budget limits of it.
    fn starter(&self) -> &'static Starter {
        match self {
            Subject::Heap(_) => &heap::STARTER,
            Subject::Profile(_) => &profile::STARTER,
            Subject::Trace(_) => &trace::STARTER,
            Subject::Process(_) => &process::STARTER,
        }
    }

    /// Why its numbers may rest on less than the whole input, or mean less than they seem to.
    fn caveats(&self) -> Vec<Caveat> {
        match self {
            Subject::Heap(heap) => heap.caveats().cloned().collect(),
            Subject::Profile(profile) => profile.notes.clone(),
            Subject::Trace(trace) => trace.notes.clone(),
            Subject::Process(process) => process.caveats(),
        }
    }

    /// What it is, in one word.
    fn kind(&self) -> &'static str {
        match self {
            Subject::Heap(_) => "heap",
            Subject::Profile(profile) => profile.kind(),
            Subject::Trace(_) => "trace",
            Subject::Process(_) => "process",
        }
    }
}

/// Which figures are wanted besides those that cost little.
#[derive(Clone, Copy, Debug, Default)]
struct Wanted {
    /// Those of packages.
    packages: bool,
}

impl Wanted {
    /// The figures that limits need.
    fn by(rules: &[Rule]) -> Self {
        Wanted { packages: rules.iter().any(|rule| rule.scope() == PACKAGE) }
    }
}

/// The scope of packages.
const PACKAGE: &str = "package";

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

/// What can be limited of a comparison of inputs, as [`vocabulary`].
fn compared(format: Format) -> Option<Vocabulary> {
    match format.kind() {
        Kind::Trace => Some(&trace::WITH_CHANGES),
        Kind::Profile(ProfileKind::Pprof) => None,
        Kind::Profile(kind) => Some(profile::compared(kind)),
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
