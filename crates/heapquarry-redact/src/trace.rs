//! Traces in the Trace Event Format.

use crate::{
    json::{Path, Visitor},
    memo::{Case, Memo},
    rules::Rules,
};
use std::{borrow::Cow, io};

/// What the strings of a trace become.
pub(crate) struct Trace<'r> {
    rules: &'r mut Rules,
    memo: Memo,
}

impl<'r> Trace<'r> {
    pub(crate) fn new(rules: &'r mut Rules) -> Self {
        Trace { rules, memo: Memo::default() }
    }
}

/// The keys on the way to a string of an event, without that of the events.
fn keys(path: &Path) -> impl Iterator<Item = &str> + Clone {
    path.keys().enumerate().filter(|(at, key)| *at > 0 || *key != "traceEvents").map(|(_, key)| key)
}

/// Whether the keys of the object at a path can be data of the program: details of `performance.measure`.
pub(crate) fn is_data(path: &Path) -> bool {
    matches!(keys(path).next(), Some("args" | "metadata" | "otherData"))
}

/// What is to be done with a key of the object at a path.
fn of_key(path: &Path) -> Case {
    match is_data(path) {
        true => Case::Property,
        false if keys(path).eq(["stackFrames"]) => Case::Id,
        false => Case::Key,
    }
}

/// What is to be done with another string.
fn of_string(path: &Path, text: &str) -> Case {
    let mut outer = keys(path);
    let (first, second) = (outer.next().unwrap_or(""), outer.next());
    let is_address = text.contains("://") && !text.contains(char::is_whitespace);
    match (first, path.last()) {
        ("name", _) if second.is_none() => Case::Property,
        ("cat" | "scope", _) => Case::Name,
        ("ph" | "s" | "bp", _) if second.is_none() => Case::Key,
        ("id" | "id2" | "bind_id" | "sf" | "esf" | "pid" | "tid", _) => Case::Id,
        ("stackFrames" | "samples", "name" | "category") => Case::Name,
        ("stackFrames", "parent") | ("samples", "sf") => Case::Id,
        ("args", "name") if outer.next().is_none() => Case::Property,
        ("args", "functionName") => Case::Name,
        ("args", "scriptId" | "nodeId" | "id") => Case::Id,
        ("args", _) if is_address => Case::Address,
        ("args", _) => Case::Word,
        _ => Case::Value,
    }
}

impl Visitor for Trace<'_> {
    fn key<'t>(&mut self, path: &Path, text: &'t str) -> io::Result<Cow<'t, str>> {
        self.memo.text(self.rules, of_key(path), text)
    }

    fn string<'t>(&mut self, path: &Path, text: &'t str) -> io::Result<Cow<'t, str>> {
        self.memo.text(self.rules, of_string(path, text), text)
    }
}
