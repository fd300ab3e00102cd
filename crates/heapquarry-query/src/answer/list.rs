//! Lists that may be cut.

use serde::Serialize;

/// Some rows of a list, the most important first, and how many there are in all.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "{T}List"))]
pub struct List<T> {
    /// Number of all rows.
    pub total: u64,
    /// Number of rows before these; absent if they are the first.
    #[serde(skip_serializing_if = "is_zero")]
    pub offset: u64,
    /// These rows.
    pub rows: Vec<T>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl<T> List<T> {
    /// The first `most` of these; all of them without a limit.
    pub(crate) fn of<S>(all: Vec<S>, most: Option<usize>, row: impl FnMut(S) -> T) -> Self {
        Self::page(all, 0, most.unwrap_or(usize::MAX), row)
    }

    /// At most `most` of these, after `offset` others.
    pub(crate) fn page<S>(
        all: impl IntoIterator<Item = S, IntoIter: ExactSizeIterator>,
        offset: usize,
        most: usize,
        mut row: impl FnMut(S) -> T,
    ) -> Self {
        let all = all.into_iter();
        let total = all.len();
        let mut rows = Vec::with_capacity(total.saturating_sub(offset).min(most));
        // A loop is compiled to much less than `collect`, for each of many types.
        for one in all.skip(offset).take(most) {
            rows.push(row(one));
        }
        List { total: total as u64, offset: offset as u64, rows }
    }

    /// Number of rows after the last that is listed.
    pub(crate) fn omitted(&self) -> u64 {
        self.total.saturating_sub(self.offset).saturating_sub(self.rows.len() as u64)
    }
}
