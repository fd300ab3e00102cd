//! One trace: its four arrays, in any order.

use super::rows::{self, Pending};
use crate::{
    ByteOffset, Code, HashMap, Log,
    json::{Json, NONE, Step},
    profile::{Calls, Frames, NO, float, integer},
};
use heapquarry_tables::FileId;

/// The arrays of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Frames,
    Resources,
    Samples,
    Stacks,
}

impl Section {
    pub(super) fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "frames" => Section::Frames,
            "resources" => Section::Resources,
            "samples" => Section::Samples,
            "stacks" => Section::Stacks,
            _ => return None,
        })
    }
}

/// A frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) name: u32,
    pub(super) resource: i64,
    pub(super) line: i64,
    pub(super) column: i64,
}

/// A sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// NaN if the file does not have it.
    pub(super) timestamp: f64,
    /// -1 for none.
    pub(super) stack: i64,
    /// Number of its text.
    pub(super) marker: u32,
}

/// A trace being read.
#[derive(Debug, Default)]
pub(super) struct Trace {
    met: [bool; 4],
    /// Whether an element had members that only elements of traces have.
    pub(super) is_certain: bool,
    /// Its number among the input's traces, once it is certainly a trace.
    pub(super) number: Option<usize>,
    /// Stores the texts.
    texts: Frames,
    frames: Vec<Frame>,
    resources: Vec<u32>,
    /// Innermost frame, and parent.
    stacks: Vec<(i64, i64)>,
    /// Samples that have not been turned into rows.
    samples: Vec<Sample>,
    /// Number of samples that have been turned into rows.
    flushed: u64,
    /// Samples by stack.
    counts: HashMap<i64, i64>,
    pub(super) log: Log,
}

impl Trace {
    /// Begins an array at that offset; returns `false` if the trace already had it.
    pub(super) fn begin(&mut self, section: Section, at: ByteOffset) -> bool {
        let met = std::mem::replace(&mut self.met[section as usize], true);
        if met {
            self.log.add(Code::DuplicateSection, at, || format!("{section:?}: the first is kept"));
        }
        !met
    }

    /// Whether the object is a trace.
    pub(super) fn is_one(&self) -> bool {
        self.is_certain || self.met.iter().filter(|&&met| met).count() >= 3
    }

    /// Memory that it takes, in bytes, about.
    pub(super) fn memory(&self) -> u64 {
        let Trace { frames, resources, stacks, samples, counts, .. } = self;
        let samples = size_of_val(&samples[..]) + 24 * counts.len();
        let others = size_of_val(&frames[..]) + 4 * resources.len() + size_of_val(&stacks[..]);
        self.texts.memory() + (samples + others) as u64
    }

    /// Number of samples that could be turned into rows.
    pub(super) fn pending(&self) -> usize {
        self.samples.len().saturating_sub(1)
    }

    /// Continues in an array, from after its `[`, to about the offset `until`; returns whether it continues.
    pub(super) fn read(
        &mut self,
        section: Section,
        json: &mut Json<'_>,
        until: ByteOffset,
    ) -> Step<bool> {
        while json.at() < until {
            match json.next()? {
                b',' => json.bump(),
                b']' => {
                    json.bump();
                    return Ok(false);
                }
                b'}' | b':' => return json.malformed("a value, `,` or `]`"),
                b'{' if section != Section::Resources => {
                    json.bump();
                    match section {
                        Section::Frames => self.frame(json)?,
                        Section::Stacks => self.stack(json)?,
                        _ => self.sample(json)?,
                    }
                }
                _ if section == Section::Resources => {
                    let url = self.texts.text(json, "resources", &mut self.log)?;
                    self.resources.push(url);
                }
                _ => {
                    let at = json.at();
                    json.skip_value()?;
                    self.log.add(Code::BadNesting, at, || format!("{section:?}: not an object"));
                }
            }
        }
        Ok(true)
    }

    fn frame(&mut self, json: &mut Json<'_>) -> Step<()> {
        let mut frame = Frame { name: NO, resource: NONE, line: NONE, column: NONE };
        let Trace { texts, log, .. } = self;
        while let Some(key) = json.key()? {
            match json.bytes(&key.span) {
                b"name" => frame.name = texts.text(json, "name", log)?,
                b"resourceId" => frame.resource = small(json, "resourceId", log)?,
                b"line" => frame.line = small(json, "line", log)?,
                b"column" => frame.column = small(json, "column", log)?,
                _ => unknown(&key, json, texts, log)?,
            }
        }
        self.frames.push(frame);
        Ok(())
    }

    fn stack(&mut self, json: &mut Json<'_>) -> Step<()> {
        let Trace { texts, log, .. } = self;
        let (mut frame, mut parent) = (NONE, -1);
        while let Some(key) = json.key()? {
            match json.bytes(&key.span) {
                b"frameId" => {
                    frame = small(json, "frameId", log)?;
                    self.is_certain = true;
                }
                b"parentId" => {
                    parent = small(json, "parentId", log)?;
                    parent = if parent == NONE { -1 } else { parent };
                }
                _ => unknown(&key, json, texts, log)?,
            }
        }
        self.stacks.push((frame, parent));
        Ok(())
    }

