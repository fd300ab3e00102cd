//! Places that grow in every step, one rule a file.

mod bytes;
mod members;
pub(super) mod mixture;
mod moving;
mod references;
mod shared;
mod unheld;

use super::{
    classes::Classes,
    counts::Count,
    dictionaries::Grown,
    last::Last,
    places::{Label, Places, ROOT},
    texts::Texts,
};

/// What grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeakKind {
    /// The number of objects.
    Count,
    /// The number of references, to objects that were there already.
    References,
    /// The size of an object, or of the storage that belongs to it.
    Bytes,
    /// The number of objects of a class that move between several places.
    Moving,
    /// The number of objects that nothing is shown to hold, where the engine does not write what a Map or Set holds.
    Unheld,
}

/// A place that may leak.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) kind: LeakKind,
    /// The place of the containers.
    pub(super) owner: u32,
    /// The places below it that grow; empty unless objects are counted.
    pub(super) groups: Vec<u32>,
    /// The one of them that grows most.
    pub(super) lead: Option<u32>,
    /// Other places that hold most of the same objects: all must let go.
    pub(super) also: Vec<u32>,
    /// Other fields of the same object that grow with it.
    pub(super) grows_with: Vec<u32>,
    /// What is counted, by snapshot.
    pub(super) counts: Vec<u64>,
    /// Bytes by which it grew in each step.
    pub(super) steps: Vec<i64>,
    /// Bytes by which it grew in all.
    pub(super) bytes: i64,
}

impl Candidate {
    /// The other places that belong to it.
    pub(super) fn others(&self) -> impl Iterator<Item = &u32> {
        self.also.iter().chain(&self.grows_with)
    }
}

/// What the rules look at.
pub(super) struct Rules<'a> {
    pub(super) grown: &'a Grown,
    pub(super) classes: &'a Classes,
    pub(super) texts: &'a Texts,
    /// Whether it is known which objects are old: ids last.
    pub(super) has_births: bool,
    /// By snapshot and place, bytes of the place and all below it.
    sums: Vec<Vec<u64>>,
    /// By snapshot and place, bytes of the code that the engine keeps for the place and all below it.
    code: Vec<Vec<u64>>,
}

impl<'a> Rules<'a> {
    pub(super) fn new(
        grown: &'a Grown,
        classes: &'a Classes,
        texts: &'a Texts,
        has_births: bool,
    ) -> Self {
        let by_place = |bytes: fn(&Count) -> u64| {
            grown.counts.iter().map(|counts| sums(&grown.places, counts, bytes)).collect()
        };
        let (sums, code) = (by_place(|count| count.bytes), by_place(|count| count.code));
        Rules { grown, classes, texts, has_births, sums, code }
    }

