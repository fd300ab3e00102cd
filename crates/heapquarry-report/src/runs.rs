//! A figure in several runs before a change and several after it: medians, spread, and whether they differ.
//!
//! Figures of one program vary from run to run. They [differ](judge) if all of these hold:
//!
//! 1. The medians differ by more than the [`Noise`]: a share of the earlier one, and an absolute amount.
//! 2. The medians differ by more than the runs of either side differ among themselves: greatest less least.
//! 3. The exact [rank test](rank_test) gives at most 1 %. With fewer than five runs per side it cannot get there
//!    (four and four: 2.9 %), so it does not decide.
//!
//! A comparison has hundreds of figures. The test alone would find a difference in one of a hundred that have none; the
//! second rule removes these.

/// The largest probability at which a difference is no accident.
pub const LEVEL: f64 = 0.01;

/// Up to this many runs, the test counts all ways to split them; above, it uses the normal approximation.
const EXACT: usize = 40;

/// Differences that do not count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Largest difference that is noise, as a share of the earlier figure.
    pub share: f64,
    /// Largest difference that is noise, in the unit of the figure.
    pub amount: f64,
}

/// How a figure changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Not beyond noise.
    Same,
    /// It grew.
    More,
    /// It shrank.
    Less,
}

/// What was found of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// The median before; 0 without any run.
    pub before: f64,
    /// The median after.
    pub after: f64,
    /// The probability of ranks like these, or less even ones, if nothing has changed; `None` unless both sides have
    /// two runs.
    pub p: Option<f64>,
    /// How it changed.
    pub change: Change,
}

/// Judges a figure by its values in the runs before and after.
pub fn judge(before: &[f64], after: &[f64], noise: Noise) -> Judgement {
    let (b, a) = (median(before), median(after));
    let delta = (a - b).abs();
    let p = (before.len() > 1 && after.len() > 1).then(|| rank_test(before, after));
    let is_loud = delta > noise.amount && delta > noise.share * b.abs();
    let is_apart = delta > spread(before).max(spread(after));
    let is_likely = p.is_none_or(|p| p <= LEVEL || !can_decide(before.len(), after.len()));
    let change = match is_loud && is_apart && is_likely {
        false => Change::Same,
        true if a > b => Change::More,
        true => Change::Less,
    };
    Judgement { before: b, after: a, p, change }
}

/// The median; of an even number, the mean of the two in the middle. 0 for none.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let Some(&upper) = sorted.get(sorted.len() / 2) else { return 0.0 };
    let lower = sorted[(sorted.len() - 1) / 2];
    lower + (upper - lower) / 2.0
}

/// The median of sorted whole numbers; of an even number, the mean of the two in the middle, rounded up.
///
/// # Panics
/// If there is none.
pub fn middle(sorted: &[i64]) -> i64 {
    let upper = sorted[sorted.len() / 2];
    let lower = sorted[(sorted.len() - 1) / 2];
    // Half of what lies between, rounded up; it fits, because it lies between them.
    let half = (i128::from(upper) - i128::from(lower) + 1) / 2;
    (i128::from(lower) + half) as i64
}

/// Greatest less least; 0 for none.
pub fn spread(values: &[f64]) -> f64 {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if values.is_empty() { 0.0 } else { greatest - least }
}

/// Whether the rank test of so many runs can give [`LEVEL`] or less: two of all ways to split them are the extreme
/// ones.
pub fn can_decide(before: usize, after: usize) -> bool {
    let ways = (1..=before).fold(1.0, |ways, i| ways * (after + i) as f64 / i as f64);
    2.0 / ways <= LEVEL
}

