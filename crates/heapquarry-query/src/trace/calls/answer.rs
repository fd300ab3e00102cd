//! The scripts that slices of a trace run or compile.

use crate::answer::{List, Nanos, Original, Share, answer};

answer! {
    /// Slices that run or compile a script and say which: `FunctionCall`, `EvaluateScript`, `v8.compile` and
    /// `v8.produceCache` of Chromium. Other slices are in none of these times.
    pub struct ScriptCalls {
        /// All of them.
        pub totals: CallTime,
        /// What they call, by self time.
        pub functions: List<CalledFunction>,
        /// The scripts of these, by self time.
        pub scripts: List<CalledScript>,
        /// The packages of these, by self time. Each self time belongs to exactly one package.
        pub packages: List<CalledPackage>,
    }

    /// What a slice calls: a function, or a script as a whole.
    pub struct Called {
        /// Name of the function; `(anonymous)` if it has none, absent of a script as a whole.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub function_name: Option<String>,
        /// Where it is, short: the last two parts of the script's address, and the line; with a source map those of
        /// the source, then in brackets that of the script.
        pub place: Option<String>,
        /// The address of the script; empty if it has none.
        pub url: String,
        /// Its line, from 1; absent if it is not known.
        pub line: Option<i32>,
        /// Its column, from 1; absent if it is not known, and of a script as a whole.
        pub column: Option<i32>,
        /// What a source map tells of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub original: Option<Original>,
    }

    /// Times of slices that call scripts.
    #[derive(Default)]
    pub struct CallTime {
        /// Number of slices.
        pub count: u64,
        /// Their time without slices within them, whatever these are.
        pub self_time_ns: Nanos,
        /// Share of the self time of all that call scripts.
        pub self_percent: Option<Share>,
        /// Their time; a slice within another of these counts once.
        pub total_time_ns: Nanos,
        /// The longest of them.
        pub longest_ns: Option<Nanos>,
    }

    /// Slices of one name that call one function, or run one script.
    pub struct CalledFunction {
        /// Their name.
        pub slice_name: String,
        /// What they call.
        #[serde(flatten)]
        pub called: Called,
        /// Their times.
        #[serde(flatten)]
        pub time: CallTime,
    }

    /// Slices that call functions of one script, or of one source.
    pub struct CalledScript {
        /// The address of the script, with a source map that of a source; `(native)` stands for none.
        pub url: String,
        /// Their times.
        #[serde(flatten)]
        pub time: CallTime,
    }

    /// Slices that call functions of one package.
    pub struct CalledPackage {
        /// Its name.
        pub package: String,
        /// Their times.
        #[serde(flatten)]
        pub time: CallTime,
    }
}
