//! Metadata of a trace: the members of its object that are not lists of events, frames or samples.

use super::{
    json::Scalar,
    members::{Kind, Members, Value},
    number, repair,
};
use crate::{
    ByteOffset, Code, Log,
    json::{Json, Step},
    metadata::{Entry, Metadata},
};

/// Maximum size of a value that is kept, in bytes.
const MAX_VALUE: usize = 16 << 20;

/// Reads a member's value.
pub(super) fn read(
    metadata: &mut Metadata,
    name: &str,
    json: &mut Json<'_>,
    log: &mut Log,
) -> Step<()> {
    json.next()?;
    let at = json.at();
    let Some(span) = json.whole(MAX_VALUE)? else {
        log.add(Code::StringTooLong, at, || {
            format!("`{name}` of more than {} MiB is not kept", MAX_VALUE >> 20)
        });
        metadata.add(Entry { name: name.into(), ty: "json", int: None, text: None, at });
        return Ok(());
    };
    let raw = String::from_utf8_lossy(json.bytes(&span));
    let raw = raw.as_bytes();
    if raw.is_empty() {
        return json.malformed("a value");
    }
    if raw[0] != b'{' {
        // As a member, so that it is parsed like one.
        let member = [b"{\"\":", raw, b"}"].concat();
        if let Some(member) = Members::new(&member).next() {
            metadata.add(entry(name.into(), member.value, at));
        }
        return Ok(());
    }
    let mut empty = true;
    for member in Members::new(raw) {
        empty = false;
        let key = crate::json::text(member.key, member.escaped).0;
        let at = at + (member.value.raw.as_ptr().addr() - raw.as_ptr().addr()) as u64;
        metadata.add(entry(format!("{name}.{key}"), member.value, at));
    }
    if empty {
        metadata.add(Entry {
            name: name.into(),
            ty: "json",
            int: None,
            text: Some("{}".into()),
            at,
        });
    }
    Ok(())
}

/// A value with its type.
fn entry(name: String, value: Value<'_>, at: ByteOffset) -> Entry {
    let (mut int, mut text) = (None, None);
    let ty = match value.kind {
        Kind::Text { escaped } => {
            text = value.inner().map(|raw| super::unescape::text(raw, escaped));
            "string"
        }
        Kind::Scalar(Scalar::True) => {
            int = Some(1);
            "bool"
        }
        Kind::Scalar(Scalar::False) => {
            int = Some(0);
            "bool"
        }
        Kind::Scalar(Scalar::Null) => "null",
        Kind::Scalar(Scalar::Number | Scalar::Odd) => {
            int = number::plain(value.raw);
            if int.is_none() {
                text = Some(String::from_utf8_lossy(value.raw).into_owned());
            }
            if int.is_some() { "int" } else { "real" }
        }
        Kind::Object | Kind::Array => {
            let mut out = Vec::new();
            if value.clean {
                out.extend_from_slice(value.raw);
            } else {
                repair::repair(value.raw, &mut out);
            }
            text = Some(String::from_utf8_lossy(&out).into_owned());
            "json"
        }
    };
    Entry { name, ty, int, text, at }
}

/// The producer of the trace, as far as its content shows.
pub(super) fn producer(metadata: &Metadata) -> Option<&'static str> {
    let has = |name: &str| metadata.has(name);
    if has("schemaVersion") && (has("deviceProperties") || has("traceName")) {
        Some("kineto")
    } else if metadata.is("metadata.source", "DevTools") {
        Some("devtools")
    } else if has("viztracer_metadata.version") {
        Some("viztracer")
    } else if has("otherData.bazel_version") {
        Some("bazel")
    } else if has("metadata.command_line") || has("metadata.product-version") {
        Some("chromium")
    } else {
        None
    }
}
