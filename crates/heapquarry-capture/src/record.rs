//! What can be recorded, and how.

use crate::{
    Error, Result, Session,
    message::{member, string},
    pause,
    session::{Next, check, is_answer},
};
use heapquarry_scan::Unescaper;
use serde_json::json;
use std::{
    io::{self, Write},
    path::Path,
    time::{Duration, Instant},
};

/// Bytes that a recording may have unless another limit is set. Without any, a target could fill the disk.
pub const MOST_BYTES: u64 = 16 << 30;

/// How long a target may send nothing, and how long all of a recording may take to come, unless other limits are set.
const SILENCE: Duration = Duration::from_secs(600);
const TIME: Duration = Duration::from_secs(2 * 3600);

/// How long a target is heard out that would not survive our leaving.
const HEAR_OUT: Duration = Duration::from_secs(60);

/// Nodes before this version can crash when a client leaves while they send.
const STURDY_NODE: u32 = 24;

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

    /// Whether a heap snapshot is taken, which needs memory in the target.
    pub fn has_snapshot(self) -> bool {
        matches!(self, Kind::Heap | Kind::Timeline)
    }
}

/// How it is recorded.
#[derive(Clone, Debug)]
pub struct Options {
    /// How long, where it is no moment; `None` until it is stopped.
    pub duration: Option<Duration>,
    /// Collect garbage before it.
    pub gc: bool,
    /// Values of numbers in a snapshot.
    pub numeric: bool,
    /// Objects of the engine in a snapshot.
    pub internals: bool,
    /// Bytes that it may have.
    pub most: u64,
    /// How long the target may send nothing. A snapshot is made before anything of it is sent.
    pub silence: Duration,
    /// How long it may take to come, from the end of `duration`.
    pub time: Duration,
    /// Called when the target is heard out after an interrupt, because it would not survive our leaving.
    pub on_wait: Option<fn()>,
    /// Makes a folder for a named pipe, which only its owner can enter, and which is removed when it is dropped.
    /// Without it, and where it fails, everything comes by the protocol.
    pub folder: Option<MakeFolder>,
}

/// Makes a folder that is removed when it is dropped.
pub type MakeFolder = fn() -> io::Result<Box<dyn AsRef<Path>>>;

impl Default for Options {
    fn default() -> Self {
        Options {
            duration: None,
            gc: false,
            numeric: false,
            internals: false,
            most: MOST_BYTES,
            silence: SILENCE,
            time: TIME,
            on_wait: None,
            folder: None,
        }
    }
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

impl Session<'_> {
    /// Records something, and writes it as the engine sends it. An interrupt ends the time of a recording that has one;
    /// otherwise it ends all, and what was written is not whole.
    ///
    /// If the target ends in between, or takes too long, what came is written, and [`Recorded::cut`] says so.
    ///
    /// A heap snapshot of a Node of this machine comes through a named pipe, if there may be one ([`Options::folder`])
    /// and Node can open it (Linux). Everything else comes by the protocol. There a Node 20 or 22 is heard out for a
    /// while, even if the rest is thrown away: it crashes if it writes to a connection that ends (a null pointer in
    /// `TcpHolder::WriteRaw`, `src/inspector_socket.cc`). A second interrupt leaves it all the same.
    ///
    /// # Errors
    /// If it was interrupted, nothing came, the target refuses, more came than it may, or it cannot be written.
    pub fn record(
        &mut self,
        kind: Kind,
        options: &Options,
        out: &mut dyn Write,
    ) -> Result<Recorded> {
        let mut recording =
            Recording { out, bytes: 0, most: options.most, is_full: false, end: None };
        let out = &mut recording;
        match kind {
            Kind::Heap => {
                self.prepare(options)?;
                pause::learn_lines(self)?;
                #[cfg(target_os = "linux")]
                let is_done = self.piped(options, out)?;
                #[cfg(not(target_os = "linux"))]
                let is_done = false;
                if !is_done {
                    self.snapshot("HeapProfiler.takeHeapSnapshot", options, out)?;
                }
            }
            Kind::Timeline => {
                self.prepare(options)?;
                pause::learn_lines(self)?;
                let params = json!({ "trackAllocations": true });
                self.call("HeapProfiler.startTrackingHeapObjects", &params)?;
                self.wait(options.duration)?;
                self.snapshot("HeapProfiler.stopTrackingHeapObjects", options, out)?;
            }
            Kind::HeapSampling => {
                self.prepare(options)?;
                self.call("HeapProfiler.startSampling", &json!({}))?;
                self.wait(options.duration)?;
                self.profile("HeapProfiler.stopSampling", options, out)?;
            }
            Kind::Cpu => {
                self.call("Profiler.enable", &json!({}))?;
                self.call("Profiler.start", &json!({}))?;
                self.wait(options.duration)?;
                self.profile("Profiler.stop", options, out)?;
            }
            Kind::Trace => self.trace(options, out)?,
        }
        recording.finish()
    }

