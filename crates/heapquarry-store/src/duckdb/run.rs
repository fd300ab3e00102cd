//! Runs a query, and hands its output on.

use super::{Engine, Error, Setup, setup::RESULT, statement, temporary};
use heapquarry::{Cancel, ErrorKind, temporary::Folder};
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, Write},
    process::{Child, ExitStatus, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

/// What DuckDB says of a text that is no query, or several.
const NO_QUERY: &str = "Expected a single SELECT statement";

/// Time between two looks at whether DuckDB has ended, or the work is cancelled.
const POLL: Duration = Duration::from_millis(5);

/// Takes DuckDB's output line by line, each with its end.
pub type Lines<'l> = &'l mut dyn FnMut(&[u8]) -> io::Result<()>;

/// A query.
pub struct Run<'a> {
    /// What runs it.
    pub engine: &'a Engine,
    /// What DuckDB is told first.
    pub setup: &'a Setup,
    /// Ends it.
    pub cancel: &'a Cancel,
}

impl Run<'_> {
    /// Prints the results of the statements as tables, each of which is complete before its first line.
    ///
    /// # Errors
    ///
    /// If DuckDB cannot be run or refuses a statement, and the errors of `lines`.
    pub fn print(&self, sql: &str, lines: Lines<'_>) -> Result<(), Error> {
        let statements = statement::split(sql).into_iter().map(statement::guarded);
        let script: String = statements.map(|statement| format!("{statement};\n")).collect();
        self.run(&temporary()?, &script, lines)
    }

    /// Hands on the result of one query as a file; `how` are options of `COPY`.
    ///
    /// DuckDB's command can also print CSV and JSON, but then an error in the middle of the rows is lost: the output
    /// ends early, and the exit code is 0.
    ///
    /// # Errors
    ///
    /// If DuckDB cannot be run or the query is none, and the errors of `take`.
    pub fn copy<T, E: From<Error>>(
        &self,
        sql: &str,
        how: &str,
        take: impl FnOnce(File) -> Result<T, E>,
    ) -> Result<T, E> {
        self.copy_query(&statement::query(sql), how, take)
    }

    /// Hands on the first rows of the result of one query, as [`Self::copy`] does.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::copy`].
    pub fn copy_first<T, E: From<Error>>(
        &self,
        sql: &str,
        most: usize,
        how: &str,
        take: impl FnOnce(File) -> Result<T, E>,
    ) -> Result<T, E> {
        self.copy_query(&format!("{} LIMIT {most}", statement::query(sql)), how, take)
    }

    /// Hands on the first rows of the result of one query, as [`Self::copy`] does. Each value is the text that DuckDB
    /// writes for it, or NULL: numbers that JSON readers would round stay exact.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::copy`].
    pub fn copy_text<T, E: From<Error>>(
        &self,
        sql: &str,
        most: usize,
        how: &str,
        take: impl FnOnce(File) -> Result<T, E>,
    ) -> Result<T, E> {
        let texts = format!("SELECT COLUMNS(*)::VARCHAR {} LIMIT {most}", statement::query(sql));
        self.copy_query(&texts, how, take)
    }

    fn copy_query<T, E: From<Error>>(
        &self,
        query: &str,
        how: &str,
        take: impl FnOnce(File) -> Result<T, E>,
    ) -> Result<T, E> {
        let dir = temporary()?;
        // A file of another name, which is renamed, is not allowed.
        let copy = format!("COPY ({query}) TO '{RESULT}' ({how}, USE_TMP_FILE false);\n");
        self.run(&dir, &copy, &mut |_| Ok(()))?;
        take(File::open(dir.path().join(RESULT)).map_err(Error::Io)?)
    }

    fn run(&self, dir: &Folder, script_text: &str, lines: Lines<'_>) -> Result<(), Error> {
        let engine = self.engine;
        // DuckDB's command would leave out what follows in its line.
        if script_text.contains('\0') {
            return Err(Error::Database("the query has a zero byte".into()));
        }
        // Files, as a pipe could fill up while the other one is read.
        let mut script = tempfile::tempfile_in(dir.path())?;
        write!(script, "{}{script_text}", self.setup.script())?;
        script.rewind()?;
        let mut messages = tempfile::tempfile_in(dir.path())?;
        let mut command = engine.command(dir);
        command.args(["-batch", "-bail"]).stdin(script).stdout(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child = command.stderr(messages.try_clone()?).spawn();
        let mut child = child.map_err(|error| engine.failed(&error))?;
        let output = child.stdout.take().expect("it is a pipe");
        let stop = AtomicBool::new(false);
        let done = thread::scope(|scope| {
            let wait = || wait(&mut child, self.cancel, &stop);
            let ended = thread::Builder::new().spawn_scoped(scope, wait)?;
            let passed = pass_on(output, lines);
            if passed.is_err() {
                stop.store(true, Ordering::Relaxed);
            }
            Ok((passed, ended.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))))
        });
        let (passed, status) = match done {
            Ok(done) => done,
            // There is no further thread, and so nobody who waits.
            Err(error) => {
                kill(&mut child);
                child.wait()?;
                return Err(engine.failed(&error));
            }
        };
        if self.cancel.is_cancelled() {
            return Err(Error::Library(ErrorKind::Cancelled.into()));
        }
        passed?;
        let status = status.map_err(|error| engine.failed(&error))?;
        let mut text = Vec::new();
        messages.rewind()?;
        messages.read_to_end(&mut text)?;
        match status.success() {
            true => Ok(()),
            false => Err(message(&text)),
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

/// Hands on what is read, line by line.
///
/// # Errors
///
/// If it cannot be read, and the errors of `lines`.
pub fn pass_on(input: impl Read, lines: Lines<'_>) -> io::Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        lines(&line)?;
        line.clear();
    }
    Ok(())
}

/// What DuckDB says of an error.
pub(super) fn message(text: &[u8]) -> Error {
    let text = String::from_utf8_lossy(text);
    // The place in the script, which the user has not written.
    let text = text.split("\n\nLINE ").next().unwrap_or_default().trim();
    Error::Database(match text {
        text if text.contains(NO_QUERY) => {
            let form = "a query is one SELECT, FROM, DESCRIBE, SHOW or SUMMARIZE";
            format!("DuckDB: {text}: {form}; it cannot write, attach, or change settings")
        }
        "" => "DuckDB ended without a message".into(),
        text => format!("DuckDB: {text}"),
    })
}
