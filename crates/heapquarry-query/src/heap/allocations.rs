//! The stacks that a timeline's objects were allocated with, as a profile.

use crate::{
    flame::{CALLS, flame},
    profile::Subject,
    room::Room,
};
use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, RecordBatch};
use heapquarry::{
    BatchOptions, Result, RunOptions, Source, batches, engine::name_allocations, graph::Heap,
};
use heapquarry_html::{Block, Drawing};
use heapquarry_profile::{Assembly, Function, Kind, NO, Nodes, Original, Part, calls::Calls};
use heapquarry_tables::{
    JS_HEAP_NODES, JS_HEAP_TRACE_FUNCTION_INFO, JS_HEAP_TRACE_NODE, Table, arrays,
};
use std::{collections::HashMap, sync::Arc};

/// The columns that it takes. Those named `original_…` are read of converted directories only: for files
/// [`name_allocations`] asks the source maps, which also tell which sources are to be ignored.
const COLUMNS: [&str; 14] = [
    "js_heap_nodes.trace_node_id",
    "js_heap_trace_node.id",
    "js_heap_trace_node.function_info_index",
    "js_heap_trace_node.size",
    "js_heap_trace_node.parent_id",
    "js_heap_trace_function_info.function_index",
    "js_heap_trace_function_info.name",
    "js_heap_trace_function_info.script_name",
    "js_heap_trace_function_info.line_number",
    "js_heap_trace_function_info.column_number",
    "js_heap_trace_function_info.original_name",
    "js_heap_trace_function_info.original_source",
    "js_heap_trace_function_info.original_line",
    "js_heap_trace_function_info.original_column",
];

/// What was allocated while a timeline was recorded.
pub(super) struct Allocations {
    /// What each stack allocated, objects that are gone included.
    pub(super) profile: Subject,
    /// For each node of the heap the innermost call that it was allocated in, as a node of the profile; [`NO`] if that
    /// is not known.
    pub(super) made: Vec<u32>,
}

impl Allocations {
    /// Those of a timeline whose heap this is; `None` if it has no stacks. Reads the input once more, these columns
    /// alone.
    pub(super) fn read(source: &Source, heap: &Heap, options: &RunOptions) -> Result<Option<Self>> {
        let is_converted = source.is_directory();
        let wanted = COLUMNS.iter().filter(|name| is_converted || !name.contains(".original_"));
        let wanted = wanted.copied().map(String::from).collect();
        let how = BatchOptions::default().columns(wanted).run(options.clone());
        let mut functions: HashMap<i64, Function> = HashMap::new();
        let (mut stacks, mut made): (Vec<Stack>, Vec<Option<i64>>) = (Vec::new(), Vec::new());
        for batch in batches(std::slice::from_ref(source), &how)? {
            let (table, batch) = batch?;
            let number = |name: &'static str| numbers(table, &batch, name);
            if *table == JS_HEAP_NODES {
                made.extend((0..batch.num_rows()).map(number("trace_node_id")));
            } else if *table == JS_HEAP_TRACE_FUNCTION_INFO {
                let index = number("function_index");
                let numbered = (0..).zip(self::functions(table, &batch));
                functions.extend(numbered.filter_map(|(row, one)| Some((index(row)?, one))));
            } else if *table == JS_HEAP_TRACE_NODE {
                let (id, function) = (number("id"), number("function_info_index"));
                let (size, parent) = (number("size"), number("parent_id"));
                stacks.extend((0..batch.num_rows()).map(|row| Stack {
                    id: id(row),
                    function: function(row),
                    size: size(row).unwrap_or(0),
                    parent: parent(row),
                }));
            }
        }
        // Without stacks there is nothing but their root.
        if stacks.len() < 2 {
            return Ok(None);
        }
        // Of equal ids the first counts, as for the parents of others.
        let mut places: HashMap<i64, u32> = HashMap::new();
        for (stack, at) in stacks.iter().zip(0..) {
            if let Some(id) = stack.id {
                places.entry(id).or_insert(at);
            }
        }
        if !is_converted {
            let (indices, mut all): (Vec<i64>, Vec<Function>) = functions.into_iter().unzip();
            name_allocations(&mut all, heap, &source.path, options);
            functions = indices.into_iter().zip(all).collect();
        }
        let place = |id: Option<i64>| id.and_then(|id| places.get(&id).copied());
        let made = made.into_iter().map(|id| place(id).unwrap_or(NO)).collect();
        Ok(Some(Allocations { profile: Subject::of_timeline(profile(stacks, functions)), made }))
    }

    /// The block of a page.
    pub(super) fn block(&self, room: Room) -> Block {
        let mut calls: Calls<&Function> = Calls::new("Allocations");
        self.profile.add(&mut calls, 0, |function| function);
        let sql = ("js_heap_trace_function_info", "name");
        let flame = flame(calls.calls(), calls.frames(), room.of(CALLS), "bytes", sql, false);
        let note = "Each box is a call, as wide as what was allocated in it and in all that it calls while the timeline \
                    was recorded, objects that are gone included.";
        Block::Drawing {
            key: "allocations",
            title: "Allocations",
            note: note.into(),
            drawing: Drawing::Flame(Box::new(flame)),
        }
    }
}