    pub(super) fn places(&self) -> &'a Places {
        &self.grown.places
    }

    /// All places but the root.
    fn all(&self) -> impl Iterator<Item = u32> {
        1..self.places().len() as u32
    }

    pub(super) fn snapshots(&self) -> usize {
        self.grown.counts.len()
    }

    /// A number of a place, by snapshot.
    pub(super) fn series(&self, place: u32, number: impl Fn(&Count) -> u64) -> Vec<u64> {
        self.grown.counts.iter().map(|counts| number(&counts[place as usize])).collect()
    }

    pub(super) fn members(&self, place: u32) -> Vec<u64> {
        self.series(place, |count| count.members.into())
    }

    fn entries(&self, place: u32) -> Vec<u64> {
        self.series(place, |count| count.entries.into())
    }

    fn bytes(&self, place: u32) -> Vec<u64> {
        self.series(place, |count| count.bytes)
    }

    /// Bytes of some places with all below, by snapshot.
    pub(super) fn sums(&self, places: &[u32]) -> Vec<u64> {
        of_places(&self.sums, places)
    }

    /// Bytes of some places with all below and the code that the engine keeps for them, by snapshot: leaked objects
    /// keep their code. Without the code if that shrinks at times: the engine discards old code.
    fn sums_with_code(&self, places: &[u32]) -> Vec<u64> {
        let (mut sums, code) = (self.sums(places), of_places(&self.code, places));
        if code.is_sorted() {
            sums.iter_mut().zip(code).for_each(|(sum, code)| *sum = sum.saturating_add(code));
        }
        sums
    }

    /// Whether containers that were there get something new in each snapshot after the first; new ones that took over
    /// what was there count too, if there is more in each. Where births are not known, whether there is more in each
    /// container.
    fn accretes(&self, place: u32) -> bool {
        if !self.has_births {
            return !self.grows_with_containers(place);
        }
        let each = || self.grown.counts[1..].iter().map(|counts| &counts[place as usize]);
        each().all(|count| count.accreted > 0)
            || each().all(|count| count.accreted > 0 || count.carried > 0)
                && !self.grows_with_containers(place)
    }

    /// Whether containers that grow in number hold no more than before, each, but for a tenth.
    fn grows_with_containers(&self, place: u32) -> bool {
        let owner = self.places().get(place).parent;
        let owners = self.members(owner);
        owner != ROOT && growth(&owners) > 0 && self.has_no_more(place)
    }

    /// Whether each container of a place has as many members as before, or fewer, but for a tenth.
    fn has_no_more(&self, place: u32) -> bool {
        let owner = self.places().get(place).parent;
        let (members, owners) = (self.members(place), self.members(owner));
        let (Some((members, more)), Some((owners, more_owners))) = (ends(&members), ends(&owners))
        else {
            return false;
        };
        let product = |a: u64, b: u64, tenths: u128| u128::from(a) * u128::from(b) * tenths;
        product(more, owners, 10) <= product(members, more_owners, 11)
    }

    pub(super) fn label(&self, place: u32) -> Label {
        self.places().get(place).label
    }

    pub(super) fn class_name(&self, place: u32) -> Option<&'a str> {
        self.classes.name(self.places().get(place).class, self.texts)
    }

    fn is_class(&self, place: u32, names: &[&str]) -> bool {
        self.class_name(place).is_some_and(|name| names.contains(&name))
    }

    /// Everything that grows, by any rule.
    pub(super) fn candidates(&self, last: &Last<'_>) -> Vec<Candidate> {
        let (mut found, mut covered) = members::find(self, last);
        let is_of_root = |&place: &u32| {
            covered[place as usize]
                && self.places().get(place).parent == ROOT
                && !found.iter().any(|candidate| candidate.groups.contains(&place))
        };
        let ownerless: Vec<u32> = self.all().filter(is_of_root).collect();
        let unheld = unheld::find(self, last, &ownerless);
        found.iter().for_each(|candidate| covered[candidate.owner as usize] = true);
        for place in self.all() {
            covered[place as usize] |= covered[self.places().get(place).parent as usize];
        }
        for place in self.all() {
            if !covered[place as usize] && self.label(place) != Label::ENGINE {
                let found_here = references::find(self, place);
                found.extend(found_here.or_else(|| bytes::find(self, place)));
            }
        }
        let moving = moving::find(self, &covered);
        // Where it is not known what is new, what leaked objects hold seems to move with them: one is told for all.
        match self.has_births {
            true => found.extend(moving),
            false => found.extend(moving.into_iter().max_by_key(|candidate| candidate.bytes)),
        }
        found.extend(unheld);
        found
    }
}

/// Of some places, by snapshot.
fn of_places(sums: &[Vec<u64>], places: &[u32]) -> Vec<u64> {
    let sum = |sums: &Vec<u64>| {
        places.iter().fold(0u64, |sum, &place| sum.saturating_add(sums[place as usize]))
    };
    sums.iter().map(sum).collect()
}

/// Bytes of each place with all below.
fn sums(places: &Places, counts: &[Count], bytes: fn(&Count) -> u64) -> Vec<u64> {
    let mut sums: Vec<u64> = counts.iter().map(bytes).collect();
    for place in (1..places.len() as u32).rev() {
        let parent = places.get(place).parent as usize;
        sums[parent] = sums[parent].saturating_add(sums[place as usize]);
    }
    sums
}

/// Whether numbers grow by at least so much in each step.
pub(super) fn grows_by(numbers: &[u64], least: u64) -> bool {
    numbers.windows(2).all(|pair| pair[1].checked_sub(pair[0]).is_some_and(|step| step >= least))
}

pub(super) fn grows(numbers: &[u64]) -> bool {
    grows_by(numbers, 1)
}

/// The first and the last number.
fn ends(numbers: &[u64]) -> Option<(u64, u64)> {
    Some((*numbers.first()?, *numbers.last()?))
}

/// By how much numbers grow in each step.
pub(super) fn steps(numbers: &[u64]) -> Vec<i64> {
    numbers.windows(2).map(|pair| difference(pair[1], pair[0])).collect()
}

pub(super) fn growth(numbers: &[u64]) -> i64 {
    match numbers {
        [first, .., last] => difference(*last, *first),
        _ => 0,
    }
}

fn difference(now: u64, before: u64) -> i64 {
    let signed = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    signed(now) - signed(before)
}
