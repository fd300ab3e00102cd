//! Rows of all traces of an input. Traces can be small, but row groups should not be.

use super::Document;
use crate::{
    document,
    profile::{int32, int64},
};
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, Int64Array, RecordBatch, types::Int32Type,
};
use heapquarry_tables::{
    FileId, SELF_PROFILE_FRAME, SELF_PROFILE_RESOURCE, SELF_PROFILE_SAMPLE, SELF_PROFILE_STACK,
    Table, Type, arrays, self_profile_files, self_profile_frame, self_profile_info,
    self_profile_resource, self_profile_sample, self_profile_stack,
};
use std::sync::Arc;

/// A row of `self_profile_sample`. Here as below `NONE` and NaN are null.
#[derive(Debug)]
pub(super) struct Sample {
    pub(super) file_id: FileId,
    pub(super) index: i64,
    /// In milliseconds.
    pub(super) timestamp: f64,
    pub(super) stack: i64,
    pub(super) marker: Option<Box<str>>,
    /// In milliseconds.
    pub(super) dur: f64,
}

/// A row of `self_profile_stack`.
#[derive(Debug)]
pub(super) struct Stack {
    pub(super) file_id: FileId,
    pub(super) id: i64,
    pub(super) frame: i64,
    pub(super) parent: i64,
    pub(super) depth: i64,
    pub(super) samples: i64,
    pub(super) total_samples: i64,
}

/// A row of `self_profile_frame`.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) file_id: FileId,
    pub(super) id: i64,
    pub(super) name: Option<Box<str>>,
    pub(super) resource: i64,
    pub(super) line: i64,
    pub(super) column: i64,
}

/// A row of `self_profile_resource`.
#[derive(Debug)]
pub(super) struct Resource {
    pub(super) file_id: FileId,
    pub(super) id: i64,
    pub(super) url: Option<Box<str>>,
}

/// Rows that have not been taken yet.
#[derive(Debug, Default)]
pub(super) struct Pending {
    pub(super) samples: Vec<Sample>,
    pub(super) stacks: Vec<Stack>,
    pub(super) frames: Vec<Frame>,
    pub(super) resources: Vec<Resource>,
    /// Bytes of text in them, and in rows that were taken since there were none.
    pub(super) text: u64,
}

impl Pending {
    /// Memory of the rows, in bytes, about.
    pub(super) fn memory(&self) -> u64 {
        let Pending { samples, stacks, frames, resources, text } = self;
        let rows = size_of_val(&samples[..])
            + size_of_val(&stacks[..])
            + size_of_val(&frames[..])
            + size_of_val(&resources[..]);
        *text + rows as u64
    }

    /// Whether a table has at least this many rows.
    pub(super) fn is_full(&self, rows: usize) -> bool {
        let Pending { samples, stacks, frames, resources, .. } = self;
        [samples.len(), stacks.len(), frames.len(), resources.len()].iter().any(|&len| len >= rows)
    }

    /// A row group, if a table has enough rows; at the end, any that are left.
    pub(super) fn take(&mut self, rows: usize, at_end: bool) -> Option<Task> {
        let least = if self.is_full(rows) || !at_end { rows } else { 1 };
        fn take<T>(from: &mut Vec<T>, least: usize, most: usize) -> Option<Vec<T>> {
            (from.len() >= least).then(|| from.drain(..most.min(from.len())).collect())
        }
        let Pending { samples, stacks, frames, resources, text } = self;
        let rows = take(samples, least, rows)
            .map(Rows::Samples)
            .or_else(|| take(stacks, least, rows).map(Rows::Stacks))
            .or_else(|| take(frames, least, rows).map(Rows::Frames))
            .or_else(|| take(resources, least, rows).map(Rows::Resources));
        let are_taken = samples.is_empty() && stacks.is_empty();
        if are_taken && frames.is_empty() && resources.is_empty() {
            *text = 0;
        }
        rows.map(Task)
    }
}

/// The rows of one row group.
#[derive(Debug)]
pub struct Task(Rows);

#[derive(Debug)]
enum Rows {
    Samples(Vec<Sample>),
    Stacks(Vec<Stack>),
    Frames(Vec<Frame>),
    Resources(Vec<Resource>),
}

impl Task {
    fn table(&self) -> &'static Table {
        match &self.0 {
            Rows::Samples(_) => &SELF_PROFILE_SAMPLE,
            Rows::Stacks(_) => &SELF_PROFILE_STACK,
            Rows::Frames(_) => &SELF_PROFILE_FRAME,
            Rows::Resources(_) => &SELF_PROFILE_RESOURCE,
        }
    }
}

impl document::Task for Task {
    type Done = ();
    type Scratch = ();

