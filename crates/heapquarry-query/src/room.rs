//! How much room there is for what is drawn.

/// What is drawn of an input has at least so much room for each of its lists.
const LEAST: usize = 10;

/// The room of all of a page, or the share of one part of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    parts: usize,
}

impl Room {
    /// The share that each of `parts` parts has; that is not 0 where [`of`](Self::of) is called.
    pub(super) fn new(parts: usize) -> Self {
        Room { parts }
    }

    /// The share of a limit for a whole page.
    pub(super) fn of(self, most: usize) -> usize {
        (most / self.parts).max(most.min(LEAST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_the_limits_of_a_page() {
        for (parts, most, expected) in
            [(1, 20_000, 20_000), (1, 4, 4), (3, 20_000, 6_666), (24, 100, 10), (24, 4, 4)]
        {
            assert_eq!(Room::new(parts).of(most), expected, "{most} in {parts}");
        }
    }
}