    fn prepare(&mut self, options: &Options) -> Result<()> {
        self.call("HeapProfiler.enable", &json!({}))?;
        if options.gc {
            self.call_raw("HeapProfiler.collectGarbage", &json!({}), options.silence)?;
        }
        Ok(())
    }

    fn snapshot(
        &mut self,
        method: &'static str,
        options: &Options,
        out: &mut Recording<'_>,
    ) -> Result<()> {
        let is_fragile = self.is_fragile()?;
        // Progress events crash old versions (nodejs/node#44634).
        let params = json!({
            "reportProgress": false,
            "captureNumericValue": options.numeric,
            "exposeInternals": options.internals,
        });
        let id = self.send(method, &params)?;
        let (mut unescaper, mut text) = (Unescaper::new(), Vec::new());
        self.take(options, is_fragile, out, |message, out| {
            if is_answer(message, id) {
                return check(method, message).map(|()| true);
            }
            if event(message) == Some("HeapProfiler.addHeapSnapshotChunk")
                && let Some(params) = member(message, "params")
                && let Some(chunk) = member(params, "chunk").and_then(string)
            {
                text.clear();
                unescaper.feed(chunk.as_bytes(), &mut text);
                out.write(&text);
            }
            Ok(false)
        });
        Ok(())
    }

    /// A snapshot by the protocol, even if there is a pipe.
    #[cfg(test)]
    fn snapshot_into(
        &mut self,
        method: &'static str,
        options: &Options,
        out: &mut dyn Write,
    ) -> Result<Recorded> {
        let most = options.most;
        let mut out = Recording { out, bytes: 0, most, is_full: false, end: None };
        self.snapshot(method, options, &mut out)?;
        out.finish()
    }

    /// Whether the target is a Node that can crash when we leave while it sends.
    fn is_fragile(&mut self) -> Result<bool> {
        let params = json!({
            "expression": "globalThis.process?.versions?.node",
            "returnByValue": true,
            "silent": true,
        });
        let told = match self.call("Runtime.evaluate", &params) {
            Err(Error::Refused { .. }) => return Ok(false),
            told => told?,
        };
        let version = told["result"]["value"].as_str().unwrap_or_default();
        let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
        Ok(major.is_some_and(|major| major < STURDY_NODE))
    }

