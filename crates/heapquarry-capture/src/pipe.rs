//! Heap snapshots of a Node of this machine, through a named pipe.
//!
//! Node's own `v8.writeHeapSnapshot()` writes to the pipe as to a file. That is faster than the protocol, whose pieces
//! are JSON in messages. And Node survives if we leave early: the write fails, and Node drops the snapshot and keeps
//! running.

use crate::{Error, Options, Result, Session, message::member, record::Recording};
use nix::{
    fcntl::{FcntlArg, OFlag, fcntl},
    poll::{PollFd, PollFlags, PollTimeout, poll},
    sys::stat::Mode,
    unistd::mkfifo,
};
use serde_json::{Value, json};
use std::{
    fs::{File, OpenOptions},
    io::{self, Read},
    os::{fd::AsFd, unix::fs::OpenOptionsExt},
    path::Path,
    time::{Duration, Instant},
};
use tungstenite::Utf8Bytes;

/// What the target runs. To open a pipe that nobody reads any more would block it, so it is opened without waiting
/// first, which fails then. Versions before 18 do not know the options.
const PROGRAM: &str = "((path, options) => {
    if (!(parseInt(process.versions.node) >= 18)) throw new Error('not Node 18 or later');
    const get = process.getBuiltinModule ?? require, fs = get('fs');
    const reader = fs.openSync(path, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK);
    try { get('v8').writeHeapSnapshot(path, options); } finally { fs.closeSync(reader); }
})";

/// Bytes that the pipe holds. The system allows everybody that many.
const CAPACITY: usize = 1 << 20;

/// The name of the pipe in its folder.
const NAME: &str = "heap";

/// How long to wait for data before others are asked.
const MOMENT: Duration = Duration::from_millis(50);

impl Session<'_> {
    /// Takes a heap snapshot through a pipe. Returns `false` if the target cannot: it is no Node, or does not see our
    /// files. Then nothing is written.
    pub(crate) fn piped(&mut self, options: &Options, out: &mut Recording<'_>) -> Result<bool> {
        if !self.address.is_loopback() {
            return Ok(false);
        }
        let folder = options.folder.and_then(|make| make().ok());
        let Some(folder) = folder else { return Ok(false) };
        let path = (*folder).as_ref().join(NAME);
        let (Ok(pipe), Some(name)) = (Pipe::new(&path), path.to_str()) else { return Ok(false) };
        if self.watch().is_stopped() {
            return Err(Error::Interrupted);
        }
        let limits = options;
        let options =
            json!({ "exposeInternals": options.internals, "exposeNumericValues": options.numeric });
        let params = json!({
            "expression": format!("{PROGRAM}({}, {options})", json!(name)),
            "silent": true,
            "includeCommandLineAPI": true,
        });
        let id = self.send("Runtime.evaluate", &params)?;
        // Before the folder goes, the target has opened the pipe or answered, or it would make a file of that name.
        let mut folder = Some(folder);
        let answer = self.drain(&pipe, id, out, limits, &mut folder);
        // What the target still writes fails.
        drop(pipe);
        let answer = match answer {
            // Node drops the snapshot if we leave.
            Ok(None) if out.end.is_some() => Ok(None),
            Ok(None) => self.answer(id, Instant::now() + limits.silence),
            answer => answer,
        };
        match answer {
            _ if out.end.is_some() => {}
            Err(error) => out.end = Some(error),
            Ok(_) if out.bytes == 0 => return Ok(false),
            Ok(answer) => {
                let why = failure(&answer.unwrap_or_default());
                let method = "v8.writeHeapSnapshot()";
                out.end = why.map(|why| Error::Refused { method, why });
            }
        }
        Ok(true)
    }

    /// Writes what comes through a pipe, until its writer closes it. Returns the answer if that comes first. As soon as
    /// anything comes, the folder of the pipe is removed.
    fn drain(
        &mut self,
        pipe: &Pipe,
        id: u64,
        out: &mut Recording<'_>,
        limits: &Options,
        folder: &mut Option<Box<dyn AsRef<Path>>>,
    ) -> Result<Option<Utf8Bytes>> {
        let mut buffer = vec![0; CAPACITY];
        let latest = Instant::now() + limits.time;
        let mut silent_until = Instant::now() + limits.silence;
        while out.end.is_none() {
            if self.watch().is_stopped() {
                out.end = Some(Error::Interrupted);
                break;
            }
            if latest.min(silent_until) <= Instant::now() {
                let why = "the snapshot does not come to its end".into();
                out.end = Some(Error::Limit { why });
                break;
            }
            match pipe.read(&mut buffer) {
                Ok(Some(0)) => break,
                Ok(Some(length)) => {
                    silent_until = Instant::now() + limits.silence;
                    *folder = None;
                    out.write(&buffer[..length]);
                }
                // Until it writes, the connection tells that it fails or ends. Later, the pipe does.
                Ok(None) if out.bytes == 0 => {
                    let answer = self.answer(id, Instant::now() + MOMENT)?;
                    if answer.is_some() {
                        return Ok(answer);
                    }
                }
                Ok(None) => {}
                Err(error) => out.end = Some(Error::Write(error)),
            }
        }
        Ok(None)
    }
}

