//! Whether a series of numbers rises, by robust statistics: the slope of Theil and Sen, and the test of Mann and
//! Kendall.
//!
//! They are a page of code, and no well-kept crate has both; statrs has neither. A few odd points change neither, where
//! least squares would follow them.

/// A straight line through a series, and how sure it is that the series rises.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// Number of points.
    pub points: usize,
    /// Time from the first to the last, in seconds.
    pub span: f64,
    /// The line at the first point.
    pub first: f64,
    /// The line at the last point.
    pub last: f64,
    /// Rise in a second: the median of the slopes of all pairs.
    pub slope: f64,
    /// Between this and `high` the slope is with a probability of 95 %.
    pub low: f64,
    /// Upper end of that range.
    pub high: f64,
    /// How far the points are from the line: the median of the distances, as a standard deviation.
    pub spread: f64,
    /// Probability that a level series would rise like this, by Mann and Kendall.
    pub chance: f64,
    /// The slope of the second half alone; `None` of fewer than 6 points.
    pub late: Option<f64>,
}

/// Most points that are compared, each with each; of more, medians of neighbours are taken.
const MOST_POINTS: usize = 200;
/// From this number of points on, the halves have slopes of their own.
const HALVES: usize = 6;
/// The standard deviation of a normal distribution, in medians of absolute deviations.
const PER_MEDIAN: f64 = 1.4826;
/// 97.5 % of a normal distribution are below this.
const NORMAL_95: f64 = 1.959_964;

impl Trend {
    /// The rise along the line.
    pub fn change(&self) -> f64 {
        self.last - self.first
    }
}

/// The trend of points (seconds, value), in the order of time. `None` of fewer than 2, or without time between them.
pub fn trend(points: &[(f64, f64)]) -> Option<Trend> {
    let points = thinned(points);
    let (start, end) = (points.first()?.0, points.last()?.0);
    let mut slopes = slopes(&points);
    if slopes.is_empty() || start >= end {
        return None;
    }
    let slope = median(&mut slopes);
    let mut rests: Vec<f64> = points.iter().map(|(x, y)| y - slope * x).collect();
    let base = median(&mut rests);
    let mut distances: Vec<f64> =
        points.iter().map(|(x, y)| (y - slope * x - base).abs()).collect();
    let spread = PER_MEDIAN * median(&mut distances);
    let count = points.len();
    // Sen's interval: as many pairs from the middle as the variance of Kendall's sum says.
    let n = count as f64;
    let deviation = (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0).sqrt();
    let reach = NORMAL_95 * deviation;
    let pairs = slopes.len() as f64;
    let place = |at: f64| slopes[(at.max(0.0) as usize).min(slopes.len() - 1)];
    let late = (count >= HALVES).then(|| {
        let mut late = self::slopes(&points[count / 2..]);
        median(&mut late)
    });
    Some(Trend {
        points: count,
        span: end - start,
        first: base + slope * start,
        last: base + slope * end,
        slope,
        low: place((pairs - reach) / 2.0),
        high: place((pairs + reach) / 2.0),
        spread,
        chance: chance(&points),
        late,
    })
}

/// The slopes of all pairs, in ascending order.
fn slopes(points: &[(f64, f64)]) -> Vec<f64> {
    let mut slopes = Vec::with_capacity(points.len() * points.len().saturating_sub(1) / 2);
    for (at, (x, y)) in points.iter().enumerate() {
        let later = points[at + 1..].iter().filter(|(later, _)| later > x);
        slopes.extend(later.map(|(later, value)| (value - y) / (later - x)));
    }
    slopes.sort_unstable_by(f64::total_cmp);
    slopes
}

/// The median; the values are sorted. 0 of none.
fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[n / 2],
        n => f64::midpoint(values[n / 2 - 1], values[n / 2]),
    }
}

fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let size = points.len().div_ceil(MOST_POINTS).max(1);
    let middle = |points: &[(f64, f64)]| {
        let of = |which: fn(&(f64, f64)) -> f64| {
            median(&mut points.iter().map(which).collect::<Vec<_>>())
        };
        (of(|point| point.0), of(|point| point.1))
    };
    points.chunks(size).map(middle).collect()
}

