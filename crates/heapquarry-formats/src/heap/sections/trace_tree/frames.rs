//! Rows of the tree.

use crate::heap::records::validity;
use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch};
use heapquarry_tables::{FileId, js_heap_trace_node};
use std::sync::Arc;

/// The columns, in the order of [`Frames`].
pub(super) const COLUMNS: [&str; 4] = ["id", "function_info_index", "count", "size"];

/// Rows of the tree.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    values: [Numbers; COLUMNS.len()],
    parents: Numbers,
    depths: Vec<i32>,
}

/// A column being built.
#[derive(Debug, Default)]
struct Numbers {
    /// 0 for a missing value.
    values: Vec<i64>,
    nulls: Vec<u32>,
}

impl Numbers {
    #[inline]
    fn push(&mut self, value: Option<i64>) {
        if value.is_none() {
            self.nulls.push(self.values.len() as u32);
        }
        self.values.push(value.unwrap_or(0));
    }

    fn int64(self) -> ArrayRef {
        let nulls = validity(&self.nulls, self.values.len());
        Arc::new(Int64Array::new(self.values.into(), nulls))
    }

    /// The values that fit; the others have been logged.
    fn int32(mut self) -> ArrayRef {
        if self.values.iter().any(|&value| i32::try_from(value).is_err()) {
            let unfit = |row: &usize| i32::try_from(self.values[*row]).is_err();
            self.nulls.extend((0..self.values.len()).filter(unfit).map(|row| row as u32));
        }
        let nulls = validity(&self.nulls, self.values.len());
        let values: Vec<i32> = self.values.iter().map(|&value| value as i32).collect();
        Arc::new(Int32Array::new(values.into(), nulls))
    }
}

impl Frames {
    pub(super) fn with_room(rows: usize) -> Self {
        let numbers = || Numbers { values: Vec::with_capacity(rows), nulls: Vec::new() };
        let values = std::array::from_fn(|_| numbers());
        Frames { values, parents: numbers(), depths: Vec::with_capacity(rows) }
    }

    #[inline]
    pub(super) fn push(
        &mut self,
        record: [Option<i64>; COLUMNS.len()],
        parent: Option<i64>,
        depth: u64,
    ) {
        for (column, value) in self.values.iter_mut().zip(record) {
            column.push(value);
        }
        self.parents.push(parent);
        self.depths.push(i32::try_from(depth).unwrap_or(i32::MAX));
    }

    /// Sets the parent of a frame that was added before its parent was known.
    pub(super) fn set_parent(&mut self, row: u32, parent: Option<i64>) {
        self.parents.values[row as usize] = parent.unwrap_or(0);
        if parent.is_none() {
            self.parents.nulls.push(row);
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.depths.len()
    }

    /// Rows of `js_heap_trace_node`.
    pub(crate) fn batch(self, file_id: FileId) -> RecordBatch {
        let rows = self.rows();
        let [id, function, count, size] = self.values;
        js_heap_trace_node::Columns {
            file_id: file_id.column(rows),
            id: id.int64(),
            function_info_index: function.int32(),
            count: count.int64(),
            size: size.int64(),
            parent_id: self.parents.int64(),
            depth: Arc::new(Int32Array::from(self.depths)),
        }
        .into_batch()
    }
}