/// A row of `js_heap_trace_node`: parents come before what they call.
struct Stack {
    id: Option<i64>,
    function: Option<i64>,
    size: i64,
    parent: Option<i64>,
}

fn profile(stacks: Vec<Stack>, functions: HashMap<i64, Function>) -> heapquarry_profile::Profile {
    let mut numbers: HashMap<Option<i64>, u32> = HashMap::new();
    let mut nodes = Nodes::default();
    let mut places: HashMap<i64, i64> = HashMap::new();
    for (Stack { id, function, size, parent }, at) in stacks.into_iter().zip(0..) {
        let parent = parent.and_then(|parent| places.get(&parent).copied());
        nodes.file_ids.push(0);
        nodes.of.push(*numbers.entry(function.filter(|_| parent.is_some())).or_insert_with_key(
            |of| {
                let known = of.and_then(|of| functions.get(&of).cloned());
                // What nothing calls is the root, whatever it is called.
                let root = || Function { name: "(root)".into(), ..Function::default() };
                nodes.functions.push(known.unwrap_or_else(root));
                nodes.functions.len() as u32 - 1
            },
        ));
        nodes.parents.push(parent.unwrap_or(-1));
        nodes.weights.push(size);
        if let Some(id) = id {
            places.entry(id).or_insert(at);
        }
    }
    let whole = nodes.weights.iter().fold(0i64, |sum, &size| sum.saturating_add(size));
    let mut assembly = Assembly::new(Kind::Heap);
    let gaps = Default::default();
    assembly.add(Part::Whole { samples: 0, whole, span: None, names: Vec::new(), gaps });
    assembly.add(Part::Nodes(nodes));
    assembly.finish()
}

/// The numbers of a column; none if it is not there.
fn numbers(
    table: &Table,
    batch: &RecordBatch,
    name: &str,
) -> impl Fn(usize) -> Option<i64> + use<> {
    let ty = table.column(name).map(|column| table.columns[column].ty);
    let column = batch.column_by_name(name).zip(ty);
    let column = column.and_then(|(column, ty)| arrays::expand(column, ty).ok());
    let as_longs = |column: &ArrayRef| column.as_any().downcast_ref::<Int64Array>().cloned();
    let as_ints = |column: &ArrayRef| column.as_any().downcast_ref::<Int32Array>().cloned();
    let (long, short) = (column.as_ref().and_then(as_longs), column.as_ref().and_then(as_ints));
    move |row| match (&long, &short) {
        (Some(long), _) => long.is_valid(row).then(|| long.value(row)),
        (_, Some(short)) => short.is_valid(row).then(|| short.value(row).into()),
        _ => None,
    }
}

/// The texts of a column, each made once: functions share them. Empty for what has none.
fn texts(batch: &RecordBatch, name: &str) -> impl FnMut(usize) -> Arc<str> + use<> {
    let indexed = batch.column_by_name(name).and_then(|column| arrays::indexed(column).ok());
    let mut made: HashMap<i32, Arc<str>> = HashMap::new();
    move |row| {
        let Some((keys, texts)) = &indexed else { return Arc::default() };
        let Some(key) = keys.is_valid(row).then(|| keys.value(row)) else { return Arc::default() };
        let make = || texts.get(key as usize).unwrap_or_default().into();
        made.entry(key).or_insert_with(make).clone()
    }
}

/// Whether a column is there and has a value in a row.
fn is_valid(batch: &RecordBatch, name: &str) -> impl Fn(usize) -> bool + use<> {
    let column = batch.column_by_name(name).and_then(|column| arrays::indexed(column).ok());
    move |row| column.as_ref().is_some_and(|(keys, _)| keys.is_valid(row))
}

/// The functions of the rows of `js_heap_trace_function_info`.
fn functions(table: &Table, batch: &RecordBatch) -> impl Iterator<Item = Function> + use<> {
    let (mut name, mut url) = (texts(batch, "name"), texts(batch, "script_name"));
    // 0 stands for what is not known.
    let position = |name: &str| {
        let number = numbers(table, batch, name);
        move |row| number(row).filter(|&number| number > 0).and_then(|n| i32::try_from(n).ok())
    };
    let (line, column) = (position("line_number"), position("column_number"));
    // What source maps tell: a table that no source map was read for has no such column, or no value in it.
    let (mut called, mut source) = (texts(batch, "original_name"), texts(batch, "original_source"));
    let (source_line, source_column) = (position("original_line"), position("original_column"));
    let is_named = is_valid(batch, "original_name");
    let mut original = move |row| {
        let (line, column) = (source_line(row)?, source_column(row)?);
        let name = is_named(row).then(|| called(row));
        // Tables do not say which sources are to be ignored.
        Some(Box::new(Original { name, source: source(row), line, column, is_ignored: false }))
    };
    (0..batch.num_rows()).map(move |row| Function {
        name: name(row),
        url: url(row),
        line: line(row),
        column: column(row),
        original: original(row),
    })
}
