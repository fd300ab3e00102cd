//! Copies inputs without what is private in them.

use crate::{
    Error, ErrorKind, Opened, Redaction, Result, RunOptions, Source, Spooling, choose, open_all,
    output::{write_beside, write_file, write_packed_file},
    redaction::is_all_read,
    run::options,
    sniff,
};
use heapquarry_formats::{Entry, Format, Input};
use heapquarry_redact::{Hits, Level, Outcome, Rules};
use heapquarry_sink::Place;
use sha2::{Digest, Sha256};
use std::{
    ffi::OsStr,
    fs,
    io::{self, BufWriter, Seek, Write},
    path::{Path, PathBuf},
};

options! {
    /// How [`redact`] works.
    #[derive(Clone, Debug, Default)]
    pub struct RedactOptions {
        /// How much is taken out.
        pub level: Level,
        /// Names that are kept; `*` stands for any text.
        pub keep: Vec<String>,
        /// Regular expressions of text that is always taken out, and that an audit looks for.
        pub deny: Vec<String>,
        /// A file of 16 bytes or more, a secret: runs with the same one give equal tokens to equal strings. `None` for
        /// a random one that nobody keeps.
        pub key: Option<PathBuf>,
        /// Where to write what tokens stand for, as JSON lines.
        pub map: Option<PathBuf>,
        /// Replace existing files.
        pub force: bool,
        /// Threads, temporary files, cancellation.
        pub run: RunOptions,
    }
}

impl Redaction {
    /// By the level, names, patterns and key of `options`.
    ///
    /// # Errors
    /// If the key cannot be read, or a pattern is none.
    pub fn new(options: &RedactOptions) -> Result<Self> {
        let RedactOptions { level, keep, deny, key: file, .. } = options;
        Redaction::with_key(*level, keep.clone(), deny.clone(), key(file.as_deref())?)
    }

    /// Copies a document as [`redact`] does.
    ///
    /// # Errors
    /// The errors of [`redact`].
    pub fn write(
        &self,
        source: &Source,
        output: impl AsRef<Path>,
        force: bool,
        run: &RunOptions,
    ) -> Result<Redacted> {
        let redacted = copy(source, output.as_ref(), self.rules()?, force, run, || Ok(()))?;
        self.found(&redacted.path.to_string_lossy(), &redacted.hits);
        Ok(redacted)
    }
}

/// The result of [`redact`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Redacted {
    /// The copy.
    pub path: PathBuf,
    /// Strings that were replaced.
    pub replaced: u64,
    /// Where copying ended because the document is truncated or damaged, in bytes.
    pub cut: Option<u64>,
    /// What still looks like a secret in the copy.
    pub hits: Hits,
    /// What is missing in the copy because it was lost when the input was unpacked, and whether the input changed while
    /// it was read.
    pub losses: Vec<Entry>,
}

/// The result of [`audit`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Audit {
    /// What looks like a secret.
    pub hits: Hits,
    /// Where looking ended because the document is truncated or damaged, in bytes: what follows can have anything.
    pub cut: Option<u64>,
    /// What could not be searched because it was lost when the input was unpacked, and whether the input changed while
    /// it was read.
    pub losses: Vec<Entry>,
}

impl Audit {
    /// Whether the whole document was looked at.
    pub fn is_whole(&self) -> bool {
        self.cut.is_none() && self.losses.is_empty()
    }

    /// An audit that did not see the whole document says nothing about the rest of it.
    ///
    /// # Errors
    /// If it is such a one.
    pub fn require_whole(&self, source: &Source) -> Result<()> {
        if self.is_whole() {
            return Ok(());
        }
        let at = self.cut.map_or(String::new(), |at| format!(" at byte {at}"));
        let why = format!("it is truncated or damaged{at}, and what follows was not looked at");
        let (path, source) = (source.path.clone(), io::Error::other(why));
        Err(Error::new(ErrorKind::Input { path, doing: "audit", source }))
    }
}

