//! The scopes that own records of other sections.

use super::RecordTask;
use crate::{Code, heap::ownership::Ownership};
use arrow_array::{ArrayRef, Int32Array, Int64Array};
use std::sync::Arc;

impl RecordTask<'_> {
    /// For each record its scope, and its position among the records of that scope. Both are null if no scope owns the
    /// record, and the value of `field` is logged.
    pub(crate) fn scopes(&mut self, owners: &Ownership, field: &str) -> [ArrayRef; 2] {
        let rows = self.records.rows;
        let (mut scopes, mut positions) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        for owner in owners.of(self.records.first) {
            let left = (rows - scopes.len()) as u64;
            for nth in owner.skipped..owner.skipped + owner.records.min(left) {
                scopes.push(Some(owner.position as i64));
                positions.push(i32::try_from(nth).ok());
            }
            if scopes.len() == rows {
                break;
            }
        }
        let locator = self.locator(field);
        for row in scopes.len()..rows {
            self.log.add_lazily(Code::RecordWithoutScope, || {
                let message = "the scopes' counts add up to fewer records";
                (Some(locator.locate(row as u32).0), message.into(), None)
            });
        }
        scopes.resize(rows, None);
        positions.resize(rows, None);
        [Arc::new(Int64Array::from(scopes)), Arc::new(Int32Array::from(positions))]
    }
}
