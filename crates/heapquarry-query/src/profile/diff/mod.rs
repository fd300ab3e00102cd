//! Compares profiles.

mod answer;
mod measured;
mod owners;
mod view;

pub use answer::{ComparedProfile, FunctionChange, ProfileDiff};
use heapquarry_base::Order;
pub(crate) use measured::Measured;
use measured::{Functions, Known, Run};
pub use owners::{OwnerValueChange, ValuesByOwner};

use super::{Numbers, Subject, place, share, tables::tables};
use crate::{
    Wanted,
    answer::{AmountChange, Caveat, CaveatKind, List, Share, ShareChange},
    diff::{Compared, Diff, Difference, written},
    listing::SHOWN,
    output::Output,
    runs::{self, ChangeKind, Judging, Row, Side, Sides, Subjects},
};
use heapquarry::{Result, RunOptions, Source, engine::Locate};
use heapquarry_profile::Key;
use heapquarry_report::{
    Facts,
    runs::{Noise, median, middle},
};
use std::cmp::Reverse;

/// What differs between profiles.
pub(crate) struct Comparison {
    /// The profiles in the order given.
    pub(super) runs: Vec<Run>,
    /// What was not idle before and after; of several runs the medians.
    pub(super) busy: [i64; 2],
    /// Functions that differ. Of two profiles those whose own value grew most come first; of several runs those that
    /// changed beyond noise.
    pub(super) functions: Vec<Change>,
}

/// A function before and after; of several runs its medians.
pub(super) struct Change {
    /// Its own value and its total value, judged.
    pub(super) row: Row<Key>,
    /// Its line in the last profile that has it after, or else in the first before; `None` if it has several positions.
    pub(super) line: Option<i32>,
    pub(super) base: Numbers,
    pub(super) now: Numbers,
    pub(super) is_idle: bool,
}

impl Change {
    pub(super) fn own_delta(&self) -> i64 {
        self.now.own.saturating_sub(self.base.own)
    }

    pub(super) fn total_delta(&self) -> i64 {
        self.now.total.saturating_sub(self.base.total)
    }
}

/// What was measured of the runs of a side.
#[derive(Default)]
struct Read {
    functions: Vec<Functions>,
    owners: Vec<owners::Owned>,
    busy: Vec<i64>,
}

impl Subject {
    /// Compares this profile, which is the last one, with others. One of these is in memory at a time. Caveats on this
    /// one are not repeated.
    pub(crate) fn compare(
        &self,
        sources: &[Source],
        output: Option<Output>,
        diff: &Diff,
        wanted: Wanted,
        options: &RunOptions,
    ) -> Result<Compared> {
        let sides = Sides::new(sources, diff.base_runs, diff.runs);
        let (mut all, mut caveats) = (Vec::new(), Vec::new());
        let (mut now, mut base) = (Vec::new(), Vec::new());
        for (at, (side, source)) in sides.all().enumerate() {
            let other;
            let subject = match at + 1 == sources.len() {
                true => self,
                false => {
                    other = self.open_like(source, source.locate(options)?, options)?;
                    caveats.extend(other.notes.clone());
                    &other
                }
            };
            let facts = match side {
                Some(Side::Before) if !diff.fail_on.is_empty() => Some(&mut base),
                Some(Side::After) if diff.needs_facts() => Some(&mut now),
                _ => None,
            };
            if let Some(facts) = facts {
                facts.push(subject.facts(source, wanted, self.compared())?);
            }
            all.push(subject.measured(source, side, diff.by));
        }
        if sides.have_runs() {
            caveats.push(runs_caveat(sides.before.len(), sides.after.len()));
        }
        caveats.extend(sides.caution());
        let (found, difference) = self.between(all, diff);
        caveats.extend(written(output, sources.iter(), tables(&found, self.words()).into_iter())?);
        let facts = |facts: Vec<Facts>| (!facts.is_empty()).then(|| Facts::median(&facts));
        let (mut now, base) = (facts(now), facts(base));
        if let Some(facts) = &mut now {
            let grown = |change: &&Change| change.row.has_grown() && !change.is_idle;
            for change in found.functions.iter().filter(grown) {
                let key = &change.row.key;
                // The whole address: files of two folders can have one name. Anonymous functions of a bundle are on
                // one line.
                let position = [change.line, key.column()].into_iter().flatten();
                let position: String = position.map(|number| format!(":{number}")).collect();
                let subject = format!("functions {} {}{position}", key.name(), key.url);
                runs::add_worse(facts, &subject, &change.row);
            }
        }
        let found = Difference::Profile(difference.into());
        Ok(Compared { found, caveats, facts: now, base })
    }

