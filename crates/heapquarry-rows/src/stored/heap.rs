//! The columns of a heap, as its sections give them, from its tables.

use super::{Columns, StoredTables};
use arrow_array::{
    Array, ArrowPrimitiveType, DictionaryArray, Int32Array, Int64Array, PrimitiveArray,
    StringArray, cast::AsArray, types::Int32Type,
};
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use heapquarry_graph::{
    EdgeNamesBuilder, HeapParts, Locations, NameCodes, NodeIndex, NodeType, Nodes, Packed, Place,
    Places, ScopeRecord, ScopeRecords, ScopeUse, StringIndex, Strings,
};
use heapquarry_tables::{
    JS_HEAP_ANALYSIS, JS_HEAP_EDGES, JS_HEAP_FILES, JS_HEAP_INFO, JS_HEAP_LOCATION, JS_HEAP_NODES,
    JS_HEAP_SCOPE, JS_HEAP_SCOPE_CONTEXT_VAR, JS_HEAP_SCOPE_USE, JS_HEAP_STRING, Table,
    js_heap_analysis, js_heap_edges, js_heap_files, js_heap_info, js_heap_location, js_heap_nodes,
    js_heap_scope, js_heap_scope_context_var, js_heap_scope_use, js_heap_string,
};
use std::sync::Arc;

/// Marks a missing name or index.
const NONE: u32 = u32::MAX;
/// Marks a missing target.
const NO_NODE: NodeIndex = NodeIndex(NONE);
/// Marks a type that does not fit.
const NO_TYPE: u8 = u8::MAX;

/// The table of dominators, and those that they follow from. Whether an edge holds what it leads to depends on types,
/// and for some edges on names: so strings are among them.
static DOMINATORS: [&Table; 6] = [
    &JS_HEAP_EDGES,
    &JS_HEAP_ANALYSIS,
    &JS_HEAP_NODES,
    &JS_HEAP_STRING,
    &JS_HEAP_FILES,
    &JS_HEAP_INFO,
];

/// The columns of a heap that this producer wrote. `check` gets the numbers of nodes and edges, before they are read.
///
/// # Errors
/// If tables are missing or cannot be read; the error of `check`.
pub fn parts<S: StoredTables>(
    tables: &S,
    producer: Option<&str>,
    check: impl FnOnce(u64, u64) -> Result<(), S::Error>,
) -> Result<HeapParts, S::Error> {
    let tables = Tables(tables);
    let header = tables.header()?;
    check(header.nodes, header.edges)?;
    let nodes = tables.nodes(&header)?;
    let by_id = ById::new(&nodes.ids);
    let mut edges = tables.edges(&header, &nodes, &by_id)?;
    let dominators = tables.dominators(&nodes, &by_id)?;
    drop(by_id);
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
        edge_names: edges.names.finish(),
        edge_targets: edges.targets,
        root: u32::try_from(header.root).map_or(NO_NODE, NodeIndex),
        extra_native_bytes: header.extra_native_bytes,
        places,
        scopes,
        strings,
        dominators,
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
struct EdgeColumns<N = EdgeNamesBuilder> {
    types: Vec<u8>,
    names: N,
    targets: Vec<NodeIndex>,
}

/// The tables of one document.
struct Tables<'a, S>(&'a S);

