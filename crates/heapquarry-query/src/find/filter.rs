//! Which names and texts are looked for.

use super::Find;
use heapquarry::{Error, ErrorKind, Result};
use heapquarry_report::Pattern;
use regex::{Regex, RegexBuilder};

/// Most bytes of a regular expression in memory: one that was repeated without end is an error.
const MOST_REGEX: usize = 1 << 20;

/// Names and texts.
pub(crate) struct Filter {
    names: Vec<Pattern>,
    text: Option<String>,
    regex: Option<Regex>,
}

impl Filter {
    pub(crate) fn new(asked: &Find) -> Result<Self> {
        let regex = asked.regex.as_deref().map(|regex| {
            RegexBuilder::new(regex).size_limit(MOST_REGEX).build().map_err(|error| {
                let text = error.to_string();
                let last = text.lines().last().unwrap_or_default();
                let why = last.strip_prefix("error: ").unwrap_or(last).to_owned();
                Error::new(ErrorKind::Pattern(why))
            })
        });
        let names = asked.name.iter().map(|name| Pattern::new(name)).collect();
        Ok(Filter { names, text: asked.text.clone(), regex: regex.transpose()? })
    }

    /// Whether a text is looked for.
    pub(crate) fn is_of_text(&self) -> bool {
        self.text.is_some() || self.regex.is_some()
    }

    /// Whether a text is one that is looked for.
    pub(crate) fn has_text(&self, text: &str) -> bool {
        self.text.as_deref().is_none_or(|part| text.contains(part))
            && self.regex.as_ref().is_none_or(|regex| regex.is_match(text))
    }

    /// Whether names are looked for.
    pub(crate) fn is_of_names(&self) -> bool {
        !self.names.is_empty()
    }

    /// Whether a name is one that is looked for.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.names.iter().any(|pattern| pattern.matches(name))
    }

    /// Whether one of the names of a thing is looked for, and one has the text.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        (self.names.is_empty() || names.iter().any(|name| self.has_name(name)))
            && names.iter().any(|name| self.has_text(name))
    }
}
