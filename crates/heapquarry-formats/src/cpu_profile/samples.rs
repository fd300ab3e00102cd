//! Samples: which node ran when. Nodes and times are two arrays of the file that are read together, so a profile needs
//! memory only for a block of samples. Samples that are out of order are held and sorted.

use super::spread::Spread;
use crate::{
    ByteOffset, Code, Input, Log, Result,
    json::{Json, NONE, Step, Stop, odd_integer},
    profile::{Times, overflow, unwrapped},
};
use std::sync::Arc;

/// Meaning of the samples' times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Clock {
    /// Time since the previous sample, in microseconds.
    #[default]
    Deltas,
    /// Microseconds since the start of the clock.
    Timestamps,
}

impl Clock {
    /// Reads times that are not plain integers.
    pub(super) fn times(self) -> Times {
        match self {
            Clock::Deltas => Times::deltas(),
            Clock::Timestamps => Times::points(),
        }
    }

    /// The name of their array.
    fn name(self) -> &'static str {
        match self {
            Clock::Deltas => "timeDeltas",
            Clock::Timestamps => "timestamps",
        }
    }
}

/// A column of numbers.
#[derive(Clone, Debug)]
pub(super) enum Column {
    /// The column does not exist.
    Absent,
    /// An array of the input, at the offset after its `[`.
    Located(ByteOffset),
    /// The values of several chunks, in order.
    Held(Arc<Vec<i64>>),
}

/// Sources of the samples.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) ids: Column,
    pub(super) times: Column,
    pub(super) lines: Column,
    pub(super) columns: Column,
    /// Samples of the chunks that have been read.
    pub(super) read: usize,
    pub(super) clock: Clock,
    /// Start of the profile, to which the first delta is added; [`NONE`] if unknown.
    pub(super) start: i64,
    /// End of the profile; [`NONE`] if unknown.
    pub(super) end: i64,
    /// Whether negative deltas are written as unsigned 32-bit numbers.
    pub(super) wrapped: bool,
}

impl Default for Source {
    fn default() -> Self {
        Source {
            ids: Column::Absent,
            times: Column::Absent,
            lines: Column::Absent,
            columns: Column::Absent,
            read: 0,
            clock: Clock::Deltas,
            start: NONE,
            end: NONE,
            wrapped: false,
        }
    }
}

impl Source {
    /// Memory of the values of chunks, in bytes.
    pub(super) fn memory(&self) -> u64 {
        let held = |column: &Column| match column {
            Column::Held(values) => values.len() as u64,
            Column::Absent | Column::Located(_) => 0,
        };
        8 * [&self.ids, &self.times, &self.lines, &self.columns].map(held).iter().sum::<u64>()
    }

    /// Ends a chunk: missing values of its samples are unknown, and the values of the next chunk begin where its
    /// samples end.
    pub(super) fn align(&mut self) {
        let samples = match &self.ids {
            Column::Held(ids) => ids.len(),
            _ => 0,
        };
        for column in [&mut self.times, &mut self.lines, &mut self.columns] {
            // There can be one more time stamp, the end.
            let is_times = matches!(self.clock, Clock::Timestamps);
            if let Column::Held(values) = column
                && !(is_times && values.len() > samples)
            {
                let values = Arc::get_mut(values).expect("not shared before it is read");
                values.resize(samples, NONE);
            }
        }
        self.read = samples;
    }
}

/// Consecutive samples.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Position of the first sample.
    pub(super) first: i64,
    pub(super) ids: Vec<i64>,
    pub(super) times: Vec<i64>,
    pub(super) deltas: Vec<i64>,
    pub(super) durations: Vec<i64>,
    pub(super) lines: Vec<i64>,
    pub(super) columns: Vec<i64>,
}

impl Block {
    /// Memory of its values, in bytes.
    fn memory(&self) -> u64 {
        let Block { ids, times, deltas, durations, lines, columns, .. } = self;
        let columns = [ids, times, deltas, durations, lines, columns];
        8 * columns.iter().map(|column| column.len() as u64).sum::<u64>()
    }

