//! A set of events that numbers its members.

use crate::EventIndex;

/// Events, numbered in file order: a bit for each event of the trace, and for each 64 of them how many come before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranks {
    words: Vec<u64>,
    before: Vec<u64>,
}

impl Ranks {
    /// The members among the first `len` events.
    pub(crate) fn new(len: u64, members: impl Iterator<Item = EventIndex>) -> Self {
        let mut words = vec![0u64; len.div_ceil(64) as usize];
        members.for_each(|event| words[event.position() / 64] |= 1 << (event.0 % 64));
        let mut count = 0;
        let counted = words.iter().map(|word| {
            let before = count;
            count += u64::from(word.count_ones());
            before
        });
        let before = counted.collect();
        Ranks { words, before }
    }

    /// The number of an event: how many members come before it. `None` if it is no member.
    #[inline]
    pub(crate) fn of(&self, event: EventIndex) -> Option<u64> {
        let word = *self.words.get(event.position() / 64)?;
        (word & (1 << (event.0 % 64)) != 0).then(|| self.before(event))
    }

    /// How many members come before an event, which is one of the trace.
    #[inline]
    pub(crate) fn before(&self, event: EventIndex) -> u64 {
        let (at, bit) = (event.position() / 64, 1 << (event.0 % 64));
        self.before[at] + u64::from((self.words[at] & (bit - 1)).count_ones())
    }

    /// Number of members.
    pub(crate) fn len(&self) -> u64 {
        let last = self.words.last().map_or(0, |word| word.count_ones().into());
        self.before.last().copied().unwrap_or(0) + last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_member_has_the_number_of_those_before_it(
            members in prop::collection::btree_set(0..400u64, 0..200), len in 400..500u64
        ) {
            let ranks = Ranks::new(len, members.iter().copied().map(EventIndex));
            prop_assert_eq!(ranks.len(), members.len() as u64);
            for event in 0..len {
                let before = members.range(..event).count() as u64;
                prop_assert_eq!(ranks.before(EventIndex(event)), before);
            }
            for event in 0..len + 70 {
                let number = members.iter().position(|&member| member == event);
                prop_assert_eq!(ranks.of(EventIndex(event)), number.map(|number| number as u64));
            }
        }
    }
}
