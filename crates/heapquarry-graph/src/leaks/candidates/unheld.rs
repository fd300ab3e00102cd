//! Rule (e): what nothing is shown to hold. JavaScriptCore does not write what a Map or Set holds, so objects that only
//! these hold hang from nothing, with all below. The collection whose storage fits them best is probably the owner.

use super::{Candidate, LeakKind, ROOT, Rules, grows, growth, steps};
use crate::{Bits, NodeIndex, leaks::last::Last, retained_by::reached};
use std::cmp::Reverse;

/// Bytes of storage for each entry, at least: a reference, a link to the next one and a place to begin at.
const LEAST_ENTRY: u64 = 24;
/// Bytes of storage for each entry, at most: a Map has 40, and room for eight times as many entries.
const MOST_ENTRY: u64 = 320;
/// Bytes by which storage grows for each entry, at least.
const LEAST_GROWTH: i64 = 8;

/// Candidates of these places, which grow right below the root.
pub(super) fn find(rules: &Rules<'_>, last: &Last<'_>, growing: &[u32]) -> Vec<Candidate> {
    if growing.is_empty() || writes_entries(last) {
        return Vec::new();
    }
    let reached = reached(last.heap, &last.heap.no_nodes(), &[]);
    let is_unheld = unheld(rules, last, &reached);
    let has_class = |place: u32| {
        rules.class_name(place).is_some()
            && !rules.classes.is_generic(rules.places().get(place).class)
    };
    // What native code holds, such as timers, hangs from the root too, and says something by its class alone.
    let is_told = |&place: &u32| is_unheld[place as usize] || has_class(place);
    let mut left: Vec<u32> = growing.iter().copied().filter(is_told).collect();
    let mut found = Vec::new();
    // Classes say most, then bytes.
    let rank = |&place: &u32| (has_class(place), growth(&rules.sums(&[place])), Reverse(place));
    while let Some(lead) = left.iter().copied().max_by_key(rank) {
        let counts = rules.members(lead);
        // What comes with each of them is theirs.
        let (groups, others) =
            left.into_iter().partition(|&place| grows_with(&rules.members(place), &counts));
        left = others;
        let sums = rules.sums(&groups);
        let collection = || fitting(rules, &counts).or_else(|| growing_most(rules, &counts));
        let owner = is_unheld[lead as usize].then(collection).flatten();
        found.push(Candidate {
            kind: LeakKind::Unheld,
            owner: owner.unwrap_or(ROOT),
            lead: Some(lead),
            also: Vec::new(),
            grows_with: Vec::new(),
            steps: steps(&sums),
            bytes: growth(&sums),
            counts,
            groups,
        });
    }
    found
}

/// Whether a Map or Set has a table, as in V8's snapshots; so it counts if there is none of them.
fn writes_entries(last: &Last<'_>) -> bool {
    let mut collections = last.visible().filter(|&node| is_collection(last, node)).peekable();
    collections.peek().is_none() || collections.any(|node| has_table(last, node))
}

fn is_collection(last: &Last<'_>, node: NodeIndex) -> bool {
    last.kinds.is_object(node) && matches!(last.heap.node_name(node), "Map" | "Set")
}

fn has_table(last: &Last<'_>, node: NodeIndex) -> bool {
    crate::leaks::classes::internal(last.heap, last.words, node, crate::leaks::words::Word::Table)
        .is_some()
}

/// The places of which most members are not reached.
fn unheld(rules: &Rules<'_>, last: &Last<'_>, reached: &Bits) -> Vec<bool> {
    let mut counts = vec![0u64; rules.places().len()];
    for node in last.visible().filter(|&node| !reached.get(node)) {
        counts[last.place(node) as usize] += 1;
    }
    let members = |place: u32| rules.members(place).last().copied().unwrap_or(0);
    (0..).zip(&counts).map(|(place, &count)| count > 0 && count * 2 >= members(place)).collect()
}

/// Whether each step is as many times that of another, but for a tenth: each of these has so many of those.
fn grows_with(counts: &[u64], of: &[u64]) -> bool {
    let (steps, others) = (steps(counts), steps(of));
    let ([first, ..], [base, ..]) = (&steps[..], &others[..]) else { return false };
    steps.iter().zip(&others).all(|(step, other)| {
        let (a, b) =
            (i128::from(*step) * i128::from(*base), i128::from(*first) * i128::from(*other));
        a.abs_diff(b) * 10 <= a.unsigned_abs()
    })
}

/// The place of the Maps or Sets whose storage has room for so many entries in each snapshot, and in the last one the
/// least to spare.
fn fitting(rules: &Rules<'_>, entries: &[u64]) -> Option<u32> {
    let fits = |bytes: &[u64]| {
        bytes
            .iter()
            .zip(entries)
            .all(|(bytes, entries)| *bytes >= entries.saturating_mul(LEAST_ENTRY))
    };
    let most = entries.last()?.saturating_mul(MOST_ENTRY);
    let fitting = collections(rules)
        .map(|place| (rules.bytes(place), place))
        .filter(|(bytes, _)| fits(bytes));
    let (last, place) = fitting.filter_map(|(bytes, place)| Some((*bytes.last()?, place))).min()?;
    (last <= most).then_some(place)
}

/// The place of the Maps or Sets whose storage grew most, if by enough for so many: where others hold some of what is
/// counted, as of strings, there is not room for all in each snapshot.
fn growing_most(rules: &Rules<'_>, entries: &[u64]) -> Option<u32> {
    let grown = collections(rules).map(|place| (growth(&rules.bytes(place)), Reverse(place)));
    let (bytes, Reverse(place)) = grown.max()?;
    (bytes >= growth(entries).saturating_mul(LEAST_GROWTH)).then_some(place)
}

/// The places of Maps and Sets. Those that there are more of in each snapshot are leaked themselves.
fn collections(rules: &Rules<'_>) -> impl Iterator<Item = u32> {
    rules
        .all()
        .filter(|&place| rules.is_class(place, &["Map", "Set"]) && !grows(&rules.members(place)))
}
