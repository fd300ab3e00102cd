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

/// Figures of the slices of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SliceFigures {
    /// Number of slices, including those without a known end, which add no time.
    pub count: u64,
    /// Time that no nested slice covers, in nanoseconds.
    pub self_dur: i64,
    /// Time including nested slices, in nanoseconds; slices within one of the same group count once.
    pub dur: i64,
    /// The duration of the longest, in nanoseconds; `None` if none is known.
    pub longest: Option<i64>,
    /// The median of the durations, by [`percentile`].
    pub p50: Option<i64>,
    /// The duration that 95 % of them do not exceed.
    pub p95: Option<i64>,
}

/// Sums the wanted slices of threads by name and category, in the order of their first slices in the file. Slices that
/// are not wanted still hide time from those around them. Takes about 12 bytes of memory per event.
pub fn slice_sums(timeline: &Timeline, is_wanted: &dyn Fn(EventIndex) -> bool) -> Vec<Sum> {
    let titles = Titles::new(timeline, is_wanted);
    let mut groups = Groups::new((0..titles.all.len() as u32).collect());
    add_up(timeline, &titles.of, std::slice::from_mut(&mut groups));
    let sums = titles.all.iter().zip(groups.sums);
    let sums = sums.map(|(&(name, category), Open { figures, .. })| {
        let SliceFigures { count, self_dur, dur, longest, .. } = figures;
        Sum { name, category, count, self_dur, dur, longest }
    });
    sums.collect()
}

/// Sums the wanted slices of threads in several ways at once. `group_of` gives the groups of a name and category,
/// numbered from 0 in the order in which they are first given. Takes about 12 bytes of memory per event; percentiles,
/// which are exact, 8 bytes for each slice.
pub fn slice_figures<const N: usize>(
    timeline: &Timeline,
    is_wanted: &dyn Fn(EventIndex) -> bool,
    mut group_of: impl FnMut(Key, Key) -> [u32; N],
) -> [Vec<SliceFigures>; N] {
    let titles = Titles::new(timeline, is_wanted);
    let of: Vec<[u32; N]> =
        titles.all.iter().map(|&(name, category)| group_of(name, category)).collect();
    let mut groups: [Groups; N] =
        std::array::from_fn(|way| Groups::new(of.iter().map(|groups| groups[way]).collect()));
    add_up(timeline, &titles.of, &mut groups);
    groups.map(|groups| {
        let mut durations = Durations::new(timeline, &titles, &groups);
        let figures = groups.sums.iter().enumerate().map(|(group, open)| {
            let [p50, p95] = [50, 95].map(|percent| durations.percentile(group, percent));
            SliceFigures { p50, p95, ..open.figures }
        });
        figures.collect()
    })
}

/// Sums some slices of threads in several ways at once. `kind_of` gives the number of what a slice is, `None` if it is
/// not wanted; `groups` has for each way the group of each of these, from 0. Takes about 12 bytes of memory per event,
/// and tells no percentiles.
pub fn slice_sums_by<const N: usize>(
    timeline: &Timeline,
    kind_of: &dyn Fn(EventIndex) -> Option<u32>,
    groups: [Vec<u32>; N],
) -> [Vec<SliceFigures>; N] {
    let Timeline { events, slices, .. } = timeline;
    let mut of = vec![UNWANTED; events.len() as usize];
    for slice in events.all().filter(|&event| slices.ending(event).is_some()) {
        of[slice.position()] = kind_of(slice).unwrap_or(UNWANTED);
    }
    let mut groups = groups.map(Groups::new);
    add_up(timeline, &of, &mut groups);
    groups.map(|groups| groups.sums.into_iter().map(|open| open.figures).collect())
}

/// The nearest rank: the least of the values that at least `percent` percent of them do not exceed. Reorders them.
pub fn percentile(values: &mut [i64], percent: usize) -> Option<i64> {
    let rank = rank(values.len(), percent)?;
    Some(*values.select_nth_unstable(rank).1)
}

/// Position of the percentile among so many sorted values.
fn rank(len: usize, percent: usize) -> Option<usize> {
    (len * percent).div_ceil(100).max(1).checked_sub(1).filter(|_| len > 0)
}

/// The distinct names and categories of the wanted slices.
struct Titles {
    all: Vec<(Key, Key)>,
    /// By event: a position in `all`, or [`UNWANTED`].
    of: Vec<u32>,
}

/// No title.
const UNWANTED: u32 = u32::MAX;

