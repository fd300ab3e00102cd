//! What can be recorded, and how.

use crate::{
    Error, Result, Session,
    message::{member, string},
    session::{Next, check, is_answer},
};
use heapquarry_scan::Unescaper;
use serde_json::json;
use std::{io::Write, time::Duration};

/// What is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A heap snapshot.
    Heap,
    /// Allocations by function, sampled.
    HeapSampling,
    /// A CPU profile.
    Cpu,
    /// A heap snapshot with the times and stacks of the allocations before it.
    Timeline,
    /// A trace of events.
    Trace,
}

impl Kind {
    /// The extension of its files, with the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Kind::Heap => ".heapsnapshot",
            Kind::HeapSampling => ".heapprofile",
            Kind::Cpu => ".cpuprofile",
            Kind::Timeline => ".heaptimeline",
            Kind::Trace => ".json",
        }
    }

    /// Whether it is a moment, not a time.
    pub fn is_moment(self) -> bool {
        self == Kind::Heap
    }

    /// Whether a heap snapshot is taken, which needs memory in the target.
    pub fn has_snapshot(self) -> bool {
        matches!(self, Kind::Heap | Kind::Timeline)
    }
}

/// How it is recorded.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How long, where it is no moment; `None` until it is stopped.
    pub duration: Option<Duration>,
    /// Collect garbage before it.
    pub gc: bool,
    /// Values of numbers in a snapshot.
    pub numeric: bool,
    /// Objects of the engine in a snapshot.
    pub internals: bool,
}

/// What was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recorded {
    /// How many bytes.
    pub bytes: u64,
    /// Why it is not whole.
    pub cut: Option<String>,
}

/// Events of a trace of Node, and of a browser. Those of DevTools' performance panel.
const NODE_EVENTS: [&str; 6] =
    ["node", "node.environment", "node.perf", "node.promises.rejections", "v8", "node.async_hooks"];
const BROWSER_EVENTS: [&str; 8] = [
    "devtools.timeline",
    "disabled-by-default-devtools.timeline",
    "disabled-by-default-devtools.timeline.frame",
    "disabled-by-default-v8.cpu_profiler",
    "blink.console",
    "blink.user_timing",
    "toplevel",
    "v8.execute",
];

impl Session {
    /// Records something, and writes it as the engine sends it. `stop` ends a recording early; a snapshot is then cut.
    ///
    /// If the target ends in between, what came is written, and [`Recorded::cut`] says so.
    ///
    /// # Errors
    /// If nothing came, the target refuses, or it cannot be written.
    pub fn record(
        &mut self,
        kind: Kind,
        options: &Options,
        out: &mut dyn Write,
        stop: &dyn Fn() -> bool,
    ) -> Result<Recorded> {
        let out = &mut Counted { out, bytes: 0 };
        match kind {
            Kind::Heap => {
                self.prepare(options, stop)?;
                self.snapshot("HeapProfiler.takeHeapSnapshot", options, out, stop)
            }
            Kind::Timeline => {
                self.prepare(options, stop)?;
                let params = json!({ "trackAllocations": true });
                self.call("HeapProfiler.startTrackingHeapObjects", &params)?;
                let stopped = !self.wait(options.duration, stop)?;
                // What ended the time must not also cut the snapshot.
                let stop: &dyn Fn() -> bool = if stopped { &|| false } else { stop };
                self.snapshot("HeapProfiler.stopTrackingHeapObjects", options, out, stop)
            }
            Kind::HeapSampling => {
                self.prepare(options, stop)?;
                self.call("HeapProfiler.startSampling", &json!({}))?;
                self.wait(options.duration, stop)?;
                self.profile("HeapProfiler.stopSampling", out)
            }
            Kind::Cpu => {
                self.call("Profiler.enable", &json!({}))?;
                self.call("Profiler.start", &json!({}))?;
                self.wait(options.duration, stop)?;
                self.profile("Profiler.stop", out)
            }
            Kind::Trace => self.trace(options, out, stop),
        }
    }

    fn prepare(&mut self, options: &Options, stop: &dyn Fn() -> bool) -> Result<()> {
        self.call("HeapProfiler.enable", &json!({}))?;
        if options.gc {
            let done = self.call_raw("HeapProfiler.collectGarbage", &json!({}), None, stop)?;
            done.ok_or(Error::Interrupted)?;
        }
        Ok(())
    }