    /// Appends the samples that follow, but not their durations.
    fn append(&mut self, mut next: Block) {
        self.ids.append(&mut next.ids);
        self.times.append(&mut next.times);
        self.deltas.append(&mut next.deltas);
        self.lines.append(&mut next.lines);
        self.columns.append(&mut next.columns);
    }
}

/// Samples that are out of order, while they are read.
struct Unsorted {
    all: Block,
    /// When the last one ends, if nothing else says so.
    end: i64,
}

/// A column being read.
enum Stream<'a> {
    End,
    Located {
        json: Json<'a>,
        what: &'static str,
        /// How to read what is no plain integer, if it is a column of times.
        times: Option<Times>,
    },
    Held {
        values: Arc<Vec<i64>>,
        at: usize,
    },
}

impl<'a> Stream<'a> {
    fn new(column: &Column, what: &'static str, input: &'a dyn Input, window: usize) -> Self {
        match column {
            Column::Absent => Stream::End,
            Column::Located(at) => {
                Stream::Located { json: Json::new(input, *at, window), what, times: None }
            }
            Column::Held(values) => Stream::Held { values: values.clone(), at: 0 },
        }
    }

    /// A stream of times.
    fn of_times(source: &Source, input: &'a dyn Input, window: usize) -> Self {
        let mut stream = Stream::new(&source.times, source.clock.name(), input, window);
        if let Stream::Located { times, .. } = &mut stream {
            *times = Some(source.clock.times());
        }
        stream
    }

    /// The next value.
    fn read_one(&mut self) -> Result<Option<i64>> {
        let mut one = Vec::new();
        self.read(&mut one, 1, &mut None)?;
        Ok(one.pop())
    }

    /// Reads all that is left, and returns how many values that are.
    fn count(mut self) -> Result<u64> {
        let (mut values, mut count) = (Vec::new(), 0);
        loop {
            self.read(&mut values, 8 << 10, &mut None)?;
            if values.is_empty() {
                return Ok(count);
            }
            count += values.len() as u64;
            values.clear();
        }
    }

    /// Appends up to `max` values.
    fn read(&mut self, out: &mut Vec<i64>, max: usize, log: &mut Option<&mut Log>) -> Result<()> {
        match self {
            Stream::End => {}
            Stream::Held { values, at } => {
                let rest = &values[*at..];
                let rest = &rest[..rest.len().min(max)];
                out.extend_from_slice(rest);
                *at += rest.len();
            }
            Stream::Located { json, what, times } => {
                let mut unlogged = Log::default();
                let log = log.as_deref_mut().unwrap_or(&mut unlogged);
                let ended: Step<bool> = json.integers(out, max, |odd, at, raw| match times {
                    Some(times) => times.odd(odd, at, raw, what, log),
                    None => odd_integer(odd, at, raw, what, log),
                });
                match ended {
                    Ok(false) => {}
                    Err(Stop::Failed(error)) => return Err(error),
                    // The code that located the array has found its end, or has logged that it has none.
                    Ok(true) | Err(_) => *self = Stream::End,
                }
            }
        }
        Ok(())
    }
}

/// Reads samples and derives missing values.
pub(super) struct Samples<'a> {
    ids: Stream<'a>,
    times: Stream<'a>,
    lines: Stream<'a>,
    columns: Stream<'a>,
    clock: Clock,
    /// Whether there is any time.
    has_times: bool,
    /// Whether there are fewer times than samples.
    is_short: bool,
    has_lines: bool,
    has_columns: bool,
    /// How the time from start to end is shared out, if the samples have no times.
    pub(super) spread: Option<Spread>,
    /// End of the last sample; [`NONE`] if unknown.
    end: i64,
    now: Now,
    /// A time that was read ahead for the duration of the sample before it.
    ahead: Vec<i64>,
    /// The next sample, if it was read ahead.
    id_ahead: Vec<i64>,
    /// Samples handed out.
    done: i64,
    /// The remaining samples, if they are out of order.
    held: Option<Block>,
    /// They, before all have been read.
    unsorted: Option<Unsorted>,
}

