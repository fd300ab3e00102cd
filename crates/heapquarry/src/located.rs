//! Finds a source: a document of a file, or of a directory that [`convert`](crate::convert()) wrote.

use crate::{
    Error, ErrorKind, Result, RunOptions, Source,
    converted::{ConvertedDir, Stored},
};
use heapquarry_formats::{Format, Found, Kind};
use heapquarry_input::{Content, FileInput, Opened, Spooling, choose, open, sniff::sniff};
use heapquarry_process::{Isolate, Recording, Sample};
use std::{fs::File, io, path::Path, sync::Arc};

/// An existing source of a known format.
pub struct Located(pub(crate) Place);

/// Where a source was found.
pub(crate) enum Place {
    /// A file, decompressed.
    File(Opened, Found),
    /// A trace, and the number of a CPU profile in it, from 1.
    InTrace(Opened, usize),
    /// Documents of a converted directory: one, or several that belong together.
    Stored(Stored),
}

impl Located {
    /// Its format.
    pub fn format(&self) -> Format {
        match &self.0 {
            Place::File(_, found) => found.format,
            Place::InTrace(..) => Format::CpuProfile,
            Place::Stored(stored) => stored.format(),
        }
    }

    /// The path of its input.
    pub fn path(&self) -> &Path {
        match &self.0 {
            Place::File(opened, _) | Place::InTrace(opened, _) => &opened.path,
            Place::Stored(stored) => stored.path(),
        }
    }

    /// The name of the document.
    pub fn name(&self) -> &str {
        match &self.0 {
            Place::File(opened, _) | Place::InTrace(opened, _) => &opened.name,
            Place::Stored(stored) => stored.name(),
        }
    }

    /// The number of the selected CPU profile in a trace, from 1.
    pub fn number(&self) -> Option<usize> {
        match &self.0 {
            Place::InTrace(_, number) => Some(*number),
            _ => None,
        }
    }
}

/// What is found where a source is.
pub trait Locate {
    /// Opens the source and detects its format. In a file that is one trace, the number selects a CPU profile.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is of no known format, or a part or a sample type of it is selected that it cannot have.
    fn locate(&self, options: &RunOptions) -> Result<Located>;

    /// The converted directory, if the source is one.
    ///
    /// # Errors
    ///
    /// If it is a directory that heapquarry did not write.
    fn converted(&self) -> Result<Option<ConvertedDir>>;

    /// The memory of the process that a snapshot was taken of: as it was given, or is stored beside the snapshot or in
    /// its directory. `None` if it is not.
    ///
    /// # Errors
    ///
    /// If it is stored, and cannot be read.
    fn process_memory(&self, options: &RunOptions) -> Result<Option<Arc<Sample>>>;

    /// The heaps of the isolates of a process, if it is a directory of these and of nothing else, and which isolate
    /// each is of.
    ///
    /// # Errors
    /// If the directory cannot be read.
    fn isolates(&self, options: &RunOptions) -> Result<Option<Vec<(Source, Isolate)>>>;

    /// What was seen of a watched process, and what was watched; `None` if the source is no directory of watches.
    ///
    /// # Errors
    ///
    /// If it has several, of which none is selected, or cannot be read.
    fn recording(&self, options: &RunOptions) -> Result<Option<(String, Recording)>>;
}

impl Locate for Source {
    fn locate(&self, options: &RunOptions) -> Result<Located> {
        let located = find(self, options)?;
        match located.format().kind() {
            Kind::Trace => {}
            Kind::Heap | Kind::Profile(_) => self.refuse_part("it is no trace")?,
        }
        let found = located.format();
        if self.sample_type.is_some() && found != Format::Pprof {
            let (path, found) = (self.path.clone(), found.describe());
            let wanted = "a pprof profile, to select a sample type of";
            return Err(Error::new(ErrorKind::OtherFormat { path, wanted, found }));
        }
        Ok(located)
    }

    fn converted(&self) -> Result<Option<ConvertedDir>> {
        match self.content() {
            Content::Path => ConvertedDir::open(&self.path),
            Content::At(_) | Content::Stream(_) | Content::Opened(..) => Ok(None),
        }
    }

    fn process_memory(&self, options: &RunOptions) -> Result<Option<Arc<Sample>>> {
        match readable(self, options)? {
            Some(dir) => Ok(dir.process(self.document, options)?.map(Arc::new)),
            None => self.process_beside(),
        }
    }

    fn isolates(&self, options: &RunOptions) -> Result<Option<Vec<(Source, Isolate)>>> {
        let Some(dir) = readable(self, options)?.filter(|_| self.document.is_none()) else {
            return Ok(None);
        };
        let of = |(document, isolate)| (self.clone().document(document), isolate);
        Ok(dir.isolates(options)?.map(|all| all.into_iter().map(of).collect()))
    }

    fn recording(&self, options: &RunOptions) -> Result<Option<(String, Recording)>> {
        match readable(self, options)? {
            Some(dir) if dir.is_of_watches() => dir.recording(self.document, options).map(Some),
            _ => Ok(None),
        }
    }
}

fn find(source: &Source, options: &RunOptions) -> Result<Located> {
    if let Some(dir) = readable(source, options)? {
        return Ok(Located(Place::Stored(dir.choose(source.document)?)));
    }
    let spooling = Spooling::of(options);
    let mut documents = open(source, &spooling)?.documents;
    if let (Some(number @ 1..), [document]) = (source.document, &documents[..])
        && sniff(document)?.format.holds_profiles()
    {
        return Ok(Located(Place::InTrace(documents.remove(0), number)));
    }
    let opened = choose(documents, &source.path, source.document)?;
    let found = sniff(&opened)?;
    Ok(Located(Place::File(opened, found)))
}

/// The format of a plain file that is a document itself, by its start. `None` if more has to be done to tell: it is
/// packed, a container, a directory, or cannot be read; who reads it says so.
pub fn format_at_hand(source: &Source) -> Option<Format> {
    let path = source.on_disk().filter(|path| source.is_plain_file() && path.is_file())?;
    let input = FileInput::open(File::open(path).ok()?).ok()?;
    heapquarry_formats::sniff(&input).ok()?.map(|found| found.format)
}

/// The converted directory, if the source is one, to read its rows.
pub fn readable(source: &Source, run: &RunOptions) -> Result<Option<ConvertedDir>> {
    match source.converted()? {
        Some(_) if run.redaction.is_some() => {
            let why = "it has been converted already; redact its input";
            let (path, source) = (source.path.clone(), io::Error::other(why));
            Err(Error::new(ErrorKind::Input { path, doing: "redact", source }))
        }
        dir => Ok(dir),
    }
}