    /// What differs between profiles of the kind of this one, of which some are before and after.
    pub(crate) fn between(&self, all: Vec<Measured>, diff: &Diff) -> (Comparison, ProfileDiff) {
        let (mut runs, mut per_sample) = (Vec::new(), Vec::new());
        let [mut before, mut after] = [Read::default(), Read::default()];
        for Measured { run, functions, owners, busy, per_sample: one } in all {
            let read = match run.side {
                Some(Side::Before) => Some(&mut before),
                Some(Side::After) => Some(&mut after),
                None => None,
            };
            if let Some(read) = read {
                read.functions.push(functions);
                read.owners.push(owners);
                read.busy.push(busy);
                per_sample.push(one);
            }
            runs.push(run);
        }
        let have_runs = [&before, &after].iter().any(|read| read.functions.len() > 1);
        let noise = Noise { share: diff.noise, amount: 0.0 };
        let per_sample = median(&per_sample);
        let judging = |decides| Judging { absent: 0.0, noise, per_sample, decides };
        let judging = [judging(true), judging(false)];
        let mut functions = changes(&before.functions, &after.functions, &judging);
        if !have_runs {
            let rank = |change: &Change| Reverse((change.own_delta(), change.total_delta()));
            functions
                .order_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.row.key.cmp(&b.row.key)));
        }
        let busy = [&before.busy, &after.busy].map(|busy| middle_of(busy.clone()));
        let found = Comparison { runs, busy, functions };
        let mut difference = self.difference(&found, diff.top, have_runs);
        let sides = [&before.owners[..], &after.owners];
        difference.owners = self.owners_changed(diff.by, sides, busy, diff.top);
        (found, difference)
    }

    /// What was found; of each list at most `top` rows.
    fn difference(&self, found: &Comparison, top: Option<usize>, have_runs: bool) -> ProfileDiff {
        let row = |change: &Change| self.changed(change, found.busy, have_runs);
        let grown = found.functions.iter().filter(|change| change.total_delta() > 0);
        let changed = found.functions.iter().filter(|one| one.row.kind() != ChangeKind::Same);
        let mut by_total: Vec<&Change> = grown.collect();
        by_total.order_by_key(|change| Reverse(change.total_delta()));
        ProfileDiff {
            unit: self.profile.unit().into(),
            profiles: found.runs.iter().map(|run| self.told(run, &found.runs[0])).collect(),
            functions: List::of(found.functions.iter().collect(), top, row),
            functions_by_total: List::of(by_total, Some(top.unwrap_or(SHOWN)), row),
            words: self.profile.kind,
            changed_count: changed.count() as u64,
            owners: None,
            have_runs,
        }
    }

    fn change(&self, now: i64, base: i64) -> AmountChange {
        let unit = heapquarry::engine::unit(self.profile.kind);
        AmountChange { number: now.saturating_sub(base), unit }
    }

    fn told(&self, run: &Run, first: &Run) -> ComparedProfile {
        let has_busy = self.words().busy.is_some();
        ComparedProfile {
            name: run.name.clone(),
            value: self.amount(run.whole),
            value_delta: self.change(run.whole, first.whole),
            busy_value: has_busy.then(|| self.amount(run.busy)),
            busy_value_delta: has_busy.then(|| self.change(run.busy, first.busy)),
            sample_count: run.samples,
            function_count: run.functions,
            side: run.side,
        }
    }

    /// A function that differs; of what was not idle before and now.
    fn changed(&self, change: &Change, busy: [i64; 2], have_runs: bool) -> FunctionChange {
        let Change { row, line, base, now, is_idle } = change;
        let key = &row.key;
        let shares = |before: i64, now: i64| match is_idle {
            true => Shares::default(),
            false => Shares::new([before, now], busy),
        };
        // A value is a whole number, and so is that of each run.
        let amounts = |values: &[f64]| match have_runs {
            true => values.iter().map(|&value| self.amount(value as i64)).collect(),
            false => Vec::new(),
        };
        let (own, total) = (shares(base.own, now.own), shares(base.total, now.total));
        FunctionChange {
            function_name: key.name().into(),
            place: place(&key.url, *line),
            url: key.url.to_string(),
            line: *line,
            base_self_value: self.amount(base.own),
            self_value: self.amount(now.own),
            self_value_delta: self.change(now.own, base.own),
            base_self_percent: own.before,
            self_percent: own.now,
            self_percent_delta: own.delta,
            base_total_value: self.amount(base.total),
            total_value: self.amount(now.total),
            total_value_delta: self.change(now.total, base.total),
            base_total_percent: total.before,
            total_percent: total.now,
            total_percent_delta: total.delta,
            change: row.kind(),
            p_value: row.p_value(),
            runs_before: amounts(&row.of().before),
            runs_after: amounts(&row.of().after),
        }
    }
}

