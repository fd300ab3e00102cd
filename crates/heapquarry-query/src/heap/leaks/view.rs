//! What leaks, for people.

use super::{
    answer::{Confidence, Leak, LeakKind, LeaksAnswer},
    suspicion::section,
};
use crate::{
    answer::{Bytes, Share},
    heap::owners::view::changes,
    sections::signed,
    view::{View, values},
};
use heapquarry_graph as graph;
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
    let items = found.iter().take(shown).zip(1..).map(|(leak, number)| finding(number, leak));
    Section { key: "findings", title: title.into(), body: Body::List(items.collect()) }
}

/// The headline, what else there is to say, and the numbers and ids that no sentence has.
fn finding(number: usize, leak: &Leak) -> Vec<Section> {
    let title = format!("{number}. {}", leak.headline());
    let told = Section { key: "", title: title.into(), body: Body::Text(leak.details()) };
    vec![told, values("", "", rows(leak))]
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
    rows.push(("confidence", Cell::text(confidence(leak))));
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

/// How sure it is, and why it is not surer.
fn confidence(leak: &Leak) -> String {
    let certain = Share::of_thousandths(graph::Confidence::CERTAIN);
    let is_less = |share: Share| share < certain;
    let why = match leak.confidence {
        Confidence::High => return "high".into(),
        Confidence::Low => return "low: two snapshots only".into(),
        Confidence::Medium if leak.kind == LeakKind::Unheld => "who holds them is a guess",
        Confidence::Medium if is_less(leak.even_percent) => "growth is uneven",
        Confidence::Medium if leak.kept_percent.is_some_and(is_less) => "much was replaced",
        Confidence::Medium => "it is not known which of them are new",
    };
    format!("medium: {why}")
}

#[cfg(test)]
pub(super) mod tests {
    use super::{super::answer::Container, *};
    use crate::answer::{BytesChange, NodeId};

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
}
