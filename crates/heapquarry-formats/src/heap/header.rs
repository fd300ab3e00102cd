//! The `snapshot` member: the fields of records, the names of type numbers, and the declared counts.
//! <https://github.com/v8/v8/blob/main/src/profiler/heap-snapshot-generator.cc>,
//! `HeapSnapshotJSONSerializer::SerializeSnapshot`.

use super::fields::{FieldList, Fields};
use crate::{ByteOffset, Error, Log, Result};
use arrow_array::{ArrayRef, StringArray};
use simd_json::{ErrorType, prelude::*, tape};
use std::sync::Arc;

/// An enumeration of the file: type names by number.
#[derive(Debug)]
pub(crate) struct Enumeration {
    pub(crate) names: Vec<String>,
    /// The names as dictionary values.
    pub(crate) values: ArrayRef,
    /// Entries of `*_types` for the other fields.
    pub(crate) rest: Vec<String>,
}

impl Enumeration {
    fn new(names: Vec<String>, rest: Vec<String>) -> Self {
        Enumeration { values: Arc::new(StringArray::from(names.clone())), names, rest }
    }
}

/// The program that wrote the file, as far as its header tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Producer {
    V8,
    Ark,
    Julia,
    Other,
}

impl Producer {
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Producer::V8 => Some("v8"),
            Producer::Ark => Some("ark"),
            Producer::Julia => Some("julia"),
            Producer::Other => None,
        }
    }
}

/// Lists that a file must have to be read.
const NODE_FIELDS: &str = "node_fields";
const EDGE_FIELDS: &str = "edge_fields";

/// What the `snapshot` member says.
#[derive(Debug)]
pub(crate) struct Header {
    /// The fields of nodes: raw node references are multiples of their number, and some identify the producer.
    pub(crate) node_fields: Fields,
    /// The fields of every kind of record, nodes included, by the key of their list.
    lists: Vec<(&'static str, Fields)>,
    pub(crate) node_types: Enumeration,
    pub(crate) edge_types: Enumeration,
    /// For each edge type: whether its edges have a number instead of a name.
    pub(crate) numbered: Vec<bool>,
    pub(crate) node_count: Option<u64>,
    pub(crate) edge_count: Option<u64>,
    pub(crate) trace_function_count: Option<u64>,
    pub(crate) extra_native_bytes: Option<u64>,
    /// Offset of the root's record, in fields; 0 if not declared.
    pub(crate) root_index: Option<u64>,
    pub(crate) producer: Producer,
}

impl Header {
    /// Reads the `snapshot` object at `offset` of the document. `lists` are the fields of all sections.
    pub(crate) fn parse(
        mut json: Vec<u8>,
        offset: ByteOffset,
        lists: impl IntoIterator<Item = &'static FieldList>,
        log: &mut Log,
    ) -> Result<Self> {
        let tape = simd_json::to_tape(&mut json).map_err(|e| not_json(&e, offset))?;
        let snapshot = tape.as_value();
        let missing = |what: &str| {
            let found = "none (snapshots written before 2012 have another format)";
            Error::malformed(offset, format!("snapshot.meta.{what}"), found)
        };
        let meta = snapshot.get("meta").ok_or_else(|| missing(NODE_FIELDS))?;
        let named = |key: &str| strings(meta.get(key)).map(Fields::new);
        let node_fields = named(NODE_FIELDS).ok_or_else(|| missing(NODE_FIELDS))?;
        let edge_fields = named(EDGE_FIELDS).ok_or_else(|| missing(EDGE_FIELDS))?;
        let read = |list: &'static FieldList| {
            let fields = named(list.key).unwrap_or_else(|| list.usual());
            list.check(&fields, log);
            (list.key, fields)
        };
        let lists = lists.into_iter().map(read).collect();
        let node_types = enumeration(meta.get("node_types"), node_fields.position("type"));
        let edge_types = enumeration(meta.get("edge_types"), edge_fields.position("type"));
        let count = |name| snapshot.get(name).and_then(|v| v.as_u64());