impl<'a> Samples<'a> {
    /// Scans the times once, to find out whether they are in order. If there are none and `may_spread`, the samples are
    /// counted, to share out the time from start to end.
    pub(super) fn new(
        source: &Source,
        input: &'a dyn Input,
        window: usize,
        may_spread: bool,
        log: &mut Log,
    ) -> Result<Self> {
        let times = || Stream::of_times(source, input, window);
        let ids = || Stream::new(&source.ids, "samples", input, window);
        let has_times = times().read_one()?.is_some();
        let spread = match has_times || !may_spread {
            true => None,
            false => Spread::new(source.start, source.end, ids().count()?),
        };
        // Without a start, times count from 0, so the end says nothing.
        let is_apart = source.clock == Clock::Deltas && source.start == NONE;
        let mut samples = Samples {
            ids: ids(),
            times: times(),
            lines: Stream::new(&source.lines, "lines", input, window),
            columns: Stream::new(&source.columns, "columns", input, window),
            clock: source.clock,
            has_times,
            is_short: false,
            has_lines: !matches!(source.lines, Column::Absent),
            has_columns: !matches!(source.columns, Column::Absent),
            spread,
            end: if is_apart { NONE } else { source.end },
            now: Now {
                clock: source.clock,
                wrapped: source.wrapped,
                time: source.start,
                is_lost: false,
            },
            ahead: Vec::new(),
            id_ahead: Vec::new(),
            done: 0,
            unsorted: None,
            held: None,
        };
        if !samples.are_ordered(times())? {
            log.add(Code::UnsortedSamples, None, || {
                "samples are not in order of time; dur_us is reckoned in that order".into()
            });
            samples.unsorted = Some(Unsorted { all: Block::default(), end: samples.end });
        }
        Ok(samples)
    }

