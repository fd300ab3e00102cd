//! The member `samples`: samples of the whole trace, not of a profile in it.

use super::{
    event::whole,
    extra::Extra,
    frames::{string, take_group},
    json::Scalar,
    members::{Kind, Members},
    number,
};
use crate::{ByteOffset, Code, Log};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use heapquarry_tables::{FileId, TRACE_SAMPLE, Table, arrays, trace_sample};
use std::sync::Arc;

/// Rows of `trace_sample`.
#[derive(Default)]
pub(super) struct Samples {
    rows: Vec<Row>,
    /// Bytes of them in the file.
    bytes: usize,
    taken: u64,
}

/// A sample.
#[derive(Default)]
pub(super) struct Row {
    pub(super) ts: Option<i64>,
    pub(super) cpu: Option<i64>,
    pub(super) pid: Option<i64>,
    pub(super) pid_text: Option<String>,
    pub(super) tid: Option<i64>,
    pub(super) tid_text: Option<String>,
    name: Option<String>,
    pub(super) frame: Option<String>,
    weight: Option<f64>,
    extra: Option<String>,
}

impl Samples {
    pub(super) fn count(&self) -> u64 {
        self.taken + self.rows.len() as u64
    }

    /// Adds a sample at that offset. Returns its row, if it is a sample.
    pub(super) fn add(&mut self, sample: &[u8], at: ByteOffset, log: &mut Log) -> Option<&Row> {
        let sample = String::from_utf8_lossy(sample);
        if !sample.starts_with('{') {
            log.add_excerpt(Code::NotAnEvent, at, sample.as_bytes(), || {
                "a sample that is no object".into()
            });
            return None;
        }
        let mut row = Row::default();
        let mut extra = Extra::new(1);
        for member in Members::new(sample.as_bytes()) {
            let value = member.value;
            let is_text = matches!(value.kind, Kind::Text { .. });
            // Whether the columns hold the whole value.
            let is_held = match member.key {
                b"ts" => {
                    let time = value.digits().and_then(number::nanoseconds);
                    row.ts = time.map(|(time, _)| time);
                    if time.is_none() && value.digits().is_some_and(number::is_finite) {
                        log.add_excerpt(Code::TimeOutOfRange, at, value.raw, || {
                            "`ts` of a sample is beyond the range of times, 292 years".into()
                        });
                    }
                    matches!(time, Some((_, true))) && !is_text
                }
                b"cpu" => {
                    let (cpu, exact) = whole(value);
                    row.cpu = cpu;
                    exact
                }
                b"pid" | b"tid" => {
                    let (number, exact) = whole(value);
                    let text = if is_text { string(value) } else { None };
                    let is_held = exact || text.is_some();
                    if member.key == b"pid" {
                        (row.pid, row.pid_text) = (number, text);
                    } else {
                        (row.tid, row.tid_text) = (number, text);
                    }
                    is_held
                }
                b"name" => {
                    row.name = string(value);
                    is_text
                }
                b"sf" => {
                    row.frame = string(value);
                    row.frame.is_some()
                }
                b"weight" => {
                    row.weight = value.digits().and_then(number::real);
                    matches!(value.kind, Kind::Scalar(Scalar::Number))
                }
                _ => false,
            };
            if !is_held {
                extra.add(member);
            }
        }
        row.extra = extra.into_text();
        self.bytes += sample.len();
        self.rows.push(row);
        self.rows.last()
    }

    /// A row group, if there are enough rows; at the end, any that are left.
    pub(super) fn take(
        &mut self,
        file_id: FileId,
        rows: usize,
        at_end: bool,
    ) -> Option<(&'static Table, RecordBatch)> {
        let first = self.taken as i64;
        let rows = take_group(&mut self.rows, &mut self.bytes, rows, at_end)?;
        self.taken += rows.len() as u64;
        let ints = |of: fn(&Row) -> Option<i64>| -> ArrayRef {
            Arc::new(rows.iter().map(of).collect::<Int64Array>())
        };
        let texts = |of: fn(&Row) -> Option<&String>| arrays::text(rows.iter().map(of));
        let batch = trace_sample::Columns {
            file_id: file_id.column(rows.len()),
            sample_index: Arc::new(Int64Array::from_iter_values(first..first + rows.len() as i64)),
            ts: ints(|row| row.ts),
            cpu: ints(|row| row.cpu),
            pid: ints(|row| row.pid),
            pid_text: texts(|row| row.pid_text.as_ref()),
            tid: ints(|row| row.tid),
            tid_text: texts(|row| row.tid_text.as_ref()),
            name: texts(|row| row.name.as_ref()),
            stack_frame_id: texts(|row| row.frame.as_ref()),
            weight: Arc::new(rows.iter().map(|row| row.weight).collect::<Float64Array>()),
            extra: texts(|row| row.extra.as_ref()),
        }
        .into_batch();
        Some((&TRACE_SAMPLE, batch))
    }
}
