//! Builds heaps by hand, for tests and examples.

use crate::{
    EdgeNames, EdgeType, HashMap, Heap, HeapParts, Locations, NodeIndex, Packed, Place, Places,
    ScopeRecord, ScopeRecords, ScopeUse, StringIndex,
};
use std::sync::Arc;

/// The node types of V8.
const NODE_TYPES: [&str; 15] = [
    "hidden",
    "array",
    "string",
    "object",
    "code",
    "closure",
    "regexp",
    "number",
    "native",
    "synthetic",
    "concatenated string",
    "sliced string",
    "symbol",
    "bigint",
    "object shape",
];
/// The edge types of V8.
const EDGE_TYPES: [&str; 7] =
    ["context", "element", "property", "internal", "hidden", "shortcut", "weak"];

/// Builds a small [`Heap`] node by node and edge by edge. Ids are 1, 3, 5 and so on; the first node is the root.
#[derive(Clone, Debug)]
pub struct HeapBuilder {
    parts: HeapParts,
    strings: Vec<String>,
    by_text: HashMap<String, StringIndex>,
    locations: Locations,
    /// Owner, type, name and target of each edge.
    edges: Vec<(NodeIndex, u8, u32, NodeIndex)>,
}

impl Default for HeapBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl HeapBuilder {
    /// An empty builder.
    pub fn new() -> Self {
        let numbered = EDGE_TYPES.iter().map(|name| matches!(*name, "element" | "hidden"));
        HeapBuilder {
            parts: HeapParts {
                node_type_names: NODE_TYPES.map(String::from).into(),
                edge_type_names: EDGE_TYPES.map(String::from).into(),
                numbered: numbered.collect(),
                node_types: Vec::new(),
                node_names: Vec::new(),
                node_ids: Packed::default(),
                self_sizes: Packed::default(),
                native_sizes: None,
                detachedness: None,
                edge_starts: Packed::default(),
                edge_types: Vec::new(),
                edge_names: EdgeNames::default(),
                edge_targets: Vec::new(),
                root: NodeIndex(0),
                extra_native_bytes: 0,
                places: Places::default(),
                scopes: ScopeRecords::default(),
                strings: Arc::new(Vec::<String>::new()),
                dominators: None,
            },
            locations: Locations::default(),
            strings: Vec::new(),
            by_text: HashMap::default(),
            edges: Vec::new(),
        }
    }

    fn string(&mut self, text: &str) -> StringIndex {
        let next = StringIndex(self.strings.len() as u32);
        *self.by_text.entry(text.into()).or_insert_with(|| {
            self.strings.push(text.into());
            next
        })
    }

    /// Adds a node, and returns its index.
    ///
    /// # Panics
    /// If V8 has no such type.
    pub fn node(&mut self, kind: &str, name: &str, self_size: u64) -> NodeIndex {
        let number = NODE_TYPES.iter().position(|&known| known == kind);
        let node = NodeIndex::at(self.parts.node_types.len());
        self.parts.node_types.push(number.expect("a node type of V8") as u8);
        let name = self.string(name);
        self.parts.node_names.push(name);
        self.parts.node_ids.push(u64::from(node.0) * 2 + 1);
        self.parts.self_sizes.push(self_size);
        node
    }

    /// Adds an edge, in any order. If edges of that type have an index, `name` is that index.
    ///
    /// # Panics
    /// If V8 has no such type.
    pub fn edge(&mut self, from: NodeIndex, kind: EdgeType, name: &str, to: NodeIndex) {
        let number = EDGE_TYPES.iter().position(|&known| known == kind.name());
        let number = number.expect("an edge type of V8");
        let name = if self.parts.numbered[number] {
            name.parse().expect("a number")
        } else {
            self.string(name).0
        };
        self.edges.push((from, number as u8, name, to));
    }

    /// Makes this node the root.
    pub fn root(&mut self, node: NodeIndex) {
        self.parts.root = node;
    }

    /// Sets the id of a node.
    pub fn id(&mut self, node: NodeIndex, id: u64) {
        self.parts.node_ids.set(node.position(), id);
    }

    /// Sets the state of a node: 1 attached, 2 detached.
    pub fn detachedness(&mut self, node: NodeIndex, state: u8) {
        let nodes = self.parts.node_types.len();
        let states = self.parts.detachedness.get_or_insert_default();
        states.resize(states.len().max(nodes), 0);
        states[node.position()] = state;
    }

    /// Sets the native memory that a node holds.
    pub fn native_size(&mut self, node: NodeIndex, size: u64) {
        let nodes = self.parts.node_types.len();
        let sizes = self.parts.native_sizes.get_or_insert_default();
        (sizes.len()..nodes).for_each(|_| sizes.push(0));
        sizes.set(node.position(), size);
    }

    /// Sets the source position where an object was defined.
    pub fn location(&mut self, node: NodeIndex, script_id: i32, line: i32, column: i32) {
        self.locations.push(node, Place { script_id, line, column });
    }

    /// Adds a scope of a script in file order, with the names of its variables, and the variables that are used in it:
    /// the numbers of the scopes that declare them, and which of theirs they are.
    pub fn scope(
        &mut self,
        script: NodeIndex,
        id: i32,
        depth: u32,
        variables: &[&str],
        uses: &[(i32, u32)],
    ) {
        let names: Vec<StringIndex> = variables.iter().map(|name| self.string(name)).collect();
        let scopes = &mut self.parts.scopes;
        let (variables, all) = (names.len() as u32, uses.len() as u32);
        scopes.scopes.push(ScopeRecord { script, id, depth, variables, uses: all });
        scopes.variables.extend(names);
        let uses = uses.iter().map(|&(declaring_id, slot)| ScopeUse { declaring_id, slot });
        scopes.uses.extend(uses);
    }

    /// The heap.
    pub fn build(self) -> Heap {
        Heap::new(self.parts(), 1)
    }

    /// The columns of the heap.
    pub fn parts(self) -> HeapParts {
        let HeapBuilder { mut parts, strings, locations, mut edges, .. } = self;
        let nodes = parts.node_types.len();
        edges.sort_by_key(|&(from, ..)| from);
        let mut next = 0;
        for node in NodeIndex::each(0..nodes) {
            parts.edge_starts.push(next);
            next += edges[next as usize..].iter().take_while(|e| e.0 == node).count() as u64;
        }
        parts.edge_starts.push(next);
        parts.edge_names = edges.iter().map(|&(_, _, name, _)| name).collect();
        for (_, kind, _, target) in edges {
            parts.edge_types.push(kind);
            parts.edge_targets.push(target);
        }
        if let Some(states) = &mut parts.detachedness {
            states.resize(nodes, 0);
        }
        if let Some(sizes) = &mut parts.native_sizes {
            (sizes.len()..nodes).for_each(|_| sizes.push(0));
        }
        parts.places = locations.by_node(nodes);
        parts.strings = Arc::new(strings);
        parts
    }
}
