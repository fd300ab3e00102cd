//! The documents of a container as plain files.

use crate::{
    Error, ErrorKind, Result, Source,
    input::{self, Opened},
    sniff,
};
use heapquarry_formats::{Format, Input, heap};
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
/// If the input cannot be read, holds no document of that number, or a file cannot be written.
pub fn extract(source: &Source, output: impl AsRef<Path>, force: bool) -> Result<Vec<PathBuf>> {
    let output = output.as_ref();
    let spool_dir = std::env::temp_dir();
    let documents = match source.document {
        None => input::open(&source.path, &spool_dir)?.documents,
        document => vec![input::open_document(&source.path, document, &spool_dir)?],
    };
    let fail = |path: &Path, doing| {
        let path = path.to_path_buf();
        move |source| Error::new(ErrorKind::Input { path, doing, source })
    };
    fs::create_dir_all(output).map_err(fail(output, "create"))?;
    let mut taken = HashSet::new();
    let mut written = Vec::new();
    for document in &documents {
        let path = output.join(name(document, &mut taken)?);
        if !force && path.exists() {
            return Err(fail(&path, "write")(io::ErrorKind::AlreadyExists.into()));
        }
        let mut file = tempfile::NamedTempFile::new_in(output).map_err(fail(output, "write"))?;
        copy(&document.input, &mut file).map_err(fail(&path, "write"))?;
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
fn name(document: &Opened, taken: &mut HashSet<String>) -> Result<String> {
    let ending = match sniff::sniff(document)?.format {
        Format::Heap => {
            let fail =
                |source| Error::new(ErrorKind::Format { path: document.path.clone(), source });
            // A timeline has samples.
            let is_timeline = match heap::survey(&document.input, 1 << 20).map_err(fail) {
                Ok(survey) => {
                    survey.sections.iter().any(|s| s.name == "samples" && s.records > Some(0))
                }
                // What cannot be read any more can still be taken out.
                Err(error) if matches!(error.kind(), ErrorKind::Format { .. }) => false,
                Err(error) => return Err(error),
            };
            if is_timeline { ".heaptimeline" } else { ".heapsnapshot" }
        }
        Format::CpuProfile => ".cpuprofile",
        Format::HeapProfile => ".heapprofile",
        _ => ".json",
    };
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
