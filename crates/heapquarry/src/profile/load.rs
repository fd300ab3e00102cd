//! Loads a profile from a file or from tables.

use crate::{
    Document, Error, ErrorKind, Result, RunOptions, Source, Status,
    gather::{GatherSink, GatheredDocument},
    located::Located,
};
use arrow_array::RecordBatch;
use heapquarry_formats::{Entry, worst};
use heapquarry_profile::{Assembly, Kind, Part, Profile};
use heapquarry_rows::profile::{Wanted, document, part, wanted};
use heapquarry_tables::{Projection, Table, sync::unpoisoned};
use std::sync::Mutex;

/// A profile in memory, and how its document was read.
#[derive(Debug)]
pub struct LoadedProfile {
    /// The profile.
    pub profile: Profile,
    /// Whether it was complete.
    pub status: Status,
    /// Everything unusual: the rows of `import_log`.
    pub log: Vec<Entry>,
}

/// Loads a profile from a located source, with its samples if requested. For a trace, all CPU profiles in it are
/// merged.
///
/// # Errors
/// If the source cannot be read, or has no profile.
pub fn load(
    source: &Source,
    located: Located,
    samples: bool,
    options: &RunOptions,
) -> Result<LoadedProfile> {
    let format = located.format();
    let number = located.number();
    let kind = match format.kind() {
        heapquarry_formats::Kind::Profile(kind) if number.is_none() => {
            let (mut loaded, documents) =
                read(&located, Gathering::new(kind, None, samples), options)?;
            if kind == Kind::Pprof {
                let shown = shown(source, &loaded.profile)?;
                loaded.profile.show(shown);
            }
            loaded.profile.documents = documents.len();
            return Ok(loaded);
        }
        heapquarry_formats::Kind::Profile(kind) => kind,
        heapquarry_formats::Kind::Trace if format.holds_profiles() => Kind::Cpu,
        _ => {
            let wanted = "a CPU profile, a sampling heap profile or self-profiling traces";
            let (path, found) = (source.path.clone(), format.describe());
            return Err(Error::new(ErrorKind::OtherFormat { path, wanted, found }));
        }
    };
    let only = number.map(|number| i32::try_from(number).unwrap_or(i32::MAX));
    let (mut loaded, documents) = read(&located, Gathering::new(kind, only, samples), options)?;
    let names: Vec<String> = documents.into_iter().map(|document| document.name).collect();
    match number {
        Some(number) if number >= names.len() => {
            let (path, names) = (source.path.clone(), names.into_iter().enumerate().collect());
            return Err(Error::new(ErrorKind::Document { path, document: Some(number), names }));
        }
        Some(number) => {
            loaded.profile.name = names[number].clone();
            loaded.profile.documents = 1;
        }
        // The first document of a trace is the trace itself.
        None if names.len() < 2 => {
            let (path, what) = (source.path.clone(), "CPU profile in this trace".into());
            return Err(Error::new(ErrorKind::NotFound { path, what }));
        }
        None => loaded.profile.documents = names.len() - 1,
    }
    Ok(loaded)
}

/// The selected type of values, or the default type of the profile.
fn shown(source: &Source, profile: &Profile) -> Result<usize> {
    let Some(wanted) = &source.sample_type else { return Ok(profile.shown) };
    let found = profile.measures.iter().position(|measure| measure.name == *wanted);
    found.ok_or_else(|| {
        let names: Vec<&str> = profile.measures.iter().map(|measure| &*measure.name).collect();
        let there = names.join(", ");
        let what = format!("sample type {wanted:?} among those of this profile ({there})");
        Error::new(ErrorKind::NotFound { path: source.path.clone(), what })
    })
}

/// Collects the parts of a profile from rows as they are decoded.
pub(crate) struct Gathering {
    kind: Kind,
    wanted: &'static [Wanted],
    /// The only wanted document; `None` for all.
    only: Option<i32>,
    /// Parts, each with its table and the number of its row group.
    parts: Mutex<Vec<(&'static str, u64, Part)>>,
}

impl Gathering {
    pub(crate) fn new(kind: Kind, only: Option<i32>, samples: bool) -> Self {
        Gathering { kind, wanted: wanted(kind, samples), only, parts: Mutex::default() }
    }

    /// The required tables and columns.
    pub(crate) fn columns(&self) -> impl Iterator<Item = (&'static Table, &'static str)> + use<> {
        self.wanted.iter().flat_map(|(table, columns)| {
            ["file_id"].iter().chain(*columns).map(move |column| (*table, *column))
        })
    }

    /// Whether rows of this table are required.
    pub(crate) fn wants(&self, table: &'static Table) -> bool {
        self.wanted.iter().any(|(wanted, _)| *wanted == table)
    }

    /// The required tables and columns.
    pub(crate) fn projection(&self) -> Projection {
        self.columns().fold(Projection::none(), |projection, (table, column)| {
            projection.with_column(table, column).expect("a declared column")
        })
    }

    pub(crate) fn add(&self, table: &'static Table, seq: u64, batch: &RecordBatch) {
        if self.only.is_some() && document(table, batch) != self.only {
            return;
        }
        let part = part(table, batch);
        let mut parts = unpoisoned(self.parts.lock());
        parts.push((table.name, seq, part));
    }

    /// The profile; `small` are the rows of small tables.
    pub(crate) fn finish(self, small: Vec<(&'static Table, RecordBatch)>) -> Profile {
        // They come after all others of their tables.
        small.iter().for_each(|(table, batch)| self.add(table, u64::MAX, batch));
        let mut parts = unpoisoned(self.parts.into_inner());
        parts.sort_by_key(|(table, seq, _)| (*table, *seq));
        let mut assembly = Assembly::new(self.kind);
        parts.into_iter().for_each(|(_, _, part)| assembly.add(part));
        assembly.finish()
    }
}

/// Reads a document and gathers the profiles in it. Also returns its documents.
fn read(
    located: &Located,
    gathering: Gathering,
    options: &RunOptions,
) -> Result<(LoadedProfile, Vec<Document>)> {
    let sink = GatherSink::for_profile(gathering);
    let GatheredDocument { documents, profile, .. } = sink.read(located, options)?;
    let profile = Profile { name: located.name().into(), ..profile.unwrap_or_default() };
    let status = worst(documents.iter().map(|document| document.status));
    let log = documents.iter().flat_map(|document| document.log.iter().cloned()).collect();
    Ok((LoadedProfile { profile, status, log }, documents))
}
