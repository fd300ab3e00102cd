//! CPU profiles: `.cpuprofile` files of the DevTools protocol (`Profiler.Profile`), of V8's own serializer, VS Code and
//! ArkTS, with children or parents, and the old form with nested nodes.
//! <https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile>
//!
//! A [`CpuProfile`] reads a document. A [`Recording`] assembles a profile from chunks, as in traces.
//!
//! The members of the document are read once, in any order. Nodes are kept in compact form, because their sums are
//! known only at the end. Of the arrays of samples and times only the offsets are kept; later they are read in
//! parallel. So memory grows with the number of nodes, not of samples.

mod recording;
mod rows;
mod samples;
mod sniff;
mod spread;

pub use recording::{Origin, Recording};
pub use rows::{Rows, Task};
pub(crate) use sniff::recognises;

use crate::{
    Buffer, ByteOffset, Claim, Code, Finished, Input, Kept, ReadOptions, Reader, Result,
    json::{Json, Step, Stop},
    profile::{self, NodesReader, log_stop},
};
use heapquarry_tables::FileId;
use recording::{Arrays, Member};

/// Bytes of nodes that are read before other workers may claim.
const PIECE: u64 = 1 << 20;

/// A document with a CPU profile.
pub struct CpuProfile<'a> {
    input: &'a dyn Input,
    file_id: FileId,
    name: String,
    options: ReadOptions,
    json: Json<'a>,
    state: State<'a>,
    /// Whether the profile is the whole input.
    is_whole_input: bool,
    /// Where another document follows it.
    next: Option<ByteOffset>,
    /// Bytes that were already reported as read.
    bytes_reported: ByteOffset,
}

enum State<'a> {
    Members(Recording),
    Nodes(Recording, NodesReader),
    Rows(Box<Rows<'a>>),
    /// Only during a transition.
    None,
}

impl<'a> CpuProfile<'a> {
    /// Starts to read the object at `offset`. `file_id` goes into every row, `name` into `js_cpu_profiler_files`.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn new(
        input: &'a dyn Input,
        offset: ByteOffset,
        file_id: FileId,
        name: &str,
        options: &ReadOptions,
    ) -> Result<Self> {
        let mut recording = Recording::new();
        let mut json = profile::reader(input, offset, options.window, &mut recording.log)?;
        let state = if profile::enter(&mut json, input, &mut recording.log)? {
            State::Members(recording)
        } else {
            State::Rows(Box::new(recording.into_rows(input, file_id, options)?))
        };
        let (name, is_whole_input) = (name.into(), offset == ByteOffset::START);
        let bytes_reported = offset;
        let options = options.clone();
        Ok(CpuProfile {
            input,
            file_id,
            name,
            options,
            json,
            state,
            is_whole_input,
            next: None,
            bytes_reported,
        })
    }

    /// Reads a member, or a part of the nodes.
    fn advance(&mut self) -> Result<Claim<Task>> {
        let rows = self.options.row_group_rows.max(1);
        match std::mem::replace(&mut self.state, State::None) {
            State::Members(mut recording) => {
                match self.read_member(&mut recording) {
                    Ok(Some(Member::Done)) => self.state = State::Members(recording),
                    Ok(Some(Member::Nodes(nodes))) => self.state = State::Nodes(recording, nodes),
                    Ok(None) => {
                        self.check_end(&mut recording)?;
                        self.end(recording)?;
                    }
                    Err(stop) => self.stop(recording, stop)?,
                }
                Ok(Claim::Progress(0))
            }
            State::Nodes(mut recording, mut nodes) => {
                let until = self.json.at() + PIECE;
                match recording.read_nodes(&mut nodes, &mut self.json, until) {
                    Ok(true) => self.state = State::Members(recording),
                    Ok(false) => {
                        let task = match nodes.is_between() {
                            true => recording.take_ticks(self.file_id, rows, false),
                            false => None,
                        };
                        self.state = State::Nodes(recording, nodes);
                        return Ok(task.map_or(Claim::Progress(0), |task| Claim::Task(task, 0)));
                    }
                    Err(stop) => self.stop(recording, stop)?,
                }
                Ok(Claim::Progress(0))
            }
            State::Rows(mut of) => {
                let task = of.claim();
                self.state = State::Rows(of);
                task
            }
            State::None => unreachable!("a state follows each"),
        }
    }

    fn read_member(&mut self, recording: &mut Recording) -> Step<Option<Member>> {
        let json = &mut self.json;
        let Some(key) = json.key()? else { return Ok(None) };
        let name = json.bytes(&key.span).to_vec();
        recording.member(&name, json, Arrays::Locate).map(Some)
    }

    fn check_end(&mut self, recording: &mut Recording) -> Result<()> {
        // What surrounds a profile within another document is not checked here.
        if self.is_whole_input {
            self.next = profile::next_document(&mut self.json, self.input, &mut recording.log)?;
        }
        if !recording.has_nodes() {
            recording.log.add(Code::MissingSection, None, || "there are no \"nodes\"".into());
        }
        Ok(())
    }

    fn stop(&mut self, mut recording: Recording, stop: Stop) -> Result<()> {
        log_stop(stop, self.input, &mut recording.log)?;
        self.end(recording)
    }

    fn end(&mut self, mut recording: Recording) -> Result<()> {
        self.json.log_zeros(&mut recording.log);
        let rows = recording.into_rows(self.input, self.file_id, &self.options)?;
        self.state = State::Rows(Box::new(rows));
        Ok(())
    }
}

impl Reader for CpuProfile<'_> {
    type Task = Task;
    type Ahead = ();

    fn claim(&mut self, _: &mut Buffer) -> Result<Claim<Task>> {
        let claim = self.advance()?;
        let at = self.json.at().max(self.bytes_reported);
        let read = at - std::mem::replace(&mut self.bytes_reported, at);
        Ok(match claim {
            Claim::Task(task, _) => Claim::Task(task, read),
            Claim::Progress(_) => Claim::Progress(read),
            other => other,
        })
    }

    fn kept(&self) -> Kept {
        let bytes = match &self.state {
            State::Members(recording) | State::Nodes(recording, _) => recording.memory(),
            State::Rows(rows) => rows.memory(),
            State::None => 0,
        };
        Kept { bytes, events: 0 }
    }

    fn complete(&mut self, (): ()) {}

    fn finish(self) -> Finished {
        let State::Rows(rows) = self.state else { panic!("finish() before the end") };
        let (batches, summary) = rows.finish(&self.name, self.input.size());
        Finished { batches, documents: vec![summary], gathered: None, next: self.next }
    }
}
