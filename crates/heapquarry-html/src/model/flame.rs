//! The part of a call tree that a page draws.

use super::{Numbers, Texts};
use serde::Serialize;

/// A call tree: the calls with the largest totals.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Flame {
    /// Unit of the numbers: `micros`, `bytes` or `count`.
    pub unit: &'static str,
    /// Number of calls in the tree before it was cut.
    pub node_count: u64,
    /// The calls that are kept.
    pub calls: Calls,
    /// The functions that they call.
    pub frames: Frames,
    /// Names of functions and scripts.
    pub texts: Texts,
    /// The table with these functions, and its column with their names.
    pub sql: (&'static str, &'static str),
}

/// Kept calls in preorder: the first is the root, and what a call calls follows it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Calls {
    /// For each call the position of its caller; of the root its own.
    pub parent: Numbers,
    /// The called function.
    pub frame: Numbers,
    /// What a call takes itself.
    pub own: Numbers,
    /// What a call and all its callees take.
    pub total: Numbers,
    /// The total in the profile before. Empty if there is one profile only.
    pub before: Numbers,
}

/// Functions.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Frames {
    /// Names, as numbers of texts.
    pub name: Numbers,
    /// Scripts, as numbers of texts.
    pub script: Numbers,
    /// Lines from 1; 0 if unknown.
    pub line: Numbers,
}
