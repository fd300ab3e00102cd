//! Extracts the documents of a container as plain files.

use crate::{
    Contents, Error, ErrorKind, Opened, Result, RunOptions, Source, Spooling, choose,
    file_names::{Taken, shorten},
    open_all,
    output::require_local,
    sniff,
};
use heapquarry_formats::{Code, Entry, Format, Input, Log, heap};
use heapquarry_sink::{Draft, FileDir};
use std::path::{Path, PathBuf};

/// The result of [`extract`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Extracted {
    /// The files, in the order of the documents.
    pub paths: Vec<PathBuf>,
    /// What is missing in them, each with the name of its document or container: what was lost when it was unpacked,
    /// and that an input changed while it was read.
    pub losses: Vec<(String, Entry)>,
}

impl Extracted {
    /// Adds the losses of a log. `name` is that of its document or container.
    fn lost(&mut self, name: &str, log: Log) {
        self.losses.extend(log.into_losses().into_iter().map(|entry| (name.to_owned(), entry)));
    }
}

/// Writes each document of an input to its own file in the directory `output`, byte for byte as the engine sent it.
/// Files are named after their documents, with the extension of their format. Existing files are replaced only with
/// `force`, and never the input. Only the owner can read the files and enter a directory that this creates.
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
) -> Result<Extracted> {
    let output = output.as_ref();
    require_local(output)?;
    if source.is_directory() {
        return Err(source.directory());
    }
    let spooling = Spooling::of(options);
    let contents = open_all(source, &spooling)?;
    write(contents, source, output, force, &spooling)
}

/// Writes the documents of an input that is open.
fn write(
    contents: Contents,
    source: &Source,
    output: &Path,
    force: bool,
    spooling: &Spooling<'_>,
) -> Result<Extracted> {
    let Contents { mut documents, containers } = contents;
    if let Some(container) = containers.first().filter(|_| documents.is_empty()) {
        let log = container.log.clone().into_entries();
        let why = log.into_iter().find(|entry| entry.code == Code::NothingToRead);
        let why = why.map_or(String::new(), |entry| format!(": {}", entry.message));
        let (path, what) = (source.path.clone(), format!("document to extract{why}"));
        return Err(Error::new(ErrorKind::NotFound { path, what }));
    }
    if source.document.is_some() {
        documents = vec![choose(documents, &source.path, source.document)?];
    }
    let inputs: Vec<&Path> = source.on_disk().into_iter().collect();
    let mut dir = FileDir::open(output, &inputs)?;
    let mut taken = Taken::default();
    let mut extracted = Extracted::default();
    for mut document in documents {
        let input = spooling.guard(&document.input);
        let name = spooling.conclude(name(&document, &input, &mut taken))?;
        let mut draft = dir.create(&name, force)?;
        spooling.conclude(copy(&document.path, &input, &mut draft))?;
        extracted.paths.push(draft.commit()?);
        document.input.log_change(&mut document.log);
        extracted.lost(&document.name, document.log);
    }
    for mut container in containers {
        container.input.log_change(&mut container.log);
        extracted.lost(&container.name, container.log);
    }
    Ok(extracted)
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, io::Write};

    #[test]
    fn an_input_that_changes_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.cpuprofile");
        let (options, source) = (RunOptions::default(), Source::path(&path));
        let spooling = Spooling::of(&options);
        type Change = fn(&mut fs::File);
        let unchanged: Change = |_| {};
        let grows: Change = |file| file.write_all(b"\n").unwrap();
        let shrinks: Change = |file| file.set_len(60).unwrap();
        for (number, (change, expected)) in
            [(unchanged, 0), (grows, 1), (shrinks, 1)].into_iter().enumerate()
        {
            fs::write(
                &path,
                r#"{"nodes":[],"startTime":0,"endTime":0,"samples":[],"timeDeltas":[]}"#,
            )
            .unwrap();
            let contents = open_all(&source, &spooling).unwrap();
            change(&mut fs::File::options().append(true).open(&path).unwrap());
            let out = dir.path().join(format!("out{number}"));
            let extracted = write(contents, &source, &out, false, &spooling).unwrap();
            assert_eq!(extracted.paths.len(), 1, "{number}");
            let changed = |(name, loss): &&(String, Entry)| {
                name == "a.cpuprofile" && loss.code == Code::InputChanged
            };
            assert_eq!(extracted.losses.iter().filter(changed).count(), expected, "{number}");
        }
    }
}
