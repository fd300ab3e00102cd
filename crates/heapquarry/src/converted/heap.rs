//! Loads a heap from the tables of a converted directory.

use super::tables::{open, text};
use crate::{Result, memory};
use arrow_array::{
    Array, RecordBatch, StringArray,
    cast::AsArray,
    types::{Int32Type, Int64Type},
};
use heapquarry_graph::{
    HeapParts, Locations, NodeIndex, NodeType, Nodes, Packed, Place, Places, ScopeRecord,
    ScopeRecords, ScopeUse, StringIndex, Strings,
};
use heapquarry_sink::TableReader;
use heapquarry_tables::{
    JS_HEAP_EDGES, JS_HEAP_FILES, JS_HEAP_INFO, JS_HEAP_LOCATION, JS_HEAP_NODES, JS_HEAP_SCOPE,
    JS_HEAP_SCOPE_CONTEXT_VAR, JS_HEAP_SCOPE_USE, JS_HEAP_STRING, Table,
};
use std::{collections::HashMap, sync::Arc};

/// Marks a missing name or index.
const NONE: u32 = u32::MAX;
/// Marks a missing target.
const NO_NODE: NodeIndex = NodeIndex(NONE);
/// Marks a type that does not fit.
const NO_TYPE: u8 = u8::MAX;

/// The columns of a heap that this producer wrote.
pub(super) fn parts(tables: super::Tables<'_>, producer: Option<&str>) -> Result<HeapParts> {
    let tables = Tables(tables);
    let header = tables.header()?;
    let counts = [header.nodes, header.edges];
    memory::check(tables.0.dir, counts, false, tables.0.run)?;
    let nodes = tables.nodes(&header)?;
    let mut edges = tables.edges(&header, &nodes)?;
    let places = tables.places(&header, &nodes)?;
    let scopes = tables.scopes()?;
    let strings: Arc<dyn Strings> = Arc::new(tables.strings()?);
    let has_native_sizes = nodes.native_sizes.is_some();
    let is_ark = producer == Some("ark");
    let numbered = header.edge_types.iter().map(|name| match (is_ark, name.as_str()) {
        // ArkTS serialised every edge by its name up to 4.0, and elements by their index since then.
        (true, name) => has_native_sizes && name == "element",
        (false, name) => name == "element" || name == "hidden",
    });
    let mut starts = Packed::with_capacity(nodes.types.len() + 1);
    let mut sum = 0u64;
    // What is left belongs to the nodes that damage has taken: the first of them stands for all.
    let all = edges.targets.len() as u64;
    let left = all.saturating_sub(nodes.edge_counts.iter().fold(0, u64::saturating_add));
    for (node, count) in nodes.edge_counts.iter().enumerate() {
        starts.push(sum);
        if nodes.lost == Some(node) {
            let theirs = sum as usize..sum.saturating_add(left).min(all) as usize;
            sum = theirs.end as u64;
            // Nothing is known of their owners, so they lead from nowhere.
            edges.targets[theirs].fill(NO_NODE);
        }
        sum = sum.saturating_add(count).min(all);
    }
    starts.push(sum);
    Ok(HeapParts {
        numbered: numbered.collect(),
        node_type_names: header.node_types,
        edge_type_names: header.edge_types,
        node_types: nodes.types,
        node_names: nodes.names,
        node_ids: nodes.ids,
        self_sizes: nodes.self_sizes,
        native_sizes: nodes.native_sizes,
        detachedness: nodes.detachedness,
        edge_starts: starts,
        edge_types: edges.types,
        edge_names: edges.names,
        edge_targets: edges.targets,
        root: u32::try_from(header.root).map_or(NO_NODE, NodeIndex),
        extra_native_bytes: header.extra_native_bytes,
        places,
        scopes,
        strings,
    })
}

#[derive(Default)]
struct Header {
    node_types: Vec<String>,
    edge_types: Vec<String>,
    extra_native_bytes: u64,
    root: i64,
    /// How many were read.
    nodes: u64,
    edges: u64,
}

#[derive(Default)]
struct NodeColumns {
    types: Vec<u8>,
    names: Vec<StringIndex>,
    ids: Packed,
    self_sizes: Packed,
    edge_counts: Packed,
    detachedness: Option<Vec<u8>>,
    native_sizes: Option<Packed>,
    /// The first node without an edge count.
    lost: Option<usize>,
}

#[derive(Default)]
struct EdgeColumns {
    types: Vec<u8>,
    names: Vec<u32>,
    targets: Vec<NodeIndex>,
}

/// The tables of one document.
struct Tables<'a>(super::Tables<'a>);