    fn sample(&mut self, json: &mut Json<'_>) -> Step<()> {
        let Trace { texts, log, .. } = self;
        let mut sample = Sample { timestamp: f64::NAN, stack: -1, marker: NO };
        while let Some(key) = json.key()? {
            match json.bytes(&key.span) {
                b"timestamp" => sample.timestamp = float(json, "timestamp", log)?,
                b"stackId" => {
                    let stack = small(json, "stackId", log)?;
                    sample.stack = if stack == NONE { -1 } else { stack };
                    self.is_certain = true;
                }
                b"marker" => sample.marker = texts.text(json, "marker", log)?,
                _ => unknown(&key, json, texts, log)?,
            }
        }
        if sample.stack >= 0 {
            *self.counts.entry(sample.stack).or_default() += 1;
        }
        self.samples.push(sample);
        Ok(())
    }

    /// Turns samples into rows: all, or all except the last, whose duration is not yet known.
    pub(super) fn flush_samples(&mut self, file_id: FileId, pending: &mut Pending, at_end: bool) {
        let count = self.samples.len() - usize::from(!at_end && !self.samples.is_empty());
        for row in 0..count {
            let sample = self.samples[row];
            let next = self.samples.get(row + 1).map_or(f64::NAN, |next| next.timestamp);
            let marker = self.texts.texts.get(sample.marker);
            pending.text += marker.map_or(0, str::len) as u64;
            let index = self.flushed as i64 + row as i64;
            pending.samples.push(rows::Sample {
                file_id,
                index,
                timestamp: sample.timestamp,
                stack: sample.stack,
                marker: marker.map(Into::into),
                dur: next - sample.timestamp,
            });
        }
        self.samples.drain(..count);
        self.flushed += count as u64;
    }

    /// Makes everything rows. The counts are those of samples, stacks, frames and resources.
    pub(super) fn finish(&mut self, file_id: FileId, pending: &mut Pending) -> [u64; 4] {
        self.flush_samples(file_id, pending, true);
        let Trace { log, counts, .. } = self;
        let texts = &self.texts.texts;
        let text = |number: u32, bytes: &mut u64| {
            let text = texts.get(number)?;
            *bytes += text.len() as u64;
            Some(text.into())
        };
        for (what, met) in ["frames", "resources", "samples", "stacks"].into_iter().zip(self.met) {
            if !met {
                log.add(Code::MissingSection, None, || format!("a trace has no {what:?}"));
            }
        }
        let mut parents = Vec::with_capacity(self.stacks.len());
        for (id, &(frame, parent)) in self.stacks.iter().enumerate() {
            let known = usize::try_from(parent).ok().filter(|&parent| parent < self.stacks.len());
            if known.is_none() && parent != -1 {
                log.add(Code::UnknownNode, None, || {
                    format!("stack {id} has a parent {parent} that is not there")
                });
            }
            if frame != NONE && usize::try_from(frame).is_ok_and(|f| f >= self.frames.len()) {
                log.add(Code::UnknownNode, None, || {
                    format!("stack {id} names a frame {frame} that is not there")
                });
            }
            parents.push(known.map_or(NO, |parent| parent as u32));
        }
        let calls = Calls::new(parents, log);
        let count = |id: usize| counts.get(&(id as i64)).copied().unwrap_or(0);
        let totals = calls.totals((0..self.stacks.len()).map(count), "total_sample_count", log);
        for (id, &(frame, _)) in self.stacks.iter().enumerate() {
            let parent = calls.parents[id];
            let parent = if parent == NO { -1 } else { i64::from(parent) };
            pending.stacks.push(rows::Stack {
                file_id,
                id: id as i64,
                frame,
                parent,
                depth: calls.depths[id].into(),
                samples: count(id),
                total_samples: totals.get(id),
            });
        }
        let mut absent: Vec<_> =
            counts.iter().filter(|&(&id, _)| id >= self.stacks.len() as i64).collect();
        absent.sort_unstable();
        for (id, count) in absent {
            log.add(Code::UnknownNode, None, || {
                format!("{count} samples name a stack {id} that is not there")
            });
        }
        for (id, frame) in self.frames.iter().enumerate() {
            if frame.resource != NONE
                && usize::try_from(frame.resource).is_ok_and(|r| r >= self.resources.len())
            {
                log.add(Code::UnknownNode, None, || {
                    format!("frame {id} names a resource {} that is not there", frame.resource)
                });
            }
            pending.frames.push(rows::Frame {
                file_id,
                id: id as i64,
                name: text(frame.name, &mut pending.text),
                resource: frame.resource,
                line: frame.line,
                column: frame.column,
            });
        }
        for (id, &url) in self.resources.iter().enumerate() {
            let url = text(url, &mut pending.text);
            pending.resources.push(rows::Resource { file_id, id: id as i64, url });
        }
        [
            self.flushed,
            self.stacks.len() as u64,
            self.frames.len() as u64,
            self.resources.len() as u64,
        ]
    }
}

fn unknown(
    key: &crate::json::Text,
    json: &mut Json<'_>,
    texts: &mut Frames,
    log: &mut Log,
) -> Step<()> {
    texts.unknown(json.bytes(&key.span), json.at(), log);
    json.skip_value()
}

/// A number that fits a 32-bit column; [`NONE`] also for `null`.
fn small(json: &mut Json<'_>, what: &'static str, log: &mut Log) -> Step<i64> {
    if json.next()? == b'n' {
        json.skip_value()?;
        return Ok(NONE);
    }
    let at = json.at();
    let value = integer(json, what, log)?;
    if value != NONE && i32::try_from(value).is_err() {
        log.add(Code::ValueOutOfRange, at, || format!("{what}: {value} does not fit its column"));
        return Ok(NONE);
    }
    Ok(value)
}