impl Titles {
    fn new(timeline: &Timeline, is_wanted: &dyn Fn(EventIndex) -> bool) -> Self {
        let Timeline { events, slices, .. } = timeline;
        let mut titles = Interner::default();
        let mut of = vec![UNWANTED; events.len() as usize];
        for slice in events.all().filter(|&event| slices.ending(event).is_some()) {
            if is_wanted(slice) {
                of[slice.position()] = titles.intern((events.name(slice), events.category(slice)));
            }
        }
        Titles { all: titles.into_values(), of }
    }
}

/// The sums of one way to group the titles.
struct Groups {
    /// By title.
    of: Vec<u32>,
    sums: Vec<Open>,
}

/// A sum, while slices of it are open.
#[derive(Clone, Copy, Default)]
struct Open {
    figures: SliceFigures,
    /// Slices of the group around the one that is visited.
    around: u64,
}

impl Groups {
    fn new(of: Vec<u32>) -> Self {
        let len = of.iter().max().map_or(0, |&last| last as usize + 1);
        Groups { of, sums: vec![Open::default(); len] }
    }

    fn enter(&mut self, title: u32, dur: Option<(i64, i64)>) {
        let Open { figures, around } = &mut self.sums[self.of[title as usize] as usize];
        figures.count += 1;
        if let Some((own, dur)) = dur {
            figures.self_dur = figures.self_dur.saturating_add(own);
            figures.longest = figures.longest.max(Some(dur));
            if *around == 0 {
                figures.dur = figures.dur.saturating_add(dur);
            }
            *around += 1;
        }
    }

    fn leave(&mut self, title: u32) {
        self.sums[self.of[title as usize] as usize].around -= 1;
    }
}

/// Visits each slice within those that contain it. `kinds` has by event what the slice is, or [`UNWANTED`].
fn add_up(timeline: &Timeline, kinds: &[u32], groups: &mut [Groups]) {
    let Timeline { events, slices, .. } = timeline;
    let all = || events.all().filter(|&event| slices.ending(event).is_some());
    let nothing = || Packed::filled(events.len() as usize, events.len());
    let (mut first_child, mut next_sibling) = (nothing(), nothing());
    for slice in all() {
        if let Some(parent) = slices.parent(slice) {
            if let Some(sibling) = first_child.optional(parent.position()) {
                next_sibling.set(slice.position(), sibling);
            }
            first_child.set(parent.position(), slice.0);
        }
    }
    let kind = |slice: EventIndex| {
        let kind = kinds[slice.position()];
        (kind != UNWANTED).then_some(kind)
    };
    let dur =
        |slice: EventIndex| slices.self_dur(slice).map(|own| (own, slices.dur(events, slice)));
    for root in all().filter(|&slice| slices.parent(slice).is_none()) {
        let mut next = Some(root);
        while let Some(slice) = next {
            if let Some(kind) = kind(slice) {
                let dur = dur(slice);
                groups.iter_mut().for_each(|groups| groups.enter(kind, dur));
            }
            next = first_child.optional(slice.position()).map(EventIndex);
            // Up to the next slice with a sibling.
            let mut done = Some(slice);
            while let (None, Some(slice)) = (next, done) {
                if let Some(kind) = kind(slice).filter(|_| dur(slice).is_some()) {
                    groups.iter_mut().for_each(|groups| groups.leave(kind));
                }
                next = next_sibling.optional(slice.position()).map(EventIndex);
                done = slices.parent(slice);
            }
        }
    }
}

/// The known durations of all slices, those of a group side by side.
struct Durations {
    values: Vec<i64>,
    /// End of each group.
    ends: Vec<usize>,
}

impl Durations {
    fn new(timeline: &Timeline, titles: &Titles, groups: &Groups) -> Self {
        let Timeline { events, slices, .. } = timeline;
        let known = || {
            let titles = titles.of.iter().zip(events.all());
            let wanted = titles.filter(|&(&title, _)| title != UNWANTED);
            let known = wanted.filter(|&(_, slice)| slices.self_dur(slice).is_some());
            known.map(|(&title, slice)| (groups.of[title as usize] as usize, slice))
        };
        // First the size of each group, then its start, which moves to its end while the group is filled.
        let mut ends = vec![0; groups.sums.len()];
        known().for_each(|(group, _)| ends[group] += 1);
        let mut start = 0;
        for end in &mut ends {
            start += std::mem::replace(end, start);
        }
        let mut values = vec![0; start];
        for (group, slice) in known() {
            values[ends[group]] = slices.dur(events, slice);
            ends[group] += 1;
        }
        Durations { values, ends }
    }

    fn percentile(&mut self, group: usize, percent: usize) -> Option<i64> {
        let start = group.checked_sub(1).map_or(0, |before| self.ends[before]);
        percentile(&mut self.values[start..self.ends[group]], percent)
    }
}
