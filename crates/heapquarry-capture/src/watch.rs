//! Watches the memory of a process without stopping it for long: figures that it says of itself, those of the system,
//! and now and then what lives after a collection.
//!
//! What costs a process how much is measured (docs/process.md). Nothing here walks its heap, nothing is installed in
//! its global scope, and each question has a time limit.

use crate::{
    Error, Result, Session, allocations,
    message::{member, number},
    pause,
    process::process_of,
    workers,
};
use heapquarry_process::{
    Allocations, Collection, Depth, Inside, LiveBy, MOST_FIGURES, Outside, Recording, Sample, Space,
};
use serde_json::{Value, json};
use std::time::{Duration, Instant, SystemTime};

/// How a process is watched.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WatchOptions {
    /// How long; `None` until it is stopped.
    pub duration: Option<Duration>,
    /// Time between samples.
    pub every: Duration,
    /// Time before the first figures that count: programs fill their caches.
    pub warm_up: Duration,
    /// The longest time that the process may be stopped at once, about. What takes longer is not done.
    pub max_pause: Duration,
}

impl Default for WatchOptions {
    fn default() -> Self {
        WatchOptions {
            duration: None,
            every: Duration::from_secs(1),
            warm_up: Duration::from_secs(15),
            max_pause: Duration::from_millis(60),
        }
    }
}

/// The longest stop of `vm.measureMemory`: 12 to 57 ms on a busy machine with Node 22 and 24. Before V8 12 it took up
/// to 2.2 s.
const MEASURE_GAP: Duration = Duration::from_millis(60);
const MEASURE_V8: u64 = 12;
/// A process that takes longer than this for it is starved: the next figures would come late, too, with new garbage.
const LATE: Duration = Duration::from_secs(1);
/// The stop of forced collections: 54 to 77 ms at 50 MB, 650 to 780 at 500.
const FORCED_GAP: Duration = Duration::from_millis(8);
const FORCED_NANOS_PER_MEGABYTE: u64 = 1_500_000;

/// The stop at the end of a sampling profile, which makes one collection: 20 to 37 ms at 50 MB that live, 230 to 450 at
/// 500. Garbage costs nothing. At 48 to 209 MB used, of which 47 lived, it took 34 to 104 ms of processor time of all
/// threads, most often 45 to 80.
const PROFILE_GAP: Duration = Duration::from_millis(5);
const PROFILE_NANOS_PER_MEGABYTE: u64 = 900_000;
/// A heap can grow by this part until the profile is asked for again.
const MAY_GROW: u64 = 4;
/// Bytes from one allocation that is noted to the next: what profilers in production take.
const SAMPLING_INTERVAL: u64 = 512 << 10;

/// Time between figures of what lives, the longest of three: so many samples, [`COSTS_BETWEEN`] times what the
/// collection takes, and the time since the start by [`PART_OF_ALL`], so that there are dozens after a day. If the
/// length of the watch is known, the third is at most [`DENSE`], or the length by [`MOST_FIGURES`] if that is more. The
/// watch has room for [`LEAST_FIGURES`]: with fewer nothing is sure.
const SAMPLES_BETWEEN: u32 = 5;
const COSTS_BETWEEN: u32 = 30;
const PART_OF_ALL: u32 = 12;
const DENSE: Duration = Duration::from_secs(10);
const LEAST_FIGURES: u32 = 8;

/// How often the process is asked for its collections. It keeps them for so long.
const COLLECTIONS_EVERY: Duration = Duration::from_secs(10);

/// How long a process may take to answer, and to collect.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long after a collection memory outside of the heap is given back: a thread of V8 does that.
const SWEPT: Duration = Duration::from_millis(100);
/// How long the process may take to tell the last collections.
const TOLD: Duration = Duration::from_millis(300);
/// How long the process may take to answer a goodbye.
const GOODBYE: Duration = Duration::from_secs(1);

/// Spaces of a heap that are noted, and characters of their names: V8 has 13.
const MOST_SPACES: usize = 64;
const LONGEST_NAME: usize = 64;

