//! CPU profiles of the members `samples` and `stackFrames`, as Hermes (React Native) and perf write them: one for each
//! thread. Each becomes a document of its own.
//!
//! A sample lasts until the next one of its thread, as in V8's profiles; how long the last one lasted is unknown.
//! Samples that name their CPU were taken only while the thread ran, so the time between them is no time on a CPU:
//! these are counted, without times.

use super::{frames, samples};
use crate::{
    HashMap,
    cpu_profile::{Origin, Recording},
    json::NONE,
};
use heapquarry_tables::FileId;
use std::collections::VecDeque;

/// A frame, in the order of its first mention.
#[derive(Debug, Default)]
struct Frame {
    name: String,
    url: Option<String>,
    parent: Option<u32>,
    /// Line and column, from 0.
    position: [Option<i64>; 2],
    /// Whether `stackFrames` has it.
    is_known: bool,
}

/// The samples of a thread.
#[derive(Debug)]
struct Thread {
    origin: Origin,
    /// Time in nanoseconds, and frame.
    samples: Vec<(Option<i64>, Option<u32>)>,
    is_on_cpu: bool,
}

type ThreadKey = (Option<i64>, Option<String>, Option<i64>, Option<String>);

/// The frames and samples of a trace: 32 bytes a sample.
#[derive(Debug, Default)]
pub(super) struct Sampled {
    /// Memory of all, in bytes, about.
    bytes: u64,
    frames: Vec<Frame>,
    numbers: HashMap<String, u32>,
    threads: VecDeque<Thread>,
    places: HashMap<ThreadKey, usize>,
    /// Threads that have become profiles, and the last of them, from 1, that has each frame.
    done: u32,
    is_in: Vec<u32>,
    /// Nodes that the profiles made so far have.
    nodes: u64,
}

impl Sampled {
    fn number(&mut self, id: &str) -> u32 {
        if let Some(&number) = self.numbers.get(id) {
            return number;
        }
        let number = self.frames.len() as u32;
        self.bytes += (id.len() + 3 * size_of::<Frame>()) as u64;
        self.frames.push(Frame::default());
        self.numbers.insert(id.into(), number);
        number
    }

    pub(super) fn memory(&self) -> u64 {
        self.bytes
    }

    pub(super) fn add_frame(&mut self, row: &frames::Row) {
        let number = self.number(&row.id);
        let parent = row.parent.as_deref().map(|parent| self.number(parent));
        let frames::Function { name, url, position } = row.function();
        self.bytes += 2 * (name.len() + url.map_or(0, str::len)) as u64;
        let (name, url) = (name.to_owned(), url.map(str::to_owned));
        self.frames[number as usize] = Frame { name, url, parent, position, is_known: true };
    }

    pub(super) fn add_sample(&mut self, row: &samples::Row) {
        let frame = row.frame.as_deref().map(|frame| self.number(frame));
        let key = (row.pid, row.pid_text.clone(), row.tid, row.tid_text.clone());
        let threads = &mut self.threads;
        let place = *self.places.entry(key).or_insert_with_key(|(pid, pid_text, tid, tid_text)| {
            let origin = Origin {
                pid: *pid,
                pid_text: pid_text.clone(),
                tid: *tid,
                tid_text: tid_text.clone(),
                ..Origin::default()
            };
            self.bytes += 2 << 10;
            threads.push_back(Thread { origin, samples: Vec::new(), is_on_cpu: false });
            threads.len() - 1
        });
        let thread = &mut threads[place];
        self.bytes += 40;
        thread.samples.push((row.ts, frame));
        thread.is_on_cpu |= row.cpu.is_some_and(|cpu| cpu >= 0);
    }

    /// How many nodes all profiles may have, in proportion to what was read: a frame of real programs is called in a
    /// few threads. A small file could name one long stack in each of many threads. Further nodes are missing, and
    /// each sample of one is a loss.
    fn most_nodes(&self) -> u64 {
        self.bytes / 8 + (1 << 16)
    }