/// Why a program failed, by the answer of `Runtime.evaluate`; `None` if it did not.
fn failure(answer: &str) -> Option<String> {
    let thrown = member(answer, "result").and_then(|result| member(result, "exceptionDetails"));
    let found = member(answer, "error").or(thrown)?;
    let found: Value = serde_json::from_str(found).unwrap_or_default();
    let told = found["message"].as_str().or(found["exception"]["description"].as_str());
    Some(told.and_then(|told| told.lines().next()).unwrap_or("no reason given").into())
}

/// The end of a pipe that is read.
struct Pipe(File);

impl Pipe {
    /// Makes a pipe that only processes of the same user can open.
    fn new(path: &Path) -> io::Result<Self> {
        mkfifo(path, Mode::S_IRUSR | Mode::S_IWUSR)?;
        let flags = OFlag::O_NONBLOCK.bits();
        let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
        // A smaller one does as well.
        let _ = fcntl(&file, FcntlArg::F_SETPIPE_SZ(CAPACITY as i32));
        Ok(Pipe(file))
    }

    /// Reads what there is; nothing if the writer has closed the pipe, `None` if nothing comes for a moment.
    fn read(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let mut files = [PollFd::new(self.0.as_fd(), PollFlags::POLLIN)];
        let moment = PollTimeout::try_from(MOMENT).unwrap_or(PollTimeout::ZERO);
        match poll(&mut files, moment) {
            Ok(0) => return Ok(None),
            Ok(_) => {}
            Err(error) => return none_if_interrupted(error.into()),
        }
        (&self.0).read(buffer).map(Some).or_else(none_if_interrupted)
    }
}

