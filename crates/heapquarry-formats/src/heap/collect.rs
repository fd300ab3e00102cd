//! Gathers columns for the analysis while the sections are decoded, without a second pass over the bytes.

use super::{
    header::{Enumeration, Header},
    positions::NodePosition,
    records::{Column, Records, Value, unwrapped},
    strings::StringTable,
};
use heapquarry_graph::{
    EdgeNamesBuilder, EncodedNames, HeapParts, Locations, NameCodes, NodeIndex, NodeType, Nodes,
    Packed, Place, Places, ScopeRecord, ScopeRecords, ScopeUse, StringIndex,
};
use heapquarry_tables::{Reorder, sync::unpoisoned};
use std::{
    mem,
    ops::Range,
    sync::{Arc, Mutex, RwLock},
};

/// Marks a type that does not fit.
const NO_TYPE: u8 = u8::MAX;
/// Marks a missing name or index.
const NO_POSITION: u32 = u32::MAX;
/// Marks a missing name.
const NO_STRING: StringIndex = StringIndex::NONE;
/// Marks a missing target.
const NO_NODE: NodeIndex = NodeIndex(NO_POSITION);

/// The columns gathered so far. Parts come from all threads and are joined in file order.
#[derive(Debug)]
pub(crate) struct Collector {
    nodes: RwLock<InOrder<NodeColumns>>,
    edges: Mutex<InOrder<EdgeColumns>>,
    /// Codes of the names of edges.
    name_codes: Arc<NameCodes>,
    locations: Mutex<InOrder<NodePlaces>>,
    scopes: Mutex<InOrder<List<ScopeRecord>>>,
    scope_variables: Mutex<InOrder<List<StringIndex>>>,
    scope_uses: Mutex<InOrder<List<ScopeUse>>>,
    /// For each node type, whether the analysis needs the locations of its nodes.
    has_place: Vec<bool>,
}

#[derive(Debug, Default)]
struct NodeColumns {
    types: Vec<u8>,
    names: Vec<StringIndex>,
    ids: Packed,
    self_sizes: Packed,
    edge_counts: Packed,
    /// Those of the last nodes, or of all, are left out if they are 0.
    detachedness: Vec<u8>,
    native_sizes: Packed,
}

#[derive(Debug, Default)]
struct EdgeColumns {
    types: Vec<u8>,
    names: EdgeNamesBuilder,
    targets: Vec<NodeIndex>,
    name_codes: Arc<NameCodes>,
}

/// Edges of a task.
#[derive(Debug, Default)]
struct EdgePart {
    types: Vec<u8>,
    names: EncodedNames,
    targets: Vec<NodeIndex>,
}

/// Where objects were defined, as far as read.
#[derive(Debug, Default)]
struct NodePlaces(Places);

/// Rows of a section of which there are few.
#[derive(Debug)]
pub(crate) struct List<T>(pub(crate) Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        List(Vec::new())
    }
}

impl<T> Append for List<T> {
    type Part = Vec<T>;

    fn append(&mut self, part: Vec<T>) {
        self.0.extend(part);
    }
}

/// Locations of a task.
#[derive(Debug, Default)]
struct Found {
    locations: Locations,
    /// Number of all nodes.
    nodes: usize,
}

/// The nodes of a task, by field.
pub(crate) struct NodeFields<'a, T> {
    pub(crate) kind: &'a Column<T>,
    pub(crate) name: &'a Column<T>,
    pub(crate) id: &'a Column<T>,
    pub(crate) self_size: &'a Column<T>,
    pub(crate) edge_count: &'a Column<T>,
    pub(crate) detachedness: &'a Column<T>,
    pub(crate) native_size: &'a Column<T>,
}

/// The edges of a task, by field.
pub(crate) struct EdgeFields<'a, T> {
    pub(crate) kind: &'a Column<T>,
    pub(crate) name_or_index: &'a Column<T>,
    /// Raw references to nodes.
    pub(crate) to_node: &'a Column<T>,
}

/// The scopes of a task, by field.
pub(crate) struct ScopeFields<'a, T> {
    /// Positions of nodes.
    pub(crate) script: &'a Column<T>,
    pub(crate) id: &'a Column<T>,
    pub(crate) depth: &'a Column<T>,
    pub(crate) variables: &'a Column<T>,
    pub(crate) uses: &'a Column<T>,
}

/// Columns that parts are appended to.
pub(crate) trait Append {
    /// The columns of a task.
    type Part;

    /// Appends the next ones.
    fn append(&mut self, part: Self::Part);
}

impl Append for NodeColumns {
    type Part = Self;