impl<S: StoredTables> Tables<'_, S> {
    /// Reads the named columns of a table and passes those of each batch to `convert`.
    fn each<T: Send>(
        &self,
        table: &'static Table,
        columns: &[&str],
        convert: impl Fn(Columns<'_>) -> T + Sync,
        take: impl FnMut(T) + Send,
    ) -> Result<(), S::Error> {
        self.0.each(table, columns, |batch| convert(Columns(&batch)), take)
    }

    fn header(&self) -> Result<Header, S::Error> {
        let mut header = Header::default();
        self.totals(&mut header)?;
        self.type_names(&mut header)?;
        Ok(header)
    }

    fn totals(&self, header: &mut Header) -> Result<(), S::Error> {
        use js_heap_files::NAMES;
        let columns =
            [NAMES.node_count, NAMES.edge_count, NAMES.extra_native_bytes, NAMES.root_node_index];
        let convert = |columns: Columns<'_>| {
            let count = |name| columns.int64s(name).value(0).max(0) as u64;
            let extra = columns.ints(NAMES.extra_native_bytes)(0);
            Header {
                nodes: count(NAMES.node_count),
                edges: count(NAMES.edge_count),
                extra_native_bytes: extra.map_or(0, |bytes| bytes.max(0) as u64),
                root: columns.int64s(NAMES.root_node_index).value(0),
                ..Header::default()
            }
        };
        self.each(&JS_HEAP_FILES, &columns, convert, |totals| *header = totals)
    }

    fn type_names(&self, header: &mut Header) -> Result<(), S::Error> {
        use js_heap_info::NAMES;
        let columns = [NAMES.key, NAMES.r#type, NAMES.str_value, NAMES.ordinal];
        let convert = |columns: Columns<'_>| {
            let [keys, names] = [NAMES.key, NAMES.str_value].map(|name| columns.texts(name));
            let [types, places] = [NAMES.r#type, NAMES.ordinal].map(|name| columns.int32s(name));
            let rows = (0..types.len()).filter(|&row| types.value(row) == 0);
            let named = rows.filter_map(|row| {
                let is_of_nodes = match keys.get(row)? {
                    "node_types" => true,
                    "edge_types" => false,
                    _ => return None,
                };
                let at = places.value(row).max(0) as usize;
                Some((is_of_nodes, at, names.owned(row).unwrap_or_default()))
            });
            named.collect::<Vec<_>>()
        };
        self.each(&JS_HEAP_INFO, &columns, convert, |named| {
            for (is_of_nodes, at, name) in named {
                let Header { node_types, edge_types, .. } = header;
                let list = if is_of_nodes { node_types } else { edge_types };
                // Edges are written in this order.
                if at == list.len() {
                    list.push(name);
                }
            }
        })
    }

    fn nodes(&self, header: &Header) -> Result<NodeColumns, S::Error> {
        use js_heap_nodes::NAMES;
        let mut nodes = NodeColumns::default();
        let count = header.nodes.min(self.0.row_count(&JS_HEAP_NODES)?) as usize;
        // As of edges.
        let _ = nodes.types.try_reserve_exact(count);
        let _ = nodes.names.try_reserve_exact(count);
        for list in [&mut nodes.ids, &mut nodes.self_sizes, &mut nodes.edge_counts] {
            let _ = list.try_reserve_exact(count);
        }
        let columns = [
            NAMES.r#type,
            NAMES.name_id,
            NAMES.id,
            NAMES.self_size,
            NAMES.edge_count,
            NAMES.detachedness,
            NAMES.native_size,
        ];
        let convert = |columns: Columns<'_>| {
            let edge_counts = columns.int32s(NAMES.edge_count);
            let states = columns.int32s(NAMES.detachedness);
            let native_sizes = columns.int64s(NAMES.native_size);
            let state = |state| u8::try_from(state).unwrap_or(0);
            NodeColumns {
                types: types(columns.labels(NAMES.r#type), &header.node_types),
                names: small(columns.int32s(NAMES.name_id)).into_iter().map(StringIndex).collect(),
                ids: wide(columns.int64s(NAMES.id), Nodes::NO_ID),
                self_sizes: wide(columns.int64s(NAMES.self_size), 0),
                edge_counts: small(edge_counts)
                    .into_iter()
                    .map(|n| u64::from(n) * u64::from(n != NONE))
                    .collect(),
                detachedness: given(states).then(|| small(states).into_iter().map(state).collect()),
                native_sizes: given(native_sizes).then(|| wide(native_sizes, 0)),
                lost: edge_counts.nulls().and_then(|nulls| nulls.iter().position(|valid| !valid)),
            }
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

    fn edges(
        &self,
        header: &Header,
        nodes: &NodeColumns,
        by_id: &ById,
    ) -> Result<EdgeColumns, S::Error> {
        use js_heap_edges::NAMES;
        let mut edges: EdgeColumns = EdgeColumns::default();
        let count: u64 = nodes.edge_counts.iter().sum();
        let count = count.min(self.0.row_count(&JS_HEAP_EDGES)?) as usize;
        // The directory says how many they are, and need not be right. Where that is too much, lists grow as they are
        // read.
        let _ = edges.types.try_reserve_exact(count);
        edges.names.expect(count);
        let _ = edges.targets.try_reserve_exact(count);
        let index = |number| u32::try_from(number).unwrap_or(NONE);
        let codes = NameCodes::default();
        codes.expect(count);
        let convert = |columns: Columns<'_>| {
            let names: Vec<u32> = numbers(columns.int64s(NAMES.name_or_index), index, NONE);
            EdgeColumns {
                types: types(columns.labels(NAMES.r#type), &header.edge_types),
                names: codes.encode(names),
                targets: numbers(columns.int64s(NAMES.to_node_id), |id| by_id.node(id), NO_NODE),
            }
        };
        let columns = [NAMES.r#type, NAMES.name_or_index, NAMES.to_node_id];
        self.each(&JS_HEAP_EDGES, &columns, convert, |part| {
            edges.types.extend_from_slice(&part.types);
            edges.names.append(part.names, &codes);
            edges.targets.extend_from_slice(&part.targets);
        })?;
        Ok(edges)
    }

    /// The dominator of each node, if it was stored and is surely the one that an analysis would find. The conversion
    /// found them in the graph that these tables are of, whatever its options were: redaction comes before both, and
    /// names of source maps after both.
    fn dominators(
        &self,
        nodes: &NodeColumns,
        by_id: &ById,
    ) -> Result<Option<Vec<NodeIndex>>, S::Error> {
        use js_heap_analysis::NAMES;
        if !self.0.has_columns(&JS_HEAP_ANALYSIS, &[NAMES.dominator_id])?
            || !by_id.are_distinct(&nodes.ids)
            || !self.0.are_unchanged(&DOMINATORS)
        {
            return Ok(None);
        }
        let nodes = nodes.types.len();
        let mut dominators = Vec::new();
        let _ = dominators.try_reserve_exact(nodes);
        let convert = |columns: Columns<'_>| -> Vec<NodeIndex> {
            numbers(columns.int64s(NAMES.dominator_id), |id| by_id.node(id), NO_NODE)
        };
        self.each(&JS_HEAP_ANALYSIS, &[NAMES.dominator_id], convert, |part| {
            dominators.extend_from_slice(&part);
        })?;
        Ok((dominators.len() == nodes && !dominators.contains(&NO_NODE)).then_some(dominators))
    }

    fn places(&self, header: &Header, nodes: &NodeColumns) -> Result<Places, S::Error> {
        use js_heap_location::NAMES;
        let mut places = Places::default();
        let columns = [NAMES.node_index, NAMES.script_id, NAMES.line_number, NAMES.column_number];
        let has_place = |node: NodeIndex| {
            let kind = nodes.types.get(node.position()).map(|&kind| usize::from(kind));
            let name = kind.and_then(|kind| header.node_types.as_slice().get(kind));
            name.is_some_and(|name| NodeType::by_name(name).has_place())
        };
        let convert = |columns: Columns<'_>| {
            let node = columns.ints(NAMES.node_index);
            let [scripts, lines, places] =
                [NAMES.script_id, NAMES.line_number, NAMES.column_number]
                    .map(|name| columns.int32s(name));
            let found = (0..scripts.len()).filter_map(|row| {
                let node = u32::try_from(node(row)?).ok().map(NodeIndex);
                let node = node.filter(|&node| has_place(node))?;
                let [script_id, line, column] = [scripts, lines, places].map(|of| signed(of, row));
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
    fn scopes(&self) -> Result<ScopeRecords, S::Error> {
        let mut scopes = ScopeRecords::default();
        if !self.0.has(&JS_HEAP_SCOPE)? {
            return Ok(scopes);
        }
        self.scope_records(&mut scopes)?;
        let name = js_heap_scope_context_var::NAMES.name_id;
        let convert = |columns: Columns<'_>| small(columns.int32s(name));
        self.each(&JS_HEAP_SCOPE_CONTEXT_VAR, &[name], convert, |part| {
            scopes.variables.extend(part.into_iter().map(StringIndex));
        })?;
        use js_heap_scope_use::NAMES;
        let convert = |columns: Columns<'_>| {
            let declaring = columns.int32s(NAMES.declaring_scope_id);
            let slots = small(columns.int32s(NAMES.slot_index)).into_iter().enumerate();
            let uses =
                slots.map(|(row, slot)| ScopeUse { declaring_id: signed(declaring, row), slot });
            uses.collect::<Vec<_>>()
        };
        let columns = [NAMES.declaring_scope_id, NAMES.slot_index];
        self.each(&JS_HEAP_SCOPE_USE, &columns, convert, |part| scopes.uses.extend(part))?;
        Ok(scopes)
    }

    fn scope_records(&self, scopes: &mut ScopeRecords) -> Result<(), S::Error> {
        use js_heap_scope::NAMES;
        let convert = |columns: Columns<'_>| {
            let index = |node| u32::try_from(node).map_or(NO_NODE, NodeIndex);
            let scripts: Vec<NodeIndex> =
                numbers(columns.int64s(NAMES.script_node_index), index, NO_NODE);
            let ids = columns.int32s(NAMES.scope_id);
            let [depths, variables, uses] = [NAMES.depth, NAMES.context_var_count, NAMES.use_count]
                .map(|name| small(columns.int32s(name)));
            let count = |n: u32| if n == NONE { 0 } else { n };
            let record = |row: usize| ScopeRecord {
                script: scripts[row],
                id: signed(ids, row),
                depth: count(depths[row]),
                variables: count(variables[row]),
                uses: count(uses[row]),
            };
            (0..scripts.len()).map(record).collect::<Vec<_>>()
        };
        let columns = [
            NAMES.script_node_index,
            NAMES.scope_id,
            NAMES.depth,
            NAMES.context_var_count,
            NAMES.use_count,
        ];
        self.each(&JS_HEAP_SCOPE, &columns, convert, |part| scopes.scopes.extend(part))
    }

    fn strings(&self) -> Result<Texts, S::Error> {
        let name = js_heap_string::NAMES.string;
        let mut texts = Texts::default();
        let convert = |columns: Columns<'_>| columns.array(name).as_string::<i32>().clone();
        self.each(&JS_HEAP_STRING, &[name], convert, |part| texts.push(part))?;
        Ok(texts)
    }
}

/// Whether any row has a value. A field that the file did not have is null in all rows.
fn given(values: &impl Array) -> bool {
    values.null_count() < values.len()
}

/// Type numbers of labels. A label that the file does not declare is the number itself.
fn types(labels: &DictionaryArray<Int32Type>, names: &[String]) -> Vec<u8> {
    let number = |label: &str| {
        let named = names.iter().position(|name| name == label);
        let number = named.or_else(|| label.parse().ok());
        number.and_then(|number| u8::try_from(number).ok()).unwrap_or(NO_TYPE)
    };
    let values = labels.values().as_string::<i32>();
    let known: Vec<u8> = values.iter().map(|label| label.map_or(NO_TYPE, number)).collect();
    let number = |key: i32| known.get(key as usize).copied().unwrap_or(NO_TYPE);
    numbers(labels.keys(), number, NO_TYPE)
}

/// A number of an INT32 column; 0 for NULL.
fn signed(values: &Int32Array, row: usize) -> i32 {
    if values.is_null(row) { 0 } else { values.value(row) }
}

/// Non-negative numbers of an INT32 column.
fn small(values: &Int32Array) -> Vec<u32> {
    numbers(values, |value| u32::try_from(value).unwrap_or(NONE), NONE)
}

/// Numbers of an INT64 column. Negative sizes count as `none`.
fn wide(values: &Int64Array, none: i64) -> Packed {
    let least = if none < 0 { i64::MIN } else { 0 };
    numbers(values, |value| value.max(least) as u64, none.max(least) as u64)
}

/// Each number converted, and `none` for NULL.
fn numbers<P: ArrowPrimitiveType, T: Copy, L: FromIterator<T>>(
    values: &PrimitiveArray<P>,
    convert: impl Fn(P::Native) -> T,
    none: T,
) -> L {
    // Most columns have no NULL, and some are nearly all of the heap.
    match values.null_count() {
        0 => values.values().iter().map(|&value| convert(value)).collect(),
        _ => values.iter().map(|value| value.map_or(none, &convert)).collect(),
    }
}

/// Finds nodes by id. If several share an id, the first is found.
struct ById {
    /// The node of each id that is small: V8 counts up.
    small: Vec<NodeIndex>,
    /// The nodes of others: up to Node 20, V8 made ids of nodes outside of its heap from addresses.
    others: HashMap<u64, NodeIndex, RandomState>,
}

impl ById {
    fn new(ids: &Packed) -> Self {
        let mut by_bits = [0; u64::BITS as usize + 1];
        for id in ids.iter() {
            by_bits[(u64::BITS - id.leading_zeros()) as usize] += 1;
        }
        // Small are ids below the largest power of two of which an eighth is used. Even then the list is smaller than a
        // map would be.
        let (mut below, mut limit, mut larger) = (0u64, 0, ids.len());
        for (bits, count) in (0..u64::BITS).zip(by_bits) {
            below += count;
            if 1 << bits <= 8 * below + 1024 {
                limit = 1 << bits;
                larger = ids.len() - below as usize;
            }
        }
        let end = ids.iter().filter(|&id| id < limit).max().map_or(0, |largest| largest + 1);
        let mut small = vec![NO_NODE; end as usize];
        let mut others = HashMap::with_capacity_and_hasher(larger, RandomState::default());
        for node in (0..ids.len()).rev() {
            let id = ids.get(node);
            match small.get_mut(id as usize) {
                Some(found) if id < end => *found = NodeIndex::at(node),
                _ => drop(others.insert(id, NodeIndex::at(node))),
            }
        }
        Self { small, others }
    }

    /// Whether no two of the nodes, whose ids these are, share one.
    fn are_distinct(&self, ids: &Packed) -> bool {
        ids.iter().enumerate().all(|(node, id)| self.node(id as i64) == NodeIndex::at(node))
    }

    fn node(&self, id: i64) -> NodeIndex {
        let id = id as u64;
        let small = usize::try_from(id).ok().and_then(|id| self.small.get(id));
        small.or_else(|| self.others.get(&id)).copied().unwrap_or(NO_NODE)
    }
}

/// Strings, in the batches they were read in.
#[derive(Debug, Default)]
struct Texts {
    parts: Vec<StringArray>,
    /// Index of the first string of each part.
    starts: Vec<usize>,
    /// The part of the first of each so many strings.
    of_block: Vec<usize>,
    len: usize,
}

/// Strings of a block: less than most parts have.
const BLOCK: usize = 1024;

impl Texts {
    fn push(&mut self, part: StringArray) {
        self.starts.push(self.len);
        self.len += part.len();
        self.of_block.resize(self.len.div_ceil(BLOCK), self.parts.len());
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
        let block = index / BLOCK;
        let first = self.of_block[block];
        let last = self.of_block.get(block + 1).copied().unwrap_or(self.parts.len() - 1);
        let later = &self.starts[first + 1..=last];
        let part = first + later.partition_point(|&start| start <= index);
        self.parts[part].value(index - self.starts[part])
    }

    fn text_len(&self) -> u64 {
        let lens = |part: &StringArray| {
            let ends = part.value_offsets();
            ends.first().zip(ends.last()).map_or(0, |(start, end)| (end - start) as u64)
        };
        self.parts.iter().map(lens).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn nodes_are_found_by_small_and_by_other_ids() {
        let counted = |count: u64| (0..count).map(|node| 2 * node + 1);
        let table: [(Vec<u64>, usize); 6] = [
            (vec![1, 3, 5, 3], 6),
            (vec![1, 1 << 40, 5, 1 << 40], 6),
            (vec![7, Nodes::NO_ID as u64, u64::MAX - 1, 1 << 32], 8),
            (counted(10_000).chain([u64::from(u32::MAX), 1 << 31]).collect(), 20_000),
            ([1 << 31, 3].into_iter().chain(counted(10_000)).collect(), 20_000),
            (vec![], 0),
        ];
        for (ids, small) in table {
            let packed: Packed = ids.iter().copied().collect();
            let by_id = ById::new(&packed);
            assert_eq!(by_id.small.len(), small);
            for &id in &ids {
                let first = ids.iter().position(|other| *other == id).unwrap();
                assert_eq!(by_id.node(id as i64), NodeIndex::at(first));
            }
            let distinct: HashSet<_> = ids.iter().collect();
            assert_eq!(by_id.are_distinct(&packed), distinct.len() == ids.len());
            assert_eq!(by_id.node(2), NO_NODE);
            assert_eq!(by_id.node(-1), NO_NODE);
            assert_eq!(by_id.node(1 << 50), NO_NODE);
            assert_eq!(by_id.node(-1 << 62), NO_NODE);
        }
    }

    #[test]
    fn a_text_is_found_in_the_part_that_has_it() {
        for lens in [&[][..], &[0], &[3, 0, 2], &[BLOCK, BLOCK], &[1, BLOCK, 0, 1, BLOCK - 2, 5]] {
            let mut texts = Texts::default();
            let mut all = Vec::new();
            for &len in lens {
                let part: Vec<String> = (0..len).map(|at| (all.len() + at).to_string()).collect();
                texts.push(part.iter().map(Some).collect());
                all.extend(part);
            }
            assert_eq!(texts.len(), all.len());
            for (at, text) in all.iter().enumerate() {
                assert_eq!(texts.get(StringIndex(at as u32)), text, "{lens:?}");
            }
            assert_eq!(texts.get(StringIndex(all.len() as u32)), "");
        }
    }

    #[test]
    fn numbers_are_those_of_the_rows_with_and_without_null() {
        let ints = |values: &[Option<i32>]| values.iter().copied().collect::<Int32Array>();
        assert_eq!(small(&ints(&[Some(3), Some(-1), Some(0)])), [3, NONE, 0]);
        assert_eq!(small(&ints(&[Some(3), None, Some(0)])), [3, NONE, 0]);
        let labels = |keys: &[Option<i32>]| {
            let texts = ["edge", "7", "unknown"].into_iter().map(Some).collect::<StringArray>();
            DictionaryArray::new(ints(keys), Arc::new(texts))
        };
        let names = ["node".to_owned(), "edge".into()];
        assert_eq!(types(&labels(&[Some(1), Some(0), Some(2)]), &names), [7, 1, NO_TYPE]);
        assert_eq!(types(&labels(&[Some(1), None, Some(0)]), &names), [7, NO_TYPE, 1]);
        let wide = |values: &[Option<i64>], none| {
            let values: Int64Array = values.iter().copied().collect();
            super::wide(&values, none).iter().map(|n| n as i64).collect::<Vec<_>>()
        };
        assert_eq!(wide(&[Some(5), Some(-2)], 0), [5, 0]);
        assert_eq!(wide(&[Some(5), Some(-2), None], 0), [5, 0, 0]);
        let none = Nodes::NO_ID;
        assert_eq!(wide(&[Some(5), Some(-2), None], none), [5, -2, none]);
    }
}