fn none_if_interrupted(error: io::Error) -> io::Result<Option<usize>> {
    match error.kind() {
        io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock => Ok(None),
        _ => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Address, Kind, MakeFolder, Recorded, Trust, choose, record::tests::Disk};
    use std::{cell::Cell, io::Write, net::TcpListener, thread};
    use tungstenite::Message;

    /// More than the pipe holds.
    const PIECES: usize = 500;
    const PIECE: usize = 10_000;

    /// What a target does when it is told to write to a pipe.
    #[derive(Clone, Copy, PartialEq)]
    enum Does {
        /// It writes, as long as it can.
        Writes,
        /// It throws before it writes anything.
        Throws,
        /// It throws after half of it.
        ThrowsLate,
        /// It ends after half of it.
        Ends,
        /// It ends before it writes anything.
        EndsEarly,
        /// It knows nothing of files, and answers without having written.
        Nothing,
    }

    /// A target that also takes snapshots by the protocol. Those are empty, but for a piece.
    fn target(does: Does) -> Address {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("ws://{}/1", listener.local_addr().unwrap());
        thread::spawn(move || {
            let mut socket = tungstenite::accept(listener.accept().unwrap().0).unwrap();
            while let Ok(Message::Text(request)) = socket.read() {
                let request: Value = serde_json::from_str(&request).unwrap();
                let mut result = json!({});
                match request["method"].as_str().unwrap() {
                    "HeapProfiler.takeHeapSnapshot" => {
                        let method = "HeapProfiler.addHeapSnapshotChunk";
                        let piece = json!({ "method": method, "params": { "chunk": "protocol" } });
                        socket.send(Message::text(piece.to_string())).unwrap();
                    }
                    "Runtime.evaluate" => {
                        let program = request["params"]["expression"].as_str().unwrap();
                        let (_, path) = program.rsplit_once("(\"").unwrap_or_default();
                        let path = path.split('"').next().unwrap_or_default();
                        let pieces = match does {
                            // Other questions come before a snapshot.
                            _ if !program.contains("writeHeapSnapshot") => 0,
                            Does::Writes => PIECES,
                            Does::ThrowsLate | Does::Ends => PIECES / 2,
                            Does::Throws | Does::EndsEarly | Does::Nothing => 0,
                        };
                        let written = (pieces > 0).then(|| {
                            let mut pipe = OpenOptions::new().write(true).open(path).unwrap();
                            let wrote = |_| pipe.write_all(&[b'x'; PIECE]).is_ok();
                            (0..pieces).map(wrote).take_while(|&wrote| wrote).count()
                        });
                        match does {
                            _ if !program.contains("writeHeapSnapshot") => {}
                            Does::Ends | Does::EndsEarly => return,
                            Does::Nothing => {}
                            Does::Writes if written == Some(PIECES) => {}
                            _ => {
                                let thrown = json!({ "description": "Error: no file\n  at x" });
                                result = json!({ "exceptionDetails": { "exception": thrown } });
                            }
                        }
                    }
                    _ => {}
                }
                let answer = json!({ "id": request["id"], "result": result });
                socket.send(Message::text(answer.to_string())).unwrap();
            }
        });
        Address::parse(&address, &Trust::default()).unwrap()
    }

    #[test]
    fn snapshots_come_through_the_pipe_or_by_the_protocol() {
        let all = PIECES * PIECE;
        let full = "error: cannot write what was recorded: no storage space";
        let thrown = "cut: the target refuses v8.writeHeapSnapshot(): Error: no file";
        for (does, room, stop_at, expected) in [
            (Does::Writes, all, usize::MAX, (all, "whole")),
            (Does::Writes, all, all / 2, (0, "error: interrupted")),
            (Does::Writes, 0, usize::MAX, (0, full)),
            (Does::Writes, all / 2, usize::MAX, (0, full)),
            (Does::ThrowsLate, all, usize::MAX, (all / 2, thrown)),
            (Does::Ends, all, usize::MAX, (all / 2, "cut: the connection ended")),
            (Does::EndsEarly, all, usize::MAX, (0, "error: the connection ended")),
            (Does::Throws, all, usize::MAX, ("protocol".len(), "whole")),
            (Does::Nothing, all, usize::MAX, ("protocol".len(), "whole")),
        ] {
            let address = target(does);
            let taken = Cell::new(0);
            let stop = || taken.get() >= stop_at;
            let target = choose(&address, &|| false).unwrap();
            let mut session = Session::open(&target, &stop).unwrap();
            let out = &mut Disk { room, taken: &taken };
            let folder: Option<MakeFolder> = Some(|| Ok(Box::new(tempfile::tempdir()?)));
            let options = Options { folder, ..Options::default() };
            let found = match session.record(Kind::Heap, &options, out) {
                Ok(Recorded { cut: None, bytes }) => (bytes as usize, "whole".into()),
                Ok(Recorded { cut: Some(why), bytes }) => (bytes as usize, format!("cut: {why}")),
                Err(error) => (0, format!("error: {error}")),
            };
            assert!(found.1.starts_with(expected.1), "{found:?}, not {expected:?}");
            assert_eq!(found.0, expected.0, "{}", expected.1);
        }
    }
}
