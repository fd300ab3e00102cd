//! What keeps an object alive.

use super::{Subject, distance, highest};
use crate::{Error, ErrorKind, Result, Source, WhyOf, ask::sections::table};
use heapquarry_graph::{EdgeName, Path, Retainers, Sources, retaining_paths};
use heapquarry_report::{Body, Cell, Column, Pattern, Section, Value};

/// Where objects come from: who holds them, and which functions and scripts there are.
struct From<'a> {
    retainers: Retainers,
    sources: Sources<'a>,
}

impl Subject {
    pub(in crate::ask) fn why(
        &self,
        source: &Source,
        of: &WhyOf,
        top: usize,
    ) -> Result<Vec<Section>> {
        let nodes = match of {
            WhyOf::Id(id) => self.heap.node_by_id(*id).into_iter().collect(),
            WhyOf::Class(name) => self.biggest_of(&Pattern::new(name), top),
        };
        if nodes.is_empty() {
            let what = match of {
                WhyOf::Id(id) => format!("object with id {id}"),
                WhyOf::Class(name) => format!("object of class {name:?}"),
            };
            return Err(Error::new(ErrorKind::NotFound { path: source.path.clone(), what }));
        }
        let paths = if matches!(of, WhyOf::Id(_)) { top } else { 1 };
        let from =
            From { retainers: Retainers::new(&self.heap), sources: Sources::new(&self.heap) };
        let objects = nodes.into_iter().map(|node| self.object(&from, node, paths));
        let body = Body::List(objects.collect());
        Ok(vec![Section { key: "objects", title: "".into(), body }])
    }

    /// The objects of matching classes, sorted by retained size.
    fn biggest_of(&self, name: &Pattern, top: usize) -> Vec<u32> {
        let classes = &self.analysis.classes;
        let fits: Vec<bool> = classes.classes.iter().map(|c| name.matches(&c.name)).collect();
        let nodes = self.nodes().filter(|&node| fits[classes.of[node as usize] as usize]);
        // Objects that retain nothing are included if there are no others.
        let ranks = nodes.map(|node| (node, self.retained(node).saturating_add(1)));
        highest(ranks, top.max(1)).into_iter().map(|(node, _)| node).collect()
    }

    fn object(&self, from: &From<'_>, node: u32, limit: usize) -> Vec<Section> {
        let From { retainers, sources } = from;
        let paths =
            retaining_paths(&self.heap, retainers, &self.analysis.distances, node, limit.max(1));
        let values = [
            ("class_name", "Class", self.class_name(node)),
            ("id", "Id", self.id(node)),
            ("name", "Name", self.name(sources, node)),
            ("type", "Type", Cell::name(self.heap.nodes().type_name(node))),
            ("distance", "Distance", distance(self.analysis.distances[node as usize])),
            ("shallow_size", "Shallow size", Cell::bytes(self.shallow(node))),
            ("retained_size", "Retained size", Cell::bytes(self.retained(node))),
            (
                "retainer_count",
                "Retainers",
                Cell::count(retainers.view(&self.heap, node).count() as u64),
            ),
        ];
        let values = values.map(|(key, title, cell)| Value { key, title, cell });
        let title =
            format!("{} @{}", self.analysis.classes.class(node).name, self.heap.nodes().id(node));
        let paths = paths.iter().map(|path| vec![self.path(sources, path)]).collect();
        vec![
            Section { key: "object", title: title.into(), body: Body::Values(values.into()) },
            Section { key: "paths", title: "".into(), body: Body::List(paths) },
        ]
    }

    /// A path like DevTools' retainers view: from the object up, each row an edge and its retainer.
    fn path(&self, sources: &Sources<'_>, path: &Path) -> Section {
        let rows = path.steps.iter().map(|step| {
            let kind = self.heap.edges().kind(step.edge);
            let (edge, index) = match self.heap.edge_name(step.edge) {
                EdgeName::Text(name) => (Cell::name(name), Cell::Empty),
                EdgeName::Index(index) => {
                    (Cell::name(format!("[{index}]")), Cell::count(index.into()))
                }
            };
            vec![
                edge,
                index,
                Cell::text(kind.name()),
                self.class_name(step.node),
                self.name(sources, step.node),
                self.id(step.node),
                distance(self.analysis.distances[step.node as usize]),
                Cell::bytes(self.retained(step.node)),
            ]
        });
        let columns = vec![
            Column::new("edge", "Edge"),
            Column::hidden("index"),
            Column::optional("edge_type", "Kind"),
            Column::new("class_name", "Retainer"),
            Column::optional("name", "Name"),
            Column::new("id", "Id"),
            Column::optional("distance", "Distance"),
            Column::optional("retained_size", "Retained"),
        ];
        let title = match path.reaches_root {
            true => "Retaining path to the root",
            false => "Retaining path that does not reach the root",
        };
        table("steps", title, columns, rows.collect(), usize::MAX, "no retainers")
    }
}
