//! Why numbers may rest on less than the whole input.

use super::answer;
use heapquarry::{Code, Entry, Severity, Status};
use std::fmt;

answer! {
    /// Why numbers may rest on less than the whole input, or mean less than they seem to.
    pub struct Caveat {
        /// What kind of reason it is.
        pub kind: CaveatKind,
        /// The input that it is about; absent if it is about all of them.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub input: Option<String>,
        /// The reason, in words.
        pub text: String,
    }
}

answer! {
    /// Kinds of reasons.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum CaveatKind {
        /// The end of the input is missing: the numbers cover the part that was read.
        Truncated,
        /// The input was damaged: what was lost or guessed is in `import_log`.
        Repaired,
        /// Values that the numbers are made of are missing, estimated or of another kind: times, above all.
        Values,
        /// The inputs do not belong together as the question assumes.
        Mismatch,
        /// A remark on how the numbers were made.
        Remark,
    }
}

impl Caveat {
    /// What is odd about the values of an input.
    pub(crate) fn of_values(input: &impl fmt::Display, text: String) -> Self {
        Caveat { kind: CaveatKind::Values, input: Some(input.to_string()), text }
    }

    /// What is to be said of the source maps of an input's scripts.
    pub(crate) fn of_source_maps(input: &impl fmt::Display, texts: Vec<String>) -> Vec<Self> {
        let remark = |text| {
            let (kind, input) = (CaveatKind::Remark, Some(input.to_string()));
            Caveat { kind, input, text }
        };
        texts.into_iter().map(remark).collect()
    }

    /// The defects of an input, and what they mean for the numbers; `None` if it is whole.
    pub(crate) fn of_defects(
        input: &impl fmt::Display,
        status: Status,
        log: &[Entry],
    ) -> Option<Self> {
        let lost = log.iter().filter(|entry| entry.code.severity() >= Severity::DataLoss);
        let count: u64 = lost.map(|entry| entry.occurrences).sum();
        let (kind, text) = match status {
            Status::Complete => return None,
            Status::Repaired if count == 0 => (CaveatKind::Repaired, "defects repaired".into()),
            Status::Repaired => {
                let rest =
                    count - LOST_TIMES.map(|code| occurrences(log, code)).iter().sum::<u64>();
                let s = if rest == 1 { "" } else { "s" };
                // What could not be repaired is said in full.
                let errors = log.iter().filter(|entry| entry.code.severity() == Severity::Error);
                let errors: Vec<_> = errors.map(|entry| entry.message.as_str()).collect();
                let repaired = match errors[..] {
                    _ if rest == 0 => None,
                    [] => Some(format!("{rest} defect{s} repaired")),
                    _ => Some(format!("{rest} defect{s}: {}", errors.join("; "))),
                };
                let kind =
                    if repaired.is_none() { CaveatKind::Values } else { CaveatKind::Repaired };
                let parts: Vec<String> = repaired.into_iter().chain(lost_times(log)).collect();
                (kind, parts.join("; "))
            }
            Status::Truncated => {
                let text = "truncated; the numbers cover only the part that was read";
                (CaveatKind::Truncated, text.into())
            }
        };
        Some(Caveat { kind, input: Some(input.to_string()), text })
    }
}

/// Codes of times that nothing repairs.
const LOST_TIMES: [Code; 2] = [Code::EventWithoutTime, Code::TimeOutOfRange];

fn occurrences(log: &[Entry], code: Code) -> u64 {
    log.iter().filter(|entry| entry.code == code).map(|entry| entry.occurrences).sum()
}

/// Which times of a trace are unknown; `None` if none are.
pub(crate) fn lost_times(log: &[Entry]) -> Option<String> {
    Some(match LOST_TIMES.map(|code| occurrences(log, code)) {
        [0, 0] => return None,
        [0, 1] => "1 time is beyond the range of times, and unknown".into(),
        [0, times] => format!("{times} times are beyond the range of times, and unknown"),
        [1, _] => "the time of 1 event is unknown: it is in no slice and no sum".into(),
        [events, _] => {
            format!("the times of {events} events are unknown: they are in no slice and no sum")
        }
    })
}

/// One line: `app.heapsnapshot: 3 defects repaired`.
impl fmt::Display for Caveat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.input {
            Some(input) => write!(f, "{input}: {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}
