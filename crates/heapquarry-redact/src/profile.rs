//! CPU profiles, heap profiles, and self-profiling traces.

use crate::{
    json::{Path, Visitor},
    memo::{Case, Memo},
    rules::Rules,
};
use std::{borrow::Cow, io};

/// What the strings of a profile become.
pub(crate) struct Profile<'r> {
    rules: &'r mut Rules,
    memo: Memo,
}

impl<'r> Profile<'r> {
    pub(crate) fn new(rules: &'r mut Rules) -> Self {
        Profile { rules, memo: Memo::default() }
    }
}

/// Members whose objects are call frames, or nodes that have one or are one.
const FRAMES: [&str; 4] = ["callFrame", "children", "head", "nodes"];

impl Visitor for Profile<'_> {
    fn key<'t>(&mut self, _: &Path, text: &'t str) -> io::Result<Cow<'t, str>> {
        self.memo.text(self.rules, Case::Key, text)
    }

    fn string<'t>(&mut self, path: &Path, text: &'t str) -> io::Result<Cow<'t, str>> {
        // The key of the string, and that of its object.
        let keys = path.keys().fold(["", ""], |[_, inner], key| [inner, key]);
        let case = match keys {
            [of, "functionName" | "url"] if FRAMES.contains(&of) => Case::Name,
            ["frames", "name"] | [_, "resources"] => Case::Name,
            [of, "scriptId" | "id"] if FRAMES.contains(&of) => Case::Id,
            _ => Case::Word,
        };
        self.memo.text(self.rules, case, text)
    }
}
