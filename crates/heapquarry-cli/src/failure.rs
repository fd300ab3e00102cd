//! Failures of the command: their exit codes, and their messages as text or JSON.

use crate::{
    advice::{advice, advice_of_refusal, advice_of_target},
    args::ErrorForm,
    exit::ExitCode,
    print,
};
use heapquarry::{
    ErrorDetails, ErrorKind,
    capture::{CaptureError, Refused},
    report::printable,
};
use heapquarry_store::duckdb;
use serde_json::{Map, Value, json};
use std::{
    borrow::Cow,
    ffi::OsString,
    io::{self, Write},
};

/// Why a command has no answer.
pub(crate) enum Failure {
    Library(heapquarry::Error),
    Stdout(io::Error),
    /// A file that cannot be written, and why.
    Output(String),
    /// What DuckDB says, or why it cannot be asked, in one line or more.
    Database(String),
    /// Nothing was captured, or not all.
    Capture(heapquarry_capture::Error),
    /// A target is not asked for a snapshot, because of what that would cost it.
    Refused(Box<Refused>),
    /// What was captured is not whole, and why.
    Cut(String),
    /// The arguments do not go together.
    Usage(&'static str),
    /// An argument is wrong.
    Wrong(String),
}

impl From<heapquarry::Error> for Failure {
    fn from(error: heapquarry::Error) -> Self {
        Failure::Library(error)
    }
}

impl From<heapquarry_capture::Error> for Failure {
    fn from(error: heapquarry_capture::Error) -> Self {
        Failure::Capture(error)
    }
}

impl From<CaptureError> for Failure {
    fn from(error: CaptureError) -> Self {
        match error {
            CaptureError::Target(error) => Failure::Capture(error),
            CaptureError::Library(error) => Failure::Library(error),
            CaptureError::Refused(refused) => Failure::Refused(refused),
            error => Failure::Cut(error.to_string()),
        }
    }
}

impl From<duckdb::Error> for Failure {
    fn from(error: duckdb::Error) -> Self {
        match error {
            duckdb::Error::Library(error) => Failure::Library(error),
            duckdb::Error::Io(error) => Failure::Stdout(error),
            duckdb::Error::Missing(why) => {
                Failure::Database(format!("{why}; `heapquarry summary` needs none"))
            }
            error => Failure::Database(error.to_string()),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Stdout(error)
    }
}

impl Failure {
    /// Prints it on standard error. Returns the exit code.
    pub(crate) fn report(&self, form: ErrorForm) -> ExitCode {
        let code = match self {
            // The reader of our output has seen enough.
            Failure::Stdout(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                return ExitCode::SUCCESS;
            }
            Failure::Library(error) if matches!(error.kind(), ErrorKind::Cancelled) => {
                ExitCode::INTERRUPTED
            }
            Failure::Capture(heapquarry_capture::Error::Interrupted) => ExitCode::INTERRUPTED,
            _ => ExitCode::FAILURE,
        };
        match form {
            ErrorForm::Text if matches!(self, Failure::Database(_)) => {
                print::lines("error", &self.text());
            }
            ErrorForm::Text => print::message("error", &self.text()),
            ErrorForm::Json => write_json(self.members()),
        }
        code
    }

    /// What went wrong, and what to do.
    pub(crate) fn text(&self) -> String {
        match self {
            Failure::Library(error) => match error.remedy().map(advice) {
                Some(advice) => format!("{error}; {advice}"),
                None => error.to_string(),
            },
            Failure::Stdout(error) => format!("cannot write to standard output: {error}"),
            Failure::Capture(error) => match advice_of_target(error) {
                Some(advice) => format!("{error}; {advice}"),
                None => error.to_string(),
            },
            Failure::Refused(refused) => {
                let advice = advice_of_refusal(refused);
                format!("{}; {advice}", CaptureError::Refused(refused.clone()))
            }
            Failure::Cut(why) => format!("the capture is not whole: {why}"),
            Failure::Output(message) | Failure::Database(message) | Failure::Wrong(message) => {
                message.clone()
            }
            Failure::Usage(message) => (*message).into(),
        }
    }

    /// What is shown to people is printable once the JSON is decoded, too. The path is the path itself.
    fn members(&self) -> Map<String, Value> {
        let mut members = members_of_none();
        let Failure::Library(error) = self else {
            let kind = match self {
                Failure::Database(_) => "database",
                Failure::Capture(_) => "capture",
                Failure::Refused(_) | Failure::Cut(_) => "refused",
                Failure::Usage(_) | Failure::Wrong(_) => "usage",
                _ => "output",
            };
            members.insert("kind".into(), kind.into());
            members.insert("message".into(), printable::lines(&self.text()).into());
            return members;
        };
        let ErrorDetails { kind, path, offset, line, expected, found, .. } = error.details();
        members.insert("kind".into(), kind.into());
        let shown = |text: Option<Cow<'_, str>>| text.map(|text| printable(&text).into_owned());
        members.insert("message".into(), shown(Some(error.to_string().into())).into());
        members.insert("advice".into(), error.remedy().map(advice).into());
        members.insert("path".into(), path.map(|path| path.to_string_lossy()).into());
        members.insert("offset".into(), offset.map(|offset| offset.0).into());
        members.insert("line".into(), line.into());
        members.insert("expected".into(), shown(expected).into());
        members.insert("found".into(), shown(found).into());
        members
    }
}

/// An error of the command line, as JSON.
pub(crate) fn usage(error: &clap::Error) {
    let text = error.render().to_string();
    let message = text.strip_prefix("error: ").unwrap_or(&text).lines().next().unwrap_or_default();
    let mut members = members_of_none();
    members.insert("kind".into(), "usage".into());
    members.insert("message".into(), message.into());
    write_json(members);
}

/// Members of an error that do not apply to all. Every error has every key.
fn members_of_none() -> Map<String, Value> {
    let keys = ["advice", "expected", "found", "line", "offset", "path"];
    keys.into_iter().map(|key| (key.into(), Value::Null)).collect()
}

/// One line on standard error: `{"error":{…}}`. That it is closed must not change the exit code.
fn write_json(members: Map<String, Value>) {
    let mut line = Vec::new();
    let written = printable::json(&json!({ "error": members }), false, &mut line);
    if written.is_ok() {
        line.push(b'\n');
        let _ = io::stderr().write_all(&line);
    }
}

/// The form that the arguments ask for, before they are parsed: errors of the command line have it too.
pub(crate) fn form(args: &[OsString]) -> ErrorForm {
    let words = args.iter().map(|arg| arg.to_string_lossy());
    let words: Vec<_> = words.take_while(|arg| arg != "--").collect();
    let asks = words.windows(2).any(|pair| pair[0] == "--error-format" && pair[1] == "json");
    if asks || words.iter().any(|arg| arg == "--error-format=json") {
        ErrorForm::Json
    } else {
        ErrorForm::Text
    }
}
