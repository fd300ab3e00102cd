//! Copies inputs without what is private in them.

use crate::{
    Error, ErrorKind, Result, RunOptions, Source,
    input::{self, Spooling},
    output::{write_file, write_packed_file},
    run::options,
    sniff,
};
use heapquarry_redact::{Hits, Level, Rules};
use sha2::{Digest, Sha256};
use std::{
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
        /// A file of 16 bytes or more, a secret: runs with the same one give equal tokens to equal strings. `None` for a
        /// random one that nobody keeps.
        pub key: Option<PathBuf>,
        /// Where to write what tokens stand for, as JSON lines.
        pub map: Option<PathBuf>,
        /// Replace existing files.
        pub force: bool,
        /// Temporary files, cancellation.
        pub run: RunOptions,
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
}

/// Copies a heap snapshot, timeline, profile or trace without what is private, into a file of the same format that
/// appears complete or not at all. A name that ends in `.gz` or `.zst` packs it. Then looks for secrets in the copy.
///
/// A truncated or damaged document is copied as far as it goes.
///
/// # Errors
/// If the input cannot be read, has several documents, or is of a format that cannot be redacted, or a file cannot be
/// written.
pub fn redact(
    source: &Source,
    output: impl AsRef<Path>,
    options: &RedactOptions,
) -> Result<Redacted> {
    source.refuse_part("redact copies whole documents")?;
    let rules = rules(options)?;
    let Some(map) = &options.map else {
        return copy(source, output.as_ref(), rules, options);
    };
    let fail =
        |error| Error::new(ErrorKind::Input { path: map.clone(), doing: "write", source: error });
    let dir = Spooling::of(&options.run).dir;
    let mut lines = tempfile::tempfile_in(dir).map_err(fail)?;
    let rules = rules.map(BufWriter::new(lines.try_clone().map_err(fail)?));
    let redacted = copy(source, output.as_ref(), rules, options)?;
    write_file(map, options.force, &[&source.path, &redacted.path], |out| {
        lines.rewind().and_then(|()| io::copy(&mut lines, out)).map(drop).map_err(fail)
    })?;
    Ok(redacted)
}

fn copy(
    source: &Source,
    output: &Path,
    mut rules: Rules,
    options: &RedactOptions,
) -> Result<Redacted> {
    let spooling = Spooling::of(&options.run);
    let documents = input::open(source, &spooling)?.documents;
    let document = input::choose(documents, &source.path, source.document)?;
    let format = sniff::sniff(&document)?.format;
    let input = spooling.guard(&document.input);
    let mut cut = None;
    let path = write_packed_file(output, options.force, &[&source.path], |out| {
        let mut out = BufWriter::with_capacity(1 << 20, out);
        let done =
            heapquarry_redact::redact(format, &input, &mut rules, &mut out).and_then(|done| {
                cut = done.cut;
                rules.flush()?;
                out.flush()
            });
        let fail = |error| {
            Error::new(ErrorKind::Input {
                path: source.path.clone(),
                doing: "redact",
                source: error,
            })
        };
        spooling.conclude(done.map_err(fail))
    })?;
    let (hits, _) = look(&Source::path(&path), &rules, &spooling)?;
    Ok(Redacted { path, replaced: rules.replaced(), cut, hits })
}

/// Looks for secrets in all strings of a document. Also returns where it is damaged, in bytes.
///
/// # Errors
/// If the input cannot be read, has several documents, or is not JSON.
pub fn audit(source: &Source, options: &RedactOptions) -> Result<(Hits, Option<u64>)> {
    source.refuse_part("an audit looks at whole documents")?;
    look(source, &rules(options)?, &Spooling::of(&options.run))
}

fn look(source: &Source, rules: &Rules, spooling: &Spooling<'_>) -> Result<(Hits, Option<u64>)> {
    let documents = input::open(source, spooling)?.documents;
    let document = input::choose(documents, &source.path, source.document)?;
    sniff::sniff(&document)?;
    let input = spooling.guard(&document.input);
    let fail = |error| {
        Error::new(ErrorKind::Input { path: source.path.clone(), doing: "read", source: error })
    };
    let (hits, done) = spooling.conclude(heapquarry_redact::audit(&input, rules).map_err(fail))?;
    Ok((hits, done.cut))
}

fn rules(options: &RedactOptions) -> Result<Rules> {
    let mut rules = Rules::new(options.level, key(options.key.as_deref())?);
    for name in &options.keep {
        rules = rules.keep(name);
    }
    for pattern in &options.deny {
        rules = rules.deny(pattern).map_err(|why| Error::new(ErrorKind::Pattern(why)))?;
    }
    Ok(rules)
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