    /// The next profile, with its name. Each is made when it is its turn: a sample can stand for a thousand frames, in
    /// each of a thousand threads.
    pub(super) fn next_profile(&mut self, trace_file_id: FileId) -> Option<(String, Recording)> {
        let thread = self.threads.pop_front()?;
        self.done += 1;
        self.is_in.resize(self.frames.len(), 0);
        let most = self.most_nodes();
        let (frames, is_in, number) = (&self.frames, &mut self.is_in, self.done);
        let nodes = &mut self.nodes;
        let is_new = |frame: u32| {
            let is_new = std::mem::replace(&mut is_in[frame as usize], number) != number;
            *nodes += u64::from(is_new);
            is_new && *nodes <= most
        };
        Some(thread.into_profile(frames, is_new, trace_file_id))
    }
}

impl Thread {
    /// Its profile; `is_new` says whether a frame has not been asked about.
    fn into_profile(
        self,
        frames: &[Frame],
        mut is_new: impl FnMut(u32) -> bool,
        trace_file_id: FileId,
    ) -> (String, Recording) {
        let Thread { mut origin, samples, is_on_cpu } = self;
        origin.trace_file_id = trace_file_id;
        origin.start = samples.iter().filter_map(|(ts, _)| *ts).min();
        let name = name(&origin);
        let mut recording = Recording::in_trace(origin);
        // Ids of nodes begin with 1: a parent of 0 means none.
        let id = |frame: u32| i64::from(frame) + 1;
        for (_, frame) in &samples {
            let mut next = *frame;
            while let Some(at) = next
                && is_new(at)
            {
                let Frame { name, url, parent, position, is_known } = &frames[at as usize];
                if *is_known {
                    let parent = parent.map(id);
                    recording.add_node(id(at), parent, name, url.as_deref(), *position);
                }
                next = *parent;
            }
        }
        let micros = |ts: Option<i64>| ts.map_or(NONE, |ts| ts.div_euclid(1000));
        let times = samples.iter().map(|&(ts, _)| micros(ts));
        let times =
            (!is_on_cpu && samples.iter().any(|(ts, _)| ts.is_some())).then(|| times.collect());
        let ids = samples.iter().map(|&(_, frame)| frame.map_or(NONE, id)).collect();
        recording.set_samples(ids, times);
        (name, recording)
    }
}

/// `samples of thread 3 of process 9`.
fn name(origin: &Origin) -> String {
    let id = |number: Option<i64>, text: &Option<String>| {
        text.clone().or_else(|| number.map(|number| number.to_string()))
    };
    let mut name = String::from("samples");
    let parts = [
        (" of thread ", id(origin.tid, &origin.tid_text)),
        (" of process ", id(origin.pid, &origin.pid_text)),
    ];
    for (before, part) in parts {
        name.extend(part.map(|part| format!("{before}{part}")));
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One stack in each of the threads: all of it in a few, and not a million rows of a small file.
    #[test]
    fn nodes_are_in_proportion_to_the_file() {
        for (thread_count, depth) in [(10, 1000u32), (1000, 1000)] {
            let mut sampled = Sampled::default();
            for frame in 0..depth {
                sampled.number(&frame.to_string());
                let parent = frame.checked_sub(1);
                let known = Frame { parent, is_known: true, ..Frame::default() };
                sampled.frames[frame as usize] = known;
            }
            for _ in 0..thread_count {
                let samples = vec![(Some(1), Some(depth - 1))];
                let thread = Thread { origin: Origin::default(), samples, is_on_cpu: false };
                sampled.threads.push_back(thread);
            }
            let all = u64::from(depth) * thread_count;
            let mut made = 0;
            while let Some((_, recording)) = sampled.next_profile(FileId(0)) {
                made += recording.node_count();
            }
            assert_eq!(made, all.min(sampled.most_nodes()), "{thread_count} threads");
            assert_eq!(all > made, thread_count == 1000);
        }
    }
}
