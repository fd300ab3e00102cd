//! A snapshot as flat arrays.

use crate::{
    Bits, Column, EdgeName, EdgeNames, EdgeType, Edges, HashMap, NodeIndex, Original, Originals,
    Packed, PackedColumn, Places, Ready, ScopeRecords, StringIndex,
    edges::{self, NOT_FOLLOWED, PAIR, SPARE, TYPE},
    known::{Known, Role},
    passes::Release,
};
use heapquarry_base::threads;
use std::{borrow::Cow, fmt::Debug, io, ops::Range, sync::Arc};

/// The string table of a snapshot.
pub trait Strings: Debug + Send + Sync {
    /// Number of strings.
    fn len(&self) -> usize;

    /// The string of that index; empty if it does not exist.
    fn get(&self, index: StringIndex) -> &str;

    /// Number of bytes of the strings that are in memory.
    fn text_len(&self) -> u64;

    /// Shows the strings of a range of positions, in order. Unlike [`get`](Self::get) it need not keep them in memory.
    fn each(&self, strings: Range<usize>, look: &mut dyn FnMut(&str)) {
        strings.for_each(|at| look(self.get(StringIndex(at as u32))));
    }

    /// An error if text that was asked for could not be read: what was shown in its place is no string of the heap.
    ///
    /// # Errors
    /// Why the first could not be read.
    fn check(&self) -> io::Result<()> {
        Ok(())
    }

    /// Whether there are no strings.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl dyn Strings + '_ {
    /// What a function says of a string. It is not kept in memory for that.
    pub fn with<T>(&self, index: StringIndex, mut of: impl FnMut(&str) -> T) -> T {
        let (at, mut said) = (index.position(), None);
        if at < self.len() {
            self.each(at..at + 1, &mut |text| said = Some(of(text)));
        }
        said.unwrap_or_else(|| of(""))
    }

    /// What a function says of the strings of a range.
    pub(crate) fn all<T>(&self, strings: Range<usize>, mut of: impl FnMut(&str) -> T) -> Vec<T> {
        let mut said = Vec::with_capacity(strings.len());
        self.each(strings, &mut |text| said.push(of(text)));
        said
    }
}

impl Strings for Vec<String> {
    fn len(&self) -> usize {
        self.len()
    }

    fn get(&self, index: StringIndex) -> &str {
        self.as_slice().get(index.position()).map_or("", String::as_str)
    }

    fn text_len(&self) -> u64 {
        self.iter().map(|string| string.len() as u64).sum()
    }
}

/// Type of a node, whatever its number in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeType {
    /// Internal to the engine.
    Hidden,
    /// Storage of arrays and tables.
    Array,
    /// A string.
    String,
    /// An object.
    Object,
    /// Compiled code.
    Code,
    /// A function.
    Closure,
    /// A regular expression.
    RegExp,
    /// Owned by the embedder: DOM, C++.
    Native,
    /// A grouping node: the root, or the roots of the garbage collector.
    Synthetic,
    /// A concatenation of two strings.
    ConsString,
    /// A slice of another string.
    SlicedString,
    /// A type that this list does not name.
    Other,
}

impl NodeType {
    /// The type of that name in `meta.node_types`.
    pub fn by_name(name: &str) -> Self {
        match name {
            "hidden" => NodeType::Hidden,
            "array" => NodeType::Array,
            "string" => NodeType::String,
            "object" => NodeType::Object,
            "code" => NodeType::Code,
            "closure" => NodeType::Closure,
            "regexp" => NodeType::RegExp,
            "native" => NodeType::Native,
            "synthetic" => NodeType::Synthetic,
            "concatenated string" => NodeType::ConsString,
            // ArkTS writes it in one word.
            "sliced string" | "slicedstring" => NodeType::SlicedString,
            _ => NodeType::Other,
        }
    }

    /// Whether a program makes nodes of this type: not the engine's own, no code, no grouping node.
    pub fn is_of_the_program(self) -> bool {
        !matches!(self, NodeType::Synthetic | NodeType::Hidden | NodeType::Code)
    }

