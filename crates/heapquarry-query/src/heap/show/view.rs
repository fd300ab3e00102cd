//! What is in an object, for people.

use super::answer::{
    ClassField, DominatedObject, Element, Field, Instance, InternalReference, MapEntry,
    ObjectFacts, RetainerGroup, ShowAnswer, ShownClass, ShownObject, Target, Variable,
};
use crate::{
    answer::List,
    view::{Col, Shown, View, rows_of, values},
};
use heapquarry_report::Section;

impl View for ShowAnswer {
    fn sections(&self, _: usize) -> Vec<Section> {
        match self {
            ShowAnswer::Object(object) => of_object(object),
            ShowAnswer::Class(class) => of_class(class),
        }
    }
}

fn of_object(object: &ShownObject) -> Vec<Section> {
    let parts = [
        part("fields", "Fields", &object.fields, FIELDS),
        part("elements", "Elements", &object.elements, ELEMENTS),
        part("entries", "Entries", &object.entries, ENTRIES),
        part("variables", "Captured variables", &object.variables, VARIABLES),
        part("internal", "References of the engine", &object.internal, INTERNAL),
        part("dominated", "Held by nothing else", &object.dominated, DOMINATED),
        part("retainers", "Held by", &object.retainers, RETAINERS),
    ];
    [facts(&object.object)].into_iter().chain(parts.into_iter().flatten()).collect()
}

fn facts(object: &ObjectFacts) -> Section {
    let mut rows = vec![
        ("Class", object.class_name.cell()),
        ("Id", object.id.cell()),
        ("Name", object.name.cell()),
        ("Type", object.kind.cell()),
    ];
    let at = if object.is_function { "Written at" } else { "Class at" };
    rows.extend(object.place.as_ref().map(|place| (at, place.cell())));
    rows.extend([
        ("Distance", object.distance.cell()),
        ("Shallow size", object.shallow_size.cell()),
        ("Retained size", object.retained_size.cell()),
    ]);
    rows.extend(object.prototype.as_ref().map(|name| ("Prototype", name.cell())));
    rows.extend(object.dominator.as_ref().map(|name| ("Dominated by", name.cell())));
    values("object", "Object", rows)
}

fn of_class(found: &ShownClass) -> Vec<Section> {
    let totals = [
        ("Count", found.class.count.cell()),
        ("Classes", found.class.class_count.cell()),
        ("Shallow size", found.class.shallow_size.cell()),
        ("Retained size", found.class.retained_size.cell()),
    ];
    let parts = [
        part("objects", "Objects", &found.objects, OBJECTS),
        part("fields", "Fields", &found.fields, CLASS_FIELDS),
    ];
    [values("class", "Class", totals)].into_iter().chain(parts.into_iter().flatten()).collect()
}

/// A page of a list; nothing if there is none of it.
fn part<T>(
    key: &'static str,
    title: &'static str,
    list: &List<T>,
    columns: &[Col<T>],
) -> Option<Section> {
    if list.total == 0 {
        return None;
    }
    // Behind the end nothing follows either.
    let after = if list.rows.is_empty() { 0 } else { list.omitted() };
    Some(rows_of(key, title, &list.rows, after, columns, usize::MAX, "nothing on this page"))
}

/// Columns of a reference: its own, then those of its value.
macro_rules! with_target {
    ($($column:expr),+ $(,)?) => {
        &[
            $($column,)+
            Col::new("Value", |row| target(row).value.cell()),
            Col::optional("Class", |row| target(row).class_name.cell()),
            Col::new("Id", |row| target(row).id.cell()),
            Col::new("Retained", |row| target(row).retained_size.cell()),
        ]
    };
}

trait HasTarget {
    fn target(&self) -> &Target;
}

macro_rules! has_target {
    ($($name:ident),+) => {$(
        impl HasTarget for $name {
            fn target(&self) -> &Target {
                &self.target
            }
        }
    )+};
}
has_target!(Field, Element, MapEntry, Variable, InternalReference);

fn target(row: &impl HasTarget) -> &Target {
    row.target()
}

const FIELDS: &[Col<Field>] = with_target![Col::new("Name", |row| row.name.cell())];

const ELEMENTS: &[Col<Element>] = with_target![Col::new("Index", |row| row.index.cell())];

const ENTRIES: &[Col<MapEntry>] = with_target![Col::new("Key", |row| row.key.cell())];

const VARIABLES: &[Col<Variable>] = with_target![
    Col::new("Name", |row| row.name.cell()),
    Col::optional("Of", |row| row.scope.cell()),
];

const INTERNAL: &[Col<InternalReference>] = with_target![
    Col::new("Edge", |row| row.edge.cell()),
    Col::optional("Kind", |row| row.edge_type.cell()),
];

const DOMINATED: &[Col<DominatedObject>] = &[
    Col::new("Object", |row| row.target.value.cell()),
    Col::optional("Class", |row| row.target.class_name.cell()),
    Col::new("Id", |row| row.target.id.cell()),
    Col::optional("Shallow", |row| row.shallow_size.cell()),
    Col::new("Retained", |row| row.target.retained_size.cell()),
];

const RETAINERS: &[Col<RetainerGroup>] = &[
    Col::new("Edge", |row| row.edge.cell()),
    Col::new("Retainer", |row| row.target.class_name.cell()),
    Col::new("Count", |row| row.count.cell()),
    Col::optional("Largest", |row| row.target.value.cell()),
    Col::new("Id", |row| row.target.id.cell()),
    Col::new("Retained", |row| row.target.retained_size.cell()),
];

const OBJECTS: &[Col<Instance>] = &[
    Col::new("Object", |row| row.target.value.cell()),
    Col::optional("Class", |row| row.target.class_name.cell()),
    Col::new("Id", |row| row.target.id.cell()),
    Col::optional("Distance", |row| row.distance.cell()),
    Col::optional("Shallow", |row| row.shallow_size.cell()),
    Col::new("Retained", |row| row.target.retained_size.cell()),
];

const CLASS_FIELDS: &[Col<ClassField>] = &[
    Col::new("Name", |row| row.name.cell()),
    Col::new("Count", |row| row.count.cell()),
    Col::new("Mostly", |row| row.value_class.cell()),
    Col::optional("Classes", |row| row.class_count.cell()),
];