    fn append(&mut self, part: Self) {
        self.types.extend_from_slice(&part.types);
        self.names.extend_from_slice(&part.names);
        self.ids.append(&part.ids);
        self.self_sizes.append(&part.self_sizes);
        self.edge_counts.append(&part.edge_counts);
        if part.detachedness.iter().any(|&state| state != 0) {
            self.detachedness.resize(self.types.len() - part.types.len(), 0);
            self.detachedness.extend_from_slice(&part.detachedness);
        }
        self.native_sizes.append(&part.native_sizes);
    }
}

impl Append for EdgeColumns {
    type Part = EdgePart;

    fn append(&mut self, part: EdgePart) {
        self.types.extend_from_slice(&part.types);
        self.names.append(part.names, &self.name_codes);
        self.targets.extend_from_slice(&part.targets);
    }
}

impl Append for NodePlaces {
    type Part = Found;

    fn append(&mut self, part: Found) {
        self.0.add(&part.locations, part.nodes);
    }
}

/// Parts that arrive in any order.
#[derive(Debug, Default)]
pub(crate) struct InOrder<C: Append> {
    /// The columns joined so far.
    pub(crate) whole: C,
    /// Parts by their records.
    parts: Reorder<C::Part>,
}

impl<C: Append> InOrder<C> {
    /// Adds the columns of these records.
    pub(crate) fn add(&mut self, records: Range<u64>, part: C::Part) {
        assert!(self.parts.insert(records, part), "records are collected once");
        while let Some(part) = self.parts.next() {
            self.whole.append(part);
        }
    }
}

impl Collector {
    pub(crate) fn new(header: &Header) -> Self {
        let names = header.node_types.names.iter();
        let edges = InOrder::<EdgeColumns>::default();
        Collector {
            nodes: RwLock::default(),
            name_codes: edges.whole.name_codes.clone(),
            edges: Mutex::new(edges),
            locations: Mutex::default(),
            scopes: Mutex::default(),
            scope_variables: Mutex::default(),
            scope_uses: Mutex::default(),
            has_place: names.map(|name| NodeType::by_name(name).has_place()).collect(),
        }
    }

    /// Reserves memory, so that nothing has to be moved. The numbers may be wrong, but are limited by the input.
    pub(crate) fn expect_nodes(&self, nodes: usize, header: &Header) {
        let columns = &mut unpoisoned(self.nodes.write()).whole;
        columns.types.reserve_exact(nodes);
        columns.names.reserve_exact(nodes);
        columns.ids = Packed::with_capacity(nodes);
        columns.self_sizes = Packed::with_capacity(nodes);
        columns.edge_counts = Packed::with_capacity(nodes + 1);
        if header.node_fields.has("detachedness") {
            columns.detachedness.reserve_exact(nodes);
        }
        if header.node_fields.has("native_size") {
            columns.native_sizes = Packed::with_capacity(nodes);
        }
    }

    pub(crate) fn expect_edges(&self, edges: usize) {
        let columns = &mut unpoisoned(self.edges.lock()).whole;
        columns.types.reserve_exact(edges);
        self.name_codes.expect(edges);
        columns.names.expect(edges);
        columns.targets.reserve_exact(edges);
    }

    /// Takes the nodes of a task.
    pub(crate) fn nodes<T: Value>(&self, records: Records, fields: &NodeFields<'_, T>) {
        let rows = records.rows;
        let given = |column: &Column<T>| !column.values.is_empty();
        let NodeFields { kind, name, id, self_size, edge_count, detachedness, native_size } =
            *fields;
        let part = NodeColumns {
            types: small(kind, rows, NO_TYPE),
            names: names(name, rows),
            ids: packed(id, rows, Nodes::NO_ID),
            self_sizes: packed(self_size, rows, 0),
            edge_counts: packed(edge_count, rows, 0),
            detachedness: if given(detachedness) { small(detachedness, rows, 0) } else { vec![] },
            native_sizes: if given(native_size) {
                packed(native_size, rows, 0)
            } else {
                Packed::default()
            },
        };
        unpoisoned(self.nodes.write()).add(records.range(), part);
    }

    /// Takes the edges of a task. `node_width` is the number of fields of a node.
    pub(crate) fn edges<T: Value>(
        &self,
        records: Records,
        fields: &EdgeFields<'_, T>,
        node_width: usize,
    ) {
        let (rows, to_node) = (records.rows, fields.to_node);
        let targets = match node_width {
            // A constant width lets the compiler replace the division by a multiplication.
            5 => targets::<T, 5>(to_node, rows),
            6 => targets::<T, 6>(to_node, rows),
            7 => targets::<T, 7>(to_node, rows),
            8 => targets::<T, 8>(to_node, rows),
            width => converted(to_node, rows, NO_NODE, |value| target(value, width as u64)),
        };
        let part = EdgePart {
            types: small(fields.kind, rows, NO_TYPE),
            names: self.name_codes.encode(narrow(fields.name_or_index, rows)),
            targets,
        };
        unpoisoned(self.edges.lock()).add(records.range(), part);
    }