/// The events that tell collections, and which workers begin and end.
const COLLECTED: &str = "\"NodeTracing.dataCollected\"";
const EVENTS: &[&str] = &[COLLECTED, workers::ATTACHED, workers::DETACHED];

/// An object of the process that answers. It is not in the global scope, and goes with the connection.
const HELPER: &str = "(() => {
    const get = typeof process === 'object' && (process.getBuiltinModule ?? require);
    if (!get) return null;
    const ask = (how) => { try { return how(); } catch { return undefined; } };
    const v8 = ask(() => get('v8')), vm = ask(() => get('vm')), hooks = ask(() => get('perf_hooks'));
    // It tells the time between two ticks of a timer, so that it is a tick too long.
    const tick = 10, delay = ask(() => hooks.monitorEventLoopDelay({ resolution: tick }));
    ask(() => delay.enable());
    let before = ask(() => hooks.performance.eventLoopUtilization());
    return {
        sample() {
            const told = { v8: process.versions?.v8, now: ask(() => Number(process.hrtime.bigint() / 1000n)) };
            told.memory = ask(() => process.memoryUsage());
            told.heap = ask(() => v8.getHeapStatistics());
            told.spaces = ask(() => v8.getHeapSpaceStatistics());
            if (delay?.count > 0) {
                told.delay = { mean: delay.mean, max: delay.max, tick: tick * 1e6 };
                delay.reset();
            }
            const now = ask(() => hooks.performance.eventLoopUtilization());
            told.utilization = ask(() => hooks.performance.eventLoopUtilization(now, before).utilization);
            before = now;
            return told;
        },
        async measure() {
            await vm.measureMemory({ mode: 'summary', execution: 'eager' });
        },
        end() {
            ask(() => delay.disable());
        },
    };
})()";

/// What is asked for one sample alone.
const QUESTION: &str = "(() => {
    const get = process.getBuiltinModule ?? require, v8 = get('v8');
    const told = {}, ask = (name, how) => { try { told[name] = how(); } catch {} };
    ask('memory', () => process.memoryUsage());
    ask('heap', () => v8.getHeapStatistics());
    ask('spaces', () => v8.getHeapSpaceStatistics());
    return told;
})()";

/// Whatever has V8's inspector answers this.
const USAGE: &str = "Runtime.getHeapUsage";

/// What is seen of a process while it is watched.
struct Watcher<'s, 'a> {
    session: &'s mut Session<'a>,
    options: &'s WatchOptions,
    /// The object that answers; `None` where there is none, such as in pages.
    helper: Option<String>,
    outside: Option<Outside>,
    start: Instant,
    /// The clock of the process in microseconds, when it was zero for us.
    clock: Option<i64>,
    is_tracing: bool,
    sampling: Sampling,
    /// The workers; `None` where they are not told.
    workers: Option<Workers>,
    /// The major version of V8.
    v8: Option<u64>,
    /// Whether the last answer to `vm.measureMemory` took longer than [`LATE`], or did not come. Then it is not asked
    /// for again while a sampling profile fits into the limit.
    is_late: bool,
    recording: Recording,
}

/// Whether the process notes its allocations for us.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sampling {
    /// Not yet.
    Before,
    /// Since this time.
    Since(Duration),
    /// No longer, or never.
    Over,
}

/// Watches a process until the time is over, it is stopped, or the process ends. `seen` gets each sample.
///
/// # Errors
/// If the target does not answer at the beginning. What comes later ends the watch, as a note of the recording says.
pub fn watch(
    session: &mut Session<'_>,
    options: &WatchOptions,
    seen: &mut dyn FnMut(&Sample),
) -> Result<Recording> {
    let outside = process_of(session)?.and_then(Outside::open);
    let recording = Recording { warm_up: options.warm_up, ..Recording::default() };
    let mut watcher = Watcher {
        session,
        options,
        helper: None,
        outside,
        start: Instant::now(),
        clock: None,
        is_tracing: false,
        sampling: Sampling::Before,
        workers: None,
        v8: None,
        is_late: false,
        recording,
    };
    if watcher.outside.is_none() {
        let why = "what the system says of the process is not known: it is behind a forwarder, a page of a browser, \
                   of another machine or user, or not of Linux";
        watcher.recording.note(why);
    }
    let ended = watcher.begin().and_then(|()| watcher.run(seen));
    // Whatever happened, nothing of ours is left in the process.
    watcher.finish();
    match ended {
        Ok(()) | Err(Error::Interrupted) => {}
        // Without a single sample there is nothing to tell.
        Err(error) if watcher.recording.samples.is_empty() => return Err(error),
        Err(error) => {
            let at = watcher.recording.span().as_secs_f64();
            watcher.recording.note(format!("the watch ended after {at:.0} s: {error}"));
        }
    }
    Ok(watcher.recording)
}

