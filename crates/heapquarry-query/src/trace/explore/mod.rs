//! Looks at all of a trace, a part at a time: its tracks as far as they can be seen, a slice with what is around and
//! within it, what ran in a range of time.

mod answer;
mod frames;
#[cfg(test)]
mod tests;
mod tracks;
mod waits;

pub use answer::{
    AreaAnswer, ArgumentsAnswer, CounterValues, DrawnAnswer, DrawnTrack, FoundAnswer, FrameTimes,
    FramesAnswer, LateFrame, LongTask, LongTasksAnswer, Picture, PicturesAnswer, RanTime,
    SliceAnswer, SliceBoxes, SliceFacts, SliceRow, TraceTrack, TrackKind, TracksAnswer, Wait,
};

use super::{LONG_NS, Subject, calls::Called};
use crate::{
    ProfileExplorer, Session,
    answer::{Answered, AnyNumber, Nanos},
    kept::Kept,
    listing::{Page, filter_of},
};
use arrow_array::{Array, cast::AsArray, types::Int64Type};
use heapquarry::{
    BatchOptions, Error, ErrorKind, Part, Result, arrow_schema::ArrowError, engine::Locate, reader,
};
use heapquarry_base::Order as _;
use heapquarry_tables::TRACE_EVENT;
use heapquarry_timeline::{
    AsyncSlice, EventIndex, Key, Timeline,
    row::{Ends, SliceBox},
};
use serde_json::Value;
use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    iter,
    sync::{Arc, OnceLock},
};
use tracks::{Track, Tracks};
use waits::{States, Waits};

/// Most boxes of a track in an answer.
const MOST_BOXES: usize = 16_384;
/// Most bytes of pictures that are kept.
const MOST_PICTURES: usize = 64 << 20;
/// Drawings that are kept: of all the time, and the latest.
const KEPT_DRAWINGS: usize = 4;
/// Searches that are kept.
const KEPT_SEARCHES: usize = 2;
/// Names of what ran in a long task.
const RAN: usize = 3;

/// A trace in memory, with what makes questions quick.
pub struct TraceExplorer {
    session: Session,
    trace: Arc<Subject>,
    tracks: Tracks,
    profile: Option<ProfileExplorer>,
    /// By what is looked for: the events of slices, the longest first, and the sum of their durations.
    found: Kept<String, (Vec<EventIndex>, i64)>,
    /// Pictures of the screen, once they are asked for.
    pictures: OnceLock<Pictures>,
    /// What is drawn of tracks between two times, so wide.
    drawn: Kept<(Vec<u32>, [i64; 2], u32), Answered<DrawnAnswer>>,
    states: States,
    /// Arrows by the slices that they lead from, and that they lead to.
    flows: OnceLock<[Vec<(u64, u64)>; 2]>,
}

/// Pictures of the screen with their times, as many as fit, and how many more there are.
#[derive(Default)]
struct Pictures {
    kept: Vec<(i64, Picture)>,
    left_out: u64,
}

/// A slice, or a slice of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Slice(EventIndex),
    Operation(AsyncSlice),
}

impl TraceExplorer {
    /// Looks at a trace.
    pub(crate) fn new(session: &Session, trace: Arc<Subject>) -> Self {
        let profile = trace.profile.clone();
        TraceExplorer {
            session: session.clone(),
            tracks: Tracks::new(&trace),
            profile: profile.map(|profile| ProfileExplorer::new(session, profile)),
            trace,
            found: Kept::new(KEPT_SEARCHES),
            pictures: OnceLock::new(),
            drawn: Kept::new(KEPT_DRAWINGS),
            states: States::default(),
            flows: OnceLock::new(),
        }
    }

    /// The session, for questions that verbs ask too. Its input is not read again.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The CPU profiles in it, as one.
    pub fn profile(&self) -> Option<&ProfileExplorer> {
        self.profile.as_ref()
    }

