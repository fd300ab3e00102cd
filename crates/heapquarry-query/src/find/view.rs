//! What is found, for people.

use super::answer::{FindAnswer, FoundObject, FoundString};
use crate::{
    answer::{Bytes, List},
    heap::show::Target,
    profile,
    trace::{calls::view::FUNCTIONS, summary::view::SLICES},
    view::{Col, Shown, View, rows_of, values},
};
use heapquarry_report::{Cell, Section};

impl View for FindAnswer {
    fn sections(&self, _: usize) -> Vec<Section> {
        match self {
            FindAnswer::Objects(found) => {
                let title = ["Objects by retained size", "Objects by shallow size"];
                let title = title[usize::from(found.by_own)];
                let list = listed("objects", title, &found.objects, OBJECTS);
                vec![totals("Objects", found.objects.total, found.shallow_size), list]
            }
            FindAnswer::Strings(found) => {
                let title = ["Strings by retained size", "Strings by shallow size"];
                let title = title[usize::from(found.by_own)];
                let list = listed("strings", title, &found.strings, STRINGS);
                vec![totals("Different strings", found.strings.total, found.shallow_size), list]
            }
            FindAnswer::Functions(found) => {
                let title = profile::find::title(found.words, found.by_own);
                vec![listed(
                    "functions",
                    title,
                    &found.functions,
                    profile::summary::view::FUNCTIONS,
                )]
            }
            FindAnswer::Slices(found) => {
                let title = ["Slices by total time", "Slices by self time"];
                let title = title[usize::from(found.by_own)];
                let mut sections = vec![listed("slices", title, &found.slices, SLICES)];
                if let Some(calls) = &found.script_calls {
                    let title = ["Calls of scripts by total time", "Calls of scripts by self time"];
                    let title = title[usize::from(found.by_own)];
                    sections.push(listed("script_calls", title, calls, FUNCTIONS));
                }
                sections
            }
        }
    }
}

fn totals(what: &'static str, count: u64, size: Bytes) -> Section {
    values("found", "Found", [(what, count.cell()), ("Shallow size", size.cell())])
}

/// A page of a list.
fn listed<T>(
    key: &'static str,
    title: &'static str,
    list: &List<T>,
    columns: &[Col<T>],
) -> Section {
    let none = if list.total == 0 { "nothing found" } else { "nothing on this page" };
    // Behind the end nothing follows either.
    let after = if list.rows.is_empty() { 0 } else { list.omitted() };
    rows_of(key, title, &list.rows, after, columns, usize::MAX, none)
}

const OBJECTS: &[Col<FoundObject>] = &[
    Col::new("Object", |row| row.object.target.value.cell()),
    Col::optional("Class", |row| row.object.target.class_name.cell()),
    Col::new("Id", |row| row.object.target.id.cell()),
    Col::optional("Distance", |row| row.object.distance.cell()),
    Col::new("Shallow", |row| row.object.shallow_size.cell()),
    Col::new("Retained", |row| row.object.target.retained_size.cell()),
    Col::new("Owner", |row| owner(&row.owner)),
    Col::optional("By", |row| row.way.cell()),
];

const STRINGS: &[Col<FoundString>] = &[
    Col::new("String", |row| row.string.cell()),
    Col::new("Count", |row| row.count.cell()),
    Col::new("Shallow", |row| row.shallow_size.cell()),
    Col::new("Retained", |row| row.retained_size.cell()),
    Col::new("Largest", |row| row.id.cell()),
    Col::new("Owner", |row| owner(&row.owner)),
    Col::optional("By", |row| row.way.cell()),
];

/// `Session @123`.
fn owner(owner: &Option<Target>) -> Cell {
    match owner {
        Some(Target { value, id: Some(id), .. }) => Cell::name(format!("{value} @{}", id.0)),
        _ => Cell::Empty,
    }
}
