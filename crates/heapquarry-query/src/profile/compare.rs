//! Compares profiles.

use super::{Numbers, Subject, place, share, tables::tables};
use crate::{Compared, Comparing, sections::table, texts};
use heapquarry::{
    Result, Source,
    engine::{Function, Key},
};
use heapquarry_report::{Body, Cell, Column, Section, Unit};
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
    pub(crate) fn compare(&self, mut how: Comparing<'_>) -> Result<Compared> {
        let (mut sides, mut notes) = (Vec::new(), Vec::new());
        let (mut base, mut facts) = (Known::new(), None);
        for (i, source) in how.before.iter().enumerate() {
            let subject = self.open_like(source, source.locate(how.options)?, how.options)?;
            if i == 0 {
                base = subject.known();
                facts = how.with_facts.then(|| subject.facts(source)).transpose()?;
            }
            sides.push(subject.side(source));
            notes.extend(texts(&subject.notes));
        }
        sides.push(self.side(how.source));
        let found = Comparison { sides, functions: changes(base, self.known()) };
        notes.extend(how.write(tables(&found, self.words()).into_iter())?);
        Ok(Compared { base: facts, notes, sections: found.sections(self, how.top) })
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

    fn sections(&self, subject: &Subject, top: usize) -> Vec<Section> {
        let words = subject.words();
        let all: Vec<&Change> = self.functions.iter().collect();
        let mut by_total: Vec<&Change> =
            all.iter().copied().filter(|change| change.total_delta() > 0).collect();
        by_total.sort_by_key(|change| Reverse(change.total_delta()));
        let omitted = by_total.len().saturating_sub(top) as u64;
        by_total.truncate(top);
        let mut by_total =
            self.functions(subject, ("functions_by_total", words.grown_by_total), &by_total, top);
        if let Body::Table(table) = &mut by_total.body {
            table.omitted = omitted;
        }
        let by_own = self.functions(subject, ("functions", words.grown_by_own), &all, top);
        vec![self.profiles(subject), by_own, by_total]
    }

    fn profiles(&self, subject: &Subject) -> Section {
        let (words, unit) = (subject.words(), heapquarry::engine::unit(subject.profile.kind));
        let base = &self.sides[0];
        let rows = self.sides.iter().map(|side| {
            let mut row = vec![
                Cell::name(&*side.name),
                Cell::Number(side.whole, unit),
                Cell::Change(side.whole.saturating_sub(base.whole), unit),
            ];
            if words.busy.is_some() {
                row.push(Cell::Number(side.busy, unit));
                row.push(Cell::Change(side.busy.saturating_sub(base.busy), unit));
            }
            if words.counts_apart {
                row.push(Cell::count(side.samples));
            }
            row.push(Cell::count(side.functions));
            row
        });
        let (key, title) = words.whole;
        let mut columns = vec![
            Column::new("name", "Profile"),
            Column::new(key, title),
            Column::new(words.whole_delta, "Delta"),
        ];
        if let Some((key, delta, title)) = words.busy {
            columns.extend([Column::optional(key, title), Column::optional(delta, "Delta")]);
        }
        if words.counts_apart {
            columns.push(Column::optional("sample_count", "Samples"));
        }
        columns.push(Column::optional("function_count", "Functions"));
        table("profiles", "Profiles", columns, rows.collect(), usize::MAX, "")
    }

    fn functions(
        &self,
        subject: &Subject,
        (key, title): (&'static str, &'static str),
        changes: &[&Change],
        top: usize,
    ) -> Section {
        let (words, unit) = (subject.words(), heapquarry::engine::unit(subject.profile.kind));
        let (first, last) = self.ends();
        let is_by_own = key == "functions";
        let rows = changes.iter().map(|change| {
            let shares = |before: i64, now: i64| match change.is_idle {
                true => [Cell::Empty, Cell::Empty, Cell::Empty],
                false => {
                    let (before, now) = (share(before, first.busy), share(now, last.busy));
                    [
                        Cell::Number(before, Unit::Share),
                        Cell::Number(now, Unit::Share),
                        Cell::Change(now - before, Unit::Points),
                    ]
                }
            };
            let Change { key, line, base, now, .. } = change;
            let [base_own_share, own_share, own_share_delta] = shares(base.own, now.own);
            let [base_total_share, total_share, total_share_delta] = shares(base.total, now.total);
            vec![
                Cell::name(key.name()),
                place(&key.url, *line).map_or(Cell::Empty, Cell::name),
                Cell::name(&*key.url),
                Cell::Number(base.own, unit),
                Cell::Number(now.own, unit),
                Cell::Change(change.own_delta(), unit),
                base_own_share,
                own_share,
                own_share_delta,
                Cell::Number(base.total, unit),
                Cell::Number(now.total, unit),
                Cell::Change(change.total_delta(), unit),
                base_total_share,
                total_share,
                total_share_delta,
            ]
        });
        // Text shows only the values that the list is about; JSON has all.
        let of = |is_shown: bool, key: &'static str, title: &'static str| match is_shown {
            true => Column::optional(key, title),
            false => Column::hidden(key),
        };
        let columns = vec![
            Column::new("function_name", "Function"),
            Column::optional("place", "Where"),
            Column::hidden("url"),
            of(is_by_own, words.base_own, "Before"),
            of(is_by_own, words.own, "Self"),
            Column { optional: !is_by_own, ..of(is_by_own, words.own_delta, "Delta") },
            Column::hidden("base_self_percent"),
            of(is_by_own, "self_percent", "Share"),
            of(is_by_own, "self_percent_delta", "Points"),
            of(!is_by_own, words.base_total, "Before"),
            of(!is_by_own, words.total, "Total"),
            Column { optional: is_by_own, ..of(!is_by_own, words.total_delta, "Delta") },
            Column::hidden("base_total_percent"),
            of(!is_by_own, "total_percent", "Share"),
            of(!is_by_own, "total_percent_delta", "Points"),
        ];
        table(key, title, columns, rows.collect(), top, "none")
    }
}