    /// Passes messages on, until one is the last, the connection ends, or a limit is reached.
    fn take(
        &mut self,
        options: &Options,
        is_fragile: bool,
        out: &mut Recording<'_>,
        mut take: impl FnMut(&str, &mut Recording<'_>) -> Result<bool>,
    ) {
        let latest = Instant::now() + options.time;
        let mut silent_until = Instant::now() + options.silence;
        // When the rest began to be thrown away.
        let mut ended: Option<Instant> = None;
        loop {
            let until = ended.map_or(latest.min(silent_until), |ended| ended + HEAR_OUT);
            let is_last = match self.receive(Some(until)) {
                Ok(Next::Message(text)) => {
                    silent_until = Instant::now() + options.silence;
                    take(&text, out)
                }
                Ok(Next::Late) => {
                    let why = match latest <= Instant::now() {
                        true => format!("it has not come in {} s", options.time.as_secs()),
                        false => format!("nothing came for {} s", options.silence.as_secs()),
                    };
                    Err(Error::Limit { why })
                }
                Ok(Next::Stopped) if is_fragile && ended.is_none() => {
                    self.watch().resume();
                    if let Some(on_wait) = options.on_wait {
                        on_wait();
                    }
                    out.end = Some(Error::Interrupted);
                    Ok(false)
                }
                Ok(Next::Stopped) => Err(Error::Interrupted),
                Err(error) => Err(error),
            };
            match is_last {
                Ok(true) => return,
                Ok(false) => {}
                Err(error) => {
                    out.end.get_or_insert(error);
                    return;
                }
            }
            if out.end.is_some() {
                if !is_fragile {
                    return;
                }
                ended.get_or_insert_with(Instant::now);
            }
        }
    }

    /// Ends a profile, and writes it.
    fn profile(
        &mut self,
        method: &'static str,
        options: &Options,
        out: &mut Recording<'_>,
    ) -> Result<()> {
        let answer = self.call_raw(method, &json!({}), options.silence)?;
        let profile = member(&answer, "result").and_then(|result| member(result, "profile"));
        let why = || "its answer has no profile".into();
        let profile = profile.ok_or_else(|| Error::Refused { method, why: why() })?;
        out.write(profile.as_bytes());
        Ok(())
    }

    /// Node and browsers have domains of their own.
    fn trace(&mut self, options: &Options, out: &mut Recording<'_>) -> Result<()> {
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
        self.wait(options.duration)?;
        self.send(end, &json!({}))?;
        out.write(b"{\"traceEvents\":[");
        let mut separator: &[u8] = b"\n";
        // In pieces, each of which ends.
        self.take(options, false, out, |message, out| {
            let name = event(message);
            if name == Some(complete) {
                out.write(b"\n]}");
                return Ok(true);
            }
            let events = member(message, "params").and_then(|params| member(params, "value"));
            let events = events.and_then(|e| e.strip_prefix('[')?.strip_suffix(']')).map(str::trim);
            if let Some(events) = events.filter(|events| name == Some(data) && !events.is_empty()) {
                out.write(separator);
                out.write(events.as_bytes());
                separator = b",\n";
            }
            Ok(false)
        });
        Ok(())
    }
}

/// The name of an event.
pub(crate) fn event(text: &str) -> Option<&str> {
    member(text, "method").and_then(string)?.strip_suffix('"')
}

/// What is written, until something ends it.
pub(crate) struct Recording<'a> {
    out: &'a mut dyn Write,
    pub(crate) bytes: u64,
    most: u64,
    /// Whether more came than it may have.
    is_full: bool,
    /// Why the rest is thrown away.
    pub(crate) end: Option<Error>,
}