    /// What it has over time.
    pub fn tracks(&self) -> Answered<TracksAnswer> {
        let (start, end) = self.tracks.span;
        let tracks = (0..).zip(&self.tracks.all).map(|(number, track)| TraceTrack {
            track: number,
            kind: track.kind,
            name: track.name.clone(),
            process: self.process(track),
            depth: track.rows.len() as u32,
            count: track.count(),
        });
        let answer = TracksAnswer {
            start_ns: Nanos(start),
            duration_ns: Nanos(end.saturating_sub(start)),
            tracks: tracks.collect(),
        };
        self.answered("tracks", answer)
    }

    /// What can be seen of some tracks from a time to another, in nanoseconds from the start, drawn so wide.
    ///
    /// # Errors
    /// If there is no such track.
    pub fn drawn(
        &self,
        tracks: &[u32],
        [from, to]: [i64; 2],
        width: u32,
    ) -> Result<Arc<Answered<DrawnAnswer>>> {
        if let Some(&missing) = tracks.iter().find(|&&at| at as usize >= self.tracks.all.len()) {
            return Err(self.not_found(format!("track {missing}")));
        }
        let draw = || self.answered("drawn", self.draw(tracks, [from, to], width));
        Ok(self.drawn.get((tracks.to_vec(), [from, to], width), draw))
    }

    /// What can be seen of tracks that there are.
    fn draw(&self, tracks: &[u32], [from, to]: [i64; 2], width: u32) -> DrawnAnswer {
        let start = self.tracks.span.0;
        let range = [from, to].map(|at| start.saturating_add(at));
        let least = to.saturating_sub(from).max(0) / i64::from(width.max(1));
        let mut named = Named::new(&self.trace);
        let drawn = tracks.iter().map(|&number| {
            let track = &self.tracks.all[number as usize];
            let boxes = self.boxes(track, range, least, &mut named);
            let values = values(&track.values, range, least, start);
            DrawnTrack { track: number, boxes, values }
        });
        let tracks = drawn.collect();
        DrawnAnswer { tracks, names: named.all }
    }

    /// A slice with what is around and within it.
    ///
    /// # Errors
    /// If there is no such slice.
    pub fn slice(&self, slice: u64, page: Page) -> Result<Answered<SliceAnswer>> {
        let found = self.known(slice)?;
        let event = EventIndex(slice);
        let Timeline { events, slices, .. } = &self.trace.timeline;
        let (above, children, ran) = match found {
            Found::Slice(_) => {
                let around = iter::successors(slices.parent(event), |&at| slices.parent(at));
                let children = self.children(event);
                (around.map(Found::Slice).collect(), children, self.ran(event))
            }
            Found::Operation(operation) => {
                let of_tree = self.trace.timeline.async_slices.of_tree(events, operation.tree);
                let by_event = |event| {
                    let at = of_tree.binary_search_by_key(&event, |other| other.event);
                    at.ok().map(|at| of_tree[at])
                };
                let parent = |of: &AsyncSlice| of.parent.and_then(by_event);
                let around = iter::successors(parent(&operation), parent);
                let around = around.take(of_tree.len()).map(Found::Operation).collect();
                let mut children: Vec<Found> = (of_tree.iter().copied())
                    .filter(|other| other.parent == Some(event))
                    .map(Found::Operation)
                    .collect();
                children.order_by_key(|child| self.ends(*child).0);
                (around, children, Vec::new())
            }
        };
        let above: Vec<Found> = above;
        let flows = |at: usize| {
            let all = &self.flows()[at];
            let start = all.partition_point(|&(of, _)| of < slice);
            let own = all[start..].iter().take_while(|&&(of, _)| of == slice);
            let others = own.filter_map(|&(_, other)| self.known(other).ok());
            page.of(others.collect::<Vec<_>>(), |other| self.row(other))
        };
        let waits = match found {
            Found::Slice(event) => self.waits(event),
            Found::Operation(_) => None,
        };
        let mut slice = self.facts(found);
        // By the clock of its thread, unless the scheduler tells more.
        let on_cpu = slice.duration_ns.zip(slice.thread_duration_ns);
        let by_clock = || on_cpu.map(|(all, on)| Nanos(all.0.saturating_sub(on.0).max(0)));
        slice.waited_ns = waits.as_ref().map(Waits::total).or_else(by_clock);
        let answer = SliceAnswer {
            slice,
            above: above.into_iter().map(|other| self.row(other)).collect(),
            children: page.of(children, |other| self.row(other)),
            ran: page.of(ran, |ran| ran),
            waits: self.longest_waits(waits, page),
            flows_out: flows(0),
            flows_in: flows(1),
        };
        Ok(self.answered("slice", answer))
    }