    /// Whether a heap keeps where nodes of this type were defined: constructors of objects, and functions.
    pub fn has_place(self) -> bool {
        matches!(self, NodeType::Object | NodeType::Closure)
    }
}

/// The nodes of a heap. A node is identified by its position in the file, from 0.
#[derive(Clone, Debug, Default)]
pub struct Nodes {
    /// Types as numbers of the file's own enumeration.
    pub(crate) types: Column<u8>,
    /// Names of the type numbers.
    pub(crate) type_names: Vec<String>,
    pub(crate) kinds: Vec<NodeType>,
    /// Names.
    pub(crate) names: Column<StringIndex>,
    /// Roles of the names in the rules. Empty if few nodes will be asked for: those of an [index](crate::lists).
    pub(crate) roles: Vec<Role>,
    pub(crate) ids: PackedColumn,
    /// Sizes from the file, before [`crate::shallow_sizes`].
    pub(crate) self_sizes: PackedColumn,
    pub(crate) native_sizes: Option<PackedColumn>,
    pub(crate) detachedness: Option<Column<u8>>,
}

impl Nodes {
    /// The type of each number of a type.
    pub(crate) fn kinds_of(type_names: &[String]) -> Vec<NodeType> {
        let mut kinds = [NodeType::Other; 256].to_vec();
        for (kind, name) in kinds.iter_mut().zip(type_names) {
            *kind = NodeType::by_name(name);
        }
        kinds
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// The type of a node.
    #[inline]
    pub fn kind(&self, node: NodeIndex) -> NodeType {
        self.kinds[usize::from(self.types[node.position()])]
    }

    /// The name of a node's type in the file.
    pub fn type_name(&self, node: NodeIndex) -> &str {
        let number = usize::from(self.types[node.position()]);
        // DevTools uses this name for types beyond the enumeration.
        self.type_names.as_slice().get(number).map_or("undefined", String::as_str)
    }

    /// Whether the file has the states of nodes: attached to a document or detached.
    pub fn have_states(&self) -> bool {
        self.detachedness.is_some()
    }

    /// All nodes, in file order.
    #[inline]
    pub fn all(&self) -> impl DoubleEndedIterator<Item = NodeIndex> + Clone + use<> {
        NodeIndex::each(0..self.len())
    }

    /// The engine's id of a node; [`Nodes::NO_ID`] if the file has none.
    #[inline]
    pub fn id(&self, node: NodeIndex) -> i64 {
        self.ids.get(node.position()) as i64
    }

    /// Marks an id that the file does not have.
    pub const NO_ID: i64 = i64::MIN;

    /// The size of a node in bytes, from the file.
    ///
    /// # Panics
    ///
    /// If there is no such node, or sizes were [freed](crate::analyze_in_place).
    #[inline]
    pub fn self_size(&self, node: NodeIndex) -> u64 {
        self.self_sizes.get(node.position())
    }

    /// The native memory that a node holds, in bytes, where the file has such a field (ArkTS).
    pub fn native_size(&self, node: NodeIndex) -> Option<u64> {
        self.native_sizes.as_ref().map(|sizes| sizes.get(node.position()))
    }

    /// The name of a node, as index of the string table.
    ///
    /// # Panics
    /// If there is no such node, or names were [freed](crate::analyze_in_place).
    pub fn name_id(&self, node: NodeIndex) -> StringIndex {
        self.names[node.position()]
    }
}

/// The columns of a [`Heap`], from the snapshot's sections. Lists of nodes and of edges are in file order, with one
/// entry per node or edge.
#[derive(Clone, Debug)]
pub struct HeapParts {
    /// Names of the node types, in the order of their numbers.
    pub node_type_names: Vec<String>,
    /// Names of the edge types, in the order of their numbers.
    pub edge_type_names: Vec<String>,
    /// For each edge type: whether its edges have a number instead of a name.
    pub numbered: Vec<bool>,
    /// Type of each node; 255 for numbers that do not fit.
    pub node_types: Vec<u8>,
    /// Name of each node.
    pub node_names: Vec<StringIndex>,
    /// Id of each node; [`Nodes::NO_ID`], as `u64`, for none.
    pub node_ids: Packed,
    /// Size of each node in bytes.
    pub self_sizes: Packed,
    /// Native memory held by each node in bytes, if the file has such a field.
    pub native_sizes: Option<Packed>,
    /// State of each node (0 unknown, 1 attached, 2 detached), if the file has such a field.
    pub detachedness: Option<Vec<u8>>,
    /// The first edge of each node, and the end of the last: ascending, at most the number of edges.
    pub edge_starts: Packed,
    /// Type of each edge; 255 for numbers that do not fit.
    pub edge_types: Vec<u8>,
    /// Name of each edge as index of the string table, or its own index.
    pub edge_names: EdgeNames,
    /// The node that each edge points to; at least the number of nodes if there is no such node.
    pub edge_targets: Vec<NodeIndex>,
    /// The root node, which retains all others.
    pub root: NodeIndex,
    /// Native memory outside the heap, in bytes.
    pub extra_native_bytes: u64,
    /// Source positions where objects were defined.
    pub places: Places,
    /// The scopes of scripts, if the file has them.
    pub scopes: ScopeRecords,
    /// The string table.
    pub strings: Arc<dyn Strings>,
    /// The dominator of each node, if it is known that [`dominators`](crate::dominators()) would find these. The root
    /// dominates itself.
    pub dominators: Option<Vec<NodeIndex>>,
}

/// A snapshot as flat arrays: nodes, edges, strings.
#[derive(Clone, Debug)]
pub struct Heap {
    pub(crate) nodes: Nodes,
    pub(crate) edges: Edges,
    pub(crate) root: NodeIndex,
    pub(crate) extra_native_bytes: u64,
    pub(crate) places: Places,
    pub(crate) originals: Originals,
    pub(crate) scopes: ScopeRecords,
    pub(crate) strings: Arc<dyn Strings>,
    pub(crate) known: Known,
    /// The edges of pairs of WeakMaps in order, each with the number of its pair.
    pub(crate) pairs: Vec<(usize, u32)>,
    pub(crate) ready: Option<Arc<Ready>>,
    /// The dominator of each node, if it came with them.
    pub(crate) dominators: Option<Column<NodeIndex>>,
    pub(crate) release: Release,
}

impl Heap {
    /// Builds the heap from its columns, and marks the edges that some rules treat differently.
    ///
    /// # Panics
    ///
    /// If lists differ in length, the starts are not in order, or there are 2^32 nodes or more.
    pub fn new(parts: HeapParts, threads: usize) -> Self {
        let (nodes, edges) = (parts.node_types.len(), parts.edge_targets.len());
        assert!(u32::try_from(nodes).is_ok_and(|n| n < u32::MAX - 1), "{nodes} nodes");
        for (what, len) in [
            ("names", parts.node_names.len()),
            ("ids", parts.node_ids.len()),
            ("sizes", parts.self_sizes.len()),
            ("native sizes", parts.native_sizes.as_ref().map_or(nodes, Packed::len)),
            ("states", parts.detachedness.as_ref().map_or(nodes, Vec::len)),
            ("edge starts", parts.edge_starts.len().saturating_sub(1)),
        ] {
            assert_eq!(len, nodes, "{what} of {nodes} nodes");
        }
        assert_eq!(parts.edge_types.len(), edges, "types of {edges} edges");
        assert_eq!(parts.edge_names.len(), edges, "names of {edges} edges");
        let known = Known::find(&*parts.strings, threads);
        let mut numbered = 0;
        for (name, is_numbered) in parts.edge_type_names.iter().zip(&parts.numbered) {
            numbered |= u16::from(*is_numbered) << EdgeType::by_name(name) as u8;
        }
        let kinds = Nodes::kinds_of(&parts.node_type_names);
        let roles = parts.node_names.iter().map(|&name| known.role(name)).collect();
        let mut heap = Heap {
            nodes: Nodes {
                roles,
                types: parts.node_types.into(),
                type_names: parts.node_type_names,
                kinds,
                names: parts.node_names.into(),
                ids: parts.node_ids.into(),
                self_sizes: parts.self_sizes.into(),
                native_sizes: parts.native_sizes.map(Into::into),
                detachedness: parts.detachedness.map(Into::into),
            },
            edges: Edges {
                starts: parts.edge_starts.into(),
                kinds: Column::default(),
                names: parts.edge_names,
                targets: Column::default(),
                numbered,
            },
            root: if parts.root.position() < nodes { parts.root } else { NodeIndex(0) },
            extra_native_bytes: parts.extra_native_bytes,
            places: parts.places,
            originals: Originals::default(),
            scopes: parts.scopes,
            strings: parts.strings,
            known,
            pairs: Vec::new(),
            ready: None,
            dominators: parts.dominators.map(Into::into),
            release: Release::default(),
        };
        let (mut kinds, mut targets) = (parts.edge_types, parts.edge_targets);
        heap.pairs = heap.mark_edges(&mut kinds, &mut targets, &parts.edge_type_names, threads);
        (heap.edges.kinds, heap.edges.targets) = (kinds.into(), targets.into());
        heap
    }

