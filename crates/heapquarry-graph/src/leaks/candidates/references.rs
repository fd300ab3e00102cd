//! Rule (b): more references in every step, to what was there: one listener, added again and again.

use super::{Candidate, LeakKind, Rules, grows, growth, steps};

/// A place whose containers were there from the start and get more entries in every step.
pub(super) fn find(rules: &Rules<'_>, place: u32) -> Option<Candidate> {
    let entries = rules.entries(place);
    let was_there = rules.members(place).first().is_some_and(|&members| members > 0);
    // New containers bring their entries along: where it is not known which are new, there must be no more of them.
    if !rules.has_births && growth(&rules.members(place)) != 0 {
        return None;
    }
    if !grows(&entries) || !was_there || rules.is_class(place, &["WeakMap", "WeakSet"]) {
        return None;
    }
    let sums = rules.sums(&[place]);
    Some(Candidate {
        kind: LeakKind::References,
        owner: place,
        groups: Vec::new(),
        lead: None,
        also: Vec::new(),
        grows_with: Vec::new(),
        counts: entries,
        steps: steps(&sums),
        bytes: growth(&sums),
    })
}