    /// The arguments of a slice. They are not in memory: the trace is read again, up to the slice.
    ///
    /// # Errors
    /// If there is no such slice, or the trace cannot be read again.
    pub fn arguments(&self, slice: u64) -> Result<Answered<ArgumentsAnswer>> {
        let found = self.known(slice)?;
        let arguments = match self.with_arguments(found) {
            Some(event) => self.read_arguments(self.trace.timeline.events.number(event))?,
            None => None,
        };
        Ok(self.answered("arguments", ArgumentsAnswer { arguments }))
    }

    /// Pictures of the screen, in the order of time, as far as the trace has some. They are not in memory: the trace is
    /// read again once.
    ///
    /// # Errors
    /// If the trace cannot be read again.
    pub fn pictures(&self, page: Page) -> Result<Answered<PicturesAnswer>> {
        let Pictures { kept, left_out } = match self.pictures.get() {
            Some(pictures) => pictures,
            None => {
                let found = self.read_pictures(MOST_PICTURES)?;
                self.pictures.get_or_init(|| found)
            }
        };
        let pictures = page.of(kept, |(_, picture)| picture.clone());
        let answer = PicturesAnswer { pictures, left_out: *left_out };
        Ok(self.answered("pictures", answer))
    }

    fn read_pictures(&self, most: usize) -> Result<Pictures> {
        let Timeline { events, .. } = &self.trace.timeline;
        let known: Vec<bool> = events.strings().iter().map(|text| text == "Screenshot").collect();
        let is_it = |event: &EventIndex| {
            events.name(*event).some().is_some_and(|key| known[key.0 as usize])
        };
        let times: HashMap<u64, i64> = events
            .all()
            .filter(is_it)
            .filter_map(|event| Some((events.number(event), events.ts(event)?)))
            .collect();
        let mut wanted: Vec<u64> = times.keys().copied().collect();
        wanted.sort_unstable();
        let (mut pictures, mut bytes) = (Pictures::default(), 0usize);
        if !wanted.is_empty() {
            self.each_arguments(&wanted, |event, arguments| {
                let Some(image) = image_of(arguments) else { return };
                bytes = bytes.saturating_add(image.len());
                if bytes > most {
                    pictures.left_out += 1;
                    return;
                }
                let ts = times[&event];
                let start_ns = Nanos(ts.saturating_sub(self.tracks.span.0));
                pictures.kept.push((ts, Picture { start_ns, image }));
            })?;
        }
        pictures.kept.order_by_key(|&(ts, _)| ts);
        Ok(pictures)
    }

    /// The slices of threads that begin from a time to another, both included, in nanoseconds from the start; only
    /// those on some tracks, unless there are none.
    pub fn area(&self, [from, to]: [i64; 2], tracks: &[u32], page: Page) -> Answered<AreaAnswer> {
        let Timeline { events, processes, .. } = &self.trace.timeline;
        let start = self.tracks.span.0;
        let range = start.saturating_add(from)..=start.saturating_add(to);
        let mut is_listed = vec![false; processes.threads.len()];
        for (&thread, track) in &self.tracks.of_threads {
            is_listed[thread as usize] = tracks.is_empty() || tracks.contains(track);
        }
        let is_wanted = |event: EventIndex| {
            events.ts(event).is_some_and(|ts| range.contains(&ts))
                && processes.utid(events, event).is_some_and(|thread| is_listed[thread as usize])
                && self.trace.is_wanted(event)
        };
        let [slices, _] = self.trace.slices_of(&is_wanted, None);
        let slices = page.of(slices.rows, |row| row);
        self.answered("area", AreaAnswer { slices })
    }

