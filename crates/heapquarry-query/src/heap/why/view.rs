//! What keeps objects alive, for people.

use super::answer::{HeldObject, ObjectPaths, PathGroup, PathStep, RetainingPath, WhyAnswer};
use crate::view::{Col, Shown, View, rows_of, table, values};
use heapquarry_report::{Body, Section, grouped};

/// Groups that are shown at least.
const GROUPS: usize = 10;

impl View for WhyAnswer {
    fn sections(&self, shown: usize) -> Vec<Section> {
        let groups = self
            .groups
            .iter()
            .map(|groups| table("groups", "Objects by path", groups, COLUMNS, shown.max(GROUPS)));
        let objects = self.objects.iter().map(object).collect();
        let objects = Section { key: "objects", title: "".into(), body: Body::List(objects) };
        groups.chain([objects]).collect()
    }
}

impl HeldObject {
    /// What holds it: the path to the function that has it as `this`, if there is one, and its own.
    pub fn held_by(&self) -> String {
        let function = self.function_way.iter().map(|way| format!("{way}, through "));
        function.chain([self.way.clone()]).collect()
    }
}

fn object(ObjectPaths { object, paths }: &ObjectPaths) -> Vec<Section> {
    let HeldObject { class_name, count, id, .. } = object;
    let way = object.held_by();
    let is_one = *count == 1;
    let mut rows = vec![("Class", class_name.cell())];
    rows.extend((!is_one).then(|| ("Count", count.cell())));
    rows.push((if is_one { "Id" } else { "Largest" }, id.cell()));
    rows.extend((!way.is_empty()).then(|| ("Held by", way.cell())));
    rows.extend([
        ("Name", object.name.cell()),
        ("Type", object.kind.cell()),
        ("Distance", object.distance.cell()),
        ("Shallow size", object.shallow_size.cell()),
        ("Retained size", object.retained_size.cell()),
        ("Retainers", object.retainer_count.cell()),
    ]);
    let title = match count {
        1 => format!("{class_name} @{}", id.0),
        _ if way.is_empty() => format!("{} {class_name}", grouped(*count)),
        _ => format!("{} {class_name} by {way}", grouped(*count)),
    };
    let paths = paths.iter().map(|path| vec![steps(path)]).collect();
    vec![
        Section { title: title.into(), ..values("object", "", rows) },
        Section { key: "paths", title: "".into(), body: Body::List(paths) },
    ]
}

/// A path as in DevTools' retainers view: from the object up, each row an edge and its retainer.
fn steps(path: &RetainingPath) -> Section {
    let title = match path.reaches_root {
        true => "Retaining path to the root",
        false => "Retaining path that does not reach the root",
    };
    rows_of("steps", title, &path.steps, 0, STEPS, usize::MAX, "no retainers")
}

const COLUMNS: &[Col<PathGroup>] = &[
    Col::new("Count", |row| row.count.cell()),
    Col::new("Class", |row| row.class_name.cell()),
    Col::new("By", |row| row.way.cell()),
    Col::new("Largest", |row| row.id.cell()),
    Col::optional("Shallow", |row| row.shallow_size.cell()),
    Col::new("Retained", |row| row.retained_size.cell()),
];

const STEPS: &[Col<PathStep>] = &[
    Col::new("Edge", |row| row.edge.cell()),
    Col::optional("Kind", |row| row.edge_type.cell()),
    Col::new("Retainer", |row| row.class_name.cell()),
    Col::optional("Name", |row| row.name.cell()),
    Col::new("Id", |row| row.id.cell()),
    Col::optional("Distance", |row| row.distance.cell()),
    Col::optional("Retained", |row| row.retained_size.cell()),
];
