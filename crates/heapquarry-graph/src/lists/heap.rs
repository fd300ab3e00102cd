//! The lists of a heap: those that it is built from.

use super::{ListSink, Lists, Unfit, ensure, put_packed, put_texts};
use crate::{
    Column, EdgeNames, Edges, Heap, NodeIndex, Nodes, Originals, Packed, Place, Places, Ready,
    ScopeRecord, ScopeRecords, ScopeUse, StringIndex, Strings, edge_names::Coded, known::Known,
};
use std::sync::Arc;

const TYPE_NAMES: [&str; 2] = ["node_type_names", "node_type_ends"];
/// The lists of the strings: their text as bytes, and where each ends.
const STRING_LISTS: [&str; 2] = ["strings", "string_ends"];

impl Heap {
    /// Gives all lists of the heap to a sink, in a fixed order. [Originals](crate::Originals) are none of them.
    ///
    /// # Errors
    /// The first of the sink.
    pub fn put_lists<S: ListSink>(&self, sink: &mut S) -> Result<(), S::Error> {
        let Heap { nodes, edges, .. } = self;
        sink.list(
            "heap",
            [u64::from(self.root.0), self.extra_native_bytes, edges.numbered.into()].into_iter(),
        )?;
        put_texts(sink, TYPE_NAMES, nodes.type_names.iter().map(String::as_str))?;
        sink.list("node_types", nodes.types.iter().copied())?;
        sink.list("node_names", nodes.names.iter().map(|name| name.0))?;
        put_packed(sink, "node_ids", &nodes.ids)?;
        put_packed(sink, "self_sizes", &nodes.self_sizes)?;
        if let Some(sizes) = &nodes.native_sizes {
            put_packed(sink, "native_sizes", sizes)?;
        }
        if let Some(states) = &nodes.detachedness {
            sink.list("node_states", states.iter().copied())?;
        }
        put_packed(sink, "edge_starts", &edges.starts)?;
        sink.list("edge_kinds", edges.kinds.iter().copied())?;
        put_edge_names(sink, &edges.names)?;
        sink.list("edge_targets", edges.targets.iter().map(|node| node.0))?;
        sink.list("pair_edges", self.pairs.iter().map(|&(edge, _)| edge as u64))?;
        sink.list("pairs_of_edges", self.pairs.iter().map(|&(_, pair)| pair))?;
        self.known.put_lists(sink)?;
        sink.list("place_of", self.places.numbers())?;
        let coordinate = |of: fn(Place) -> i32| self.places().map(move |p| of(p).cast_unsigned());
        sink.list("place_scripts", coordinate(|place| place.script_id))?;
        sink.list("place_lines", coordinate(|place| place.line))?;
        sink.list("place_columns", coordinate(|place| place.column))?;
        put_scopes(sink, &self.scopes)?;
        put_strings(sink, &*self.strings)
    }

    /// The heap of lists that surely are those that [`Heap::put_lists`] gave: they are hardly looked at.
    ///
    /// # Errors
    /// If one is missing.
    pub fn as_written(lists: &mut Lists) -> Result<Self, Unfit> {
        let [root, extra_native_bytes, numbered] = totals(lists)?;
        let type_names: Vec<String> = lists.texts(TYPE_NAMES)?.iter().map(Into::into).collect();
        let types = lists.bytes("node_types")?;
        let nodes = types.len();
        let pairs = lists.longs("pair_edges")?;
        let pairs = pairs.iter().map(|&edge| edge as usize);
        Ok(Heap {
            nodes: Nodes {
                types,
                kinds: Nodes::kinds_of(&type_names),
                type_names,
                names: lists.words("node_names")?.cast(),
                // Few are asked for.
                roles: Vec::new(),
                ids: lists.packed("node_ids")?,
                self_sizes: lists.packed("self_sizes")?,
                native_sizes: lists.optional("native_sizes", Lists::packed)?,
                detachedness: lists.optional("node_states", Lists::bytes)?,
            },
            edges: Edges {
                starts: lists.packed("edge_starts")?,
                kinds: lists.bytes("edge_kinds")?,
                names: edge_names(lists)?,
                targets: lists.words("edge_targets")?.cast(),
                numbered: numbered as u16,
            },
            root: NodeIndex(root as u32),
            extra_native_bytes,
            places: places(lists)?,
            originals: Originals::default(),
            scopes: scopes(lists, nodes)?,
            strings: Arc::new(lists.texts(STRING_LISTS)?),
            known: Known::from_lists(lists)?,
            pairs: pairs.zip(lists.words("pairs_of_edges")?.iter().copied()).collect(),
            ready: Some(Arc::new(Ready::as_written(lists)?)),
            dominators: None,
            release: lists.release.clone(),
        })
    }
}

/// The root, native memory and which types of edges have numbers.
fn totals(lists: &mut Lists) -> Result<[u64; 3], Unfit> {
    lists.longs("heap")?.as_ref().try_into().map_err(|_| Unfit { list: "heap" })
}

/// The lists of names of edges: their codes, the name of each, names without one, and where these are. They are one
/// list if there are no codes.
const EDGE_NAMES: [&str; 4] =
    ["edge_name_codes", "edge_names", "other_edge_names", "edge_name_ranks"];

