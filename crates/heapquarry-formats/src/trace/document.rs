//! A trace in JSON together with the ftrace text that it may hold in a string (`systemTraceEvents`). Both are one
//! document and are read one after the other, because events of the trace define the clock of the text.

use super::{Done, Scratch, Task, Trace};
use crate::{
    Buffer, ByteOffset, Claim, Finished, Gather, Gathered, Input, Kept, ReadOptions, Reader,
    Result,
    ahead::Ahead,
    document::{self, Rows},
    ftrace::{self, Ftrace, Within, gathers},
    worst,
};
use heapquarry_tables::{FTRACE_EVENT, FTRACE_TABLES, FileId, Table};
use heapquarry_timeline::{Events, clock_syncs};

/// A trace and the ftrace text in it, being read.
pub struct Document<'a> {
    input: &'a dyn Input,
    file_id: FileId,
    options: ReadOptions,
    state: State<'a>,
    /// Number of claimed tasks that will be complete, but are not yet.
    under_way: u64,
}

enum State<'a> {
    Trace(Box<Trace<'a>>),
    /// The trace has been read, and its text is being read: what the trace left, and the bytes that this takes besides
    /// its events, which the text goes on with.
    System(Box<Finished>, u64, Box<Ftrace<'a>>),
    /// Only during the change from one to the other.
    Changing,
}

impl<'a> Document<'a> {
    /// Starts reading at `offset`, as [`Trace::new`]. `file_id` goes into every row; CPU profiles in the trace are
    /// documents that follow it.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn new(
        input: &'a dyn Input,
        offset: ByteOffset,
        file_id: FileId,
        options: &ReadOptions,
    ) -> Result<Self> {
        // Events of the trace define the clock of the text, whoever wants them.
        let is_clock = options.projection.wants(&FTRACE_EVENT);
        let gather = if is_clock { Gather::Always } else { options.gather };
        let of_trace = options.clone().gather(gather);
        let state = State::Trace(Box::new(Trace::new(input, offset, file_id, &of_trace)?));
        Ok(Document { input, file_id, options: options.clone(), state, under_way: 0 })
    }

    /// Whether a task is decoded: one that nobody wants anything of is dropped, and never complete.
    fn is_decoded(&self, task: &DocumentTask) -> bool {
        let wants = |table: &&'static Table| self.options.projection.wants(table);
        document::Task::has_side_output(task) || document::Task::tables(task).iter().any(wants)
    }

    /// Continues with the text, after the trace has been read.
    fn begin_system(&mut self, text: Within) -> Result<()> {
        let State::Trace(trace) = std::mem::replace(&mut self.state, State::Changing) else {
            return Ok(());
        };
        let bytes = trace.memory();
        let mut finished = trace.finish();
        let events = match finished.gathered.take() {
            Some(Gathered::Trace(parts)) => parts.events,
            _ => Events::default(),
        };
        let text = Within { syncs: syncs(&events), ..text };
        let mut ftrace = Ftrace::within(self.input, self.file_id, &text, &self.options)?;
        // Some are gathered for their clock alone.
        if gathers(&self.options) {
            ftrace = ftrace.with_events(events);
        }
        self.state = State::System(Box::new(finished), bytes, Box::new(ftrace));
        Ok(())
    }
}

/// Values of the trace's clock at points that it shares with other clocks.
fn syncs(events: &Events) -> Vec<(String, i64)> {
    let named = |key| events.strings().get(key).map(String::from);
    let issued = clock_syncs(events).into_iter();
    issued.filter_map(|sync| Some((named(sync.sync_id)?, sync.issue_ts?))).collect()
}

/// The rows of a row group of a trace, or of the ftrace text in it.
#[derive(Debug)]
pub enum DocumentTask {
    /// Of the trace.
    Trace(Task),
    /// Of the text.
    System(ftrace::Task),
}

/// The side output of a task.
#[derive(Debug)]
pub enum DocumentDone {
    /// A task of the trace.
    Trace(Box<Done>),
    /// A task of the text.
    System(Box<ftrace::Done>),
}

impl<'a> Reader for Document<'a> {
    type Task = DocumentTask;
    type Ahead = Ahead<'a>;

    fn ahead(&mut self) -> Option<Ahead<'a>> {
        match &mut self.state {
            State::Trace(trace) => trace.ahead(),
            State::System(..) | State::Changing => None,
        }
    }

    fn claim(&mut self, buf: &mut Buffer) -> Result<Claim<DocumentTask>> {
        let claim = match &mut self.state {
            State::Trace(trace) => match trace.claim(buf)? {
                Claim::End => match trace.system() {
                    None => Claim::End,
                    Some(_) if self.under_way > 0 => Claim::Wait,
                    Some(text) => {
                        self.begin_system(text)?;
                        Claim::Tables(&FTRACE_TABLES)
                    }
                },
                claim => claim.map(DocumentTask::Trace),
            },
            State::System(.., ftrace) => ftrace.claim(buf)?.map(DocumentTask::System),
            State::Changing => Claim::End,
        };
        let will_complete = matches!(&claim, Claim::Task(task, _) if self.is_decoded(task));
        self.under_way += u64::from(will_complete);
        Ok(claim)
    }

    fn kept(&self) -> Kept {
        match &self.state {
            State::Trace(trace) => trace.kept(),
            State::System(_, of_trace, ftrace) => {
                let Kept { events, bytes } = ftrace.kept();
                Kept { events, bytes: bytes + of_trace }
            }
            State::Changing => Kept::default(),
        }
    }

    fn complete(&mut self, done: DocumentDone) {
        self.under_way -= 1;
        match (&mut self.state, done) {
            (State::Trace(trace), DocumentDone::Trace(done)) => trace.complete(*done),
            (State::System(.., ftrace), DocumentDone::System(done)) => ftrace.complete(*done),
            // The text begins when no task of the trace is running.
            _ => debug_assert!(false, "a task of another part"),
        }
    }

    fn finish(self) -> Finished {
        match self.state {
            State::Trace(trace) => {
                let finished = trace.finish();
                let gathered = finished.gathered.filter(|_| gathers(&self.options));
                Finished { gathered, ..finished }
            }
            State::System(mut finished, _, ftrace) => {
                let system = ftrace.finish();
                finished.batches.extend(system.batches);
                for (whole, part) in finished.documents.iter_mut().zip(system.documents) {
                    whole.counts.extend(part.counts);
                    whole.log.merge(part.log);
                    whole.status = worst([whole.status, part.status]);
                }
                finished.gathered = system.gathered;
                *finished
            }
            State::Changing => Finished::default(),
        }
    }
}

impl document::Task for DocumentTask {
    type Done = DocumentDone;
    type Scratch = Scratch;

    fn tables(&self) -> Vec<&'static Table> {
        match self {
            DocumentTask::Trace(task) => task.tables(),
            DocumentTask::System(task) => task.tables(),
        }
    }

    fn has_side_output(&self) -> bool {
        match self {
            DocumentTask::Trace(task) => task.has_side_output(),
            DocumentTask::System(task) => task.has_side_output(),
        }
    }

    fn decode(self, bytes: &[u8], scratch: &mut Scratch, rows: &mut Rows<'_>) -> DocumentDone {
        match self {
            DocumentTask::Trace(task) => {
                DocumentDone::Trace(Box::new(task.decode(bytes, scratch, rows)))
            }
            DocumentTask::System(task) => {
                DocumentDone::System(Box::new(task.decode(bytes, &mut Default::default(), rows)))
            }
        }
    }
}
