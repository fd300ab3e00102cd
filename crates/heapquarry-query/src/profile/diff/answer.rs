//! What differs between profiles.

use super::ValuesByOwner;
use crate::{
    answer::{Amount, AmountChange, List, Share, ShareChange, answer},
    runs::{ChangeKind, Side},
};
use heapquarry_profile::Kind;

answer! {
    /// What differs between the first and the last of some profiles of one kind, or between several runs before and
    /// after a change, whose values are medians.
    pub struct ProfileDiff {
        /// What the values are: `us` of time, `bytes`, `samples`, or the unit of a pprof profile.
        pub unit: String,
        /// The profiles, in the order given.
        pub profiles: Vec<ComparedProfile>,
        /// Functions that differ, by growth of their own values; of several runs first those that changed beyond noise.
        pub functions: List<FunctionChange>,
        /// The first functions that grew, by growth of total value.
        pub functions_by_total: List<FunctionChange>,
        /// Number of functions whose own value changed beyond noise.
        pub changed_count: u64,
        /// What differs by package or script, if that is asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub owners: Option<ValuesByOwner>,
        /// What of: the kind of profile that the values are of.
        #[serde(skip)]
        pub(crate) words: Kind,
        /// Whether a side has several runs.
        #[serde(skip)]
        pub(crate) have_runs: bool,
    }

    /// A profile that was compared, with its changes since the first.
    pub struct ComparedProfile {
        /// Its name as given.
        pub name: String,
        /// Sum of all values, in the unit of the profiles.
        pub value: Amount,
        /// Change of the sum.
        pub value_delta: AmountChange,
        /// The part of it in which something ran; absent if profiles of this kind do not tell.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub busy_value: Option<Amount>,
        /// Change of this part.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub busy_value_delta: Option<AmountChange>,
        /// Number of samples.
        pub sample_count: u64,
        /// Number of functions.
        pub function_count: u64,
        /// On which side it is; `null` between the first and the last.
        pub side: Option<Side>,
    }

    /// A function that differs. Shares are of the value that is not idle, and absent of idle functions and where all
    /// was idle.
    pub struct FunctionChange {
        /// Its name; `(anonymous)` if it has none.
        pub function_name: String,
        /// Its place, short: the last two parts of the script's address, and the line.
        pub place: Option<String>,
        /// The address of its script, with a source map that of its source; empty for the engine and native code.
        pub url: String,
        /// Its line there in the last profile, from 1, or else in the first; absent if it has several.
        pub line: Option<i32>,
        /// Its own value in the first profile, without what it calls.
        pub base_self_value: Amount,
        /// Its own value in the last profile.
        pub self_value: Amount,
        /// Change of its own value.
        pub self_value_delta: AmountChange,
        /// Share of its own value in the first profile.
        pub base_self_percent: Option<Share>,
        /// Share of its own value in the last profile.
        pub self_percent: Option<Share>,
        /// Change of this share.
        pub self_percent_delta: Option<ShareChange>,
        /// Its value in the first profile, with all that it calls.
        pub base_total_value: Amount,
        /// Its value in the last profile, with all that it calls.
        pub total_value: Amount,
        /// Change of its total value.
        pub total_value_delta: AmountChange,
        /// Share of its total value in the first profile.
        pub base_total_percent: Option<Share>,
        /// Share of its total value in the last profile.
        pub total_percent: Option<Share>,
        /// Change of this share.
        pub total_percent_delta: Option<ShareChange>,
        /// What its own value did beyond noise.
        pub change: ChangeKind,
        /// Of several runs: the probability that chance alone separates its own values like this, by a rank test.
        pub p_value: Option<f64>,
        /// Its own values in the runs before; absent unless a side has several.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub runs_before: Vec<Amount>,
        /// Its own values in the runs after; absent unless a side has several.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub runs_after: Vec<Amount>,
    }
}