    /// Takes the locations of a task, after all nodes. `object` holds node positions.
    pub(crate) fn locations<T: Value>(
        &self,
        records: Records,
        object: &Column<T>,
        script_id: &Column<T>,
        line: &Column<T>,
        column: &Column<T>,
    ) {
        let columns = unpoisoned(self.nodes.read());
        let types = &columns.whole.types;
        let nodes = types.len();
        let mut locations = Locations::default();
        for row in 0..object.values.len() {
            let Some(node) = object.get(row).and_then(|node| u32::try_from(node).ok()) else {
                continue;
            };
            let kind = types.get(node as usize).copied().unwrap_or(NO_TYPE);
            if self.has_place.get(usize::from(kind)) == Some(&true) {
                let script_id = number(script_id, row);
                let [line, column] = [line, column].map(|column| wrapped(column, row));
                locations.push(NodeIndex(node), Place { script_id, line, column });
            }
        }
        drop(columns);
        let part = Found { locations, nodes };
        unpoisoned(self.locations.lock()).add(records.range(), part);
    }

    /// Takes the scopes of a task, after all nodes. `script` holds node positions.
    pub(crate) fn scopes<T: Value>(&self, records: Records, fields: &ScopeFields<'_, T>) {
        let ScopeFields { script, id, depth, variables, uses } = *fields;
        let count = |column: &Column<T>, row| {
            column.get(row).and_then(|value| u32::try_from(value).ok()).unwrap_or(0)
        };
        let node = |row| script.get(row).and_then(|node| u32::try_from(node).ok());
        let scope = |row| ScopeRecord {
            script: node(row).map_or(NO_NODE, NodeIndex),
            id: number(id, row),
            depth: count(depth, row),
            variables: count(variables, row),
            uses: count(uses, row),
        };
        let part = (0..records.rows).map(scope).collect();
        unpoisoned(self.scopes.lock()).add(records.range(), part);
    }

    /// Takes the names of the variables of scopes.
    pub(crate) fn scope_variables<T: Value>(&self, records: Records, name: &Column<T>) {
        let part = names(name, records.rows);
        unpoisoned(self.scope_variables.lock()).add(records.range(), part);
    }

    /// Takes the uses of variables in scopes.
    pub(crate) fn scope_uses<T: Value>(
        &self,
        records: Records,
        declaring_id: &Column<T>,
        slot: &Column<T>,
    ) {
        let one = |row| ScopeUse {
            declaring_id: number(declaring_id, row),
            slot: slot.get(row).and_then(|slot| u32::try_from(slot).ok()).unwrap_or(NO_POSITION),
        };
        let part = (0..records.rows).map(one).collect();
        unpoisoned(self.scope_uses.lock()).add(records.range(), part);
    }

    /// All columns, once all tasks are complete.
    /// `lost` are the first of the nodes that damage has taken, and the number of edges that they owned together.
    pub(crate) fn finish(
        &self,
        header: &Header,
        strings: Option<&StringTable>,
        lost: Option<(NodePosition, u64)>,
    ) -> HeapParts {
        let mut nodes = mem::take(&mut unpoisoned(self.nodes.write()).whole);
        let mut edges = mem::take(&mut unpoisoned(self.edges.lock()).whole);
        if let Some((NodePosition(node), count)) = lost {
            // Nothing is known of their owners, so they lead from nowhere.
            let node = node as usize;
            let first = (0..node).map(|at| nodes.edge_counts.get(at)).fold(0, u64::saturating_add);
            nodes.edge_counts.set(node, count);
            let all = edges.targets.len() as u64;
            let theirs = first.min(all) as usize..first.saturating_add(count).min(all) as usize;
            edges.targets[theirs].fill(NO_NODE);
        }
        // Memory of zeros that is never written to takes none.
        let detachedness = match nodes.detachedness.is_empty() {
            true => vec![0; nodes.types.len()],
            false => {
                nodes.detachedness.resize(nodes.types.len(), 0);
                nodes.detachedness
            }
        };
        let places = mem::take(&mut unpoisoned(self.locations.lock()).whole).0;
        let names = |types: &Enumeration| types.names.clone();
        let has = |field: &str| header.node_fields.has(field);
        HeapParts {
            node_type_names: names(&header.node_types),
            edge_type_names: names(&header.edge_types),
            numbered: header.numbered.clone(),
            detachedness: has("detachedness").then_some(detachedness),
            native_sizes: has("native_size").then_some(nodes.native_sizes),
            node_types: nodes.types,
            node_names: nodes.names,
            node_ids: nodes.ids,
            self_sizes: nodes.self_sizes,
            edge_starts: starts(nodes.edge_counts, edges.targets.len() as u64),
            edge_types: edges.types,
            edge_names: edges.names.finish(),
            edge_targets: edges.targets,
            root: u32::try_from(header.root()).map_or(NO_NODE, NodeIndex),
            extra_native_bytes: header.extra_native_bytes.unwrap_or(0),
            places,
            scopes: ScopeRecords {
                scopes: mem::take(&mut unpoisoned(self.scopes.lock()).whole).0,
                variables: mem::take(&mut unpoisoned(self.scope_variables.lock()).whole).0,
                uses: mem::take(&mut unpoisoned(self.scope_uses.lock()).whole).0,
            },
            strings: match strings {
                Some(strings) => Arc::new(strings.texts()),
                None => Arc::new(Vec::<String>::new()),
            },
            dominators: None,
        }
    }
}

