//! Which running process a verb is about.
//!
//! Groups of options have no documentation comments: clap would take them for the help of the verbs that have them.

use clap::Args;

// Options of the target.
#[derive(Args, Debug)]
pub(crate) struct Target {
    /// HOST:PORT or PORT of an inspector, HOST:PORT/ID of one of its targets, or ws://HOST:PORT/PATH. Requests have the
    /// headers in HEAPQUARRY_CAPTURE_HEADERS, one `Name: value` in each line
    #[arg(required_unless_present = "pid", value_name = "TARGET")]
    pub(crate) target: Option<String>,

    /// The Node with this process id, whose inspector is opened by SIGUSR1, and closed afterwards (Linux)
    #[arg(long, value_name = "N", conflicts_with = "target")]
    pub(crate) pid: Option<u32>,

    /// Connect to another machine without encryption
    #[arg(long)]
    pub(crate) insecure_remote: bool,
}
