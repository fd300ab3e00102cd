//! Why numbers may rest on less than the whole input.

use super::answer;
use heapquarry::{Entry, Severity, Status};
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
                let s = if count == 1 { "" } else { "s" };
                // What could not be repaired is said in full.
                let lost = log.iter().filter(|entry| entry.code.severity() == Severity::Error);
                let lost: Vec<_> = lost.map(|entry| entry.message.as_str()).collect();
                let text = match lost[..] {
                    [] => format!("{count} defect{s} repaired"),
                    _ => format!("{count} defect{s}: {}", lost.join("; ")),
                };
                (CaveatKind::Repaired, text)
            }
            Status::Truncated => {
                let text = "truncated; the numbers cover only the part that was read";
                (CaveatKind::Truncated, text.into())
            }
        };
        Some(Caveat { kind, input: Some(input.to_string()), text })
    }
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
