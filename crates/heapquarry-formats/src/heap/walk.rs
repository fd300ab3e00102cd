//! Visits the top-level members of a document, in file order.

use super::{
    locate::LocatedStrings,
    members::{Member, Members, peek},
    sections::{STRINGS, Section},
    source::{End, skip_value},
};
use crate::{Code, Error, Input, Log, Result, input};

/// The member that describes all others.
pub(crate) const HEADER: &str = "snapshot";

/// Bytes that are looked through for something behind the closing brace, at a time.
const TRAILING_WINDOW: usize = 4096;
/// Bytes of what cannot stand where it stands that are shown.
const EXCERPT_BYTES: usize = 80;

/// What a walk came to.
#[derive(Debug)]
pub(crate) enum Visit {
    /// The header: its `{` is at that offset.
    Header(u64),
    /// A section: its `[` is at that offset.
    Section(&'static Section, u64),
    /// Something that is not read, or the end.
    Other,
}

/// A walk over the top-level members. Whatever is out of the ordinary is logged.
pub(crate) struct Walk<'a> {
    input: &'a dyn Input,
    window: usize,
    members: Members,
    ended: bool,
    /// Sections visited so far, and where.
    visited: Vec<(&'static Section, u64)>,
    /// Strings that are read before the walk comes to them, and how they ended.
    strings: Option<(LocatedStrings, Option<End>)>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(
        input: &'a dyn Input,
        members: Members,
        strings: Option<LocatedStrings>,
        window: usize,
    ) -> Self {
        let strings = strings.map(|strings| (strings, None));
        Walk { input, window, members, ended: false, visited: Vec::new(), strings }
    }

    /// Whether there are no more members.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Where the walk stands.
    pub(crate) fn at(&self) -> u64 {
        self.members.at
    }

    /// Offset of the `[` of the strings that are read before the walk comes to them.
    pub(crate) fn located_strings(&self) -> Option<u64> {
        self.strings.map(|(strings, _)| strings.open)
    }

    /// How the strings at that offset ended, if they have been read: `None` if these are not the ones that are read
    /// before the walk comes to them.
    pub(crate) fn early_strings(&self, open: u64) -> Option<Option<End>> {
        let (_, end) = self.strings.filter(|(strings, _)| strings.open == open)?;
        Some(end)
    }

    /// Whether a section has been visited.
    pub(crate) fn has_visited(&self, section: &Section) -> bool {
        self.place_of(section).is_some()
    }

    fn place_of(&self, section: &Section) -> Option<u64> {
        self.visited.iter().find(|(visited, _)| *visited == section).map(|(_, at)| *at)
    }

    /// Visits the next member. `has_header` says whether there was a header before.
    pub(crate) fn advance(&mut self, has_header: bool, log: &mut Log) -> Result<Visit> {
        match self.members.next(self.input)? {
            Member::Value { name, at, .. } if name == HEADER && !has_header => {
                return Ok(Visit::Header(at));
            }
            Member::Value { name, key_at, at } => {
                if let Some(section) = self.visit_member(&name, key_at, at, log)? {
                    return Ok(Visit::Section(section, at));
                }
                self.skip(at, log)?;
            }
            Member::End { at } => {
                self.end()?;
                if let Some((_, at)) = peek(self.input, at, TRAILING_WINDOW)? {
                    let found = input::bytes_at(self.input, at, EXCERPT_BYTES)?;
                    log.add_excerpt(Code::TrailingData, at, &found, || {
                        format!("{} bytes behind the closing brace", self.input.size() - at)
                    });
                }
            }
            Member::Cut => self.cut(log)?,
            Member::Malformed { at, expected } => {
                self.end()?;
                self.log_malformed(at, expected, log);
            }
        }
        Ok(Visit::Other)
    }

    /// The section that a member is, if it is one that is read.
    fn visit_member(
        &mut self,
        name: &str,
        key_at: u64,
        at: u64,
        log: &mut Log,
    ) -> Result<Option<&'static Section>> {
        let Some(section) = Section::by_name(name) else {
            let (code, message) = match name {
                HEADER => (Code::DuplicateSection, "the first is kept"),
                _ => (Code::UnknownSection, "skipped"),
            };
            log.add(code, key_at, || format!("section {name:?}: {message}"));
            return Ok(None);
        };
        let elsewhere =
            self.strings.filter(|(strings, _)| *section == STRINGS && strings.open != at);
        if elsewhere.is_some_and(|(strings, _)| strings.unchecked) {
            return Err(Error::misplaced());
        }
        // Behind damage strings are taken from the end, and none that may come before them.
        let elsewhere = elsewhere.map(|(strings, _)| strings.open);
        if let Some(first) = self.place_of(section).or(elsewhere) {
            log.add(Code::DuplicateSection, key_at, || {
                format!("section {name:?}: the one at byte {first} is kept")
            });
            return Ok(None);
        }
        self.visited.push((section, at));
        if !matches!(peek(self.input, at, 1)?, Some((b'[', _))) {
            log.add(Code::MissingSection, key_at, || format!("{name:?} is no array"));
            return Ok(None);
        }
        Ok(Some(section))
    }

    /// Passes over the value at `at`, to the end of the document if it has none.
    pub(crate) fn skip(&mut self, at: u64, log: &mut Log) -> Result<()> {
        match skip_value(self.input, at, self.window)? {
            Some(end) => self.members.at = end,
            None => self.cut(log)?,
        }
        Ok(())
    }

    /// Goes on behind a value that has been read to `end`.
    pub(crate) fn resume_at(&mut self, end: u64) {
        self.members.at = end;
    }

    /// Goes on behind a section, if it can.
    pub(crate) fn resume(&mut self, section: &Section, end: End, log: &mut Log) -> Result<()> {
        match end {
            End::Closed(at) => self.members.at = at,
            End::Cut => self.cut(log)?,
            End::Malformed(_) => {
                self.end()?;
                self.log_end(section, end, log);
            }
        }
        Ok(())
    }

    /// A section that was read out of turn has ended. `true` if these are the strings, and the walk is still to come to
    /// them: then their end counts.
    pub(crate) fn keep_end(&mut self, section: &Section, ended: End) -> bool {
        let visited = self.has_visited(section);
        match &mut self.strings {
            Some((_, end)) if *section == STRINGS && !visited => {
                *end = Some(ended);
                true
            }
            _ => false,
        }
    }

    /// Logs a section's end if it is none.
    pub(crate) fn log_end(&self, section: &Section, end: End, log: &mut Log) {
        if let End::Malformed(at) = end {
            self.log_malformed(at, &format!("a value or the end of {}", section.name), log);
        }
    }

    fn log_malformed(&self, at: u64, expected: &str, log: &mut Log) {
        // Only for the message: if it cannot be read, it stays empty.
        let found = input::bytes_at(self.input, at, EXCERPT_BYTES).unwrap_or_default();
        log.add_excerpt(Code::Malformed, at, &found, || {
            format!("expected {expected}; what follows is not read")
        });
    }

    fn cut(&mut self, log: &mut Log) -> Result<()> {
        log.add(Code::Truncated, self.input.size(), || {
            "the document ends before its closing brace".into()
        });
        self.end()
    }

    /// The walk is over. Strings that were looked for from the end must be a section that it has visited.
    fn end(&mut self) -> Result<()> {
        self.ended = true;
        let unchecked = self.strings.is_some_and(|(strings, _)| strings.unchecked);
        if unchecked && !self.has_visited(&STRINGS) {
            return Err(Error::misplaced());
        }
        Ok(())
    }
}
