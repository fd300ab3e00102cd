//! What keeps objects alive.

mod answer;
mod view;

pub use answer::{HeldObject, ObjectPaths, PathGroup, PathStep, RetainingPath, WhyAnswer};

use super::{OldIds, Subject, ids};
use crate::{
    Objects, Session,
    answer::{Answered, Bytes, Caveat, List},
    question::{Question, question},
};
use heapquarry::{Error, ErrorKind, Result, Source};
use heapquarry_graph::{
    EdgeName, EdgeType, NodeIndex, Path, Retainers, Sources, StringIndex, WayGroup, Ways,
    retaining_paths,
};
use std::{cmp::Reverse, collections::HashMap};

question! {
    /// Show what keeps objects alive: the paths of references from a root
    ///
    /// Paths are written as a program would write them, and avoid caches and handles of the engine. With --class,
    /// objects are grouped by their path.
    pub struct Why {
        /// The object with this id, as DevTools and the tables show it
        #[arg(long, value_name = "ID", value_parser = crate::args::id, required_unless_present = "class", conflicts_with = "class")]
        pub node: Option<i64> = None,

        /// Objects of this class; * matches any text; can be repeated
        #[arg(long, value_name = "NAME")]
        pub class: Vec<String> = Vec::new(),

        /// Only objects that this earlier snapshot of the same process does not have
        #[arg(long, value_name = "BASE", value_parser = crate::args::source())]
        #[schemars(with = "Option<String>")]
        pub new_since: Option<Source> = None,

        /// Show the shortest paths, as DevTools does
        #[arg(long)]
        pub shortest: bool = false,

        /// Paths to show, of an object or of groups of objects
        #[arg(long, value_name = "N", default_value_t = 3)]
        pub top: usize = 3,
    }
}

impl Question for Why {
    const VERB: &'static str = "why";
    type Answer = WhyAnswer;

    fn ask(&self, session: &Session) -> Result<Answered<WhyAnswer>> {
        let old = self.new_since.as_ref().map(|base| ids(base, session.options())).transpose()?;
        let heap = session.heap()?;
        let of = Objects::new(self.node, &self.class);
        let mut caveats: Vec<Caveat> = heap.caveats().cloned().collect();
        let source = session.source()?;
        let old = match old.map(|old| old.comparable(source, &heap.heap)).transpose() {
            Ok(old) => old,
            Err(lost) => {
                caveats.push(lost);
                None
            }
        };
        caveats.extend(heap.shared_id(source, &of));
        let answer = heap.why(source, &of, old.as_ref(), self)?;
        session.answered(Self::VERB, caveats, answer, self.top)
    }

    fn other_sources(&mut self) -> Vec<&mut Source> {
        self.new_since.iter_mut().collect()
    }
}

/// Ids of objects of one way that are listed.
const MOST_IDS: usize = 10;
/// Maximum number of objects whose shortest paths are searched: each is a search of its own.
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
        how: &Why,
    ) -> Result<WhyAnswer> {
        let nodes = match of {
            Objects::Id(id) => self.heap.node_by_id(*id).into_iter().collect(),
            Objects::Classes(names) => self.instances(names),
        };
        if nodes.is_empty() {
            return Err(self.not_found(source, of));
        }
        let is_new = |&node: &NodeIndex| old.is_none_or(|old| !old.has(self.heap.nodes().id(node)));
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

    fn search(&self, nodes: &[NodeIndex], how: &Why) -> Search<'_> {
        Search {
            sources: self.sources(),
            ways: self.ways(nodes),
            retainers: how.shortest.then(|| self.all_retainers()),
            counts: HashMap::new(),
        }
    }

    /// An object, with paths through its closest retainers.
    pub(super) fn why_node(&self, node: NodeIndex, how: &Why) -> WhyAnswer {
        let edges = self.heap.edges();
        let retaining = self.retaining(node);
        let owners = edges.with_owners(retaining.iter().copied()).map(|(owner, _)| owner);
        let mut wanted: Vec<NodeIndex> = owners.collect();
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
        WhyAnswer { groups: None, objects: vec![self.group(&search, &group, &paths)] }
    }

    /// The objects of classes, by the ways to them.
    fn why_classes(&self, nodes: &[NodeIndex], how: &Why) -> WhyAnswer {
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
        let objects = shown.iter().map(|group| {
            let paths = std::slice::from_ref(&group.path);
            self.group(&search, group, paths)
        });
        let objects = objects.collect();
        let groups = List::of(groups, None, |group| PathGroup {
            count: group.nodes.len() as u64,
            class_name: self.analysis.classes.classes[group.class as usize].name.to_string(),
            way: self.way(&search, &group.path),
            id: self.node_id(group.nodes[0]),
            shallow_size: Bytes(group.size),
            retained_size: Bytes(self.retained(group.nodes[0])),
        });
        WhyAnswer { groups: Some(groups), objects }
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
        if let Some(ready) = self.ready() {
            let count =
                |&node: &NodeIndex| (node, ready.retainers().view(&self.heap, node).count() as u64);
            return nodes.iter().map(count).collect();
        }
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
    fn group(&self, search: &Search<'_>, group: &Group, paths: &[Path]) -> ObjectPaths {
        let node = group.nodes[0];
        let ids = group.nodes.iter().take(MOST_IDS).map(|&node| self.node_id(node));
        let object = HeldObject {
            class_name: self.class_of(node),
            count: group.nodes.len() as u64,
            id: self.node_id(node),
            ids: ids.collect(),
            way: self.way(search, &group.path),
            name: search.sources.name(&self.analysis.detachedness, node),
            original: self.original(node),
            kind: self.heap.nodes().type_name(node).into(),
            distance: self.distance(node),
            shallow_size: Bytes(self.shallow(node)),
            retained_size: Bytes(self.retained(node)),
            retainer_count: search.counts.get(&node).copied().unwrap_or(0),
        };
        let paths = paths.iter().map(|path| self.path(&search.sources, path)).collect();
        ObjectPaths { object, paths }
    }

    fn path(&self, sources: &Sources<'_>, path: &Path) -> RetainingPath {
        let steps = path.steps.iter().map(|step| self.step(sources, step.edge, step.node));
        RetainingPath { reaches_root: path.reaches_root, steps: steps.collect() }
    }

    /// A reference, and the object that has it.
    pub(super) fn step(&self, sources: &Sources<'_>, edge: usize, node: NodeIndex) -> PathStep {
        let (name, index) = match self.heap.edge_name(edge) {
            EdgeName::Text(_) => (self.heap.edge_title(edge).into_owned(), None),
            EdgeName::Index(index) => (format!("[{index}]"), Some(index)),
        };
        PathStep {
            edge: name,
            index,
            edge_type: self.heap.edges().kind(edge).name(),
            class_name: self.class_of(node),
            name: sources.name(&self.analysis.detachedness, node),
            id: self.node_id(node),
            distance: self.distance(node),
            retained_size: Bytes(self.retained(node)),
        }
    }
}
