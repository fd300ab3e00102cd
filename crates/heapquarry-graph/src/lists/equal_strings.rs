//! The lists of strings by their texts.

use super::{ListSink, Lists, Unfit, ensure};
use crate::{EqualStrings, FixedBits};

const SINGLE: &str = "single_strings";
const SHARED: &str = "shared_strings";
const TEXTS: &str = "shared_texts";

impl EqualStrings {
    /// Gives all its lists to a sink, in a fixed order.
    ///
    /// # Errors
    /// The first of the sink.
    pub fn put_lists<S: ListSink>(&self, sink: &mut S) -> Result<(), S::Error> {
        sink.list(SINGLE, self.single.words().iter().copied())?;
        sink.list(SHARED, self.shared.iter().map(|node| node.0))?;
        sink.list(TEXTS, self.texts.iter().copied())
    }

    /// What [`EqualStrings::put_lists`] gave for so many nodes. What it says is looked at before it is used.
    pub(super) fn as_written(lists: &mut Lists, nodes: usize) -> Result<Self, Unfit> {
        let single = FixedBits::from_words(lists.longs(SINGLE)?, nodes);
        let single = single.ok_or(Unfit { list: SINGLE })?;
        let (shared, texts) = (lists.words(SHARED)?.cast(), lists.words(TEXTS)?);
        ensure(shared.len() == texts.len(), TEXTS)?;
        Ok(EqualStrings { single, shared, texts })
    }
}