impl Recording<'_> {
    pub(crate) fn write(&mut self, data: &[u8]) {
        if self.end.is_some() {
            return;
        }
        if data.len() as u64 > self.most.saturating_sub(self.bytes) {
            (self.end, self.is_full) = (Some(Error::TooLarge { most: self.most }), true);
            return;
        }
        match self.out.write_all(data) {
            Ok(()) => self.bytes += data.len() as u64,
            Err(error) => self.end = Some(Error::Write(error)),
        }
    }

    fn finish(self) -> Result<Recorded> {
        match self.end {
            None => Ok(Recorded { bytes: self.bytes, cut: None }),
            Some(error @ (Error::Write(_) | Error::Interrupted)) => Err(error),
            Some(error) if self.bytes == 0 || self.is_full => Err(error),
            Some(error) => Ok(Recorded { bytes: self.bytes, cut: Some(error.to_string()) }),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{Address, Trust, choose};
    use serde_json::Value;
    use std::{
        cell::Cell,
        io,
        net::TcpListener,
        thread::{self, JoinHandle},
    };
    use tungstenite::Message;

    /// More than the system buffers.
    const PIECES: usize = 2000;
    const PIECE: usize = 10_000;

    /// What a target is and does.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Target {
        /// A Node of this version, which sends a snapshot.
        Node(&'static str),
        /// It falls silent after half of it.
        FallsSilent,
        /// It sends without end.
        Endless,
    }

    /// A target that counts how many pieces of its snapshot it could send before the connection ended.
    fn start(target: Target) -> (Address, JoinHandle<usize>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let thread = thread::spawn(move || {
            let mut socket = tungstenite::accept(listener.accept().unwrap().0).unwrap();
            let mut sent = 0;
            while let Ok(Message::Text(request)) = socket.read() {
                let request: Value = serde_json::from_str(&request).unwrap();
                let expression = request["params"]["expression"].as_str().unwrap_or_default();
                let mut result = json!({});
                if request["method"] == "HeapProfiler.takeHeapSnapshot" {
                    let params = json!({ "chunk": "x".repeat(PIECE) });
                    let method = "HeapProfiler.addHeapSnapshotChunk";
                    let piece = json!({ "method": method, "params": params }).to_string();
                    let mut send = || socket.send(Message::text(piece.as_str())).is_ok();
                    let pieces = match target {
                        Target::Node(_) => PIECES,
                        Target::FallsSilent => PIECES / 2,
                        Target::Endless => usize::MAX,
                    };
                    sent = (0..pieces).take_while(|_| send()).count();
                    if target == Target::FallsSilent {
                        continue;
                    }
                } else if expression.ends_with("versions?.node")
                    && let Target::Node(version) = target
                {
                    result = json!({ "result": { "value": version } });
                }
                let answer = json!({ "id": request["id"], "result": result }).to_string();
                if socket.send(Message::text(answer)).is_err() {
                    break;
                }
            }
            sent
        });
        let address = format!("ws://127.0.0.1:{port}/1");
        (Address::parse(&address, &Trust::default()).unwrap(), thread)
    }

    /// Takes so many bytes.
    pub(crate) struct Disk<'a> {
        pub(crate) room: usize,
        pub(crate) taken: &'a Cell<usize>,
    }

    impl Write for Disk<'_> {
        fn write(&mut self, data: &[u8]) -> io::Result<usize> {
            if self.taken.get() + data.len() > self.room {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.taken.set(self.taken.get() + data.len());
            Ok(data.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn fragile_targets_are_heard_out_and_others_are_left() {
        const ALL: usize = PIECES * PIECE;
        let (old, new) = (Target::Node("22.9.0"), Target::Node("24.1.0"));
        let never = usize::MAX;
        let full = "error: cannot write what was recorded: no storage space";
        let much = "error: the target takes too much: it sends more than 10000000 bytes";
        let silent = "cut: the target takes too much: nothing came for 0 s";
        // The room of the disk, the limit in bytes, after how many bytes there is an interrupt, how often, and whether
        // the target could send all.
        for (target, room, most, stop_at, times, expected, sends_all) in [
            (old, ALL, ALL, never, 0, "whole", true),
            (new, ALL, ALL, never, 0, "whole", true),
            (old, ALL, ALL, 1, 1, "error: interrupted", true),
            (old, ALL, ALL, ALL / 2, 1, "error: interrupted", true),
            (old, ALL, ALL, 1, 2, "error: interrupted", false),
            (new, ALL, ALL, 1, 1, "error: interrupted", false),
            (old, 0, ALL, never, 0, full, true),
            (new, ALL / 2, ALL, never, 0, full, false),
            (old, ALL, ALL / 2, never, 0, much, true),
            (new, ALL, ALL / 2, never, 0, much, false),
            (Target::Endless, ALL, ALL / 2, never, 0, much, false),
            (Target::Endless, ALL, ALL, 1, 1, "error: interrupted", false),
            (Target::FallsSilent, ALL, ALL, never, 0, silent, false),
            // What is interrupted before it begins is not asked for.
            (old, ALL, ALL, 0, 1, "error: interrupted", false),
        ] {
            let (address, thread) = start(target);
            let (taken, left) = (Cell::new(0), Cell::new(times));
            let stop = || {
                let stops = taken.get() >= stop_at && left.get() > 0;
                left.set(left.get() - i32::from(stops));
                stops
            };
            let out = &mut Disk { room, taken: &taken };
            let silence = match target {
                Target::FallsSilent => Duration::from_millis(500),
                _ => SILENCE,
            };
            let options = Options { most: most as u64, silence, ..Options::default() };
            let session = choose(&address, &|| false).and_then(|t| Session::open(&t, &stop));
            let found = session.and_then(|mut session| {
                session.snapshot_into("HeapProfiler.takeHeapSnapshot", &options, out)
            });
            let found = match found {
                Ok(Recorded { cut: None, bytes }) if bytes == ALL as u64 => "whole".into(),
                Ok(recorded) => format!("cut: {}", recorded.cut.unwrap_or_default()),
                Err(error) => format!("error: {error}"),
            };
            let what = format!("{target:?}, {room}, {most}, {stop_at}, {times}");
            assert_eq!(found, expected, "{what}");
            if stop_at == 0 {
                // It may not even have been connected to.
                continue;
            }
            assert_eq!(thread.join().unwrap() == PIECES, sends_all, "{what}");
        }
    }
}
