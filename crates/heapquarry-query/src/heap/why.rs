//! What keeps objects alive.

use super::{OldIds, Subject, distance};
use crate::{Objects, WhyOptions, sections::table};
use heapquarry::{Error, ErrorKind, Result, Source};
use heapquarry_graph::{
    EdgeName, EdgeType, NodeIndex, Path, Retainers, Sources, StringIndex, WayGroup, Ways,
    retaining_paths,
};
use heapquarry_report::{Body, Cell, Column, Section, Value, grouped};
use std::{cmp::Reverse, collections::HashMap};

/// Ids of objects of one way that are listed.
const MOST_IDS: usize = 10;
/// Of so many objects the shortest paths are looked for: each is a search of its own.
const MOST_SHORTEST: usize = 1000;

/// Where paths come from.
struct Search<'a> {
    sources: Sources<'a>,
    ways: Ways<'a>,
    /// For the shortest paths, if these are wanted.
    retainers: Option<Retainers>,
    /// Number of retainers of the nodes that are told of, as DevTools counts them.
    counts: HashMap<NodeIndex, u64>,
}

/// Objects of one class that are reached in one way.
struct Group {
    class: u32,
    /// The one that retains most first, of equal ones the first in the file.
    nodes: Vec<NodeIndex>,
    size: u64,
    /// The way to the first.
    path: Path,
}

impl Subject {
    /// `old` has the ids of the objects that are left out.
    pub(crate) fn why(
        &self,
        source: &Source,
        of: &Objects,
        old: Option<&OldIds>,
        how: &WhyOptions,
    ) -> Result<Vec<Section>> {
        let nodes = match of {
            Objects::Id(id) => self.heap.node_by_id(*id).into_iter().collect(),
            Objects::Classes(names) => self.instances(names),
        };
        if nodes.is_empty() {
            return Err(self.not_found(source, of));
        }
        let is_new = |&node: &NodeIndex| {
            old.is_none_or(|old| old.sorted.binary_search(&self.heap.nodes().id(node)).is_err())
        };
        let nodes: Vec<NodeIndex> = nodes.into_iter().filter(is_new).collect();
        if nodes.is_empty() {
            let what = "object of these that is new".into();
            return Err(Error::new(ErrorKind::NotFound { path: source.path.clone(), what }));
        }
        match of {
            Objects::Id(_) => Ok(self.why_node(nodes[0], how)),
            Objects::Classes(_) => Ok(self.why_classes(&nodes, how)),
        }
    }