/// The two-sided rank test of Wilcoxon, and of Mann and Whitney: the probability of a sum of ranks at least as far from
/// its mean. Equal values share the mean of their ranks. Up to 40 values the distribution is exact, with ties: it
/// counts all ways to choose the earlier runs among all. Above, it is the normal approximation with corrections for
/// ties and continuity. Crates with this test are exact only without ties, and counts of frames have ties.
pub fn rank_test(before: &[f64], after: &[f64]) -> f64 {
    let (n, all) = (before.len(), before.len() + after.len());
    if n == 0 || n == all {
        return 1.0;
    }
    let ranks = doubled_ranks(before, after);
    let sum: usize = ranks[..n].iter().sum();
    // Twice the rank sum has the mean n * (all + 1).
    let mean = n * (all + 1);
    let distance = sum.abs_diff(mean);
    if distance == 0 {
        return 1.0;
    }
    let p = if all <= EXACT {
        exact(&ranks, n, mean, distance)
    } else {
        approximate(&ranks, n, distance as f64 / 2.0)
    };
    p.min(1.0)
}

/// Twice the rank of each value, those of `before` first. Twice, because equal values share a mean.
fn doubled_ranks(before: &[f64], after: &[f64]) -> Vec<usize> {
    let values: Vec<f64> = before.iter().chain(after).copied().collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]).then(a.cmp(&b)));
    let mut ranks = vec![0; values.len()];
    let mut first = 0;
    for equal in order.chunk_by(|&a, &b| values[a] == values[b]) {
        // The mean of first + 1 to first + len, doubled.
        equal.iter().for_each(|&at| ranks[at] = 2 * first + equal.len() + 1);
        first += equal.len();
    }
    ranks
}

/// The share of all choices of `n` ranks whose sum is at least so far from the mean.
fn exact(ranks: &[usize], n: usize, mean: usize, distance: usize) -> f64 {
    let most: usize = ranks.iter().sum();
    // ways[k][s]: choices of k of the ranks so far with the sum s. The numbers are below 2^53, so they are exact.
    let mut ways = vec![vec![0.0f64; most + 1]; n + 1];
    ways[0][0] = 1.0;
    for &rank in ranks {
        for k in (1..=n).rev() {
            let (fewer, more) = ways.split_at_mut(k);
            for (to, from) in more[0][rank..].iter_mut().zip(&fewer[k - 1]) {
                *to += from;
            }
        }
    }
    let of = &ways[n];
    let far = (0..).zip(of).filter(|&(sum, _): &(usize, _)| sum.abs_diff(mean) >= distance);
    let far: f64 = far.map(|(_, ways)| ways).sum();
    far / of.iter().sum::<f64>()
}

