//! The `snapshot` member: which fields records have, what their type numbers mean, how many records are
//! declared. <https://github.com/v8/v8/blob/main/src/profiler/heap-snapshot-generator.cc>,
//! `HeapSnapshotJSONSerializer::SerializeSnapshot`.

use crate::{Code, Error, Log, Result};
use arrow_array::{ArrayRef, StringArray};
use simd_json::{ErrorType, prelude::*, tape};
use std::sync::Arc;

/// Names of the fields of one kind of record, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fields {
    names: Vec<String>,
}

impl Fields {
    fn new<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        Fields { names: names.into_iter().map(Into::into).collect() }
    }

    /// Fields of a record.
    pub(crate) fn width(&self) -> usize {
        self.names.len()
    }

    /// Position of a field in the record.
    pub(crate) fn of(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| n == name)
    }

    pub(crate) fn name(&self, field: usize) -> &str {
        &self.names[field]
    }

    /// Logs fields that no column takes, and columns that no field fills.
    fn check(&self, log: &mut Log, list: &str, required: &[&str], optional: &[&str]) {
        for name in &self.names {
            if !required.contains(&name.as_str()) && !optional.contains(&name.as_str()) {
                log.add(Code::UnknownField, None, || format!("meta.{list}: {name:?} is not kept"));
            }
        }
        for name in required.iter().filter(|name| self.of(name).is_none()) {
            log.add(Code::MissingField, None, || format!("meta.{list} does not name {name:?}"));
        }
    }
}

/// An enumeration of the file: type names by number.
#[derive(Debug)]
pub(crate) struct Enumeration {
    pub(crate) names: Vec<String>,
    /// The same as dictionary values.
    pub(crate) values: ArrayRef,
    /// What `*_types` says of the further fields.
    pub(crate) rest: Vec<String>,
}

impl Enumeration {
    fn new(names: Vec<String>, rest: Vec<String>) -> Self {
        Enumeration { values: Arc::new(StringArray::from(names.clone())), names, rest }
    }
}

/// Who wrote the file, as far as its header tells.
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

/// What the `snapshot` member says.
#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) node_fields: Fields,
    pub(crate) edge_fields: Fields,
    pub(crate) trace_function_info_fields: Fields,
    pub(crate) trace_node_fields: Fields,
    pub(crate) sample_fields: Fields,
    pub(crate) location_fields: Fields,
    pub(crate) node_types: Enumeration,
    pub(crate) edge_types: Enumeration,
    /// For each edge type: whether its edges carry a number instead of a name.
    pub(crate) numbered: Vec<bool>,
    pub(crate) node_count: Option<u64>,
    pub(crate) edge_count: Option<u64>,
    pub(crate) trace_function_count: Option<u64>,
    pub(crate) extra_native_bytes: Option<u64>,
    /// Where the root's record begins, in fields; 0 if it is not said.
    pub(crate) root_index: Option<u64>,
    pub(crate) producer: Producer,
}

