//! Which fields of nodes, edges and functions are indices of strings.

use serde_json::Value;

/// A kind of record.
#[derive(Clone)]
pub(super) struct Record {
    /// How many fields it has.
    pub(super) width: usize,
    /// The field that can get another number.
    pub(super) replaced: usize,
}

/// What the name of a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeUse {
    /// Data of the program.
    Value,
    /// A name in the source of the program or the engine.
    Name,
    /// A name of the engine.
    Engine,
}

/// What the name of an edge is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EdgeUse {
    /// The number of an element.
    Element,
    /// Another number.
    Number,
    /// The name of a property.
    Property,
    /// Another name.
    Name,
}

/// What the header says.
#[derive(Clone)]
pub(super) struct Layout {
    pub(super) node: Record,
    pub(super) node_type: usize,
    pub(super) edge_count: Option<usize>,
    pub(super) edge: Record,
    pub(super) edge_type: usize,
    /// The field of the position of the node to which an edge refers.
    pub(super) edge_to: Option<usize>,
    /// Records of other members, and which of their fields are indices of names.
    pub(super) named: [(Record, Vec<usize>); 2],
    node_uses: Vec<NodeUse>,
    edge_uses: Vec<EdgeUse>,
    /// The type of strings of two parts.
    concatenated: Option<u64>,
}

/// Types of nodes whose names are of the program's source or the engine. Of all others but `synthetic`, which are the
/// roots, they are values.
const NAMED: [&str; 11] = [
    "hidden",
    "array",
    "object",
    "code",
    "closure",
    "native",
    "object shape",
    "wasm object",
    "framework",
    "jsobject",
    "lexical environment",
];

/// Fields of other records that are indices of strings.
const NAMES: [&str; 2] = ["name", "script_name"];

/// Fields of functions, where the header does not tell them.
const FUNCTION: [&str; 6] = ["function_id", "name", "script_name", "script_id", "line", "column"];

impl Layout {
    /// Reads the member `snapshot`.
    pub(super) fn parse(json: &[u8]) -> Option<Self> {
        let header: Value = serde_json::from_slice(json).ok()?;
        let meta = &header["meta"];
        let (nodes, edges) = (strings(&meta["node_fields"])?, strings(&meta["edge_fields"])?);
        let at = |fields: &[String], name: &str| fields.iter().position(|field| field == name);
        let (node_type, edge_type) = (at(&nodes, "type")?, at(&edges, "type")?);
        let node_types = strings(&meta["node_types"][node_type])?;
        let edge_types = strings(&meta["edge_types"][edge_type])?;
        let has_native = at(&nodes, "native_size").is_some();
        let is_ark = has_native || node_types.iter().any(|name| name == "slicedstring");
        let edge_use = |name: &String| match name.as_str() {
            // ArkTS has names at all edges, and since 4.1 numbers at elements.
            "element" if !is_ark || has_native => EdgeUse::Element,
            "hidden" if !is_ark => EdgeUse::Number,
            "context" | "internal" | "weak" | "hidden" => EdgeUse::Name,
            _ => EdgeUse::Property,
        };
        let node_use = |name: &String| match name.as_str() {
            "synthetic" => NodeUse::Engine,
            name if NAMED.contains(&name) => NodeUse::Name,
            _ => NodeUse::Value,
        };
        let named = |(key, usual): (&str, &[&str])| {
            let usual = || usual.iter().map(|&name| name.into()).collect();
            let fields = strings(&meta[key]).unwrap_or_else(usual);
            let names = NAMES.iter().filter_map(|name| at(&fields, name)).collect();
            (Record { width: fields.len(), replaced: 0 }, names)
        };
        Some(Layout {
            node: Record { width: nodes.len(), replaced: at(&nodes, "name")? },
            node_type,
            edge_count: at(&nodes, "edge_count"),
            edge: Record { width: edges.len(), replaced: at(&edges, "name_or_index")? },
            edge_type,
            edge_to: at(&edges, "to_node"),
            named: [
                ("trace_function_info_fields", &FUNCTION[..]),
                ("scope_context_var_fields", &["name"]),
            ]
            .map(named),
            node_uses: node_types.iter().map(node_use).collect(),
            edge_uses: edge_types.iter().map(edge_use).collect(),
            concatenated: at(&node_types, "concatenated string").map(|at| at as u64),
        })
    }

    /// What the names of nodes of a type are. Those of types that the header does not have are values.
    pub(super) fn node_use(&self, kind: u64) -> NodeUse {
        let kind = usize::try_from(kind).ok();
        kind.and_then(|kind| self.node_uses.get(kind)).copied().unwrap_or(NodeUse::Value)
    }

    /// Whether nodes of a type are strings of two parts.
    pub(super) fn has_parts(&self, kind: u64) -> bool {
        self.concatenated == Some(kind)
    }

    /// What the names of edges of a type are.
    pub(super) fn edge_use(&self, kind: u64) -> EdgeUse {
        let kind = usize::try_from(kind).ok();
        kind.and_then(|kind| self.edge_uses.get(kind)).copied().unwrap_or(EdgeUse::Property)
    }
}

fn strings(value: &Value) -> Option<Vec<String>> {
    let list = value.as_array()?;
    Some(list.iter().map(|value| value.as_str().unwrap_or("?").to_owned()).collect())
}
