//! CPU profiles in a trace. Each becomes a document of its own.
//!
//! One of V8 consists of an event that begins it (`Profile`), on the profiled thread, and chunks of nodes and samples
//! (`ProfileChunk`), which another thread writes; before Chrome 66 it was one event (`CpuProfile`). They share an id
//! that is unique within a process. The first pass records where these events are. When all are known, a second pass
//! reads each profile from its events, in order of time, so their order in the file does not matter.
//!
//! Samples count from the time of the first event and not from `startTime`, which is on another clock, as in DevTools:
//! <https://github.com/ChromeDevTools/devtools-frontend/blob/main/front_end/models/trace/handlers/SamplesHandler.ts>.

use super::{
    sampled::Sampled,
    second_pass::{self, Deferred, Role},
};
use crate::{
    ByteOffset, Claim, Code, HashMap, Input, ReadOptions, Result, Summary,
    cpu_profile::{self, Origin, Recording},
    json::{Json, Step},
    profile::log_stop,
};
use arrow_array::RecordBatch;
use heapquarry_tables::{FileId, Table};
use std::collections::VecDeque;

/// Bytes of events that are read before other workers may claim.
const PIECE: u64 = 1 << 20;

/// Memory of the small tables of a profile that has been read, in bytes, about.
const PER_PROFILE: u64 = 16 << 10;

/// The events of a profile.
#[derive(Debug, Default)]
struct Plan {
    /// The event that begins the profile, or holds all of it; it may be missing.
    head: Option<Deferred>,
    chunks: Vec<Deferred>,
    /// Number of chunks that are older than the beginning.
    early: usize,
}

