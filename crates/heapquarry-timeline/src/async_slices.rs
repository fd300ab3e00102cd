//! Asynchronous operations (`b`, `n`, `e`): a tree for each category and id.
//!
//! Within a tree an end ends the innermost beginning of its name, and those above it with it; one without a beginning
//! stands for a slice from the first event of the tree on. Reference importer: `createNestableAsyncSlices_`. An `id` is
//! the same in all processes there, as is `id2.global`; `id2.local` belongs to its process.

use crate::{
    Events, IdKind, Ident, Key,
    events::Sparse,
    intern::Interner,
    issues::{Issue, Issues},
    open::Open,
    order::Groups,
};

/// How an asynchronous slice came about.
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
    /// A point in time (`n`).
    Instant,
    /// A step of the legacy form.
    Step,
}

/// A slice of an asynchronous operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsyncSlice {
    /// The event that stands for it: its beginning, if it has one.
    pub event: u64,
    /// The event that ends it.
    pub end_event: Option<u64>,
    /// The slice in which it lies.
    pub parent: Option<u64>,
    /// Number of slices around it.
    pub depth: u32,
    /// Start in nanoseconds.
    pub ts: i64,
    /// Duration in nanoseconds, -1 if it has no end.
    pub dur: i64,
    /// How it came about.
    pub ending: AsyncEnding,
    /// Its name.
    pub name: Key,
    /// Its tree, as a position in [`AsyncSlices::trees`].
    pub tree: u32,
}

/// What holds the slices of one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Its first event in the file.
    pub first: u64,
    /// The process, if its id means something there only.
    pub is_local: bool,
    /// Whether it is of the legacy form (`S`, `T`, `p`, `F`).
    pub is_legacy: bool,
}

/// All asynchronous slices, in the order of their events, and their trees.
#[derive(Clone, Debug, Default)]
pub struct AsyncSlices {
    /// The slices.
    pub slices: Vec<AsyncSlice>,
    /// The trees, in the order of their first events; those of the legacy form last.
    pub trees: Vec<Tree>,
}

/// Category, name, id, and process if the id belongs to it.
pub(crate) type Identity = (Key, Key, u32, Option<Ident>);

/// What identifies the operation of an event, but for what `category` and `name` say.
pub(crate) fn identity(
    events: &Events,
    event: u64,
    id: u32,
    (category, name): (Key, Key),
) -> Identity {
    let is_local = events.ids()[id as usize].kind == IdKind::Local;
    (category, name, id, is_local.then(|| events.pid(event)))
}

/// Identities in order of their first event.
#[derive(Debug)]
pub(crate) struct Identities {
    firsts: Vec<u64>,
    values: Vec<Identity>,
}

impl Identities {
    pub(crate) fn len(&self) -> usize {
        self.firsts.len()
    }

    /// The first event of each, and the identity.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, Identity)> + '_ {
        self.firsts.iter().copied().zip(self.values.iter().copied())
    }
}

/// Events with their operations' numbers, and the identities.
pub(crate) fn by_identity(
    events: &Events,
    phases: &'static [u8],
    identity: impl Fn(u64, u32) -> Identity,
    issues: &mut Issues,
) -> (Sparse<u32>, Identities) {
    let mut identities = Interner::default();
    let mut members = Sparse::default();
    let mut firsts = Vec::new();
    for event in events.of_phases(phases) {
        let Some(id) = events.id_of().get(event) else {
            issues.add(Issue::NoId, event);
            continue;
        };
        if events.ts(event).is_none() {
            issues.add(Issue::NoTime, event);
            continue;
        }
        let number = identities.intern(identity(event, id));
        if number as usize == firsts.len() {
            firsts.push(event);
        }
        members.push(event, number);
    }
    (members, Identities { firsts, values: identities.into_values() })
}

/// The slices of `b`, `n` and `e`.
pub(crate) fn async_slices(events: &Events, issues: &mut Issues) -> AsyncSlices {
    let of = |event: u64, id| {
        identity(events, event, id, (events.categories()[event as usize], Key::NONE))
    };
    let (members, identities) = by_identity(events, b"bne", of, issues);
    let groups = Groups::new(events, identities.len(), members.iter());
    let mut found = AsyncSlices::default();
    for (tree, (first, identity)) in (0..).zip(identities.iter()) {
        found.trees.push(Tree { first, is_local: identity.3.is_some(), is_legacy: false });
        grow(events, groups.of(tree as usize), tree, &mut found.slices, issues);
    }
    found.slices.sort_unstable_by_key(|slice| slice.event);
    found
}

/// The slices of a tree, whose events come in order of time.
fn grow(
    events: &Events,
    tree: impl Iterator<Item = u64>,
    number: u32,
    found: &mut Vec<AsyncSlice>,
    issues: &mut Issues,
) {
    // Beginnings by their place in `found`.
    let base = found.len();
    let mut open = Open::default();
    let mut first = None;
    for event in tree {
        let ts = events.ts(event).unwrap_or(0);
        let first = *first.get_or_insert(ts);
        let name = events.names()[event as usize];
        let mut slice = AsyncSlice {
            event,
            end_event: None,
            parent: open.top().map(|at| found[at as usize].event),
            depth: open.len() as u32,
            ts,
            dur: 0,
            ending: AsyncEnding::Instant,
            name,
            tree: number,
        };
        match events.phases()[event as usize] {
            b'b' => {
                (slice.dur, slice.ending) = (-1, AsyncEnding::Open);
                open.push(found.len() as u64, (name, Key::NONE));
            }
            b'e' => {
                let mut close = |at: u64, ending| {
                    let begin = &mut found[at as usize];
                    (begin.end_event, begin.ending) = (Some(event), ending);
                    begin.dur = ts.saturating_sub(begin.ts);
                    begin.event
                };
                let begin = open.end((name, Key::NONE), |at| {
                    let begin = close(at, AsyncEnding::Implied);
                    issues.add(Issue::ImpliedEnd, begin);
                });
                if let Some(begin) = begin {
                    close(begin, AsyncEnding::Matched);
                    continue;
                }
                issues.add(Issue::AsyncUnmatched, event);
                slice = AsyncSlice {
                    end_event: Some(event),
                    parent: None,
                    depth: 0,
                    ts: first,
                    dur: ts.saturating_sub(first),
                    ending: AsyncEnding::NoBegin,
                    ..slice
                };
            }
            _ => {}
        }
        found.push(slice);
    }
    for slice in &found[base..] {
        if slice.ending == AsyncEnding::Open {
            issues.add(Issue::AsyncUnclosed, slice.event);
        }
    }
}
