//! Asynchronous operations (`b`, `n`, `e`): a tree of slices for each category and id.
//!
//! Within a tree, an end ends the innermost beginning with its name, and those above it. An end without a beginning is
//! a slice from the first event of the tree. Reference importer: `createNestableAsyncSlices_`. There, an `id` means the
//! same in all processes, and so does `id2.global`; `id2.local` belongs to its process.

use crate::{
    EventIndex, Events, Key, Phase,
    column::Column,
    identity::{by_identity, is_local},
    issues::{Issue, Issues},
    legacy_async::legacy_async,
    open::Open,
    packed::Packed,
};

/// How an asynchronous slice began and ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsyncEnding {
    /// A beginning with its end.
    Matched,
    /// A beginning without an end, closed by the end of a slice around it.
    Implied,
    /// A beginning without an end.
    Open,
    /// An end without a beginning.
    NoBegin,
    /// An instant (`n`).
    Instant,
    /// A step of the legacy form.
    Step,
}

const ENDINGS: [AsyncEnding; 6] = [
    AsyncEnding::Matched,
    AsyncEnding::Implied,
    AsyncEnding::Open,
    AsyncEnding::NoBegin,
    AsyncEnding::Instant,
    AsyncEnding::Step,
];

/// A slice of an asynchronous operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsyncSlice {
    /// Its event: its beginning, if it has one.
    pub event: EventIndex,
    /// The event that ends it.
    pub end_event: Option<EventIndex>,
    /// The slice that contains it.
    pub parent: Option<EventIndex>,
    /// Number of slices that contain it.
    pub depth: u32,
    /// Start in nanoseconds.
    pub ts: i64,
    /// Duration in nanoseconds, -1 if it has no end.
    pub dur: i64,
    /// How it began and ended.
    pub ending: AsyncEnding,
    /// Its name.
    pub name: Key,
    /// Its tree, for [`AsyncSlices::tree`].
    pub tree: u32,
}

/// One operation, with its slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Its first event in the file.
    pub first: EventIndex,
    /// Whether its id is local to its process.
    pub is_local: bool,
    /// Whether it has the legacy form (`S`, `T`, `p`, `F`).
    pub is_legacy: bool,
}

/// All asynchronous slices, in the order of their events, and their trees. A slice takes about twelve bytes; everything
/// else is looked up in its events.
#[derive(Clone, Debug, Default)]
pub struct AsyncSlices {
    // One element of each per slice, in the order in which they were found: tree by tree.
    events: Column,
    starts: Column,
    ends: Column,
    parents: Column,
    depths: Column,
    endings: Column,
    trees: Column,
    /// Permutation to the order of their events.
    order: Packed,
    /// The first event of each tree; trees of the legacy form come last.
    firsts: Column,
}

/// A slice when it is found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) event: EventIndex,
    /// The event with its start time, if that is another one.
    pub(crate) start: Option<EventIndex>,
    pub(crate) end: Option<EventIndex>,
    pub(crate) parent: Option<EventIndex>,
    pub(crate) depth: usize,
    pub(crate) ending: AsyncEnding,
}

impl AsyncSlices {
    /// Number of slices.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A slice, in the order of their events.
    ///
    /// # Panics
    /// If the index is out of bounds.
    pub fn get(&self, events: &Events, at: usize) -> AsyncSlice {
        self.at(events, self.order.get(at))
    }

    /// A slice, in the order in which they were found.
    fn at(&self, events: &Events, place: u64) -> AsyncSlice {
        let position = |column: &Column| column.get(place).map(|event| EventIndex(event as u64));
        let number = |column: &Column| column.get(place).expect("all slices have it");
        let ending = ENDINGS[number(&self.endings) as usize];
        let (event, end_event) = (EventIndex(number(&self.events) as u64), position(&self.ends));
        let ts = |event: EventIndex| events.ts(event).unwrap_or(0);
        let start = ts(position(&self.starts).unwrap_or(event));
        let is_step = matches!(events.phase(event), Phase::AsyncStepInto | Phase::AsyncStepPast);
        let step = if is_step { events.text_arg(event, "step") } else { None };
        AsyncSlice {
            event,
            end_event,
            parent: position(&self.parents),
            depth: number(&self.depths) as u32,
            ts: start,
            dur: match (ending, end_event) {
                (AsyncEnding::Instant, _) => 0,
                (_, None) => -1,
                (_, Some(end)) => ts(end).saturating_sub(start),
            },
            ending,
            name: step.unwrap_or(events.name(event)),
            tree: number(&self.trees) as u32,
        }
    }