    /// Slices of threads and operations whose name, or that of the function that they call, contains a text, whatever
    /// the case of its letters; with `*`, which stands for anything, those that fit as a whole.
    pub fn find(&self, text: &str, page: Page) -> Answered<FoundAnswer> {
        let found = self.found.get(text.into(), || self.search(text));
        let (slices, total) = &*found;
        let row = |&event: &EventIndex| {
            let found = self.of_event(event);
            self.row(found.unwrap_or(Found::Slice(event)))
        };
        let slices = page.of(slices, row);
        self.answered("find", FoundAnswer { slices, total_time_ns: Nanos(*total) })
    }

    /// The outermost slices that last long, and what ran in each.
    pub fn long_tasks(&self, page: Page) -> Answered<LongTasksAnswer> {
        let slices = &self.trace.timeline.slices;
        let is_long = |&(event, _, _, dur): &(EventIndex, u32, i64, i64)| {
            dur >= LONG_NS && slices.parent(event).is_none() && self.trace.is_wanted(event)
        };
        let mut long: Vec<_> = self.trace.slices_of_threads().filter(is_long).collect();
        long.order_by_key(|&(event, _, _, dur)| (Reverse(dur), event));
        let tasks = page.of(long, |(event, thread, _, dur)| {
            let thread = &self.trace.timeline.processes.threads[thread as usize];
            let mut ran = self.ran(event);
            ran.truncate(RAN);
            LongTask {
                slice: self.row(Found::Slice(event)),
                thread: self.trace.label(thread.name, thread.tid, "thread"),
                over_ns: Nanos(dur - LONG_NS),
                ran,
            }
        });
        self.answered("long_tasks", LongTasksAnswer { tasks })
    }

    fn answered<A>(&self, verb: &'static str, answer: A) -> Answered<A> {
        let notes = self.trace.notes.clone();
        Answered::new(verb, self.session.names(), notes, answer, usize::MAX)
    }

    fn not_found(&self, what: String) -> Error {
        let path = self.session.source().map(|source| source.path.clone()).unwrap_or_default();
        Error::new(ErrorKind::NotFound { path, what })
    }

    /// The name of a track's process, with its id.
    fn process(&self, track: &Track) -> String {
        let processes = &self.trace.timeline.processes.processes;
        let process = track.process.and_then(|process| processes.get(process as usize));
        let label = |process: &heapquarry_timeline::Process| {
            self.trace.label(process.name, process.pid, "process")
        };
        process.map(label).unwrap_or_default()
    }

    fn boxes(
        &self,
        track: &Track,
        range: [i64; 2],
        least: i64,
        named: &mut Named<'_>,
    ) -> SliceBoxes {
        let timeline = &self.trace.timeline;
        let is_operation = track.kind == TrackKind::Operations;
        let ends = |slice: u64| match is_operation {
            true => self.tracks.ends_of_operation(timeline, slice),
            false => self.tracks.ends(timeline, slice),
        };
        // If there are too many, what is longer is joined, in all rows alike.
        let mut least = least.max(1);
        let rows: Vec<Vec<SliceBox>> = loop {
            let mut room = MOST_BOXES;
            let fitting = track.rows.iter().map_while(|row| {
                let boxes = row.boxes(range, least, room, &ends)?;
                room = room.checked_sub(boxes.len())?;
                Some(boxes)
            });
            let rows: Vec<_> = fitting.collect();
            // Of stacks that are deeper than that, whose slices cannot be joined further, the outer ones are drawn.
            if rows.len() == track.rows.len() || least == i64::MAX {
                break rows;
            }
            least = least.saturating_mul(2);
        };
        let mut found = SliceBoxes::default();
        for (depth, row) in (0..).zip(rows) {
            for SliceBox { slice, start, end, count } in row {
                let (number, name) = match is_operation {
                    true => {
                        let one = timeline.async_slices.get(&timeline.events, slice as usize);
                        (one.event.0, one.name)
                    }
                    false => (slice, timeline.events.name(EventIndex(slice))),
                };
                found.slice.push(number);
                found.name.push(named.number(name));
                found.depth.push(depth);
                found.start.push(start.saturating_sub(self.tracks.span.0));
                found.dur.push(end.saturating_sub(start));
                found.count.push(count);
            }
        }
        found
    }