    fn snapshot(
        &mut self,
        method: &'static str,
        options: &Options,
        out: &mut Counted<'_>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Recorded> {
        // Progress events crash old versions (nodejs/node#44634).
        let params = json!({
            "reportProgress": false,
            "captureNumericValue": options.numeric,
            "exposeInternals": options.internals,
        });
        let id = self.send(method, &params)?;
        let (mut unescaper, mut text) = (Unescaper::new(), Vec::new());
        self.pieces(id, method, out, stop, "HeapProfiler.addHeapSnapshotChunk", |params, out| {
            let Some(chunk) = member(params, "chunk").and_then(string) else { return Ok(()) };
            text.clear();
            unescaper.feed(chunk.as_bytes(), &mut text);
            out.write(&text)
        })
    }

    /// Passes the parameters of each event of a name on, until the answer.
    fn pieces(
        &mut self,
        id: u64,
        method: &'static str,
        out: &mut Counted<'_>,
        stop: &dyn Fn() -> bool,
        wanted: &str,
        mut take: impl FnMut(&str, &mut Counted<'_>) -> Result<()>,
    ) -> Result<Recorded> {
        loop {
            let text = match self.receive(None, stop) {
                Ok(Next::Message(text)) => text,
                Ok(Next::Late) => continue,
                Ok(Next::Stopped) if out.bytes == 0 => return Err(Error::Interrupted),
                Ok(Next::Stopped) => return Ok(out.cut("interrupted")),
                Err(error) if out.bytes == 0 => return Err(error),
                Err(error) => return Ok(out.cut(&error.to_string())),
            };
            if is_answer(&text, id) {
                return match check(method, &text) {
                    Err(error) if out.bytes > 0 => Ok(out.cut(&error.to_string())),
                    result => result.map(|()| out.whole()),
                };
            }
            if event(&text) == Some(wanted)
                && let Some(params) = member(&text, "params")
            {
                take(params, out)?;
            }
        }
    }

    /// Ends a profile, and writes it.
    fn profile(&mut self, method: &'static str, out: &mut Counted<'_>) -> Result<Recorded> {
        let answer =
            self.call_raw(method, &json!({}), None, &|| false)?.ok_or(Error::Interrupted)?;
        let profile = member(&answer, "result").and_then(|result| member(result, "profile"));
        let why = || "its answer has no profile".into();
        let profile = profile.ok_or_else(|| Error::Refused { method, why: why() })?;
        out.write(profile.as_bytes())?;
        Ok(out.whole())
    }

    /// Node and browsers have domains of their own.
    fn trace(
        &mut self,
        options: &Options,
        out: &mut Counted<'_>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Recorded> {
        let config = |events: &[&str]| json!({ "includedCategories": events });
        let params = json!({ "traceConfig": config(&NODE_EVENTS) });
        let (end, data, complete) = match self.call("NodeTracing.start", &params) {
            Ok(_) => {
                ("NodeTracing.stop", "NodeTracing.dataCollected", "NodeTracing.tracingComplete")
            }
            Err(Error::Refused { .. }) => {
                let config = config(&BROWSER_EVENTS);
                let params = json!({ "transferMode": "ReportEvents", "traceConfig": config });
                self.call("Tracing.start", &params)?;
                ("Tracing.end", "Tracing.dataCollected", "Tracing.tracingComplete")
            }
            Err(error) => return Err(error),
        };
        self.wait(options.duration, stop)?;
        self.send(end, &json!({}))?;
        out.write(b"{\"traceEvents\":[")?;
        let mut separator: &[u8] = b"\n";
        loop {
            let text = match self.receive(None, &|| false) {
                Ok(Next::Message(text)) => text,
                Ok(_) => continue,
                Err(error) => return Ok(out.cut(&error.to_string())),
            };
            let name = event(&text);
            if name == Some(complete) {
                out.write(b"\n]}")?;
                return Ok(out.whole());
            }
            let events = member(&text, "params").and_then(|params| member(params, "value"));
            let events = events.and_then(|e| e.strip_prefix('[')?.strip_suffix(']')).map(str::trim);
            if let Some(events) = events.filter(|events| name == Some(data) && !events.is_empty()) {
                out.write(separator)?;
                out.write(events.as_bytes())?;
                separator = b",\n";
            }
        }
    }
}

/// The name of an event.
fn event(text: &str) -> Option<&str> {
    member(text, "method").and_then(string)?.strip_suffix('"')
}

/// Counts what is written.
struct Counted<'a> {
    out: &'a mut dyn Write,
    bytes: u64,
}

impl Counted<'_> {
    fn write(&mut self, data: &[u8]) -> Result<()> {
        self.bytes += data.len() as u64;
        self.out.write_all(data).map_err(Error::Write)
    }

    fn whole(&self) -> Recorded {
        Recorded { bytes: self.bytes, cut: None }
    }

    fn cut(&self, why: &str) -> Recorded {
        Recorded { bytes: self.bytes, cut: Some(why.into()) }
    }
}