    /// How the times of the samples are known; `None` if they are not.
    pub(super) fn source(&self) -> Option<&'static str> {
        match self.spread {
            _ if self.has_times => Some(self.clock.name()),
            Some(_) => Some("samples"),
            None => None,
        }
    }

    /// Whether it is not known when the last one ends.
    pub(super) fn is_open(&self) -> bool {
        self.end == NONE
    }

    fn are_ordered(&self, mut times: Stream<'_>) -> Result<bool> {
        let mut values = Vec::new();
        let mut last = i64::MIN;
        let mut first = true;
        loop {
            values.clear();
            times.read(&mut values, 8 << 10, &mut None)?;
            if values.is_empty() {
                return Ok(true);
            }
            for &value in values.iter().filter(|&&value| value != NONE) {
                let ordered = match self.clock {
                    // The first delta is the time since the start.
                    Clock::Deltas => first || self.now.unwrap(value) >= 0,
                    Clock::Timestamps => value >= last,
                };
                if !ordered {
                    return Ok(false);
                }
                (last, first) = (value, false);
            }
        }
    }

    /// Memory of the samples that are held to be sorted, in bytes, about.
    pub(super) fn memory(&self) -> u64 {
        let unsorted = self.unsorted.as_ref().map(|unsorted| &unsorted.all);
        // Sorting takes as much as a column of times and places.
        unsorted.or(self.held.as_ref()).map_or(0, |all| all.memory() + 16 * all.ids.len() as u64)
    }

    /// Reads some of the samples that must be sorted, at most `max`. Returns whether there may be more.
    pub(super) fn collect(&mut self, max: usize, log: &mut Log) -> Result<bool> {
        let Some(mut unsorted) = self.unsorted.take() else { return Ok(false) };
        if let Some(block) = self.read(max, log)? {
            self.done += block.ids.len() as i64;
            unsorted.all.append(block);
            unsorted.end = match self.ahead.first() {
                Some(&value) => self.now.clone().step(value, &mut Log::default()).1,
                None => self.end,
            };
            self.unsorted = Some(unsorted);
            return Ok(true);
        }
        let Unsorted { mut all, end } = unsorted;
        all.durations = durations_by_time(&all.times, end);
        self.done = 0;
        self.held = Some(all);
        Ok(false)
    }

    /// The next samples, at most `max`; after [`collect`](Self::collect).
    pub(super) fn next(&mut self, max: usize, log: &mut Log) -> Result<Option<Block>> {
        let block = match &mut self.held {
            None => self.read(max, log)?,
            Some(all) => {
                let max = max.min(all.ids.len());
                let take = |values: &mut Vec<i64>| values.drain(..max.min(values.len())).collect();
                let block = Block {
                    first: self.done,
                    ids: take(&mut all.ids),
                    times: take(&mut all.times),
                    deltas: take(&mut all.deltas),
                    durations: take(&mut all.durations),
                    lines: take(&mut all.lines),
                    columns: take(&mut all.columns),
                };
                (!block.ids.is_empty()).then_some(block)
            }
        };
        self.done += block.as_ref().map_or(0, |block| block.ids.len() as i64);
        Ok(block)
    }

    /// Whether there are unread times.
    fn has_more_times(&mut self, log: &mut Log) -> Result<bool> {
        let mut times = Vec::new();
        self.times.read(&mut times, 1, &mut Some(log))?;
        Ok(!times.is_empty())
    }

    /// Reads the next samples and derives their times, and durations under the assumption that they are in order.
    fn read(&mut self, max: usize, log: &mut Log) -> Result<Option<Block>> {
        let ids = std::mem::take(&mut self.id_ahead);
        let mut block = Block { first: self.done, ids, ..Block::default() };
        // One more, to find out whether the last one is the last of all.
        read_up_to(&mut self.ids, &mut block.ids, max.saturating_add(1), log)?;
        if block.ids.len() > max {
            self.id_ahead = block.ids.split_off(max);
        }
        let rows = block.ids.len();
        let mut times = std::mem::take(&mut self.ahead);
        // One more, for the duration of the last one.
        read_up_to(&mut self.times, &mut times, rows.saturating_add(1), log)?;
        if rows == 0 {
            // An additional time stamp is the end of the last sample.
            let surplus = times.len();
            if surplus > usize::from(self.clock == Clock::Timestamps) || self.has_more_times(log)? {
                log.add(Code::SampleCountMismatch, None, || {
                    format!("there are times behind those of the {} samples", self.done)
                });
            }
            return Ok(None);
        }
        if times.len() < rows && self.has_times && !self.is_short {
            let first = self.done + times.len() as i64;
            self.is_short = true;
            log.add(Code::SampleCountMismatch, None, || {
                format!("samples from number {first} on (counted from 0) have no time")
            });
        }
        if times.len() > rows {
            self.ahead = times.split_off(rows);
        }
        if self.has_lines {
            read_up_to(&mut self.lines, &mut block.lines, rows, log)?;
            block.lines.resize(rows, NONE);
        }
        if self.has_columns {
            read_up_to(&mut self.columns, &mut block.columns, rows, log)?;
            block.columns.resize(rows, NONE);
        }
        for &value in &times {
            let (delta, time) = self.now.step(value, log);
            block.deltas.push(delta);
            block.times.push(time);
        }
        block.deltas.resize(rows, NONE);
        block.times.resize(rows, NONE);
        self.derive_durations(&mut block);
        Ok(Some(block))
    }

    /// Derives durations, under the assumption that samples are in order; times too, if they have none.
    fn derive_durations(&self, block: &mut Block) {
        if let Some(spread) = self.spread {
            let samples = block.first..block.first + block.ids.len() as i64;
            block.times = samples.clone().map(|sample| spread.time(sample)).collect();
            block.durations = samples.map(|sample| spread.duration(sample, 1)).collect();
            return;
        }
        let next =
            self.ahead.first().map(|&value| self.now.clone().step(value, &mut Log::default()));
        let is_last = next.is_none() && self.id_ahead.is_empty();
        // The time to the next one stands in the file, even where the time itself is unknown.
        let given = |delta: i64| if self.clock == Clock::Deltas { delta } else { NONE };
        let following = block.deltas.iter().zip(&block.times).skip(1).map(|(&d, &t)| (given(d), t));
        let after = next.map_or((NONE, NONE), |(delta, time)| (given(delta), time));
        let following = following.chain([after]);
        let to_next = |(&time, (delta, next)): (&i64, (i64, i64))| match delta {
            NONE if self.clock == Clock::Timestamps => between(time, next),
            delta => delta,
        };
        block.durations = block.times.iter().zip(following).map(to_next).collect();
        if let (true, Some(&time), Some(last)) =
            (is_last, block.times.last(), block.durations.last_mut())
        {
            *last = if self.end == NONE { NONE } else { between(time, self.end.max(time)) };
        }
    }
}