/// One sample of a process, with its maps and malloc: for whoever stops it for longer anyway.
///
/// # Errors
/// If the target does not answer.
pub fn sample(session: &mut Session<'_>) -> Result<Sample> {
    let begin = Instant::now();
    let time_us = now();
    let told = session.evaluate(QUESTION)?;
    let inside = completed(inside(&told), session)?;
    let took = begin.elapsed();
    let outside = process_of(session)?.and_then(Outside::open);
    let system = outside.and_then(|mut outside| outside.read(Depth::Maps { gap: Duration::MAX }));
    Ok(Sample { time_us, took, inside, system: system.unwrap_or_default(), ..Sample::default() })
}

/// The time in microseconds since 1970 (UTC).
fn now() -> i64 {
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    i64::try_from(now.as_micros()).unwrap_or(i64::MAX)
}

/// With what an engine says of the heap of a target that says nothing itself, such as a page.
fn completed(mut inside: Inside, session: &mut Session<'_>) -> Result<Inside> {
    if inside.heap_used.is_none() {
        let usage = match session.call(USAGE, &json!({})) {
            Err(Error::Refused { .. }) => Value::Null,
            usage => usage?,
        };
        inside.heap_used = number(&usage["usedSize"]);
        inside.heap_total = number(&usage["totalSize"]);
        inside.external = number(&usage["backingStorageSize"]);
    }
    Ok(inside)
}

impl Watcher<'_, '_> {
    /// Says hello. The time of the watch begins after it.
    fn begin(&mut self) -> Result<()> {
        self.session.kept.want(EVENTS);
        self.helper = self.helper()?;
        let params = json!({ "waitForDebuggerOnStart": false });
        self.workers = match self.session.call(workers::ENABLE, &params) {
            Ok(_) => {
                // They are announced a moment later.
                if !self.session.wait(Some(workers::ANNOUNCED))? {
                    return Err(Error::Interrupted);
                }
                Some(Workers::default())
            }
            Err(Error::Refused { .. } | Error::Silent { .. }) => None,
            Err(error) => return Err(error),
        };
        self.start_tracing()?;
        self.start = Instant::now();
        Ok(())
    }

    fn run(&mut self, seen: &mut dyn FnMut(&Sample)) -> Result<()> {
        let mut next = Duration::ZERO;
        let mut next_state = self.options.warm_up;
        let mut next_collections = COLLECTIONS_EVERY;
        loop {
            let at = self.start.elapsed();
            let is_last = self.options.duration.is_some_and(|duration| at >= duration);
            // The first shows where the memory is, and how large a collection would be.
            let is_first = self.recording.samples.is_empty();
            let is_due = at >= next_state || (is_last && at >= self.options.warm_up);
            let is_state = is_due && !is_first;
            let live = if is_state { self.collect()? } else { None };
            let cost = self.start.elapsed().saturating_sub(at).saturating_sub(SWEPT);
            let depth = match is_state || is_first {
                true => Depth::Maps { gap: self.options.max_pause },
                false => Depth::Sums,
            };
            let mut sample = self.sample(live, depth)?;
            self.take_events();
            sample.inside.worker_count = self.workers.as_mut().map(Workers::since);
            seen(&sample);
            self.recording.push(sample);
            if is_state {
                self.sample_allocations(is_last)?;
            }
            if is_last {
                break;
            }
            let now = self.start.elapsed();
            if is_state {
                next_state = at + self.rest(now, cost);
            }
            if now >= next_collections {
                // One that was refused in between may be allowed again.
                if self.recording.collections.is_some() || self.is_tracing {
                    self.stop_tracing(PATIENCE)?;
                    self.start_tracing()?;
                }
                next_collections = now + COLLECTIONS_EVERY;
            }
            // What was missed is not made up for.
            next = next.saturating_add(self.options.every);
            next = next.max(self.start.elapsed());
            let next = self.options.duration.map_or(next, |duration| next.min(duration));
            if !self.session.wait(Some(next.saturating_sub(self.start.elapsed())))? {
                break;
            }
        }
        Ok(())
    }