/// Shares of what was not idle before and after, and their change; `None` where all was idle.
#[derive(Default)]
struct Shares {
    before: Option<Share>,
    now: Option<Share>,
    delta: Option<ShareChange>,
}

impl Shares {
    fn new([before, now]: [i64; 2], busy: [i64; 2]) -> Self {
        let of = |part: i64, whole: i64| (whole > 0).then(|| Share { parts: share(part, whole) });
        let [before, now] = [of(before, busy[0]), of(now, busy[1])];
        let delta = before.zip(now).map(|(a, b)| ShareChange { parts: b.parts - a.parts });
        Shares { before, now, delta }
    }
}

/// That the numbers are those of several runs.
fn runs_caveat(before: usize, after: usize) -> Caveat {
    let text = format!("medians of {before} and {after} runs");
    Caveat { kind: CaveatKind::Remark, input: None, text }
}

/// The median of some numbers, of which there is at least one.
fn middle_of(mut numbers: Vec<i64>) -> i64 {
    numbers.sort_unstable();
    middle(&numbers)
}

/// The medians of own and total values, of at least one run.
fn medians(runs: impl Iterator<Item = Numbers>) -> Numbers {
    let (own, total) = runs.map(|numbers| (numbers.own, numbers.total)).unzip();
    Numbers { own: middle_of(own), total: middle_of(total) }
}

/// Functions that differ: first those that changed beyond noise.
fn changes(before: &[Functions], after: &[Functions], judging: &[Judging]) -> Vec<Change> {
    let subjects = |runs: &[Functions]| -> Vec<Subjects<Key>> {
        let values = |(key, Known { numbers, .. }): (&Key, &Known)| {
            (key.clone(), vec![numbers.own as f64, numbers.total as f64])
        };
        runs.iter().map(|run| runs::subjects(run.iter().map(values))).collect()
    };
    let (had, have) = (subjects(before), subjects(after));
    let rows =
        runs::rows(&had.iter().collect::<Vec<_>>(), &have.iter().collect::<Vec<_>>(), judging);
    let change = |row: Row<Key>| {
        let of = |run: &Functions| run.get(&row.key).map_or(Numbers::default(), |one| one.numbers);
        let numbers = |runs: &[Functions]| medians(runs.iter().map(of));
        let (base, now) = (numbers(before), numbers(after));
        let one = after.iter().rev().chain(before).find_map(|run| run.get(&row.key));
        let (line, is_idle) = one.map_or((None, false), |one| (one.line, one.is_idle));
        (base != now).then_some(Change { row, line, base, now, is_idle })
    };
    rows.into_iter().filter_map(change).collect()
}