/// The probability that values in random order rise in at least as many pairs, less the pairs in which they fall. It is
/// exact for values that differ; equal ones count for neither, which makes it larger.
fn chance(points: &[(f64, f64)]) -> f64 {
    let count = points.len();
    let mut sum = 0_i64;
    for (at, (_, y)) in points.iter().enumerate() {
        for (_, later) in &points[at + 1..] {
            sum += match later.total_cmp(y) {
                std::cmp::Ordering::Greater => 1,
                std::cmp::Ordering::Less => -1,
                std::cmp::Ordering::Equal => 0,
            };
        }
    }
    // The number of falling pairs of a random order: its distribution grows by a point at a time, which comes before
    // any number of the others with the same probability.
    let mut probabilities = vec![1.0];
    for size in 2..=count {
        let mut next = vec![0.0; probabilities.len() + size - 1];
        let (mut window, mut at) = (0.0, 0);
        while at < next.len() {
            window += probabilities.get(at).copied().unwrap_or(0.0);
            if let Some(before) = at.checked_sub(size) {
                window -= probabilities.get(before).copied().unwrap_or(0.0);
            }
            next[at] = window / size as f64;
            at += 1;
        }
        probabilities = next;
    }
    let pairs = (count * count.saturating_sub(1) / 2) as i64;
    let falling = ((pairs - sum) / 2).max(0) as usize;
    probabilities.iter().take(falling + 1).sum::<f64>().clamp(0.0, 1.0)
}

/// The time that points cover, in seconds.
pub(crate) fn time(points: &[(f64, f64)]) -> f64 {
    points.last().zip(points.first()).map_or(0.0, |(last, first)| last.0 - first.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64]) -> Trend {
        let points: Vec<_> = values.iter().zip(0..).map(|(y, x)| (f64::from(x), *y)).collect();
        trend(&points).unwrap()
    }

    /// The chances of all orders of up to 7 values, counted.
    #[test]
    fn the_chance_is_the_share_of_orders_that_rise_as_much() {
        fn orders(count: usize) -> Vec<Vec<usize>> {
            match count {
                0 => vec![Vec::new()],
                _ => orders(count - 1)
                    .into_iter()
                    .flat_map(|order| {
                        (0..count).map(move |at| {
                            let mut order = order.clone();
                            order.insert(at, count - 1);
                            order
                        })
                    })
                    .collect(),
            }
        }
        let rise = |order: &[usize]| {
            let pairs = (0..order.len()).flat_map(|a| (a + 1..order.len()).map(move |b| (a, b)));
            pairs.map(|(a, b)| if order[b] > order[a] { 1 } else { -1 }).sum::<i32>()
        };
        for count in 2..=6 {
            let all = orders(count);
            for order in &all {
                let as_much = all.iter().filter(|other| rise(other) >= rise(order)).count();
                let expected = as_much as f64 / all.len() as f64;
                let points: Vec<_> = order.iter().map(|&y| (0.0, y as f64)).collect();
                assert!((chance(&points) - expected).abs() < 1e-12, "{order:?}");
            }
        }
    }

    #[test]
    fn a_line_is_found_below_odd_points() {
        let mut values: Vec<f64> = (0..20).map(|x| 100.0 + 3.0 * f64::from(x)).collect();
        values[7] = 1e6;
        values[12] = -1e6;
        let found = of(&values);
        assert_eq!((found.slope, found.first, found.last, found.spread), (3.0, 100.0, 157.0, 0.0));
        assert!(found.low <= 3.0 && 3.0 <= found.high && found.late == Some(3.0));
        assert!(found.chance < 1e-3, "{}", found.chance);
    }

    #[test]
    fn level_series_do_not_rise() {
        for values in [&[5.0, 5.0, 5.0, 5.0][..], &[5.0, 6.0, 5.0, 6.0, 5.0, 6.0], &[9.0, 1.0]] {
            let found = of(values);
            assert!(found.chance > 0.2, "{values:?}: {found:?}");
        }
        assert_eq!(trend(&[]), None);
        assert_eq!(trend(&[(1.0, 5.0)]), None);
        assert_eq!(trend(&[(1.0, 5.0), (1.0, 6.0)]), None);
    }

    #[test]
    fn of_many_points_neighbours_are_taken_together() {
        let points: Vec<_> = (0..10_000).map(|x| (f64::from(x), f64::from(x))).collect();
        let found = trend(&points).unwrap();
        assert_eq!((found.points, found.slope), (200, 1.0));
        assert!(found.chance < 1e-9);
    }
}
