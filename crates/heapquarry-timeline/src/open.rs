//! What has begun and not ended, and what an end ends.
//!
//! An end ends the innermost one of its name and category; of either, if it names none. That is Perfetto's rule
//! (`SliceTracker::MatchingIncompleteSliceIndex`). The reference importer always ends the innermost of a thread, and
//! merely warns of another name, so that one missing end shifts all ends that follow; for asynchronous operations it
//! has the rule of names too (`createNestableAsyncSlices_`).

use crate::{HashMap, Key};

/// A name and a category, each of which may be missing.
type Title = (Key, Key);

/// A stack of things that have begun.
#[derive(Debug, Default)]
pub(crate) struct Open {
    stack: Vec<(u64, Title)>,
    /// How many are open of each title, as ends may ask for it. Kept only once it matters: without it, ends that
    /// match nothing would each look at the whole stack.
    counts: Option<HashMap<Title, usize>>,
}

/// What ends may ask for and mean this title.
fn questions((name, category): Title) -> impl Iterator<Item = Title> {
    let all = [(name, category), (name, Key::NONE), (Key::NONE, category), (Key::NONE, Key::NONE)];
    // A title without name or category gives some of them twice.
    (0..4).filter(move |&at| !all[..at].contains(&all[at])).map(move |at| all[at])
}

fn answers((name, category): Title, question: Title) -> bool {
    let matches = |asked: Key, has: Key| asked == Key::NONE || asked == has;
    matches(question.0, name) && matches(question.1, category)
}

impl Open {
    pub(crate) fn push(&mut self, event: u64, title: Title) {
        self.stack.push((event, title));
        if let Some(counts) = &mut self.counts {
            questions(title).for_each(|question| *counts.entry(question).or_default() += 1);
        }
    }

    /// The innermost.
    pub(crate) fn top(&self) -> Option<u64> {
        self.stack.last().map(|&(event, _)| event)
    }

    /// How many are open.
    pub(crate) fn len(&self) -> usize {
        self.stack.len()
    }

    /// Takes the one that `question` ends off the stack, and first those above it, which end with it; `implied` gets
    /// each of these when it is off. `None` if there is no such one.
    pub(crate) fn end(
        &mut self,
        question: Title,
        mut implied: impl FnMut(&Self, u64),
    ) -> Option<u64> {
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

    /// All that are still open, innermost first; none are afterwards.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = u64> + '_ {
        self.counts = None;
        self.stack.drain(..).rev().map(|(event, _)| event)
    }

    /// Takes the innermost off.
    pub(crate) fn pop(&mut self) -> Option<(u64, Title)> {
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
            let mut naive: Vec<(u64, Title)> = Vec::new();
            for (event, (is_begin, name, category)) in (0..).zip(steps) {
                let title = (name, category);
                if is_begin {
                    open.push(event, title);
                    naive.push((event, title));
                    continue;
                }
                let found = naive.iter().rposition(|&(_, of)| answers(of, title));
                let expected = found.map(|at| {
                    let mut ended: Vec<u64> = naive.drain(at..).map(|(event, _)| event).collect();
                    ended.reverse();
                    ended
                });
                let mut ended = Vec::new();
                let last = open.end(title, |_, event| ended.push(event));
                ended.extend(last);
                prop_assert_eq!(last.map(|_| ended), expected);
            }
            let rest: Vec<u64> = naive.iter().rev().map(|&(event, _)| event).collect();
            prop_assert_eq!(open.drain().collect::<Vec<_>>(), rest);
        }
    }
}