impl Tables<'_> {
    /// Reads the named columns of a table and passes each batch to `convert`.
    fn each<T: Send>(
        &self,
        table: &'static Table,
        columns: &[&str],
        convert: impl Fn(RecordBatch) -> T + Sync,
        take: impl FnMut(T) + Send,
    ) -> Result<()> {
        let convert = |batch: RecordBatch| {
            let named: Vec<usize> = (1..batch.num_columns()).collect();
            convert(batch.project(&named).expect("they are there"))
        };
        self.0.each(table, columns, convert, take)
    }

    fn header(&self) -> Result<Header> {
        let mut header = Header::default();
        let columns = ["node_count", "edge_count", "extra_native_bytes", "root_node_index"];
        self.each(
            &JS_HEAP_FILES,
            &columns,
            |batch| batch,
            |batch| {
                let value =
                    |column: usize| batch.column(column).as_primitive::<Int64Type>().value(0);
                [header.nodes, header.edges] = [0, 1].map(|column| value(column).max(0) as u64);
                header.extra_native_bytes =
                    if batch.column(2).is_null(0) { 0 } else { value(2).max(0) as u64 };
                header.root = value(3);
            },
        )?;
        let columns = ["key", "type", "str_value", "ordinal"];
        self.each(
            &JS_HEAP_INFO,
            &columns,
            |batch| batch,
            |batch| {
                for row in 0..batch.num_rows() {
                    let number = |c: usize| batch.column(c).as_primitive::<Int32Type>().value(row);
                    let (key, name) =
                        (text(&batch, 0, row), text(&batch, 2, row).unwrap_or_default());
                    let list = match key.as_deref() {
                        Some("node_types") if number(1) == 0 => &mut header.node_types,
                        Some("edge_types") if number(1) == 0 => &mut header.edge_types,
                        _ => continue,
                    };
                    let at = number(3).max(0) as usize;
                    // Edges are written in this order.
                    if at == list.len() {
                        list.push(name);
                    }
                }
            },
        )?;
        Ok(header)
    }

    fn nodes(&self, header: &Header) -> Result<NodeColumns> {
        let mut nodes = NodeColumns::default();
        let columns =
            ["type", "name_id", "id", "self_size", "edge_count", "detachedness", "native_size"];
        let convert = |batch: RecordBatch| NodeColumns {
            types: types(&batch, 0, &header.node_types),
            names: small(&batch, 1).into_iter().map(StringIndex).collect(),
            ids: wide(&batch, 2, Nodes::NO_ID),
            self_sizes: wide(&batch, 3, 0),
            edge_counts: small(&batch, 4)
                .into_iter()
                .map(|n| u64::from(n) * u64::from(n != NONE))
                .collect(),
            detachedness: given(&batch, 5).then(|| {
                small(&batch, 5).into_iter().map(|state| u8::try_from(state).unwrap_or(0)).collect()
            }),
            native_sizes: given(&batch, 6).then(|| wide(&batch, 6, 0)),
            lost: batch.column(4).nulls().and_then(|nulls| nulls.iter().position(|valid| !valid)),
        };
        self.each(&JS_HEAP_NODES, &columns, convert, |part| {
            nodes.lost = nodes.lost.or(part.lost.map(|row| nodes.types.len() + row));
            nodes.types.extend_from_slice(&part.types);
            nodes.names.extend_from_slice(&part.names);
            nodes.ids.append(&part.ids);
            nodes.self_sizes.append(&part.self_sizes);
            nodes.edge_counts.append(&part.edge_counts);
            if let Some(states) = part.detachedness {
                let all = nodes.detachedness.get_or_insert_default();
                all.resize(nodes.types.len() - states.len(), 0);
                all.extend(states);
            }
            if let Some(sizes) = part.native_sizes {
                let all = nodes.native_sizes.get_or_insert_default();
                (all.len()..nodes.types.len() - sizes.len()).for_each(|_| all.push(0));
                all.append(&sizes);
            }
        })?;
        let rows = nodes.types.len();
        if let Some(states) = &mut nodes.detachedness {
            states.resize(rows, 0);
        }
        if let Some(sizes) = &mut nodes.native_sizes {
            (sizes.len()..rows).for_each(|_| sizes.push(0));
        }
        Ok(nodes)
    }

    fn edges(&self, header: &Header, nodes: &NodeColumns) -> Result<EdgeColumns> {
        let mut edges = EdgeColumns::default();
        let count: u64 = nodes.edge_counts.iter().sum();
        let count = count.min(open(self.0.dir, &JS_HEAP_EDGES)?.rows()) as usize;
        edges.types.reserve_exact(count);
        edges.names.reserve_exact(count);
        edges.targets.reserve_exact(count);
        let by_id = ById::new(&nodes.ids);
        let convert = |batch: RecordBatch| EdgeColumns {
            types: types(&batch, 0, &header.edge_types),
            names: numbers(&batch, 1, |number| u32::try_from(number).unwrap_or(NONE), NONE),
            targets: numbers(&batch, 2, |id| by_id.node(id), NO_NODE),
        };
        let columns = ["type", "name_or_index", "to_node_id"];
        self.each(&JS_HEAP_EDGES, &columns, convert, |part| {
            edges.types.extend_from_slice(&part.types);
            edges.names.extend_from_slice(&part.names);
            edges.targets.extend_from_slice(&part.targets);
        })?;
        Ok(edges)
    }

    fn places(&self, header: &Header, nodes: &NodeColumns) -> Result<Places> {
        let mut places = Places::default();
        let columns = ["node_index", "script_id", "line_number", "column_number"];
        let has_place = |node: NodeIndex| {
            let kind = nodes.types.get(node.position()).map(|&kind| usize::from(kind));
            let name = kind.and_then(|kind| header.node_types.as_slice().get(kind));
            name.is_some_and(|name| NodeType::by_name(name).has_place())
        };
        let convert = |batch: RecordBatch| {
            let node = batch.column(0).as_primitive::<Int64Type>();
            let number = |column: usize, row: usize| {
                let column = batch.column(column).as_primitive::<Int32Type>();
                if column.is_null(row) { 0 } else { column.value(row) }
            };
            let rows = (0..batch.num_rows()).filter(|&row| !node.is_null(row));
            let found = rows.filter_map(|row| {
                let node = u32::try_from(node.value(row)).ok().map(NodeIndex);
                let node = node.filter(|&node| has_place(node))?;
                let [script_id, line, column] = [1, 2, 3].map(|column| number(column, row));
                Some((node, Place { script_id, line, column }))
            });
            found.collect::<Locations>()
        };
        self.each(&JS_HEAP_LOCATION, &columns, convert, |part| {
            places.add(&part, nodes.types.len());
        })?;
        Ok(places)
    }

    /// The scopes of scripts. Directories of older versions do not have them.
    fn scopes(&self) -> Result<ScopeRecords> {
        let mut scopes = ScopeRecords::default();
        if TableReader::open(self.0.dir, &JS_HEAP_SCOPE)?.is_none() {
            return Ok(scopes);
        }
        let convert = |batch: RecordBatch| {
            let script =
                numbers(&batch, 0, |node| u32::try_from(node).map_or(NO_NODE, NodeIndex), NO_NODE);
            let [depths, variables, uses] = [2, 3, 4].map(|column| small(&batch, column));
            let count = |n: u32| if n == NONE { 0 } else { n };
            let record = |row: usize| ScopeRecord {
                script: script[row],
                id: signed(&batch, 1, row),
                depth: count(depths[row]),
                variables: count(variables[row]),
                uses: count(uses[row]),
            };
            (0..batch.num_rows()).map(record).collect::<Vec<_>>()
        };
        let columns = ["script_node_index", "scope_id", "depth", "context_var_count", "use_count"];
        self.each(&JS_HEAP_SCOPE, &columns, convert, |part| scopes.scopes.extend(part))?;
        let convert = |batch: RecordBatch| small(&batch, 0);
        self.each(&JS_HEAP_SCOPE_CONTEXT_VAR, &["name_id"], convert, |part| {
            scopes.variables.extend(part.into_iter().map(StringIndex));
        })?;
        let convert = |batch: RecordBatch| {
            let slots = small(&batch, 1);
            let one =
                |row: usize| ScopeUse { declaring_id: signed(&batch, 0, row), slot: slots[row] };
            (0..batch.num_rows()).map(one).collect::<Vec<_>>()
        };
        let columns = ["declaring_scope_id", "slot_index"];
        self.each(&JS_HEAP_SCOPE_USE, &columns, convert, |part| scopes.uses.extend(part))?;
        Ok(scopes)
    }

    fn strings(&self) -> Result<Texts> {
        let mut texts = Texts::default();
        let convert = |batch: RecordBatch| batch.column(0).as_string::<i32>().clone();
        self.each(&JS_HEAP_STRING, &["string"], convert, |part| texts.push(part))?;
        Ok(texts)
    }
}

