//! Runs of a program before a change and after it: the figures of what subjects changed beyond noise. Traces and
//! profiles are compared in this way.

use crate::answer::{Caveat, CaveatKind, answer};
use heapquarry::Source;
use heapquarry_base::Order;
use heapquarry_report::{
    FROM_NOTHING, Facts, Quantity, Scope, Unit,
    runs::{Change, Judgement, Noise, can_decide, judge, median, rank_test},
};
use std::collections::BTreeMap;

answer! {
    /// A side of a comparison.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    pub enum Side {
        /// Before a change.
        Before,
        /// After it.
        After,
    }

    /// What happened to a subject.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    pub enum ChangeKind {
        /// A figure grew beyond noise.
        More,
        /// A figure shrank beyond noise.
        Less,
        /// It was not there before.
        New,
        /// It is not there any more.
        Gone,
        /// Nothing beyond noise.
        Same,
    }
}

impl ChangeKind {
    /// The word for it, as in JSON.
    pub(crate) fn word(self) -> &'static str {
        match self {
            ChangeKind::More => "more",
            ChangeKind::Less => "less",
            ChangeKind::New => "new",
            ChangeKind::Gone => "gone",
            ChangeKind::Same => "same",
        }
    }
}

impl Side {
    /// The word for it, as in JSON.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Side::Before => "before",
            Side::After => "after",
        }
    }
}

/// The inputs of a comparison.
pub(crate) struct Sides<'a> {
    pub(crate) before: &'a [Source],
    /// Between the first and the last; they are only listed.
    pub(crate) between: &'a [Source],
    /// At least one.
    pub(crate) after: &'a [Source],
}

impl<'a> Sides<'a> {
    /// Of at least two inputs, the first are the runs before. The others are those after if they are runs, or else the
    /// last one is.
    pub(crate) fn new(sources: &'a [Source], base_runs: usize, are_runs: bool) -> Self {
        let (before, rest) = sources.split_at(base_runs.clamp(1, sources.len() - 1));
        let after = if are_runs { 0 } else { rest.len() - 1 };
        let (between, after) = rest.split_at(after);
        Sides { before, between, after }
    }

    /// All inputs in the order given, with their sides.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Option<Side>, &'a Source)> + Clone + use<'a> {
        let sides = [
            (Some(Side::Before), self.before),
            (None, self.between),
            (Some(Side::After), self.after),
        ];
        sides.into_iter().flat_map(|(side, of)| of.iter().map(move |source| (side, source)))
    }

    /// Whether there is more than one run on a side.
    pub(crate) fn have_runs(&self) -> bool {
        self.before.len() > 1 || self.after.len() > 1
    }

    /// That the runs are too few to tell a change from chance, if they are.
    pub(crate) fn caution(&self) -> Option<Caveat> {
        let (before, after) = (self.before.len(), self.after.len());
        if before.min(after) < 2 || can_decide(before, after) {
            return None;
        }
        let (low, high): (Vec<f64>, Vec<f64>) =
            ((0..before).map(|_| 0.0).collect(), (0..after).map(|_| 1.0).collect());
        let percent = 100.0 * rank_test(&low, &high);
        let text = format!(
            "{before} runs and {after} are too few for the rank test: chance alone separates them in {percent:.0} % of all \
             cases; with five a side it does in 1 %"
        );
        Some(Caveat { kind: CaveatKind::Remark, input: None, text })
    }
}

/// How a figure is judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judging {
    /// Its value in a run that does not have the subject; NaN if it has none then.
    pub(crate) absent: f64,
    /// Differences that do not count.
    pub(crate) noise: Noise,
    /// The value of one sample, of what is sampled; else 0.
    pub(crate) per_sample: f64,
    /// Whether it decides that a subject has changed.
    pub(crate) decides: bool,
}

/// So many standard deviations of a sampled value are noise: of thousands of functions, hardly one is farther off by
/// chance.
const DEVIATIONS: f64 = 4.0;