fn approximate(ranks: &[usize], n: usize, distance: f64) -> f64 {
    let all = ranks.len() as f64;
    let (n, m) = (n as f64, all - n as f64);
    let mut sorted = ranks.to_vec();
    sorted.sort_unstable();
    let ties: f64 =
        sorted.chunk_by(|a, b| a == b).map(|equal| equal.len() as f64).map(|t| t * t * t - t).sum();
    let variance = n * m / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)));
    if variance <= 0.0 {
        return 1.0;
    }
    libm::erfc((distance - 0.5).max(0.0) / (2.0 * variance).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Each way to choose the earlier runs, one by one.
    fn naive(before: &[f64], after: &[f64]) -> f64 {
        let values: Vec<f64> = before.iter().chain(after).copied().collect();
        let sum = |chosen: u32| -> f64 {
            let is_chosen = |at: &usize| chosen >> at & 1 == 1;
            let rank = |at: usize| {
                let below = values.iter().filter(|&&other| other < values[at]).count();
                let equal = values.iter().filter(|&&other| other == values[at]).count();
                below as f64 + (equal as f64 + 1.0) / 2.0
            };
            (0..values.len()).filter(is_chosen).map(rank).sum()
        };
        let mean = before.len() as f64 * (values.len() as f64 + 1.0) / 2.0;
        let distance = (sum((1 << before.len()) - 1) - mean).abs();
        let choices = (0..1u32 << values.len()).filter(|c| c.count_ones() as usize == before.len());
        let (mut far, mut all) = (0, 0);
        for chosen in choices {
            all += 1;
            far += u32::from((sum(chosen) - mean).abs() >= distance - 1e-9);
        }
        f64::from(far) / f64::from(all)
    }

    proptest! {
        #[test]
        fn probabilities_are_those_of_all_choices(
            before in proptest::collection::vec(0..8u8, 1..6),
            after in proptest::collection::vec(0..8u8, 1..6),
        ) {
            let [before, after]: [Vec<f64>; 2] =
                [before, after].map(|side| side.into_iter().map(f64::from).collect());
            let (found, expected) = (rank_test(&before, &after), naive(&before, &after));
            prop_assert!((found - expected).abs() < 1e-12, "{found} {expected}");
            prop_assert!((rank_test(&after, &before) - found).abs() < 1e-12);
        }
    }

    /// Tables of the test, and of scipy 1.16: `mannwhitneyu(a, b, method="asymptotic")`.
    #[test]
    fn probabilities_are_those_of_the_books() {
        let run = |from: u32, to: u32| (from..to).map(f64::from).collect::<Vec<f64>>();
        for (before, after, p) in [
            (run(0, 5), run(5, 10), 2.0 / 252.0),
            (run(0, 4), run(4, 8), 2.0 / 70.0),
            (run(0, 3), run(3, 6), 0.1),
            (vec![0.0; 5], vec![1.0; 5], 2.0 / 252.0),
            (vec![0.0; 5], vec![0.0; 5], 1.0),
            (run(0, 1), run(1, 2), 1.0),
            (Vec::new(), run(0, 3), 1.0),
        ] {
            let found = rank_test(&before, &after);
            assert!((found - p).abs() < 1e-12, "{before:?} {after:?}: {found}");
        }
        // Both forms agree where they meet.
        let (before, after) = (run(0, 20), run(3, 23));
        let ranks = doubled_ranks(&before, &after);
        let distance = ranks[..20].iter().sum::<usize>().abs_diff(20 * 41) as f64 / 2.0;
        let (exact, near) = (rank_test(&before, &after), approximate(&ranks, 20, distance));
        assert!((exact / near - 1.0).abs() < 0.05, "{exact} {near}");
        assert!(rank_test(&run(0, 30), &run(30, 60)) < 1e-9);
        assert_eq!(approximate(&[5; 50], 25, 0.0), 1.0);
    }

    #[test]
    fn a_change_is_louder_than_noise_and_than_the_runs() {
        const NOISE: Noise = Noise { share: 0.03, amount: 1.0 };
        let steady = [100.0, 101.0, 100.5, 99.5, 100.2];
        for (before, after, change) in [
            (&[100.0][..], &[100.0][..], Change::Same),
            (&[100.0], &[103.0], Change::Same),
            (&[100.0], &[104.0], Change::More),
            (&[100.0], &[96.0], Change::Less),
            // 3 % of little is not much.
            (&[1.0], &[2.0], Change::Same),
            (&[0.0], &[2.0], Change::More),
            (&[], &[2.0], Change::More),
            (&steady, &steady.map(|x| x * 1.05), Change::More),
            (&steady, &steady.map(|x| x * 0.95), Change::Less),
            (&steady, &steady.map(|x| x * 1.02), Change::Same),
            // As far apart as the runs of one side are.
            (
                &[100.0, 110.0, 101.0, 102.0, 103.0],
                &[111.0, 112.0, 112.5, 113.0, 120.0],
                Change::More,
            ),
            (
                &[100.0, 113.0, 101.0, 102.0, 103.0],
                &[111.0, 112.0, 112.5, 113.0, 120.0],
                Change::Same,
            ),
            // Three runs: the test cannot decide.
            (&[100.0, 101.0, 102.0], &[110.0, 111.0, 112.0], Change::More),
        ] {
            let found = judge(before, after, NOISE);
            assert_eq!(found.change, change, "{before:?} {after:?} {found:?}");
        }
        assert_eq!(
            [(4, 4), (5, 5), (1, 199), (1, 150)].map(|(n, m)| can_decide(n, m)),
            [false, true, true, false]
        );
    }

    #[test]
    fn middles_and_ends() {
        assert_eq!(
            [&[][..], &[3.0], &[3.0, 1.0], &[3.0, 1.0, 2.0]].map(median),
            [0.0, 3.0, 2.0, 2.0]
        );
        assert_eq!([&[][..], &[3.0], &[3.0, 1.0]].map(spread), [0.0, 0.0, 2.0]);
    }
}
