//! Why a question has no answer.

use heapquarry::{Error, ErrorKind, report::printable};

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
        Failure::Wrong(printable(&text.into()).into_owned())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match (error.kind(), error.advice()) {
            (ErrorKind::Cancelled, _) => Failure::Cancelled,
            (_, Some(advice)) => Failure::new(format!("{error}; {advice}")),
            (_, None) => Failure::new(error.to_string()),
        }
    }
}