    fn tables(&self) -> Vec<&'static Table> {
        vec![self.table()]
    }

    fn decode(self, _: &[u8], (): &mut (), rows: &mut document::Rows<'_>) {
        let table = self.table();
        let batch = match self.0 {
            Rows::Samples(rows) => samples(&rows),
            Rows::Stacks(rows) => stacks(&rows),
            Rows::Frames(rows) => frames(&rows),
            Rows::Resources(rows) => resources(&rows),
        };
        rows.add(table, batch);
    }
}

fn floats(values: impl Iterator<Item = f64>) -> ArrayRef {
    let value = |value: f64| (!value.is_nan()).then_some(value);
    Arc::new(values.map(value).collect::<Float64Array>())
}

fn samples(rows: &[Sample]) -> RecordBatch {
    let markers = rows.iter().map(|row| row.marker.as_deref());
    self_profile_sample::Columns {
        file_id: FileId::columns(rows.iter().map(|row| row.file_id)),
        sample_index: int64(rows.iter().map(|row| row.index).collect()),
        timestamp_ms: floats(rows.iter().map(|row| row.timestamp)),
        stack_id: int32(rows.iter().map(|row| row.stack)),
        marker: Arc::new(markers.collect::<DictionaryArray<Int32Type>>()),
        dur_ms: floats(rows.iter().map(|row| row.dur)),
    }
    .into_batch()
}

fn stacks(rows: &[Stack]) -> RecordBatch {
    self_profile_stack::Columns {
        file_id: FileId::columns(rows.iter().map(|row| row.file_id)),
        stack_id: int32(rows.iter().map(|row| row.id)),
        frame_id: int32(rows.iter().map(|row| row.frame)),
        parent_id: int32(rows.iter().map(|row| row.parent)),
        depth: int32(rows.iter().map(|row| row.depth)),
        sample_count: int64(rows.iter().map(|row| row.samples).collect()),
        total_sample_count: int64(rows.iter().map(|row| row.total_samples).collect()),
    }
    .into_batch()
}

fn frames(rows: &[Frame]) -> RecordBatch {
    self_profile_frame::Columns {
        file_id: FileId::columns(rows.iter().map(|row| row.file_id)),
        frame_id: int32(rows.iter().map(|row| row.id)),
        name: arrays::text(rows.iter().map(|row| row.name.as_deref())),
        resource_id: int32(rows.iter().map(|row| row.resource)),
        line_number: int32(rows.iter().map(|row| row.line)),
        column_number: int32(rows.iter().map(|row| row.column)),
        // Source maps tell them, once the document is complete.
        original_name: arrays::nulls(Type::Text, rows.len()),
        original_source: arrays::nulls(Type::Text, rows.len()),
        original_line: arrays::nulls(Type::Int32, rows.len()),
        original_column: arrays::nulls(Type::Int32, rows.len()),
    }
    .into_batch()
}

fn resources(rows: &[Resource]) -> RecordBatch {
    self_profile_resource::Columns {
        file_id: FileId::columns(rows.iter().map(|row| row.file_id)),
        resource_id: int32(rows.iter().map(|row| row.id)),
        url: arrays::text(rows.iter().map(|row| row.url.as_deref())),
    }
    .into_batch()
}

/// Rows of `self_profile_files`.
pub(super) fn files(first_id: FileId, name: &str, documents: &[Document]) -> RecordBatch {
    let ids = (0..documents.len()).map(|at| first_id.plus(at));
    let floats = |of: fn(&Document) -> Option<f64>| -> ArrayRef {
        Arc::new(documents.iter().map(of).collect::<Float64Array>())
    };
    let counts = |i: usize| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(documents.iter().map(|d| d.counts[i] as i64)))
    };
    self_profile_files::Columns {
        file_id: FileId::columns(ids),
        file_name: arrays::text(documents.iter().map(|_| Some(name))),
        json_path: arrays::text(documents.iter().map(|d| Some(&d.path))),
        epoch_origin_ms: floats(|d| d.origin),
        sample_interval_ms: floats(|d| d.interval),
        sample_count: counts(0),
        stack_count: counts(1),
        frame_count: counts(2),
        resource_count: counts(3),
    }
    .into_batch()
}

/// Rows of `self_profile_info`.
pub(super) fn info(first_id: FileId, documents: &[Document]) -> RecordBatch {
    let rows = || {
        let documents = (0..).map(|at| first_id.plus(at)).zip(documents);
        documents.flat_map(|(id, document)| document.info.iter().map(move |info| (id, info)))
    };
    self_profile_info::Columns {
        file_id: FileId::columns(rows().map(|(id, _)| id)),
        key: arrays::text(rows().map(|(_, (key, _))| Some(key))),
        value: arrays::text(rows().map(|(_, (_, value))| Some(value))),
    }
    .into_batch()
}