fn number<T: Value>(column: &Column<T>, row: usize) -> i32 {
    column.get(row).and_then(|value| i32::try_from(value).ok()).unwrap_or(0)
}

/// A number whose negative values are written as unsigned ones.
fn wrapped<T: Value>(column: &Column<T>, row: usize) -> i32 {
    column.get(row).and_then(|value| i32::try_from(unwrapped(value)).ok()).unwrap_or(0)
}

/// The first edge of each node, from the edge counts, which may be wrong.
fn starts(mut counts: Packed, edges: u64) -> Packed {
    let mut sum = 0u64;
    for node in 0..counts.len() {
        let count = counts.get(node);
        counts.set(node, sum);
        sum = sum.saturating_add(count).min(edges);
    }
    counts.push(sum);
    counts
}

pub(crate) fn converted<T: Value, U: Copy>(
    column: &Column<T>,
    rows: usize,
    none: U,
    convert: impl Fn(i64) -> U,
) -> Vec<U> {
    let mut values: Vec<U> = column.values.iter().map(|&value| convert(value.into())).collect();
    column.nulls.iter().for_each(|&row| values[row as usize] = none);
    values.resize(rows, none);
    values
}

pub(crate) fn small<T: Value>(column: &Column<T>, rows: usize, none: u8) -> Vec<u8> {
    converted(column, rows, none, |value| u8::try_from(value).unwrap_or(none))
}

pub(crate) fn narrow<T: Value>(column: &Column<T>, rows: usize) -> Vec<u32> {
    converted(column, rows, NO_POSITION, |value| u32::try_from(value).unwrap_or(NO_POSITION))
}

fn names<T: Value>(column: &Column<T>, rows: usize) -> Vec<StringIndex> {
    let name = |value| u32::try_from(value).map_or(NO_STRING, StringIndex);
    converted(column, rows, NO_STRING, name)
}

fn target(reference: i64, width: u64) -> NodeIndex {
    let reference = reference as u64;
    let node = reference / width;
    if reference.is_multiple_of(width) {
        u32::try_from(node).map_or(NO_NODE, NodeIndex)
    } else {
        NO_NODE
    }
}

fn targets<T: Value, const W: u64>(column: &Column<T>, rows: usize) -> Vec<NodeIndex> {
    converted(column, rows, NO_NODE, |value| target(value, W))
}

/// Negative sizes and counts become `none`.
pub(crate) fn packed<T: Value>(column: &Column<T>, rows: usize, none: i64) -> Packed {
    if column.is_whole(rows)
        && let Some(values) = T::narrow(&column.values)
    {
        return Packed::Narrow(values.to_vec());
    }
    let least = if none < 0 { i64::MIN } else { 0 };
    let value = |row| column.get(row).unwrap_or(none).max(least) as u64;
    (0..rows).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_follow_from_counts_as_far_as_there_are_edges() {
        for (counts, edges, expected) in [
            (&[2, 0, 3][..], 5, &[0, 2, 2, 5][..]),
            (&[2, 0, 3], 9, &[0, 2, 2, 5]),
            (&[2, 0, 3], 4, &[0, 2, 2, 4]),
            (&[u64::MAX, 7, u64::MAX], 4, &[0, 4, 4, 4]),
            (&[], 4, &[0]),
        ] {
            let found = starts(counts.iter().copied().collect(), edges);
            assert_eq!(found.iter().collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn parts_are_joined_in_order() {
        let codes = NameCodes::default();
        let part = |targets: &[u32]| EdgePart {
            types: vec![0; targets.len()],
            names: codes.encode(targets.into()),
            targets: targets.iter().copied().map(NodeIndex).collect(),
        };
        let mut edges = InOrder::<EdgeColumns>::default();
        edges.add(5..7, part(&[6, 7]));
        edges.add(2..5, part(&[3, 4, 5]));
        assert!(edges.whole.targets.is_empty());
        edges.add(0..2, part(&[1, 2]));
        let names = edges.whole.names.finish();
        assert!(names.of(0..7).eq(1..8));
        assert_eq!(edges.whole.targets, [1, 2, 3, 4, 5, 6, 7].map(NodeIndex));
    }
}
