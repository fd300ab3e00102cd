//! Runs a query, and hands its output on.

use super::{
    Engine, Error, Ready, Setup, process::Process, ready::Known, setup::RESULT, statement,
};
use heapquarry::{Cancel, ErrorKind};
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
};

/// What DuckDB says of a text that is no query, or several.
const NO_QUERY: &str = "Expected a single SELECT statement";

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
    /// Processes that were started ahead, of which a copy takes one.
    pub ready: Option<&'a Ready>,
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
        without_zero(&script)?;
        Process::print(self.engine, &self.setup.script(), &script, self.cancel, lines)
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
        // A file of another name, which is renamed, is not allowed.
        let copy = format!("COPY ({query}) TO '{RESULT}' ({how}, USE_TMP_FILE false);\n");
        without_zero(&copy)?;
        let Run { engine, setup, cancel, ready } = *self;
        if cancel.is_cancelled() {
            return Err(Error::Library(ErrorKind::Cancelled.into()).into());
        }
        let ahead = ready.and_then(|ready| Some((ready, Known::of(engine, setup)?)));
        let process = match ahead {
            Some((ready, known)) => ready.process(known)?,
            None => Process::start(engine, &setup.script())?,
        };
        let dir = process.ask(&copy, cancel)?;
        take(File::open(dir.path().join(RESULT)).map_err(Error::Io)?)
    }
}

/// Fails where DuckDB's command would leave out the rest of a line.
fn without_zero(statements: &str) -> Result<(), Error> {
    match statements.contains('\0') {
        true => Err(Error::Database("the query has a zero byte".into())),
        false => Ok(()),
    }
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
