//! Compares profiles.

mod answer;
mod owners;
mod view;

pub use answer::{ComparedProfile, FunctionChange, ProfileDiff};
pub use owners::{OwnerValueChange, ValuesByOwner};

use super::{Numbers, Subject, place, share, tables::tables};
use crate::{
    Wanted,
    answer::{AmountChange, Caveat, CaveatKind, List, Share, ShareChange},
    diff::{Compared, Diff, Difference, written},
    output::Output,
    runs::{self, ChangeKind, Judging, Row, Side, Sides, Subjects},
    summary::SHOWN,
};
use heapquarry::{Result, RunOptions, Source, engine::Locate};
use heapquarry_profile::{Function, Key};
use heapquarry_report::{
    Facts,
    runs::{Noise, median, middle},
};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};

/// What differs between profiles.
pub(super) struct Comparison {
    /// The profiles in the order given.
    pub(super) runs: Vec<Run>,
    /// What was not idle before and after; of several runs the medians.
    pub(super) busy: [i64; 2],
    /// Functions that differ. Of two profiles those whose own value grew most come first; of several runs those that
    /// changed beyond noise.
    pub(super) functions: Vec<Change>,
}

/// Totals of a profile.
pub(super) struct Run {
    pub(super) name: String,
    pub(super) side: Option<Side>,
    pub(super) whole: i64,
    pub(super) busy: i64,
    pub(super) samples: u64,
    pub(super) functions: u64,
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

/// A function of one profile.
struct Known {
    line: Option<i32>,
    is_idle: bool,
    numbers: Numbers,
}

/// The functions of one profile.
type Functions = BTreeMap<Key, Known>;

/// What was read of the runs of a side.
#[derive(Default)]
struct Read {
    functions: Vec<Functions>,
    facts: Vec<Facts>,
    busy: Vec<i64>,
    owners: Vec<owners::Owned>,
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
        let (mut runs, mut caveats) = (Vec::new(), Vec::new());
        let [mut before, mut after] = [Read::default(), Read::default()];
        // The value of all samples, and their number.
        let mut per_sample = Vec::new();
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
            runs.push(subject.run(source, side));
            let (read, has_facts) = match side {
                Some(Side::Before) => (&mut before, !diff.fail_on.is_empty()),
                Some(Side::After) => (&mut after, diff.needs_facts()),
                None => continue,
            };
            if has_facts {
                read.facts.push(subject.facts(source, wanted, self.compared())?);
            }
            read.functions.push(subject.known());
            read.busy.push(subject.busy());
            read.owners.push(subject.by_owner(diff.by));
            per_sample.push(subject.profile.value_of_a_sample());
        }
        let have_runs = sides.have_runs();
        if have_runs {
            caveats.push(runs_caveat(sides.before.len(), sides.after.len()));
        }
        caveats.extend(sides.caution());
        let noise = Noise { share: diff.noise, amount: 0.0 };
        let per_sample = median(&per_sample);
        let judging = |decides| Judging { absent: 0.0, noise, per_sample, decides };
        let judging = [judging(true), judging(false)];
        let mut functions = changes(&before.functions, &after.functions, &judging);
        if !have_runs {
            let rank = |change: &Change| Reverse((change.own_delta(), change.total_delta()));
            functions.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.row.key.cmp(&b.row.key)));
        }
        let busy = [&before.busy, &after.busy].map(|busy| middle_of(busy.clone()));
        let found = Comparison { runs, busy, functions };
        caveats.extend(written(output, sources.iter(), tables(&found, self.words()).into_iter())?);
        let facts = |facts: &[Facts]| (!facts.is_empty()).then(|| Facts::median(facts));
        let (mut now, base) = (facts(&after.facts), facts(&before.facts));
        if let Some(facts) = &mut now {
            let grown = |change: &&Change| change.row.has_grown() && !change.is_idle;
            for change in found.functions.iter().filter(grown) {
                let key = &change.row.key;
                let place = place(&key.url, change.line).unwrap_or_default();
                // Anonymous functions of a bundle are on one line.
                let column = key.column().map_or(String::new(), |column| format!(":{column}"));
                let subject = format!("functions {} {place}{column}", key.name());
                runs::add_worse(facts, &subject, &change.row);
            }
        }
        let mut difference = self.difference(&found, diff.top, have_runs);
        let sides = [&before.owners[..], &after.owners];
        difference.owners = self.owners_changed(diff.by, sides, busy, diff.top);
        let found = Difference::Profile(difference.into());
        Ok(Compared { found, caveats, facts: now, base })
    }

    /// What was found; of each list at most `top` rows.
    fn difference(&self, found: &Comparison, top: Option<usize>, have_runs: bool) -> ProfileDiff {
        let row = |change: &Change| self.changed(change, found.busy, have_runs);
        let grown = found.functions.iter().filter(|change| change.total_delta() > 0);
        let changed = found.functions.iter().filter(|one| one.row.kind() != ChangeKind::Same);
        let mut by_total: Vec<&Change> = grown.collect();
        by_total.sort_by_key(|change| Reverse(change.total_delta()));
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
            true => (None, None, None),
            false => shares([before, now], busy),
        };
        // A value is a whole number, and so is that of each run.
        let amounts = |values: &[f64]| match have_runs {
            true => values.iter().map(|&value| self.amount(value as i64)).collect(),
            false => Vec::new(),
        };
        let (base_self_percent, self_percent, self_percent_delta) = shares(base.own, now.own);
        let (base_total_percent, total_percent, total_percent_delta) =
            shares(base.total, now.total);
        FunctionChange {
            function_name: key.name().into(),
            place: place(&key.url, *line),
            url: key.url.to_string(),
            line: *line,
            base_self_value: self.amount(base.own),
            self_value: self.amount(now.own),
            self_value_delta: self.change(now.own, base.own),
            base_self_percent,
            self_percent,
            self_percent_delta,
            base_total_value: self.amount(base.total),
            total_value: self.amount(now.total),
            total_value_delta: self.change(now.total, base.total),
            base_total_percent,
            total_percent,
            total_percent_delta,
            change: row.kind(),
            p_value: row.p_value(),
            runs_before: amounts(&row.of().before),
            runs_after: amounts(&row.of().after),
        }
    }

    fn run(&self, source: &Source, side: Option<Side>) -> Run {
        Run {
            name: source.to_string(),
            side,
            whole: self.profile.whole,
            busy: self.busy(),
            samples: self.profile.sample_count,
            functions: self.listed().count() as u64,
        }
    }

    fn known(&self) -> Functions {
        let mut groups = vec![None; self.profile.functions.len()];
        let mut keys: HashMap<Key, u32> = HashMap::new();
        let mut firsts: Vec<&Function> = Vec::new();
        let mut lines: Vec<Option<i32>> = Vec::new();
        for (number, function) in self.listed() {
            let group = *keys.entry(Key::of(function)).or_insert_with(|| {
                firsts.push(function);
                lines.push(function.source_line());
                firsts.len() as u32 - 1
            });
            let line = &mut lines[group as usize];
            *line = line.filter(|_| *line == function.source_line());
            groups[number as usize] = Some(group);
        }
        let sums = self.sums(&groups, firsts.len());
        let known = keys.into_iter().map(|(key, group)| {
            let (line, is_idle) = (lines[group as usize], firsts[group as usize].is_idle());
            (key, Known { line, is_idle, numbers: Numbers::of(&sums, group as usize) })
        });
        known.collect()
    }
}

/// Shares of what was not idle before and after, and their change.
fn shares(
    [before, now]: [i64; 2],
    busy: [i64; 2],
) -> (Option<Share>, Option<Share>, Option<ShareChange>) {
    let [before, now] = [share(before, busy[0]), share(now, busy[1])];
    let delta = ShareChange { parts: now - before };
    (Some(Share { parts: before }), Some(Share { parts: now }), Some(delta))
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
        let values = |Known { numbers, .. }: &Known| vec![numbers.own as f64, numbers.total as f64];
        let of =
            |run: &Functions| run.iter().map(|(key, known)| (key.clone(), values(known))).collect();
        runs.iter().map(of).collect()
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
