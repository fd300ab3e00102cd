//! Positions of events, which are not to be mistaken for other numbers.

use std::{fmt, ops::Range};

/// Index of an event: its position among the events of a trace, from 0. A slice is known by the event that begins it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct EventIndex(pub u64);

impl EventIndex {
    /// The event at a position.
    #[inline]
    pub fn at(position: usize) -> Self {
        EventIndex(position as u64)
    }

    /// Its position, as an index of a list with one entry per event.
    #[inline]
    pub fn position(self) -> usize {
        self.0 as usize
    }

    /// The events at these positions, in order.
    #[inline]
    pub fn each(positions: Range<u64>) -> impl DoubleEndedIterator<Item = EventIndex> + Clone {
        positions.map(EventIndex)
    }
}

impl fmt::Display for EventIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
