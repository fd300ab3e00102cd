//! A profile as the last of several.

use super::{ChangesAnswer, Subject};
use crate::{
    Diff, Session, Wanted,
    answer::Answered,
    diff::{Compared, Difference},
    listing::{Page, filter_of},
    profile::diff::{FunctionChange, ProfileDiff},
    too_few,
};
use heapquarry::Result;
use heapquarry_base::Order;
use serde::Deserialize;
use std::cmp::Ordering;

/// What functions that differ are sorted by; equal ones stay in the order of `diff`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeOrder {
    /// Their names.
    Name,
    /// What they took themselves in the first profile.
    Before,
    /// What they take themselves in the last one.
    Own,
    /// By how much this grew.
    #[default]
    OwnDelta,
    /// What they take in the last one, with all that they call.
    Total,
    /// By how much this grew.
    TotalDelta,
}

/// What changed since the first profile.
pub(super) struct Series {
    found: Answered<Box<ProfileDiff>>,
}

impl Series {
    /// Reads the profiles before the last one, one at a time.
    pub(super) fn new(session: &Session, last: &Subject) -> Result<Self> {
        let (sources, diff) = (session.sources(), Diff::default());
        let compared = last.compare(&sources, None, &diff, Wanted::default(), session.options())?;
        let Compared { found: Difference::Profile(found), mut caveats, .. } = compared else {
            return Err(too_few(&sources));
        };
        caveats.extend(last.notes.clone());
        Ok(Series { found: Answered::new("diff", session.names(), caveats, found, usize::MAX) })
    }

    pub(super) fn changes(
        &self,
        filter: &str,
        by: ChangeOrder,
        ascending: bool,
        page: Page,
    ) -> Answered<ChangesAnswer> {
        let fits = filter_of(filter);
        let ProfileDiff { unit, profiles, functions, .. } = &*self.found.answer;
        let is_wanted = |one: &&FunctionChange| fits(&one.function_name) || fits(&one.url);
        let mut wanted: Vec<&FunctionChange> = functions.rows.iter().filter(is_wanted).collect();
        wanted.order_by(|a, b| {
            let order = by.compare(a, b);
            if ascending { order } else { order.reverse() }
        });
        let functions = page.of(wanted, Clone::clone);
        let answer = ChangesAnswer { unit: unit.clone(), profiles: profiles.clone(), functions };
        let Answered { inputs, caveats, .. } = &self.found;
        Answered::new("changes", inputs.clone(), caveats.clone(), answer, usize::MAX)
    }
}

impl ChangeOrder {
    fn compare(self, a: &FunctionChange, b: &FunctionChange) -> Ordering {
        match self {
            ChangeOrder::Name => a.function_name.cmp(&b.function_name),
            ChangeOrder::Before => a.base_self_value.number.cmp(&b.base_self_value.number),
            ChangeOrder::Own => a.self_value.number.cmp(&b.self_value.number),
            ChangeOrder::OwnDelta => a.self_value_delta.number.cmp(&b.self_value_delta.number),
            ChangeOrder::Total => a.total_value.number.cmp(&b.total_value.number),
            ChangeOrder::TotalDelta => a.total_value_delta.number.cmp(&b.total_value_delta.number),
        }
    }
}
