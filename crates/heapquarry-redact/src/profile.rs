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

impl Visitor for Profile<'_> {
    fn key<'t>(&mut self, _: &Path, text: &'t str) -> io::Result<Cow<'t, str>> {
        self.memo.text(self.rules, Case::Key, text)
    }

    fn string<'t>(&mut self, path: &Path, text: &'t str) -> io::Result<Cow<'t, str>> {
        let case = match path.last() {
            "functionName" | "name" | "url" | "resources" => Case::Name,
            "scriptId" | "id" => Case::Id,
            _ => Case::Word,
        };
        self.memo.text(self.rules, case, text)
    }
}
