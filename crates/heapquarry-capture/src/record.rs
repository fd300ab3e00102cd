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
    /// A heap snapshot of a Node of this machine comes through a named pipe, if Node can open it (Linux). Everything
    /// else comes by the protocol, and there the target is heard out, even if the rest is thrown away: Node 20 and 22
    /// crash if they write to a connection that ends (a null pointer in `TcpHolder::WriteRaw`,
    /// `src/inspector_socket.cc`).
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
        let mut recording = Recording { out, bytes: 0, end: None };
        let out = &mut recording;
        match kind {
            Kind::Heap => {
                self.prepare(options)?;
                #[cfg(target_os = "linux")]
                let is_done = self.piped(options, out, stop)?;
                #[cfg(not(target_os = "linux"))]
                let is_done = false;
                if !is_done {
                    self.snapshot("HeapProfiler.takeHeapSnapshot", options, out, stop)?;
                }
            }
            Kind::Timeline => {
                self.prepare(options)?;
                let params = json!({ "trackAllocations": true });
                self.call("HeapProfiler.startTrackingHeapObjects", &params)?;
                let stopped = !self.wait(options.duration, stop)?;
                // What ended the time must not also cut the snapshot.
                let stop: &dyn Fn() -> bool = if stopped { &|| false } else { stop };
                self.snapshot("HeapProfiler.stopTrackingHeapObjects", options, out, stop)?;
            }
            Kind::HeapSampling => {
                self.prepare(options)?;
                self.call("HeapProfiler.startSampling", &json!({}))?;
                self.wait(options.duration, stop)?;
                self.profile("HeapProfiler.stopSampling", out)?;
            }
            Kind::Cpu => {
                self.call("Profiler.enable", &json!({}))?;
                self.call("Profiler.start", &json!({}))?;
                self.wait(options.duration, stop)?;
                self.profile("Profiler.stop", out)?;
            }
            Kind::Trace => self.trace(options, out, stop)?,
        }
        recording.finish()
    }

    fn prepare(&mut self, options: &Options) -> Result<()> {
        self.call("HeapProfiler.enable", &json!({}))?;
        if options.gc {
            self.call_raw("HeapProfiler.collectGarbage", &json!({}), None)?;
        }
        Ok(())
    }

    fn snapshot(
        &mut self,
        method: &'static str,
        options: &Options,
        out: &mut Recording<'_>,
        stop: &dyn Fn() -> bool,
    ) -> Result<()> {
        if stop() {
            return Err(Error::Interrupted);
        }
        // Progress events crash old versions (nodejs/node#44634).
        let params = json!({
            "reportProgress": false,
            "captureNumericValue": options.numeric,
            "exposeInternals": options.internals,
        });
        let id = self.send(method, &params)?;
        let (mut unescaper, mut text) = (Unescaper::new(), Vec::new());
        self.hear_out(out, stop, |message, out| {
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

    /// Passes messages on, until one is the last, or the connection ends.
    fn hear_out(
        &mut self,
        out: &mut Recording<'_>,
        stop: &dyn Fn() -> bool,
        mut take: impl FnMut(&str, &mut Recording<'_>) -> Result<bool>,
    ) {
        loop {
            let stop: &dyn Fn() -> bool = if out.end.is_some() { &|| false } else { stop };
            let is_last = match self.receive(None, stop) {
                Ok(Next::Message(text)) => take(&text, out),
                Ok(Next::Late) => Ok(false),
                Ok(Next::Stopped) => {
                    out.end = Some(Error::Interrupted);
                    Ok(false)
                }
                Err(error) => Err(error),
            };
            match is_last {
                Ok(false) => {}
                Ok(true) => return,
                Err(error) => {
                    out.end.get_or_insert(error);
                    return;
                }
            }
        }
    }

    /// Ends a profile, and writes it.
    fn profile(&mut self, method: &'static str, out: &mut Recording<'_>) -> Result<()> {
        let answer = self.call_raw(method, &json!({}), None)?;
        let profile = member(&answer, "result").and_then(|result| member(result, "profile"));
        let why = || "its answer has no profile".into();
        let profile = profile.ok_or_else(|| Error::Refused { method, why: why() })?;
        out.write(profile.as_bytes());
        Ok(())
    }

    /// Node and browsers have domains of their own.
    fn trace(
        &mut self,
        options: &Options,
        out: &mut Recording<'_>,
        stop: &dyn Fn() -> bool,
    ) -> Result<()> {
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
        out.write(b"{\"traceEvents\":[");
        let mut separator: &[u8] = b"\n";
        self.hear_out(out, &|| false, |message, out| {
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
fn event(text: &str) -> Option<&str> {
    member(text, "method").and_then(string)?.strip_suffix('"')
}

/// What is written, until something ends it.
pub(crate) struct Recording<'a> {
    out: &'a mut dyn Write,
    pub(crate) bytes: u64,
    /// Why the rest is thrown away.
    pub(crate) end: Option<Error>,
}

impl Recording<'_> {
    pub(crate) fn write(&mut self, data: &[u8]) {
        if self.end.is_some() {
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
            Some(Error::Write(error)) => Err(Error::Write(error)),
            Some(error) if self.bytes == 0 => Err(error),
            Some(error) => Ok(Recorded { bytes: self.bytes, cut: Some(error.to_string()) }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Address, Trust, choose};
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

    /// A target that counts how many pieces of its snapshot it could send before the connection ended.
    fn target() -> (Address, JoinHandle<usize>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let thread = thread::spawn(move || {
            let mut socket = tungstenite::accept(listener.accept().unwrap().0).unwrap();
            let mut sent = 0;
            while let Ok(Message::Text(request)) = socket.read() {
                if request.contains("takeHeapSnapshot") {
                    let params = json!({ "chunk": "x".repeat(PIECE) });
                    let method = "HeapProfiler.addHeapSnapshotChunk";
                    let piece = json!({ "method": method, "params": params }).to_string();
                    let mut send = || socket.send(Message::text(piece.as_str())).is_ok();
                    sent = (0..PIECES).take_while(|_| send()).count();
                }
                let id = member(&request, "id").unwrap();
                let answer = format!("{{\"id\":{id},\"result\":{{}}}}");
                socket.send(Message::text(answer)).unwrap();
            }
            sent
        });
        let address = format!("ws://127.0.0.1:{port}/1");
        (Address::parse(&address, &Trust::default()).unwrap(), thread)
    }

    /// Takes so many bytes.
    struct Disk<'a> {
        room: usize,
        taken: &'a Cell<usize>,
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
    fn whatever_happens_the_target_is_heard_out() {
        let all = PIECES * PIECE;
        for (room, stop_at, expected) in [
            (all, usize::MAX, "whole"),
            (all, 1, "cut: interrupted"),
            (all, all / 2, "cut: interrupted"),
            (0, usize::MAX, "error: cannot write what was recorded: no storage space"),
            (all / 2, usize::MAX, "error: cannot write what was recorded: no storage space"),
            (all, 0, "error: interrupted"),
        ] {
            let (address, target) = target();
            let taken = Cell::new(0);
            let stop = || taken.get() >= stop_at;
            let mut session = Session::open(&choose(&address).unwrap()).unwrap();
            let out = &mut Disk { room, taken: &taken };
            let found = match session.record(Kind::Heap, &Options::default(), out, &stop) {
                Ok(Recorded { cut: None, bytes }) if bytes == all as u64 => "whole".into(),
                Ok(recorded) => format!("cut: {}", recorded.cut.unwrap_or_default()),
                Err(error) => format!("error: {error}"),
            };
            assert_eq!(found, expected);
            drop(session);
            // What is interrupted before it begins is not asked for.
            let sent = if stop_at == 0 { 0 } else { PIECES };
            assert_eq!(target.join().unwrap(), sent, "{expected}");
        }
    }
}
