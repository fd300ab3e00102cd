//! The summary of a heap for people.

use super::answer::{
    CategorySize, ClassSize, DetachedClass, DuplicateString, HeapSummary, KeptOnlyBy,
    NativeContext, ObjectSize, Totals, UnreadVariable,
};
use crate::{
    answer::{List, called},
    heap::owners::view::owners,
    process::ProcessMemory,
    view::{Col, Shown, View, table, values, whole},
};
use heapquarry_report::{Cell, Section};

impl View for HeapSummary {
    fn sections(&self, shown: usize) -> Vec<Section> {
        if let Some(found) = &self.owners {
            return vec![totals(&self.totals), owners(found, shown)];
        }
        let mut sections = vec![totals(&self.totals)];
        sections.extend(self.process.as_ref().map(ProcessMemory::section));
        sections.extend([
            statistics(&self.statistics),
            self.off_heap.section(shown),
            table("classes", "Classes by retained size", &self.classes, CLASSES, shown),
            // Nearly every object retains something: how many more there are says nothing.
            whole("retainers", "Objects by retained size", &self.retainers.rows, OBJECTS),
            duplicate_strings(&self.duplicate_strings, shown),
            detached(&self.detached, shown),
            whole("kept", "Kept alive only by", &self.kept, KEPT),
            table(
                "unread_variables",
                "Captured variables that no function reads",
                &self.unread_variables,
                UNREAD,
                shown,
            ),
            table("native_contexts", "Native contexts", &self.native_contexts, CONTEXTS, shown),
        ]);
        sections
    }
}

pub(crate) fn totals(totals: &Totals) -> Section {
    let rows = [
        ("Size", totals.size.cell()),
        ("Nodes", totals.node_count.cell()),
        ("Edges", totals.edge_count.cell()),
        ("Classes", totals.class_count.cell()),
        ("Unreachable nodes", totals.unreached_count.cell()),
        ("Detached DOM nodes", totals.detached_count.cell()),
        ("Detached size", totals.detached_size.cell()),
        ("Detached C++ objects", totals.detached_wrapper_count.cell()),
    ];
    values("totals", "Heap", rows)
}

pub(crate) fn statistics(rows: &[CategorySize]) -> Section {
    whole("statistics", "Statistics", rows, STATISTICS)
}

pub(crate) fn duplicate_strings(list: &List<DuplicateString>, shown: usize) -> Section {
    table("duplicate_strings", "Duplicate strings", list, STRINGS, shown)
}

pub(crate) fn detached(list: &List<DetachedClass>, shown: usize) -> Section {
    table("detached", "Detached DOM nodes", list, DETACHED, shown)
}

const STATISTICS: &[Col<CategorySize>] = &[
    Col::new("Category", |row| row.category.cell()),
    Col::new("Size", |row| row.size.cell()),
    Col::new("Share", |row| row.share_percent.cell()),
    Col::new("Nodes", |row| row.count.cell()),
];

const CLASSES: &[Col<ClassSize>] = &[
    Col::new("Class", |row| Cell::name(called(&row.class_name, row.original.as_ref()))),
    Col::new("Count", |row| row.count.cell()),
    Col::optional("Distance", |row| row.distance.cell()),
    Col::new("Shallow", |row| row.shallow_size.cell()),
    Col::new("Retained", |row| row.retained_size.cell()),
    Col::optional("Share", |row| row.retained_percent.cell()),
];

const OBJECTS: &[Col<ObjectSize>] = &[
    Col::new("Class", |row| row.class_name.cell()),
    Col::new("Id", |row| row.id.cell()),
    Col::optional("Name", |row| row.name.cell()),
    Col::optional("Distance", |row| row.distance.cell()),
    Col::optional("Shallow", |row| row.shallow_size.cell()),
    Col::new("Retained", |row| row.retained_size.cell()),
    Col::optional("Share", |row| row.retained_percent.cell()),
];

const STRINGS: &[Col<DuplicateString>] = &[
    Col::new("String", |row| row.string.cell()),
    Col::new("Count", |row| row.count.cell()),
    Col::new("Size", |row| row.size.cell()),
    Col::new("Waste", |row| row.waste.cell()),
];

const DETACHED: &[Col<DetachedClass>] = &[
    Col::new("Class", |row| row.class_name.cell()),
    Col::new("Count", |row| row.count.cell()),
    Col::new("Shallow", |row| row.shallow_size.cell()),
    Col::new("Largest", |row| row.id.cell()),
    Col::new("Retained", |row| row.retained_size.cell()),
];

const KEPT: &[Col<KeptOnlyBy>] = &[
    Col::new("By", |row| row.by.cell()),
    Col::new("Count", |row| row.count.cell()),
    Col::new("Size", |row| row.size.cell()),
    Col::optional("Share", |row| row.share_percent.cell()),
];

const UNREAD: &[Col<UnreadVariable>] = &[
    Col::new("Variable", |row| row.name.cell()),
    Col::optional("Of", |row| row.context_name.cell()),
    Col::new("Value", |row| row.value_class.cell()),
    Col::new("Id", |row| row.value_id.cell()),
    Col::new("Retained", |row| row.retained_size.cell()),
];

const CONTEXTS: &[Col<NativeContext>] = &[
    Col::new("Native context", |row| row.name.cell()),
    Col::new("Id", |row| row.id.cell()),
    Col::new("Nodes", |row| row.count.cell()),
    Col::new("Size", |row| row.shallow_size.cell()),
    Col::optional("Share", |row| row.share_percent.cell()),
    Col::new("Retained", |row| row.retained_size.cell()),
];
