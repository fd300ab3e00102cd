//! Visits the top-level members of a document, in file order.

use super::{
    locate::LocatedStrings,
    members::{Member, Members, peek},
    sections::{STRINGS, Section},
    source::{End, skip_value},
};
use crate::{ByteOffset, Code, Error, Input, Log, Result, input};

/// The member that describes all others.
pub(crate) const HEADER: &str = "snapshot";

/// Size of a read in the search for content after the closing brace.
const TRAILING_WINDOW: usize = 4096;
/// Maximum size of an excerpt of invalid bytes.
const EXCERPT_BYTES: usize = 80;

/// The result of visiting a member.
#[derive(Debug)]
pub(crate) enum Visit {
    /// The header; the offset is that of its `{`.
    Header(ByteOffset),
    /// A section; the offset is that of its `[`.
    Section(&'static Section, ByteOffset),
    /// A member that is not read, or the end.
    Other,
}

/// A walk over the top-level members. Logs everything unusual.
pub(crate) struct Walk<'a> {
    input: &'a dyn Input,
    window: usize,
    members: Members,
    ended: bool,
    /// Where another document follows this one.
    next: Option<ByteOffset>,
    /// Sections visited so far, with their offsets.
    visited: Vec<(&'static Section, ByteOffset)>,
    /// Strings that are read ahead of the walk, and how they ended.
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
        Walk { input, window, members, ended: false, next: None, visited: Vec::new(), strings }
    }

    /// Whether there are no more members.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Position of the walk in the document.
    pub(crate) fn at(&self) -> ByteOffset {
        self.members.at
    }

    /// Offset of the `[` of the strings that are read ahead of the walk.
    pub(crate) fn located_strings(&self) -> Option<ByteOffset> {
        self.strings.map(|(strings, _)| strings.open)
    }

    /// How the strings at this offset ended, if they have been read. The outer `None` means that these are not the
    /// strings that are read ahead of the walk.
    pub(crate) fn early_strings(&self, open: ByteOffset) -> Option<Option<End>> {
        let (_, end) = self.strings.filter(|(strings, _)| strings.open == open)?;
        Some(end)
    }

    /// Where another document follows this one, once the walk has ended.
    pub(crate) fn next_document(&self) -> Option<ByteOffset> {
        self.next
    }

    /// Whether a section has been visited.
    pub(crate) fn has_visited(&self, section: &Section) -> bool {
        self.place_of(section).is_some()
    }

    fn place_of(&self, section: &Section) -> Option<ByteOffset> {
        self.visited.iter().find(|(visited, _)| *visited == section).map(|(_, at)| *at)
    }

    /// Visits the next member. `has_header`: the header has been visited.
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
                match peek(self.input, at, TRAILING_WINDOW)? {
                    Some((b'{' | b'[', at)) => self.next = Some(at),
                    Some((_, at)) => {
                        let found = input::bytes_at(self.input, at, EXCERPT_BYTES)?;
                        let rest = self.input.end() - at;
                        log.add_excerpt(Code::TrailingData, at, &found, || {
                            format!("{rest} bytes behind the closing brace")
                        });
                    }
                    None => {}
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

    /// The section of a member; `None` if it is not one that is read.
    fn visit_member(
        &mut self,
        name: &str,
        key_at: ByteOffset,
        at: ByteOffset,
        log: &mut Log,
    ) -> Result<Option<&'static Section>> {
        let Some(section) = Section::by_name(name) else {
            let (code, message) = match name {
                HEADER => (Code::DuplicateSection, "the first is kept"),
                // It was perhaps one that is known.
                _ if name
                    .contains(|c: char| c.is_control() || c == char::REPLACEMENT_CHARACTER) =>
                {
                    (Code::RecordsLost, "its name is damaged; skipped")
                }
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
        // After damage, the strings found from the end count, and none before them.
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

    /// Skips the value at `at`; to the end of the document if it is not closed.
    pub(crate) fn skip(&mut self, at: ByteOffset, log: &mut Log) -> Result<()> {
        match skip_value(self.input, at, self.window)? {
            Some(end) => self.members.at = end,
            None => self.cut(log)?,
        }
        Ok(())
    }

    /// Continues after a value that has been read up to `end`.
    pub(crate) fn resume_at(&mut self, end: ByteOffset) {
        self.members.at = end;
    }

    /// Continues after a section, if its end was found.
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

    /// Takes the end of a section that was read out of order. Returns `true` if these are the strings and the walk has
    /// not reached them: the end is then used later.
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

    /// Logs a section that is not closed properly.
    pub(crate) fn log_end(&self, section: &Section, end: End, log: &mut Log) {
        if let End::Malformed(at) = end {
            self.log_malformed(at, &format!("a value or the end of {}", section.name), log);
        }
    }

    fn log_malformed(&self, at: ByteOffset, expected: &str, log: &mut Log) {
        // Used only in the message; empty if it cannot be read.
        let found = input::bytes_at(self.input, at, EXCERPT_BYTES).unwrap_or_default();
        log.add_excerpt(Code::Malformed, at, &found, || {
            format!("expected {expected}; what follows is not read")
        });
    }

    fn cut(&mut self, log: &mut Log) -> Result<()> {
        log.add(Code::Truncated, self.input.end(), || {
            "the document ends before its closing brace".into()
        });
        self.end()
    }

    /// Ends the walk. Strings that were found from the end must be a section that it has visited.
    fn end(&mut self) -> Result<()> {
        self.ended = true;
        let unchecked = self.strings.is_some_and(|(strings, _)| strings.unchecked);
        if unchecked && !self.has_visited(&STRINGS) {
            return Err(Error::misplaced());
        }
        Ok(())
    }
}
