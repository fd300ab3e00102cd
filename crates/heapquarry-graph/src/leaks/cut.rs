//! Which candidates are worth telling, and in what order.

use super::{
    candidates::{Candidate, LeakKind, Rules},
    merge::merge,
    places::{Label, ROOT},
};
use heapquarry_base::Order;

/// Bytes in a step, on average, below which growth is noise.
pub(super) const LEAST_STEP: i64 = 1000;
/// The least step in thousandths of the greatest, from three snapshots on: what grows less evenly comes to an end.
const LEAST_EVEN: u32 = 100;
/// The last step in thousandths of the greatest, if it is the least: what slows down comes to an end soon.
const LEAST_LAST: u32 = 250;
/// The part of the first snapshot's members that must be left, in thousandths, where there are only two snapshots: of
/// what is filled and emptied nothing is.
const LEAST_KEPT: u32 = 250;
/// How sure it is that something leaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confidence {
    /// Three snapshots or more, even growth, and what was there stays.
    High,
    /// Three snapshots or more; growth is uneven, or it is not known what stays or who holds it.
    Medium,
    /// Two snapshots: a cache that fills once looks like a leak.
    Low,
}

impl Confidence {
    /// Evenness and part kept that make a finding certain, in thousandths.
    pub const CERTAIN: u32 = 500;

    /// The word for it in reports.
    pub fn name(self) -> &'static str {
        match self {
            Confidence::High => "high",
            Confidence::Medium => "medium",
            Confidence::Low => "low",
        }
    }
}

/// A candidate that is told.
#[derive(Clone, Debug)]
pub(super) struct Ranked {
    pub(super) candidate: Candidate,
    /// The least step in thousandths of the greatest.
    pub(super) even: u32,
    /// The part of the first snapshot's members that are in the last, in thousandths.
    pub(super) kept: Option<u32>,
    pub(super) confidence: Confidence,
    pub(super) score: u128,
}

/// What is left, the worst leak first.
pub(super) fn rank(rules: &Rules<'_>, candidates: Vec<Candidate>) -> Vec<Ranked> {
    let mut ranked: Vec<Ranked> =
        candidates.into_iter().filter_map(|candidate| judge(rules, candidate)).collect();
    ranked.order_by_key(|r| (std::cmp::Reverse(r.score), r.candidate.owner));
    merge(rules, ranked)
}

fn judge(rules: &Rules<'_>, mut candidate: Candidate) -> Option<Ranked> {
    let steps = candidate.steps.len() as i64;
    let even = even(&candidate.counts);
    let has_three = steps > 1;
    if candidate.bytes < LEAST_STEP.saturating_mul(steps)
        || candidate.steps.iter().any(|&step| step <= 0)
        || (has_three && even < least_even(&candidate.counts))
    {
        return None;
    }
    if is_of_browser(rules, &candidate) || is_of_node(rules, &candidate) {
        return None;
    }
    // One where there was none is no growth yet: a pool was filled.
    if !has_three && candidate.kind == LeakKind::Count && candidate.counts == [0, 1] {
        return None;
    }
    let kept = kept(rules, &candidate);
    if !has_three && kept.is_some_and(|kept| kept < LEAST_KEPT) {
        return None;
    }
    let is_certain = |share| share >= Confidence::CERTAIN;
    let confidence = match (has_three, is_certain(even), kept.is_none_or(is_certain)) {
        (false, ..) => Confidence::Low,
        (true, true, true) if rules.has_births && candidate.kind != LeakKind::Unheld => {
            Confidence::High
        }
        (true, ..) => Confidence::Medium,
    };
    let weight = if has_three { 250 + u128::from(even) * 3 / 4 } else { 1000 };
    // What has no owner comes last, in the order in which it was found.
    let has_owner = candidate.kind != LeakKind::Unheld || candidate.owner != ROOT;
    let score = if has_owner { u128::from(candidate.bytes.unsigned_abs()) * weight } else { 0 };
    // A text that is appended to grows by pieces, which mean nothing to anyone.
    if candidate.kind == LeakKind::Count
        && candidate.lead.is_some_and(|lead| {
            !rules.label(lead).is_one_of_many()
                && rules.label(lead) != Label::WEAK_VALUE
                && rules.class_name(lead) == Some("(string)")
        })
    {
        candidate.kind = LeakKind::Bytes;
    }
    Some(Ranked { candidate, even, kept, confidence, score })
}

/// What a browser records of a page for `performance.getEntries()`: paints, events, requests. It has limits of its own,
/// and grows with each click. Marks and measures are made by the page.
fn is_of_browser(rules: &Rules<'_>, candidate: &Candidate) -> bool {
    let is_timeline =
        |place: u32| matches!(rules.class_name(place), Some("Performance" | "WindowPerformance"));
    let is_made_by_page = candidate.lead.is_some_and(|lead| {
        matches!(rules.class_name(lead), Some("PerformanceMark" | "PerformanceMeasure"))
    });
    let owner = candidate.owner;
    !is_made_by_page
        && std::iter::once(owner).chain(rules.places().above(owner)).take(3).any(is_timeline)
}

/// What Node records of requests for `performance.getEntries()`: it keeps 250 of them.
fn is_of_node(rules: &Rules<'_>, candidate: &Candidate) -> bool {
    let lead = candidate.lead.and_then(|lead| rules.class_name(lead));
    lead == Some("PerformanceResourceTiming")
        && rules.label(candidate.owner).text(rules.texts) == "resourceTimingBuffer"
}

/// The least step in thousandths of the greatest.
fn even(counts: &[u64]) -> u32 {
    let steps = || counts.windows(2).map(|pair| pair[1].saturating_sub(pair[0]));
    match (steps().min(), steps().max()) {
        (Some(least), Some(most)) if most > 0 => {
            (u128::from(least) * 1000 / u128::from(most)) as u32
        }
        _ => 0,
    }
}

/// How even growth must be.
fn least_even(counts: &[u64]) -> u32 {
    let steps = || counts.windows(2).map(|pair| pair[1].saturating_sub(pair[0]));
    if steps().next_back() == steps().min() { LEAST_LAST } else { LEAST_EVEN }
}

/// `None` where nothing was there, or it is not known what is old.
fn kept(rules: &Rules<'_>, candidate: &Candidate) -> Option<u32> {
    if !rules.has_births {
        return None;
    }
    let sum = |counts: &[super::counts::Count], number: fn(&super::counts::Count) -> u32| {
        candidate
            .groups
            .iter()
            .map(|&place| u64::from(number(&counts[place as usize])))
            .sum::<u64>()
    };
    let first = sum(rules.grown.counts.first()?, |count| count.members);
    let left = sum(rules.grown.counts.last()?, |count| count.old);
    (first > 0).then(|| (u128::from(left.min(first)) * 1000 / u128::from(first)) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_even_if_its_steps_are_alike() {
        for (counts, expected, least) in [
            (&[1, 2, 3][..], 1000, LEAST_LAST),
            (&[1, 3, 4], 500, LEAST_LAST),
            (&[1, 2, 4], 500, LEAST_EVEN),
            (&[1, 4, 5, 7], 333, LEAST_EVEN),
            (&[1, 4, 5, 6], 333, LEAST_LAST),
            // What shrinks does not grow.
            (&[5, 4, 8], 0, LEAST_EVEN),
            (&[5, 5, 5], 0, LEAST_LAST),
            (&[5], 0, LEAST_LAST),
        ] {
            assert_eq!((even(counts), least_even(counts)), (expected, least), "{counts:?}");
        }
    }
}