    /// Turns type numbers into kinds with flags, and returns the edges of pairs.
    fn mark_edges(
        &self,
        mut kinds: &mut [u8],
        mut targets: &mut [NodeIndex],
        names: &[String],
        threads: usize,
    ) -> Vec<(usize, u32)> {
        let mut table = [EdgeType::Other; 256];
        for (kind, name) in table.iter_mut().zip(names) {
            *kind = EdgeType::by_name(name);
        }
        let mut first = 0;
        let parts = threads::bounds(self.nodes.len(), threads).map(|owners| {
            let edges = self.edges.starts.get(owners.end) as usize - first;
            let (mine, rest) = std::mem::take(&mut kinds).split_at_mut(edges);
            kinds = rest;
            let (my_targets, rest) = std::mem::take(&mut targets).split_at_mut(edges);
            targets = rest;
            first += edges;
            (owners, first - edges, mine, my_targets)
        });
        let pairs = threads::each(parts.collect(), |(owners, first, kinds, targets)| {
            self.mark_range(owners, first, kinds, targets, &table)
        });
        // Edges without an owner.
        kinds.fill(EdgeType::Missing as u8);
        targets.fill(NodeIndex(0));
        pairs.concat()
    }

    fn mark_range(
        &self,
        owners: Range<usize>,
        first: usize,
        kinds: &mut [u8],
        targets: &mut [NodeIndex],
        table: &[EdgeType; 256],
    ) -> Vec<(usize, u32)> {
        let mut pairs = Vec::new();
        let nodes = self.nodes.len();
        for node in NodeIndex::each(owners) {
            let role = self.role(node);
            // Rules of `calculateDistances` that depend on the owner.
            let descriptors =
                role == Role::MapDescriptors && self.nodes.kind(node) == NodeType::Array;
            let context = role == Role::NativeContext && self.nodes.kind(node) == NodeType::Hidden;
            let range = self.edges.of(node);
            let mine = range.start - first..range.end - first;
            let edges = kinds[mine.clone()].iter_mut().zip(&mut targets[mine]);
            for (edge, (marked, target)) in range.zip(edges) {
                let kind = table[usize::from(*marked)];
                *marked = kind as u8;
                if target.position() >= nodes {
                    *target = NodeIndex(0);
                    *marked = EdgeType::Missing as u8;
                } else if descriptors {
                    if self.is_descriptor(edge, kind) {
                        *marked |= NOT_FOLLOWED;
                    }
                } else if context
                    && !self.edges.is_numbered(kind)
                    && self.known.role(self.edges.string(edge)) == Role::SloppyFunctionMap
                {
                    *marked |= NOT_FOLLOWED;
                } else if kind == EdgeType::Internal
                    && self.known.role(self.edges.string(edge)) == Role::Pair
                {
                    *marked |= PAIR;
                    let pair = &self.known.pairs[&self.edges.string(edge)];
                    pairs.push((edge, pair.number));
                    if pair.table == self.nodes.ids.get(node.position()) {
                        *marked |= SPARE;
                    }
                }
            }
        }
        pairs
    }

