//! A process of DuckDB.

use super::{
    Engine, Error,
    run::{Lines, message, pass_on},
    temporary,
};
use heapquarry::{Cancel, ErrorKind, temporary::Folder};
use std::{
    fs::File,
    io::{self, ErrorKind::BrokenPipe, Read, Seek, Write},
    process::{Child, ExitStatus, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

/// Time between two looks at whether DuckDB has ended, or the work is cancelled.
const POLL: Duration = Duration::from_millis(5);

/// DuckDB, which does a script, then the statements that it is given, and ends. When this is dropped, it is ended.
#[derive(Debug)]
pub(super) struct Process {
    child: Ended,
    engine: Engine,
    /// What it says of errors.
    messages: File,
    /// Its working directory.
    dir: Folder,
}

impl Process {
    /// Starts one that does the script, and then waits for statements without results.
    pub(super) fn start(engine: &Engine, script: &str) -> Result<Self, Error> {
        Process::with(engine, script, Stdio::piped(), Stdio::null())
    }

    fn with(engine: &Engine, script: &str, input: Stdio, output: Stdio) -> Result<Self, Error> {
        let dir = temporary()?;
        // A file, as a pipe could fill up while another one is read.
        let messages = tempfile::tempfile_in(dir.path())?;
        let mut command = engine.command(&dir, script)?;
        command.args(["-batch", "-bail"]).stdin(input).stdout(output);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child = command.stderr(messages.try_clone()?).spawn();
        let child = Ended(child.map_err(|error| engine.failed(&error))?);
        Ok(Process { child, engine: engine.clone(), messages, dir })
    }

    /// Whether it has ended before it was asked.
    pub(super) fn has_ended(&mut self) -> bool {
        !matches!(self.child.0.try_wait(), Ok(None))
    }

    /// Has it do the statements. What they have written is in the folder.
    pub(super) fn ask(mut self, statements: &str, cancel: &Cancel) -> Result<Folder, Error> {
        let mut input = self.child.0.stdin.take().expect("it is a pipe");
        let tell = move || match input.write_all(statements.as_bytes()) {
            // It has ended, and has said why.
            Err(error) if error.kind() == BrokenPipe => Ok(()),
            told => told,
        };
        self.finish(tell, cancel)
    }

    /// Hands on what the statements print.
    pub(super) fn print(
        engine: &Engine,
        script: &str,
        statements: &str,
        cancel: &Cancel,
        lines: Lines<'_>,
    ) -> Result<(), Error> {
        // A file, as a pipe could fill up while the output is read.
        let mut input = tempfile::tempfile()?;
        input.write_all(statements.as_bytes())?;
        input.rewind()?;
        let mut process = Process::with(engine, script, input.into(), Stdio::piped())?;
        let output = process.child.0.stdout.take().expect("it is a pipe");
        process.finish(|| pass_on(output, lines), cancel).map(drop)
    }

    /// Does the work beside it, and waits for its end. `cancel` ends it, and an error of the work.
    fn finish(
        mut self,
        work: impl FnOnce() -> io::Result<()>,
        cancel: &Cancel,
    ) -> Result<Folder, Error> {
        let failed = |error| self.engine.failed(&error);
        let stop = AtomicBool::new(false);
        let (worked, status) = thread::scope(|scope| {
            let wait = || wait(&mut self.child.0, cancel, &stop);
            let ended = thread::Builder::new().spawn_scoped(scope, wait)?;
            let worked = work();
            if worked.is_err() {
                stop.store(true, Ordering::Relaxed);
            }
            let status = ended.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Ok((worked, status))
        })
        .map_err(failed)?;
        if cancel.is_cancelled() {
            return Err(Error::Library(ErrorKind::Cancelled.into()));
        }
        worked?;
        if status.map_err(failed)?.success() {
            return Ok(self.dir);
        }
        let mut text = Vec::new();
        self.messages.rewind()?;
        self.messages.read_to_end(&mut text)?;
        Err(message(&text))
    }
}

/// A process that has ended when this is dropped.
#[derive(Debug)]
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        if !matches!(self.0.try_wait(), Ok(Some(_))) {
            kill(&mut self.0);
            let _ = self.0.wait();
        }
    }
}

/// Waits for the end of DuckDB, or ends it.
fn wait(child: &mut Child, cancel: &Cancel, stop: &AtomicBool) -> io::Result<ExitStatus> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if cancel.is_cancelled() || stop.load(Ordering::Relaxed) {
            kill(child);
            return child.wait();
        }
        thread::sleep(POLL);
    }
}

/// Ends the process and those that it has started: the command may be a script. It may have ended just now.
fn kill(child: &mut Child) {
    #[cfg(unix)]
    {
        use nix::{sys::signal, unistd::Pid};
        let group = Pid::from_raw(child.id().cast_signed());
        let _ = signal::killpg(group, signal::Signal::SIGKILL);
    }
    let _ = child.kill();
}
