//! What differs between heap snapshots, for people.

use super::answer::{ClassChange, EngineClasses, GrowingClass, HeapDiff, ObjectGrowth};
use crate::{
    answer::{List, called},
    heap::{
        leaks::{SnapshotSize, findings},
        owners::view::changes,
    },
    view::{Col, Shown, View, rows_of, values, whole},
};
use heapquarry_report::{Cell, Section, Unit};

impl View for HeapDiff {
    fn sections(&self, shown: usize) -> Vec<Section> {
        let growth = self.snapshots.last().map_or(0, |last| last.size_delta.0);
        let mut sections = vec![whole("snapshots", "Snapshots", &self.snapshots, SNAPSHOTS)];
        sections.push(match &self.findings {
            Some(found) => findings(found, growth, shown),
            None => suspects(&self.suspects, self.snapshots.len(), shown),
        });
        sections.extend(self.owners.as_ref().map(|found| changes(found, shown)));
        sections.push(classes(&self.classes, self.engine.as_ref(), shown));
        sections.extend(self.engine.as_ref().map(engine));
        sections.push(objects(&self.objects));
        sections
    }
}

/// What grows all the time, where nothing better tells.
fn suspects(list: &List<GrowingClass>, snapshots: usize, shown: usize) -> Section {
    let none = match snapshots {
        0..3 => "three snapshots or more tell what grows all the time",
        _ => "no class has more instances in each snapshot than in the one before",
    };
    rows_of("suspects", "Suspected leaks", &list.rows, list.omitted(), SUSPECTS, shown, none)
}

/// The classes; those of the engine only if they are listed among the others.
pub(crate) fn classes(
    list: &List<ClassChange>,
    engine: Option<&EngineClasses>,
    shown: usize,
) -> Section {
    // They come last.
    let (rows, hidden) = match engine {
        Some(engine) => {
            let rows = list.rows.partition_point(|row| !row.is_engine);
            (&list.rows[..rows], engine.class_count)
        }
        None => (&list.rows[..], 0),
    };
    let omitted = list.total.saturating_sub(hidden).saturating_sub(rows.len() as u64);
    let none = match list.total {
        0 => "no objects were added or removed",
        _ => "no objects of the program were added or removed",
    };
    rows_of("classes", "Classes", rows, omitted, CLASSES, shown, none)
}

fn engine(engine: &EngineClasses) -> Section {
    let rows = [
        ("Classes", engine.class_count.cell()),
        ("Count delta", engine.count_delta.cell()),
        ("Size delta", engine.size_delta.cell()),
        ("Largest retained delta", engine.largest_retained_delta.cell()),
    ];
    values("engine", "Classes of the engine, which are not listed", rows)
}

/// The objects as a tree. Nearly every object holds some that grew: how many more there are says nothing.
pub(crate) fn objects(list: &List<ObjectGrowth>) -> Section {
    rows_of("objects", "Objects that retain more", &list.rows, 0, OBJECTS, usize::MAX, "none")
}

const SNAPSHOTS: &[Col<SnapshotSize>] = &[
    Col::new("Snapshot", |row| row.name.cell()),
    Col::new("Size", |row| row.size.cell()),
    Col::new("Delta", |row| row.size_delta.cell()),
    Col::new("Nodes", |row| row.node_count.cell()),
    Col::optional("Delta", |row| Cell::Change(row.node_count_delta, Unit::Count)),
];

const SUSPECTS: &[Col<GrowingClass>] = &[
    Col::new("Class", |row| Cell::name(called(&row.class_name, row.original.as_ref()))),
    Col::optional("Counts", |row| Cell::List(row.counts.iter().map(Shown::cell).collect())),
    Col::new("Count delta", |row| row.count_delta.cell()),
    Col::optional("Size delta", |row| row.size_delta.cell()),
    Col::new("Retained delta", |row| row.retained_delta.cell()),
];

const CLASSES: &[Col<ClassChange>] = &[
    Col::new("Class", |row| Cell::name(called(&row.class_name, row.original.as_ref()))),
    Col::optional("Added", |row| row.added_count.cell()),
    Col::optional("Removed", |row| row.removed_count.cell()),
    Col::new("Count delta", |row| row.count_delta.cell()),
    Col::optional("Added size", |row| row.added_size.cell()),
    Col::optional("Removed size", |row| row.removed_size.cell()),
    Col::optional("Size delta", |row| row.size_delta.cell()),
    Col::new("Retained delta", |row| row.retained_delta.cell()),
];

const OBJECTS: &[Col<ObjectGrowth>] = &[
    Col::new("Object", |row| {
        Cell::name(format!("{:1$}{2}", "", 2 * row.depth as usize, row.class_name))
    }),
    Col::new("Id", |row| row.id.cell()),
    Col::optional("Name", |row| row.name.cell()),
    Col::optional("Before", |row| row.base_retained_size.cell()),
    Col::optional("Retained", |row| row.retained_size.cell()),
    Col::new("Retained delta", |row| row.retained_delta.cell()),
];
