//! What a container gets more of, if that is of several classes: records with optional properties, objects of any kind.

use super::{Label, Rules, growth, steps};
use std::cmp::Reverse;

/// Properties that are told of records.
const TOLD: usize = 8;

/// The places that grow where a place does, and differ from it by nothing but class.
#[derive(Debug)]
pub(in crate::leaks) struct Mixture {
    /// All of them.
    pub(in crate::leaks) all: Vec<u32>,
    /// Those of the same class, or with one of its properties if they are records.
    pub(in crate::leaks) alike: Vec<u32>,
}

impl Mixture {
    /// `lead` is one of the `groups`, which have one owner.
    pub(in crate::leaks) fn new(rules: &Rules<'_>, lead: u32, groups: &[u32]) -> Self {
        let all = beside(rules, lead, groups);
        let alike = alike(rules, lead, &all);
        Mixture { all, alike }
    }

    /// Of most that was added, the place that grows most.
    pub(in crate::leaks) fn majority(rules: &Rules<'_>, lead: u32, groups: &[u32]) -> u32 {
        let Mixture { mut all, .. } = Mixture::new(rules, lead, groups);
        let mut by_bytes = all.clone();
        by_bytes.sort_by_cached_key(|&place| (Reverse(growth(&rules.sums(&[place]))), place));
        let mut most: Option<(i64, u32)> = None;
        for first in by_bytes {
            if !all.contains(&first) {
                continue;
            }
            let alike = alike(rules, first, &all);
            all.retain(|place| !alike.contains(place));
            let added = growth(&counts(rules, &alike));
            if most.is_none_or(|(most, _)| added > most) {
                most = Some((added, first));
            }
        }
        most.map_or(lead, |(_, place)| place)
    }

    /// The properties of records, `?` behind those that not all of them are known to have; `None` of one class.
    pub(in crate::leaks) fn record(&self, rules: &Rules<'_>) -> Option<String> {
        let shapes: Vec<Vec<&str>> =
            self.alike.iter().filter_map(|&place| properties(rules, place)).collect();
        if shapes.len() < 2 {
            return None;
        }
        let mut names: Vec<&str> = Vec::new();
        for &name in shapes.iter().flatten() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let is_in_all = |name: &str| shapes.iter().all(|shape| shape.contains(&name));
        let told = names.iter().take(TOLD);
        let told = told.map(|&name| format!("{name}{}", if is_in_all(name) { "" } else { "?" }));
        let more = if names.len() > TOLD { ", …" } else { "" };
        Some(format!("{{{}{more}}}", told.collect::<Vec<_>>().join(", ")))
    }
}

/// The numbers of several places together, by snapshot.
pub(in crate::leaks) fn counts(rules: &Rules<'_>, places: &[u32]) -> Vec<u64> {
    let mut sums = vec![0; rules.snapshots()];
    for &place in places {
        sums.iter_mut().zip(rules.members(place)).for_each(|(sum, n)| *sum += n);
    }
    sums
}

/// The properties of a record, by the name of its class: `{id, name}`.
fn properties<'a>(rules: &Rules<'a>, place: u32) -> Option<Vec<&'a str>> {
    let names = rules.class_name(place)?.strip_prefix('{')?.strip_suffix('}')?;
    Some(names.split(", ").collect())
}

/// Those of one class, or records that all have a property in common.
fn alike(rules: &Rules<'_>, lead: u32, all: &[u32]) -> Vec<u32> {
    let mut alike = vec![lead];
    let Some(mut common) = properties(rules, lead) else { return alike };
    for &place in all.iter().filter(|&&place| place != lead) {
        let Some(names) = properties(rules, place) else { continue };
        if common.iter().any(|name| names.contains(name)) {
            common.retain(|name| names.contains(name));
            alike.push(place);
        }
    }
    alike
}

/// Elements, entries or values beside those of a place. Strings are mostly keys, unless they are in an Array or Set. Of
/// a Map what comes as often as all other things together is its keys, too.
fn beside(rules: &Rules<'_>, lead: u32, groups: &[u32]) -> Vec<u32> {
    let place = rules.places().get(lead);
    if place.label != Label::MEMBER {
        return vec![lead];
    }
    let container = rules.class_name(place.parent).unwrap_or_default();
    let has_keys = !container.ends_with("Array") && !container.ends_with("Set");
    let is_text = |place: u32| has_keys && rules.class_name(place) == Some("(string)");
    let is_beside = |&other: &u32| {
        let its = rules.places().get(other);
        (its.parent, its.label) == (place.parent, place.label) && is_text(other) == is_text(lead)
    };
    let mut all: Vec<u32> = groups.iter().copied().filter(is_beside).collect();
    if !container.ends_with("Map") {
        return all;
    }
    let added = |places: &[u32]| steps(&counts(rules, places));
    let whole = added(&all);
    // It gets as much as all others together: half of all.
    let is_column = |&&place: &&u32| {
        all.len() > 1 && added(&[place]).iter().zip(&whole).all(|(own, all)| 2 * own == *all)
    };
    if let Some(&column) = all.iter().find(is_column) {
        all.retain(|&place| (place == lead) == (column == lead));
    }
    all
}
