//! Makes a heap of the columns: types and names in V8's words, so that every rule and every query for V8's heaps works.

use super::{
    edges::{EdgeColumns, EdgeCounts, NO_DATA, NO_TYPE},
    nodes::{NO_NAME, NodeColumns},
};
use crate::{
    Code, Log,
    heap::reassembly::Assemble,
    heap::strings::{StringPart, StringTable, StringTableBuilder},
};
use arrow_array::{Array, LargeStringArray};
use heapquarry_graph::{
    EdgeType, HeapParts, NodeIndex, Places, ScopeRecords, StringIndex, Strings,
};
use std::{ops::Range, sync::Arc};

/// The cell belongs to no global object: structures, tables, code.
const INTERNAL: u8 = 1;
/// The cell is an element of a document.
const ELEMENT: u8 = 4;

/// The types of nodes. JavaScriptCore has none: they follow from the class and the flags.
pub(super) const NODE_TYPES: [&str; 8] =
    ["synthetic", "object", "closure", "string", "symbol", "native", "code", "hidden"];

/// The type of a node of this class, as a position in [`NODE_TYPES`].
fn node_type(class: &str, flags: u8) -> u8 {
    let name = match class {
        "<root>" => "synthetic",
        "string" => "string",
        "symbol" => "symbol",
        "Function" | "JSAsyncFunction" | "JSGeneratorFunction" | "JSAsyncGeneratorFunction" => {
            "closure"
        }
        _ if flags & ELEMENT != 0 => "native",
        _ if flags & INTERNAL == 0 => "object",
        class if class.ends_with("Executable") || class.ends_with("CodeBlock") => "code",
        _ => "hidden",
    };
    NODE_TYPES.iter().position(|known| *known == name).expect("one of the names above") as u8
}

/// The types of edges that version 1 to 3 have, in the order of their numbers.
const EDGE_TYPES: [&str; 4] = ["Internal", "Property", "Index", "Variable"];

/// The name of a type of edges in V8's words.
fn edge_type(name: &str) -> &str {
    match name {
        "Internal" => EdgeType::Internal.name(),
        "Property" => EdgeType::Property.name(),
        "Index" => EdgeType::Element.name(),
        "Variable" => EdgeType::Context.name(),
        other => other,
    }
}

/// What the data of an edge of a type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Data {
    /// Nothing.
    Unused,
    Index,
    Name,
}

/// What the data of an edge of this type, in V8's words, is.
fn data(edge_type: &str) -> Data {
    match edge_type {
        "internal" => Data::Unused,
        "element" | "hidden" => Data::Index,
        _ => Data::Name,
    }
}

/// All that a document has.
pub(super) struct Parsed {
    /// Sorted by id.
    pub(super) nodes: NodeColumns,
    pub(super) edges: Edges,
    /// The lists of strings, each in pieces.
    pub(super) strings: [Vec<LargeStringArray>; 3],
    /// Names of the types of edges, as in the file.
    pub(super) edge_types: Option<Vec<String>>,
    /// Whether the document was read to its end. Otherwise names may be behind it.
    pub(super) is_whole: bool,
}

/// The edges of a document.
pub(super) enum Edges {
    Kept(EdgeColumns),
    /// Their rows come from another read.
    Counted(EdgeCounts),
}

/// The heap of a document.
#[derive(Clone, Debug)]
pub(super) struct Built {
    /// Without edges if these have only been counted.
    pub(super) parts: HeapParts,
    pub(super) edge_count: u64,
    /// What the data of edges is.
    pub(super) edge_data: EdgeData,
    pub(super) strings: StringTable,
    /// Ends of the pieces of the string table.
    pieces: Vec<usize>,
    /// Nodes whose size is missing, and counts as 0.
    pub(super) without_size: Vec<u32>,
}

impl Parsed {
    /// Makes the heap.
    pub(super) fn build(self, log: &mut Log) -> Built {
        let Parsed { nodes, edges, strings, edge_types, is_whole } = self;
        let mut unused = Log::default();
        let log = if is_whole { log } else { &mut unused };
        let counts = strings.each_ref().map(|list| list.iter().map(|s| s.len()).sum::<usize>());
        let (table, pieces) = join(strings);
        let texts = table.texts();
        let edge_types = match edge_types {
            Some(names) => names.iter().map(|name| edge_type(name).to_owned()).collect(),
            None => EDGE_TYPES.map(|name| edge_type(name).to_owned()).to_vec(),
        };
        let edge_data = EdgeData {
            uses: edge_types.iter().map(|name| data(name)).collect(),
            classes: counts[0],
            names: counts[1],
            is_whole,
        };
        let (edge_count, edge_starts, edges) = match edges {
            Edges::Kept(mut edges) => {
                let starts = edges.group(nodes.len());
                edge_data.name(&mut edges, log);
                (edges.types.len() as u64, starts, edges)
            }
            Edges::Counted(counts) => {
                (counts.edges(), counts.into_starts(nodes.len()), EdgeColumns::default())
            }
        };
        let (node_types, node_names) = classify(&nodes, &texts, counts, log);
        let parts = HeapParts {
            node_type_names: NODE_TYPES.map(String::from).to_vec(),
            numbered: edge_data.uses.iter().map(|&uses| uses == Data::Index).collect(),
            edge_type_names: edge_types,
            node_types,
            node_names,
            // Snapshots for debugging number their nodes anew. The collector moves no cell, so an address stays.
            node_ids: if nodes.addresses.is_empty() { nodes.ids } else { nodes.addresses },
            self_sizes: nodes.sizes,
            native_sizes: None,
            detachedness: None,
            edge_starts,
            edge_types: edges.types,
            edge_names: edges.data.into(),
            edge_targets: edges.targets,
            // Nodes are sorted by id, and the root has the id 0.
            root: NodeIndex(0),
            extra_native_bytes: 0,
            places: Places::default(),
            scopes: ScopeRecords::default(),
            strings: Arc::new(texts),
            dominators: None,
        };
        let without_size = nodes.without_size;
        Built { parts, edge_count, edge_data, strings: table, pieces, without_size }
    }
}

