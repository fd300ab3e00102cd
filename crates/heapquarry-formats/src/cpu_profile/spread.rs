//! Times of profiles that have none: the time from start to end, shared out evenly over samples or hits. This is the
//! rule of Chrome DevTools (`CPUProfileDataModel.ts`: `normalizeTimestamps`, and the self time of nodes).

use crate::json::NONE;

/// A time that is shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spread {
    start: i64,
    length: i64,
    parts: i64,
}

impl Spread {
    /// Of that many parts; `None` if there are none, or if it is not known how long they took.
    pub(super) fn new(start: i64, end: i64, parts: u64) -> Option<Self> {
        let length = end.checked_sub(start).filter(|&length| length > 0)?;
        let parts = i64::try_from(parts).ok().filter(|&parts| parts > 0)?;
        (start != NONE && end != NONE).then_some(Spread { start, length, parts })
    }

    /// The whole time.
    pub(super) fn length(self) -> i64 {
        self.length
    }

    /// When a part begins; the end for the one behind the last.
    pub(super) fn time(self, part: i64) -> i64 {
        let part = part.clamp(0, self.parts);
        let passed = i128::from(self.length) * i128::from(part) / i128::from(self.parts);
        // At most the length, so it fits.
        self.start + passed as i64
    }

    /// How long consecutive parts take.
    pub(super) fn duration(self, first: i64, parts: i64) -> i64 {
        self.time(first.saturating_add(parts)) - self.time(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_to_the_whole() {
        for (start, end, parts, durations) in [
            (100, 500, 4, Some(vec![100, 100, 100, 100])),
            (0, 10, 3, Some(vec![3, 3, 4])),
            (0, 2, 3, Some(vec![0, 1, 1])),
            (0, i64::MAX, 1, Some(vec![i64::MAX])),
            (5, 5, 3, None),
            (5, 4, 3, None),
            (0, 10, 0, None),
            (NONE, 10, 3, None),
            (0, NONE, 3, None),
            (-2, i64::MAX, 3, None),
        ] {
            let spread = Spread::new(start, end, parts);
            let found = spread.map(|spread| {
                (0..parts as i64).map(|part| spread.duration(part, 1)).collect::<Vec<_>>()
            });
            assert_eq!(found, durations, "{start} {end} {parts}");
        }
    }
}
