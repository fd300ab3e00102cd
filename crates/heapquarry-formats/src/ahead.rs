//! Reading ahead of claims.
//!
//! A claim begins where the one before it ends, so claims are made under a lock. But they vary little in length: where
//! the next one begins is known roughly. So a worker reads its bytes before it takes the lock, and looks through them:
//! it counts commas, or finds strings or events from a guessed boundary on. Under the lock, the claim checks whether it
//! begins at one of the ends that were found. Then everything that was found after it is what the claim would find
//! itself, and no byte is looked at again. Otherwise the claim is made as if nothing had been read ahead.

use crate::{Buffer, ByteOffset, Input, document};
use heapquarry_scan::{Extent, Span};
use std::ops::Deref;

/// Maximum number of claims that are read ahead at the same time.
const MAX_READ_AHEAD: u64 = 16;
/// Maximum size of a window that is read ahead.
const MAX_WINDOW: usize = 64 << 10;
/// Failures in a row after which nothing is read ahead any more.
const MAX_FAILURES: u32 = 32;

/// Predicts where the claims of a section begin.
#[derive(Debug, Default)]
pub(crate) struct Prediction {
    /// Length of the last claim in bytes; 0 if it does not predict the next one.
    last: u64,
    /// How much lengths have differed lately.
    spread: u64,
    /// Number of claims that are being read ahead.
    reading: u64,
    /// Number of claims in a row that nothing found ahead was of use to.
    failures: u32,
}

impl Prediction {
    /// The bytes that the next claim will probably need, if the one before all those that are being read ahead begins
    /// at `at`; `None` without a prediction, or if too many reads are under way. `look` is to look through them.
    pub(crate) fn next<'a>(
        &mut self,
        at: ByteOffset,
        input: &'a dyn Input,
        window: usize,
        look: fn(&Ahead<'a>, &mut Buffer),
    ) -> Option<Ahead<'a>> {
        let step = self.spread + self.last / 256;
        // Uncertainty of the start.
        let off = self.reading * step;
        let is_known = self.last > 0 && step.max(off) <= self.last / 2;
        if !is_known || self.reading == MAX_READ_AHEAD || self.failures == MAX_FAILURES {
            return None;
        }
        let offset = at + self.reading * self.last - off;
        self.reading += 1;
        // The element after the claim shows that it ends.
        let len = (self.last + 2 * off + 2 * step) as usize;
        let window = window.clamp(1, MAX_WINDOW);
        Some(Ahead { input, offset, len, window, off: off as usize, look })
    }

    /// Tells of a claim of this many bytes; 0 if its length does not predict that of the next one.
    pub(crate) fn claimed(&mut self, bytes: u64) {
        self.reading = self.reading.saturating_sub(1);
        let difference = bytes.abs_diff(self.last).min(bytes).min(self.last);
        self.spread = difference.max(self.spread - self.spread / 8);
        self.last = bytes;
    }

    /// Tells whether a claim was among what was found ahead.
    pub(crate) fn tried(&mut self, found: bool) {
        self.failures = if found { 0 } else { (self.failures + 1).min(MAX_FAILURES) };
    }

    #[cfg(test)]
    pub(crate) fn failures(&self) -> u32 {
        self.failures
    }
}

/// Bytes that the next claim will probably need.
pub struct Ahead<'a> {
    pub(crate) input: &'a dyn Input,
    pub(crate) offset: ByteOffset,
    pub(crate) len: usize,
    pub(crate) window: usize,
    /// The claim probably begins this many bytes after the first one, give or take as many; exactly there if it is 0.
    pub(crate) off: usize,
    pub(crate) look: fn(&Ahead<'a>, &mut Buffer),
}

impl document::Ahead for Ahead<'_> {
    fn read(self, buf: &mut Buffer) {
        (self.look)(&self, buf);
    }
}

/// What was found in bytes that were read ahead.
#[derive(Debug, Default)]
pub(crate) enum Notes {
    #[default]
    None,
    /// Number of commas in each full window.
    Commas(Vec<u32>),
    Strings(Found<Span>),
    Events(Found<Extent>),
}

/// Elements of an array, one after the other.
#[derive(Debug)]
pub(crate) struct Found<T> {
    /// Position from which on they were searched, after an element.
    pub(crate) begin: usize,
    pub(crate) elements: Vec<T>,
}

/// The position of an element.
pub(crate) trait Element {
    /// Position after it.
    fn after(&self) -> usize;
}

impl Element for Span {
    fn after(&self) -> usize {
        self.end as usize + 1
    }
}

impl Element for Extent {
    fn after(&self) -> usize {
        self.end as usize
    }
}

impl<T: Element> Found<T> {
    /// Number of the elements before `start`, if one of them, or what is before them, ends there.
    pub(crate) fn before(&self, start: usize) -> Option<usize> {
        let before = self.elements.partition_point(|element| element.after() <= start);
        let end = self.elements[..before].last().map_or(self.begin, T::after);
        (end == start).then_some(before)
    }

    /// A claim of some elements. Nothing is moved, as the lock is held.
    pub(crate) fn claim(mut self, before: usize, count: usize) -> Claimed<T> {
        self.elements.truncate(before + count);
        Claimed { elements: self.elements, before }
    }
}

/// The elements of a claim.
#[derive(Debug)]
pub(crate) struct Claimed<T> {
    elements: Vec<T>,
    /// Number of those that are of other claims.
    before: usize,
}

impl<T> From<Vec<T>> for Claimed<T> {
    fn from(elements: Vec<T>) -> Self {
        Claimed { elements, before: 0 }
    }
}

impl<T> Deref for Claimed<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.elements[self.before..]
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::document::Ahead as _;
    use std::collections::VecDeque;

    /// The buffer of the next of so many workers that claim in turn: as soon as one claims, another reads ahead.
    pub(crate) fn in_turn<'a>(
        workers: usize,
        reading: &mut VecDeque<Buffer>,
        mut ahead: impl FnMut() -> Option<Ahead<'a>>,
    ) -> Buffer {
        while reading.len() < workers {
            let Some(ahead) = ahead() else { break };
            let mut buf = Buffer::default();
            ahead.read(&mut buf);
            reading.push_back(buf);
        }
        reading.pop_front().unwrap_or_default()
    }
}
