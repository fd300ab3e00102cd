//! What leaks, for people.

use super::{
    answer::{Confidence, Leak, LeakKind, LeaksAnswer},
    suspicion::section,
};
use crate::{
    answer::{Bytes, SourceLocation},
    heap::owners::view::changes,
    sections::signed,
    view::{View, values},
};
use heapquarry_report::{Body, Cell, Section, Unit, grouped};

impl View for LeaksAnswer {
    fn sections(&self, shown: usize) -> Vec<Section> {
        // What is ignored is none of the growth that is to be explained.
        let growth = self.growth.0.saturating_sub(signed(self.ignored.0));
        let findings = findings(&self.findings, growth, shown);
        let suspicions = section(&self.suspicions, shown);
        let mut sections = match self.snapshots.len() {
            1 => vec![suspicions],
            2 => vec![findings, suspicions],
            _ => vec![findings],
        };
        sections.extend(self.owners.as_ref().map(|found| changes(found, shown)));
        sections
    }

    fn subject(&self, _: &[String]) -> String {
        if let [one] = &self.snapshots[..] {
            return format!("1 snapshot, {}", bytes(one.size));
        }
        let sizes: Vec<String> = self.snapshots.iter().map(|one| bytes(one.size)).collect();
        format!(
            "{} snapshots, {} ({})",
            self.snapshots.len(),
            sizes.join(" → "),
            Unit::Bytes.format_change(self.growth.0)
        )
    }
}

fn bytes(size: Bytes) -> String {
    Unit::Bytes.format(signed(size.0)).to_string()
}

/// The growth of all findings together.
pub(super) fn sum(found: &[Leak]) -> Bytes {
    Bytes(found.iter().map(|leak| leak.growth.0).fold(0, u64::saturating_add))
}

/// How many places grow, and by how much; of the growth of the heap they are a part.
pub(crate) fn verdict(found: &[Leak], growth: i64) -> String {
    let sum = signed(sum(found).0);
    let mut title = match found.len() {
        0 => "Nothing grows in every step.".into(),
        1 => format!("1 place grows in every step: {}", Unit::Bytes.format(sum)),
        n => format!("{n} places grow in every step: {}", Unit::Bytes.format(sum)),
    };
    if growth > 0 && !found.is_empty() {
        let share = i128::from(sum) * 100 / i128::from(growth);
        title += &format!(", {} % of the growth", share.min(100));
    }
    title
}

/// The findings; of the growth of the heap they are a part. `shown` of them are shown.
pub(crate) fn findings(found: &[Leak], growth: i64, shown: usize) -> Section {
    let mut title = verdict(found, growth);
    if found.len() > shown {
        title += &format!("; the {shown} that grow most");
    }
    let items = found.iter().take(shown).zip(1..).map(|(leak, number)| vec![finding(number, leak)]);
    Section { key: "findings", title: title.into(), body: Body::List(items.collect()) }
}

fn finding(number: usize, leak: &Leak) -> Section {
    let title = format!("{number}. {}", headline(leak));
    Section { title: title.into(), ..values("", "", rows(leak)) }
}

/// The class of the container before the owner, unless it says the same, or is no more than the names of its fields.
pub(super) fn subject(leak: &Leak) -> String {
    let (container, owner) = (&leak.container.class_name, &leak.owner);
    // Node's global object is called `global /` and what follows.
    let says_it = matches!(container.as_str(), "" | "scope")
        || container.starts_with('{')
        || owner.starts_with(container.as_str())
        || (owner.starts_with("globalThis") && container.starts_with("global"));
    if says_it { owner.clone() } else { format!("{container} {owner}") }
}

/// Whether the name of who holds is that of several.
pub(super) fn is_plural(leak: &Leak) -> bool {
    leak.owner.ends_with(" listeners")
}

/// What there is more of.
pub(super) fn what(leak: &Leak) -> String {
    match (&leak.leaked, leak.leaked_percent) {
        (Some(class), None) => class.clone(),
        (Some(class), Some(share)) => format!("objects, {} % of them {class}", share.rounded()),
        (None, _) => "objects".into(),
    }
}

fn headline(leak: &Leak) -> String {
    let hold = if is_plural(leak) { "hold" } else { "holds" };
    let bytes = Unit::Bytes.format_change(signed(leak.growth.0));
    let added = grouped(leak.added.unwrap_or(0).unsigned_abs());
    let what = what(leak);
    match leak.kind {
        LeakKind::Bytes if leak.leaked.as_deref() == Some("(string)") => {
            format!("string {} grew, {bytes}", leak.owner)
        }
        LeakKind::Bytes => format!("{} grew, {bytes}", subject(leak)),
        LeakKind::References => {
            format!(
                "{} {hold} {added} more references to what was there already, {bytes}",
                subject(leak)
            )
        }
        LeakKind::Unheld if leak.container.id.is_none() => {
            format!("nothing is shown to hold {added} more {what}, {bytes}")
        }
        LeakKind::Unheld => {
            format!("{} probably holds {added} more {what}, {bytes}", subject(leak))
        }
        LeakKind::Count | LeakKind::Moving => {
            format!("{} {hold} {added} more {what}, {bytes}", subject(leak))
        }
    }
}

/// Steps of a path that people see.
const SHOWN_STEPS: usize = 6;

