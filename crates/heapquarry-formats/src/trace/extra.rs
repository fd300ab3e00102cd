//! The column `extra`: everything that other columns do not hold.

use super::{columns::Texts, members::Member, repair};
use arrow_array::ArrayRef;

/// A column of JSON objects with everything that other columns do not hold.
pub(super) struct Extra(Texts);

impl Extra {
    pub(super) fn new(rows: usize) -> Self {
        Extra(Texts::new(rows))
    }

    /// Adds a member to the row.
    pub(super) fn add(&mut self, member: Member<'_>) {
        let first = self.0.is_row_empty();
        let out = self.0.buffer();
        out.push(if first { b'{' } else { b',' });
        if member.escaped || member.key.iter().any(|&byte| byte < 0x20) {
            repair::string(member.key, out);
        } else {
            out.push(b'"');
            out.extend_from_slice(member.key);
            out.push(b'"');
        }
        out.push(b':');
        if member.value.clean {
            out.extend_from_slice(member.value.raw);
        } else {
            let start = out.len();
            repair::repair(member.value.raw, out);
            if out.len() == start {
                out.extend_from_slice(b"null");
            }
        }
    }

    pub(super) fn end_row(&mut self) {
        if !self.0.is_row_empty() {
            self.0.buffer().push(b'}');
        }
        self.0.end_row();
    }

    pub(super) fn finish(self) -> ArrayRef {
        self.0.finish()
    }

    /// The text of the only row.
    pub(super) fn into_text(mut self) -> Option<String> {
        self.end_row();
        let text = String::from_utf8_lossy(self.0.buffer()).into_owned();
        (!text.is_empty()).then_some(text)
    }
}
