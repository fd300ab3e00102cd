//! Claimed row groups.

use super::{
    context::Context,
    records::Records,
    sections::{
        RecordDecoder, RecordTask,
        trace_tree::{Chunk, Frames},
    },
    side_output::{Completed, SideOutput},
    strings::{self, ClaimedStrings, StringPart},
};
use crate::{
    Log,
    document::{self, Rows},
};
use arrow_array::RecordBatch;
use heapquarry_tables::{Columns, Table, pool::Pool};
use std::sync::Arc;

/// A claimed row group that is not decoded yet.
#[derive(Debug)]
pub struct Task {
    table: &'static Table,
    work: Work,
    context: Arc<Context>,
}

/// What to decode.
#[derive(Debug)]
pub(crate) enum Work {
    Records(&'static RecordDecoder, Records),
    Strings(ClaimedStrings),
    /// Frames whose parents are not known yet: their rows come with a later task.
    TraceChunk(Chunk),
    TraceFrames(Box<Frames>),
}

/// What the reader needs of a decoded task.
#[derive(Debug)]
pub struct Done {
    pub(crate) log: Log,
    pub(crate) completed: Completed,
}

/// Memory that a worker reuses for each task.
#[derive(Debug, Default)]
pub struct Scratch {
    pool: Pool<u32>,
}

impl Task {
    pub(crate) fn new(table: &'static Table, work: Work, context: Arc<Context>) -> Self {
        Task { table, work, context }
    }

    /// The side output alone, without the rows.
    fn decode_side_output(self, bytes: &[u8], pool: &Pool<u32>, log: &mut Log) -> SideOutput {
        let context = &*self.context;
        match self.work {
            Work::Records(decoder, records) => {
                let fields = context.header.fields(decoder.fields);
                let columns = Columns::NONE;
                let task = RecordTask { context, fields, records, bytes, pool, log, columns };
                (decoder.decode_side_output)(task)
            }
            Work::Strings(claimed) => {
                let strings = claimed.decode(bytes, log);
                SideOutput::Strings(StringPart { first: claimed.first, strings })
            }
            Work::TraceChunk(chunk) => SideOutput::TraceTree(chunk.decode(bytes)),
            Work::TraceFrames(_) => SideOutput::None,
        }
    }

    /// The side output and the rows, unless they come with a later task.
    fn decode_rows(
        self,
        bytes: &[u8],
        pool: &Pool<u32>,
        log: &mut Log,
        columns: Columns,
    ) -> (Option<RecordBatch>, SideOutput) {
        let context = &*self.context;
        let (batch, side_output) = match self.work {
            Work::Records(decoder, records) => {
                let fields = context.header.fields(decoder.fields);
                let task = RecordTask { context, fields, records, bytes, pool, log, columns };
                (decoder.decode)(task)
            }
            Work::Strings(claimed) => {
                let strings = claimed.decode(bytes, log);
                let batch = strings::rows(context.file_id, claimed.first, &strings);
                let side_output = match context.keeps_strings {
                    true => SideOutput::Strings(StringPart { first: claimed.first, strings }),
                    false => SideOutput::None,
                };
                (batch, side_output)
            }
            Work::TraceChunk(chunk) => return (None, SideOutput::TraceTree(chunk.decode(bytes))),
            Work::TraceFrames(frames) => (frames.batch(context.file_id), SideOutput::None),
        };
        (Some(batch), side_output)
    }
}

impl document::Task for Task {
    type Done = Done;
    type Scratch = Scratch;

    fn tables(&self) -> Vec<&'static Table> {
        match self.work {
            Work::TraceChunk(_) => Vec::new(),
            Work::Records(..) | Work::Strings(_) | Work::TraceFrames(_) => vec![self.table],
        }
    }

    fn has_side_output(&self) -> bool {
        match self.work {
            Work::Records(decoder, _) => (decoder.has_side_output)(&self.context),
            Work::Strings(_) => self.context.keeps_strings,
            Work::TraceChunk(_) => true,
            Work::TraceFrames(_) => false,
        }
    }

    fn decode(self, bytes: &[u8], scratch: &mut Scratch, rows: &mut Rows<'_>) -> Done {
        let (table, context, mut log) = (self.table, self.context.clone(), Log::default());
        let (batch, side_output) = match rows.wants(table) {
            true => self.decode_rows(bytes, &scratch.pool, &mut log, rows.columns(table)),
            false => (None, self.decode_side_output(bytes, &scratch.pool, &mut log)),
        };
        if let Some(batch) = batch {
            rows.add(table, batch);
        }
        Done { log, completed: context.joining.add(side_output) }
    }
}