    /// What has a number.
    fn known(&self, slice: u64) -> Result<Found> {
        self.of_event(EventIndex(slice)).ok_or_else(|| self.not_found(format!("slice {slice}")))
    }

    /// The slice of an event.
    fn of_event(&self, event: EventIndex) -> Option<Found> {
        let Timeline { events, slices, async_slices, .. } = &self.trace.timeline;
        if event.0 >= events.len() {
            return None;
        }
        let is_slice = slices.ending(event).is_some() || events.is_instant(event);
        if is_slice && events.ts(event).is_some() {
            return Some(Found::Slice(event));
        }
        async_slices.of_event(events, event).map(Found::Operation)
    }

    fn event(found: Found) -> EventIndex {
        match found {
            Found::Slice(event) => event,
            Found::Operation(operation) => operation.event,
        }
    }

    /// Start, and duration if it is known.
    fn ends(&self, found: Found) -> (i64, Option<i64>) {
        let Timeline { events, slices, .. } = &self.trace.timeline;
        match found {
            Found::Slice(event) => {
                let dur = slices.self_dur(event).map(|_| slices.dur(events, event));
                let instant = || events.is_instant(event).then_some(0);
                (events.ts(event).unwrap_or(0), dur.or_else(instant))
            }
            Found::Operation(one) => (one.ts, Some(one.dur).filter(|&dur| dur >= 0)),
        }
    }

    fn name(&self, found: Found) -> Key {
        match found {
            Found::Slice(event) => self.trace.timeline.events.name(event),
            Found::Operation(operation) => operation.name,
        }
    }

    /// What a slice calls.
    fn called(&self, found: Found) -> Option<Called> {
        match found {
            Found::Slice(event) => self.trace.called(event),
            Found::Operation(_) => None,
        }
    }

    fn track(&self, found: Found) -> Option<u32> {
        let Timeline { events, processes, slices, .. } = &self.trace.timeline;
        let event = Self::event(found);
        let thread = processes.utid(events, event);
        match found {
            Found::Slice(_) if slices.ending(event).is_some() => {
                self.tracks.of_threads.get(&thread?).copied()
            }
            Found::Slice(_) => self.track_with(TrackKind::Instants, event.0, &|slice| {
                self.tracks.ends(&self.trace.timeline, slice)
            }),
            Found::Operation(operation) => {
                let tree = self.trace.timeline.async_slices.tree(events, operation.tree);
                let category = self.trace.text(events.category(tree.first)).unwrap_or_default();
                let process = processes.upid(events, tree.first);
                let is_it = |track: &Track| {
                    track.kind == TrackKind::Operations
                        && track.process == Some(process)
                        && track.name == category
                };
                self.tracks.all.iter().position(is_it).map(|at| at as u32)
            }
        }
    }

    /// The track of a kind that has a number at its time.
    fn track_with(&self, kind: TrackKind, slice: u64, ends: Ends<'_>) -> Option<u32> {
        let (start, _) = ends(slice);
        let has = |track: &Track| {
            track.kind == kind
                && track
                    .rows
                    .iter()
                    .any(|row| row.within(start, start, ends).any(|other| other == slice))
        };
        self.tracks.all.iter().position(has).map(|at| at as u32)
    }

    fn row(&self, found: Found) -> SliceRow {
        let (start, dur) = self.ends(found);
        SliceRow {
            slice: Self::event(found).0,
            name: self.trace.text(self.name(found)),
            called: self.called(found),
            start_ns: Nanos(start.saturating_sub(self.tracks.span.0)),
            duration_ns: dur.map(Nanos),
            depth: self.depth(found),
            track: self.track(found),
        }
    }