/// Whether any row has a value. A field that the file did not have is null in all rows.
fn given(batch: &RecordBatch, column: usize) -> bool {
    batch.column(column).null_count() < batch.num_rows()
}

/// Type numbers of labels. A label that the file does not declare is the number itself.
fn types(batch: &RecordBatch, column: usize, names: &[String]) -> Vec<u8> {
    let labels = batch.column(column).as_dictionary::<Int32Type>();
    let number = |label: &str| {
        let named = names.iter().position(|name| name == label);
        let number = named.or_else(|| label.parse().ok());
        number.and_then(|number| u8::try_from(number).ok()).unwrap_or(NO_TYPE)
    };
    let values = labels.values().as_string::<i32>();
    let numbers: Vec<u8> = values.iter().map(|label| label.map_or(NO_TYPE, number)).collect();
    let keys = labels.keys();
    let number = |key: Option<i32>| {
        key.and_then(|key| numbers.get(key as usize)).copied().unwrap_or(NO_TYPE)
    };
    keys.iter().map(number).collect()
}

/// A number of an INT32 column; 0 for NULL.
fn signed(batch: &RecordBatch, column: usize, row: usize) -> i32 {
    let values = batch.column(column).as_primitive::<Int32Type>();
    if values.is_null(row) { 0 } else { values.value(row) }
}

