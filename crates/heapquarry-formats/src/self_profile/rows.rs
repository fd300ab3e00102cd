//! Columns of all traces of an input. Traces can be small, but row groups should not be.

use super::{Document, trace::Sample};
use crate::{document, profile::int32};
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch, types::Int32Type,
};
use heapquarry_tables::{
    SELF_PROFILE_FILES, SELF_PROFILE_FRAME, SELF_PROFILE_INFO, SELF_PROFILE_RESOURCE,
    SELF_PROFILE_SAMPLE, SELF_PROFILE_STACK, Table, arrays,
};
use std::sync::Arc;

/// Rows of a table that have not been handed out.
#[derive(Debug)]
struct Rows {
    table: &'static Table,
    file_ids: Vec<i32>,
    /// The columns of numbers, in order.
    numbers: Vec<Vec<i64>>,
    /// The columns of floating-point numbers, NaN for null.
    floats: Vec<Vec<f64>>,
    /// The column of text, if there is one.
    texts: Vec<Option<Box<str>>>,
}

impl Rows {
    fn new(table: &'static Table, numbers: usize, floats: usize) -> Self {
        Rows {
            table,
            file_ids: Vec::new(),
            numbers: vec![Vec::new(); numbers],
            floats: vec![Vec::new(); floats],
            texts: Vec::new(),
        }
    }

    fn take(&mut self, count: usize) -> Rows {
        Rows {
            table: self.table,
            file_ids: self.file_ids.drain(..count).collect(),
            numbers: self.numbers.iter_mut().map(|c| c.drain(..count).collect()).collect(),
            floats: self.floats.iter_mut().map(|c| c.drain(..count).collect()).collect(),
            texts: self.texts.drain(..count.min(self.texts.len())).collect(),
        }
    }
}

/// Rows of all tables.
#[derive(Debug)]
pub(super) struct Columns {
    samples: Rows,
    stacks: Rows,
    frames: Rows,
    resources: Rows,
}

impl Default for Columns {
    fn default() -> Self {
        Columns {
            samples: Rows::new(&SELF_PROFILE_SAMPLE, 2, 2),
            stacks: Rows::new(&SELF_PROFILE_STACK, 6, 0),
            frames: Rows::new(&SELF_PROFILE_FRAME, 4, 0),
            resources: Rows::new(&SELF_PROFILE_RESOURCE, 1, 0),
        }
    }
}

impl Columns {
    pub(super) fn sample(
        &mut self,
        file_id: i32,
        index: i64,
        sample: Sample,
        dur: f64,
        marker: Option<&str>,
    ) {
        let rows = &mut self.samples;
        rows.file_ids.push(file_id);
        rows.numbers[0].push(index);
        rows.numbers[1].push(sample.stack);
        rows.floats[0].push(sample.timestamp);
        rows.floats[1].push(dur);
        rows.texts.push(marker.map(Into::into));
    }

    pub(super) fn stack(&mut self, file_id: i32, numbers: [i64; 4], counts: [i64; 2]) {
        self.stacks.file_ids.push(file_id);
        let numbers = numbers.into_iter().chain(counts);
        self.stacks.numbers.iter_mut().zip(numbers).for_each(|(column, value)| column.push(value));
    }

    pub(super) fn frame(&mut self, file_id: i32, id: i64, name: Option<&str>, numbers: [i64; 3]) {
        self.frames.file_ids.push(file_id);
        self.frames.texts.push(name.map(Into::into));
        let numbers = [id].into_iter().chain(numbers);
        self.frames.numbers.iter_mut().zip(numbers).for_each(|(column, value)| column.push(value));
    }

    pub(super) fn resource(&mut self, file_id: i32, id: i64, url: Option<&str>) {
        self.resources.file_ids.push(file_id);
        self.resources.texts.push(url.map(Into::into));
        self.resources.numbers[0].push(id);
    }

    fn all(&mut self) -> [&mut Rows; 4] {
        [&mut self.samples, &mut self.stacks, &mut self.frames, &mut self.resources]
    }

    /// Index of the first table with that many rows.
    pub(super) fn full(&mut self, rows: usize) -> Option<usize> {
        self.all().iter().position(|table| table.file_ids.len() >= rows)
    }

    /// A row group, if a table has enough rows; at the end, any that are left.
    pub(super) fn take(&mut self, rows: usize, at_end: bool) -> Option<Task> {
        let table = self.full(rows).or_else(|| if at_end { self.full(1) } else { None })?;
        let [samples, stacks, frames, resources] = self.all();
        let table = match table {
            0 => samples,
            1 => stacks,
            2 => frames,
            _ => resources,
        };
        Some(Task(table.take(rows.min(table.file_ids.len()))))
    }
}

/// The rows of one row group.
#[derive(Debug)]
pub struct Task(Rows);

impl document::Task for Task {
    type Done = ();
    type Scratch = ();

    fn tables(&self) -> Vec<&'static Table> {
        vec![self.0.table]
    }

    fn decode(self, _: &[u8], (): &mut (), rows: &mut document::Rows<'_>) {
        let Rows { table, file_ids, numbers, floats, texts } = self.0;
        let mut numbers = numbers.into_iter();
        let mut floats = floats.into_iter().map(|column| -> ArrayRef {
            let value = |value: f64| (!value.is_nan()).then_some(value);
            Arc::new(column.into_iter().map(value).collect::<Float64Array>())
        });
        let columns = table.columns.iter().map(|column| -> ArrayRef {
            use heapquarry_tables::Type::{Float64, Int32, Int64, Label, Text};
            match column.ty {
                Int32 if column.name == "file_id" => Arc::new(Int32Array::from(file_ids.clone())),
                Int32 => int32(numbers.next().expect("as declared").into_iter()),
                Int64 => crate::profile::int64(numbers.next().expect("as declared")),
                Float64 => floats.next().expect("as declared"),
                Text => arrays::text(texts.iter().map(Option::as_deref)),
                Label => {
                    let labels = texts.iter().map(Option::as_deref);
                    Arc::new(labels.collect::<DictionaryArray<Int32Type>>())
                }
            }
        });
        rows.add(table, table.batch(columns.collect()));
    }
}

/// Rows of `self_profile_files`.
pub(super) fn files(first_id: i32, name: &str, documents: &[Document]) -> RecordBatch {
    let ids = (first_id..).take(documents.len());
    let floats = |of: fn(&Document) -> Option<f64>| -> ArrayRef {
        Arc::new(documents.iter().map(of).collect::<Float64Array>())
    };
    let counts = |i: usize| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(documents.iter().map(|d| d.counts[i] as i64)))
    };
    SELF_PROFILE_FILES.batch(vec![
        Arc::new(Int32Array::from_iter_values(ids)),
        arrays::text(documents.iter().map(|_| Some(name))),
        arrays::text(documents.iter().map(|d| Some(&d.path))),
        floats(|d| d.origin),
        floats(|d| d.interval),
        counts(0),
        counts(1),
        counts(2),
        counts(3),
    ])
}

/// Rows of `self_profile_info`.
pub(super) fn info(first_id: i32, documents: &[Document]) -> RecordBatch {
    let rows = || {
        let documents = (first_id..).zip(documents);
        documents.flat_map(|(id, document)| document.info.iter().map(move |info| (id, info)))
    };
    SELF_PROFILE_INFO.batch(vec![
        Arc::new(Int32Array::from_iter_values(rows().map(|(id, _)| id))),
        arrays::text(rows().map(|(_, (key, _))| Some(key))),
        arrays::text(rows().map(|(_, (_, value))| Some(value))),
    ])
}