    /// Whether an edge of `(map descriptors)` leads to a descriptor: they may belong to other maps.
    fn is_descriptor(&self, edge: usize, kind: EdgeType) -> bool {
        let index = match self.name_of(edge, kind) {
            EdgeName::Index(index) => Some(i64::from(index)),
            EdgeName::Text(text) => leading_integer(text),
        };
        index.is_some_and(|index| index >= 2 && index % 3 == 1)
    }

    fn name_of(&self, edge: usize, kind: EdgeType) -> EdgeName<'_> {
        let name = self.edges.names.get(edge).unwrap_or(0);
        if self.edges.is_numbered(kind) {
            EdgeName::Index(name)
        } else {
            EdgeName::Text(self.strings.get(StringIndex(name)))
        }
    }

    /// The nodes.
    pub fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// The edges.
    pub fn edges(&self) -> &Edges {
        &self.edges
    }

    /// What questions about single objects need of the whole heap, if it is known already.
    pub fn ready(&self) -> Option<&Ready> {
        self.ready.as_deref()
    }

    /// The dominator of each node, if the heap [came with them](HeapParts::dominators): an analysis takes these.
    pub fn given_dominators(&self) -> Option<&[NodeIndex]> {
        self.dominators.as_deref()
    }

    /// The heap with the roles of all nodes at hand, for work that goes through all of them.
    #[must_use]
    pub fn with_roles(mut self) -> Self {
        let names = self.nodes.names.iter();
        self.nodes.roles = names.map(|&name| self.known.role(name)).collect();
        self
    }

