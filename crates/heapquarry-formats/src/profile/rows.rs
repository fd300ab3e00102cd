//! Columns of profile tables.

use super::{
    frames::{Frames, NO},
    numbers::Numbers,
    tree::{Calls, Tree},
};
use crate::json::NONE;
use arrow_array::{ArrayRef, Int32Array, Int64Array, UInt32Array};
use arrow_buffer::NullBuffer;
use heapquarry_tables::{Type, arrays};
use std::{ops::Range, sync::Arc};

/// Numbers, with [`NONE`] as null.
pub(crate) fn int64(values: Vec<i64>) -> ArrayRef {
    let nulls = nulls(&values);
    Arc::new(Int64Array::new(values.into(), nulls))
}

/// The numbers of these nodes.
pub(crate) fn numbers(numbers: &Numbers, rows: &Range<usize>) -> ArrayRef {
    plain(numbers.range(rows.clone()))
}

/// Numbers in four bytes each, if none is missing or negative.
fn plain(numbers: impl ExactSizeIterator<Item = i64> + Clone) -> ArrayRef {
    let narrow: Option<Vec<u32>> = numbers.clone().map(|value| u32::try_from(value).ok()).collect();
    match narrow {
        Some(values) => Arc::new(UInt32Array::from(values)),
        None => int64(numbers.collect()),
    }
}

/// Numbers, with [`NONE`] and those that do not fit as null.
pub(crate) fn int32(values: impl Iterator<Item = i64>) -> ArrayRef {
    let narrow = |value| if value == NONE { None } else { i32::try_from(value).ok() };
    Arc::new(values.map(narrow).collect::<Int32Array>())
}

fn nulls(values: &[i64]) -> Option<NullBuffer> {
    values.contains(&NONE).then(|| values.iter().map(|&value| value != NONE).collect())
}

/// A complete tree, ready for output.
#[derive(Debug, Default)]
pub(crate) struct Nodes {
    pub(crate) tree: Tree,
    pub(crate) calls: Calls,
    frames: Vec<super::frames::Frame>,
    /// All texts, as dictionary values.
    texts: Option<ArrayRef>,
    memory: u64,
}

impl Nodes {
    pub(crate) fn new(mut tree: Tree, calls: Calls, frames: Frames) -> Self {
        // Nested nodes can be read before their parents.
        tree.reasons.sort_by_key(|&(node, _)| node);
        let memory = tree.memory() + frames.memory();
        let (frames, texts) = frames.into_rows();
        Nodes { tree, calls, frames, texts: Some(texts), memory }
    }

    /// Memory that they take, in bytes, about.
    pub(crate) fn memory(&self) -> u64 {
        self.memory
    }

    /// Texts by their numbers.
    fn texts(&self, numbers: impl ExactSizeIterator<Item = u32>) -> ArrayRef {
        let rows = numbers.len();
        let mut any = false;
        let keys: Int32Array = numbers
            .map(|number| {
                let key = (number != NO).then_some(number as i32);
                any |= key.is_some();
                key
            })
            .collect();
        match &self.texts {
            Some(texts) if any => arrays::keyed(keys, texts.clone()),
            _ => arrays::nulls(Type::Text, rows),
        }
    }

    fn frame(&self, node: usize) -> super::frames::Frame {
        let frame = self.tree.frames[node] as usize;
        self.frames.get(frame).copied().unwrap_or(super::frames::Frame::EMPTY)
    }

    /// `function_name`, `script_id`, `url`, `line_number`, `column_number`.
    pub(crate) fn frame_columns(&self, rows: &Range<usize>) -> [ArrayRef; 5] {
        let frames = || rows.clone().map(|node| self.frame(node));
        [
            self.texts(frames().map(|frame| frame.name)),
            self.texts(frames().map(|frame| frame.script_id)),
            self.texts(frames().map(|frame| frame.url)),
            int32(frames().map(|frame| frame.line)),
            int32(frames().map(|frame| frame.column)),
        ]
    }

    /// `module_name`.
    pub(crate) fn modules(&self, rows: &Range<usize>) -> ArrayRef {
        self.texts(rows.clone().map(|node| self.frame(node).module))
    }

    /// `code_type`.
    pub(crate) fn code_types(&self, rows: &Range<usize>) -> ArrayRef {
        self.texts(rows.clone().map(|node| self.frame(node).code_type))
    }

    /// `deopt_reason`.
    pub(crate) fn reasons(&self, rows: &Range<usize>) -> ArrayRef {
        let reasons = &self.tree.reasons;
        let mut next = reasons.partition_point(|&(node, _)| (node as usize) < rows.start);
        self.texts(rows.clone().map(|row| {
            let mut reason = NO;
            while let Some(&(node, text)) = reasons.get(next).filter(|r| r.0 as usize <= row) {
                if node as usize == row {
                    reason = text;
                }
                next += 1;
            }
            reason
        }))
    }

    /// Ids of the nodes.
    pub(crate) fn ids(&self, rows: &Range<usize>) -> ArrayRef {
        numbers(&self.tree.ids, rows)
    }

    /// Id of the caller; -1 if there is none.
    pub(crate) fn parent_ids(&self, rows: &Range<usize>) -> ArrayRef {
        let parent = |&parent: &u32| {
            if parent == NO { -1 } else { self.tree.ids.get(parent as usize) }
        };
        plain(self.calls.parents[rows.clone()].iter().map(parent))
    }

    /// Position of the caller; -1 if there is none.
    pub(crate) fn parent_indexes(&self, rows: &Range<usize>) -> ArrayRef {
        let parent = |&parent: &u32| if parent == NO { -1 } else { i64::from(parent) };
        plain(self.calls.parents[rows.clone()].iter().map(parent))
    }

    /// Number of callers.
    pub(crate) fn depths(&self, rows: &Range<usize>) -> ArrayRef {
        let depths = self.calls.depths[rows.clone()].iter();
        Arc::new(
            depths.map(|&depth| i32::try_from(depth).unwrap_or(i32::MAX)).collect::<Int32Array>(),
        )
    }

    /// Positions of the nodes.
    pub(crate) fn indexes(rows: &Range<usize>) -> ArrayRef {
        plain(rows.clone().map(|node| node as i64))
    }
}
