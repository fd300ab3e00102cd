//! Memory over time.

use super::Numbers;
use serde::Serialize;

/// Curves with one axis of time and one of bytes.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Curves {
    /// The whole time in nanoseconds.
    pub span: u64,
    /// Nanoseconds from the start before which figures do not count.
    pub warm_up: u64,
    /// Whether they are parts of a whole, drawn one on the other. Then all have the same times.
    pub is_stacked: bool,
    /// The curves.
    pub curves: Vec<Curve>,
}

/// A curve.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Curve {
    /// What it shows.
    pub name: &'static str,
    /// Times in nanoseconds from the start, ascending.
    pub at: Numbers,
    /// Bytes at these times.
    pub value: Numbers,
}
