//! Compares profiles.

mod answer;
mod view;

pub use answer::{ComparedProfile, FunctionChange, ProfileDiff};

use super::{Numbers, Subject, place, share, tables::tables};
use crate::{
    answer::{AmountChange, List, Share, ShareChange},
    diff::{Compared, Comparing, Difference},
    summary::SHOWN,
};
use heapquarry::{Result, Source, engine::Locate};
use heapquarry_profile::{Function, Key};
use std::{cmp::Reverse, collections::HashMap};

/// Result of a comparison with the last profile.
pub(super) struct Comparison {
    /// In the order given.
    pub(super) sides: Vec<Side>,
    /// Functions that differ between the first and the last profile, sorted by growth of the self value.
    pub(super) functions: Vec<Change>,
}

/// Totals of a profile.
pub(super) struct Side {
    pub(super) name: String,
    pub(super) whole: i64,
    pub(super) busy: i64,
    pub(super) samples: u64,
    pub(super) functions: u64,
}

/// A function in the first and in the last profile.
pub(super) struct Change {
    pub(super) key: Key,
    /// Its line in the last profile, or else in the first; `None` if it has several positions.
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

/// Functions of a profile by key: line, whether idle, and values.
type Known = HashMap<Key, (Option<i32>, bool, Numbers)>;

impl Subject {
    /// Compares this profile with earlier ones, of which the first is the base.
    pub(crate) fn compare(&self, mut how: Comparing<'_>, top: Option<usize>) -> Result<Compared> {
        let (mut sides, mut caveats) = (Vec::new(), Vec::new());
        let (mut known, mut base) = (Known::new(), None);
        for (i, source) in how.before.iter().enumerate() {
            let subject = self.open_like(source, source.locate(how.options)?, how.options)?;
            if i == 0 {
                known = subject.known();
                base = how.facts.map(|wanted| subject.facts(source, wanted)).transpose()?;
            }
            sides.push(subject.side(source));
            caveats.extend(subject.notes);
        }
        sides.push(self.side(how.source));
        let found = Comparison { sides, functions: changes(known, self.known()) };
        caveats.extend(how.write(tables(&found, self.words()).into_iter())?);
        let found = Difference::Profile(self.difference(&found, top).into());
        Ok(Compared { found, caveats, facts: None, base })
    }

    /// What was found; of each list at most `top` rows.
    fn difference(&self, found: &Comparison, top: Option<usize>) -> ProfileDiff {
        let (first, last) = found.ends();
        let row = |change: &Change| self.changed(change, [first.busy, last.busy]);
        let grown = found.functions.iter().filter(|change| change.total_delta() > 0);
        let mut by_total: Vec<&Change> = grown.collect();
        by_total.sort_by_key(|change| Reverse(change.total_delta()));
        ProfileDiff {
            unit: self.profile.unit().into(),
            profiles: found.sides.iter().map(|side| self.compared(side, first)).collect(),
            functions: List::of(found.functions.iter().collect(), top, row),
            functions_by_total: List::of(by_total, Some(top.unwrap_or(SHOWN)), row),
            words: self.profile.kind,
        }
    }

    fn change(&self, now: i64, base: i64) -> AmountChange {
        let unit = heapquarry::engine::unit(self.profile.kind);
        AmountChange { number: now.saturating_sub(base), unit }
    }

    fn compared(&self, side: &Side, first: &Side) -> ComparedProfile {
        let has_busy = self.words().busy.is_some();
        ComparedProfile {
            name: side.name.clone(),
            value: self.amount(side.whole),
            value_delta: self.change(side.whole, first.whole),
            busy_value: has_busy.then(|| self.amount(side.busy)),
            busy_value_delta: has_busy.then(|| self.change(side.busy, first.busy)),
            sample_count: side.samples,
            function_count: side.functions,
        }
    }

    /// A function that differs; of what was not idle before and now.
    fn changed(&self, change: &Change, busy: [i64; 2]) -> FunctionChange {
        let Change { key, line, base, now, is_idle } = change;
        let shares = |before: i64, now: i64| {
            let [before, now] = [share(before, busy[0]), share(now, busy[1])];
            let delta = ShareChange { parts: now - before };
            match is_idle {
                true => (None, None, None),
                false => (Some(Share { parts: before }), Some(Share { parts: now }), Some(delta)),
            }
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
        }
    }

    fn side(&self, source: &Source) -> Side {
        Side {
            name: source.to_string(),
            whole: self.profile.whole,
            busy: self.busy(),
            samples: self.profile.sample_count,
            functions: self.listed().count() as u64,
        }
    }

    fn known(&self) -> Known {
        let mut groups = vec![None; self.profile.functions.len()];
        let mut keys: HashMap<Key, u32> = HashMap::new();
        let mut firsts: Vec<&Function> = Vec::new();
        let mut lines: Vec<Option<i32>> = Vec::new();
        for (number, function) in self.listed() {
            let group = *keys.entry(Key::of(function)).or_insert_with(|| {
                firsts.push(function);
                lines.push(function.line);
                firsts.len() as u32 - 1
            });
            let line = &mut lines[group as usize];
            *line = line.filter(|_| *line == function.line);
            groups[number as usize] = Some(group);
        }
        let sums = self.sums(&groups, firsts.len());
        let known = keys.into_iter().map(|(key, group)| {
            let group = group as usize;
            (key, (lines[group], firsts[group].is_idle(), Numbers::of(&sums, group)))
        });
        known.collect()
    }
}

/// Functions that differ.
fn changes(mut base: Known, now: Known) -> Vec<Change> {
    let mut changes: Vec<Change> = now
        .into_iter()
        .map(|(key, (line, is_idle, now))| {
            let base = base.remove(&key).map_or(Numbers::default(), |(_, _, numbers)| numbers);
            Change { key, line, base, now, is_idle }
        })
        .collect();
    changes.extend(base.into_iter().map(|(key, (line, is_idle, base))| Change {
        key,
        line,
        base,
        now: Numbers::default(),
        is_idle,
    }));
    changes.retain(|change| change.base != change.now);
    changes.sort_unstable_by(|a, b| {
        let rank = |c: &Change| (c.own_delta(), c.total_delta());
        rank(b).cmp(&rank(a)).then_with(|| a.key.cmp(&b.key))
    });
    changes
}

impl Comparison {
    /// The first and the last profile.
    pub(super) fn ends(&self) -> (&Side, &Side) {
        (&self.sides[0], &self.sides[self.sides.len() - 1])
    }
}
