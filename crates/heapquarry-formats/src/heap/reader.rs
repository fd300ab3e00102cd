//! A snapshot as one of the formats.

use super::{Claim, Done, Options, Scratch, Snapshot, Summary, Task, claim};
use crate::{
    Buffer, Finished, Format, Gathered, ReadOptions, Reader, Result,
    document::{self, Rows},
};
use heapquarry_tables::Table;

impl From<&ReadOptions> for Options {
    fn from(options: &ReadOptions) -> Self {
        let ReadOptions { row_group_rows, window, names, locate, .. } = *options;
        let collect = options.gathers(Format::Heap);
        Options { names, locate, row_group_rows, window, collect }
    }
}

impl<'a> Reader for Snapshot<'a> {
    type Task = Task;
    type Ahead = claim::Ahead<'a>;

    fn ahead(&mut self) -> Option<claim::Ahead<'a>> {
        self.ahead()
    }

    fn claim(&mut self, buf: &mut Buffer) -> Result<document::Claim<Task>> {
        Ok(match Snapshot::claim(self, buf)? {
            Claim::Task(task) => document::Claim::Task(task, buf.len() as u64),
            Claim::Wait => document::Claim::Wait,
            Claim::End => document::Claim::End,
        })
    }

    fn complete(&mut self, done: Done) {
        Snapshot::complete(self, done);
    }

    fn finish(self) -> Finished {
        let bytes = self.input.size();
        let (batches, mut summary) = Snapshot::finish(self);
        let gathered = summary.heap.take().map(|heap| Gathered::Heap(Box::new(heap)));
        Finished { batches, documents: vec![summary.of_document(bytes)], gathered }
    }
}

impl Summary {
    /// The same as every format has it, of a document of that size.
    pub fn of_document(self, bytes: u64) -> document::Summary {
        let counts = &self.counts;
        document::Summary {
            name: None,
            format: if self.timeline { "heaptimeline" } else { "heapsnapshot" },
            producer: self.producer,
            bytes,
            status: self.status,
            counts: vec![
                ("nodes", counts.nodes),
                ("edges", counts.edges),
                ("strings", counts.strings),
            ],
            log: self.log,
        }
    }
}

impl document::Task for Task {
    type Done = Done;
    type Scratch = Scratch;

    fn tables(&self) -> Vec<&'static Table> {
        if self.gives_rows() { vec![self.table()] } else { Vec::new() }
    }

    fn has_side_output(&self) -> bool {
        Task::has_side_output(self)
    }

    fn decode(self, bytes: &[u8], scratch: &mut Scratch, rows: &mut Rows<'_>) -> Done {
        let table = self.table();
        if !rows.wants(table) {
            return self.skim(bytes, scratch);
        }
        let (batch, done) = Task::decode(self, bytes, scratch);
        if let Some(batch) = batch {
            rows.add(table, batch);
        }
        done
    }
}