/// The string table, and the ends of its pieces.
fn join(lists: [Vec<LargeStringArray>; 3]) -> (StringTable, Vec<usize>) {
    let bytes = lists.iter().flatten().map(|strings| strings.values().len()).sum();
    let mut table = StringTableBuilder::with_capacity(bytes);
    let mut pieces = Vec::new();
    let mut first = 0;
    for strings in lists.into_iter().flatten() {
        let end = first + strings.len();
        table.push(StringPart { first: first as u64, strings });
        pieces.push(end);
        first = end;
    }
    (table.finish(), pieces)
}

/// What the data of edges is.
#[derive(Clone, Debug)]
pub(super) struct EdgeData {
    /// By the type of the edge.
    pub(super) uses: Vec<Data>,
    /// Names of edges come after as many names of classes in the string table.
    classes: usize,
    names: usize,
    /// Whether the document was read to its end. Otherwise names may be behind it.
    is_whole: bool,
}

impl EdgeData {
    /// Turns the data of edges into indices of the string table where it is the position of a name.
    pub(super) fn name(&self, edges: &mut EdgeColumns, log: &mut Log) {
        let mut unused = Log::default();
        let log = if self.is_whole { log } else { &mut unused };
        for (&kind, value) in edges.types.iter().zip(&mut edges.data) {
            *value = self.named(kind, *value, log);
        }
    }

    #[inline]
    fn named(&self, kind: u8, value: u32, log: &mut Log) -> u32 {
        let Some(uses) = self.uses.get(usize::from(kind)) else {
            if kind != NO_TYPE {
                log.add(Code::TypeOutOfRange, None, || {
                    format!("type {kind} is not among the {} types of edges", self.uses.len())
                });
            }
            return NO_DATA;
        };
        match uses {
            Data::Unused => NO_DATA,
            Data::Index => value,
            Data::Name if (value as usize) < self.names => {
                u32::try_from(self.classes + value as usize).unwrap_or(NO_DATA)
            }
            Data::Name => {
                if value != NO_DATA {
                    log.add(Code::StringOutOfRange, None, || {
                        format!("an edge has the name {value}, of {}", self.names)
                    });
                }
                NO_DATA
            }
        }
    }
}

/// The type and the name of each node: the name is its class, for functions their label if they have one. The text of a
/// string is not in the file, so strings have no name. `counts` are the numbers of classes, of names and of labels.
fn classify(
    nodes: &NodeColumns,
    texts: &dyn Strings,
    counts: [usize; 3],
    log: &mut Log,
) -> (Vec<u8>, Vec<StringIndex>) {
    const FLAGS: usize = 8;
    let [classes, names, labels] = counts;
    let of_class = |class: usize| {
        let class = texts.get(StringIndex(class as u32));
        std::array::from_fn::<u8, FLAGS, _>(|flags| node_type(class, flags as u8))
    };
    let known: Vec<[u8; FLAGS]> = (0..classes).map(of_class).collect();
    // A class without a name.
    let unknown = std::array::from_fn::<u8, FLAGS, _>(|flags| node_type("", flags as u8));
    let [root, string, closure] = ["<root>", "string", "Function"].map(|name| node_type(name, 0));
    let mut node_names = Vec::with_capacity(nodes.len());
    let mut node_types = Vec::with_capacity(nodes.len());
    for (node, (&class, &flags)) in nodes.classes.iter().zip(&nodes.flags).enumerate() {
        let of_class = known.get(class as usize);
        if of_class.is_none() && class != NO_NAME {
            log.add(Code::StringOutOfRange, None, || {
                let id = nodes.ids.get(node);
                format!("node {id} has the class {class}, of {classes}")
            });
        }
        let is_root = nodes.ids.get(node) == 0 && node == 0;
        let kind = match of_class {
            _ if is_root => root,
            Some(kinds) => kinds[usize::from(flags) % FLAGS],
            None => unknown[usize::from(flags) % FLAGS],
        };
        let label = nodes.labels.get(node).map_or(0, |&label| label as usize);
        let name = if kind == closure && (1..labels).contains(&label) {
            u32::try_from(classes + names + label).unwrap_or(NO_NAME)
        } else if kind == string || of_class.is_none() {
            NO_NAME
        } else {
            class
        };
        node_types.push(kind);
        node_names.push(StringIndex(name));
    }
    (node_types, node_names)
}

impl Built {
    pub(super) fn node_count(&self) -> usize {
        self.parts.node_types.len()
    }

    /// Whether the edges have been kept as columns. Otherwise their rows come from another read.
    pub(super) fn kept_edges(&self) -> usize {
        self.parts.edge_types.len()
    }

    pub(super) fn string_count(&self) -> usize {
        self.pieces.last().copied().unwrap_or(0)
    }

    /// The strings from `first` on that are one row group of at most `rows`; `None` if there are no more. Strings take
    /// as much memory as they were read with.
    pub(super) fn string_rows(&self, first: usize, rows: usize) -> Option<Range<usize>> {
        let end = *self.pieces.iter().find(|end| **end > first)?;
        Some(first..end.min(first + rows))
    }
}