/// Copies a heap snapshot, timeline, profile or trace without what is private, into a file of the same format that
/// appears only when it is finished. A name that ends in `.gz` or `.zst` packs it. Then looks for secrets in the copy.
///
/// A truncated or damaged document is copied as far as it goes.
///
/// # Errors
/// If the input cannot be read, has several documents, or is of a format that cannot be redacted, if damage leaves
/// nothing that could be read, or if a file cannot be written.
pub fn redact(
    source: &Source,
    output: impl AsRef<Path>,
    options: &RedactOptions,
) -> Result<Redacted> {
    source.refuse_part("redact copies whole documents")?;
    let rules = Redaction::new(options)?.rules()?;
    let RedactOptions { force, run, .. } = options;
    let Some(map) = &options.map else {
        return copy(source, output.as_ref(), rules, *force, run, || Ok(()));
    };
    let output = output.as_ref();
    let fail =
        |error| Error::new(ErrorKind::Input { path: map.clone(), doing: "write", source: error });
    if place(map).is_some_and(|map| place(output) == Some(map)) {
        return Err(fail(io::Error::other("the copy has this name")));
    }
    let mut lines = tempfile::tempfile_in(Spooling::of(run).dir).map_err(fail)?;
    let rules = rules.map(BufWriter::new(lines.try_clone().map_err(fail)?));
    // Both are on the disk before one of them has its name: neither is of use without the other.
    let mut redacted = None;
    let inputs: Vec<&Path> = source.on_disk().into_iter().chain([output]).collect();
    write_file(map, *force, &inputs, |out| {
        let lines = || {
            let copied = lines.rewind().and_then(|()| io::copy(&mut lines, out));
            copied.map(drop).map_err(fail)
        };
        redacted = Some(copy(source, output, rules, *force, run, lines)?);
        Ok::<_, Error>(())
    })?;
    Ok(redacted.expect("it was copied"))
}

/// The folder of a file, without links, and its name. `None` if there is no such folder.
fn place(path: &Path) -> Option<(PathBuf, &OsStr)> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    Some((fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?, path.file_name()?))
}

/// `then` is called when the copy is complete, before it has its name.
fn copy(
    source: &Source,
    output: &Path,
    mut rules: Rules,
    force: bool,
    run: &RunOptions,
    then: impl FnOnce() -> Result<()>,
) -> Result<Redacted> {
    let spooling = Spooling::of(run);
    let documents = open_all(source, &spooling)?.documents;
    let mut document = choose(documents, &source.path, source.document)?;
    let format = sniff::unquoted(&document)?.format;
    let input = spooling.guard(&document.input);
    let (mut cut, mut head) = (None, Vec::new());
    let inputs: Vec<&Path> = source.on_disk().into_iter().collect();
    // Looked at before the work.
    let place = Place::of(output, force, &inputs)?;
    let write = |out: &mut (dyn Write + Send)| {
        let done = write_beside(out, |out| {
            let mut out = Head { out, head: &mut head };
            let done =
                heapquarry_redact::redact(format, &input, &mut rules, spooling.threads, &mut out)?;
            cut = done.cut;
            rules.flush()
        });
        let fail = |error| {
            Error::new(ErrorKind::Input {
                path: source.path.clone(),
                doing: "redact",
                source: error,
            })
        };
        spooling.conclude(done.map_err(fail))?;
        if let Some(at) = cut.filter(|_| !is_document(&head, format)) {
            let why = format!("it is damaged at byte {at}, and what comes before is no document");
            return Err(fail(io::Error::other(why)));
        }
        then()
    };
    let fail =
        |error| Error::new(ErrorKind::Input { path: output.into(), doing: "write", source: error });
    // What is written into cannot be read again: secrets are looked for before it is.
    let mut spool = match place {
        Place::Stream => Some(tempfile::tempfile_in(&spooling.dir).map_err(fail)?),
        Place::New | Place::File => None,
    };
    let path = match &mut spool {
        Some(spool) => write(spool).map(|()| output.to_owned())?,
        None => write_packed_file(output, force, &inputs, write)?,
    };
    document.input.log_change(&mut document.log);
    let losses = document.log.into_losses();
    let copy = match &spool {
        Some(spool) => {
            spool.try_clone().and_then(|file| Source::file(&path, file)).map_err(fail)?
        }
        None => Source::path(&path),
    };
    let documents = open_all(&copy, &spooling)?.documents;
    let copied = choose(documents, &copy.path, copy.document)?;
    let size = copied.input.size();
    let Audit { hits, cut: unread, .. } = look(copied, format, &rules, &spooling)?;
    is_all_read(&Outcome { cut: unread }, size).map_err(|error| {
        Error::new(ErrorKind::Input { path: path.clone(), doing: "read", source: error })
    })?;
    if let Some(mut spool) = spool {
        spool.rewind().map_err(fail)?;
        write_packed_file(output, force, &inputs, |out| {
            io::copy(&mut spool, out).map(drop).map_err(fail)
        })?;
    }
    Ok(Redacted { path, replaced: rules.replaced(), cut, hits, losses })
}

