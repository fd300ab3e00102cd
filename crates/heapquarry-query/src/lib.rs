//! The questions that people and CI ask about heaps, profiles and traces: what is in them, why is something there, what
//! leaks, what grew, are limits kept.
//!
//! Each question has an answer of its own type, from which a [`Report`] for people is made; what a kind of input has to
//! say stands in a module of its own.
#![forbid(unsafe_code)]

pub mod answer;
mod answered;
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
mod listing;
mod marks;
mod output;
mod page;
mod parts;
pub mod process;
pub mod profile;
mod question;
mod room;
mod row;
mod runs;
mod sections;
mod session;
mod subjects;
mod summary;
mod summed;
pub mod trace;
mod verbs;
mod view;

pub use answered::{Answer, Answered};
pub use by::By;
pub use check::{Check, CheckAnswer};
pub use diff::{Diff, DiffAnswer, Difference};
pub use explored::Explored;
pub use find::{Find, FindAnswer};
pub use heap::{explore::HeapExplorer, leaks::Leaks, show::Show, why::Why};
pub use listing::Page;
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
use heapquarry::{Error, ErrorKind, Result, Source};
use heapquarry_formats::Format;
use heapquarry_report::{Report, Rule, Section};

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
