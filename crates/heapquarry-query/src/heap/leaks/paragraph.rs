//! A finding as a colleague tells it: what grows, who holds it, where it is made, what frees it.

use super::{
    answer::{Confidence, Leak, LeakKind},
    view::{is_plural, subject, what},
};
use crate::{
    answer::{Bytes, SourceLocation},
    sections::signed,
};
use heapquarry_report::{Unit, grouped};

/// One paragraph without line ends.
pub(super) fn paragraph(leak: &Leak) -> String {
    let mut sentences = vec![growth(leak)];
    if !leak.way.is_empty() {
        sentences.push(format!("It is reached through {}.", leak.way));
    }
    sentences.extend(places(leak));
    sentences.extend(leak.kept_percent.map(|kept| match kept.rounded() {
        100 => "None has gone since the first snapshot.".into(),
        percent => format!("{percent} % of those in the first snapshot are still there."),
    }));
    if !leak.also_held_by.is_empty() {
        let others = leak.also_held_by.join(" and ");
        sentences.push(format!("{others} must let go, too: the same objects are there."));
    }
    if leak.confidence == Confidence::Low {
        sentences.push("Two snapshots are few: a cache that fills once looks the same.".into());
    }
    sentences.extend(leak.cure.as_ref().map(|cure| format!("The usual cure: {}.", cure.text)));
    sentences.join(" ")
}

fn size(bytes: Bytes) -> String {
    Unit::Bytes.format(signed(bytes.0)).to_string()
}

fn growth(leak: &Leak) -> String {
    let (subject, bytes) = (subject(leak), size(leak.growth));
    let what = what(leak);
    // The share is between commas.
    let comma = if leak.leaked_percent.is_some() { "," } else { "" };
    let get = if is_plural(leak) { "get" } else { "gets" };
    let counts = leak.counts.iter().flatten().map(|&count| grouped(count));
    let counts = counts.collect::<Vec<_>>().join(" → ");
    let each = leak.growth_each.map(|each| format!(", {} each", size(each)));
    let numbers = format!("{counts}, {bytes} more in all{}", each.unwrap_or_default());
    match leak.kind {
        LeakKind::Bytes => format!("{subject} grows in every step: {bytes} more in all."),
        LeakKind::References => {
            format!("{subject} {get} more references to the same objects in every step: {numbers}.")
        }
        LeakKind::Unheld if leak.container.id.is_none() => {
            format!("There are more {what} in every step that nothing is shown to hold: {numbers}.")
        }
        LeakKind::Unheld => {
            format!("{subject} probably gets more {what} in every step: {numbers}.")
        }
        LeakKind::Count | LeakKind::Moving => {
            format!("{subject} {get} more {what}{comma} in every step: {numbers}.")
        }
    }
}

fn places(leak: &Leak) -> impl Iterator<Item = String> {
    let at = |said: &str, place: &Option<SourceLocation>| {
        let SourceLocation { place, what, package, .. } = place.as_ref()?;
        let package = package.as_ref().map(|name| format!(", in the package {name}"));
        // A function without a name is found by its place alone.
        let what = Some(what).filter(|what| !what.contains("(anonymous)"));
        let what = what.map(|what| format!(" ({what})"));
        let [what, package] = [what, package].map(Option::unwrap_or_default);
        Some(format!("{said} {place}{what}{package}."))
    };
    // Of plain objects only who sees the variable is known.
    let is_seen = leak.made_at.as_ref().is_some_and(|place| place.what.starts_with("seen by "));
    let made = if is_seen { "The code that sees it is at" } else { "They are made at" };
    let all = [
        at(made, &leak.made_at),
        at("They are stored by the code at", &leak.stored_by),
        at("The code that holds them is at", &leak.held_at),
    ];
    all.into_iter().flatten()
}
