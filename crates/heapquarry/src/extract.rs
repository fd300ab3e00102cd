//! Extracts the documents of a container as plain files.

use crate::{
    Error, ErrorKind, Result, RunOptions, Source,
    file_names::{Taken, shorten},
    input::{self, Contents, Opened, Spooling},
    sniff,
};
use heapquarry_formats::{Code, Format, Input, heap};
use heapquarry_sink::{Draft, FileDir};
use std::path::{Path, PathBuf};

/// Writes each document of an input to its own file in the directory `output`, byte for byte as the engine sent it.
/// Files are named after their documents, with the extension of their format. Existing files are replaced only with
/// `force`, and never the input. Returns the paths, in the order of the documents. Only the owner can read the files
/// and enter a directory that this creates.
///
/// # Errors
///
/// If the input cannot be read or does not have the selected document, a file cannot be written, or the work is
/// cancelled. Files that are complete then stay; the current one is removed.
pub fn extract(
    source: &Source,
    output: impl AsRef<Path>,
    force: bool,
    options: &RunOptions,
) -> Result<Vec<PathBuf>> {
    let output = output.as_ref();
    if source.is_plain_file() && source.path.is_dir() || source.converted()?.is_some() {
        return Err(source.directory());
    }
    let spooling = Spooling::of(options);
    let Contents { mut documents, containers } = input::open(source, &spooling)?;
    if let Some(container) = containers.first().filter(|_| documents.is_empty()) {
        let log = container.log.clone().into_entries();
        let why = log.into_iter().find(|entry| entry.code == Code::NothingToRead);
        let why = why.map_or(String::new(), |entry| format!(": {}", entry.message));
        let (path, what) = (source.path.clone(), format!("document to extract{why}"));
        return Err(Error::new(ErrorKind::NotFound { path, what }));
    }
    if source.document.is_some() {
        documents = vec![input::choose(documents, &source.path, source.document)?];
    }
    let mut dir = FileDir::open(output, &[&source.path])?;
    let mut taken = Taken::default();
    let mut written = Vec::new();
    for document in &documents {
        let input = spooling.guard(&document.input);
        let name = spooling.conclude(name(document, &input, &mut taken))?;
        let mut draft = dir.create(&name, force)?;
        spooling.conclude(copy(&document.path, &input, &mut draft))?;
        written.push(draft.commit()?);
    }
    Ok(written)
}

fn copy(path: &Path, input: &dyn Input, draft: &mut Draft<'_>) -> Result<()> {
    let (mut buf, mut at) = (vec![0; 1 << 20], 0);
    loop {
        let read = input.read_at(&mut buf, at).map_err(|source| {
            Error::new(ErrorKind::Input { path: path.into(), doing: "read", source })
        })?;
        if read == 0 {
            return Ok(());
        }
        draft.write(&buf[..read])?;
        at += read as u64;
    }
}

/// A file name that no other document has.
fn name(document: &Opened, input: &dyn Input, taken: &mut Taken) -> Result<String> {
    let format = sniff::sniff(document)?.format;
    let mut ending = format.extension();
    if format == Format::Heap {
        let fail = |source| Error::new(ErrorKind::Format { path: document.path.clone(), source });
        match heap::survey(input, 1 << 20).map_err(fail) {
            Ok(survey) if survey.is_timeline() => ending = ".heaptimeline",
            Ok(_) => {}
            // A document that cannot be parsed can still be extracted.
            Err(error) if matches!(error.kind(), ErrorKind::Format { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let stem = document.name.strip_suffix(ending).unwrap_or(&document.name);
    // Names come from the input and can contain anything.
    let stem: String =
        stem.chars().map(|c| if c.is_control() || "/\\:".contains(c) { '_' } else { c }).collect();
    let stem = shorten(&stem);
    let numbered = |n| format!("{stem}-{n}{ending}");
    Ok(taken.take(format!("{stem}{ending}"), numbered))
}