    /// The slices, in the order of their events.
    pub fn iter<'a>(
        &'a self,
        events: &'a Events,
    ) -> impl ExactSizeIterator<Item = AsyncSlice> + 'a {
        (0..self.len()).map(|at| self.get(events, at))
    }

    /// The slice of an event.
    pub fn of_event(&self, events: &Events, event: EventIndex) -> Option<AsyncSlice> {
        self.place(event).map(|place| self.at(events, place))
    }

    /// Whether an event is the event of a slice.
    pub(crate) fn has(&self, event: EventIndex) -> bool {
        self.place(event).is_some()
    }

    fn place(&self, event: EventIndex) -> Option<u64> {
        let of = |place: u64| EventIndex(self.events.get(place).map_or(0, |event| event as u64));
        let at = self.order.partition_point(|place| of(place) < event);
        (at < self.len()).then(|| self.order.get(at)).filter(|&place| of(place) == event)
    }

    /// The slices of a tree, in the order of their events.
    pub fn of_tree(&self, events: &Events, tree: u32) -> Vec<AsyncSlice> {
        // They were found tree by tree.
        let of = |place: u64| self.trees.get(place).map_or(0, |tree| tree as u32);
        let (mut first, mut end) = (0, self.trees.len());
        while first < end {
            let middle = first.midpoint(end);
            match of(middle) < tree {
                true => first = middle + 1,
                false => end = middle,
            }
        }
        let places = (first..self.trees.len()).take_while(|&place| of(place) == tree);
        let mut found: Vec<AsyncSlice> = places.map(|place| self.at(events, place)).collect();
        found.sort_unstable_by_key(|slice| slice.event);
        found
    }

    /// Number of trees.
    pub fn trees(&self) -> usize {
        self.firsts.len() as usize
    }

    /// A tree. Trees are in the order of their first events, with those of the legacy form last.
    ///
    /// # Panics
    /// If the index is out of bounds.
    pub fn tree(&self, events: &Events, tree: u32) -> Tree {
        let first = self.firsts.get(tree.into()).expect("there are so many trees");
        let first = EventIndex(first as u64);
        let is_legacy = events.phase(first).is_legacy_async();
        Tree { first, is_local: is_local(events, first), is_legacy }
    }

    /// Adds a tree. Slices that are added afterwards belong to it.
    pub(crate) fn add_tree(&mut self, first: EventIndex) {
        self.firsts.push(Some(first.0 as i64));
    }

    pub(crate) fn add(&mut self, slice: Found) {
        let position = |event: Option<EventIndex>| event.map(|event| event.0 as i64);
        self.events.push(Some(slice.event.0 as i64));
        self.starts.push(position(slice.start));
        self.ends.push(position(slice.end));
        self.parents.push(position(slice.parent));
        self.depths.push(Some(slice.depth as i64));
        self.endings.push(Some(slice.ending as i64));
        self.trees.push(Some(self.firsts.len() as i64 - 1));
    }

    /// Sorts all slices.
    fn sort(&mut self) {
        let len = self.events.len() as usize;
        self.order = Packed::positions(len);
        self.order.sort(0..len, |place| self.events.get(place));
    }
}

/// All asynchronous slices.
pub(crate) fn async_slices(events: &Events, issues: &mut Issues) -> AsyncSlices {
    let mut found = AsyncSlices::default();
    let title = |event: EventIndex| (events.category(event), Key::NONE);
    let groups = by_identity(events, Phase::is_nestable_async, title, issues);
    for (first, group) in groups.by_first_event() {
        found.add_tree(first);
        grow(events, groups.of(group), &mut found, issues);
    }
    drop(groups);
    legacy_async(events, &mut found, issues);
    found.sort();
    found
}

/// The slices of a tree, whose events are given in order of time.
fn grow(
    events: &Events,
    tree: impl Iterator<Item = EventIndex>,
    found: &mut AsyncSlices,
    issues: &mut Issues,
) {
    let mut open = Open::default();
    let mut first = None;
    // Adds a slice that the innermost open slice contains.
    let within = |open: &Open, event, end, ending| {
        let (parent, depth) = (open.top(), open.len());
        Found { event, start: None, end, parent, depth, ending }
    };
    for event in tree {
        let first = *first.get_or_insert(event);
        let title = (events.name(event), Key::NONE);
        match events.phase(event) {
            Phase::NestableAsyncBegin => open.push(event, title),
            Phase::NestableAsyncEnd => {
                let begin = open.end(title, |open, begin| {
                    issues.add(Issue::ImpliedEnd, begin);
                    found.add(within(open, begin, Some(event), AsyncEnding::Implied));
                });
                found.add(match begin {
                    Some(begin) => within(&open, begin, Some(event), AsyncEnding::Matched),
                    None => {
                        issues.add(Issue::AsyncUnmatched, event);
                        let (start, end) = (Some(first), Some(event));
                        let ending = AsyncEnding::NoBegin;
                        Found { event, start, end, parent: None, depth: 0, ending }
                    }
                });
            }
            _ => found.add(within(&open, event, None, AsyncEnding::Instant)),
        }
    }
    while let Some((begin, _)) = open.pop() {
        issues.add(Issue::AsyncUnclosed, begin);
        found.add(within(&open, begin, None, AsyncEnding::Open));
    }
}
