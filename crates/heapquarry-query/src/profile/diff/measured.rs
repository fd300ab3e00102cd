//! What is compared of each profile. It is small: a profile is read, measured and forgotten before the next one is
//! read.

use super::owners::Owned;
use crate::{
    By,
    profile::{Numbers, Subject},
    runs::Side,
};
use heapquarry::Source;
use heapquarry_profile::{Function, Key};
use std::collections::HashMap;

/// Totals of a profile.
pub(crate) struct Run {
    pub(in crate::profile) name: String,
    pub(in crate::profile) side: Option<Side>,
    pub(in crate::profile) whole: i64,
    pub(in crate::profile) busy: i64,
    pub(in crate::profile) samples: u64,
    pub(in crate::profile) functions: u64,
}

/// A function of one profile.
pub(super) struct Known {
    pub(super) line: Option<i32>,
    pub(super) is_idle: bool,
    pub(super) numbers: Numbers,
}

/// The functions of one profile.
pub(super) type Functions = HashMap<Key, Known>;

/// What is compared of one profile.
pub(crate) struct Measured {
    pub(super) run: Run,
    /// Nothing of one that is on no side.
    pub(super) functions: Functions,
    pub(super) owners: Owned,
    pub(super) busy: i64,
    /// The value of all samples, and their number.
    pub(super) per_sample: f64,
}

impl Subject {
    /// What is compared of this profile, if it is on that side; by what its values are told besides functions.
    pub(crate) fn measured(&self, source: &Source, side: Option<Side>, by: Option<By>) -> Measured {
        let is_compared = side.is_some();
        Measured {
            run: self.run(source, side),
            functions: if is_compared { self.known() } else { Functions::new() },
            owners: self.by_owner(by.filter(|_| is_compared)),
            busy: self.busy(),
            per_sample: self.profile.value_of_a_sample(),
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