    fn search(&self, nodes: &[NodeIndex], how: &WhyOptions) -> Search<'_> {
        Search {
            sources: Sources::new(&self.heap),
            ways: Ways::new(&self.heap, nodes, self.threads),
            retainers: how.shortest.then(|| Retainers::new(&self.heap)),
            counts: HashMap::new(),
        }
    }

    /// An object, with paths through its closest retainers.
    fn why_node(&self, node: NodeIndex, how: &WhyOptions) -> Vec<Section> {
        let edges = self.heap.edges();
        let retaining: Vec<usize> =
            (0..edges.len()).filter(|&edge| edges.target(edge) == node).collect();
        let mut wanted: Vec<NodeIndex> = retaining.iter().map(|&edge| edges.owner(edge)).collect();
        wanted.push(node);
        let mut search = self.search(&wanted, how);
        search.counts = self.retainer_counts(&[node]);
        let limit = how.top.max(1);
        let paths = match &search.retainers {
            Some(retainers) => {
                let distances = &self.analysis.distances;
                retaining_paths(&self.heap, retainers, distances, node, limit)
            }
            None => search.ways.paths(node, &retaining, limit),
        };
        let path = paths.first().cloned().unwrap_or_else(|| search.ways.path(node));
        let class = self.analysis.classes.of[node.position()];
        let group = Group { class, nodes: vec![node], size: self.shallow(node), path };
        let object = self.group(&search, &group, &paths);
        vec![Section { key: "objects", title: "".into(), body: Body::List(vec![object]) }]
    }

    /// The objects of classes, by the ways to them.
    fn why_classes(&self, nodes: &[NodeIndex], how: &WhyOptions) -> Vec<Section> {
        let mut ranked = nodes.to_vec();
        ranked.sort_unstable_by_key(|&node| (Reverse(self.retained(node)), node));
        let mut search = self.search(&ranked, how);
        let mut groups = match &search.retainers {
            Some(retainers) => self.shortest_groups(retainers, &ranked),
            None => self.groups(&search.ways, &ranked),
        };
        let rank = |group: &Group| (self.retained(group.nodes[0]), group.nodes.len());
        // What there are most of holds most, unless one retains more than all of them together.
        groups.sort_unstable_by_key(|group| {
            let all = group.size.max(self.retained(group.nodes[0]));
            (Reverse((all, rank(group))), group.nodes[0])
        });
        let shown = &groups[..groups.len().min(how.top.max(1))];
        let first: Vec<NodeIndex> = shown.iter().map(|group| group.nodes[0]).collect();
        search.counts = self.retainer_counts(&first);
        let rows = groups.iter().map(|group| {
            vec![
                Cell::count(group.nodes.len() as u64),
                Cell::name(&*self.analysis.classes.classes[group.class as usize].name),
                Cell::name(self.way(&search, &group.path)),
                self.id(group.nodes[0]),
                Cell::bytes(group.size),
                Cell::bytes(self.retained(group.nodes[0])),
            ]
        });
        let columns = vec![
            Column::new("count", "Count"),
            Column::new("class_name", "Class"),
            Column::new("way", "By"),
            Column::new("id", "Largest"),
            Column::optional("shallow_size", "Shallow"),
            Column::new("retained_size", "Retained"),
        ];
        let top = how.top.max(10);
        let table = table("groups", "Objects by the way to them", columns, rows.collect(), top, "");
        let objects = shown.iter().map(|group| {
            let paths = std::slice::from_ref(&group.path);
            self.group(&search, group, paths)
        });
        let body = Body::List(objects.collect());
        vec![table, Section { key: "objects", title: "".into(), body }]
    }

    /// Groups by the ways that a program would write.
    fn groups(&self, ways: &Ways<'_>, nodes: &[NodeIndex]) -> Vec<Group> {
        let groups = ways.groups(nodes, &self.analysis.classes.of);
        let group = |WayGroup { nodes }: WayGroup| Group {
            class: self.analysis.classes.of[nodes[0].position()],
            size: nodes.iter().fold(0, |sum, &node| sum.saturating_add(self.shallow(node))),
            path: ways.path(nodes[0]),
            nodes,
        };
        groups.into_iter().map(group).collect()
    }

    /// Groups by the shortest paths.
    fn shortest_groups(&self, retainers: &Retainers, nodes: &[NodeIndex]) -> Vec<Group> {
        let distances = &self.analysis.distances;
        let classes = &self.analysis.classes.of;
        let mut places: HashMap<Vec<(Option<StringIndex>, u32)>, usize> = HashMap::new();
        let mut groups: Vec<Group> = Vec::new();
        for &node in &nodes[..nodes.len().min(MOST_SHORTEST)] {
            let paths = retaining_paths(&self.heap, retainers, distances, node, 1);
            let none = || Path { node, steps: Vec::new(), reaches_root: false };
            let path = paths.into_iter().next().unwrap_or_else(none);
            let link = |edge: usize| {
                let is_element = self.heap.edges().kind(edge) == EdgeType::Element;
                self.heap.edge_string(edge).filter(|_| !is_element)
            };
            let steps = path.steps.iter();
            let mut shape = vec![(None, classes[node.position()])];
            shape.extend(steps.map(|step| (link(step.edge), classes[step.node.position()])));
            let place = *places.entry(shape).or_insert_with(|| {
                let class = classes[node.position()];
                groups.push(Group { class, nodes: Vec::new(), size: 0, path });
                groups.len() - 1
            });
            groups[place].nodes.push(node);
            groups[place].size = groups[place].size.saturating_add(self.shallow(node));
        }
        groups
    }

    /// How many retainers nodes have.
    fn retainer_counts(&self, nodes: &[NodeIndex]) -> HashMap<NodeIndex, u64> {
        let edges = self.heap.edges();
        let mut is_wanted = vec![false; self.heap.nodes().len()];
        nodes.iter().for_each(|&node| is_wanted[node.position()] = true);
        let mut counts: HashMap<NodeIndex, u64> = nodes.iter().map(|&node| (node, 0)).collect();
        for edge in 0..edges.len() {
            let target = edges.target(edge);
            if is_wanted[target.position()]
                && edges.is_strong(edge)
                && edges.kind(edge) != EdgeType::Invisible
                && edges.owner(edge) != self.heap.root()
            {
                *counts.entry(target).or_default() += 1;
            }
        }
        counts
    }

    /// A way in words.
    fn way(&self, search: &Search<'_>, path: &Path) -> String {
        search.ways.text(path, &search.sources, &self.analysis.detachedness)
    }

    /// The objects of a group: the first of them, and paths to it.
    fn group(&self, search: &Search<'_>, group: &Group, paths: &[Path]) -> Vec<Section> {
        let node = group.nodes[0];
        let way = self.way(search, &group.path);
        let count = group.nodes.len();
        let ids = group.nodes.iter().take(MOST_IDS).map(|&node| self.id(node)).collect();
        let values = [
            ("class_name", "Class", self.class_name(node)),
            ("count", if count > 1 { "Count" } else { "" }, Cell::count(count as u64)),
            ("id", if count > 1 { "Largest" } else { "Id" }, self.id(node)),
            ("ids", "", Cell::List(ids)),
            ("way", if way.is_empty() { "" } else { "Held by" }, Cell::name(&*way)),
            ("name", "Name", self.name(&search.sources, node)),
            ("type", "Type", Cell::name(self.heap.nodes().type_name(node))),
            ("distance", "Distance", distance(self.analysis.distances[node.position()])),
            ("shallow_size", "Shallow size", Cell::bytes(self.shallow(node))),
            ("retained_size", "Retained size", Cell::bytes(self.retained(node))),
            (
                "retainer_count",
                "Retainers",
                Cell::count(search.counts.get(&node).copied().unwrap_or(0)),
            ),
        ];
        let values = values.map(|(key, title, cell)| Value { key, title, cell });
        let class = &self.analysis.classes.class(node).name;
        let title = match count {
            1 => format!("{class} @{}", self.heap.nodes().id(node)),
            _ if way.is_empty() => format!("{} {class}", grouped(count as u64)),
            _ => format!("{} {class} by {way}", grouped(count as u64)),
        };
        let paths = paths.iter().map(|path| vec![self.path(&search.sources, path)]).collect();
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
                distance(self.analysis.distances[step.node.position()]),
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