    /// Time between two figures of what lives, of which the last cost so much.
    fn rest(&self, now: Duration, cost: Duration) -> Duration {
        let least = self.options.every.saturating_mul(SAMPLES_BETWEEN);
        let all = self.options.duration.map(|all| all.saturating_sub(self.options.warm_up));
        let part = now / PART_OF_ALL;
        let part = all.map_or(part, |all| part.min(DENSE.max(all / MOST_FIGURES)));
        let rest = least.max(cost.saturating_mul(COSTS_BETWEEN)).max(part);
        all.map_or(rest, |all| rest.min(all / LEAST_FIGURES))
    }

    /// Says goodbye, and takes what the process still has of its collections.
    fn finish(&mut self) {
        self.session.watch().resume();
        // It tells the last ones within milliseconds.
        if self.is_tracing
            && self.stop_tracing(GOODBYE).is_ok()
            && self.session.wait(Some(TOLD)).is_ok()
        {
            self.take_events();
        }
        self.session.kept.want(&[]);
        match self.sampling {
            Sampling::Before => self.without_allocations("the watch was too short"),
            // It notes why they are not known.
            Sampling::Since(from) => drop(self.read_allocations(from, GOODBYE)),
            Sampling::Over => {}
        }
        if self.workers.take().is_some() {
            let _ = self.session.call_raw(workers::DISABLE, &json!({}), GOODBYE);
        }
        if let Some(helper) = self.helper.take() {
            let params = call_on(&helper, "function() { this.end(); }", false);
            let _ = self.session.call_raw("Runtime.callFunctionOn", &params, GOODBYE);
        }
        if self.recording.major_count.is_none() {
            let why = "how often the process collects garbage is not known: it cannot be traced, or is traced already";
            self.recording.note(why);
        }
    }

    /// Makes the object that answers.
    fn helper(&mut self) -> Result<Option<String>> {
        let params = json!({
            "expression": HELPER,
            "silent": true,
            "includeCommandLineAPI": true,
        });
        let made = match self.session.call("Runtime.evaluate", &params) {
            // Some have nothing that could run it, such as workerd.
            Err(Error::Refused { .. }) => Value::Null,
            made => made?,
        };
        let id = made["result"]["objectId"].as_str();
        Ok(id.filter(|_| made["exceptionDetails"].is_null()).map(String::from))
    }

    /// Samples.
    fn sample(&mut self, live: Option<LiveBy>, depth: Depth) -> Result<Sample> {
        let begin = Instant::now();
        let at = self.start.elapsed();
        let time_us = now();
        let told = match &self.helper {
            Some(helper) => {
                let params = call_on(helper, "function() { return this.sample(); }", false);
                self.session.call("Runtime.callFunctionOn", &params)?
            }
            None => Value::Null,
        };
        let told = &told["result"]["value"];
        let inside = completed(inside(told), self.session)?;
        if let Some(now) = told["now"].as_i64() {
            let at = i64::try_from(at.as_micros()).unwrap_or(i64::MAX);
            self.clock.get_or_insert(now.saturating_sub(at));
        }
        let v8 = told["v8"].as_str().and_then(|version| version.split('.').next()?.parse().ok());
        self.v8 = self.v8.or(v8);
        let took = begin.elapsed();
        let system = match &mut self.outside {
            Some(outside) => outside.read(depth),
            None => None,
        };
        if system.is_none() && self.outside.is_some() {
            self.recording.note("some samples lack what the system says of the process");
        }
        Ok(Sample { at, time_us, took, live, inside, system: system.unwrap_or_default() })
    }