    /// Number of slices around it.
    fn depth(&self, found: Found) -> u32 {
        let slices = &self.trace.timeline.slices;
        match found {
            Found::Slice(event) => slices.ending(event).map_or(0, |_| slices.depth(event)),
            Found::Operation(operation) => operation.depth,
        }
    }

    fn facts(&self, found: Found) -> SliceFacts {
        let Timeline { events, slices, processes, .. } = &self.trace.timeline;
        let event = Self::event(found);
        let (start, dur) = self.ends(found);
        let thread = processes.utid(events, event).map(|utid| &processes.threads[utid as usize]);
        let process = &processes.processes[processes.upid(events, event) as usize];
        let thread_duration = match slices.end_event(event) {
            Some(end) => {
                let of = |event| events.thread_time(event).0;
                of(end).zip(of(event)).map(|(end, start)| end.saturating_sub(start))
            }
            None => events.thread_time(event).1,
        };
        let is_operation = matches!(found, Found::Operation(_));
        SliceFacts {
            slice: event.0,
            id: events.number(event),
            is_operation,
            name: self.trace.text(self.name(found)),
            category: self.trace.text(events.category(event)),
            called: self.called(found),
            start_ns: Nanos(start.saturating_sub(self.tracks.span.0)),
            ts_ns: Nanos(start),
            duration_ns: dur.map(Nanos),
            self_time_ns: slices.self_dur(event).filter(|_| !is_operation).map(Nanos),
            thread_duration_ns: thread_duration.filter(|_| !is_operation).map(Nanos),
            waited_ns: None,
            depth: self.depth(found),
            thread_name: thread.and_then(|thread| self.trace.text(thread.name)),
            tid: thread.and_then(|thread| self.trace.ident(thread.tid)),
            process_name: self.trace.text(process.name),
            pid: self.trace.ident(process.pid),
            track: self.track(found),
            has_arguments: self.with_arguments(found).is_some(),
        }
    }

    /// The event that has the arguments of a slice, if it has some.
    fn with_arguments(&self, found: Found) -> Option<EventIndex> {
        let timeline = &self.trace.timeline;
        match found {
            Found::Slice(event) => timeline.arg_set(event, timeline.slices.end_event(event)),
            Found::Operation(one) => timeline.arg_set(one.event, one.end_event),
        }
    }

    /// The arguments of an event, by its number.
    fn read_arguments(&self, event: u64) -> Result<Option<String>> {
        let mut arguments = None;
        self.each_arguments(&[event], |_, text| arguments = Some(text.into()))?;
        Ok(arguments)
    }

    /// Whether the trace can be read again.
    pub(super) fn is_repeatable(&self) -> Result<bool> {
        let source = self.session.source()?;
        Ok(source.is_repeatable() || source.converted()?.is_some())
    }

    /// The arguments of some slices of threads, in no order: the trace is read again once.
    pub(super) fn arguments_of(
        &self,
        slices: &[EventIndex],
        mut found: impl FnMut(EventIndex, &str),
    ) -> Result<()> {
        let events = &self.trace.timeline.events;
        let with = |&slice: &EventIndex| {
            Some((events.number(self.with_arguments(Found::Slice(slice))?), slice))
        };
        let of: HashMap<u64, EventIndex> = slices.iter().filter_map(with).collect();
        let mut wanted: Vec<u64> = of.keys().copied().collect();
        wanted.sort_unstable();
        if wanted.is_empty() {
            return Ok(());
        }
        self.each_arguments(&wanted, |event, text| found(of[&event], text))
    }

