//! How long a watch must be to tell whether a slope matters.

use crate::Trend;

/// Figures of what lives in a watch whose length is known beforehand, at most.
pub const MOST_FIGURES: u32 = 240;

/// A watch that would tell is longer by this factor, at most.
const LONGEST: f64 = 1000.0;
/// From one length that is tried to the next.
const STEP: f64 = 1.05;

/// In four of five watches the range of a slope, which reaches from the slope as far as 1.96 standard deviations, ends
/// before this many times as far from the true one: 1 + 0.84 / 1.96.
const FOUR_OF_FIVE: f64 = 1.43;

/// How many times as much time figures must cover to tell, in four of five watches, that a line rises by more than
/// `limit` over that time, or by less; `None` if none would tell. The line and the scatter stay what they are.
///
/// The range of a slope is as wide as the figures are scattered, divided by the time between two of them and by their
/// number to the power of 1.5: that of the rise over all of the time by the root of their number. Later figures are as
/// far apart as these, until they are too many.
pub(crate) fn needed(trend: &Trend, limit: f64) -> Option<f64> {
    let count = trend.points as f64;
    let most = f64::from(MOST_FIGURES).max(count);
    let reach = FOUR_OF_FIVE * (trend.high - trend.slope) * trend.span;
    let rise = trend.change();
    let tells = |k: f64| (rise * k - limit).abs() > reach * (count / (count * k).min(most)).sqrt();
    let factors = std::iter::successors(Some(STEP), |k| Some(k * STEP));
    factors.take_while(|k| *k <= LONGEST).find(|k| tells(*k))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trend;

    /// Numbers from -1 to 1, each as probable as any other.
    struct Noise(u64);

    impl Noise {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
        }
    }

    /// The trend of a line with noise.
    fn seen(span: f64, slope: f64, spread: f64, seed: u64) -> Trend {
        let mut noise = Noise(seed);
        // The first of similar seeds are similar.
        noise.next();
        let apart = (span / f64::from(MOST_FIGURES)).max(7.0);
        let times = (0..).map(|at| f64::from(at) * apart).take_while(|at| *at <= span);
        let points: Vec<_> = times.map(|at| (at, slope * at + spread * noise.next())).collect();
        trend(&points).unwrap()
    }

    /// Whether a watch can tell on which side of the limit the line is.
    fn tells(trend: &Trend, limit: f64) -> bool {
        trend.high * trend.span < limit || trend.low * trend.span > limit
    }

    /// Of watches that cannot tell, most can after the time that they say, and few much earlier.
    #[test]
    fn a_watch_of_that_time_tells() {
        for (slope, spread) in [(0.0, 10.0), (0.0, 25.0), (0.01, 8.0), (0.05, 15.0)] {
            let (mut count, mut then, mut early) = (0, 0, 0);
            for seed in 1..=100 {
                let limit = 4.0;
                let trend = seen(105.0, slope, spread, seed);
                if tells(&trend, limit) {
                    continue;
                }
                let Some(factor) = needed(&trend, limit) else { continue };
                count += 1;
                // Other figures of the line that was seen.
                let of = |factor: f64| seen(factor * 105.0, trend.slope, spread, seed + 1000);
                then += i32::from(tells(&of(factor), limit));
                early += i32::from(tells(&of((factor / 4.0).max(1.0)), limit));
            }
            let told = format!("{slope} {spread}: {count}, {then}, {early}");
            assert!(count > 50 && then * 4 >= count * 3 && early < count / 4, "{told}");
        }
    }

    /// The range that is reckoned with is that of Sen: its width shrinks with the number to the power of 1.5.
    #[test]
    fn the_width_shrinks_with_the_number_to_the_power_of_one_and_a_half() {
        let width = |count: u32| {
            let widths = (1..=50).map(|seed| {
                let trend = seen(f64::from(count - 1) * 7.0, 0.0, 10.0, seed);
                trend.high - trend.low
            });
            widths.sum::<f64>()
        };
        for count in [10, 20, 50] {
            let ratio = width(count) / width(4 * count);
            assert!((ratio / 8.0 - 1.0).abs() < 0.2, "{count}: {ratio}");
        }
    }

    #[test]
    fn what_no_watch_would_tell_has_no_time() {
        let trend = seen(105.0, 0.0, 10.0, 1);
        let level = Trend { slope: 0.0, first: 0.0, last: 0.0, ..trend };
        for (high, is_told) in [(0.1, true), (1.0, false), (f64::NAN, false)] {
            let found = needed(&Trend { high, ..level }, 4.0);
            assert_eq!(found.is_some(), is_told, "{high}: {found:?}");
        }
    }
}
