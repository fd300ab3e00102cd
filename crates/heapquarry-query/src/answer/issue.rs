//! What was repaired or is odd in an input.

use super::answer;
use heapquarry::Entry;
use heapquarry_base::Order;
use heapquarry_formats::Code;
use std::cmp::Reverse;

answer! {
    /// Repairs and anomalies of one code.
    pub struct Issue {
        /// The code, as in `import_log`.
        pub code: &'static str,
        /// How severe it is.
        pub severity: &'static str,
        /// Number of times that it occurred.
        pub count: u64,
        /// Offset of the first in bytes, if known.
        pub offset: Option<u64>,
        /// The first of them, in words.
        pub message: String,
    }
}

/// What is in `import_log`, by code.
pub(crate) fn issues(log: &[Entry]) -> Vec<Issue> {
    let mut codes: Vec<(Code, u64, &Entry)> = Vec::new();
    for entry in log {
        match codes.iter_mut().find(|(code, ..)| *code == entry.code) {
            Some((_, count, _)) => *count += entry.occurrences,
            None => codes.push((entry.code, entry.occurrences, entry)),
        }
    }
    codes.order_by_key(|(code, ..)| (Reverse(code.severity()), *code));
    let issue = |(code, count, first): (Code, u64, &Entry)| Issue {
        code: code.name(),
        severity: code.severity().name(),
        count,
        offset: first.offset.map(|offset| offset.0),
        message: first.message.to_string(),
    };
    codes.into_iter().map(issue).collect()
}
