//! Redaction of all that is read: its rules, and what its audits found.

use crate::{Error, ErrorKind, Result};
use heapquarry_formats::{Format, Input};
use heapquarry_redact::{Hits, Level, Outcome, Rules};
use heapquarry_tables::sync::unpoisoned;
use sha2::{Digest, Sha256};
use std::{
    fmt,
    io::{self, Write},
    sync::{Arc, Mutex},
};

/// Takes out of inputs what is private in them before anything else reads them: see
/// [`RunOptions::redaction`](crate::RunOptions::redaction).
///
/// Equal strings have equal tokens in all inputs of a run. Clones share what the audits found.
#[derive(Clone)]
pub struct Redaction(Arc<Inner>);

struct Inner {
    level: Level,
    keep: Vec<String>,
    deny: Vec<String>,
    key: [u8; 16],
    hits: Mutex<Vec<(String, Hits)>>,
}

impl Redaction {
    /// With this key. Fails if a pattern is none.
    pub(crate) fn with_key(
        level: Level,
        keep: Vec<String>,
        deny: Vec<String>,
        key: [u8; 16],
    ) -> Result<Self> {
        let inner = Inner { level, keep, deny, key, hits: Mutex::default() };
        inner.rules()?;
        Ok(Redaction(Arc::new(inner)))
    }

    /// Equal if the tokens are equal. Whoever guesses keys can try them on tokens just as well, so it may be stored.
    pub fn fingerprint(&self) -> String {
        let Inner { level, keep, deny, key, .. } = &*self.0;
        let what = Sha256::digest(format!("{key:?} {level:?} {keep:?} {deny:?}"));
        what[..8].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// What still looked like a secret in the redacted documents that were read so far, by their names.
    pub fn hits(&self) -> Vec<(String, Hits)> {
        unpoisoned(self.0.hits.lock()).clone()
    }

    /// Its rules, for one document.
    pub(crate) fn rules(&self) -> Result<Rules> {
        self.0.rules()
    }

    /// Keeps what an audit of a document found.
    pub(crate) fn found(&self, name: &str, hits: &Hits) {
        if !hits.is_empty() {
            unpoisoned(self.0.hits.lock()).push((name.to_owned(), hits.clone()));
        }
    }

    /// Writes a redacted copy of a document, and looks for secrets in it.
    pub(crate) fn copy<I: Input>(
        &self,
        name: &str,
        format: Format,
        input: &dyn Input,
        threads: usize,
        write: impl FnOnce(&mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<I>,
    ) -> io::Result<I> {
        let mut rules = self.0.rules().map_err(|error| io::Error::other(error.to_string()))?;
        let copy = write(&mut |out| {
            heapquarry_redact::redact(format, input, &mut rules, threads, out).map(drop)
        })?;
        let (hits, done) = heapquarry_redact::audit(format, &copy, &rules)?;
        is_all_read(&done, copy.size())?;
        self.found(name, &hits);
        Ok(copy)
    }
}

impl fmt::Debug for Redaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The key is a secret.
        f.debug_struct("Redaction").field("level", &self.0.level).finish_non_exhaustive()
    }
}

impl Inner {
    fn rules(&self) -> Result<Rules> {
        let mut rules = Rules::new(self.level, self.key);
        for name in &self.keep {
            rules = rules.keep(name);
        }
        for pattern in &self.deny {
            rules = rules.deny(pattern).map_err(|why| Error::new(ErrorKind::Pattern(why)))?;
        }
        Ok(rules)
    }
}

/// Whether an audit of a copy saw all of it. A copy of a damaged document ends early, and its audit where it ends.
pub(crate) fn is_all_read(done: &Outcome, size: u64) -> io::Result<()> {
    match done.cut.is_none_or(|at| at >= size) {
        true => Ok(()),
        false => Err(io::Error::other("the copy cannot be looked at as a whole")),
    }
}
