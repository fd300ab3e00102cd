//! The documents of an input, each as a source of its own.

use crate::{
    Entry, Error, ErrorKind, Result, RunOptions, Source, Status, converted::ConvertedDir,
    located::readable,
};
use heapquarry_formats::{Format, Input, Severity, heap};
use heapquarry_input::{self as input, Container, Opened, Spooling, sniff};

/// What is in an input.
#[derive(Debug)]
pub struct Contained {
    /// The status and the log of each container that the documents are in.
    pub containers: Vec<(Status, Vec<Entry>)>,
    /// The documents.
    pub documents: Documents,
}

/// The documents of an input.
#[derive(Debug)]
pub enum Documents {
    /// One, or several that belong together.
    One(Box<Source>),
    /// In their order.
    Several(Vec<(Source, ContainedDocument)>),
}

/// A document of an input of several.
#[derive(Debug)]
pub struct ContainedDocument {
    /// Its number, from 0: what `INPUT#N` selects.
    pub number: usize,
    /// Its name in the container.
    pub name: String,
    /// The value of `source.format`.
    pub format: String,
    /// Its size, decompressed.
    pub bytes: u64,
}

/// Opens an input, and says which documents it has. Those behind a heap or a profile in JSON are found only if `all`
/// is set, because all of the input must be read for that.
///
/// # Errors
/// If the input cannot be read, or a document is of no known format.
pub fn contained(source: &Source, all: bool, options: &RunOptions) -> Result<Contained> {
    if let Some(dir) = readable(source, options)? {
        return of_directory(source, &dir, options);
    }
    let open = if all { input::open_all } else { input::open };
    let mut opened = open(source, &Spooling::of(options))?;
    let containers = opened.containers.iter().map(losses).collect();
    if opened.documents.len() < 2 {
        let document = input::choose(opened.documents, &source.path, None)?;
        let one = Box::new(source.opened(document, None));
        return Ok(Contained { containers, documents: Documents::One(one) });
    }
    let documents = opened.documents.drain(..).enumerate().map(|(number, opened)| {
        let format = format(&opened)?;
        let (name, bytes) = (opened.name.clone(), opened.input.size());
        let document = ContainedDocument { number, name, format: format.into(), bytes };
        Ok((source.opened(opened, Some(number)), document))
    });
    let documents = Documents::Several(documents.collect::<Result<_>>()?);
    Ok(Contained { containers, documents })
}

/// The name of a document's format. Whether a heap is a timeline, only its samples tell.
fn format(opened: &Opened) -> Result<&'static str> {
    let found = sniff::sniff(opened)?.format;
    if found != Format::Heap {
        return Ok(found.name());
    }
    let fail = |source| Error::new(ErrorKind::Format { path: opened.path.clone(), source });
    match heap::survey(&opened.input, 1 << 20).map_err(fail) {
        Ok(survey) if survey.is_timeline() => Ok("heaptimeline"),
        // What is wrong with it is said when it is read.
        Err(error) if !matches!(error.kind(), ErrorKind::Format { .. }) => Err(error),
        _ => Ok(found.name()),
    }
}

/// What a container lost.
fn losses(container: &Container) -> (Status, Vec<Entry>) {
    let log = container.log.clone();
    let lost = log.count(Severity::DataLoss) > 0;
    (if lost { Status::Repaired } else { Status::Complete }, log.into_entries())
}

fn of_directory(source: &Source, dir: &ConvertedDir, options: &RunOptions) -> Result<Contained> {
    let containers = dir.documents(options)?.into_iter().filter(|d| d.index.is_none());
    let containers = containers.map(|container| (container.status, container.log)).collect();
    let apart = dir.apart(options)?;
    // Pages send many small self-profiling traces.
    if apart.len() < 2 || apart.iter().all(|d| d.format == Format::SelfProfile.name()) {
        let documents = Documents::One(Box::new(source.clone()));
        return Ok(Contained { containers, documents });
    }
    let documents = apart.into_iter().map(|stored| {
        let number = stored.file_id.position();
        let bytes = u64::try_from(stored.bytes).unwrap_or(0);
        let document =
            ContainedDocument { number, name: stored.name, format: stored.format, bytes };
        (source.clone().document(number), document)
    });
    Ok(Contained { containers, documents: Documents::Several(documents.collect()) })
}
