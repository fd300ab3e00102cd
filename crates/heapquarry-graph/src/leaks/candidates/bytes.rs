//! Rule (c): the size grows in every step, but not the number: strings, typed arrays, tables of numbers.

use super::{Candidate, LeakKind, Rules, grows_by, growth, steps};

/// Growth in a step that counts, in bytes.
const LEAST: u64 = 256;

/// Bytes for each entry up to which a table is that of its entries: a reference takes 8, with keys and hashes 24.
const ENTRY: u64 = 80;

/// A place whose own bytes grow.
pub(super) fn find(rules: &Rules<'_>, place: u32) -> Option<Candidate> {
    // Functions and their variables have no name of their own.
    rules.class_name(place)?;
    let (members, bytes) = (rules.members(place), rules.bytes(place));
    let (first, last) = (*members.first()?, *members.last()?);
    if !grows_by(&bytes, LEAST) || first == 0 || first != last {
        return None;
    }
    // Tables have room to spare: those of Maps and Sets double from time to time, that of an array that is shifted goes
    // up and down. Without entries to be seen they hold numbers.
    let entries = rules.entries(place).last().copied().unwrap_or(0);
    if entries.saturating_mul(ENTRY) > *bytes.last()? {
        return None;
    }
    Some(Candidate {
        kind: LeakKind::Bytes,
        owner: place,
        groups: Vec::new(),
        lead: None,
        also: Vec::new(),
        grows_with: Vec::new(),
        steps: steps(&bytes),
        bytes: growth(&bytes),
        counts: bytes,
    })
}