    /// The string table.
    pub fn strings(&self) -> &dyn Strings {
        &*self.strings
    }

    /// The root node, which retains all others.
    pub fn root(&self) -> NodeIndex {
        self.root
    }

    /// Native memory outside the heap, in bytes, according to the header.
    pub fn extra_native_bytes(&self) -> u64 {
        self.extra_native_bytes
    }

    /// The name of a node in the file.
    ///
    /// # Panics
    ///
    /// If there is no such node, or names were [freed](crate::analyze_in_place).
    pub fn node_name(&self, node: NodeIndex) -> &str {
        self.strings.get(self.nodes.names[node.position()])
    }

    /// The name or index of an edge.
    pub fn edge_name(&self, edge: usize) -> EdgeName<'_> {
        self.name_of(edge, self.edges.kind(edge))
    }

    /// The name of an edge as index of the string table; `None` if it has an index.
    #[inline]
    pub fn edge_string(&self, edge: usize) -> Option<StringIndex> {
        match self.edges.is_numbered(self.edges.kind(edge)) {
            true => None,
            false => self.edges.names.get(edge).map(StringIndex),
        }
    }

    /// The node with that id: the first one if several have it.
    pub fn node_by_id(&self, id: i64) -> Option<NodeIndex> {
        self.nodes.all().find(|&node| self.nodes.id(node) == id)
    }

    /// The source position where an object was defined, if the file has it.
    pub fn place(&self, node: NodeIndex) -> Option<crate::Place> {
        self.places.of(node)
    }

    /// Adds what its functions and classes are called in their sources. All names for people then have both.
    pub fn set_originals(&mut self, originals: Originals) {
        self.originals = originals;
    }

    /// Whether source maps tell what anything is called in its source.
    pub fn has_originals(&self) -> bool {
        !self.originals.is_empty()
    }

    /// The original of the function, or of the class of the object, if a source map tells.
    pub fn original(&self, node: NodeIndex) -> Option<&Original> {
        if self.originals.is_empty() {
            return None;
        }
        self.original_at(self.place(node)?)
    }

    /// The original of the function at a place.
    pub fn original_at(&self, place: crate::Place) -> Option<&Original> {
        self.originals.get(place)
    }

    /// The original name of the variable that an edge leads to, if a source map tells.
    pub fn original_variable(&self, edge: usize) -> Option<&str> {
        if !self.originals.has_variables() || self.edges.kind(edge) != EdgeType::Context {
            return None;
        }
        let info = internal(self, self.edges.owner(edge), Role::ScopeInfo)?;
        self.originals.variable(info, self.edge_string(edge)?)
    }

    /// The name of an edge; of a variable, that of its source beside it: `shop [u]`.
    pub fn edge_title(&self, edge: usize) -> Cow<'_, str> {
        match (self.edge_name(edge), self.original_variable(edge)) {
            (EdgeName::Text(name), Some(original)) if name != original => {
                format!("{original} [{name}]").into()
            }
            (EdgeName::Text(name), _) => name.into(),
            (EdgeName::Index(index), _) => index.to_string().into(),
        }
    }

    /// The name of a node, with that of its source beside it.
    pub(crate) fn called(&self, node: NodeIndex) -> Cow<'_, str> {
        let name = self.node_name(node);
        self.original(node).map_or(name.into(), |original| original.beside(name))
    }

    /// All places of functions and constructors, each once.
    pub fn places(&self) -> impl Iterator<Item = crate::Place> {
        (0..self.places.len() as u32).map(|number| self.places.get(number))
    }

    /// Takes out of the heap which place each node has. The places stay.
    pub(crate) fn take_places(&mut self) -> Places {
        self.places.take_numbers()
    }

    /// Takes the names of nodes out of the heap, and frees those of edges.
    pub(crate) fn take_names(&mut self) -> Vec<StringIndex> {
        self.edges.names = EdgeNames::default();
        std::mem::take(&mut self.nodes.names).into_vec()
    }

    /// Takes the sizes from the file out of the heap.
    pub(crate) fn take_sizes(&mut self) -> PackedColumn {
        std::mem::take(&mut self.nodes.self_sizes)
    }

    /// Frees all edges.
    pub(crate) fn free_edges(&mut self) {
        self.edges = Edges { numbered: self.edges.numbered, ..Edges::default() };
        self.pairs = Vec::new();
        self.ready = None;
    }

    /// The pair of an edge that is marked as part of a pair of a WeakMap.
    pub(crate) fn pair(&self, edge: usize) -> u32 {
        let at = self.pairs.binary_search_by_key(&edge, |(edge, _)| *edge);
        self.pairs[at.expect("the edge is of a pair")].1
    }

    /// One bit per node, all clear.
    pub(crate) fn no_nodes(&self) -> Bits {
        Bits::new(self.nodes.len())
    }

    #[inline]
    pub(crate) fn role(&self, node: NodeIndex) -> Role {
        match self.nodes.roles.get(node.position()) {
            Some(&role) => role,
            None => self.known.role(self.nodes.names[node.position()]),
        }
    }

    /// Whether the object was made by `{}`, `new Object()` and the like. DevTools: `isPlainJSObject`.
    #[inline]
    pub(crate) fn is_plain_object(&self, node: NodeIndex) -> bool {
        self.nodes.kind(node) == NodeType::Object && self.role(node) == Role::Object
    }

    /// The edges of pairs of WeakMaps that change roles if a value is held by the younger of key and map: an old object
    /// that is a key of ever more maps keeps none of them. `birth` is the number of the snapshot that has an id first.
    /// A value with one edge only is held by that one.
    pub(crate) fn exchanged(&self, birth: impl Fn(u64) -> u8) -> Exchanged {
        let mut edges = Vec::new();
        if self.pairs.is_empty() {
            return Exchanged(edges);
        }
        let maps = self.weak_maps();
        let birth = |node: NodeIndex| birth(self.nodes.ids.get(node.position()));
        let mut by_pair: HashMap<u32, [Option<usize>; 2]> = HashMap::default();
        for &(edge, pair) in &self.pairs {
            let is_spare = self.edges.kinds[edge] & SPARE != 0;
            by_pair.entry(pair).or_default()[usize::from(is_spare)] = Some(edge);
        }
        for pair in by_pair.into_values() {
            match pair {
                [Some(of_key), Some(of_table)] => {
                    let key = birth(self.edges.owner(of_key));
                    let map = maps.get(&self.edges.owner(of_table)).map(|&map| birth(map));
                    if map.is_some_and(|map| map > key) {
                        edges.extend([of_key, of_table]);
                    }
                }
                [None, Some(of_table)] => edges.push(of_table),
                _ => {}
            }
        }
        edges.sort_unstable();
        Exchanged(edges)
    }

    /// The WeakMap or WeakSet of each table.
    pub(crate) fn weak_maps(&self) -> HashMap<NodeIndex, NodeIndex> {
        let is_map = |&node: &NodeIndex| self.role(node) == Role::WeakMap;
        let table = |map: NodeIndex| {
            let is_table = |edge: &usize| {
                self.edges.kind(*edge) == EdgeType::Internal
                    && self.edge_name(*edge) == EdgeName::Text("table")
            };
            self.edges.of(map).find(is_table).map(|edge| (self.edges.target(edge), map))
        };
        self.nodes.all().filter(is_map).filter_map(table).collect()
    }

    /// Runs `work` on ranges of positions of nodes, one per thread.
    pub(crate) fn by_nodes<T: Send>(
        &self,
        threads: usize,
        work: impl Fn(Range<usize>) -> T + Sync,
    ) -> Vec<T> {
        threads::ranges(self.nodes.len(), threads, work)
    }
}

