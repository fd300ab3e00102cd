//! The documents of a container as plain files.

use crate::{
    Cancel, Error, ErrorKind, Result, Source,
    input::{self, Opened, Spooling},
    sniff,
};
use heapquarry_formats::{Input, Kind, heap};
use std::{
    collections::HashSet,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Writes each document of an input into a file of its own in the directory `output`: byte for byte as the engine sent it. The files are named as
/// the documents, with the ending of their format. Files that are there are replaced only if `force` is set. Returns the paths, in the order of the documents.
///
/// # Errors
/// If the input cannot be read, holds no document of that number, a file cannot be written, or `cancel` is set: then the file
/// at hand is not there, but those before it are.
pub fn extract(
    source: &Source,
    output: impl AsRef<Path>,
    force: bool,
    cancel: &Cancel,
) -> Result<Vec<PathBuf>> {
    let output = output.as_ref();
    let spooling = Spooling::to_temp(Some(cancel));
    let mut documents = input::open(source, &spooling)?.documents;
    if source.document.is_some() {
        documents = vec![input::choose(documents, &source.path, source.document)?];
    }
    let fail = |path: &Path, doing| {
        let path = path.to_path_buf();
        move |source| Error::new(ErrorKind::Input { path, doing, source })
    };
    fs::create_dir_all(output).map_err(fail(output, "create"))?;
    let mut taken = HashSet::new();
    let mut written = Vec::new();
    for document in &documents {
        let input = spooling.guard(&document.input);
        let path = output.join(spooling.conclude(name(document, &input, &mut taken))?);
        if !force && path.exists() {
            return Err(fail(&path, "write")(io::ErrorKind::AlreadyExists.into()));
        }
        let mut file = tempfile::NamedTempFile::new_in(output).map_err(fail(output, "write"))?;
        let copied = copy(&input, &mut file);
        spooling.conclude(copied.map_err(fail(&path, "write")))?;
        file.persist(&path).map_err(|e| fail(&path, "write")(e.error))?;
        written.push(path);
    }
    Ok(written)
}

fn copy(input: &dyn Input, file: &mut impl Write) -> io::Result<()> {
    let (mut buf, mut at) = (vec![0; 1 << 20], 0);
    loop {
        match input.read_at(&mut buf, at)? {
            0 => return file.flush(),
            read => {
                file.write_all(&buf[..read])?;
                at += read as u64;
            }
        }
    }
}

/// A file name that no other document has.
fn name(document: &Opened, input: &dyn Input, taken: &mut HashSet<String>) -> Result<String> {
    let format = sniff::sniff(document)?.format;
    let mut ending = format.extension();
    if format.kind() == Kind::Heap {
        let fail = |source| Error::new(ErrorKind::Format { path: document.path.clone(), source });
        match heap::survey(input, 1 << 20).map_err(fail) {
            Ok(survey) if survey.is_timeline() => ending = ".heaptimeline",
            Ok(_) => {}
            // What cannot be read any more can still be extracted.
            Err(error) if matches!(error.kind(), ErrorKind::Format { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let stem = document.name.strip_suffix(ending).unwrap_or(&document.name);
    // Names can come from anywhere.
    let stem: String =
        stem.chars().map(|c| if c.is_control() || "/\\:".contains(c) { '_' } else { c }).collect();
    let names = (1..).map(|n| match n {
        1 => format!("{stem}{ending}"),
        n => format!("{stem}-{n}{ending}"),
    });
    let mut new = names.filter(|name| taken.insert(name.to_lowercase()));
    Ok(new.next().expect("one of any number of names is new"))
}