/// Where the samples have got to.
#[derive(Clone, Debug)]
struct Now {
    clock: Clock,
    wrapped: bool,
    /// Time of the last sample that was read, or of the start; [`NONE`] if unknown.
    time: i64,
    /// Whether a delta was unknown, so that all later times are.
    is_lost: bool,
}

impl Now {
    /// Undoes the wrapping of a negative delta, if the file has such numbers.
    fn unwrap(&self, value: i64) -> i64 {
        if self.wrapped { unwrapped(value) } else { value }
    }

    /// Delta and time of the next sample, given its value in the file.
    fn step(&mut self, value: i64, log: &mut Log) -> (i64, i64) {
        if self.clock == Clock::Timestamps {
            let delta = between(self.time, value);
            self.time = value;
            return (delta, value);
        }
        if value == NONE {
            self.is_lost = true;
            return (NONE, NONE);
        }
        let delta = self.unwrap(value);
        if delta != value {
            log.add(Code::WrappedNumber, None, || {
                format!("timeDeltas: {value} stands for {delta}")
            });
        }
        if self.is_lost {
            return (delta, NONE);
        }
        // Without a start, times count from 0.
        let before = if self.time == NONE { 0 } else { self.time };
        match before.checked_add(delta).filter(|&time| time != NONE) {
            Some(time) => {
                self.time = time;
                (delta, time)
            }
            None => {
                overflow("timeDeltas", log);
                self.is_lost = true;
                (NONE, NONE)
            }
        }
    }
}

/// Time between the two; [`NONE`] if one is unknown, or if it does not fit.
fn between(from: i64, to: i64) -> i64 {
    if from == NONE || to == NONE { NONE } else { to.checked_sub(from).unwrap_or(NONE) }
}

fn read_up_to(
    stream: &mut Stream<'_>,
    out: &mut Vec<i64>,
    length: usize,
    log: &mut Log,
) -> Result<()> {
    while out.len() < length {
        let before = out.len();
        let room = (length - before).min(64 << 10);
        stream.read(out, room, &mut Some(log))?;
        if out.len() == before {
            break;
        }
    }
    Ok(())
}

/// Durations of unordered samples: to the next sample in time; for the last one, to the end. If the times of some are
/// unknown, it is not known which one is the last.
fn durations_by_time(times: &[i64], end: i64) -> Vec<i64> {
    let end = if times.contains(&NONE) { NONE } else { end };
    let mut order: Vec<usize> = (0..times.len()).filter(|&i| times[i] != NONE).collect();
    order.sort_by_key(|&i| times[i]);
    let mut durations = vec![NONE; times.len()];
    for pair in order.windows(2) {
        durations[pair[0]] = between(times[pair[0]], times[pair[1]]);
    }
    if let Some(&last) = order.last()
        && end != NONE
    {
        durations[last] = between(times[last], end.max(times[last]));
    }
    durations
}