/// Edges of pairs of WeakMaps of which the other one of the pair holds the value than usual, sorted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exchanged(pub(crate) Vec<usize>);

impl Exchanged {
    pub(crate) const NONE: Exchanged = Exchanged(Vec::new());

    /// Whether an edge of this kind holds its target.
    #[inline]
    pub(crate) fn holds(&self, edge: usize, kind: u8) -> bool {
        edges::holds(kind) != (kind & PAIR != 0 && self.0.binary_search(&edge).is_ok())
    }
}

/// The target of a node's first internal edge with that role.
#[inline]
pub(crate) fn internal(heap: &Heap, node: NodeIndex, role: Role) -> Option<NodeIndex> {
    let edges = heap.edges();
    let range = edges.of(node);
    let kinds = edges.kinds[range.clone()].iter().zip(range);
    let mut named = kinds.filter(|(kind, _)| *kind & TYPE == EdgeType::Internal as u8);
    let (_, edge) = named.find(|&(_, edge)| heap.known.role(edges.string(edge)) == role)?;
    Some(edges.target(edge))
}

/// JavaScript's `parseInt(text, 10)`.
pub(crate) fn leading_integer(text: &str) -> Option<i64> {
    let text = text.trim_start();
    let (negative, digits) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let len = digits.iter().take_while(|b| b.is_ascii_digit()).count();
    // Larger numbers are not indices of a descriptor.
    let number: i64 = std::str::from_utf8(&digits[..len.min(18)]).ok()?.parse().ok()?;
    Some(if negative { -number } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_as_javascript_reads_them() {
        for (text, expected) in [
            ("4", Some(4)),
            (" 12px", Some(12)),
            ("-3", Some(-3)),
            ("+7", Some(7)),
            ("", None),
            ("map", None),
            ("-", None),
        ] {
            assert_eq!(leading_integer(text), expected, "{text:?}");
        }
    }
}