fn rows(leak: &Leak) -> Vec<(&'static str, Cell)> {
    let mut rows = Vec::new();
    if let Some(counts) = &leak.counts {
        let mut text: Vec<String> = counts.iter().map(|&count| grouped(count)).collect();
        if leak.container.count > 1
            && let Some(last) = text.last_mut()
        {
            *last += &format!(" in {} of them", grouped(leak.container.count));
        }
        rows.push(("counts", Cell::text(text.join(" → "))));
    }
    let steps = leak.steps.iter().map(|step| Unit::Bytes.format_change(step.0).to_string());
    let mut growth = steps.collect::<Vec<_>>().join(", ");
    if let Some(each) = leak.growth_each {
        growth += &format!("; {} each", bytes(each));
    }
    rows.push(("growth", Cell::text(growth)));
    if let Some(kept) = leak.kept_percent {
        let percent = kept.rounded();
        let text = format!("{percent} % of those in the first snapshot");
        rows.push(("remain", Cell::text(text)));
    }
    rows.push(("reached by", Cell::name(&*leak.way)));
    let places =
        [("made at", &leak.made_at), ("stored by", &leak.stored_by), ("held at", &leak.held_at)];
    for (title, place) in places {
        if let Some(SourceLocation { place, what, .. }) = place {
            rows.push((title, Cell::name(format!("{place}  {what}"))));
        }
    }
    for (title, names) in [("also in", &leak.also_held_by), ("grows with", &leak.grows_with)] {
        if !names.is_empty() {
            rows.push((title, Cell::name(names.join(", "))));
        }
    }
    rows.push(("confidence", Cell::text(leak.confidence.name())));
    rows.extend(leak.cure.as_ref().map(|cure| ("usual cure", Cell::text(cure.text.clone()))));
    rows.extend(path(leak).map(|path| ("path", Cell::name(path))));
    rows
}

/// What holds the container, from it up.
fn path(leak: &Leak) -> Option<String> {
    let id = leak.container.id?.0;
    let name = match &*leak.container.class_name {
        "" => "object",
        name => name,
    };
    let mut path = vec![format!("{name} @{id}")];
    for step in leak.path.iter().filter(|step| !step.is_storage) {
        let id = step.id.map(|id| format!(" @{}", id.0)).unwrap_or_default();
        path.push(format!("{} of {}{id}", step.edge, step.class_name));
        if path.len() > SHOWN_STEPS || step.class_name == "scope" {
            break;
        }
    }
    Some(path.join(" ← "))
}

impl Confidence {
    /// The word for it, as in JSON.
    fn name(self) -> &'static str {
        match self {
            Confidence::High => "high",
            Confidence::Medium => "medium",
            Confidence::Low => "low",
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{super::answer::Container, *};
    use crate::answer::{BytesChange, NodeId, Share};

    pub(in super::super) fn leak(kind: LeakKind, leaked: Option<&str>, added: Option<i64>) -> Leak {
        Leak {
            kind,
            confidence: Confidence::High,
            text: String::new(),
            cure: None,
            owner: "log".into(),
            way: "variable log of app.js".into(),
            container: Container { class_name: "scope".into(), id: Some(NodeId(1)), count: 1 },
            leaked: leaked.map(Into::into),
            leaked_percent: None,
            content: None,
            counts: None,
            added,
            growth: Bytes(4000),
            growth_each: None,
            steps: vec![BytesChange(2000), BytesChange(2000)],
            even_percent: Share::of_thousandths(1000),
            kept_percent: None,
            made_at: None,
            stored_by: None,
            held_at: None,
            also_held_by: Vec::new(),
            grows_with: Vec::new(),
            groups: Vec::new(),
            path: Vec::new(),
        }
    }

    #[test]
    fn headlines_say_what_grows() {
        let of = |name: &str, id: Option<i64>| Container {
            class_name: name.into(),
            id: id.map(NodeId),
            count: 1,
        };
        let order = |kind| leak(kind, Some("Order"), Some(1100));
        for (leak, expected) in [
            (leak(LeakKind::Bytes, Some("(string)"), None), "string log grew, +4.0 kB"),
            (leak(LeakKind::Bytes, None, None), "log grew, +4.0 kB"),
            (order(LeakKind::Count), "log holds 1,100 more Order, +4.0 kB"),
            (
                Leak {
                    owner: "globalThis".into(),
                    container: of("global / ", Some(1)),
                    ..order(LeakKind::Count)
                },
                "globalThis holds 1,100 more Order, +4.0 kB",
            ),
            (
                Leak { owner: "Window event listeners".into(), ..order(LeakKind::Count) },
                "Window event listeners hold 1,100 more Order, +4.0 kB",
            ),
            (
                Leak { leaked_percent: Some(Share::of_thousandths(667)), ..order(LeakKind::Count) },
                "log holds 1,100 more objects, 67 % of them Order, +4.0 kB",
            ),
            (order(LeakKind::Unheld), "log probably holds 1,100 more Order, +4.0 kB"),
            (
                Leak { container: of("scope", None), ..order(LeakKind::Unheld) },
                "nothing is shown to hold 1,100 more Order, +4.0 kB",
            ),
            (
                leak(LeakKind::References, None, Some(1100)),
                "log holds 1,100 more references to what was there already, +4.0 kB",
            ),
        ] {
            assert_eq!(headline(&leak), expected);
        }
    }
}
