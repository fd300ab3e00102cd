//! Parts of a profile, as a page shows them.

use crate::{
    answer::{Amount, List, Share, answer},
    profile::{
        diff::{ComparedProfile, FunctionChange},
        summary::{FunctionValue, PackageValue, ScriptValue},
    },
};

answer! {
    /// Functions of a profile.
    pub struct FunctionsAnswer {
        /// What the values are: `us` of time, `bytes`, `samples`, or the unit of a pprof profile.
        pub unit: String,
        /// The functions.
        pub functions: List<ListedFunction>,
    }

    /// A function that can be asked about.
    pub struct ListedFunction {
        /// Its number among the functions of the profile.
        pub function: u32,
        /// Its values.
        #[serde(flatten)]
        pub value: FunctionValue,
    }

    /// What changed from the first profile to the last, as `diff` tells it.
    pub struct ChangesAnswer {
        /// What the values are.
        pub unit: String,
        /// The profiles, in the order of time.
        pub profiles: Vec<ComparedProfile>,
        /// Functions that differ.
        pub functions: List<FunctionChange>,
    }

    /// A function with what calls it and what it calls.
    pub struct FunctionAnswer {
        /// What the values are.
        pub unit: String,
        /// The function.
        pub function: ListedFunction,
        /// The functions that call it directly, with what it takes when they do. Calls by itself are not counted, so
        /// that these add up to its total.
        pub callers: List<Beside>,
        /// The functions that it calls directly, with what they take then. What it calls within others that it
        /// called is in their values.
        pub callees: List<Beside>,
    }

    /// A function beside another in stacks.
    pub struct Beside {
        /// Its number; absent for what calls the outermost functions.
        pub function: Option<u32>,
        /// Its name.
        pub function_name: String,
        /// Its place, short.
        pub place: Option<String>,
        /// What the calls between the two take.
        pub value: Amount,
        /// Share of the value that is not idle.
        pub percent: Option<Share>,
    }

    /// What a call calls.
    pub struct CallsAnswer {
        /// What the values are.
        pub unit: String,
        /// The call.
        pub call: CallNode,
        /// What it calls, the largest first.
        pub calls: List<CallNode>,
    }

    /// A function as called by one stack.
    pub struct CallNode {
        /// Its number in the tree; 0 for the whole profile.
        pub call: u32,
        /// The function; absent for the whole profile.
        pub function: Option<u32>,
        /// Its name.
        pub function_name: String,
        /// Its place, short.
        pub place: Option<String>,
        /// What it takes itself.
        pub self_value: Amount,
        /// What it takes with all that it calls.
        pub total_value: Amount,
        /// Share of the value that is not idle.
        pub total_percent: Option<Share>,
        /// How many functions it calls.
        pub call_count: u64,
    }

    /// What calls a function by way of others.
    pub struct CallersAnswer {
        /// What the values are.
        pub unit: String,
        /// The callers, with what the function takes itself when they call it so.
        pub callers: List<CallerNode>,
    }

    /// A function that calls others, which in the end call one.
    pub struct CallerNode {
        /// The function.
        pub function: u32,
        /// Its name.
        pub function_name: String,
        /// Its place, short.
        pub place: Option<String>,
        /// What the one that is called in the end takes itself.
        pub self_value: Amount,
        /// Share of the value that is not idle.
        pub self_percent: Option<Share>,
        /// How many functions call this one so.
        pub caller_count: u64,
    }

    /// A flame graph, as far as it can be seen.
    pub struct FlameAnswer {
        /// What the values are.
        pub unit: String,
        /// The call that is as wide as the graph.
        pub call: CallNode,
        /// Its callers, the nearest first.
        pub above: Vec<CallNode>,
        /// The calls, by depth and place.
        pub boxes: Boxes,
        /// The functions of the boxes.
        pub functions: Vec<NamedFunction>,
    }

    /// The stacks of a thread in the order of time, as far as they can be seen.
    pub struct ChartAnswer {
        /// The threads, or profiles, that have samples.
        pub threads: Vec<SampledThread>,
        /// The one that is shown, as a position.
        pub thread: u32,
        /// The calls, by depth and start. Times are in microseconds from the first sample.
        pub boxes: Boxes,
        /// The functions of the boxes.
        pub functions: Vec<NamedFunction>,
    }

    /// A thread with samples, or a profile.
    pub struct SampledThread {
        /// Its name; empty if it is the only one.
        pub name: String,
        /// Number of its samples.
        pub sample_count: u64,
        /// From the first sample to the end of the last, in microseconds.
        pub duration: Amount,
    }

    /// Boxes, as columns: an element of each for each box.
    #[derive(Default)]
    pub struct Boxes {
        /// Their calls. A box of several calls has the largest of them.
        pub call: Vec<u32>,
        /// Their functions, as positions in the list that is beside.
        pub function: Vec<u32>,
        /// Calls around them.
        pub depth: Vec<u32>,
        /// Where they start.
        pub start: Vec<i64>,
        /// How wide they are.
        pub size: Vec<i64>,
        /// How many calls are in one box.
        pub count: Vec<u64>,
    }

    /// What a function is called.
    pub struct NamedFunction {
        /// Its number; absent for the whole profile.
        pub function: Option<u32>,
        /// Its name.
        pub function_name: String,
        /// Its place, short.
        pub place: Option<String>,
        /// The installed package that it belongs to.
        pub package: Option<String>,
        /// The address of its script; empty for the engine and native code.
        pub url: String,
    }

    /// What packages and scripts take.
    pub struct PackagesAnswer {
        /// What the values are.
        pub unit: String,
        /// Packages by their functions' own values, as `summary` has them.
        pub packages: List<PackageValue>,
        /// Scripts by their functions' own values.
        pub urls: List<ScriptValue>,
    }
}
