//! Inputs that can be compared and held against limits, whatever their kind.

use crate::{
    Wanted, answer::Caveat, heap, incomparable, process, profile, refuse_incomparable, trace,
};
use heapquarry::{
    Result, RunOptions, Source,
    engine::{Locate, Located},
};
use heapquarry_formats::{Format, Kind, ProfileKind};
use heapquarry_report::{Facts, Vocabulary, starter::Starter};
use std::sync::Arc;

/// An input that has been read and analysed, of a kind that can be compared and held against limits.
pub(crate) enum Subject {
    Heap(Arc<heap::Subject>),
    Profile(Arc<profile::Subject>),
    Trace(Box<trace::Figures>),
    Process(Box<process::Subject>),
}

impl Subject {
    /// What was seen of a watched process, if the input is that.
    pub(crate) fn watched(source: &Source, options: &RunOptions) -> Result<Option<Self>> {
        let watch = process::Subject::open(source, options)?;
        Ok(watch.map(|watch| Subject::Process(Box::new(watch))))
    }

    /// Reads an input.
    pub(crate) fn open(source: &Source, located: Located, options: &RunOptions) -> Result<Self> {
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
    pub(crate) fn open_like(&self, source: &Source, options: &RunOptions) -> Result<Self> {
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
                Subject::Heap(Arc::new(like.open_like(source, located, options)?))
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
    pub(crate) fn facts(&self, source: &Source, wanted: Wanted) -> Result<Facts> {
        match self {
            Subject::Heap(heap) => heap.facts(source, wanted),
            Subject::Profile(profile) => profile.facts(source, wanted, profile.vocabulary()),
            Subject::Trace(trace) => trace.facts(source, &trace::VOCABULARY),
            Subject::Process(process) => Ok(process.facts()),
        }
    }

    /// What can be limited of it.
    pub(crate) fn vocabulary(&self) -> Vocabulary {
        match self {
            Subject::Heap(_) => &heap::VOCABULARY,
            Subject::Profile(profile) => profile.vocabulary(),
            Subject::Trace(_) => &trace::VOCABULARY,
            Subject::Process(_) => &process::VOCABULARY,
        }
    }

    /// What can be limited of a comparison of it.
    pub(crate) fn compared(&self) -> Vocabulary {
        match self {
            Subject::Heap(_) => &heap::VOCABULARY,
            Subject::Profile(profile) => profile.compared(),
            Subject::Trace(_) => &trace::WITH_CHANGES,
            Subject::Process(_) => &process::VOCABULARY,
        }
    }

    /// What a starter budget limits of it.
    pub(crate) fn starter(&self) -> &'static Starter {
        match self {
            Subject::Heap(_) => &heap::STARTER,
            Subject::Profile(_) => &profile::STARTER,
            Subject::Trace(_) => &trace::STARTER,
            Subject::Process(_) => &process::STARTER,
        }
    }

    /// Why its numbers may rest on less than the whole input, or mean less than they seem to.
    pub(crate) fn caveats(&self) -> Vec<Caveat> {
        match self {
            Subject::Heap(heap) => heap.caveats().cloned().collect(),
            Subject::Profile(profile) => profile.notes.clone(),
            Subject::Trace(trace) => trace.notes.clone(),
            Subject::Process(process) => process.caveats(),
        }
    }

    /// What it is, in one word.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Subject::Heap(_) => "heap",
            Subject::Profile(profile) => profile.kind(),
            Subject::Trace(_) => "trace",
            Subject::Process(_) => "process",
        }
    }
}

/// What can be limited of an input; `None` if only its content tells: whether the values of a pprof profile are times,
/// bytes or counts.
pub(crate) fn vocabulary(format: Format) -> Option<Vocabulary> {
    match format.kind() {
        Kind::Trace => Some(&trace::VOCABULARY),
        Kind::Profile(ProfileKind::Pprof) => None,
        Kind::Profile(kind) => Some(profile::vocabulary(kind)),
        Kind::Heap => Some(&heap::VOCABULARY),
    }
}

/// What can be limited of a comparison of inputs, as [`vocabulary`].
pub(crate) fn compared(format: Format) -> Option<Vocabulary> {
    match format.kind() {
        Kind::Trace => Some(&trace::WITH_CHANGES),
        Kind::Profile(ProfileKind::Pprof) => None,
        Kind::Profile(kind) => Some(profile::compared(kind)),
        Kind::Heap => Some(&heap::VOCABULARY),
    }
}
