//! Findings with keys for JSON, for `diff`, whose report has no types yet.

use super::{Leak, findings as for_people};
use heapquarry_graph::{self as graph, LeakKind, LeakStep, SourcePlace};
use heapquarry_report::{Body, Cell, Section, Unit, Value};

/// Findings as people see them, each with its members in JSON.
pub(crate) fn findings(found: &[graph::Leak], growth: i64, top: usize) -> Section {
    let typed: Vec<Leak> = found.iter().map(Leak::from).collect();
    let section = for_people(&typed, growth, top);
    let Body::List(shown) = section.body else { return section };
    let mut shown = shown.into_iter().flatten();
    let items = found.iter().zip(&typed).map(|(leak, typed)| {
        let mut item = members(leak, typed.added);
        if let Some(Section { title, body: Body::Values(rows), .. }) = shown.next() {
            item.extend(rows);
            return vec![Section { key: "", title, body: Body::Values(item) }];
        }
        vec![Section { key: "", title: "".into(), body: Body::Values(item) }]
    });
    Section { body: Body::List(items.collect()), ..section }
}

fn kind(kind: LeakKind) -> &'static str {
    match kind {
        LeakKind::Count => "count",
        LeakKind::References => "references",
        LeakKind::Bytes => "bytes",
        LeakKind::Moving => "moving",
        LeakKind::Unheld => "unheld",
    }
}

/// A number in thousandths.
fn thousandths(n: u32) -> Cell {
    Cell::Float(f64::from(n) / 1000.0)
}

fn text(text: Option<&str>) -> Cell {
    text.map_or(Cell::Empty, Cell::name)
}

fn counts(counts: &[u64]) -> Cell {
    Cell::List(counts.iter().map(|&count| Cell::count(count)).collect())
}

fn members(leak: &graph::Leak, added: Option<i64>) -> Vec<Value> {
    let graph::Leak { made_at, content, groups, .. } = leak;
    let json = |key, cell| Value { key, title: "", cell };
    vec![
        json("owner", Cell::name(&*leak.owner)),
        json("via", Cell::name(&*leak.via)),
        json("container", Cell::name(&*leak.container)),
        json("containers", Cell::count(leak.containers)),
        json("container_id", leak.container_id.map_or(Cell::Empty, Cell::id)),
        json("kind", Cell::text(kind(leak.kind))),
        json("leaked", text(leak.leaked.as_deref())),
        json(
            "content",
            content.as_ref().map_or(Cell::Empty, |content| {
                Cell::Record(vec![
                    ("cls", Cell::name(&*content.class)),
                    ("counts", counts(&content.counts)),
                ])
            }),
        ),
        json("counts", leak.counts.as_deref().map_or(Cell::Empty, counts)),
        json("added", added.map_or(Cell::Empty, |added| Cell::Change(added, Unit::Count))),
        json("bytes", Cell::bytes(leak.bytes)),
        json(
            "steps",
            Cell::List(leak.steps.iter().map(|&n| Cell::Change(n, Unit::Bytes)).collect()),
        ),
        json("even", thousandths(leak.even)),
        json("kept", leak.kept.map_or(Cell::Empty, thousandths)),
        json("confidence", Cell::text(leak.confidence.name())),
        json("made_at", made_at.as_ref().map_or(Cell::Empty, |p| Cell::name(p.to_string()))),
        json("location", made_at.as_ref().map_or(Cell::Empty, location)),
        json("stored_by", leak.stored_by.as_ref().map_or(Cell::Empty, location)),
        json("held_at", leak.held_at.as_ref().map_or(Cell::Empty, location)),
        json("also_held_by", Cell::List(leak.also_held_by.iter().map(Cell::name).collect())),
        json("grows_with", Cell::List(leak.grows_with.iter().map(Cell::name).collect())),
        json(
            "groups",
            Cell::List(
                groups
                    .iter()
                    .map(|group| {
                        Cell::Record(vec![
                            ("label", Cell::name(&*group.label)),
                            ("cls", Cell::name(&*group.class)),
                            ("counts", counts(&group.counts)),
                            ("bytes", counts(&group.bytes)),
                        ])
                    })
                    .collect(),
            ),
        ),
        json("path", Cell::List(leak.path.iter().map(step).collect())),
    ]
}

fn location(place: &SourcePlace) -> Cell {
    Cell::Record(vec![
        ("script", Cell::name(&*place.script)),
        ("line", Cell::Number(place.line, Unit::Plain)),
        ("column", Cell::Number(place.column, Unit::Plain)),
        ("what", Cell::name(&*place.what)),
    ])
}

fn step(step: &LeakStep) -> Cell {
    Cell::Record(vec![
        ("edge_type", Cell::text(step.edge_type.name())),
        ("edge", Cell::name(&*step.edge)),
        ("holder", Cell::name(&*step.holder)),
        ("id", step.id.map_or(Cell::Empty, Cell::id)),
    ])
}
