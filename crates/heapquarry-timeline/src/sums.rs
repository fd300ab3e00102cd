//! Self and total times of slices by name.

use crate::{EventIndex, Key, Timeline, intern::Interner, packed::Packed};

/// The slices with a name and category, in all threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// The name.
    pub name: Key,
    /// The category.
    pub category: Key,
    /// Number of slices, including those without a known end, which add no time.
    pub count: u64,
    /// Time that no nested slice covers, in nanoseconds.
    pub self_dur: i64,
    /// Time including nested slices, in nanoseconds; slices within one of the same name and category count once.
    pub dur: i64,
    /// The duration of the longest, in nanoseconds; `None` if none is known.
    pub longest: Option<i64>,
}

/// Sums the slices of threads by name and category, in the order of their first slices in the file. Takes about 12
/// bytes of memory per event.
pub fn slice_sums(timeline: &Timeline) -> Vec<Sum> {
    let Timeline { events, slices, .. } = timeline;
    let all = || events.all().filter(|&event| slices.ending(event).is_some());
    let mut titles = Interner::default();
    let mut group_of = vec![0; events.len() as usize];
    let nothing = || Packed::filled(events.len() as usize, events.len());
    let (mut first_child, mut next_sibling) = (nothing(), nothing());
    for slice in all() {
        let at = slice.position();
        group_of[at] = titles.intern((events.name(slice), events.category(slice)));
        if let Some(parent) = slices.parent(slice) {
            if let Some(sibling) = first_child.optional(parent.position()) {
                next_sibling.set(at, sibling);
            }
            first_child.set(parent.position(), slice.0);
        }
    }
    let empty = |&(name, category): &(Key, Key)| {
        let sum = Sum { name, category, count: 0, self_dur: 0, dur: 0, longest: None };
        // The second number counts the enclosing slices of the same sum.
        (sum, 0u64)
    };
    let mut sums: Vec<(Sum, u64)> = titles.values().iter().map(empty).collect();
    let dur =
        |slice: EventIndex| slices.self_dur(slice).map(|own| (own, slices.dur(events, slice)));
    let enter = |sums: &mut [(Sum, u64)], slice: EventIndex| {
        let (sum, around) = &mut sums[group_of[slice.position()] as usize];
        sum.count += 1;
        if let Some((own, dur)) = dur(slice) {
            sum.self_dur = sum.self_dur.saturating_add(own);
            sum.longest = sum.longest.max(Some(dur));
            if *around == 0 {
                sum.dur = sum.dur.saturating_add(dur);
            }
            *around += 1;
        }
    };
    let leave = |sums: &mut [(Sum, u64)], slice: EventIndex| {
        sums[group_of[slice.position()] as usize].1 -= u64::from(dur(slice).is_some());
    };
    for root in all().filter(|&slice| slices.parent(slice).is_none()) {
        let mut next = Some(root);
        while let Some(slice) = next {
            enter(&mut sums, slice);
            next = first_child.optional(slice.position()).map(EventIndex);
            // Up to the next slice with a sibling.
            let mut done = Some(slice);
            while let (None, Some(slice)) = (next, done) {
                leave(&mut sums, slice);
                next = next_sibling.optional(slice.position()).map(EventIndex);
                done = slices.parent(slice);
            }
        }
    }
    sums.into_iter().map(|(sum, _)| sum).collect()
}