impl Judging {
    /// Judges a figure by its values in the runs before and after.
    ///
    /// A sampler hits a function by chance: of n samples it could as well be n ± √n. So the variance of a value is that
    /// value times the value of one sample, and of a median of some runs as many times less.
    fn judge(self, before: &[f64], after: &[f64]) -> Judgement {
        let runs = before.len().min(after.len()).max(1) as f64;
        let variance = (median(before) + median(after)) * self.per_sample / runs;
        let chance = DEVIATIONS * variance.max(0.0).sqrt();
        let noise = Noise { amount: self.noise.amount.max(chance), ..self.noise };
        let mut found = judge(before, after, noise);
        // Nothing is not a small value.
        if before.is_empty() || after.is_empty() {
            found.change = Change::Same;
        }
        if before.is_empty() {
            found.before = f64::NAN;
        }
        if after.is_empty() {
            found.after = f64::NAN;
        }
        found
    }
}

/// A subject of which something is measured, in all runs.
pub(crate) struct Row<K> {
    /// What it is called.
    pub(crate) key: K,
    /// By figure: the medians, and what the change means.
    pub(crate) figures: Vec<Judged>,
    /// The figure that changed; of a subject that has not, the first that could.
    pub(crate) decisive: usize,
    change: Change,
    /// Whether no run before has it, or no run after.
    is_new: bool,
    is_gone: bool,
}

/// A figure in all runs.
pub(crate) struct Judged {
    pub(crate) before: Vec<f64>,
    pub(crate) after: Vec<f64>,
    pub(crate) found: Judgement,
}

impl Judged {
    pub(crate) fn delta(&self) -> f64 {
        self.found.after - self.found.before
    }
}

impl<K> Row<K> {
    /// The decisive figure.
    pub(crate) fn of(&self) -> &Judged {
        &self.figures[self.decisive]
    }

    /// What happened.
    pub(crate) fn kind(&self) -> ChangeKind {
        match self.change {
            Change::Same => ChangeKind::Same,
            Change::More if self.is_new => ChangeKind::New,
            Change::Less if self.is_gone => ChangeKind::Gone,
            Change::More => ChangeKind::More,
            Change::Less => ChangeKind::Less,
        }
    }

    /// Whether the decisive figure grew beyond noise.
    pub(crate) fn has_grown(&self) -> bool {
        self.change == Change::More
    }

    /// The change of the decisive figure as a share of the earlier value, in ten-thousandths of a percent; `None` from
    /// 0.
    pub(crate) fn growth(&self) -> Option<i64> {
        let Judgement { before, .. } = self.of().found;
        let share = self.of().delta() / before.abs() * 1e6;
        (before != 0.0 && share.is_finite()).then_some(share.round() as i64)
    }

    /// The probability that chance alone separates the runs like this, to four digits.
    pub(crate) fn p_value(&self) -> Option<f64> {
        self.of().found.p.map(|p| (p * 1e4).round() / 1e4)
    }

    fn new(key: K, figures: Vec<Judged>, judging: &[Judging]) -> Self {
        let deciding = || (0..figures.len()).filter(|&at| judging[at].decides);
        let changed = |change: Change| deciding().find(|&at| figures[at].found.change == change);
        // What got worse counts before what got better.
        let (decisive, change) = changed(Change::More)
            .map(|at| (at, Change::More))
            .or_else(|| changed(Change::Less).map(|at| (at, Change::Less)))
            .unwrap_or((deciding().next().unwrap_or(0), Change::Same));
        Row { key, figures, decisive, change, is_new: false, is_gone: false }
    }
}

/// The subjects of one run, with their figures.
pub(crate) type Subjects<K> = BTreeMap<K, Vec<f64>>;

/// The subjects of one run, added one by one: `collect` would sort them with code of its own for each caller.
pub(crate) fn subjects<K: Ord>(found: impl Iterator<Item = (K, Vec<f64>)>) -> Subjects<K> {
    let mut subjects = Subjects::new();
    found.for_each(|(key, figures)| drop(subjects.insert(key, figures)));
    subjects
}

