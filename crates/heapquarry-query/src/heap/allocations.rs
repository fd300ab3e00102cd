//! The stacks that a timeline's objects were allocated with, drawn.

use crate::{
    calls::{CALLS, Calls, Frame},
    page::Room,
};
use arrow_array::{Array, Int32Array, Int64Array, RecordBatch, StringArray};
use heapquarry::{BatchOptions, Result, RunOptions, Source, batches};
use heapquarry_html::{Block, Drawing};
use heapquarry_tables::{JS_HEAP_TRACE_FUNCTION_INFO, JS_HEAP_TRACE_NODE};
use std::collections::HashMap;

/// The columns that it takes.
const COLUMNS: [&str; 8] = [
    "js_heap_trace_node.id",
    "js_heap_trace_node.function_info_index",
    "js_heap_trace_node.size",
    "js_heap_trace_node.parent_id",
    "js_heap_trace_function_info.function_index",
    "js_heap_trace_function_info.name",
    "js_heap_trace_function_info.script_name",
    "js_heap_trace_function_info.line_number",
];

/// The block of a timeline with stacks; `None` if it has none. Reads the input once more, these tables alone.
pub(super) fn block(source: &Source, room: Room, options: &RunOptions) -> Result<Option<Block>> {
    let wanted = COLUMNS.map(String::from).to_vec();
    let how = BatchOptions::default().columns(wanted).plain(true).run(options.clone());
    let mut functions: HashMap<i32, Frame> = HashMap::new();
    let mut nodes: Vec<(i64, Option<i32>, i64, i64)> = Vec::new();
    for batch in batches(std::slice::from_ref(source), &how)? {
        let (table, batch) = batch?;
        if *table == JS_HEAP_TRACE_FUNCTION_INFO {
            functions.extend(frames(&batch));
        } else if *table == JS_HEAP_TRACE_NODE {
            nodes.extend(rows(&batch));
        }
    }
    if nodes.len() < 2 {
        return Ok(None);
    }
    let places: HashMap<i64, u32> = nodes.iter().map(|node| node.0).zip(0..).collect();
    let mut calls: Calls<i32> = Calls::new("Allocations");
    let frame_of: Vec<Option<u32>> = nodes
        .iter()
        .map(|(_, function, _, parent)| {
            let function = (*function).filter(|_| places.contains_key(parent))?;
            let frame = functions.get(&function)?;
            Some(calls.frame(function, || frame.clone()))
        })
        .collect();
    let parents: Vec<u32> =
        nodes.iter().map(|node| places.get(&node.3).copied().unwrap_or(u32::MAX)).collect();
    let sizes: Vec<i64> = nodes.iter().map(|node| node.2).collect();
    calls.add(0, &parents, &sizes, |node| frame_of[node], |_| true);
    let flame =
        calls.model(room.of(CALLS), "bytes", ("js_heap_trace_function_info", "name"), false);
    let note = "Each box is a call, as wide as what was allocated in it and in all that it calls while the timeline was \
                recorded, objects that are gone included.";
    Ok(Some(Block::Drawing {
        key: "allocations",
        title: "Allocations",
        note: note.into(),
        drawing: Drawing::Flame(Box::new(flame)),
    }))
}

/// A column of a batch in the plain schema, if it is there.
fn column<'a, T: Array + 'static>(batch: &'a RecordBatch, name: &str) -> Option<&'a T> {
    batch.column_by_name(name)?.as_any().downcast_ref()
}

fn frames(batch: &RecordBatch) -> Vec<(i32, Frame)> {
    let text = |name, row| {
        column::<StringArray>(batch, name)
            .filter(|texts| texts.is_valid(row))
            .map_or(String::new(), |texts| texts.value(row).into())
    };
    let number = |name, row| {
        column::<Int32Array>(batch, name)
            .filter(|numbers| numbers.is_valid(row))
            .map_or(0, |numbers| numbers.value(row))
    };
    let frame = |row| {
        let name = text("name", row);
        let name = if name.is_empty() { "(anonymous)".into() } else { name };
        let frame =
            Frame { name, script: text("script_name", row), line: number("line_number", row) };
        (number("function_index", row), frame)
    };
    (0..batch.num_rows()).map(frame).collect()
}

/// Id, function, size and parent of each.
fn rows(batch: &RecordBatch) -> Vec<(i64, Option<i32>, i64, i64)> {
    let number = |name, row| {
        column::<Int64Array>(batch, name)
            .filter(|numbers| numbers.is_valid(row))
            .map(|numbers| numbers.value(row))
    };
    let function = |row| {
        column::<Int32Array>(batch, "function_info_index")
            .filter(|numbers| numbers.is_valid(row))
            .map(|numbers| numbers.value(row))
    };
    let row = |row| {
        let (size, parent) = (number("size", row).unwrap_or(0), number("parent_id", row));
        (number("id", row).unwrap_or(-1), function(row), size, parent.unwrap_or(-1))
    };
    (0..batch.num_rows()).map(row).collect()
}