fn put_edge_names<S: ListSink>(sink: &mut S, names: &EdgeNames) -> Result<(), S::Error> {
    let [codes, known, others, ranks] = EDGE_NAMES;
    match names.lists() {
        Ok(coded) => {
            sink.list(codes, coded.codes.iter().copied())?;
            sink.list(known, coded.names.iter().copied())?;
            sink.list(others, coded.others.iter().copied())?;
            sink.list(ranks, coded.ranks.iter().copied())
        }
        Err(names) => sink.list(known, names.iter().copied()),
    }
}

fn edge_names(lists: &mut Lists) -> Result<EdgeNames, Unfit> {
    let [codes, known, others, ranks] = EDGE_NAMES;
    let names = lists.words(known)?;
    if !lists.has(codes) {
        return Ok(EdgeNames::plain(names));
    }
    let (codes, others) = (lists.shorts(codes)?, lists.words(others)?);
    let coded = Coded { codes, names, others, ranks: lists.words(ranks)? };
    ensure(coded.fits(), ranks)?;
    Ok(EdgeNames::of_lists(coded))
}

/// Puts the strings part by part: their text need not be in memory.
fn put_strings<S: ListSink>(sink: &mut S, strings: &dyn Strings) -> Result<(), S::Error> {
    /// Strings that are in memory at a time.
    const PART: usize = 1024;
    let [text, ends] = STRING_LISTS;
    let len = strings.len();
    let part = |start: usize| {
        let mut bytes = Vec::new();
        let mut look = |text: &str| bytes.extend_from_slice(text.as_bytes());
        strings.each(start..len.min(start + PART), &mut look);
        bytes
    };
    sink.list(text, (0..len).step_by(PART).flat_map(part))?;
    let mut end = 0;
    let all = strings.all(0..len, |text| {
        end += text.len() as u64;
        end
    });
    put_packed(sink, ends, &all.into_iter().collect::<Packed>())
}

fn places(lists: &mut Lists) -> Result<Places, Unfit> {
    let of = lists.words("place_of")?;
    let [scripts, lines, columns] =
        [lists.words("place_scripts")?, lists.words("place_lines")?, lists.words("place_columns")?];
    ensure(scripts.len() == lines.len() && lines.len() == columns.len(), "place_lines")?;
    let places = scripts.iter().zip(&lines).zip(&columns);
    let place = |((script, line), column): ((&u32, &u32), &u32)| Place {
        script_id: script.cast_signed(),
        line: line.cast_signed(),
        column: column.cast_signed(),
    };
    Ok(Places::from_numbers(of, places.map(place).collect()))
}

fn put_scopes<S: ListSink>(sink: &mut S, records: &ScopeRecords) -> Result<(), S::Error> {
    let ScopeRecords { scopes, variables, uses } = records;
    sink.list("scope_scripts", scopes.iter().map(|scope| scope.script.0))?;
    sink.list("scope_ids", scopes.iter().map(|scope| scope.id.cast_unsigned()))?;
    sink.list("scope_depths", scopes.iter().map(|scope| scope.depth))?;
    sink.list("scope_variable_counts", scopes.iter().map(|scope| scope.variables))?;
    sink.list("scope_use_counts", scopes.iter().map(|scope| scope.uses))?;
    sink.list("scope_variables", variables.iter().map(|name| name.0))?;
    sink.list("scope_use_ids", uses.iter().map(|used| used.declaring_id.cast_unsigned()))?;
    sink.list("scope_use_slots", uses.iter().map(|used| used.slot))
}

fn scopes(lists: &mut Lists, nodes: usize) -> Result<ScopeRecords, Unfit> {
    let scripts = lists.words("scope_scripts")?;
    ensure(scripts.iter().all(|&script| (script as usize) < nodes), "scope_scripts")?;
    let per_scope =
        |list: Column<u32>, name| ensure(list.len() == scripts.len(), name).map(|()| list);
    let ids = per_scope(lists.words("scope_ids")?, "scope_ids")?;
    let depths = per_scope(lists.words("scope_depths")?, "scope_depths")?;
    let variables = per_scope(lists.words("scope_variable_counts")?, "scope_variable_counts")?;
    let uses = per_scope(lists.words("scope_use_counts")?, "scope_use_counts")?;
    let scope = |at: usize| ScopeRecord {
        script: NodeIndex(scripts[at]),
        id: ids[at].cast_signed(),
        depth: depths[at],
        variables: variables[at],
        uses: uses[at],
    };
    let names = lists.words("scope_variables")?;
    let [declaring, slots] = [lists.words("scope_use_ids")?, lists.words("scope_use_slots")?];
    ensure(declaring.len() == slots.len(), "scope_use_slots")?;
    let used = |(id, &slot): (&u32, &u32)| ScopeUse { declaring_id: id.cast_signed(), slot };
    Ok(ScopeRecords {
        scopes: (0..scripts.len()).map(scope).collect(),
        variables: names.iter().copied().map(StringIndex).collect(),
        uses: declaring.iter().zip(&slots).map(used).collect(),
    })
}