/// The subjects that any run has: first those that changed, those that grew most before others.
pub(crate) fn rows<K: Ord + Clone>(
    before: &[&Subjects<K>],
    after: &[&Subjects<K>],
    judging: &[Judging],
) -> Vec<Row<K>> {
    let mut keys: Vec<&K> = before.iter().chain(after).flat_map(|run| run.keys()).collect();
    keys.order_by(Ord::cmp);
    keys.dedup();
    let values = |runs: &[&Subjects<K>], key: &K, at: usize| -> Vec<f64> {
        let value =
            |run: &&Subjects<K>| run.get(key).map_or(judging[at].absent, |values| values[at]);
        runs.iter().map(value).filter(|value| !value.is_nan()).collect()
    };
    let row = |key| {
        let figures = judging.iter().enumerate().map(|(at, how)| {
            let (before, after) = (values(before, key, at), values(after, key, at));
            let found = how.judge(&before, &after);
            Judged { before, after, found }
        });
        let lack = |runs: &[&Subjects<K>]| !runs.iter().any(|run| run.contains_key(key));
        let (is_new, is_gone) = (lack(before), lack(after));
        Row { is_new, is_gone, ..Row::new(K::clone(key), figures.collect(), judging) }
    };
    let mut rows: Vec<Row<K>> = keys.into_iter().map(row).collect();
    let rank = |row: &Row<K>| match row.change {
        Change::More => 0,
        Change::Less => 1,
        Change::Same => 2,
    };
    // Equal ones stay in the order of their names.
    rows.order_by(|a, b| {
        let weight = |row: &Row<K>| row.of().delta().abs();
        rank(a).cmp(&rank(b)).then(weight(b).total_cmp(&weight(a)))
    });
    rows
}

/// What got worse, as limits know it.
pub(crate) const WORSE: Scope = Scope {
    name: "worse",
    names: None,
    quantities: &[Quantity::new("growth", Unit::Share, "growth of what got worse beyond noise")],
};

/// Adds a subject that got worse to the figures of a comparison.
pub(crate) fn add_worse<K>(facts: &mut Facts, subject: &str, row: &Row<K>) {
    facts.add(WORSE.name, subject.trim_end(), &[row.growth().unwrap_or(FROM_NOTHING)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_have_sides() {
        let sources: Vec<Source> = ["a", "b", "c", "d"].map(Source::from).into();
        for (base_runs, are_runs, expected) in [
            (1, false, [1, 2, 1]),
            (1, true, [1, 0, 3]),
            (2, true, [2, 0, 2]),
            (9, true, [3, 0, 1]),
            (0, false, [1, 2, 1]),
        ] {
            let sides = Sides::new(&sources, base_runs, are_runs);
            let found = [sides.before, sides.between, sides.after].map(<[Source]>::len);
            assert_eq!(found, expected, "{base_runs} {are_runs}");
            assert_eq!(sides.all().count(), 4);
        }
    }

    /// What a sampler finds differs by chance, and by less in the median of several runs.
    #[test]
    fn the_chance_of_a_sampler_is_noise() {
        let judging = |per_sample| Judging {
            absent: 0.0,
            noise: Noise { share: 0.03, amount: 0.0 },
            per_sample,
            decides: true,
        };
        for (per_sample, before, after, expected) in [
            (0.0, &[100.0][..], &[110.0][..], Change::More),
            (1.0, &[100.0], &[110.0], Change::Same),
            (1.0, &[100.0], &[170.0], Change::More),
            (1.0, &[10_000.0], &[11_000.0], Change::More),
            (10.0, &[10_000.0], &[11_000.0], Change::Same),
            (1.0, &[0.0], &[16.0], Change::Same),
            (1.0, &[0.0], &[17.0], Change::More),
            (1.0, &[1000.0; 5], &[1100.0; 5], Change::More),
            (1.0, &[1000.0], &[1100.0], Change::Same),
        ] {
            let found = judging(per_sample).judge(before, after);
            assert_eq!(found.change, expected, "{per_sample} {before:?} {after:?}");
        }
    }
}