/// Non-negative numbers of an INT32 column.
fn small(batch: &RecordBatch, column: usize) -> Vec<u32> {
    let values = batch.column(column).as_primitive::<Int32Type>();
    let number = |value: Option<i32>| value.and_then(|v| u32::try_from(v).ok()).unwrap_or(NONE);
    values.iter().map(number).collect()
}

/// Numbers of an INT64 column. Negative sizes count as `none`.
fn wide(batch: &RecordBatch, column: usize, none: i64) -> Packed {
    let least = if none < 0 { i64::MIN } else { 0 };
    let values = batch.column(column).as_primitive::<Int64Type>().iter();
    values.map(|value| value.unwrap_or(none).max(least) as u64).collect()
}

fn numbers<T: Copy>(
    batch: &RecordBatch,
    column: usize,
    convert: impl Fn(i64) -> T,
    none: T,
) -> Vec<T> {
    let values = batch.column(column).as_primitive::<Int64Type>();
    if values.null_count() == 0 {
        return values.values().iter().map(|&value| convert(value)).collect();
    }
    values.iter().map(|value| value.map_or(none, &convert)).collect()
}

/// Finds nodes by id. If several share an id, the first is found.
enum ById {
    /// Ids are small: a list with an entry for each possible id.
    Dense(Vec<NodeIndex>),
    Sparse(HashMap<i64, NodeIndex>),
}

impl ById {
    fn new(ids: &Packed) -> Self {
        let nodes = ids.len();
        let largest = ids.iter().max().unwrap_or(0);
        // Even then the list is smaller than a map would be.
        if largest < 8 * nodes as u64 + 1024 {
            let mut list = vec![NO_NODE; largest as usize + 1];
            for node in (0..nodes).rev() {
                list[ids.get(node) as usize] = NodeIndex::at(node);
            }
            return ById::Dense(list);
        }
        let mut map = HashMap::with_capacity(nodes);
        for node in 0..nodes {
            map.entry(ids.get(node) as i64).or_insert(NodeIndex::at(node));
        }
        ById::Sparse(map)
    }

    fn node(&self, id: i64) -> NodeIndex {
        match self {
            ById::Dense(list) => {
                let at = usize::try_from(id).ok();
                at.and_then(|at| list.get(at)).copied().unwrap_or(NO_NODE)
            }
            ById::Sparse(map) => map.get(&id).copied().unwrap_or(NO_NODE),
        }
    }
}

/// Strings, in the batches they were read in.
#[derive(Debug, Default)]
struct Texts {
    parts: Vec<StringArray>,
    /// Index of the first string of each part.
    starts: Vec<usize>,
    len: usize,
}

impl Texts {
    fn push(&mut self, part: StringArray) {
        self.starts.push(self.len);
        self.len += part.len();
        self.parts.push(part);
    }
}

impl Strings for Texts {
    fn len(&self) -> usize {
        self.len
    }

    fn get(&self, index: StringIndex) -> &str {
        let index = index.position();
        if index >= self.len {
            return "";
        }
        let part = self.starts.partition_point(|&start| start <= index) - 1;
        self.parts[part].value(index - self.starts[part])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_found_by_dense_and_by_sparse_ids() {
        for ids in [vec![1, 3, 5, 3], vec![1, 1 << 40, 5, 1 << 40], vec![7, Nodes::NO_ID as u64]] {
            let by_id = ById::new(&ids.iter().copied().collect());
            for &id in &ids {
                let first = ids.iter().position(|other| *other == id).unwrap();
                assert_eq!(by_id.node(id as i64), NodeIndex::at(first));
            }
            assert_eq!(by_id.node(2), NO_NODE);
            assert_eq!(by_id.node(-1), NO_NODE);
        }
    }
}
