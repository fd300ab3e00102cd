//! Looks for secrets in all strings of a document.

use crate::{
    builtins::is_builtin,
    json::{self, Path, Visitor},
    keys::is_of_format,
    outcome::Outcome,
    refuse_other,
    rules::Rules,
    secrets::Secret,
    token::is_value_token,
    trace,
};
use foldhash::fast::FixedState;
use hashbrown::HashSet;
use heapquarry_formats::{Format, Input};
use std::{borrow::Cow, collections::BTreeMap, io};

/// Places of each kind that are told.
const PLACES: usize = 5;

/// Secrets of a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hit {
    /// Strings that have one.
    pub count: u64,
    /// Offsets of the first strings in the document, in bytes, and the member of the document that they are in.
    pub places: Vec<(u64, String)>,
}

/// Secrets by kind.
pub type Hits = BTreeMap<Secret, Hit>;

/// Looks for secrets in all strings and keys of a JSON document. Never shows them. [`Outcome::cut`] says where looking
/// ended before the end: nothing is known of what follows.
///
/// # Errors
/// If it cannot be read, or if its format is no JSON.
pub fn audit(format: Format, input: &dyn Input, rules: &Rules) -> io::Result<(Hits, Outcome)> {
    refuse_other(format)?;
    let mut audit = Audit { rules, hits: Hits::new(), clean: HashSet::default() };
    let done = json::rewrite(input, &mut audit, &mut io::sink())?;
    Ok((audit.hits, done))
}

struct Audit<'r> {
    rules: &'r Rules,
    hits: Hits,
    /// Strings without secrets that may come again.
    clean: HashSet<Box<str>, FixedState>,
}

/// Strings without secrets that are remembered, and how long they are.
const MOST: usize = 1 << 16;
const LONGEST: usize = 100;

impl Audit<'_> {
    /// Looks at a string. `is_word` says whether it can be a word of the format.
    fn look(&mut self, path: &Path, text: &str, is_word: impl Fn() -> bool) {
        if is_value_token(text) || self.clean.contains(text) {
            return;
        }
        let secrets = self.rules.policy.secrets(text);
        if secrets.is_empty() && text.len() <= LONGEST {
            if self.clean.len() == MOST {
                self.clean.clear();
            }
            self.clean.insert(text.into());
        }
        for secret in secrets {
            let is_known = match secret {
                Secret::Denied => is_word() && is_of_format(text),
                _ => is_builtin(text),
            };
            if is_known {
                continue;
            }
            let hit = self.hits.entry(secret).or_default();
            hit.count += 1;
            if hit.places.len() < PLACES {
                // The other keys can be secrets.
                let member = path.keys().next().unwrap_or("");
                let is_known = is_builtin(member) || MEMBERS.contains(&member);
                hit.places.push((path.at, if is_known { member.into() } else { String::new() }));
            }
        }
    }
}

/// Members of documents.
const MEMBERS: [&str; 8] =
    ["strings", "snapshot", "traceEvents", "nodes", "head", "frames", "resources", "args"];

impl Visitor for Audit<'_> {
    fn key<'t>(&mut self, path: &Path, text: &'t str) -> io::Result<Cow<'t, str>> {
        self.look(path, text, || !trace::is_data(path));
        Ok(text.into())
    }

    fn string<'t>(&mut self, path: &Path, text: &'t str) -> io::Result<Cow<'t, str>> {
        self.look(path, text, || path.keys().take(2).eq(["snapshot", "meta"]));
        Ok(text.into())
    }
}
