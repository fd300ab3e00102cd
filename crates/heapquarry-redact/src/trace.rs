//! Traces in the Trace Event Format.

use crate::{
    address::Address,
    json::{Path, Visitor},
    memo::{Case, Memo},
    rules::{Level, Rules},
};
use serde::Deserialize;
use std::{borrow::Cow, io};

/// What the strings of a trace become.
pub(crate) struct Trace<'r> {
    rules: &'r mut Rules,
    memo: Memo,
    /// Whether the event names a process or thread.
    is_metadata: bool,
}

impl<'r> Trace<'r> {
    pub(crate) fn new(rules: &'r mut Rules) -> Self {
        Trace { rules, memo: Memo::default(), is_metadata: false }
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
        true => Case::Label,
        false if keys(path).eq(["stackFrames"]) => Case::Id,
        false => Case::Key,
    }
}

/// What is to be done with another string. `is_metadata` says that the event names a process or thread.
fn of_string(path: &Path, text: &str, is_metadata: bool) -> Case {
    /// Phases of events and scopes have one letter.
    const LONGEST_PHASE: usize = 2;
    let mut outer = keys(path);
    let (first, second) = (outer.next().unwrap_or(""), outer.next());
    match (first, path.last()) {
        ("name", _) if second.is_none() => Case::Label,
        ("cat" | "scope", _) => Case::Name,
        ("ph" | "s" | "bp", _) if second.is_none() && text.len() <= LONGEST_PHASE => Case::Key,
        ("id" | "id2" | "bind_id" | "sf" | "esf" | "pid" | "tid", _) => Case::Id,
        ("stackFrames" | "samples", "name" | "category") => Case::Name,
        ("stackFrames", "parent") | ("samples", "sf") => Case::Id,
        ("args", "name") if outer.next().is_none() && is_metadata => Case::Label,
        ("args", "functionName") if is_of_engine(path) => Case::Name,
        ("args", "scriptId") if is_of_profile(path) => Case::Id,
        ("args", _) if Address::whole(text).is_some() => Case::Address,
        ("args", _) => Case::Word,
        _ => Case::Value,
    }
}

/// Whether engines write what is here: in `data`, but not in what a page gives to `performance.mark`.
fn is_of_engine(path: &Path) -> bool {
    let mut keys = keys(path).skip(1);
    matches!(keys.next(), Some("data" | "beginData")) && keys.all(|key| !key.starts_with("detail"))
}

/// Whether it is in a part of a CPU profile.
fn is_of_profile(path: &Path) -> bool {
    keys(path).take(3).eq(["args", "data", "cpuProfile"])
}

/// What an event says of itself.
#[derive(Deserialize)]
struct Head<'t> {
    #[serde(borrow, default)]
    ph: Cow<'t, str>,
}

impl Visitor for Trace<'_> {
    fn wants(&self, path: &Path) -> bool {
        // Higher levels replace names of threads and all others alike.
        self.rules.policy.level == Level::Values && keys(path).next().is_none()
    }

    fn object(&mut self, json: &[u8]) {
        let head = serde_json::Deserializer::from_slice(json).into_iter::<Head<'_>>().next();
        self.is_metadata = matches!(head, Some(Ok(head)) if head.ph == "M");
    }

    fn key<'t>(&mut self, path: &Path, text: &'t str) -> io::Result<Cow<'t, str>> {
        self.memo.text(self.rules, of_key(path), text)
    }

    fn string<'t>(&mut self, path: &Path, text: &'t str) -> io::Result<Cow<'t, str>> {
        self.memo.text(self.rules, of_string(path, text, self.is_metadata), text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact;
    use heapquarry_formats::Format;

    fn redacted(level: Level, trace: &str) -> String {
        let (mut rules, mut out) = (Rules::new(level, [3; 16]), Vec::new());
        let done = redact(Format::Trace, &trace.as_bytes(), &mut rules, 1, &mut out).unwrap();
        assert_eq!(done.cut, None, "{trace}");
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn arguments_are_data_unless_engines_have_them() {
        for (args, is_gone) in [
            (r#"{"data":{"detail":"{\"password\":\"zq\",\"url\":\"https://a.b/c\"}"}}"#, true),
            (r#"{"cookie":"zq|https://a.b/c"}"#, true),
            (r#"{"url":"https://a.b/(c)?token=zq"}"#, true),
            (r#"{"url":"https://zq:pw@a.b/c"}"#, true),
            (r#"{"url":"zq://a.b/c"}"#, true),
            (r#"{"name":"zq"}"#, true),
            (r#"{"id":"078051120","x":"zq"}"#, true),
            (r#"{"user":{"functionName":"zq"}}"#, true),
            (r#"{"data":{"details":{"functionName":"zq"}}}"#, true),
            (r#"{"data":{"functionName":"zq"}}"#, false),
            (r#"{"url":"https://a.b/zq"}"#, false),
        ] {
            let trace =
                format!(r#"{{"traceEvents":[{{"args":{args},"ph":"X","name":"a","ts":1}}]}}"#);
            let copy = redacted(Level::Values, &trace);
            assert!(copy.contains("zq") != is_gone && !copy.contains("078051120"), "{copy}");
            assert!(!redacted(Level::Full, &trace).contains("zq"), "{args}");
        }
    }

    #[test]
    fn ids_stay_where_the_format_has_them() {
        let ids = r#"{"ph":"b","id":"0x1f","id2":{"local":"0x2"},"pid":"12","args":{"data":{"cpuProfile":{"nodes":
            [{"callFrame":{"scriptId":"34"}}]}}}}"#;
        for level in [Level::Values, Level::Full] {
            let copy = redacted(level, &format!("[{ids}]"));
            assert!(
                ["0x1f", "0x2", "12", "34"].iter().all(|id| copy.contains(&format!("\"{id}\""))),
                "{copy}"
            );
        }
        for event in [
            r#"{"ph":"b","id":"078051120"}"#,
            r#"{"ph":"X","args":{"id":"78051120"}}"#,
            r#"{"ph":"X","args":{"user":{"id":"0x4c0883a69102937d","nodeId":"78051120"}}}"#,
            r#"{"ph":"X","args":{"scriptId":"78051120"}}"#,
        ] {
            let copy = redacted(Level::Values, &format!("[{event}]"));
            assert!(!copy.contains("8051120") && !copy.contains("0x4c08"), "{copy}");
        }
    }

    /// Their phase stands behind the name.
    #[test]
    fn names_of_threads_are_kept_with_the_names_of_events() {
        let thread =
            r#"{"args":{"name":"zq thread"},"cat":"__metadata","name":"thread_name","ph":"M"}"#;
        let other = r#"{"args":{"name":"zq other"},"name":"zq event","ph":"X"}"#;
        for trace in
            [format!("[{thread},{other}]"), format!(r#"{{"traceEvents":[{other},{thread}]}}"#)]
        {
            let copy = redacted(Level::Values, &trace);
            assert!(
                copy.contains("zq thread")
                    && copy.contains("zq event")
                    && !copy.contains("zq other"),
                "{copy}"
            );
            assert!(!redacted(Level::Names, &trace).contains("zq"), "{trace}");
        }
    }
}
