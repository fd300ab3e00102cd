//! Loads a profile from a file or from tables.

use crate::{
    Document, Error, ErrorKind, Result, RunOptions, Source, Status,
    gather::{GatherSink, GatheredDocument},
    located::Located,
    maps::Maps,
    originals::profile::{ScriptMaps, translate},
};
use heapquarry_formats::{Entry, worst};
use heapquarry_profile::{Kind, Profile};
use heapquarry_rows::profile::Gathering;

/// A profile in memory, and how its document was read.
#[derive(Debug)]
pub struct LoadedProfile {
    /// The profile.
    pub profile: Profile,
    /// Whether it was complete.
    pub status: Status,
    /// Everything unusual: the rows of `import_log`.
    pub log: Vec<Entry>,
    /// What is to be said of source maps, one sentence each.
    pub source_map_notes: Vec<String>,
}

/// Loads a profile from a located source, with its samples if requested. For a trace, all CPU profiles in it are
/// merged.
///
/// # Errors
/// If the source cannot be read, has no profile, or needs more memory than the options allow.
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

/// Reads a document and gathers the profiles in it. Also returns its documents.
fn read(
    located: &Located,
    gathering: Gathering,
    options: &RunOptions,
) -> Result<(LoadedProfile, Vec<Document>)> {
    let sink = GatherSink::for_profile(gathering);
    let GatheredDocument { documents, profile, .. } = sink.read(located, options)?;
    let mut profile = Profile { name: located.name().into(), ..profile.unwrap_or_default() };
    let maps = Maps::of(located.path(), options);
    let taken = profile.memory();
    let source_map_notes = maps.map_or_else(Vec::new, |maps| {
        translate(&mut profile.functions, &maps, &ScriptMaps::default(), taken)
    });
    let status = worst(documents.iter().map(|document| document.status));
    let log = documents.iter().flat_map(|document| document.log.iter().cloned()).collect();
    Ok((LoadedProfile { profile, status, log, source_map_notes }, documents))
}
