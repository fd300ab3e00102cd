//! What keeps objects alive.

mod answer;
mod view;

pub use answer::{HeldObject, ObjectPaths, PathGroup, PathStep, RetainingPath, WhyAnswer};

use super::{OldIds, Subject, ids, instances::Instances};
use crate::{
    Objects, Session,
    answer::{Answered, Bytes, Caveat, List},
    question::{Question, question},
};
use heapquarry::{Error, ErrorKind, Result, Source};
use heapquarry_base::Order;
use heapquarry_graph::{
    EdgeName, EdgeType, MemberGroup, NodeIndex, Path, Retainers, Sources, StringIndex, WayGroup,
    Ways, retaining_paths,
};
use std::{borrow::Cow, cmp::Reverse, collections::HashMap};

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
struct Group<'a> {
    class: u32,
    /// The one that retains most first, of equal ones the first in the file.
    nodes: Cow<'a, [NodeIndex]>,
    size: u64,
    /// What the first retains.
    retained: u64,
    /// The way to the first, unless it is the cheapest one.
    path: Option<Path>,
    /// That way in words, if it is known.
    told: Option<&'a str>,
}

impl Group<'_> {
    fn path(&self, ways: &Ways<'_>) -> Cow<'_, Path> {
        match &self.path {
            Some(path) => Cow::Borrowed(path),
            None => Cow::Owned(ways.path(self.nodes[0])),
        }
    }
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
        let is_new = |node: NodeIndex| old.is_none_or(|old| !old.has(self.heap.nodes().id(node)));
        let no_new = || {
            let what = "object of these that is new".into();
            Error::new(ErrorKind::NotFound { path: source.path.clone(), what })
        };
        match of {
            Objects::Id(id) => {
                let node = self.heap.node_by_id(*id).ok_or_else(|| self.not_found(source, of))?;
                is_new(node).then(|| self.why_node(node, how)).ok_or_else(no_new)
            }
            Objects::Classes(names) => {
                let instances = self.instances(names);
                if instances.is_empty() {
                    return Err(self.not_found(source, of));
                }
                let is_new = old.is_some().then_some(is_new);
                self.why_classes(&instances, is_new, how).ok_or_else(no_new)
            }
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
        let group = Group {
            class: self.analysis.classes.of[node.position()],
            nodes: vec![node].into(),
            size: self.shallow(node),
            retained: self.retained(node),
            path: None,
            told: None,
        };
        WhyAnswer { groups: None, objects: vec![self.group(&search, &group, &path, &paths)] }
    }

    /// The objects of classes, by the ways to them; `None` if none of them is wanted. Without a condition all are.
    fn why_classes(
        &self,
        instances: &Instances<'_>,
        is_wanted: Option<impl Fn(NodeIndex) -> bool>,
        how: &Why,
    ) -> Option<WhyAnswer> {
        let known = instances.groups().filter(|_| !how.shortest);
        let (mut search, mut groups) = match known {
            Some(known) => {
                let groups = known.filter_map(|group| self.known_group(group, is_wanted.as_ref()));
                (self.search(&[], how), groups.collect())
            }
            None => {
                let mut nodes = instances.nodes();
                if let Some(is_wanted) = &is_wanted {
                    nodes.retain(|&node| is_wanted(node));
                }
                nodes.sort_unstable_by_key(|&node| (Reverse(self.retained(node)), node));
                let search = self.search(&nodes, how);
                let groups = match &search.retainers {
                    Some(retainers) => self.shortest_groups(retainers, &nodes),
                    None => self.groups(&search.ways, &nodes),
                };
                (search, groups)
            }
        };
        if groups.is_empty() {
            return None;
        }
        // What there are most of holds most, unless one retains more than all of them together.
        let rank = |group: &Group<'_>| {
            let all = group.size.max(group.retained);
            (Reverse((all, group.retained, group.nodes.len())), group.nodes[0])
        };
        groups.order_by_key(rank);
        let shown = &groups[..groups.len().min(how.top.max(1))];
        let first: Vec<NodeIndex> = shown.iter().map(|group| group.nodes[0]).collect();
        search.counts = self.retainer_counts(&first);
        let objects = shown.iter().map(|group| {
            let path = group.path(&search.ways);
            self.group(&search, group, &path, std::slice::from_ref(&*path))
        });
        let objects = objects.collect();
        let groups = List::of(groups, None, |group| PathGroup {
            count: group.nodes.len() as u64,
            class_name: self.analysis.classes.classes[group.class as usize].name.to_string(),
            way: match group.told {
                Some(told) => told.into(),
                None => self.way(&search, &group.path(&search.ways)),
            },
            id: self.node_id(group.nodes[0]),
            shallow_size: Bytes(group.size),
            retained_size: Bytes(group.retained),
        });
        Some(WhyAnswer { groups: Some(groups), objects })
    }

    /// A group of an index, or what is wanted of it, if anything.
    fn known_group<'a>(
        &self,
        known: MemberGroup<'a>,
        is_wanted: Option<&impl Fn(NodeIndex) -> bool>,
    ) -> Option<Group<'a>> {
        let MemberGroup { class, nodes, size, retained, way } = known;
        match is_wanted {
            None => {
                // The index has the way in names of the script; with source maps it is told in those of the source.
                let told = way.filter(|_| !self.heap.has_originals());
                Some(Group { class, nodes: nodes.into(), size, retained, path: None, told })
            }
            Some(is_wanted) => {
                let wanted = nodes.iter().copied().filter(|&node| is_wanted(node));
                self.group_of(class, wanted.collect(), None)
            }
        }
    }

    /// `None` if there are no nodes.
    fn group_of(
        &self,
        class: u32,
        nodes: Vec<NodeIndex>,
        path: Option<Path>,
    ) -> Option<Group<'static>> {
        let size = nodes.iter().fold(0, |sum: u64, &node| sum.saturating_add(self.shallow(node)));
        let retained = self.retained(*nodes.first()?);
        Some(Group { class, nodes: nodes.into(), size, retained, path, told: None })
    }

    /// Groups by the ways that a program would write.
    fn groups(&self, ways: &Ways<'_>, nodes: &[NodeIndex]) -> Vec<Group<'static>> {
        let classes = &self.analysis.classes.of;
        let groups = ways.groups(nodes, classes).into_iter();
        let group =
            |WayGroup { nodes }| self.group_of(classes[nodes.first()?.position()], nodes, None);
        groups.filter_map(group).collect()
    }

    /// Groups by the shortest paths.
    fn shortest_groups(&self, retainers: &Retainers, nodes: &[NodeIndex]) -> Vec<Group<'static>> {
        let distances = &self.analysis.distances;
        let classes = &self.analysis.classes.of;
        let mut places: HashMap<Vec<(Option<StringIndex>, u32)>, usize> = HashMap::new();
        let mut groups: Vec<(Vec<NodeIndex>, Path)> = Vec::new();
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
                groups.push((Vec::new(), path));
                groups.len() - 1
            });
            groups[place].0.push(node);
        }
        let group = |(nodes, path): (Vec<NodeIndex>, Path)| {
            self.group_of(classes[path.node.position()], nodes, Some(path))
        };
        groups.into_iter().filter_map(group).collect()
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

    /// The objects of a group: the first of them with the way to it, and paths.
    fn group(
        &self,
        search: &Search<'_>,
        group: &Group<'_>,
        path: &Path,
        paths: &[Path],
    ) -> ObjectPaths {
        let node = group.nodes[0];
        let ids = group.nodes.iter().take(MOST_IDS).map(|&node| self.node_id(node));
        let states = &self.analysis.detachedness;
        let object = HeldObject {
            class_name: self.class_of(node),
            count: group.nodes.len() as u64,
            id: self.node_id(node),
            ids: ids.collect(),
            way: self.way(search, path),
            function_way: search.ways.text_of_function(path, &search.sources, states),
            name: search.sources.name(states, node),
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