/// All profiles of a trace.
pub(super) struct Profiles<'a> {
    input: &'a dyn Input,
    /// Number of the trace's document.
    file_id: FileId,
    options: ReadOptions,
    pieces: Vec<Deferred>,
    /// The profiles to read, once all events are known.
    plans: Option<VecDeque<Plan>>,
    /// The profile that is being read.
    reading: Option<Reading>,
    /// The profile that is being handed out, its name and its size.
    current: Option<(Box<cpu_profile::Rows<'a>>, String, u64)>,
    /// Profiles of samples that are no events.
    sampled: Sampled,
    batches: Vec<(&'static Table, RecordBatch)>,
    summaries: Vec<Summary>,
}

impl<'a> Profiles<'a> {
    pub(super) fn new(input: &'a dyn Input, file_id: FileId, options: ReadOptions) -> Self {
        Profiles {
            input,
            file_id,
            options,
            pieces: Vec::new(),
            plans: None,
            reading: None,
            current: None,
            sampled: Sampled::default(),
            batches: Vec::new(),
            summaries: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, pieces: Vec<Deferred>) {
        self.pieces.extend(pieces);
    }

    /// Memory that they take, in bytes, about.
    pub(super) fn memory(&self) -> u64 {
        let current = self.current.as_ref().map_or(0, |(rows, ..)| rows.memory());
        let read = PER_PROFILE * self.summaries.len() as u64;
        let reading = self.reading.as_ref().map_or(0, |reading| reading.recording.memory());
        current + reading + self.sampled.memory() + read + second_pass::memory(self.pieces.len())
    }

    pub(super) fn add_sampled(&mut self, sampled: Sampled) {
        self.sampled = sampled;
    }

    /// Claims the next rows, after all events were added, or reads some events.
    pub(super) fn claim(&mut self) -> Result<Claim<cpu_profile::Task>> {
        let plans = self.plans.get_or_insert_with(|| plan(std::mem::take(&mut self.pieces)));
        loop {
            if let Some((rows, ..)) = &mut self.current {
                match rows.claim()? {
                    Claim::End => {}
                    claim => return Ok(claim),
                }
            }
            if let Some((rows, name, bytes)) = self.current.take() {
                let (batches, summary) = rows.finish(&name, bytes);
                self.batches.extend(batches);
                self.summaries.push(Summary { name: Some(name), ..summary });
            }
            if let Some(reading) = &mut self.reading
                && reading.read(self.input)?
            {
                return Ok(Claim::Progress(0));
            }
            let (name, recording, bytes) = if let Some(done) = self.reading.take() {
                (done.name, done.recording, done.bytes)
            } else if let Some(plan) = plans.pop_front() {
                self.reading = Some(plan.begin(self.file_id));
                continue;
            } else if let Some((name, recording)) = self.sampled.next_profile(self.file_id) {
                (name, recording, 0)
            } else {
                return Ok(Claim::End);
            };
            let file_id = self.file_id.plus(1 + self.summaries.len());
            let rows = recording.into_rows(self.input, file_id, &self.options)?;
            self.current = Some((Box::new(rows), name, bytes));
        }
    }

    /// Rows of small tables, and a summary of each profile.
    pub(super) fn finish(self) -> (Vec<(&'static Table, RecordBatch)>, Vec<Summary>) {
        (self.batches, self.summaries)
    }
}

/// Groups the events by profile, in the order of the profiles' first events in the file.
fn plan(mut pieces: Vec<Deferred>) -> VecDeque<Plan> {
    pieces.sort_unstable_by_key(|piece| (piece.ts, piece.event));
    let mut plans: Vec<Plan> = Vec::new();
    let mut open = HashMap::<(Option<i64>, Option<String>, Option<String>), usize>::default();
    for piece in pieces {
        if piece.role == Role::Whole {
            plans.push(Plan { head: Some(piece), ..Plan::default() });
            continue;
        }
        let key = (piece.pid, piece.pid_text.clone(), piece.id.clone());
        let is_head = piece.role == Role::Head;
        let known = open.get(&key).copied().filter(|&at| !is_head || plans[at].head.is_none());
        let at = known.unwrap_or_else(|| {
            plans.push(Plan::default());
            plans.len() - 1
        });
        open.insert(key, at);
        let plan = &mut plans[at];
        if is_head {
            plan.early = plan.chunks.len();
            plan.head = Some(piece);
        } else {
            plan.chunks.push(piece);
        }
    }
    plans.sort_unstable_by_key(|plan| plan.pieces().map(|piece| piece.event).min());
    plans.into()
}

impl Plan {
    fn pieces(&self) -> impl Iterator<Item = &Deferred> {
        self.head.iter().chain(&self.chunks)
    }

    fn name(&self) -> String {
        let piece = self.pieces().next().expect("a profile has events");
        let pid = piece.pid.map(|pid| pid.to_string()).or_else(|| piece.pid_text.clone());
        let mut name = String::from("CPU profile");
        for (before, part) in [(" ", &piece.id), (" of process ", &pid)] {
            if let Some(part) = part {
                name += before;
                name += part;
            }
        }
        name
    }

    /// Begins to read the events.
    fn begin(self, trace_file_id: FileId) -> Reading {
        let head = self.head.as_ref();
        let any = self.pieces().next().expect("a profile has events");
        let mut recording = Recording::in_trace(Origin {
            trace_file_id,
            event: head.map(|head| head.event),
            id: any.id.clone(),
            pid: any.pid,
            pid_text: any.pid_text.clone(),
            // Another thread writes the chunks.
            tid: head.and_then(|head| head.tid),
            tid_text: head.and_then(|head| head.tid_text.clone()),
            start: head.filter(|head| head.role == Role::Head).and_then(|head| head.ts),
        });
        let log = recording.log();
        if head.is_none() {
            log.add(Code::ProfileWithoutStart, any.offset, || {
                "no event `Profile` tells its thread and its start: times count from 0".into()
            });
        }
        if let (Some(chunk), 1..) = (self.chunks.first(), self.early) {
            log.add(Code::EarlyProfileChunk, chunk.offset, || {
                format!("{} chunks are older than the event `Profile`", self.early)
            });
        }
        let pieces = self.head.iter().chain(&self.chunks).map(|piece| piece.offset).collect();
        Reading { name: self.name(), recording, pieces, bytes: 0 }
    }
}

/// A profile of which some events have been read.
struct Reading {
    name: String,
    recording: Recording,
    /// Where the others are.
    pieces: VecDeque<ByteOffset>,
    /// Size of those that have been read, in bytes.
    bytes: u64,
}

impl Reading {
    /// Reads some events; returns whether there were any.
    fn read(&mut self, input: &dyn Input) -> Result<bool> {
        let Reading { recording, pieces, bytes, .. } = self;
        let (begun, until) = (!pieces.is_empty(), *bytes + PIECE);
        while *bytes < until
            && let Some(offset) = pieces.pop_front()
        {
            let mut json = Json::new(input, offset, crate::WINDOW);
            let read = find_data(&mut json).and_then(|found| match found {
                true => recording.add_object(&mut json),
                false => {
                    recording.log().add(Code::EmptyProfileChunk, offset, || {
                        "an event of the profile without `args.data`".into()
                    });
                    Ok(())
                }
            });
            *bytes += json.at() - offset;
            read.or_else(|stop| log_stop(stop, input, recording.log()))?;
        }
        Ok(begun)
    }
}

/// Moves to `args.data` of the event at the current position; returns whether it exists.
fn find_data(json: &mut Json<'_>) -> Step<bool> {
    for name in [b"args", b"data"] {
        json.eat(b'{')?;
        loop {
            let Some(key) = json.key()? else { return Ok(false) };
            if json.bytes(&key.span) == name && json.next()? == b'{' {
                break;
            }
            json.skip_value()?;
        }
    }
    Ok(true)
}