    /// Has garbage removed, if that does not stop the process for too long. Returns how it was done.
    fn collect(&mut self) -> Result<Option<LiveBy>> {
        let gap = self.options.max_pause;
        let last = self.recording.samples.last();
        let heap = last.and_then(|sample| sample.inside.heap_used);
        let forced = heap.map(|heap| {
            let nanos = (heap / 1_000_000).saturating_mul(FORCED_NANOS_PER_MEGABYTE);
            FORCED_GAP + Duration::from_nanos(nanos)
        });
        let profile = profile_gap(self.recording.live_heap());
        let is_next_best = self.is_late && profile <= gap;
        let live = match &self.helper {
            Some(helper) if self.v8 >= Some(MEASURE_V8) && MEASURE_GAP <= gap && !is_next_best => {
                let params = call_on(helper, "function() { return this.measure(); }", true);
                let begin = Instant::now();
                let answer = self.session.call_raw("Runtime.callFunctionOn", &params, PATIENCE);
                self.is_late = begin.elapsed() > LATE;
                match answer {
                    Ok(answer) => {
                        let failed = member(&answer, "result")
                            .is_some_and(|result| member(result, "exceptionDetails").is_some());
                        (!failed).then_some(LiveBy::Measured)
                    }
                    Err(Error::Silent { .. } | Error::Refused { .. }) => None,
                    Err(error) => return Err(error),
                }
            }
            _ if forced.is_some_and(|forced| forced <= gap) => {
                match self.session.call("HeapProfiler.collectGarbage", &json!({})) {
                    Ok(_) => Some(LiveBy::Forced),
                    Err(Error::Silent { .. } | Error::Refused { .. }) => None,
                    Err(error) => return Err(error),
                }
            }
            // That makes several. A sampling profile makes one.
            _ if profile <= gap => match pause::collect(self.session) {
                Ok(is_done) => is_done.then_some(LiveBy::Forced),
                Err(Error::Silent { .. }) => None,
                Err(error) => return Err(error),
            },
            _ => {
                let why = too_long("that", profile, gap);
                if self.recording.notes.iter().all(|note| !note.starts_with("garbage was not")) {
                    self.recording.note(format!(
                        "garbage was not removed before figures: {why}; those after collections of its own count"
                    ));
                }
                return Ok(None);
            }
        };
        match live {
            None => self.recording.note(
                "some figures lack a collection before them: the process did not answer in time",
            ),
            Some(_) if !self.session.wait(Some(SWEPT))? => return Err(Error::Interrupted),
            Some(_) => {}
        }
        Ok(live)
    }

