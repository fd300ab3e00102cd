//! Open beginnings, and which of them an end matches.
//!
//! An end matches the innermost beginning with its name and category; a missing name or category matches any. This is
//! Perfetto's rule (`SliceTracker::MatchingIncompleteSliceIndex`). The reference importer always ends the innermost
//! beginning of a thread, and only warns if the name differs, so one missing end shifts all later ends. For
//! asynchronous operations it also matches names (`createNestableAsyncSlices_`).

use crate::{EventIndex, HashMap, Key};

/// A name and a category, either of which may be missing.
type Title = (Key, Key);

/// A stack of open beginnings.
#[derive(Debug, Default)]
pub(crate) struct Open {
    stack: Vec<(EventIndex, Title)>,
    /// Number of open beginnings for each title that an end can have. Counted only when it is needed: without it, each
    /// unmatched end would search the whole stack.
    counts: Option<HashMap<Title, usize>>,
}

/// The titles of ends that match this title.
fn questions((name, category): Title) -> impl Iterator<Item = Title> {
    let all = [(name, category), (name, Key::NONE), (Key::NONE, category), (Key::NONE, Key::NONE)];
    // A title without name or category would give some of them twice.
    (0..4).filter(move |&at| !all[..at].contains(&all[at])).map(move |at| all[at])
}

fn answers((name, category): Title, question: Title) -> bool {
    let matches = |asked: Key, has: Key| asked == Key::NONE || asked == has;
    matches(question.0, name) && matches(question.1, category)
}

impl Open {
    pub(crate) fn push(&mut self, event: EventIndex, title: Title) {
        self.stack.push((event, title));
        if let Some(counts) = &mut self.counts {
            questions(title).for_each(|question| *counts.entry(question).or_default() += 1);
        }
    }

    /// The innermost one.
    pub(crate) fn top(&self) -> Option<EventIndex> {
        self.stack.last().map(|&(event, _)| event)
    }

    /// Number of open ones.
    pub(crate) fn len(&self) -> usize {
        self.stack.len()
    }

    /// Pops the one that `question` ends, and first those above it, which end with it; `implied` is called for each of
    /// these after it is popped. `None` if there is no match.
    pub(crate) fn end(
        &mut self,
        question: Title,
        mut implied: impl FnMut(&Self, EventIndex),
    ) -> Option<EventIndex> {
        let &(event, title) = self.stack.last()?;
        if answers(title, question) {
            self.pop();
            return Some(event);
        }
        let counts = self.counts.get_or_insert_with(|| {
            let mut counts = HashMap::default();
            for question in self.stack.iter().flat_map(|&(_, title)| questions(title)) {
                *counts.entry(question).or_default() += 1;
            }
            counts
        });
        if counts.get(&question).is_none_or(|&count| count == 0) {
            return None;
        }
        loop {
            let (event, title) = self.pop()?;
            if answers(title, question) {
                return Some(event);
            }
            implied(self, event);
        }
    }

    /// Pops all that are still open, innermost first.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = EventIndex> + '_ {
        self.counts = None;
        self.stack.drain(..).rev().map(|(event, _)| event)
    }

    /// Pops the innermost one.
    pub(crate) fn pop(&mut self) -> Option<(EventIndex, Title)> {
        let (event, title) = self.stack.pop()?;
        if let Some(counts) = &mut self.counts {
            for question in questions(title) {
                counts.entry(question).and_modify(|count| *count -= 1);
            }
        }
        Some((event, title))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key() -> impl Strategy<Value = Key> {
        prop_oneof![Just(Key::NONE), (0..3u32).prop_map(Key)]
    }

    proptest! {
        #[test]
        fn an_end_ends_the_innermost_that_matches(
            steps in proptest::collection::vec((any::<bool>(), key(), key()), 0..60)
        ) {
            let mut open = Open::default();
            let mut naive: Vec<(EventIndex, Title)> = Vec::new();
            for (event, (is_begin, name, category)) in (0..).map(EventIndex).zip(steps) {
                let title = (name, category);
                if is_begin {
                    open.push(event, title);
                    naive.push((event, title));
                    continue;
                }
                let found = naive.iter().rposition(|&(_, of)| answers(of, title));
                let expected = found.map(|at| {
                    let mut ended: Vec<EventIndex> = naive.drain(at..).map(|(event, _)| event).collect();
                    ended.reverse();
                    ended
                });
                let mut ended = Vec::new();
                let last = open.end(title, |_, event| ended.push(event));
                ended.extend(last);
                prop_assert_eq!(last.map(|_| ended), expected);
            }
            let rest: Vec<EventIndex> = naive.iter().rev().map(|&(event, _)| event).collect();
            prop_assert_eq!(open.drain().collect::<Vec<_>>(), rest);
        }
    }
}