    /// Reads the trace again, up to the last of some events, whose numbers are in order, for their arguments.
    fn each_arguments(&self, mut wanted: &[u64], mut found: impl FnMut(u64, &str)) -> Result<()> {
        let source = self.session.source()?;
        if !self.is_repeatable()? {
            let what =
                "arguments and pictures: a stream is not read twice; save it to a file first"
                    .into();
            return Err(self.not_found(what));
        }
        let columns = ["trace_event.event_index", "trace_event.args"].map(String::from);
        let run = self.session.options().clone().progress(Arc::new(()));
        let options = BatchOptions::default().columns(columns.to_vec()).run(run);
        let whole = source.clone().part(Part::default());
        let failed = |error| {
            let other = |source| {
                let (path, doing) = (whole.path.clone(), "read the arguments of");
                Error::new(ErrorKind::Input { path, doing, source })
            };
            match error {
                // What ended the reader: that it was cancelled, too.
                ArrowError::ExternalError(error) => match error.downcast::<Error>() {
                    Ok(error) => *error,
                    Err(error) => other(std::io::Error::other(error)),
                },
                error => other(std::io::Error::other(error)),
            }
        };
        for batch in reader(std::slice::from_ref(&whole), TRACE_EVENT.name, &options)? {
            let batch = batch.map_err(failed)?;
            let numbers = batch["event_index"].as_primitive::<Int64Type>();
            let args = batch["args"].as_string::<i32>();
            while let Some(&event) = wanted.first() {
                let at = numbers.values().partition_point(|&number| (number as u64) < event);
                if at == numbers.len() {
                    break;
                }
                if numbers.value(at) as u64 == event && args.is_valid(at) {
                    found(event, args.value(at));
                }
                wanted = &wanted[1..];
            }
            if wanted.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// The slices directly within one, in the order of time.
    fn children(&self, event: EventIndex) -> Vec<Found> {
        self.below(&HashSet::from([event]), self.trace.timeline.slices.depth(event) + 1, event)
            .into_iter()
            .map(Found::Slice)
            .collect()
    }

    /// The slices at a depth whose parents are among some, which are all within a slice.
    fn below(&self, parents: &HashSet<EventIndex>, depth: u32, of: EventIndex) -> Vec<EventIndex> {
        let timeline = &self.trace.timeline;
        let ends = |slice| self.tracks.ends(timeline, slice);
        let thread = timeline.processes.utid(&timeline.events, of);
        let track = thread.and_then(|thread| self.tracks.of_threads.get(&thread));
        let row = track.and_then(|&track| self.tracks.all[track as usize].rows.get(depth as usize));
        let Some(row) = row.filter(|_| timeline.slices.ending(of).is_some()) else {
            return Vec::new();
        };
        let (start, end) = ends(of.0);
        row.within(start, end, &ends)
            .map(EventIndex)
            .filter(|&slice| timeline.slices.parent(slice).is_some_and(|p| parents.contains(&p)))
            .collect()
    }

    /// What ran in a slice, itself included, by self time.
    fn ran(&self, event: EventIndex) -> Vec<RanTime> {
        let Timeline { events, slices, .. } = &self.trace.timeline;
        if slices.ending(event).is_none() {
            return Vec::new();
        }
        let mut known: HashMap<(Key, Key, Option<u32>), usize> = HashMap::new();
        let mut sums: Vec<(EventIndex, u64, i64)> = Vec::new();
        let mut level = vec![event];
        let mut depth = slices.depth(event);
        while !level.is_empty() {
            for &slice in &level {
                let function = self.trace.function_of(slice).map(|(number, _)| number);
                let title = (events.name(slice), events.category(slice), function);
                let at = *known.entry(title).or_insert_with(|| {
                    sums.push((slice, 0, 0));
                    sums.len() - 1
                });
                sums[at].1 += 1;
                sums[at].2 = sums[at].2.saturating_add(slices.self_dur(slice).unwrap_or(0));
            }
            depth += 1;
            level = self.below(&level.into_iter().collect(), depth, event);
        }
        sums.order_by_key(|&(_, _, own)| Reverse(own));
        let row = |(slice, count, own)| RanTime {
            name: self.trace.text(events.name(slice)),
            category: self.trace.text(events.category(slice)),
            called: self.trace.called(slice),
            count,
            self_time_ns: Nanos(own),
        };
        sums.into_iter().map(row).collect()
    }

    fn search(&self, text: &str) -> (Vec<EventIndex>, i64) {
        let Timeline { events, slices, async_slices, .. } = &self.trace.timeline;
        let fits = filter_of(text);
        let fits: Vec<bool> = events.strings().iter().map(fits).collect();
        let is_it = |key: Key| key.some().is_some_and(|key| fits[key.0 as usize]);
        let called = self.trace.called_with(filter_of(text));
        let calls_it = |event| {
            self.trace.function_of(event).is_some_and(|(number, _)| called[number as usize])
        };
        let of_threads = events.all().filter(|&event| {
            slices.ending(event).is_some()
                && (is_it(events.name(event)) || calls_it(event))
                && events.ts(event).is_some()
        });
        let of_operations = async_slices.iter(events).filter(|slice| is_it(slice.name));
        let all = of_threads.map(Found::Slice).chain(of_operations.map(Found::Operation));
        let mut found: Vec<(Reverse<i64>, EventIndex)> = all
            .map(|found| (Reverse(self.ends(found).1.unwrap_or(0)), Self::event(found)))
            .collect();
        found.sort_unstable();
        let total = found.iter().fold(0i64, |sum, (Reverse(dur), _)| sum.saturating_add(*dur));
        (found.iter().map(|&(_, event)| event).collect(), total)
    }

    fn flows(&self) -> &[Vec<(u64, u64)>; 2] {
        self.flows.get_or_init(|| {
            let timeline = &self.trace.timeline;
            let ends = |event| timeline.slice_of_flow(event).map(|slice| slice.0);
            let arrows = timeline.flows.iter();
            let mut out: Vec<(u64, u64)> = arrows
                .filter_map(|flow| Some((ends(flow.from)?, ends(flow.to)?)))
                .filter(|(from, to)| from != to)
                .collect();
            let mut into: Vec<(u64, u64)> = out.iter().map(|&(from, to)| (to, from)).collect();
            out.sort_unstable();
            into.sort_unstable();
            [out, into]
        })
    }
}

/// Values for each part of a range that is so long, and the one before the range.
fn values(values: &[(i64, f64)], [from, to]: [i64; 2], least: i64, start: i64) -> CounterValues {
    let least = least.max(1);
    let first = values.partition_point(|&(ts, _)| ts <= from).saturating_sub(1);
    let end = values.partition_point(|&(ts, _)| ts < to);
    let mut found = CounterValues::default();
    let seen = values.get(first..end).unwrap_or_default();
    for part in seen.chunk_by(|a, b| a.0.div_euclid(least) == b.0.div_euclid(least)) {
        let numbers = || part.iter().map(|&(_, value)| value);
        found.start.push(part[0].0.saturating_sub(start));
        found.least.push(AnyNumber(numbers().fold(f64::NAN, f64::min)));
        found.most.push(AnyNumber(numbers().fold(f64::NAN, f64::max)));
        found.last.push(AnyNumber(part[part.len() - 1].1));
    }
    found
}

/// The picture in the arguments of an event, as a `data:` address: only of kinds that browsers draw, and nothing else.
fn image_of(arguments: &str) -> Option<String> {
    const KINDS: [(&str, &str); 3] = [("/9j/", "jpeg"), ("iVBORw0KGgo", "png"), ("UklGR", "webp")];
    let arguments: Value = serde_json::from_str(arguments).ok()?;
    let text = arguments["snapshot"].as_str()?;
    let (_, kind) = KINDS.iter().find(|(start, _)| text.starts_with(start))?;
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    text.bytes().all(is_base64).then(|| format!("data:image/{kind};base64,{text}"))
}

/// The names of boxes, numbered as they come.
struct Named<'a> {
    trace: &'a Subject,
    known: HashMap<Key, u32>,
    all: Vec<String>,
}

impl<'a> Named<'a> {
    fn new(trace: &'a Subject) -> Self {
        Named { trace, known: HashMap::new(), all: Vec::new() }
    }

    fn number(&mut self, key: Key) -> u32 {
        let Named { trace, known, all } = self;
        *known.entry(key).or_insert_with(|| {
            all.push(trace.text(key).unwrap_or_default());
            all.len() as u32 - 1
        })
    }
}
