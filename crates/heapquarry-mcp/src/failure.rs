//! Why a question has no answer.

use heapquarry::{
    Error, ErrorKind, Remedy,
    report::{printable, printable::cut},
};

/// Columns of a reason: it can list what there is instead.
const MOST: usize = 1200;

/// Why a question has no answer: one sentence for a model, which says what to do where something can be done.
#[derive(Debug)]
pub enum Failure {
    /// The question cannot be answered as it was asked.
    Wrong(String),
    /// The client took the question back, or the server ends.
    Cancelled,
}

impl Failure {
    /// What is wrong with a question.
    pub fn new(text: impl Into<String>) -> Self {
        Failure::Wrong(cut(&printable(&text.into()), MOST).into_owned())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match (error.kind(), error.remedy().map(advice)) {
            (ErrorKind::Cancelled, _) => Failure::Cancelled,
            (_, Some(advice)) => Failure::new(format!("{error}; {advice}")),
            (_, None) => Failure::new(error.to_string()),
        }
    }
}

/// What an agent, or whoever started the server, can do about an error.
fn advice(remedy: Remedy) -> &'static str {
    match remedy {
        Remedy::Replace => "name another output",
        Remedy::AllowLosses => "allow that what is damaged is left out",
        Remedy::ConvertAgain => "convert the input again",
        Remedy::ConvertAllTables => "convert the input again, with all tables of its format",
        Remedy::SelectDocument => "select one with INPUT#N",
        Remedy::SelectRows => "omit the number, and compare file_id in the query",
        Remedy::OtherCache => "name another folder in HEAPQUARRY_CACHE_DIR",
        Remedy::AllowSpool => "start the server with --max-spool SIZE to set another limit",
        Remedy::AllowMemory => "start the server with --memory SIZE to set another limit",
        Remedy::MoreMemory => "run it where there is more memory",
    }
}