impl Header {
    /// Reads the `snapshot` object, which starts at `offset` of the document.
    pub(crate) fn parse(mut json: Vec<u8>, offset: u64, log: &mut Log) -> Result<Self> {
        let tape = simd_json::to_tape(&mut json).map_err(|e| {
            // Of strings it tells where in the string.
            let in_string =
                matches!(e.error(), ErrorType::InvalidEscape | ErrorType::InvalidUnicodeCodepoint);
            let at = offset + if in_string { 0 } else { e.index() as u64 };
            Error::malformed(
                at,
                "valid JSON in the header (\"snapshot\")",
                format!("{:?}", e.error()),
            )
        })?;
        let snapshot = tape.as_value();
        let missing = |what: &str| {
            let found = "none (snapshots written before 2012 have another format)";
            Error::malformed(offset, format!("snapshot.meta.{what}"), found)
        };
        let meta = snapshot.get("meta").ok_or_else(|| missing("node_fields"))?;
        let required = |name| strings(meta.get(name)).map(Fields::new).ok_or_else(|| missing(name));
        let optional = |name, usual: &[&str]| {
            strings(meta.get(name)).map_or_else(|| Fields::new(usual.iter().copied()), Fields::new)
        };
        let node_fields = required("node_fields")?;
        let edge_fields = required("edge_fields")?;
        let node_types = enumeration(meta.get("node_types"), node_fields.of("type"));
        let edge_types = enumeration(meta.get("edge_types"), edge_fields.of("type"));
        let count = |name| snapshot.get(name).and_then(|v| v.as_u64());

        let producer = producer(&node_fields, &node_types);
        let native = node_fields.of("native_size").is_some();
        let numbered = edge_types.names.iter().map(|name| match (producer, name.as_str()) {
            // ArkTS serialises every edge by its name up to 4.0, elements by their index since.
            (Producer::Ark, name) => native && name == "element",
            (_, name) => name == "element" || name == "hidden",
        });
        let header = Header {
            numbered: numbered.collect(),
            node_fields,
            edge_fields,
            trace_function_info_fields: optional(
                "trace_function_info_fields",
                &["function_id", "name", "script_name", "script_id", "line", "column"],
            ),
            trace_node_fields: optional(
                "trace_node_fields",
                &["id", "function_info_index", "count", "size", "children"],
            ),
            sample_fields: optional("sample_fields", &["timestamp_us", "last_assigned_id"]),
            location_fields: optional(
                "location_fields",
                &["object_index", "script_id", "line", "column"],
            ),
            node_types,
            edge_types,
            node_count: count("node_count"),
            edge_count: count("edge_count"),
            trace_function_count: count("trace_function_count"),
            extra_native_bytes: count("extra_native_bytes"),
            root_index: count("root_index"),
            producer,
        };
        header.check(log);
        Ok(header)
    }

    /// The node from which everything hangs.
    pub(crate) fn root(&self) -> u64 {
        self.root_index.unwrap_or(0) / self.node_fields.width().max(1) as u64
    }

    fn check(&self, log: &mut Log) {
        let node = ["type", "name", "id", "self_size", "edge_count"];
        self.node_fields.check(
            log,
            "node_fields",
            &node,
            &["trace_node_id", "detachedness", "native_size"],
        );
        self.edge_fields.check(log, "edge_fields", &["type", "name_or_index", "to_node"], &[]);
        let function = ["function_id", "name", "script_name", "script_id", "line", "column"];
        let fields = &self.trace_function_info_fields;
        fields.check(log, "trace_function_info_fields", &function, &[]);
        let frame = ["id", "function_info_index", "count", "size", "children"];
        self.trace_node_fields.check(log, "trace_node_fields", &frame, &[]);
        self.sample_fields.check(log, "sample_fields", &["timestamp_us", "last_assigned_id"], &[]);
        let location = ["object_index", "script_id", "line", "column"];
        self.location_fields.check(log, "location_fields", &location, &["script_object_index"]);
    }
}

fn producer(node_fields: &Fields, node_types: &Enumeration) -> Producer {
    let names = &node_types.names;
    if node_fields.of("native_size").is_some() || names.iter().any(|n| n == "slicedstring") {
        Producer::Ark
    } else if names.iter().any(|n| n.starts_with("jl_")) {
        Producer::Julia
    } else if names.starts_with(&["hidden", "array", "string", "object"].map(String::from)) {
        Producer::V8
    } else {
        Producer::Other
    }
}

/// The strings of an array, if it is one.
fn strings(value: Option<tape::Value<'_, '_>>) -> Option<Vec<String>> {
    let array = value?;
    let array = array.as_array()?;
    (!array.is_empty()).then(|| array.iter().map(|v| text(&v)).collect())
}

/// `[[names…], "string", "number", …]`: the names stand at the `place` of the field, or else at the first list.
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

/// A string as it is; anything else has no name.
fn text(value: &tape::Value<'_, '_>) -> String {
    value.as_str().map_or_else(|| "?".into(), Into::into)
}