/// Looks for secrets in all strings of a document. What follows damage is not looked at: see [`Audit::require_whole`].
///
/// # Errors
/// If the input cannot be read, has several documents, or is of a format that cannot be redacted.
pub fn audit(source: &Source, options: &RedactOptions) -> Result<Audit> {
    source.refuse_part("an audit looks at whole documents")?;
    let (rules, spooling) = (Redaction::new(options)?.rules()?, Spooling::of(&options.run));
    let documents = open_all(source, &spooling)?.documents;
    let document = choose(documents, &source.path, source.document)?;
    let format = sniff::unquoted(&document)?.format;
    look(document, format, &rules, &spooling)
}

/// Looks for secrets in an open document.
fn look(
    mut document: Opened,
    format: Format,
    rules: &Rules,
    spooling: &Spooling<'_>,
) -> Result<Audit> {
    let input = spooling.guard(&document.input);
    let fail = |error| {
        Error::new(ErrorKind::Input { path: document.path.clone(), doing: "read", source: error })
    };
    let (hits, done) =
        spooling.conclude(heapquarry_redact::audit(format, &input, rules).map_err(fail))?;
    document.input.log_change(&mut document.log);
    Ok(Audit { hits, cut: done.cut, losses: document.log.into_losses() })
}

/// A copy of a damaged document must be recognised as one, unless it has so many bytes.
const HEAD: usize = 1 << 20;

/// Keeps the first bytes of what is written.
struct Head<'a> {
    out: &'a mut dyn Write,
    head: &'a mut Vec<u8>,
}

impl Write for Head<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        let kept = written.min(HEAD - self.head.len());
        self.head.extend_from_slice(&bytes[..kept]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Whether what was copied of a damaged document can be read as one.
fn is_document(head: &[u8], format: Format) -> bool {
    let found = || heapquarry_formats::sniff(&head).ok().flatten();
    head.len() == HEAD || found().is_some_and(|found| found.format == format)
}

/// The key of a file; without one, a random one.
fn key(path: Option<&Path>) -> Result<[u8; 16]> {
    let mut key = [0; 16];
    let fail = |path: &Path, source| {
        Error::new(ErrorKind::Input { path: path.into(), doing: "read", source })
    };
    match path {
        None => getrandom::fill(&mut key).map_err(|error| {
            fail(Path::new("random numbers"), io::Error::other(error.to_string()))
        })?,
        Some(path) => {
            let secret = fs::read(path).map_err(|error| fail(path, error))?;
            if secret.len() < key.len() {
                let why = "a key has 16 bytes or more, such as of `head -c 32 /dev/urandom`";
                return Err(fail(path, io::Error::other(why)));
            }
            key.copy_from_slice(&Sha256::digest(&secret)[..16]);
        }
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use heapquarry_formats::Code;

    #[test]
    fn a_copy_that_nothing_could_read_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let (input, output) = (folder.path().join("a"), folder.path().join("copy"));
        fs::write(&output, "before").unwrap();
        let options = RedactOptions::default().force(true);
        for (document, is_read) in [
            // Edges before the header, and a header that is cut.
            (r#"{"edges":[0],"snapshot":{"meta":{"node_fields":["type"]}},"nodes":[]}"#, false),
            (r#"{"snapshot":{"meta":{"node_fields":["type","name","id","#, false),
            (r#"{"nodes":[{"id":1,"callFrame":{"functionName":"a"}},"#, true),
            (r#"{"traceEvents":[{"ph":"X","name":"a"},"#, true),
        ] {
            fs::write(&input, document).unwrap();
            let done = redact(&Source::path(&input), &output, &options);
            assert_eq!(done.is_ok(), is_read, "{document}: {done:?}");
            assert_eq!(fs::read(&output).unwrap() == b"before", !is_read, "{document}");
            fs::write(&output, "before").unwrap();
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn an_input_that_changes_while_it_is_copied_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("a.cpuprofile");
        let text = r#"{"nodes":[],"startTime":0,"endTime":0,"samples":[],"timeDeltas":[]}"#;
        fs::write(&input, text).unwrap();
        let source = Source::path(&input);
        let rules = || Redaction::new(&RedactOptions::default()).unwrap().rules().unwrap();
        for (grows, expected) in [(false, &[][..]), (true, &[Code::InputChanged])] {
            let output = folder.path().join(format!("{grows}.cpuprofile"));
            let then = || {
                if grows {
                    fs::write(&input, format!("{text}\n")).unwrap();
                }
                Ok(())
            };
            let run = RunOptions::default();
            let copied = copy(&source, &output, rules(), false, &run, then).unwrap();
            let losses: Vec<Code> = copied.losses.iter().map(|loss| loss.code).collect();
            assert_eq!(losses, expected);
        }
        let audited = audit(&source, &RedactOptions::default()).unwrap();
        assert!(audited.losses.is_empty());
    }
}