        let producer = producer(&node_fields, &node_types);
        Ok(Header {
            numbered: numbered(producer, &node_fields, &edge_types),
            node_fields,
            lists,
            node_types,
            edge_types,
            node_count: count("node_count"),
            edge_count: count("edge_count"),
            trace_function_count: count("trace_function_count"),
            extra_native_bytes: count("extra_native_bytes"),
            root_index: count("root_index"),
            producer,
        })
    }

    /// The fields of a list in this file.
    ///
    /// # Panics
    ///
    /// If [`Header::parse`] was called without the list.
    pub(crate) fn fields(&self, list: &FieldList) -> &Fields {
        let found = self.lists.iter().find(|(key, _)| *key == list.key);
        found.map(|(_, fields)| fields).expect("the header reads the lists of all sections")
    }

    /// Position of the root node.
    pub(crate) fn root(&self) -> u64 {
        self.root_index.unwrap_or(0) / self.node_fields.width().max(1) as u64
    }
}

/// The error for a header that is not valid JSON.
fn not_json(error: &simd_json::Error, offset: ByteOffset) -> Error {
    let kind = error.error();
    // Within strings, the parser reports positions relative to the string.
    let in_string = matches!(kind, ErrorType::InvalidEscape | ErrorType::InvalidUnicodeCodepoint);
    let at = offset + if in_string { 0 } else { error.index() as u64 };
    let found = match kind {
        ErrorType::DepthLimitExceeded => "JSON that is nested too deeply".into(),
        ErrorType::InvalidEscape => "an invalid escape".into(),
        ErrorType::InvalidUnicodeCodepoint => "an escape of half a character".into(),
        ErrorType::InvalidUtf8 => "invalid UTF-8".into(),
        other => format!("a syntax error ({other:?})"),
    };
    Error::malformed(at, "valid JSON in the header (\"snapshot\")", found)
}

/// For each edge type: whether its edges have a number instead of a name.
fn numbered(producer: Producer, node_fields: &Fields, edge_types: &Enumeration) -> Vec<bool> {
    let native = node_fields.has("native_size");
    let is_numbered = |name: &String| match (producer, name.as_str()) {
        // ArkTS serialised every edge by its name up to 4.0, and elements by their index since then.
        (Producer::Ark, name) => native && name == "element",
        (_, name) => name == "element" || name == "hidden",
    };
    edge_types.names.iter().map(is_numbered).collect()
}

fn producer(node_fields: &Fields, node_types: &Enumeration) -> Producer {
    let names = &node_types.names;
    if node_fields.has("native_size") || names.iter().any(|n| n == "slicedstring") {
        Producer::Ark
    } else if names.iter().any(|n| n.starts_with("jl_")) {
        Producer::Julia
    } else if names.starts_with(&["hidden", "array", "string", "object"].map(String::from)) {
        Producer::V8
    } else {
        Producer::Other
    }
}

/// The strings of an array; `None` for anything else.
fn strings(value: Option<tape::Value<'_, '_>>) -> Option<Vec<String>> {
    let array = value?;
    let array = array.as_array()?;
    (!array.is_empty()).then(|| array.iter().map(|v| text(&v)).collect())
}

/// `[[names…], "string", "number", …]`: the names are at the `place` of the field, otherwise in the first list.
fn enumeration(value: Option<tape::Value<'_, '_>>, place: Option<usize>) -> Enumeration {
    let mut names = Vec::new();
    let mut rest = Vec::new();
    if let Some(array) = value.as_ref().and_then(|v| v.as_array()) {
        let is_list = |v: tape::Value<'_, '_>| v.as_array().is_some();
        let of_field = place.filter(|&place| array.iter().nth(place).is_some_and(is_list));
        let place = of_field.or_else(|| array.iter().position(is_list));
        for (i, v) in array.iter().enumerate() {
            match strings(Some(v)) {
                Some(list) if Some(i) == place => names = list,
                Some(list) => rest.push(list.join(",")),
                None if v.as_array().is_none() => rest.push(text(&v)),
                None => {}
            }
        }
    }
    Enumeration::new(names, rest)
}

/// The text of a string; empty for anything else.
fn text(value: &tape::Value<'_, '_>) -> String {
    value.as_str().map_or_else(|| "?".into(), Into::into)
}
