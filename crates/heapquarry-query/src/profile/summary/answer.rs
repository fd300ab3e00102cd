//! What is in a profile.

use crate::{
    By,
    answer::{Amount, List, Original, Share, answer},
};
use heapquarry_profile::Kind;

answer! {
    /// What is in a profile, or in several that were merged.
    pub struct ProfileSummary {
        /// What it is: `CPU profile`, `Profile of cpu (nanoseconds)`.
        pub title: String,
        /// What its values are: `us` of time, `bytes`, `samples`, or the unit of a pprof profile.
        pub unit: String,
        /// Sums over the whole profile.
        pub totals: ProfileTotals,
        /// Functions by their own values, the largest first.
        pub functions: List<FunctionValue>,
        /// The first functions by total value.
        pub functions_by_total: List<FunctionValue>,
        /// Scripts by their functions' own values.
        pub urls: List<ScriptValue>,
        /// Packages by their functions' own values. Each own value belongs to exactly one package.
        pub packages: List<PackageValue>,
        /// What people see by, if not by all.
        #[serde(skip)]
        pub(crate) by: Option<By>,
        /// What of: the kind of profile that its values are of.
        #[serde(skip)]
        pub(crate) words: Kind,
        /// What shares are parts of: all that was not idle.
        #[serde(skip)]
        pub(crate) busy: i64,
    }

    /// Sums over a whole profile.
    pub struct ProfileTotals {
        /// Number of profiles that were merged.
        pub profile_count: u64,
        /// Sum of all values, in the unit of the profile.
        pub value: Amount,
        /// The part of it in which something ran; absent if profiles of this kind do not tell.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub busy_value: Option<Amount>,
        /// The part of it in which garbage was collected; absent if profiles of this kind do not tell.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub gc_value: Option<Amount>,
        /// Number of samples.
        pub sample_count: u64,
        /// Number of nodes of the call tree.
        pub node_count: u64,
        /// Number of functions.
        pub function_count: u64,
    }

    /// The values of a function.
    pub struct FunctionValue {
        /// Its name; `(anonymous)` if it has none.
        pub function_name: String,
        /// Its place, short: the last two parts of the script's address, and the line; with a source map those of the
        /// source, then in brackets that of the script.
        pub place: Option<String>,
        /// The address of its script; empty for the engine and native code.
        pub url: String,
        /// Its line, from 1.
        pub line: Option<i32>,
        /// Its column, from 1.
        pub column: Option<i32>,
        /// What a source map tells of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub original: Option<Original>,
        /// Number of places that it was called from, as nodes of the call tree.
        pub node_count: u64,
        /// Its own value, without what it calls.
        pub self_value: Amount,
        /// Share of the value that is not idle; absent for idle functions.
        pub self_percent: Option<Share>,
        /// Its value with all that it calls.
        pub total_value: Amount,
        /// Share of the value that is not idle; absent for idle functions.
        pub total_percent: Option<Share>,
        /// Whether it only waits.
        #[serde(skip)]
        pub(crate) is_idle: bool,
    }

    /// The values of a script's functions.
    pub struct ScriptValue {
        /// Its address, with a source map that of a source; `(native)` stands for functions without a script.
        pub url: String,
        /// Their own values.
        pub self_value: Amount,
        /// Share of the value that is not idle.
        pub self_percent: Option<Share>,
        /// Their values with all that they call.
        pub total_value: Amount,
        /// Share of the value that is not idle.
        pub total_percent: Option<Share>,
    }

    /// The values of a package's functions.
    pub struct PackageValue {
        /// Its name: of npm or JSR, a folder of the repository, the origin of a page's scripts, or how the names of the
        /// runtime's scripts begin. `(own scripts)` stands for scripts of none, `(ignored sources)` for sources of none
        /// that a source map lists as ones to be ignored, `(native)` for functions without a script.
        pub package: String,
        /// Their own values.
        pub self_value: Amount,
        /// Share of the value that is not idle.
        pub self_percent: Option<Share>,
        /// Their values with all that they call.
        pub total_value: Amount,
        /// Share of the value that is not idle.
        pub total_percent: Option<Share>,
    }
}