    /// Has the process note its allocations from the warm-up on, and asks for them at the end, or before the heap
    /// becomes too large for that.
    fn sample_allocations(&mut self, is_last: bool) -> Result<()> {
        match self.sampling {
            Sampling::Before if !is_last => self.start_sampling(),
            Sampling::Since(from) => {
                let heap = self.recording.live_heap();
                let larger = heap.map(|heap| heap.saturating_add(heap / MAY_GROW));
                match is_last || profile_gap(larger) > self.options.max_pause {
                    true => self.read_allocations(from, PATIENCE),
                    false => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    fn start_sampling(&mut self) -> Result<()> {
        self.sampling = Sampling::Over;
        let (gap, most) = (profile_gap(self.recording.live_heap()), self.options.max_pause);
        if gap > most {
            self.without_allocations(&too_long("to ask", gap, most));
            return Ok(());
        }
        // There is one such profile for all who ask. Ending that of the program would be noticed.
        match self.session.call_raw("HeapProfiler.getSamplingProfile", &json!({}), PATIENCE) {
            Ok(_) => {
                self.without_allocations("the program, or another client, samples them already");
                return Ok(());
            }
            Err(Error::Refused { .. }) => {}
            Err(Error::Silent { .. }) => {
                self.without_allocations(NOT_TOLD);
                return Ok(());
            }
            Err(error) => return Err(error),
        }
        let params = json!({ "samplingInterval": SAMPLING_INTERVAL });
        match self.session.call("HeapProfiler.startSampling", &params) {
            Ok(_) => self.sampling = Sampling::Since(self.start.elapsed()),
            Err(Error::Refused { .. } | Error::Silent { .. }) => self.without_allocations(NOT_TOLD),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Asks for the allocations of which something lives, and has them noted no longer.
    fn read_allocations(&mut self, from: Duration, patience: Duration) -> Result<()> {
        self.sampling = Sampling::Over;
        let (gap, most) = (profile_gap(self.recording.live_heap()), self.options.max_pause);
        if gap > most {
            // This makes no collection.
            self.without_allocations(&too_long("to ask", gap, most));
            return match self.session.call_raw("HeapProfiler.disable", &json!({}), patience) {
                Ok(_) | Err(Error::Refused { .. } | Error::Silent { .. }) => Ok(()),
                Err(error) => Err(error),
            };
        }
        let until = self.start.elapsed();
        let told = self.session.call_raw("HeapProfiler.stopSampling", &json!({}), patience);
        let told = match told {
            Ok(told) => Some(told),
            Err(Error::Refused { .. } | Error::Silent { .. }) => None,
            Err(error) => {
                self.without_allocations(NOT_TOLD);
                return Err(error);
            }
        };
        let profile = told.as_deref().and_then(|told| member(member(told, "result")?, "profile"));
        match profile.and_then(allocations::calls) {
            Some(calls) => {
                let interval = SAMPLING_INTERVAL;
                self.recording.allocations = Some(Allocations { from, until, interval, calls });
            }
            None => self.without_allocations(NOT_TOLD),
        }
        Ok(())
    }

    fn without_allocations(&mut self, why: &str) {
        self.recording.note(format!("which calls made what lives is not known: {why}"));
    }

    /// Has the process note its collections.
    fn start_tracing(&mut self) -> Result<()> {
        let params = json!({ "traceConfig": { "includedCategories": ["v8"] } });
        self.is_tracing = match self.session.call("NodeTracing.start", &params) {
            Ok(_) => true,
            Err(Error::Refused { .. } | Error::Silent { .. }) => false,
            Err(error) => return Err(error),
        };
        if !self.is_tracing && self.recording.collections.is_some() {
            self.lost_collections();
        }
        Ok(())
    }

    fn lost_collections(&mut self) {
        self.recording
            .note("some collections are not known: the process did not note or tell them all");
    }

    /// Has the process tell the collections that it noted: it does so after it has ended the noting.
    fn stop_tracing(&mut self, patience: Duration) -> Result<()> {
        if !std::mem::take(&mut self.is_tracing) {
            return Ok(());
        }
        match self.session.call_raw("NodeTracing.stop", &json!({}), patience) {
            // Perhaps there were none.
            Ok(_) => self.recording.add_collections(0, Vec::new()),
            Err(Error::Refused { .. } | Error::Silent { .. }) => self.lost_collections(),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Takes what the process has told of its collections and workers.
    fn take_events(&mut self) {
        let (messages, is_whole) = self.session.kept.take();
        if !is_whole {
            self.lost_collections();
            self.workers = None;
        }
        let mut found = Collections::default();
        let mut has_collections = false;
        for message in &messages {
            match member(message, "method") {
                Some(COLLECTED) => {
                    has_collections = true;
                    found.add(message);
                }
                method => self.workers.iter_mut().for_each(|workers| workers.add(method)),
            }
        }
        if has_collections && let Some(clock) = self.clock {
            self.recording.add_collections(found.minor, found.major(clock));
        }
    }
}

const NOT_TOLD: &str = "the process does not tell its allocations";

/// How long a sampling profile stops a process at its end; for ever if the size of its heap is not known.
fn profile_gap(heap: Option<u64>) -> Duration {
    let nanos = |heap: u64| (heap / 1_000_000).saturating_mul(PROFILE_NANOS_PER_MEGABYTE);
    heap.map_or(Duration::MAX, |heap| PROFILE_GAP + Duration::from_nanos(nanos(heap)))
}

fn too_long(what: &str, gap: Duration, most: Duration) -> String {
    match gap {
        Duration::MAX => "the process does not say how large its heap is".into(),
        gap => format!(
            "{what} would stop the process for about {} ms, and the limit is {} ms",
            gap.as_millis(),
            most.as_millis()
        ),
    }
}

/// The parameters of a call of a function of the object that answers.
fn call_on(helper: &str, function: &str, is_async: bool) -> Value {
    json!({
        "objectId": helper,
        "functionDeclaration": function,
        "returnByValue": true,
        "awaitPromise": is_async,
        "silent": true,
    })
}

/// Workers, as the main thread announces them.
#[derive(Default)]
struct Workers {
    now: u64,
    /// Those that have ended since they were last asked for.
    ended: u64,
}

impl Workers {
    fn add(&mut self, method: Option<&str>) {
        match method {
            Some(workers::ATTACHED) => self.now += 1,
            Some(workers::DETACHED) => {
                self.ended += 1;
                self.now = self.now.saturating_sub(1);
            }
            _ => {}
        }
    }

    /// How many ran at some time since they were last asked for.
    fn since(&mut self) -> u64 {
        self.now + std::mem::take(&mut self.ended)
    }
}

/// The collections of a trace.
#[derive(Default)]
struct Collections {
    minor: u64,
    /// Time in microseconds, and used bytes after.
    major: Vec<(i64, u64)>,
}

impl Collections {
    /// Adds the events of a message, but not those of workers.
    fn add(&mut self, message: &str) {
        let events = member(message, "params").and_then(|params| member(params, "value"));
        let events: Vec<Value> =
            events.and_then(|events| serde_json::from_str(events).ok()).unwrap_or_default();
        for event in &events {
            let Some(used) = number(&event["args"]["usedHeapSizeAfter"]) else { continue };
            let (pid, tid) = (event["pid"].as_i64(), event["tid"].as_i64());
            // The main thread has the number of the process.
            if pid != tid {
                continue;
            }
            match event["name"].as_str() {
                Some("MinorGC") => self.minor += 1,
                Some("MajorGC") => {
                    let time = event["ts"].as_i64().unwrap_or(0);
                    self.major.push((time, used));
                }
                _ => {}
            }
        }
    }

    /// Major collections, with `clock` as the beginning of time.
    fn major(self, clock: i64) -> Vec<Collection> {
        let collection = |(time, used_after): (i64, u64)| {
            let micros = u64::try_from(time.saturating_sub(clock)).ok()?;
            Some(Collection { at: Duration::from_micros(micros), used_after })
        };
        self.major.into_iter().filter_map(collection).collect()
    }
}

/// What the object said.
fn inside(told: &Value) -> Inside {
    let (memory, heap) = (&told["memory"], &told["heap"]);
    let space = |space: &Value| {
        Some(Space {
            name: space["space_name"].as_str()?.chars().take(LONGEST_NAME).collect(),
            size: number(&space["space_size"])?,
            used: number(&space["space_used_size"])?,
            available: number(&space["space_available_size"])?,
            physical: number(&space["physical_space_size"])?,
        })
    };
    let nanos = |value: &Value| {
        let nanos = value.as_f64().filter(|nanos| nanos.is_finite() && *nanos >= 0.0)?;
        Duration::try_from_secs_f64(nanos / 1e9).ok()
    };
    let delay = |value| Some(nanos(value)?.saturating_sub(nanos(&told["delay"]["tick"])?));
    let spaces = told["spaces"].as_array().into_iter().flatten();
    Inside {
        rss: number(&memory["rss"]),
        heap_total: number(&memory["heapTotal"]),
        heap_used: number(&memory["heapUsed"]),
        heap_physical: number(&heap["total_physical_size"]),
        heap_limit: number(&heap["heap_size_limit"]),
        external: number(&memory["external"]),
        array_buffers: number(&memory["arrayBuffers"]),
        malloced: number(&heap["malloced_memory"]),
        native_contexts: number(&heap["number_of_native_contexts"]),
        detached_contexts: number(&heap["number_of_detached_contexts"]),
        loop_delay_mean: delay(&told["delay"]["mean"]),
        loop_delay_max: delay(&told["delay"]["max"]),
        loop_utilization: told["utilization"].as_f64().filter(|share| (0.0..=1.0).contains(share)),
        worker_count: None,
        spaces: spaces.filter_map(space).take(MOST_SPACES).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collections_of_the_main_thread_are_found() {
        let event = |name: &str, tid: i64, ts: i64| json!({"name": name, "ph": "E", "pid": 7, "tid": tid, "ts": ts, "args": {"usedHeapSizeAfter": 5000}});
        let value = json!([
            event("MinorGC", 7, 1_000_000),
            event("MajorGC", 7, 3_000_000),
            event("MajorGC", 8, 3_100_000),
            event("MajorGC", 7, 100),
            json!({"name": "MajorGC", "ph": "B", "pid": 7, "tid": 7, "ts": 2, "args": {"usedHeapSizeBefore": 1}}),
        ]);
        let message =
            json!({"method": "NodeTracing.dataCollected", "params": {"value": value}}).to_string();
        let mut found = Collections::default();
        found.add(&message);
        found.add("nonsense");
        assert_eq!(found.minor, 1);
        let at = Duration::from_secs(2);
        assert_eq!(found.major(1_000_000), [Collection { at, used_after: 5000 }]);
    }

    #[test]
    fn workers_that_ran_are_counted() {
        let mut found = Workers::default();
        for (methods, expected) in [
            (&[][..], 0),
            (&[workers::ATTACHED, workers::ATTACHED], 2),
            (&[], 2),
            (&[workers::DETACHED, COLLECTED], 2),
            (&[], 1),
            (&[workers::ATTACHED, workers::DETACHED, workers::DETACHED], 2),
            (&[], 0),
        ] {
            methods.iter().for_each(|method| found.add(Some(method)));
            assert_eq!(found.since(), expected, "{methods:?}");
        }
    }

    #[test]
    fn what_a_process_does_not_say_is_not_known() {
        let told = json!({
            "memory": {"rss": 5, "heapUsed": 3.0, "external": -1},
            "delay": {"mean": 11e6, "max": null, "tick": 10e6},
            "spaces": [{"space_name": "old_space"}],
            "utilization": 7,
        });
        let expected = Inside {
            rss: Some(5),
            heap_used: Some(3),
            loop_delay_mean: Some(Duration::from_millis(1)),
            ..Inside::default()
        };
        assert_eq!(inside(&told), expected);
        assert_eq!(inside(&Value::Null), Inside::default());
    }

    /// The figures of the process are the time between two ticks.
    #[test]
    fn the_delay_of_the_loop_is_without_the_tick() {
        let millis = |time| Some(Duration::from_millis(time));
        for (told, expected) in [
            (json!({"mean": 10e6, "max": 10e6, "tick": 10e6}), (millis(0), millis(0))),
            (json!({"mean": 9e6, "max": 62e6, "tick": 10e6}), (millis(0), millis(52))),
            (json!({"mean": 12e6, "max": 62e6}), (None, None)),
        ] {
            let found = inside(&json!({ "delay": told }));
            assert_eq!((found.loop_delay_mean, found.loop_delay_max), expected, "{told}");
        }
    }

    /// A process can say what it likes.
    #[test]
    fn numbers_and_lists_of_a_process_have_limits() {
        let space = json!({"space_name": "x".repeat(1000), "space_size": u64::MAX, "space_used_size": 1e300,
            "space_available_size": 0, "physical_space_size": 0});
        let found = inside(&json!({ "spaces": vec![space; 1000] })).spaces;
        assert_eq!((found.len(), found[0].name.len()), (MOST_SPACES, LONGEST_NAME));
        assert_eq!((found[0].size, found[0].used), (u64::MAX, u64::MAX));
        for (time, clock, expected) in [(i64::MIN, i64::MAX, 0), (i64::MAX, i64::MIN, 1)] {
            let found = Collections { minor: 0, major: vec![(time, u64::MAX)] };
            assert_eq!(found.major(clock).len(), expected);
        }
    }
}
